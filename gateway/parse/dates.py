"""Dates in words -> XSD literals. Only whole dates, days of a year, and years."""

import re
from datetime import date

from pyoxigraph import Literal, NamedNode

from ontologies.vocab import XSD, XSD_DATE, XSD_GMONTHDAY

MONTHS = (
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
)
_MONTH = "|".join(f"{name}|{name[:3]}" for name in MONTHS)
_FLAGS = re.IGNORECASE | re.ASCII
_FORMS = (
    re.compile(rf"(?P<day>\d{{1,2}})(?:st|nd|rd|th)?(?: of)? (?P<month>{_MONTH})\.?,?(?: (?P<year>\d{{4}}))?", _FLAGS),
    re.compile(rf"(?P<month>{_MONTH})\.? (?P<day>\d{{1,2}})(?:st|nd|rd|th)?,?(?: (?P<year>\d{{4}}))?", _FLAGS),
    re.compile(r"(?P<year>\d{4})-(?P<number>\d{2})-(?P<day>\d{2})", re.ASCII),
)
_XSD_GYEAR = NamedNode(XSD + "gYear")
_LEAP = 2000


def parse_date(words: str) -> Literal | None:
    """Return ``words`` as an ``xsd:date``, ``xsd:gMonthDay`` or ``xsd:gYear``; ``None`` where they are no date."""
    text = words.strip()
    if re.fullmatch(r"[12]\d{3}", text, re.ASCII):
        return Literal(text, datatype=_XSD_GYEAR)
    for form in _FORMS:
        found = form.fullmatch(text)
        if found:
            parts = found.groupdict()
            month = int(parts["number"]) if parts.get("number") else month_number(parts["month"])
            try:
                moment = date(int(parts["year"] or _LEAP), month, int(parts["day"]))
            except ValueError:
                return None
            if parts["year"]:
                return Literal(moment.isoformat(), datatype=XSD_DATE)
            return Literal(f"--{moment:%m-%d}", datatype=XSD_GMONTHDAY)
    return None


def in_words(literal: Literal) -> str:
    """Return a date literal in English; any other literal as it is."""
    if literal.datatype == XSD_DATE:
        moment = date.fromisoformat(literal.value)
        return f"{moment.day} {MONTHS[moment.month - 1].title()} {moment.year}"
    if literal.datatype == XSD_GMONTHDAY:
        month, day = literal.value[2:].split("-")
        return f"{int(day)} {MONTHS[int(month) - 1].title()}"
    return literal.value


def month_number(name: str) -> int:
    """Return the number of a month from its name or the first three letters of it."""
    return next(number for number, month in enumerate(MONTHS, 1) if month.startswith(name.lower()[:3]))
