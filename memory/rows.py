"""Rows of the ledger: the columns that a read asks for, what a row is made into, and the live claims under every label."""

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from pyoxigraph import NamedNode

from memory.claim import (
    Claim,
    Evidence,
    Rule,
    Span,
    Term,
    Validity,
)
from memory.ids import Instant
from memory.label import Clearance, Label, parse_label
from memory.tables import CLAIM_COLUMNS
from memory.terms import named, parse_term
from memory.transact import Fact

_LAST_SAID = (
    "(SELECT max(source.said_at) FROM evidence JOIN source ON source.id = evidence.source WHERE evidence.claim = c.claim)"
)
_VERSION = ", ".join(f"c.{name}" for name in CLAIM_COLUMNS)
CLAIM_SQL = f"{_VERSION}, {_LAST_SAID}"
CLOSED_SQL = f"{CLAIM_SQL}, c.transaction_to, c.closing_entry, c.reason, c.was = 'negative_claim'"
VERSION_SQL = f"{_VERSION}, NULL"
"""The columns of a claim version for ``claim_of``, without when it was last said."""

_SOURCE_COLUMN = CLAIM_COLUMNS.index("source")
SOURCE_LABEL_SQL = "(SELECT label FROM source_label WHERE source = s.id ORDER BY entry DESC LIMIT 1)"


EVIDENCE_SQL = (
    "SELECT s.id, e.span_start, e.span_end, substr(s.body, e.span_start + 1, e.span_end - e.span_start), s.speaker, s.said_at,"
    f" {SOURCE_LABEL_SQL} FROM evidence e JOIN source s ON s.id = e.source WHERE e.claim = ?1"
)
"""The columns of evidence for ``evidence_of``, of one claim."""


class Version(NamedTuple):
    """A claim version with the end of its belief, which is ``None`` while it is believed; ``negative`` for a denial."""

    claim: Claim
    transaction_to: Instant | None
    negative: bool


class Standing(NamedTuple):
    """A claim version with the table it is in, when and by which entry it was closed, and why; for acts on claims."""

    table: str
    claim: Claim
    transaction_to: Instant | None
    closing_entry: int | None
    reason: str
    negative: bool = False


class Cited(NamedTuple):
    """A piece of evidence, withdrawn ones included: the claim, the source, the span, and the entries that cited and withdrew."""

    claim: str
    source: str
    span: Span
    entry: int
    withdrawing_entry: int | None


class Waiting(NamedTuple):
    """A candidate that waits for a person: what was read, why it waits, and the claim versions that stand against it."""

    id: str
    source: str
    ordinal: int
    label: Label
    subject: NamedNode
    subject_text: str
    predicate: NamedNode
    object: Term
    object_text: str
    polarity: str
    present: bool
    validity: Validity
    speaker: str
    wording: str
    span: Span
    against: tuple[str, ...]
    rule: Rule
    reason: str
    entry: int


class Doubt(NamedTuple):
    """Two things whose names look alike, noticed in a source; a person decides whether they are one."""

    id: str
    label: Label
    first: NamedNode
    second: NamedNode
    source: str


class Proposed(NamedTuple):
    """What consolidation proposed: its kind, the claims or the document that it is about, and the entry that settled it."""

    id: str
    kind: str
    about: tuple[str, ...]
    label: Label
    at: Instant
    settled: int | None = None


class Document(NamedTuple):
    """An entry of the full text: a claim version (``claim``) or a source (``passage``, ``question``), and its label."""

    kind: str
    ref: str
    label: Label


class Passage(NamedTuple):
    """A source as recall places it: in its conversation, at its time."""

    id: str
    conversation: str
    space: str
    said_at: Instant
    speaker: str


class Named(NamedTuple):
    """An entity, with the label and the id of the claim that names it."""

    entity: NamedNode
    label: Label
    claim: str


def live_claims_of(
    execute: Callable[..., Any], versions: Sequence[str] = (), *, fact: Fact | None = None
) -> list[tuple[Claim, str]]:
    """Return live claims, by version or by the triple and label they say, each with its first source."""
    if fact is not None:
        where = "c.subject = ? AND c.predicate = ? AND c.object = ? AND c.label = ?"
        parameters = [*map(str, fact.triple), str(fact.label)]
    else:
        where, parameters = f"c.version IN ({', '.join('?' * len(versions))})", list(versions)
    rows = execute(f"SELECT {CLAIM_SQL} FROM live_claim c WHERE {where}", parameters)
    return [(claim_of(row), row[_SOURCE_COLUMN]) for row in rows]


def every_live_claim(execute: Callable[..., Any]) -> Iterator[tuple[Claim, str]]:
    """Yield every live claim with its first source."""
    rows = execute(f"SELECT {CLAIM_SQL} FROM live_claim c ORDER BY c.version")
    return ((claim_of(row), row[_SOURCE_COLUMN]) for row in rows)


def pattern(subject: NamedNode | None, predicates: Sequence[NamedNode], object_: Term | None) -> tuple[str, list[str]]:
    """Return the SQL condition on a claim for a triple pattern, with its parameters."""
    conditions: list[str] = []
    parameters: list[str] = []
    if subject is not None:
        conditions.append("c.subject = ?")
        parameters.append(str(subject))
    if predicates:
        conditions.append(f"c.predicate IN ({', '.join('?' * len(predicates))})")
        parameters += map(str, predicates)
    if object_ is not None:
        conditions.append("c.object = ?")
        parameters.append(str(object_))
    if not conditions:
        message = "a claim pattern without a subject, predicate or object"
        raise ValueError(message)
    return " AND ".join(conditions), parameters


def waiting_of(row: Sequence[Any]) -> Waiting:
    """Return the candidate of a row of ``pending``."""
    (id_, source, ordinal, label, subject, subject_text, predicate, object_, object_text, polarity, present, speaker,
     wording, start, end, against, rule, reason, entry, *bounds) = row  # fmt: skip
    return Waiting(
        id_, source, ordinal, parse_label(label), named(subject), subject_text, named(predicate), parse_term(object_),
        object_text, polarity, bool(present), Validity(*bounds), speaker, wording, Span(start, end),
        tuple(json.loads(against)), Rule(rule), reason, entry,
    )  # fmt: skip


def evidence_of(clearance: Clearance, rows: Iterable[Sequence[Any]]) -> list[Evidence]:
    """Return the evidence of rows whose source the reader may see."""
    return [
        Evidence(id_, Span(start, end), quote, speaker, said_at)
        for id_, start, end, quote, speaker, said_at, label in rows
        if parse_label(label) in clearance
    ]


def claim_of(row: Iterable[Any]) -> Claim:
    """Return the claim version of a row."""
    (
        version, claim, entry, _source, label, subject, predicate, object_, _key, from_earliest, from_latest, to_earliest,
        to_latest, known_from, zone, speaker, wording, transaction_from, last_said, *_rest,
    ) = row  # fmt: skip
    return Claim(
        version,
        claim,
        named(subject),
        named(predicate),
        parse_term(object_),
        parse_label(label),
        Validity(from_earliest, from_latest, to_earliest, to_latest, known_from, zone),
        speaker,
        wording,
        transaction_from,
        entry,
        transaction_from if last_said is None else last_said,
    )
