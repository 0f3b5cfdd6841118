"""The ledger's tables. A status is which table a thing is in, so that a forgotten condition hides rather than leaks.

The chain covers every row of a *covered* table: it is part of the digest of the entry that wrote it. Index rows and redo
rows are not covered, since they are derived from what is.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

Scalar: TypeAlias = str | int | None
Encoded: TypeAlias = tuple[Scalar, ...]
"""A table's name and the values of a row."""

SCHEMA_VERSION = 4

_to_json = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


@dataclass(frozen=True, slots=True)
class Table:
    """A table: its columns with their types, what follows them, its indexes, and whether rows lie in its primary key.

    Every covered table has a column ``entry``, the ledger entry that wrote the row. It is no foreign key: verification checks
    it, and SQLite would look through every table at each new entry.
    """

    name: str
    columns: Mapping[str, str]
    constraints: str = ""
    indexes: Sequence[str] = ()
    clustered: bool = False

    def ddl(self) -> list[str]:
        """Return the statements that make the table and its indexes."""
        body = ", ".join(f"{name} {type_}" for name, type_ in self.columns.items())
        tail = f", {self.constraints}" if self.constraints else ""
        options = "STRICT, WITHOUT ROWID" if self.clustered else "STRICT"
        return [f"CREATE TABLE {self.name} ({body}{tail}) {options}", *self.indexes]


@dataclass(frozen=True, slots=True)
class Row:
    """A row to insert into a covered table; the column ``entry`` is filled in by the transaction."""

    table: str
    values: Mapping[str, Scalar]


_VALIDITY = {
    "from_earliest": "INTEGER",
    "from_latest": "INTEGER",
    "to_earliest": "INTEGER",
    "to_latest": "INTEGER",
    "known_from": "INTEGER",
    "valid_zone": "TEXT NOT NULL",
}
_CLAIM = {
    "version": "TEXT PRIMARY KEY",
    "claim": "TEXT NOT NULL",
    "entry": "INTEGER NOT NULL",
    "source": "TEXT NOT NULL",
    "label": "TEXT NOT NULL",
    "subject": "TEXT NOT NULL",
    "predicate": "TEXT NOT NULL",
    "object": "TEXT NOT NULL",
    "name_key": "TEXT",
    **_VALIDITY,
    "speaker": "TEXT NOT NULL",
    "wording": "TEXT NOT NULL",
    "transaction_from": "INTEGER NOT NULL",
}
VALIDITY_COLUMNS = tuple(_VALIDITY)
CLAIM_COLUMNS = tuple(_CLAIM)
CLOSING_COLUMNS = ("version", "transaction_to", "closing_entry", "reason")
_ENTRY = "INTEGER NOT NULL"
_EVIDENCE = {
    "claim": "TEXT NOT NULL",
    "source": "TEXT NOT NULL",
    "span_start": "INTEGER NOT NULL",
    "span_end": "INTEGER NOT NULL",
    "entry": _ENTRY,
    "wording": "TEXT NOT NULL",
}
EVIDENCE_KEY = "claim, source, span_start, span_end"

ENTRY = Table(
    "entry",
    {
        "seq": "INTEGER PRIMARY KEY",
        "at": "INTEGER NOT NULL",
        "actor": "TEXT NOT NULL",
        "judge": "TEXT NOT NULL",
        "kind": "TEXT NOT NULL",
        "subjects": "TEXT NOT NULL",
        "digest": "BLOB NOT NULL",
        "prev_hash": "BLOB NOT NULL",
        "hash": "BLOB NOT NULL",
    },
    indexes=(
        "CREATE TRIGGER entry_is_kept BEFORE DELETE ON entry BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END",
        "CREATE TRIGGER entry_is_fixed BEFORE UPDATE ON entry BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END",
    ),
)

COVERED = (
    Table(
        "source",
        {
            "id": "TEXT PRIMARY KEY",
            "entry": _ENTRY,
            "conversation": "TEXT NOT NULL",
            "space": "TEXT NOT NULL",
            "kind": "TEXT NOT NULL",
            "speaker": "TEXT NOT NULL",
            "said_at": "INTEGER NOT NULL",
            "zone": "TEXT NOT NULL",
            "body": "TEXT NOT NULL",
        },
        indexes=("CREATE INDEX source_by_conversation ON source (conversation, said_at)",),
        clustered=True,
    ),
    Table(
        "source_label",
        {"source": "TEXT NOT NULL REFERENCES source", "entry": _ENTRY, "label": "TEXT NOT NULL"},
        "PRIMARY KEY (source, entry)",
        clustered=True,
    ),
    Table(
        "reading",
        {
            "source": "TEXT PRIMARY KEY REFERENCES source",
            "entry": _ENTRY,
            "parser": "TEXT NOT NULL",
            "questions": "TEXT NOT NULL",
            "unread": "INTEGER NOT NULL",
            "confirms": "TEXT NOT NULL",
        },
        clustered=True,
    ),
    Table(
        "decision",
        {
            "source": "TEXT NOT NULL REFERENCES source",
            "ordinal": "INTEGER NOT NULL",
            "entry": _ENTRY,
            "outcome": "TEXT NOT NULL",
            "rule": "INTEGER NOT NULL",
            "reason": "TEXT NOT NULL",
            "span_start": "INTEGER NOT NULL",
            "span_end": "INTEGER NOT NULL",
            "predicate": "TEXT",
            "version": "TEXT",
        },
        "PRIMARY KEY (source, ordinal)",
        clustered=True,
    ),
    Table(
        "live_claim",
        _CLAIM,
        indexes=(
            "CREATE INDEX live_claim_by_subject ON live_claim (subject, predicate)",
            "CREATE INDEX live_claim_by_object ON live_claim (object)",
            "CREATE INDEX live_claim_by_name ON live_claim (name_key) WHERE name_key IS NOT NULL",
            "CREATE INDEX live_claim_by_claim ON live_claim (claim)",
        ),
        clustered=True,
    ),
    Table(
        "negative_claim",
        _CLAIM,
        indexes=(
            "CREATE INDEX negative_claim_by_subject ON negative_claim (subject, predicate)",
            "CREATE INDEX negative_claim_by_object ON negative_claim (object)",
            "CREATE INDEX negative_claim_by_claim ON negative_claim (claim)",
        ),
    ),
    Table(
        "closed_claim",
        {
            **_CLAIM,
            "was": "TEXT NOT NULL",
            "transaction_to": "INTEGER NOT NULL",
            "closing_entry": _ENTRY,
            "reason": "TEXT NOT NULL",
        },
        indexes=(
            "CREATE INDEX closed_claim_by_subject ON closed_claim (subject, predicate)",
            "CREATE INDEX closed_claim_by_claim ON closed_claim (claim)",
            "CREATE INDEX closed_claim_by_object ON closed_claim (object)",
            "CREATE INDEX closed_claim_by_name ON closed_claim (name_key) WHERE name_key IS NOT NULL",
        ),
    ),
    Table(
        "evidence",
        _EVIDENCE,
        f"PRIMARY KEY ({EVIDENCE_KEY})",
        ("CREATE INDEX evidence_by_source ON evidence (source)",),
        clustered=True,
    ),
    Table(
        "withdrawn_evidence",
        {**_EVIDENCE, "withdrawing_entry": _ENTRY},
        f"PRIMARY KEY ({EVIDENCE_KEY}, withdrawing_entry)",
        clustered=True,
    ),
    Table(
        "pending",
        {
            "id": "TEXT PRIMARY KEY",
            "entry": _ENTRY,
            "source": "TEXT NOT NULL REFERENCES source",
            "ordinal": "INTEGER NOT NULL",
            "label": "TEXT NOT NULL",
            "subject": "TEXT NOT NULL",
            "subject_text": "TEXT NOT NULL",
            "predicate": "TEXT NOT NULL",
            "object": "TEXT NOT NULL",
            "object_text": "TEXT NOT NULL",
            "polarity": "TEXT NOT NULL",
            "present": "INTEGER NOT NULL",
            **_VALIDITY,
            "speaker": "TEXT NOT NULL",
            "wording": "TEXT NOT NULL",
            "span_start": "INTEGER NOT NULL",
            "span_end": "INTEGER NOT NULL",
            "against": "TEXT NOT NULL",
            "rule": "INTEGER NOT NULL",
            "reason": "TEXT NOT NULL",
        },
    ),
    Table("undone", {"source": "TEXT PRIMARY KEY REFERENCES source", "entry": _ENTRY}),
    Table(
        "settled",
        {"pending": "TEXT PRIMARY KEY", "entry": _ENTRY, "choice": "TEXT NOT NULL", "version": "TEXT"},
        indexes=("CREATE INDEX settled_by_version ON settled (version) WHERE version IS NOT NULL",),
    ),
    Table(
        "told",
        {"item": "TEXT NOT NULL", "source": "TEXT NOT NULL", "entry": _ENTRY},
        "PRIMARY KEY (item, source)",
        clustered=True,
    ),
    Table(
        "refusal",
        {"digest": "TEXT NOT NULL", "entry": _ENTRY, "id": "TEXT NOT NULL", "space": "TEXT NOT NULL", "cause": "TEXT NOT NULL"},
        "PRIMARY KEY (digest, entry)",
        ("CREATE INDEX refusal_by_space ON refusal (space)",),
        clustered=True,
    ),
    Table(
        "document",
        {
            "id": "TEXT PRIMARY KEY",
            "entry": _ENTRY,
            "space": "TEXT NOT NULL",
            "name": "TEXT NOT NULL",
            "digest": "TEXT NOT NULL",
        },
        indexes=("CREATE INDEX document_by_name ON document (space, name)",),
    ),
    Table(
        "document_event",
        {"document": "TEXT NOT NULL REFERENCES document", "entry": _ENTRY, "kind": "TEXT NOT NULL"},
        "PRIMARY KEY (document, entry)",
    ),
    Table(
        "passage",
        {
            "source": "TEXT PRIMARY KEY REFERENCES source",
            "entry": _ENTRY,
            "document": "TEXT NOT NULL REFERENCES document",
            "start": "INTEGER NOT NULL",
        },
        indexes=("CREATE INDEX passage_by_document ON passage (document)",),
    ),
    Table(
        "merge",
        {
            "id": "TEXT PRIMARY KEY",
            "entry": _ENTRY,
            "person": "TEXT NOT NULL",
            "kept": "TEXT NOT NULL",
            "gone": "TEXT NOT NULL",
        },
    ),
    Table("unmerged", {"merge": "TEXT PRIMARY KEY", "entry": _ENTRY}),
    Table(
        "alike",
        {
            "id": "TEXT PRIMARY KEY",
            "entry": _ENTRY,
            "label": "TEXT NOT NULL",
            "first": "TEXT NOT NULL",
            "second": "TEXT NOT NULL",
            "source": "TEXT NOT NULL",
        },
    ),
    Table(
        "proposal",
        {
            "id": "TEXT PRIMARY KEY",
            "entry": _ENTRY,
            "label": "TEXT NOT NULL",
            "kind": "TEXT NOT NULL",
            "about": "TEXT NOT NULL",
        },
        indexes=("CREATE INDEX proposal_by_about ON proposal (about)",),
    ),
    Table(
        "axioms",
        {"id": "TEXT PRIMARY KEY", "entry": _ENTRY, "person": "TEXT NOT NULL", "turtle": "TEXT NOT NULL"},
    ),
    Table(
        "axioms_event",
        {"axioms": "TEXT NOT NULL REFERENCES axioms", "entry": _ENTRY, "kind": "TEXT NOT NULL"},
        "PRIMARY KEY (axioms, entry)",
        clustered=True,
    ),
    Table("lifted", {"refusal": "TEXT PRIMARY KEY", "entry": _ENTRY}),
    Table(
        "erasure",
        {"id": "TEXT PRIMARY KEY", "entry": _ENTRY, "person": "TEXT NOT NULL", "summary": "TEXT NOT NULL"},
    ),
    Table("receipt", {"erasure": "TEXT PRIMARY KEY REFERENCES erasure", "entry": _ENTRY, "body": "TEXT NOT NULL"}),
    Table(
        "resealed",
        {"sealed": "INTEGER NOT NULL", "entry": _ENTRY, "digest": "TEXT NOT NULL"},
        "PRIMARY KEY (sealed, entry)",
        clustered=True,
    ),
    Table(
        "membership",
        {
            "team": "TEXT NOT NULL",
            "person": "TEXT NOT NULL",
            "entry": _ENTRY,
            "present": "INTEGER NOT NULL",
        },
        "PRIMARY KEY (team, person, entry)",
    ),
)

DERIVED = (
    Table("meta", {"key": "TEXT PRIMARY KEY", "value": "TEXT NOT NULL"}),
    Table("entry_key", {"entry": "INTEGER PRIMARY KEY", "key": "BLOB NOT NULL"}),
    Table(
        "redo",
        {"entry": "INTEGER PRIMARY KEY", "removed": "TEXT NOT NULL", "added": "TEXT NOT NULL", "digest": "TEXT NOT NULL"},
    ),
    Table("name_form", {"form": "TEXT NOT NULL", "claim": "TEXT NOT NULL"}, "PRIMARY KEY (form, claim)", clustered=True),
    Table("due", {"at": "INTEGER NOT NULL", "version": "TEXT NOT NULL"}, "PRIMARY KEY (at, version)", clustered=True),
    Table(
        "text_index",
        {
            "label": "TEXT PRIMARY KEY",
            "number": "INTEGER NOT NULL UNIQUE",
            "documents": "INTEGER NOT NULL",
            "size": "INTEGER NOT NULL",
        },
    ),
)


def encode(rows: Iterable[Encoded]) -> bytes:
    """Return rows as the digest reads them: a JSON array of arrays, each a table's name and the values of its columns.

    They are ordered by table and their first four columns, which are unique within an entry in every table.
    """
    return _to_json(sorted(rows, key=_place)).encode()


def _place(row: Encoded) -> tuple[str, ...]:
    return tuple(map(str, row[:5]))
