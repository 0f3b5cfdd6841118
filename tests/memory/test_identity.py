"""What is said to be the same is read under each of its names, within the label of that saying, and only as long as it stands."""

import pytest
from pyoxigraph import NamedNode

from memory.claim import Claim, Outcome, Rule
from memory.forget import Act, Wanted
from memory.recall import Query, recall
from ontologies.vocab import OWL_SAME_AS, term
from tests.conftest import ANN, BOB, Desk


def _values(desk: Desk, thing: NamedNode, predicate: str, by: str = ANN) -> set[str]:
    clearance = desk.clearance(by)
    with desk.memory.reading() as reads:
        found = reads.statements(clearance, thing, term(predicate), None)
        return {reads.names(clearance, s.triple.object)[-1] for s in found if isinstance(s.triple.object, NamedNode)}


@pytest.mark.requirement("same")
def test_what_is_said_of_one_name_is_read_under_the_other(desk: Desk) -> None:
    desk.say("Bobby works at Acme.")
    desk.say("Robert lives in Lyon.")
    bobby, robert = desk.entity("Bobby"), desk.entity("Robert")
    assert _values(desk, robert, "worksAt") == set()
    _, receipt = desk.say("Bobby is the same person as Robert.")
    assert receipt.count(Outcome.ADMITTED) == 1
    assert _values(desk, robert, "worksAt") == {"Acme"}
    assert _values(desk, bobby, "livesIn") == {"Lyon"}
    desk.sound()
    desk.say("Lyon is part of France.")
    assert "France" in _values(desk, bobby, "residesWithin")
    desk.sound()
    same = next(c for c in _claims(desk, bobby) if c.predicate == OWL_SAME_AS)
    desk.retract(same.id)
    assert _values(desk, robert, "worksAt") == set()
    assert "France" not in _values(desk, bobby, "residesWithin")
    desk.sound()


@pytest.mark.requirement("same", "non-interference")
def test_what_one_person_says_is_the_same_is_so_for_them_alone(desk: Desk) -> None:
    desk.say("Bobby works at Acme.", by=BOB, owner=False)
    desk.say("Robert lives in Lyon.", by=BOB, owner=False)
    desk.say("Bobby works at Globex.")
    desk.say("Robert lives in Oslo.")
    mine = desk.entity("Bobby"), desk.entity("Robert")
    desk.say("Bobby is the same person as Robert.")
    assert _values(desk, mine[1], "worksAt") == {"Globex"}
    his = desk.entity("Robert", BOB)
    assert _values(desk, his, "worksAt", BOB) == set()
    desk.sound()


@pytest.mark.requirement("same", "row-9")
def test_what_is_different_is_not_merged_and_not_the_same(desk: Desk) -> None:
    desk.say("Bobby works at Acme.")
    desk.say("Robert lives in Lyon.")
    desk.say("Bobby is not the same person as Robert.")
    _, receipt = desk.say("Bobby and Robert are the same person.")
    assert [(d.outcome, d.rule) for d in receipt.decisions] == [(Outcome.HELD, Rule.CONTRADICTION)]
    desk.sound()


@pytest.mark.requirement("same", "recall", "explain")
def test_recall_and_proofs_go_over_all_names(desk: Desk) -> None:
    desk.say("Bobby works at Acme.")
    desk.say("Robert lives in Lyon.")
    desk.say("Bobby is the same person as Robert.")
    clearance, robert = desk.clearance(), desk.entity("Robert")
    with desk.memory.reading() as reads:
        found = recall(reads, desk.words, Query("Where does Robert work?"), clearance, 600)
        assert any(item.claim is not None and item.claim.predicate == term("worksAt") for item in found.items)
        (statement,) = reads.statements(clearance, robert, term("worksAt"), None)
        assert statement.inferred
        proof = desk.memory.proof(reads, statement.triple, clearance.top)
    assert proof is not None
    assert proof.rule is not None
    assert proof.rule.name == "eq-rep"
    assert {leaf.triple.predicate for leaf in proof.leaves()} == {term("worksAt"), OWL_SAME_AS}


@pytest.mark.requirement("same", "I4")
def test_erasing_one_of_two_names_leaves_nothing_of_it(desk: Desk) -> None:
    desk.say("Bobby works at Acme.")
    desk.say("Robert lives in Lyon.")
    desk.say("Bobby is the same person as Robert.")
    desk.erase(Wanted(Act.ERASE, thing=desk.entity("Bobby").value))
    assert _values(desk, desk.entity("Robert"), "worksAt") == set()
    assert not any("Bobby" in body for body in desk.bodies())
    desk.sound()


def _claims(desk: Desk, thing: NamedNode) -> list[Claim]:
    with desk.memory.reading() as reads:
        return reads.claims(desk.clearance(), subject=thing)


@pytest.mark.requirement("same", "I3")
def test_what_was_refused_of_one_name_is_refused_of_the_other(desk: Desk) -> None:
    desk.say("Bea lives in Lyon.")
    desk.say("Beatrice works at Acme.")
    desk.say("Bea is the same person as Beatrice.")
    bea = desk.entity("Bea")
    claim = next(c for c in _claims(desk, bea) if c.predicate == term("livesIn"))
    desk.retract(claim.id)
    _, receipt = desk.say("Beatrice lives in Lyon.")
    assert [(d.outcome, d.rule) for d in receipt.decisions] == [(Outcome.HELD, Rule.REFUSED_BEFORE)]
