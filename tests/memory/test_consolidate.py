"""Consolidation: what is proposed, what the gate lets through, and what people decide; none of it first-hand."""

import pytest
from pyoxigraph import Literal

from memory.admit import Admit, Hold
from memory.claim import Candidate, Outcome, Reading, Rule, Source, Span, Speaker, Validity, Value
from memory.consolidate import Finding, Kind, Stakes, gate
from memory.entities import person as entity_of
from memory.errors import IncorrectChoiceError, MunimentMemoryError, UnknownThingError
from memory.forget import Act, Wanted
from memory.label import Label, user
from memory.rank import strength
from memory.rows import Proposed
from memory.tables import Row
from ontologies.vocab import term
from tests.conftest import ANN, BOB, MINUTE, Desk

DESCRIBED = term("describedAs")
DAY = 24 * 60 * MINUTE


def _describe(desk: Desk, value: str, validity: Validity | None = None) -> Source:
    """Let the speaker describe themself, as a model reads it."""
    source = desk.source(f"I am {value}.")
    spoken = Value(Literal(value), Span(5, 5 + len(value)))
    whole = Span(0, len(source.body))
    candidate = Candidate(Speaker(), DESCRIBED, spoken, whole, "am", validity=validity or Validity())
    receipt = desk.memory.learn(source, Reading("model", (candidate,)), is_owner=True).result()
    assert receipt.count(Outcome.ADMITTED) == 1
    return source


def _tidy(desk: Desk) -> list[Admit | Hold]:
    found, _ = desk.memory.findings("", 1_000)
    return [desk.memory.propose(finding).result() for finding in found]  # type: ignore[misc]


def _waiting(desk: Desk, by: str = ANN) -> list[Proposed]:
    with desk.memory.reading() as reads:
        return reads.proposals(desk.clearance(by))


def _folded(desk: Desk) -> list[Proposed]:
    with desk.memory.reading() as reads:
        return reads.folded()


@pytest.mark.requirement("gate")
@pytest.mark.parametrize(
    ("kind", "told", "inferred", "acts"),
    [
        (Kind.REPEATED, False, False, True),
        (Kind.REPEATED, True, False, False),
        (Kind.REPEATED, False, True, False),
        (Kind.STALE, False, False, False),
        (Kind.VANISHED, False, False, False),
        (Kind.CLASHING, False, False, False),
    ],
)
def test_the_engine_acts_by_itself_only_where_nobody_would_notice(kind: Kind, *, told: bool, inferred: bool, acts: bool) -> None:
    decision = gate(Finding(kind, ("a", "b"), Label(user(ANN))), Stakes(told, inferred))
    assert isinstance(decision, Admit) is acts
    assert decision.rule is Rule.GATED


@pytest.mark.requirement("consolidation")
def test_one_value_in_two_writings_becomes_one_claim_and_two_again(desk: Desk) -> None:
    _describe(desk, "patient")
    _describe(desk, "PATIENT")
    before = desk.objects("describedAs")
    assert len(before) == 2
    assert [type(decision) for decision in _tidy(desk)] == [Admit]
    assert len(desk.objects("describedAs")) == 1
    assert _tidy(desk) == []
    desk.sound()
    (folded,) = _folded(desk)
    with pytest.raises(UnknownThingError):
        desk.memory.unfold(folded.id, desk.approver(BOB, owner=False)).result()
    desk.memory.unfold(folded.id, desk.approver()).result()
    assert desk.objects("describedAs") == before
    with desk.memory.reading() as reads:
        claims = reads.claims(desk.clearance(), subject=entity_of(ANN), predicates=(DESCRIBED,))
        assert [len(reads.evidence(desk.clearance(), claim.id)) for claim in claims] == [1, 1]
    assert _tidy(desk) == []
    desk.sound()


@pytest.mark.requirement("gate", "consolidation")
def test_what_was_told_to_somebody_waits_for_a_person(desk: Desk) -> None:
    _describe(desk, "patient")
    _describe(desk, "PATIENT")
    with desk.memory.reading() as reads:
        claims = [c.id for c in reads.claims(desk.clearance(), subject=entity_of(ANN), predicates=(DESCRIBED,))]
    told, _ = desk.say("Hello.")
    desk.memory.record("told", ANN, [Row("told", {"source": told.id, "item": claims[1]})]).result()
    assert [type(decision) for decision in _tidy(desk)] == [Hold]
    (proposed,) = _waiting(desk)
    with pytest.raises(IncorrectChoiceError):
        desk.memory.decide_proposal(proposed.id, "still", desk.approver()).result()
    desk.memory.decide_proposal(proposed.id, "one", desk.approver()).result()
    assert len(desk.objects("describedAs")) == 1
    desk.sound()


@pytest.mark.requirement("consolidation")
def test_a_state_that_was_told_long_ago_is_asked_about_and_nothing_more(desk: Desk) -> None:
    desk.say("I am staying at the Ritz.")
    desk.say("I was born in Lima.")
    assert _tidy(desk) == []
    desk.now += 30 * DAY
    assert [type(decision) for decision in _tidy(desk)] == [Hold]
    assert desk.objects("staysAt") == ["the Ritz"]
    assert _tidy(desk) == []
    (proposed,) = _waiting(desk)
    assert _waiting(desk, BOB) == []
    desk.memory.decide_proposal(proposed.id, "still", desk.approver()).result()
    with desk.memory.reading() as reads:
        assert len(reads.evidence(desk.clearance(), desk.claim("staysAt", "the Ritz"))) == 2
    assert _tidy(desk) == []
    desk.now += 30 * DAY
    assert [type(decision) for decision in _tidy(desk)] == [Hold]
    (again,) = _waiting(desk)
    with pytest.raises(MunimentMemoryError):
        desk.memory.decide_proposal(again.id, "ended", desk.approver(BOB, owner=False)).result()
    desk.memory.decide_proposal(again.id, "ended", desk.approver()).result()
    assert desk.objects("staysAt") == []
    with pytest.raises(UnknownThingError):
        desk.memory.decide_proposal(again.id, "ended", desk.approver()).result()
    desk.sound()


@pytest.mark.requirement("consolidation")
def test_what_a_person_leaves_is_left(desk: Desk) -> None:
    desk.say("I am staying at the Ritz.")
    desk.now += 30 * DAY
    _tidy(desk)
    desk.memory.decide_proposal(_waiting(desk)[0].id, "leave", desk.approver()).result()
    assert desk.objects("staysAt") == ["the Ritz"]
    desk.now += 10 * DAY
    assert _tidy(desk) == []


@pytest.mark.requirement("consolidation", "I4")
def test_a_folded_writing_goes_with_the_erasure_of_the_value(desk: Desk) -> None:
    _describe(desk, "patient")
    _describe(desk, "PATIENT")
    _tidy(desk)
    with desk.memory.reading() as reads:
        (claim,) = reads.claims(desk.clearance(), subject=entity_of(ANN), predicates=(DESCRIBED,))
    desk.erase(Wanted(Act.ERASE, (claim.id,)))
    assert not any("patient" in body.casefold() for body in desk.bodies())
    (folded,) = _folded(desk)
    with pytest.raises(UnknownThingError):
        desk.memory.unfold(folded.id, desk.approver()).result()
    desk.sound()


@pytest.mark.requirement("recall")
def test_what_is_said_often_and_lately_counts_more() -> None:
    assert strength(3, 10, 100) > strength(1, 10, 100) > strength(1, 200, 100)
    assert strength(1, 0, 100) == 1.0


@pytest.mark.requirement("consolidation", "undo")
@pytest.mark.parametrize(("first", "left"), [(0, "PATIENT"), (1, "patient")])
def test_undoing_a_message_after_a_fold_takes_back_that_message_alone(first: int, left: str, desk: Desk) -> None:
    said = [_describe(desk, "patient"), _describe(desk, "PATIENT")]
    _tidy(desk)
    desk.memory.undo(said[first], ANN).result()
    assert desk.objects("describedAs") == [f'"{left}"']
    desk.sound()
    desk.memory.undo(said[1 - first], ANN).result()
    assert desk.objects("describedAs") == []
    (folded,) = _folded(desk)
    with pytest.raises(UnknownThingError):
        desk.memory.unfold(folded.id, desk.approver()).result()
    desk.sound()
    assert desk.memory.verify().result()["claims_without_evidence"] == 0


@pytest.mark.requirement("consolidation")
def test_two_stays_and_two_speakers_are_never_folded(desk: Desk) -> None:
    _describe(desk, "nurse", Validity(1, 1, 2, 2))
    _describe(desk, "NURSE", Validity(5, 5, 6, 6))
    assert _tidy(desk) == []


@pytest.mark.requirement("consolidation")
def test_a_question_about_what_was_said_more_of_since_is_asked_no_more(desk: Desk) -> None:
    desk.say("I am staying at the Ritz.")
    desk.now += 30 * DAY
    _tidy(desk)
    (proposed,) = _waiting(desk)
    desk.say("I am staying at the Ritz.")
    with pytest.raises(IncorrectChoiceError, match="More was said"):
        desk.memory.decide_proposal(proposed.id, "ended", desk.approver()).result()
    assert desk.objects("staysAt") == ["the Ritz"]
