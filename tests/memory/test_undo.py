"""Undo: the exact reversal of what remembering one message did, in whatever order."""

import random

import pytest

from memory.claim import Rule
from memory.errors import UnknownThingError
from tests.conftest import ANN, Desk


@pytest.mark.requirement("undo")
def test_undo_reverses_exactly_and_reopens_what_was_superseded(desk: Desk) -> None:
    desk.say("I live in Oslo.")
    before = desk.objects("livesIn"), desk.objects("residesWithin")
    source, _ = desk.say("I live in Lima.")
    assert desk.objects("livesIn") == ["Lima"]
    receipt = desk.memory.undo(source, ANN).result()
    assert receipt.undone
    assert (desk.objects("livesIn"), desk.objects("residesWithin")) == before
    desk.sound()
    with pytest.raises(UnknownThingError, match="nothing to undo"):
        desk.memory.undo(source, ANN).result()
    _, again = desk.say("I live in Lima.")
    assert again.decisions[0].rule is Rule.REPLACES  # no refusal was recorded


@pytest.mark.requirement("undo")
def test_undo_keeps_what_found_other_evidence_since(desk: Desk) -> None:
    first, _ = desk.say("I live in Oslo.")
    desk.say("I live in Oslo.")
    desk.say("Mara lives in Oslo.")
    desk.memory.undo(first, ANN).result()
    assert desk.objects("livesIn") == ["Oslo"]
    assert desk.objects("livesIn", subject=desk.entity("Mara")) == ["Oslo"]
    desk.sound()


@pytest.mark.requirement("undo", "row-5")
def test_undo_of_an_ending_and_of_a_negation(desk: Desk) -> None:
    desk.say("I live in Oslo.")
    ending, _ = desk.say("I no longer live in Oslo.")
    assert desk.objects("livesIn") == []
    desk.memory.undo(ending, ANN).result()
    assert desk.objects("livesIn") == ["Oslo"]
    negation, receipt = desk.say("I don't like olives.")
    assert receipt.decisions[0].rule is Rule.ENDED
    desk.memory.undo(negation, ANN).result()
    desk.sound()


@pytest.mark.requirement("undo")
@pytest.mark.parametrize(
    ("said", "after"),
    list[tuple[list[str], list[list[str]]]](
        [
            (["I live in Paris.", "I moved to Rome.", "I moved to Oslo."], [["Rome"], ["Paris"], []]),
            (["I live in Paris.", "I moved to Oslo.", "I no longer live in Oslo."], [["Oslo"], ["Paris"], []]),
            (["I live in Paris. I live in Rome."], [[]]),
            (["I live in Paris. I live in Rome. I moved to Paris."], [[]]),
            (["I live in Nice.", "I live in Paris. I live in Rome. I moved to Paris."], [["Nice"], []]),
            (["/private I live in Nice.", "I moved to Rome."], [["Nice"], []]),
        ]
    ),
)
def test_undo_after_undo_goes_back_one_message_at_a_time(said: list[str], after: list[list[str]], desk: Desk) -> None:
    sources = [desk.say(text)[0] for text in said]
    for source, wanted in zip(reversed(sources), after, strict=True):
        desk.memory.undo(source, ANN).result()
        assert desk.objects("livesIn") == wanted
        desk.sound()
    assert desk.memory.verify().result()["facts"] == 0


@pytest.mark.requirement("undo", "I1")
def test_undo_in_any_order_leaves_no_claim_without_evidence(desk: Desk) -> None:
    chance = random.Random(11)
    for _ in range(12):
        towns = [f"Town{chance.randrange(3)}" for _ in range(4)]
        forms = ("I live in {}.", "I no longer live in {}.", "I don't live in {}.", "I live in {}. I moved to Oslo.")
        sources = [desk.say(chance.choice(forms).format(town))[0] for town in towns]
        chance.shuffle(sources)
        for source in sources:
            desk.memory.undo(source, ANN).result()
            desk.sound()
        assert desk.objects("livesIn") == []


@pytest.mark.requirement("undo", "I1")
def test_undo_of_each_of_two_that_said_the_same_leaves_nothing(desk: Desk) -> None:
    sources = [desk.say("I live in Oslo.")[0] for _ in range(2)]
    for source in sources:
        desk.memory.undo(source, ANN).result()
        desk.sound()
    assert desk.objects("livesIn") == []


@pytest.mark.requirement("undo")
def test_undo_of_what_was_replaced_since_makes_no_second_current_value(desk: Desk) -> None:
    desk.say("I live in Lyon.")
    middle, _ = desk.say("I live in Oslo.")
    desk.say("I live in Rome.")
    desk.memory.undo(middle, ANN).result()
    assert desk.objects("livesIn") == ["Rome"]
    desk.sound()
