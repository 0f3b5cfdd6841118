"""Tampering with a ledger of 1,000 entries: every bit of every entry, a sample of every other table, cuts, swaps and inserts.

Each change of an entry is put to the very check that ``muniment verify`` makes of an entry; a sample of those, and everything
else, is done to the file and looked for by the whole verification.
"""

import itertools
import random
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from bootstrap.figures import Figures, options, progress
from gateway.parse.offline import read
from gateway.tables import TABLES
from memory._sqlite import Connection, open_database
from memory.claim import Reading, Source, SourceKind, Validity
from memory.documents import Document
from memory.errors import MunimentMemoryError
from memory.forget import Act, Approver, Wanted
from memory.ids import Instant
from memory.label import team, user
from memory.ledger import ENTRIES, GENESIS, entry_fault
from memory.settle import Choice
from memory.store import Memory
from memory.tables import Row
from memory.vocabulary import Vocabulary
from ontologies.files import vocabulary

ANN, BOB = "00000000-0000-7000-8000-0000000000a1", "00000000-0000-7000-8000-0000000000b2"
ENTRIES_WANTED = 1_000
_MINUTE = 60_000_000
_SHADOW = ("_data", "_idx", "_docsize", "_config", "_content")
_FORMS = (
    "I live in Town{n}.", "Mara{n} lives in Oslo.", "I like tea{n}.", "I no longer like tea{m}.", "Mara{n} doesn't like rain.",
    "Where does Mara{n} live?", "ASR160{d} works at Acme.",
)  # fmt: skip


@dataclass(slots=True)
class Desk:
    """A memory with a clock that is set."""

    folder: Path
    words: Vocabulary
    now: Instant = 1_700_000_000_000_000

    def open(self) -> Memory:
        """Open the directory."""
        return Memory(self.folder, self.words, clock=self.clock, tables=TABLES)

    def clock(self) -> Instant:
        """Return the next instant."""
        self.now += 1
        return self.now


def fill(desk: Desk, entries: int) -> None:
    """Write a ledger in which every table has rows."""
    memory = desk.open()
    group, me = team("00000000-0000-7000-8000-0000000000c3"), Approver(ANN, is_owner=True)
    for person in (ANN, BOB):
        memory.set_member(group.id, person, ANN, present=True).result()
    said = _everything(desk, memory, me)
    n = 0
    while memory.head() < entries:
        n += 1
        desk.now += _MINUTE
        text = _FORMS[n % len(_FORMS)].format(n=n, m=n - 1, d=n % 10)
        source = Source(memory.ids(), "dm", user(ANN), SourceKind.MESSAGE, ANN, desk.now, "UTC", text)
        memory.learn(source, read(text, source.said_at, "UTC"), is_owner=True).result()
        if n % 50 == 0:
            said = source
    memory.undo(said, ANN).result()
    memory.close()


def _everything(desk: Desk, memory: Memory, me: Approver) -> Source:
    """Do one of everything that writes a row of its own; return a source that can be undone."""

    def say(text: str, by: str = ANN, space: Any = None, reading: Reading | None = None) -> Source:
        desk.now += _MINUTE
        source = Source(memory.ids(), "dm", space or user(by), SourceKind.MESSAGE, by, desk.now, "UTC", text)
        memory.learn(source, reading or read(text, source.said_at, "UTC"), is_owner=by == ANN).result()
        return source

    def claim(ending: str, object_: str = "") -> str:
        clearance = memory.spaces.clearance(user(ANN))
        with memory.reading() as reads:
            found = [c for s in reads.subjects(clearance) for c in reads.claims(clearance, subject=s)]
        return next(c.id for c in found if c.predicate.value.endswith(ending) and (not object_ or object_ in c.wording))

    group = team("00000000-0000-7000-8000-0000000000c3")
    for text in ("Kat lives in Oslo.", "Kath works at Acme.", "I live in Rome.", "I live in Lima.", "Anna Li (Oslo) likes tea."):
        say(text)
    say("Anna Li (Lima) likes tea.")
    say("Mo lives in Oslo.", space=group)
    say("Mo lives in Lima.", BOB, group)
    with memory.reading() as reads:
        (waiting,) = reads.waiting_anywhere()
        first, second = (reads.named(memory.spaces.clearance(user(ANN)), name)[0].entity for name in ("kat", "kath"))
    memory.settle(waiting.id, Choice.REPLACE, me).result()
    say("Mo lives in Rome.", BOB, group)
    shown = memory.moving(first, second, me)
    merged = memory.merge(first, second, shown.digest, me).result()
    memory.unmerge(merged, me).result()
    for act, ending, object_ in ((Act.RETRACT, "livesIn", "Lima"), (Act.ERASE, "livesIn", "Rome")):
        wanted = Wanted(act, (claim(ending, object_),))
        digest = memory.preview(wanted, me).digest
        (memory.retract if act is Act.RETRACT else memory.erase)(wanted, digest, me).result()
    memory.finish_erasures().result()
    say("I live in Lima.")
    with memory.reading() as reads:
        held = next(w for w in reads.waiting_anywhere() if w.object_text == "Lima")
    memory.settle(held.id, Choice.ACCEPT, me).result()
    document = Document(memory.ids(), user(ANN), "notes.md", "d", desk.clock())
    memory.begin_document(document, ANN).result()
    passage = Source(memory.ids(), document.id, user(ANN), SourceKind.DOCUMENT, "", desk.clock(), "UTC", "Bo lives in Nice.")
    memory.learn_passage(document, 0, passage, read(passage.body, passage.said_at, "UTC")).result()
    memory.delete_document(document.id, me).result()
    reply = Source(memory.ids(), "dm", user(ANN), SourceKind.ASSISTANT, "", desk.clock(), "UTC", "Noted.")
    label = memory.spaces.clearance(user(ANN)).top
    told = (Row("told", {"item": claim("livesIn", "Lima"), "source": reply.id}),)
    memory.record("turn", "assistant", told, ((reply, label),)).result()
    source = say("I work at Acme.")
    (candidate,) = read("I work at Bolt.", source.said_at, "UTC").candidates
    later = desk.now + 10**15
    say("I work at Bolt.", reading=Reading("t", (replace(candidate, validity=Validity(later, later, known_from=desk.now)),)))
    return source


def every_bit(folder: Path, figures: Figures) -> None:
    """Flip every bit of every entry, one at a time, and put each to the check of an entry."""
    database = _tampering(folder)
    rows = database.execute(ENTRIES).fetchall()
    database.close()
    previous, tried, found = GENESIS, 0, 0
    for number, fields in enumerate(rows):
        if number % 50 == 0:
            progress(f"entry {number} of {len(rows)}: {tried} bits")
        for changed in _flips(fields):
            tried += 1
            found += bool(entry_fault(changed, previous, number + 1, None))
        previous = fields[-1]
    progress("")
    figures.put(f"bits of {len(rows)} entries that were flipped", tried, "count")
    figures.put("of them not found", tried - found, "count", at_most=0)


def _flips(fields: tuple[Any, ...]) -> Iterator[tuple[Any, ...]]:
    for column, value in enumerate(fields):
        for changed in _changes(value):
            yield (*fields[:column], changed, *fields[column + 1 :])


def _changes(value: Any) -> Iterator[Any]:
    """Yield a value with each of its bits flipped."""
    if value in {None, "", b""}:
        yield "x"
    elif isinstance(value, int):
        yield from (value ^ (1 << bit) for bit in range(62))
    else:
        content = value.encode() if isinstance(value, str) else value
        for place, bit in itertools.product(range(len(content)), range(8)):
            flipped = bytearray(content)
            flipped[place] ^= 1 << bit
            yield flipped.decode("latin-1") if isinstance(value, str) else bytes(flipped)


def sample(desk: Desk, figures: Figures, chance: random.Random, each: int) -> None:
    """Flip bits in rows of every table, cut, swap and insert; count what the whole verification does not find."""
    kept = desk.folder.with_name("kept")
    shutil.copytree(desk.folder, kept)
    figures.put("found in the copy that nobody changed", int(_is_found(desk)), "count", at_most=0)
    shutil.rmtree(desk.folder)
    shutil.copytree(kept, desk.folder)
    tried = missed = 0
    for name, tamper in _tamperings(kept, chance, each):
        progress(f"{name}")
        database = _tampering(desk.folder)
        before = database.total_changes
        tamper(database)
        is_changed = database.total_changes > before
        database.close()
        if not is_changed:
            message = f"{name} changed nothing"
            raise RuntimeError(message)
        tried += 1
        if not _is_found(desk):
            missed += 1
            print(f"not found: {name}", file=sys.stderr)
        shutil.rmtree(desk.folder)
        shutil.copytree(kept, desk.folder)
    progress("")
    figures.put("changes of rows, cuts, swaps and inserts that were made to the file", tried, "count")
    figures.put("of those not found", missed, "count", at_most=0)


def _is_found(desk: Desk) -> bool:
    try:
        memory = desk.open()
    except (MunimentMemoryError, ValueError):
        return True
    try:
        counted = memory.verify().result()
    except Exception:  # noqa: BLE001 - whatever it is, it is not passed over
        return True
    finally:
        memory.close()
    return bool(counted["graph_differences"] or counted["claims_without_evidence"])


def _tamperings(folder: Path, chance: random.Random, each: int) -> Iterator[tuple[str, Callable[[Connection], None]]]:
    database: Connection = open_database(folder / "ledger.db", read_only=True).conn
    (last,) = database.execute("SELECT max(seq) FROM entry").fetchone()
    tables = [t for (t,) in database.execute("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")]
    for table in tables:
        if table.endswith(_SHADOW) or table.startswith(("terms_", "counts_")):
            continue
        types = {row[1]: row[2] for row in database.execute(f"PRAGMA table_info({table})")}
        columns = list(types)
        rows = database.execute(f"SELECT * FROM {table}").fetchall()
        if not rows and table not in {t.name for t in TABLES}:
            print(f"{table} has no rows", file=sys.stderr)
        for row, column in itertools.islice(_picks(rows, columns, chance), each * len(columns)):
            value = row[columns.index(column)]
            changed = 1 if value is None and types[column] == "INTEGER" else chance.choice(list(_changes(value)))
            yield f"{table}.{column}", _setting(table, columns, row, column, changed)
        for row in chance.sample(rows, min(each, len(rows))):
            yield f"{table} loses a row", _deleting(table, columns, row)
    database.close()
    for cut in (1, 2, 10, last // 2):
        yield f"a cut of {cut} entries", _cutting(tables, last - cut)
    for _ in range(each):
        first = chance.randrange(1, last)
        yield f"entries {first} and {first + 1} change places", _swapping(first)
        yield f"an entry is put in after {first}", _inserting(first)


def _picks(rows: list[Any], columns: list[str], chance: random.Random) -> Iterator[tuple[Any, str]]:
    if rows:
        while True:
            for column in columns:
                yield chance.choice(rows), column


def _where(columns: list[str], row: Any) -> tuple[str, list[Any]]:
    return " AND ".join(f"{column} IS ?" for column in columns), list(row)


def _setting(table: str, columns: list[str], row: Any, column: str, value: Any) -> Callable[[Connection], None]:
    where, parameters = _where(columns, row)
    return lambda database: database.execute(f"UPDATE OR REPLACE {table} SET {column} = ? WHERE {where}", [value, *parameters])


def _deleting(table: str, columns: list[str], row: Any) -> Callable[[Connection], None]:
    where, parameters = _where(columns, row)
    return lambda database: database.execute(f"DELETE FROM {table} WHERE {where}", parameters)


def _cutting(tables: list[str], last: int) -> Callable[[Connection], None]:
    """Return a clean cut: the entries after ``last`` with every row that they wrote."""

    def cut(database: Connection) -> None:
        for table in tables:
            columns = {row[1] for row in database.execute(f"PRAGMA table_info({table})")}
            column = "seq" if table == "entry" else "entry"
            if column in columns and not table.endswith(_SHADOW):
                database.execute(f"DELETE FROM {table} WHERE {column} > ?", (last,))

    return cut


def _swapping(first: int) -> Callable[[Connection], None]:
    def swap(database: Connection) -> None:
        for old, new in ((first, -1), (first + 1, first), (-1, first + 1)):
            database.execute("UPDATE entry SET seq = ? WHERE seq = ?", (new, old))

    return swap


def _inserting(after: int) -> Callable[[Connection], None]:
    def insert(database: Connection) -> None:
        for seq in range(database.execute("SELECT max(seq) FROM entry").fetchone()[0], after, -1):
            database.execute("UPDATE entry SET seq = ? WHERE seq = ?", (seq + 1, seq))
        database.execute(
            "INSERT INTO entry SELECT seq + 1, at, actor, judge, kind, subjects, digest, hash, hash FROM entry WHERE seq = ?",
            (after,),
        )

    return insert


def _tampering(folder: Path) -> Connection:
    """Return a connection that may do anything to a ledger."""
    database: Connection = open_database(folder / "ledger.db").conn
    database.execute("PRAGMA foreign_keys = OFF")
    database.execute("DROP TRIGGER IF EXISTS entry_is_kept")
    database.execute("DROP TRIGGER IF EXISTS entry_is_fixed")
    return database


def main() -> int:
    """Write the ledger, tamper with it, and count what is not found."""
    parser = options(__doc__ or "")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    figures = Figures(given.check)
    with tempfile.TemporaryDirectory() as temporary:
        desk = Desk(Path(temporary) / "data", Vocabulary(vocabulary()))
        fill(desk, 120 if given.quick else ENTRIES_WANTED)
        every_bit(desk.folder, figures)
        sample(desk, figures, random.Random(given.seed), 1 if given.quick else 6)
    return figures.exit_code()


if __name__ == "__main__":
    sys.exit(main())
