"""Where a value stands in a text, whatever its writing, and the text with it blanked in place. Pure.

Blanks are as long as what they blank, so that the spans of what stays keep their offsets.
"""

import unicodedata
from collections.abc import Iterable, Sequence
from datetime import date
from functools import lru_cache

from pyoxigraph import NamedNode

from memory.claim import Span, Term
from memory.lookalike import skeleton
from memory.text import visible
from ontologies.vocab import XSD

BLANK = "\u2588"
_DATE = XSD + "date"


def occurrences(text: str, value: str) -> list[Span]:
    """Return where a value stands as whole words in a text: in any case, width, look-alike letters or spacing."""
    wanted = _folded(value)[0]
    if not wanted:
        return []
    folded, places = _folded(text)
    found: list[Span] = []
    at = folded.find(wanted)
    while at >= 0:
        end = at + len(wanted)
        if not (_joins(folded, at - 1, at) or _joins(folded, end - 1, end)):
            found.append(Span(places[at][0], places[end - 1][1]))
            at = folded.find(wanted, end)
        else:
            at = folded.find(wanted, at + 1)
    return found


def first_look(text: str) -> str:
    """Return a text as a quick look for values reads it: whatever ``occurrences`` finds in the text stands in this too."""
    return "".join(skeleton(unicodedata.normalize("NFKC", visible(text)).casefold()).split())


def blanked(text: str, spans: Iterable[Span]) -> str:
    """Return the text with the spans blanked; its length stays."""
    characters = list(text)
    for span in spans:
        for at in range(max(span.start, 0), min(span.end, len(characters))):
            if not characters[at].isspace():
                characters[at] = BLANK
    return "".join(characters)


def without(spans: Iterable[Span], kept: Iterable[Span]) -> list[Span]:
    """Return the stretches of the spans that lie in none of the kept ones, joined and in order."""
    gone = {at for span in spans for at in range(span.start, span.end)}
    gone -= {at for span in kept for at in range(span.start, span.end)}
    return _stretches(gone)


def surface_forms(term: Term) -> list[str]:
    """Return the writings in which a value may stand in a text: as it is, and dates and numbers in words."""
    if isinstance(term, NamedNode):
        return []
    forms = [term.value]
    if term.datatype.value == _DATE:
        try:
            day = date.fromisoformat(term.value[:10])
        except ValueError:
            return forms
        month = f"{day:%B}"
        forms += [f"{day.day} {month} {day.year}", f"{month} {day.day}, {day.year}"]
    return [form for form in forms if form.strip()]


def _stretches(places: set[int]) -> list[Span]:
    found: list[Span] = []
    for at in sorted(places):
        if found and found[-1].end == at:
            found[-1] = Span(found[-1].start, at + 1)
        else:
            found.append(Span(at, at + 1))
    return found


@lru_cache(maxsize=256)
def _folded(text: str) -> tuple[str, Sequence[tuple[int, int]]]:
    """Return a text as values are compared, and for each of its characters where in the text it comes from."""
    out: list[str] = []
    places: list[tuple[int, int]] = []
    for start, end in _clusters(text):
        piece = skeleton(unicodedata.normalize("NFKC", visible(text[start:end])).casefold())
        piece = " " if piece.isspace() else piece
        if piece == " " and (not out or out[-1] == " "):
            continue
        for ch in piece:
            out.append(ch)
            places.append((start, end))
    while out and out[-1] == " ":
        out.pop()
        places.pop()
    return "".join(out), places


def _clusters(text: str) -> Iterable[tuple[int, int]]:
    """Yield the stretches of base characters with the combining marks that follow them."""
    start = 0
    for at in range(1, len(text) + 1):
        if at == len(text) or not unicodedata.combining(text[at]):
            yield start, at
            start = at


def _joins(text: str, left: int, right: int) -> bool:
    """Tell whether two neighbouring characters belong to one word; there are no such words in scripts without spaces."""
    if left < 0 or right >= len(text):
        return False
    return all(ch.isalnum() and not _is_unspaced(ch) for ch in (text[left], text[right]))


def _is_unspaced(ch: str) -> bool:
    return "\u2e80" <= ch <= "\ud7af" or "\uf900" <= ch <= "\ufaff" or "\u0e00" <= ch <= "\u0fff"
