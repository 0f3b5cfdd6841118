"""What contradicts what is known: found before anything is stored, held with its reason, and told to nobody who may not know."""

import pytest
from pyoxigraph import Quad

from gateway.parse.offline import read
from memory.admit import Admit
from memory.claim import Outcome, Receipt, Rule
from memory.errors import IncorrectChoiceError
from memory.label import Label, Layer, graph_name, user
from memory.settle import Choice
from ontologies.vocab import RDF_TYPE, term
from tests.conftest import ANN, BOB, Desk


def _decided(receipt: Receipt) -> list[tuple[str, int]]:
    return [(decided.outcome.value, decided.rule.value) for decided in receipt.decisions]


@pytest.mark.requirement("row-9")
def test_a_statement_that_contradicts_an_axiom_waits_with_the_reason(desk: Desk) -> None:
    desk.say("Mara is a city.")
    before = desk.objects("livesIn")
    _, receipt = desk.say("Mara is a country.")
    (decided,) = receipt.decisions
    assert (decided.outcome, decided.rule) == (Outcome.HELD, Rule.CONTRADICTION)
    assert "contradicts what is known: no " in decided.reason
    assert desk.objects("livesIn") == before
    desk.sound()


@pytest.mark.requirement("row-9")
def test_of_a_message_only_what_contradicts_waits(desk: Desk) -> None:
    desk.say("Mara is a city.")
    _, receipt = desk.say("Mara is a country. I live in Oslo. Bo likes tea.")
    assert _decided(receipt).count(("held", 9)) == 1
    assert _decided(receipt).count(("admitted", 11)) == 2
    assert desk.objects("livesIn") == ["Oslo"]
    desk.sound()


@pytest.mark.requirement("row-9", "non-interference")
def test_what_contradicts_another_persons_private_facts_is_admitted(desk: Desk) -> None:
    desk.say("Mara is a city.", by=BOB, owner=False)
    _, receipt = desk.say("Mara is a country.")
    assert receipt.count(Outcome.HELD) == 0
    desk.sound()


@pytest.mark.requirement("row-9", "settle")
def test_a_contradiction_can_only_be_rejected_until_what_stands_against_it_is_gone(desk: Desk) -> None:
    desk.say("Mara is a city.")
    desk.say("Mara is a country.")
    with desk.memory.reading() as reads:
        (waiting,) = reads.waiting_anywhere()
    with pytest.raises(IncorrectChoiceError):
        desk.memory.settle(waiting.id, Choice.ACCEPT, desk.approver()).result()
    desk.memory.settle(waiting.id, Choice.REJECT, desk.approver()).result()
    desk.sound()


@pytest.mark.requirement("row-9", "merge")
def test_a_merge_that_contradicts_is_refused(desk: Desk) -> None:
    desk.say("Mara is a city.")
    desk.say("Quux is a country.")
    first, second = desk.entity("Mara"), desk.entity("Quux")
    shown = desk.memory.moving(first, second, desk.approver())
    with pytest.raises(IncorrectChoiceError, match="contradicts what is known"):
        desk.memory.merge(first, second, shown.digest, desk.approver()).result()
    assert desk.entity("Quux") == second
    desk.sound()


@pytest.mark.requirement("row-9", "writers")
def test_messages_of_one_commit_are_held_each_for_itself(desk: Desk) -> None:
    desk.say("Mara is a city.")
    texts = ("Mara is a country.", "I live in Oslo.", "Mara is a country.", "Tom lives in Lima.")
    sources = [desk.source(text, ANN) for text in texts]
    futures = [desk.memory.learn(s, read(s.body, s.said_at, s.zone), is_owner=True) for s in sources]
    outcomes = [_decided(future.result()) for future in futures]
    assert [("held", 9) in decided for decided in outcomes] == [True, False, True, False]
    assert desk.objects("livesIn") == ["Oslo"]
    desk.sound()


@pytest.mark.requirement("row-9", "explain")
def test_the_doctor_finds_what_stands_and_asks_another_reasoner(desk: Desk) -> None:
    desk.say("Mara is a city.")
    desk.say("Mara is part of France.")
    memory = desk.memory
    assert memory.contradictions(ANN).result() == []
    facts, different = memory.second_opinion(100, ANN)
    assert (facts > 0, different) == (True, 0)
    graph = memory._graph  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]
    false = Quad(desk.entity("Mara"), RDF_TYPE, term("Country"), graph_name(Layer.FACTS, Label(user(ANN))))
    graph.apply(memory.head() + 1, [], [false])  # nothing that the product writes does this
    (found,) = {contradiction.reason for contradiction in memory.contradictions(ANN).result()}
    assert "no country is a city" in found


@pytest.mark.requirement("row-9", "non-interference")
def test_what_a_member_knows_alone_neither_holds_up_the_owner_nor_is_told(desk: Desk) -> None:
    desk.say("Mara is part of France.")
    desk.say("Mara is a city.", by=BOB, owner=False)
    desk.say("/share Mara is a country.", by=BOB, owner=False)
    with desk.memory.reading() as reads:
        (waiting,) = reads.waiting_anywhere()
    settled = desk.memory.settle(waiting.id, Choice.ACCEPT, desk.approver()).result()
    assert isinstance(settled.decision, Admit)
    assert desk.memory.contradictions(ANN).result() == []
    assert desk.memory.contradictions(BOB).result()
    desk.sound()


@pytest.mark.requirement("row-9", "row-7")
def test_a_value_that_contradicts_replaces_nothing(desk: Desk) -> None:
    desk.say("Bo is married to Dana.")
    bo = desk.entity("Bo")
    _, receipt = desk.say("Bo is married to Bo.")
    assert [decided.rule for decided in receipt.decisions] == [Rule.CONTRADICTION]
    assert desk.objects("spouse", subject=bo) == ["Dana"]


@pytest.mark.requirement("row-9", "settle")
def test_what_stands_against_a_held_statement_is_known(desk: Desk) -> None:
    desk.say("Mara is a city.")
    desk.say("Mara is a country.")
    with desk.memory.reading() as reads:
        (waiting,) = reads.waiting_anywhere()
        against = [reads.current(desk.clearance(), version) for version in waiting.against]
    assert [claim.object for claim in against if claim] == [term("City")]
