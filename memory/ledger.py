"""The ledger: append-only entries in a hash chain, and the rows each entry covers.

An entry's digest is an HMAC over every covered row that its transaction wrote, under a random key of its own. Destroying
that key with the content lets the chain still verify while nothing erased can be guessed against it.
"""

import hashlib
import hmac
import json
import secrets
from collections import defaultdict
from collections.abc import Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from memory._sqlite import Connection, append_only, open_database, translated
from memory.errors import DamagedLedgerError, ForeignDataError
from memory.ids import Instant
from memory.label import parse_label
from memory.tables import (
    CLAIM_COLUMNS,
    CLOSING_COLUMNS,
    COVERED,
    DERIVED,
    ENTRY,
    EVIDENCE_KEY,
    SCHEMA_VERSION,
    Encoded,
    Row,
    Scalar,
    Table,
    encode,
)

GENESIS = bytes(32)
CHECKED_AT_START = 1_000
"""Entries at the end of the chain whose links are checked at each start."""

ENTRIES = "SELECT seq, at, actor, judge, kind, subjects, digest, prev_hash, hash FROM entry ORDER BY seq"
# The terms are ours (``memory.text.terms``); the tokenizer only cuts them at the spaces between.
_FTS = (
    "CREATE VIRTUAL TABLE {name} USING fts5(body, kind UNINDEXED, ref UNINDEXED, size UNINDEXED, entry UNINDEXED,"
    " tokenize=\"unicode61 remove_diacritics 0 categories 'L* N* M* Co Cn'\")"
)


@dataclass(frozen=True, slots=True)
class Author:
    """Who caused an entry and whose judgement it was: a person's id, ``rule:<n>`` or ``engine``. Never conflated."""

    actor: str
    judge: str
    kind: str


@dataclass(frozen=True, slots=True)
class Head:
    """The last entry of the chain."""

    seq: int
    hash: bytes
    at: Instant = 0


class Transaction:
    """One entry being written: its rows go in as they are decided, so later reads in it see them."""

    def __init__(self, ledger: "Ledger", seq: int, at: Instant) -> None:
        """Begin an entry; only ``Ledger.entry`` calls this."""
        self._ledger = ledger
        self.seq, self.at = seq, at
        self.subjects: dict[str, None] = {}
        self._covered: list[Encoded] = []

    def insert(self, row: Row) -> None:
        """Insert a row of a covered table."""
        columns, sql = self._ledger.inserts[row.table]
        given = row.values
        values = tuple([self.seq if column == "entry" else given[column] for column in columns])
        self._ledger.execute(sql, values)
        self._covered.append((row.table, *values))

    def close(self, version: str, reason: str, *, table: str = "live_claim") -> None:
        """Move a claim version from ``live_claim`` or ``negative_claim`` to ``closed_claim``."""
        columns = ", ".join(CLAIM_COLUMNS)
        closing = (version, self.at, self.seq, reason)
        moved = self._ledger.execute(
            f"INSERT INTO closed_claim ({columns}, was, transaction_to, closing_entry, reason)"
            f" SELECT {columns}, ?, ?, ?, ? FROM {table} WHERE version = ?",
            (table, *closing[1:], version),
        ).rowcount
        if moved != 1:
            message = f"claim version {version} is not live"
            raise LookupError(message)
        self._ledger.execute(f"DELETE FROM {table} WHERE version = ?", (version,))
        self._covered.append(("closing", *closing))

    def withdraw_evidence(self, source: str, entry: int = 0) -> None:
        """Move the evidence in a source, or what of it an entry wrote, to ``withdrawn_evidence``."""
        which, where = "source = ?1 AND (?2 = 0 OR entry = ?2)", (source, entry)
        found = self.execute(f"SELECT {EVIDENCE_KEY} FROM evidence WHERE {which}", where).fetchall()
        self.execute(f"INSERT INTO withdrawn_evidence SELECT *, ?3 FROM evidence WHERE {which}", (*where, self.seq))
        self.execute(f"DELETE FROM evidence WHERE {which}", where)
        self._covered += [("withdrawal", *key, self.seq) for key in found]

    def destroy(self, table: str, where: str, parameters: Sequence[Any]) -> int:
        """Destroy rows of a covered table; ``reseal`` has to follow for the entries that wrote them. Returns how many."""
        return self.execute(f"DELETE FROM {table} WHERE {where}", parameters).rowcount

    def unindex(self, refs: Iterable[str]) -> dict[str, list[tuple[str, str, int]]]:
        """Remove claims and sources from the full text, by version and by source; return label, kind and entry of each."""
        wanted = json.dumps(list(refs))
        places: dict[str, list[tuple[str, str, int]]] = defaultdict(list)
        for label, number in self.execute("SELECT label, number FROM text_index").fetchall():
            found = self.execute(
                f"SELECT rowid, size, kind, ref, entry FROM text_{int(number)} WHERE ref IN (SELECT value FROM json_each(?))",
                (wanted,),
            ).fetchall()
            for rowid, size, kind, ref, entry in found:
                places[ref].append((label, kind, entry))
                self.execute(f"DELETE FROM text_{int(number)} WHERE rowid = ?", (rowid,))
                self.execute("UPDATE text_index SET documents = documents - 1, size = size - ? WHERE label = ?", (size, label))
        return places

    def reseal(self, entries: Iterable[int]) -> None:
        """Cover anew what is left of entries from which rows were destroyed, each under a new key; the old keys are destroyed.

        The digest in the chain stays as it was and can be tested against nothing any more.
        """
        sealed = sorted(set(entries) - {self.seq})
        rows = _Gathered(self._ledger, sealed)
        for seq in sealed:
            key = secrets.token_bytes(32)
            self.execute("UPDATE entry_key SET key = ? WHERE entry = ?", (key, seq))
            self.insert(Row("resealed", {"sealed": seq, "digest": _digest(key, rows.of(seq)).hex()}))

    def index(self, label: str, kind: str, ref: str, terms: Sequence[str], entry: int = 0) -> None:
        """Add the terms of a text to the full-text table of its label, as of an entry (this one), and count it there."""
        body = " ".join(terms)
        self._ledger.execute(
            f"INSERT INTO {self._ledger.text_table(label)} (body, kind, ref, size, entry) VALUES (?, ?, ?, ?, ?)",
            (body, kind, ref, len(terms), entry or self.seq),
        )
        if entry in {0, self.seq}:
            self._covered.append(("text", ref, kind, label, len(terms), body))
        counted = "UPDATE text_index SET documents = documents + 1, size = size + ? WHERE label = ?"
        self._ledger.execute(counted, (len(terms), label))

    def redo(self, removed: str, added: str) -> None:
        """Keep the quads of this entry until the graph is known to hold them."""
        self._ledger.execute("INSERT INTO redo VALUES (?, ?, ?, ?)", (self.seq, removed, added, redo_digest(removed, added)))

    def execute(self, sql: str, parameters: Sequence[Any] = ()) -> Any:
        """Run one statement that sees this entry's own rows."""
        return self._ledger.execute(sql, parameters)

    def columns(self, table: str) -> tuple[str, ...]:
        """Return the columns of a covered table."""
        return self._ledger.columns[table]

    def digest(self, key: bytes) -> bytes:
        """Return the digest of the covered rows under a key."""
        return _digest(key, self._covered)


class Ledger:
    """The database and its chain. Written by one thread."""

    def __init__(self, path: Path, gateway: Sequence[Table] = ()) -> None:
        """Open the ledger at a path, made if it is not there, with the gateway's own tables.

        Raises the errors of ``open_database``, and ``ForeignDataError`` for a file of another program or a newer version.
        """
        self.path = path
        self.tables = {table.name: table for table in (*COVERED, *gateway)}
        self.columns: Mapping[str, tuple[str, ...]] = {name: tuple(t.columns) for name, t in self.tables.items()}
        self.inserts = {name: (columns, _insert(name, len(columns))) for name, columns in self.columns.items()}
        self.gateway = tuple(table.name for table in gateway)
        database = open_database(path)
        self.connection: Connection = database.conn
        self._text_tables: dict[str, str] = {}
        with translated(path):
            self._prepare()
            self.connection.set_authorizer(append_only({"entry", "entry_is_kept", "entry_is_fixed"}))
            last = self.connection.execute("SELECT seq, hash, at FROM entry ORDER BY seq DESC LIMIT 1").fetchone()
        self.head = Head(*last) if last else Head(0, GENESIS)

    def close(self) -> None:
        """Close the database."""
        self.connection.close()

    def execute(self, sql: str, parameters: Sequence[Any] = ()) -> Any:
        """Run one statement on the writing connection."""
        return self.connection.execute(sql, parameters)

    def meta(self, key: str) -> str:
        """Return a value of the table ``meta``; empty where it is not set."""
        row = self.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
        return row[0] if row else ""

    def set_meta(self, key: str, value: str) -> None:
        """Set a value of the table ``meta``."""
        self.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (key, value))

    @contextmanager
    def transaction(self) -> Generator[None]:
        """Run a block in one SQLite transaction that is not committed here: ``commit`` or ``roll_back`` ends it."""
        with translated(self.path):
            self.connection.execute("BEGIN IMMEDIATE")
            try:
                yield
            except BaseException:
                self.roll_back()
                raise

    def commit(self) -> None:
        """Commit and fsync; what the entries say is accepted from here on."""
        with translated(self.path):
            try:
                self.connection.execute("COMMIT")
            except BaseException:
                self.roll_back()
                raise

    def roll_back(self) -> None:
        """Forget the open transaction."""
        if self.connection.in_transaction:
            self.connection.execute("ROLLBACK")
        self._text_tables.clear()
        last = self.connection.execute("SELECT seq, hash, at FROM entry ORDER BY seq DESC LIMIT 1").fetchone()
        self.head = Head(*last) if last else Head(0, GENESIS)

    def begin_again(self) -> None:
        """Forget the open transaction, and open another in its place."""
        self.roll_back()
        self.connection.execute("BEGIN IMMEDIATE")

    @contextmanager
    def entry(self, author: Author, at: Instant, *, alone: bool = False) -> Generator[Transaction]:
        """Write one entry with its rows inside the open transaction; an exception takes back this entry alone.

        Where it is the only one of its transaction (``alone``) it is the transaction that an exception takes back.
        """
        head = self.head
        transaction = Transaction(self, head.seq + 1, max(at, head.at + 1))  # a clock that is set back moves no past
        if not alone:
            self.execute("SAVEPOINT entry")
        try:
            yield transaction
            self._append(author, transaction)
        except BaseException:
            if self.connection.in_transaction and not alone:
                self.execute("ROLLBACK TO entry")
                self.execute("RELEASE entry")
            self.head = head
            self._text_tables.clear()
            raise
        if not alone:
            self.execute("RELEASE entry")

    def text_table(self, label: str) -> str:
        """Return the name of the full-text table of a label, made at its first use."""
        name = self._text_tables.get(label)
        if name is None:
            found = self.execute("SELECT number FROM text_index WHERE label = ?", (label,)).fetchone()
            if found is None:
                found = self.execute(
                    "INSERT INTO text_index SELECT ?, coalesce(max(number), 0) + 1, 0, 0 FROM text_index RETURNING number",
                    (label,),
                ).fetchone()
                name = f"text_{found[0]}"
                self.execute(_FTS.format(name=name))
                self.execute(f"CREATE VIRTUAL TABLE terms_{found[0]} USING fts5vocab({name}, instance)")
                self.execute(f"CREATE VIRTUAL TABLE counts_{found[0]} USING fts5vocab({name}, row)")
                self.execute(f"INSERT INTO {name} ({name}, rank) VALUES ('secure-delete', 1)")
            name = self._text_tables[label] = f"text_{found[0]}"
        return name

    def verify(self) -> int:
        """Return how many entries there are; raise ``DamagedLedgerError`` naming the first that does not verify."""
        self._check_pages()
        rows = _Gathered(self)
        keys = dict(self.execute("SELECT entry, key FROM entry_key"))
        resealed = {
            seq: bytes.fromhex(digest) for seq, digest in self.execute("SELECT sealed, digest FROM resealed ORDER BY entry")
        }
        previous, expected, count = GENESIS, 1, 0
        for fields in self.execute(ENTRIES):
            seq = fields[0]
            fault = entry_fault(fields, previous, expected, Sealed(keys.get(seq), rows.of(seq), resealed.get(seq)))
            if fault:
                message = f"{fault} Nothing was changed; put a backup of the ledger back."
                raise DamagedLedgerError(message)
            previous, expected, count = fields[-1], seq + 1, count + 1
        stray = rows.after(expected - 1) or min((seq for seq in keys if seq >= expected), default=0)
        if stray:
            message = f"Rows of entry {stray} stand without an entry: the end of the chain was cut. Put a backup back."
            raise DamagedLedgerError(message)
        return count

    def verify_end(self) -> None:
        """Check that the last entries hang together; bounded, for each start."""
        last = self.execute("SELECT max(seq) FROM entry").fetchone()[0] or 0
        previous = b""
        for fields in self.execute(f"{ENTRIES.replace('ORDER', 'WHERE seq > ? ORDER')}", (last - CHECKED_AT_START,)):
            fault = entry_fault(fields, previous or fields[-2], fields[0], None)
            if fault:
                message = f"{fault} Nothing was changed; put a backup of the ledger back."
                raise DamagedLedgerError(message)
            previous = fields[-1]

    def hash_of(self, seq: int) -> bytes | None:
        """Return the hash of an entry, or ``None`` where there is none."""
        row = self.execute("SELECT hash FROM entry WHERE seq = ?", (seq,)).fetchone()
        return None if row is None else row[0]

    def _check_pages(self) -> None:
        """Check the pages of the file, and the full text against its content."""
        (found,) = self.execute("PRAGMA integrity_check(1)").fetchone()
        if found != "ok":
            message = f"The ledger's file is damaged ({found}). Nothing was changed; put a backup back."
            raise DamagedLedgerError(message)
        for number, documents, size in self.execute("SELECT number, documents, size FROM text_index").fetchall():
            counted = self.execute(f"SELECT count(*), coalesce(sum(size), 0) FROM text_{int(number)}").fetchone()
            if counted != (documents, size):
                message = f"The full text {number} has {counted[0]} documents and counts {documents}. Put a backup back."
                raise DamagedLedgerError(message)
            self.execute(f"INSERT INTO text_{int(number)} (text_{int(number)}) VALUES ('integrity-check')")
        for entry, removed, added, digest in self.execute("SELECT entry, removed, added, digest FROM redo"):
            if digest != redo_digest(removed, added):
                message = f"The redo row of entry {entry} was changed. Put a backup back."
                raise DamagedLedgerError(message)

    def _append(self, author: Author, transaction: Transaction) -> None:
        key = secrets.token_bytes(32)
        digest = transaction.digest(key)
        subjects = json.dumps(list(transaction.subjects), separators=(",", ":"))
        fields = (transaction.seq, transaction.at, author.actor, author.judge, author.kind, subjects)
        hash_ = _hash(self.head.hash, fields, digest)
        self.execute("INSERT INTO entry VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", (*fields, digest, self.head.hash, hash_))
        self.execute("INSERT INTO entry_key VALUES (?, ?)", (transaction.seq, key))
        self.head = Head(transaction.seq, hash_, transaction.at)

    def _prepare(self) -> None:
        names = {row[0] for row in self.connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")}
        if not names:
            self.connection.execute("BEGIN IMMEDIATE")
            for table in (ENTRY, *COVERED, *DERIVED):
                for statement in table.ddl():
                    self.connection.execute(statement)
            self.set_meta("schema_version", str(SCHEMA_VERSION))
            self.connection.execute("COMMIT")
        elif not {"meta", "entry", "live_claim"} <= names:
            message = f"{self.path} is a database of another program. It was left as it is; name another folder with --data."
            raise ForeignDataError(message)
        version = self.meta("schema_version")
        if version != str(SCHEMA_VERSION):
            message = (
                f"{self.path} has version {version} of the ledger and this program knows version {SCHEMA_VERSION}. It was"
                " left as it is; use a matching Muniment."
            )
            raise ForeignDataError(message)
        for name in self.gateway:  # whose tables and indexes grow with the program
            ddl = self.tables[name].indexes if name in names else self.tables[name].ddl()
            for statement in ddl:
                self.connection.execute(statement.replace(" INDEX ", " INDEX IF NOT EXISTS ", 1))


class _Gathered:
    """Every covered row by its entry, as digests read it; of some entries alone where they are given."""

    def __init__(self, ledger: Ledger, entries: Sequence[int] | None = None) -> None:
        self._rows: dict[int, list[Encoded]] = defaultdict(list)
        self._only = None if entries is None else json.dumps(entries)
        claims = ", ".join(CLAIM_COLUMNS)
        for name, columns in ledger.columns.items():
            if name in {"closed_claim", "withdrawn_evidence"}:
                continue
            self._take(ledger, name, columns, f"SELECT {', '.join(columns)} FROM {name}")
        for was in ("live_claim", "negative_claim"):
            self._take(ledger, was, CLAIM_COLUMNS, f"SELECT {claims} FROM closed_claim WHERE was = '{was}'")
        closing = ", ".join(CLOSING_COLUMNS)
        self._take(ledger, "closing", CLOSING_COLUMNS, f"SELECT {closing} FROM closed_claim", "closing_entry")
        evidence = ledger.columns["evidence"]
        self._take(ledger, "evidence", evidence, f"SELECT {', '.join(evidence)} FROM withdrawn_evidence")
        withdrawn = (*EVIDENCE_KEY.split(", "), "withdrawing_entry")
        self._take(ledger, "withdrawal", withdrawn, f"SELECT {', '.join(withdrawn)} FROM withdrawn_evidence", "withdrawing_entry")

        for label, number in ledger.execute("SELECT label, number FROM text_index").fetchall():
            sql = f"SELECT ref, kind, '{parse_label(label)}', size, body, entry FROM text_{int(number)}"
            columns = ("ref", "kind", "label", "size", "body", "entry")
            self._take(ledger, "text", columns, sql, with_entry=False)

    def of(self, seq: int) -> list[Encoded]:
        """Return the rows of an entry."""
        return self._rows.get(seq, [])

    def after(self, last: int) -> int | None:
        """Return the first entry number past ``last`` that rows name."""
        return min((seq for seq in self._rows if seq > last), default=None)

    def _take(
        self, ledger: Ledger, name: str, columns: Sequence[str], sql: str, column: str = "entry", *, with_entry: bool = True
    ) -> None:
        position = columns.index(column)
        if self._only is not None:
            sql += f" {'AND' if 'WHERE' in sql else 'WHERE'} {column} IN (SELECT value FROM json_each(?))"
        for values in ledger.execute(sql, () if self._only is None else (self._only,)):
            self._rows[values[position]].append((name, *(values if with_entry else values[:position])))


@dataclass(frozen=True, slots=True)
class Sealed:
    """What an entry covers: its key, the rows that are there, and the digest of what an erasure left of them, if any."""

    key: bytes | None
    rows: Sequence[Encoded]
    resealed: bytes | None = None


def entry_fault(fields: Sequence[Any], previous: bytes, expected: int, sealed: Sealed | None) -> str:
    """Return what is wrong with an entry (the columns of ``ENTRIES``), in words; empty where nothing is.

    It has to follow ``previous``, be the one that is expected, and cover its rows where they are given.
    """
    seq, at, actor, judge, kind, subjects, digest, prev_hash, hash_ = fields
    if seq != expected or prev_hash != previous or hash_ != _hash(previous, (seq, at, actor, judge, kind, subjects), digest):
        return f"The chain breaks at entry {expected}."
    if sealed is not None:
        wanted = digest if sealed.resealed is None else sealed.resealed
        if sealed.key is None or _digest(sealed.key, sealed.rows) != wanted:
            return f"Rows of entry {seq} were changed, added or lost."
    return ""


def redo_digest(removed: str, added: str) -> str:
    """Return a digest of a redo row, by which a change of it is found."""
    return hashlib.sha256(f"{removed}\0{added}".encode()).hexdigest()


def _insert(table: str, width: int) -> str:
    return f"INSERT INTO {table} VALUES ({', '.join('?' * width)})"


def _digest(key: bytes, rows: Iterable[Encoded]) -> bytes:
    return hmac.digest(key, encode(rows), "sha256")


def _hash(previous: bytes, fields: Sequence[Scalar], digest: bytes) -> bytes:
    return hashlib.sha256(previous + encode([("entry", *fields)]) + digest).digest()
