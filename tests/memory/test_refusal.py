"""Refusals: a value that was taken back, rejected or erased returns by nobody's words but a person's decision."""

import pytest

from memory.claim import Outcome, Receipt, Rule, SourceKind
from memory.label import WORLDVIEW
from memory.refusal import normal
from memory.settle import Choice
from tests.conftest import ANN, BOB, Desk


def _first(receipt: Receipt) -> tuple[Outcome, Rule]:
    return receipt.decisions[0].outcome, receipt.decisions[0].rule


@pytest.mark.requirement("I3")
@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Lima", "LIMA"),
        ("Lima", " lima. "),
        ("Lima", "Lim\u0430"),  # a Cyrillic letter
        ("Lima", "\uff2c\uff49\uff4d\uff41"),
        ("Lima", "Li\u200bma"),
        ("S\u00e3o Paulo", "Sa\u0303o  Paulo"),
        ("1,000", "1000"),
        ("1000.0", "1 000"),
        ("70", "70.00"),
        ("杭州", "杭州"),
    ],
)
def test_writings_of_one_value_are_equal(one: str, other: str) -> None:
    assert normal(one) == normal(other)


@pytest.mark.requirement("I3")
@pytest.mark.parametrize(("one", "other"), [("Lima", "Lime"), ("ASR1603", "ASR1605"), ("10", "100"), ("1.5", "15")])
def test_different_values_stay_different(one: str, other: str) -> None:
    assert normal(one) != normal(other)


@pytest.mark.requirement("I3", "row-3")
@pytest.mark.parametrize(
    "again", ["I live in Lima.", "i live in  LIMA", "I live in Lim\u0430.", "I moved to Lima.", "I no longer live in Lima."]
)
def test_what_was_retracted_is_held_for_its_person_in_any_writing(again: str, desk: Desk) -> None:
    desk.say("I live in Lima.")
    desk.retract(desk.claim("livesIn", "Lima"))
    receipt = desk.say(again)[1]
    assert _first(receipt) == (Outcome.HELD, Rule.REFUSED_BEFORE)
    assert "taken back" in receipt.decisions[0].reason
    assert desk.objects("livesIn") == []
    desk.sound()


@pytest.mark.requirement("I3", "row-3")
@pytest.mark.parametrize("kind", [SourceKind.DOCUMENT, SourceKind.FORWARD, SourceKind.TOOL])
def test_a_document_or_tool_that_says_it_again_is_refused(kind: SourceKind, desk: Desk) -> None:
    desk.say("Mara lives in Lima.")
    with desk.memory.reading() as reads:
        claims = reads.claims(desk.clearance(), subject=desk.entity("Mara"))
    home = next(claim.id for claim in claims if claim.predicate.value.endswith("livesIn"))
    desk.retract(home)
    receipt = desk.say("Mara lives in Lima.", kind=kind)[1]
    assert _first(receipt) == (Outcome.REFUSED, Rule.REFUSED_BEFORE)


@pytest.mark.requirement("I3")
def test_the_same_value_in_another_space_is_no_concern(desk: Desk) -> None:
    desk.say("I live in Lima.")
    desk.retract(desk.claim("livesIn", "Lima"))
    assert _first(desk.say("I live in Lima.", by=BOB, owner=False)[1]) == (Outcome.ADMITTED, Rule.NEW)


@pytest.mark.requirement("I3", "row-3")
def test_a_person_may_believe_it_again_and_then_it_stays(desk: Desk) -> None:
    desk.say("I live in Lima.")
    desk.retract(desk.claim("livesIn", "Lima"))
    desk.say("I live in Lima.")
    with desk.memory.reading() as reads:
        (waiting,) = reads.waiting_anywhere()
    settled = desk.memory.settle(waiting.id, Choice.ACCEPT, desk.approver()).result()
    assert settled.version is not None
    assert desk.objects("livesIn") == ["Lima"]
    assert _first(desk.say("I live in Lima.")[1]) == (Outcome.ADMITTED, Rule.KNOWN)
    desk.sound()


@pytest.mark.requirement("I3")
def test_a_rejected_candidate_is_refused_from_then_on(desk: Desk) -> None:
    desk.say("I live in Lima.")
    desk.retract(desk.claim("livesIn", "Lima"))
    desk.say("I live in Lima.")
    with desk.memory.reading() as reads:
        (waiting,) = reads.waiting_anywhere()
    desk.memory.settle(waiting.id, Choice.REJECT, desk.approver()).result()
    with desk.memory.reading() as reads:
        assert reads.waiting_anywhere() == []
    assert _first(desk.say("I live in Lima.")[1]) == (Outcome.HELD, Rule.REFUSED_BEFORE)


@pytest.mark.requirement("I3")
def test_a_refusal_outlives_a_restart_and_an_undo(desk: Desk) -> None:
    source, _ = desk.say("I live in Lima.")
    desk.retract(desk.claim("livesIn", "Lima"))
    desk.memory.undo(source, ANN).result()
    desk.reopen()
    assert _first(desk.say("I live in Lima.")[1]) == (Outcome.HELD, Rule.REFUSED_BEFORE)
    desk.sound()


@pytest.mark.requirement("I3")
def test_a_refusal_in_the_own_space_stands_against_telling_everyone(desk: Desk) -> None:
    desk.say("Lyon is a city in France.")
    with desk.memory.reading() as reads:
        claims = reads.claims(desk.clearance(), subject=desk.entity("Lyon"))
    told = next(claim for claim in claims if claim.predicate.value.endswith("inCountry"))
    assert told.label.space == WORLDVIEW
    desk.retract(told.id)
    assert _first(desk.say("Lyon is a city in France.")[1])[1] is Rule.REFUSED_BEFORE
