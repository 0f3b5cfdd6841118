"""What was rejected or erased must not come back by itself: values as keyed digests, looked up on every path into memory.

A digest covers a space, a subject, a predicate and a value, each in the form in which all its writings are equal. A thing is
looked up by its IRI and by every name it has, since a new mention of an erased thing would have a new IRI.
"""

import json
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from typing import Any

from pyoxigraph import Literal, NamedNode

from memory.claim import Term
from memory.ids import Ids, Instant, to_datetime
from memory.keys import Keys
from memory.label import Space
from memory.lookalike import skeleton
from memory.redact import surface_forms
from memory.tables import Row
from memory.text import visible

_NUMBER = re.compile(r"[-+]?(?:\d{1,3}(?:[,'\u2019\u00a0\u202f ]\d{3})+|\d{1,30})(?:\.\d{1,30})?")
_KEPT = "+#"
_DAY = re.compile(r"(\d{4})-(\d\d)-(\d\d)(?:T.*|Z)?")
_FILLERS = frozenset("\u115f\u1160\u3164\uffa0")
"""Letters without a shape."""

ANYTHING = ""
"""In place of predicate and value: everything about a thing was erased."""


class Cause(StrEnum):
    """Why a value is refused."""

    RETRACTED = "retracted"
    REJECTED = "rejected"
    ERASED = "erased"


@dataclass(frozen=True, slots=True)
class Refused:
    """A standing refusal: its id, why, and when. What was refused is not in it."""

    id: str
    cause: Cause
    at: Instant

    def words(self) -> str:
        """Return the refusal in words."""
        how = {Cause.RETRACTED: "taken back", Cause.REJECTED: "rejected", Cause.ERASED: "erased"}[self.cause]
        return f"it was {how} on {to_datetime(self.at).date().isoformat()}"


def normal(value: str) -> str:
    """Return the form in which two writings of one value are equal.

    Compatibility form, case, accents, look-alike letters, invisible characters, spaces and punctuation make no difference; a
    number is its value, and a point of time its day.
    """
    folded = skeleton(unicodedata.normalize("NFKC", visible(value)).casefold()).strip()
    if _NUMBER.fullmatch(folded):
        return format(Decimal(re.sub(r"[^\d.-]", "", folded)).normalize(), "f")
    day = _DAY.fullmatch(folded.upper())
    if day is not None:
        return "-".join(day.groups())
    bare = unicodedata.normalize("NFD", folded)
    marks = _KEPT if any(ch.isalpha() for ch in bare) else ""
    kept = "".join(ch for ch in bare if (ch.isalnum() or ch in marks) and ch not in _FILLERS)
    return skeleton(kept) or folded


def keys_of(term: Term, names: Iterable[str]) -> tuple[str, ...]:
    """Return what a term is looked up by: a value by the normal forms of its writings, a thing by its IRI and its names."""
    if isinstance(term, Literal):
        return tuple(dict.fromkeys([normal(term.value), *map(normal, surface_forms(term)), *_in_figures(term.value)]))
    return tuple(dict.fromkeys([term.value, *(key for key in map(normal, names) if key)]))


def _in_figures(value: str) -> Iterator[str]:
    """Yield the ways to write a day in figures."""
    day = _DAY.fullmatch(value)
    if day is not None:
        year, month, number = day.groups()
        for parts in ((number, month, year), (year, month, number), (month, number, year)):
            yield "".join(parts)
            yield "".join(part.lstrip("0") for part in parts)


@dataclass(frozen=True, slots=True)
class Subject:
    """What a refusal is about: who or what, under which predicate, and the value, each by all its keys."""

    subjects: Sequence[str]
    predicate: NamedNode | None
    values: Sequence[str]

    def digests(self, keys: Keys, space: Space) -> Iterator[str]:
        """Yield the digests under which this is refused in a space."""
        predicate = ANYTHING if self.predicate is None else self.predicate.value
        for subject in self.subjects:
            for value in self.values or (ANYTHING,):
                yield keys.digest("refusal", str(space), subject, predicate, value)


@dataclass(frozen=True, slots=True)
class Refusals:
    """The refusals of a ledger."""

    execute: Callable[..., Any]
    keys: Keys

    def rows(self, ids: Ids, refused: Iterable[tuple[Space, Subject]], cause: Cause) -> list[Row]:
        """Return the rows that record refusals, each under an id of its own."""
        rows: dict[str, Row] = {}
        for space, about in refused:
            values = {"id": ids(), "space": str(space), "cause": cause.value}
            for digest in about.digests(self.keys, space):
                rows.setdefault(digest, Row("refusal", {**values, "digest": digest}))
        return list(rows.values())

    def has_any(self, spaces: Iterable[Space]) -> bool:
        """Tell whether anything at all is refused in one of the spaces."""
        sql = "SELECT 1 FROM refusal WHERE space IN (SELECT value FROM json_each(?)) LIMIT 1"
        return self.execute(sql, (json.dumps([str(space) for space in spaces]),)).fetchone() is not None

    def find(self, spaces: Iterable[Space], about: Subject) -> Refused | None:
        """Return the refusal that stands against a statement in one of the spaces, the latest, or ``None``.

        A refusal of everything about its subject or its value stands against it too.
        """
        things = Subject((*about.subjects, *about.values), None, ())
        for space in spaces:
            for digest in (*about.digests(self.keys, space), *things.digests(self.keys, space)):
                row = self.execute(
                    "SELECT r.id, r.cause, e.at FROM refusal r JOIN entry e ON e.seq = r.entry WHERE r.digest = ?"
                    " AND NOT EXISTS (SELECT 1 FROM lifted l WHERE l.refusal = r.id) ORDER BY r.entry DESC LIMIT 1",
                    (digest,),
                ).fetchone()
                if row is not None:
                    return Refused(row[0], Cause(row[1]), row[2])
        return None
