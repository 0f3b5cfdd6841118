from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory import axes
from memory.claim import Validity
from memory.ids import from_datetime, to_datetime

pytestmark = pytest.mark.requirement("valid-time")


def at(year: int, month: int = 1, day: int = 1) -> int:
    return from_datetime(datetime(year, month, day, tzinfo=UTC))


YEAR = Validity(at(2019), at(2020))
ENDED = Validity(None, at(2019), at(2021), at(2022))


@pytest.mark.parametrize(
    ("validity", "text"),
    [
        (Validity(), "/.."),
        (Validity(None, at(2026, 11, 30)), "/.."),
        (YEAR, "2019/.."),
        (Validity(at(2019, 3), at(2019, 4)), "2019-03/.."),
        (Validity(at(2019, 3, 4), at(2019, 3, 5)), "2019-03-04/.."),
        (Validity(at(2019), at(2021)), "[2019..2020]/.."),
        (Validity(at(2019, 2), at(2019, 4)), "[2019-02-01..2019-03-31]/.."),
        (axes.ended(YEAR, None, at(2024)), "2019/"),
        (axes.ended(YEAR, at(2023), at(2024)), "2019/2023"),
        (ENDED, "/2021"),
    ],
)
def test_valid_time_is_written_as_edtf(validity: Validity, text: str) -> None:
    assert axes.edtf(validity) == text


def test_an_unstated_start_is_unknown_and_known_to_hold_from_the_statement() -> None:
    stated = axes.stated(Validity(), at(2026))
    assert (stated.from_earliest, stated.from_latest, stated.known_from) == (None, at(2026), at(2026))
    assert axes.stated(stated, at(2030)) == stated
    assert axes.stated(YEAR, at(2026)).known_from == at(2026)


def test_it_is_known_to_hold_between_the_latest_start_and_the_earliest_end() -> None:
    assert not axes.holds_at(YEAR, "state", at(2019, 6))
    assert axes.may_hold_at(YEAR, at(2019, 6))
    assert axes.holds_at(YEAR, "state", at(2020))
    assert axes.holds_at(ENDED, "state", at(2020))
    assert not axes.holds_at(ENDED, "state", at(2021, 6))
    assert axes.may_hold_at(ENDED, at(2021, 6))
    assert not axes.may_hold_at(ENDED, at(2022))
    assert not axes.may_hold_at(YEAR, at(2018))


def test_an_event_stays_true_once_it_happened_and_a_trait_always_is() -> None:
    assert axes.holds_at(ENDED, "event", at(2025))
    assert not axes.holds_at(ENDED, "event", at(2018))
    assert axes.holds_at(ENDED, "trait", at(2018))


@given(st.integers(-(10**15), 4 * 10**15))
def test_an_instant_survives_the_way_to_a_datetime_and_back(instant: int) -> None:
    assert from_datetime(to_datetime(instant)) == instant


@given(st.tuples(*[st.integers(0, 10**16)] * 4), st.integers(0, 10**16))
def test_what_is_known_to_hold_may_hold(bounds: tuple[int, int, int, int], instant: int) -> None:
    validity = Validity(*sorted(bounds), known_from=None)
    assert not axes.holds_at(validity, "state", instant) or axes.may_hold_at(validity, instant)


@given(st.integers(0, 10**15), st.integers(0, 10**15), st.integers(0, 10**15))
def test_an_ended_validity_does_not_hold_after_its_end(start: int, earliest: int, latest: int) -> None:
    ended = axes.ended(Validity(None, start), earliest, max(start, earliest, latest))
    assert not axes.holds_at(ended, "state", max(start, earliest, latest))
