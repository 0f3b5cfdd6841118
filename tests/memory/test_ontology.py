"""Axioms of an instance's own: proposed, tried out, adopted at once for everybody, withdrawn, and there after a restart."""

import threading
from pathlib import Path

import pytest
from pyoxigraph import NamedNode

from gateway.parse.offline import read
from memory.claim import Candidate, Mention, Reading, Span, Speaker
from memory.entities import person as entity_of
from memory.errors import IncorrectChoiceError, IncorrectTextError, NotYoursError, UnknownThingError
from memory.forget import Act, Wanted
from memory.ontology import ADOPTED, WITHDRAWN
from memory.vocabulary import Vocabulary
from ontologies.files import vocabulary
from ontologies.vocab import term
from tests.conftest import ANN, BOB, Desk

MENTOR = """
:mentor a owl:ObjectProperty ; rdfs:label "mentor"@en ; :noun "mentor" ; :temporalKind "state" ;
    rdfs:domain :Person ; rdfs:range :Person ; rdfs:subPropertyOf :knows ; skos:example "My mentor is Bea"@en ;
    owl:inverseOf :mentee .
:mentee a owl:ObjectProperty ; rdfs:label "mentee"@en ; :noun "mentee" ; :temporalKind "state" ;
    rdfs:domain :Person ; rdfs:range :Person ; skos:example "My mentee is Bo"@en .
"""
NEAR = ":livesIn rdfs:subPropertyOf :staysAt ."

pytestmark = pytest.mark.requirement("ontology")


@pytest.fixture
def own(tmp_path: Path) -> Desk:
    """Return a desk with a vocabulary of its own, since adopting changes it for whoever holds it."""
    return Desk(tmp_path / "data", Vocabulary(vocabulary()))


def _say(desk: Desk, text: str, predicate: str, name: str) -> None:
    """Let the speaker say something that a model reads with a property of that name."""
    source = desk.source(text)
    at = text.index(name)
    mention = Mention(name, Span(at, at + len(name)))
    wanted = Candidate(Speaker(), term(predicate), mention, Span(0, len(text)), predicate)
    desk.memory.learn(source, Reading("model", (wanted,)), is_owner=True).result()


def test_words_are_there_once_they_are_adopted_and_gone_once_withdrawn(own: Desk) -> None:
    id_ = own.memory.propose_axioms(MENTOR, BOB).result()
    assert term("mentor") not in own.memory.vocabulary
    _say(own, "My mentor is Bea", "mentor", "Bea")
    assert own.objects("mentor") == []
    with pytest.raises(NotYoursError):
        own.memory.exchange_axioms(id_, ADOPTED, own.approver(BOB, owner=False))
    assert own.memory.exchange_axioms(id_, ADOPTED, own.approver()).result() == "adopted"
    own.sound()
    assert term("mentor") in own.memory.vocabulary
    _say(own, "Truly, my mentor is Cem", "mentor", "Cem")
    assert own.objects("mentor") == ["Cem"]
    assert "Cem" in own.objects("knows")
    cem = own.entity("Cem")
    assert len(_objects(own, cem, "mentee")) == 1
    own.sound()
    own.reopen()
    assert "Cem" in own.objects("knows")
    assert own.memory.notes() == []
    own.sound()
    with pytest.raises(IncorrectChoiceError):
        own.memory.exchange_axioms(id_, ADOPTED, own.approver())
    assert own.memory.exchange_axioms(id_, WITHDRAWN, own.approver()).result() == "withdrawn"
    assert "Cem" not in own.objects("knows")
    assert _objects(own, cem, "mentee") == []
    own.sound()
    own.reopen()
    own.sound()
    own.memory.close()


def test_what_it_would_do_is_told_before_and_is_what_it_does(own: Desk) -> None:
    own.say("I live in Oslo.")
    own.say("I live in Lima.", by=BOB, owner=False)
    id_ = own.memory.propose_axioms(NEAR, ANN).result()
    shown = own.memory.try_axioms(id_, ANN)
    assert {triple.predicate for triple, _ in shown.come} == {term("staysAt")}
    assert {label.space.id for _, label in shown.come} == {ANN}
    assert shown.go == shown.contradictions == ()
    assert own.objects("staysAt") == []
    own.memory.exchange_axioms(id_, ADOPTED, own.approver()).result()
    assert own.objects("staysAt") == ["Oslo"]
    assert own.objects("staysAt", BOB) == ["Lima"]
    back = own.memory.try_axioms(id_, ANN)
    assert (back.go, back.come) == (shown.come, ())
    own.sound()
    own.memory.close()


def test_what_it_would_make_false_is_told(own: Desk) -> None:
    own.say("Mara works at Acme.")
    own.say("Mara lives in Oslo.")
    id_ = own.memory.propose_axioms(":Person owl:disjointWith :Agent .", ANN).result()
    assert own.memory.try_axioms(id_, ANN).contradictions
    own.memory.close()


def test_what_is_said_meanwhile_is_closed_too(own: Desk) -> None:
    own.say("I live in Oslo.")
    id_ = own.memory.propose_axioms(NEAR, ANN).result()
    started, go = threading.Event(), threading.Event()
    blocked = own.memory._writer.submit(lambda: (started.set(), go.wait(10)))  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]
    started.wait(10)
    source = own.source("Mara lives in Lyon.")
    said = own.memory.learn(source, read(source.body, source.said_at, source.zone), is_owner=True)
    adopting = own.memory.exchange_axioms(id_, ADOPTED, own.approver())  # closes what there is without Mara
    go.set()
    assert all(future.result() for future in (blocked, said, adopting))
    assert own.objects("staysAt") == ["Oslo"]
    assert own.objects("staysAt", subject=own.entity("Mara")) == ["Lyon"]
    own.sound()
    own.memory.close()


@pytest.mark.parametrize(
    "text",
    [
        "",
        "no Turtle",
        ":p a owl:ObjectProperty .",
        ":C owl:oneOf ( :a :b ) .",
        ":Mara a :Person . :x :livesIn :y .",
        ":livesIn a owl:DatatypeProperty .",
        "owl:Thing rdfs:subClassOf owl:Nothing .",
        " ".join(f":K{n} rdfs:subClassOf :K{(n + 1) % 9} ." for n in range(9)),
        "<urn:x> owl:imports <urn:y> .",
        ":a :b :c ." * 3_000,
    ],
)
def test_what_is_no_axiom_of_the_right_shape_is_refused(text: str, own: Desk) -> None:
    with pytest.raises(IncorrectTextError, match="Nothing was stored"):
        own.memory.propose_axioms(text, ANN)
    with pytest.raises(UnknownThingError):
        own.memory.try_axioms("none", ANN)
    assert own.memory.additions() == []
    own.memory.close()


def _objects(desk: Desk, thing: NamedNode, predicate: str) -> list[str]:
    with desk.memory.reading() as reads:
        return [str(s.triple.object) for s in reads.statements(desk.clearance(), thing, term(predicate), None)]


def test_an_erased_word_is_in_no_proposed_axioms(own: Desk) -> None:
    own.say("Kimberlix lives in Oslo.")
    id_ = own.memory.propose_axioms('# Kimberlix is ill\n:livesIn rdfs:comment "as Kimberlix does"@en .', ANN).result()
    assert "ill" not in own.memory.addition(id_).turtle
    own.memory.exchange_axioms(id_, ADOPTED, own.approver()).result()
    wanted = Wanted(Act.ERASE, thing=own.entity("Kimberlix").value)
    with pytest.raises(IncorrectChoiceError, match="withdraw"):
        own.erase(wanted)
    own.memory.exchange_axioms(id_, WITHDRAWN, own.approver()).result()
    own.erase(wanted)
    assert own.memory.additions() == []
    own.sound()
    own.memory.close()


@pytest.mark.requirement("ontology", "as-of")
def test_what_followed_then_is_concluded_by_the_ontology_of_then(own: Desk) -> None:
    own.say("I live in Oslo.")
    id_ = own.memory.propose_axioms(NEAR, ANN).result()
    before = own.now
    own.memory.exchange_axioms(id_, ADOPTED, own.approver()).result()
    during = own.now
    own.memory.exchange_axioms(id_, WITHDRAWN, own.approver()).result()

    def stays(as_of: int | None) -> bool:
        clearance = own.clearance(ANN)
        with own.memory.reading(as_of) as reads:
            found = list(reads.statements(clearance, entity_of(ANN), term("staysAt"), None))
            proofs = [own.memory.proof(reads, statement.triple, clearance.top) for statement in found]
        assert all(proofs)
        return bool(found)

    assert [stays(at) for at in (before, during, own.now, None)] == [False, True, False, False]
    own.memory.close()
