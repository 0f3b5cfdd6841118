"""Valid times in admission: the past beside the present, starts and ends that are told, and saying it again."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory import axes
from memory.claim import Outcome, Rule, Validity
from memory.entities import person
from ontologies.vocab import term
from tests.conftest import ANN, Desk

pytestmark = pytest.mark.requirement("valid-time")


def held(desk: Desk, predicate: str) -> list[str]:
    with desk.memory.reading() as reads:
        claims = reads.claims(desk.clearance(), subject=person(ANN), predicates=(term(predicate),))
        return [axes.edtf(claim.validity) for claim in claims]


def test_a_past_home_stands_beside_the_present_one_and_is_no_fact_now(desk: Desk) -> None:
    desk.say("I live in Leeds.")
    _, receipt = desk.say("I lived in Accra from 2015 to 2018.")
    assert receipt.decisions[0].rule is Rule.NEW
    assert held(desk, "livesIn") == ["/..", "2015/2018"]
    assert desk.objects("livesIn") == ["Leeds"]


def test_another_home_in_the_same_years_is_a_conflict(desk: Desk) -> None:
    desk.say("I've lived in Leeds since 2010.")
    _, receipt = desk.say("I lived in Accra from 2012 to 2014.")
    assert (receipt.decisions[0].outcome, receipt.decisions[0].rule) == (Outcome.HELD, Rule.CONFLICT)


@pytest.mark.requirement("row-6", "scenarios")
def test_a_past_fact_said_twice_is_one_claim_with_two_pieces_of_evidence(desk: Desk) -> None:
    desk.say("I lived in Oslo in 2015.")
    _, receipt = desk.say("I lived in Oslo in 2015.")
    assert receipt.decisions[0].rule is Rule.KNOWN
    assert len(held(desk, "livesIn")) == 1


@pytest.mark.requirement("undo")
def test_a_start_that_is_told_later_is_kept_and_undone(desk: Desk) -> None:
    desk.say("I live in Leeds.")
    source, _ = desk.say("I've lived in Leeds since 2014.")
    assert held(desk, "livesIn") == ["2014/.."]
    desk.memory.undo(source, ANN).result()
    assert held(desk, "livesIn") == ["/.."]


@pytest.mark.requirement("row-8")
def test_an_end_before_what_was_said_to_hold_waits(desk: Desk) -> None:
    desk.say("I work at Siemens.")
    _, receipt = desk.say("I quit my job at Siemens in 2020.")
    assert receipt.decisions[0].outcome is Outcome.HELD
    assert desk.objects("worksAt") == ["Siemens"]


bounds = st.none() | st.integers(0, 10)


@given(bounds, bounds, st.integers(0, 10))
def test_an_end_is_never_before_the_start(start: int | None, earliest: int | None, latest: int) -> None:
    ended = axes.ended(Validity(start, start), earliest, latest)
    assert ended.to_latest is not None
    assert start is None or start <= ended.to_latest
    assert ended.to_earliest is None or ended.to_earliest <= ended.to_latest


@given(st.tuples(*[st.integers(0, 9)] * 4), st.tuples(*[st.integers(0, 9)] * 4))
def test_overlap_is_symmetric_and_means_a_common_instant(left: tuple[int, ...], right: tuple[int, ...]) -> None:
    first, second = (Validity(*sorted(given)) for given in (left, right))  # type: ignore[arg-type]
    assert axes.overlap(first, second) == axes.overlap(second, first)
    common = any(axes.holds_at(first, "state", at) and axes.holds_at(second, "state", at) for at in range(10))
    assert not common or axes.overlap(first, second)
