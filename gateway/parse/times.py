"""When something holds, in words: phrases of time -> four bounds, in the speaker's zone.

A phrase names a period, such as ``last week`` or ``the summer of 2021``, and how what is said lies to it: since it, until it,
from one to another, or in it. Periods are whole days, weeks (Monday first, ISO 8601), months, seasons (of the northern
hemisphere, whole months), years and decades; the width of a bound is its precision. A name of a month, season or weekday
without a year is its latest beginning before the message, since people tell what has happened.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from enum import StrEnum
from zoneinfo import ZoneInfo

from gateway.parse.dates import MONTHS, month_number
from memory.claim import Validity
from memory.ids import Instant, from_datetime, to_datetime

_DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_SEASONS = {"winter": 12, "spring": 3, "summer": 6, "autumn": 9, "fall": 9}
_NUMBERS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
_FIRST_YEAR, _LAST_YEAR = 1000, 2999
_DECEMBER = 12


class Relation(StrEnum):
    """How what is said lies to a period."""

    DURING = "during"
    SINCE = "since"
    UNTIL = "until"
    BETWEEN = "between"


@dataclass(frozen=True, slots=True)
class Period:
    """Whole days from ``start`` to before ``end``."""

    start: date
    end: date


@dataclass(frozen=True, slots=True)
class When:
    """A phrase of time that was read: its place in the text, the relation, and one period, or two for ``BETWEEN``."""

    start: int
    end: int
    relation: Relation
    period: Period
    last: Period | None = None


def today(said_at: Instant, zone: str) -> date:
    """Return the day of a message where its speaker is."""
    return to_datetime(said_at).astimezone(ZoneInfo(zone)).date()


def find_when(text: str, day: date) -> When | None:
    """Return the phrase of time that ends or begins a sentence said on a day, the longest there is."""
    for form, relation in (*_AT_END, *_AT_START):
        found = form.search(text)
        while found is not None:
            when = _when(found, relation, day)
            if when is not None:
                return when
            found = form.search(text, found.start() + 1)
    return None


def _when(found: re.Match[str], relation: Relation, day: date) -> When | None:
    if relation is Relation.BETWEEN:
        first, last = _period(found["first"], day), _period(found["last"], day)
        if first is None or last is None or last.end <= first.start or first.start > day:
            return None
        return When(found.start(), found.end(), relation, first, last)
    period = _since(found["first"], day) if relation is Relation.SINCE else _period(found["first"], day)
    to_come = period is not None and period.start > day and relation is not Relation.UNTIL
    return None if period is None or to_come else When(found.start(), found.end(), relation, period)


def validity(when: When, said_at: Instant, zone: str, *, begins: bool, happens: bool) -> Validity:
    """Return the valid time that a phrase gives to a statement.

    ``begins`` tells that the statement says how something began ("I moved to Ghent"), ``happens`` that it is an event.
    What held during a period and is told in the past has begun before that period's end and has ended by now.
    """
    first, last = _bounds(when.period, zone)
    if when.relation is Relation.BETWEEN and when.last is not None:
        earliest, latest = _bounds(when.last, zone)
        return Validity(first, last, max(earliest, first), latest, known_from=last, zone=zone)
    if when.relation is Relation.UNTIL:
        return Validity(None, first, first, last, known_from=first, zone=zone)
    if happens:
        return Validity(first, last, first, last, known_from=last, zone=zone)
    if when.relation is Relation.SINCE or begins:
        return Validity(first, min(last, said_at), known_from=min(last, said_at), zone=zone)
    return Validity(None, last, first, max(last, said_at), known_from=last, zone=zone)


def _bounds(period: Period, zone: str) -> tuple[Instant, Instant]:
    """Return the midnights, where the speaker is, at which a period begins and ends."""
    return _midnight(period.start, zone), _midnight(period.end, zone)


def _midnight(day: date, zone: str) -> Instant:
    return from_datetime(datetime.combine(day, time(), ZoneInfo(zone)))


def _period(phrase: str, day: date) -> Period | None:
    """Return the period of a phrase without its preposition, or ``None`` where it is none."""
    words = " ".join(phrase.casefold().replace("\u2019", "'").removeprefix("the ").split())
    for form, read in _PERIODS:
        found = form.fullmatch(words)
        if found is not None:
            try:
                period = read(found, day)
            except (ValueError, OverflowError):
                return None
            return period if period.start.year >= _FIRST_YEAR and period.end.year <= _LAST_YEAR else None
    return None


def _since(phrase: str, day: date) -> Period | None:
    """Return the period in which something began that has gone on since it, or for so long."""
    length = re.fullmatch(rf"(?:about |over |almost |nearly )?{_COUNT} {_UNIT}s?", phrase.casefold())
    if length is not None:
        return _period(f"{phrase} ago", day)
    return _period(phrase, day)


def _ago(found: re.Match[str], day: date) -> Period:
    word, unit = found["count"], found["unit"]
    count = int(word) if word.isdigit() else 1 if word in {"a", "an"} else 2 if "couple" in word else _NUMBERS.index(word) + 1
    return _unit(unit, day, -count)


def _unit(unit: str, day: date, steps: int) -> Period:
    """Return the day, week, month, year or decade that lies so many before (negative) or after the present one."""
    match unit:
        case "day":
            first = day + timedelta(days=steps)
            return Period(first, first + timedelta(days=1))
        case "week":
            first = day - timedelta(days=day.weekday()) + timedelta(weeks=steps)
            return Period(first, first + timedelta(weeks=1))
        case "month":
            return _months(day.year, day.month + steps, 1)
        case _:
            return _years(day.year + steps, 1)


def _months(year: int, month: int, count: int) -> Period:
    """Return whole months; a month past December is one of the next year, one before January of the year before."""
    first = year * _DECEMBER + month - 1
    last = first + count
    return Period(date(first // 12, first % 12 + 1, 1), date(last // 12, last % 12 + 1, 1))


def _years(year: int, count: int) -> Period:
    return Period(date(year, 1, 1), date(year + count, 1, 1))


def _latest(of_year: Callable[[int], Period], day: date, *, last: bool = False) -> Period:
    """Return the latest period that began by a day; where ``last``, that is also over."""
    period = of_year(day.year)
    while period.start > day or (last and period.end > day):
        period = of_year(period.start.year - 1)
    return period


def _named_month(found: re.Match[str], day: date) -> Period:
    month = month_number(found["month"])
    if found["year"]:
        return _months(int(found["year"]), month, 1)
    return _latest(lambda year: _months(year, month, 1), day, last=bool(found["last"]))


def _season(found: re.Match[str], day: date) -> Period:
    month = _SEASONS[found["season"]]
    if found["year"]:
        return _months(int(found["year"]), month, 3)
    if found["this"]:
        return _latest(lambda year: _months(year, month, 3), day)
    return _latest(lambda year: _months(year, month, 3), day, last=True)


def _weekday(found: re.Match[str], day: date) -> Period:
    back = (day.weekday() - _DAYS.index(found["weekday"])) % 7
    first = day - timedelta(days=back or (7 if found["last"] else 0))
    return Period(first, first + timedelta(days=1))


def _weekend(_found: re.Match[str], day: date) -> Period:
    first = day - timedelta(days=day.weekday() + 2)
    return Period(first, first + timedelta(days=2))


def _date(found: re.Match[str], day: date) -> Period:
    month = int(found["number"]) if found.groupdict().get("number") else month_number(found["month"])
    if found["year"]:
        first = date(int(found["year"]), month, int(found["day"]))
    else:
        first = date(day.year, month, int(found["day"]))
        if first > day:
            first = first.replace(year=day.year - 1)
    return Period(first, first + timedelta(days=1))


def _decade(found: re.Match[str], day: date) -> Period:
    year = int(found["decade"])
    if len(found["decade"]) == 2:  # noqa: PLR2004 - "the 90s"
        year += 1900 if 1900 + year > day.year - 100 and 2000 + year > day.year else 2000
    return _years(year, 10)


_MONTH = "|".join(f"{name}|{name[:3]}|{name[:4]}" for name in MONTHS)
_YEAR = r"(?:19|20)\d\d"
_COUNT = rf"(?P<count>\d{{1,2}}|an?|a couple of|{'|'.join(_NUMBERS)})"
_UNIT = r"(?P<unit>day|week|month|year)"
_READERS: tuple[tuple[str, Callable[[re.Match[str], date], Period]], ...] = (
    (rf"(?P<year>{_YEAR})", lambda found, _day: _years(int(found["year"]), 1)),
    (r"(?P<decade>\d{2}|\d{3}0)'?s", _decade),
    (r"(?P<year>\d{4})-(?P<number>\d\d)-(?P<day>\d\d)", _date),
    (rf"(?P<year>{_YEAR})-(?P<number>\d\d)", lambda found, _day: _months(int(found["year"]), int(found["number"]), 1)),
    (rf"(?P<day>\d{{1,2}})(?:st|nd|rd|th)?(?: of)? (?P<month>{_MONTH})\.?,?(?: (?P<year>{_YEAR}))?", _date),
    (rf"(?P<month>{_MONTH})\.? (?P<day>\d{{1,2}})(?:st|nd|rd|th)?,?(?: (?P<year>{_YEAR}))?", _date),
    (rf"(?P<last>last )?(?:early |mid[- ]|late )?(?P<month>{_MONTH})\.?,?(?: (?:of )?(?P<year>{_YEAR}))?", _named_month),
    (rf"(?P<this>this )?(?:last )?(?P<season>{'|'.join(_SEASONS)})(?: (?:of )?(?P<year>{_YEAR}))?", _season),
    (rf"(?P<last>last |this past )?(?P<weekday>{'|'.join(_DAYS)})", _weekday),
    (r"(?:this past |last )?weekend", _weekend),
    (r"today|this (?:morning|afternoon|evening)|tonight", lambda _found, day: _unit("day", day, 0)),
    (r"yesterday(?: morning| afternoon| evening)?|last night", lambda _found, day: _unit("day", day, -1)),
    (rf"(?:last|this past) {_UNIT}", lambda found, day: _unit(found["unit"], day, -1)),
    (rf"this {_UNIT}", lambda found, day: _unit(found["unit"], day, 0)),
    (rf"(?:about |over |almost |nearly )?{_COUNT} {_UNIT}s? (?:ago|back)", _ago),
)
_PERIODS = tuple((re.compile(form, re.ASCII), read) for form, read in _READERS)
_ABOUT = "(?:about|over|almost|nearly)"
_PHRASE = r"[\w',.\u2019 -]{3,40}?"
_AT_END: tuple[tuple[re.Pattern[str], Relation], ...] = tuple(
    (re.compile(rf",? ?\b{form}\Z", re.IGNORECASE), relation)
    for form, relation in (
        (rf"from (?P<first>{_PHRASE}) (?:to|until|till|through) (?P<last>{_PHRASE})", Relation.BETWEEN),
        (rf"between (?P<first>{_PHRASE}) and (?P<last>{_PHRASE})", Relation.BETWEEN),
        (rf"ever since (?P<first>{_PHRASE})", Relation.SINCE),
        (rf"since (?P<first>{_PHRASE})", Relation.SINCE),
        (rf"(?:for (?:the (?:last|past) )?|these past )(?P<first>(?:{_ABOUT} )?[\w ]+ (?:day|week|month|year)s?)(?: now)?",
         Relation.SINCE),
        (rf"(?:until|till|up to) (?P<first>{_PHRASE})", Relation.UNTIL),
        (rf"(?:back )?(?:in|on|during|over) (?P<first>{_PHRASE})", Relation.DURING),
        (r"(?P<first>(?:about |over |almost |nearly )?(?:\d+|an?|a couple of|\w+) (?:day|week|month|year)s? (?:ago|back))",
         Relation.DURING),
        (r"(?P<first>(?:last|this(?: past)?) \w+|yesterday(?: \w+)?|today|tonight|this \w+)", Relation.DURING),
        (rf"(?P<first>(?:last|this) (?:{_MONTH}|\w+) {_YEAR})", Relation.DURING),
    )
)  # fmt: skip
_AT_START: tuple[tuple[re.Pattern[str], Relation], ...] = tuple(
    (re.compile(rf"\A{form},? (?=(?:i|we|my|our|[A-Z])\b)", re.IGNORECASE), relation)
    for form, relation in (
        (rf"from (?P<first>{_PHRASE}) (?:to|until) (?P<last>{_PHRASE})", Relation.BETWEEN),
        (rf"(?:ever )?since (?P<first>{_PHRASE})", Relation.SINCE),
        (rf"until (?P<first>{_PHRASE})", Relation.UNTIL),
        (rf"(?:back )?(?:in|on|during) (?P<first>{_PHRASE})", Relation.DURING),
        (r"(?P<first>(?:\d+|an?|a couple of|\w+) (?:day|week|month|year)s? ago)", Relation.DURING),
        (r"(?P<first>(?:last|this) \w+|yesterday|today)", Relation.DURING),
    )
)
