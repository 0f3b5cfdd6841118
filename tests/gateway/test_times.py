"""Phrases of time: periods, their relation to what is said, zones, and how EDTF writes them."""

from datetime import UTC, date, datetime

import edtf
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.parse.offline import read
from gateway.parse.times import Relation, find_when, today, validity
from memory import axes
from memory.ids import from_datetime

pytestmark = pytest.mark.requirement("times")

DAY = date(2026, 11, 30)  # a Monday
SAID = from_datetime(datetime(2026, 11, 30, 12, tzinfo=UTC))


@pytest.mark.parametrize(
    ("text", "relation", "first", "end"),
    [
        ("since last March", Relation.SINCE, (2026, 3, 1), (2026, 4, 1)),
        ("since 2014", Relation.SINCE, (2014, 1, 1), (2015, 1, 1)),
        ("ever since the summer of 2021", Relation.SINCE, (2021, 6, 1), (2021, 9, 1)),
        ("for three years", Relation.SINCE, (2023, 1, 1), (2024, 1, 1)),
        ("for the past two weeks", Relation.SINCE, (2026, 11, 16), (2026, 11, 23)),
        ("until 2019", Relation.UNTIL, (2019, 1, 1), (2020, 1, 1)),
        ("last week", Relation.DURING, (2026, 11, 23), (2026, 11, 30)),
        ("last month", Relation.DURING, (2026, 10, 1), (2026, 11, 1)),
        ("last year", Relation.DURING, (2025, 1, 1), (2026, 1, 1)),
        ("last winter", Relation.DURING, (2025, 12, 1), (2026, 3, 1)),
        ("last autumn", Relation.DURING, (2025, 9, 1), (2025, 12, 1)),
        ("this autumn", Relation.DURING, (2026, 9, 1), (2026, 12, 1)),
        ("yesterday", Relation.DURING, (2026, 11, 29), (2026, 11, 30)),
        ("last night", Relation.DURING, (2026, 11, 29), (2026, 11, 30)),
        ("on Tuesday", Relation.DURING, (2026, 11, 24), (2026, 11, 25)),
        ("last Monday", Relation.DURING, (2026, 11, 23), (2026, 11, 24)),
        ("last weekend", Relation.DURING, (2026, 11, 28), (2026, 11, 30)),
        ("in December", Relation.DURING, (2025, 12, 1), (2026, 1, 1)),
        ("in November", Relation.DURING, (2026, 11, 1), (2026, 12, 1)),
        ("back in March 2019", Relation.DURING, (2019, 3, 1), (2019, 4, 1)),
        ("on 5 May 2020", Relation.DURING, (2020, 5, 5), (2020, 5, 6)),
        ("on December 24th", Relation.DURING, (2025, 12, 24), (2025, 12, 25)),
        ("two months ago", Relation.DURING, (2026, 9, 1), (2026, 10, 1)),
        ("a couple of years ago", Relation.DURING, (2024, 1, 1), (2025, 1, 1)),
        ("in the 1990s", Relation.DURING, (1990, 1, 1), (2000, 1, 1)),
        ("in the 90s", Relation.DURING, (1990, 1, 1), (2000, 1, 1)),
        ("from 2015 to 2018", Relation.BETWEEN, (2015, 1, 1), (2016, 1, 1)),
        ("between May 2020 and June 2021", Relation.BETWEEN, (2020, 5, 1), (2020, 6, 1)),
    ],
)
def test_a_phrase_is_a_period_and_a_relation(
    text: str, relation: Relation, first: tuple[int, int, int], end: tuple[int, int, int]
) -> None:
    when = find_when(f"I was there {text}", DAY)
    assert when is not None
    assert (when.relation, when.period.start, when.period.end) == (relation, date(*first), date(*end))
    assert when.start == len("I was there")


@pytest.mark.parametrize(
    "text",
    ["I was in May Hall", "at 5", "in 99999", "on 31 June 2020", "from 2018 to 2015", "in the end", "since then", "I am 30"],
)
def test_other_words_are_no_time(text: str) -> None:
    assert find_when(f"I was there {text}", DAY) is None


@pytest.mark.parametrize(
    ("text", "begins", "happens", "written"),
    [
        ("since 2014", False, False, "2014/.."),
        ("since last March", False, False, "2026-03/.."),
        ("until 2019", False, False, "/2019"),
        ("from 2015 to 2018", False, False, "2015/2018"),
        ("in 2021", True, False, "2021/.."),
        ("on 5 May 2020", False, True, "2020-05-05/2020-05-05"),
        ("last week", False, True, "[2026-11-23..2026-11-29]/[2026-11-23..2026-11-29]"),
    ],
)
@pytest.mark.parametrize("zone", ["UTC", "Europe/Paris", "America/Santiago", "Asia/Kathmandu", "Pacific/Apia"])
def test_bounds_are_written_as_edtf_in_the_speakers_zone(text: str, begins: bool, happens: bool, written: str, zone: str) -> None:  # noqa: FBT001
    when = find_when(f"so {text}", DAY)
    assert when is not None
    found = validity(when, SAID, zone, begins=begins, happens=happens)
    assert axes.edtf(found) == written


@pytest.mark.parametrize("text", ["2014/..", "2026-03/..", "2015/2018", "2020-05-05/2020-05-05", "/2019"])
def test_what_is_written_is_edtf_to_another_reader(text: str) -> None:
    if text.startswith("/") or text.endswith(".."):  # edtf 5.0.2 cannot read an open or unknown end after a slash
        text = text.strip("/.")
    assert f"{edtf.parse_edtf(text)}" == text  # pyright: ignore[reportUnknownMemberType]


def test_days_change_at_the_speakers_midnight() -> None:
    late = from_datetime(datetime(2026, 11, 30, 23, 30, tzinfo=UTC))
    assert today(late, "Europe/Paris") == date(2026, 12, 1)
    assert today(late, "America/Lima") == date(2026, 11, 30)


def test_a_period_over_a_change_of_clocks_is_as_long_as_it_was() -> None:
    when = find_when("so on 29 March 2026", DAY)
    assert when is not None
    found = validity(when, SAID, "Europe/Paris", begins=False, happens=True)
    assert found.from_earliest is not None
    assert found.to_latest is not None
    assert found.to_latest - found.from_earliest == 23 * 3_600 * 1_000_000


@pytest.mark.requirement("offline")
def test_last_week_is_the_week_before_the_message_not_before_its_import() -> None:
    said = from_datetime(datetime(2023, 5, 24, 10, tzinfo=UTC))
    (candidate,) = read("I went to Paris last week", said, "UTC").candidates
    assert axes.edtf(candidate.validity) == "[2023-05-15..2023-05-21]/[2023-05-15..2023-05-21]"
    assert candidate.validity.zone == "UTC"


@given(st.text(max_size=60), st.dates(date(1990, 1, 1), date(2090, 1, 1)))
def test_any_text_has_a_phrase_with_ordered_bounds_or_none(text: str, day: date) -> None:
    when = find_when(text, day)
    if when is not None:
        assert when.period.start < when.period.end
        found = validity(
            when, from_datetime(datetime(day.year, day.month, day.day, tzinfo=UTC)), "UTC", begins=False, happens=False
        )
        assert axes.edtf(found)
