"""The search after an erasure: what is gone must be found nowhere, by decoded enumeration of both stores and in the raw bytes.

Oxigraph keeps numbers and dates in binary, and short values stand in any file by chance, so the enumeration is what counts. The
raw bytes are searched for what is long enough to tell and is no part of anything that stays.
"""

import base64
import io
import json
import mmap
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

from ahocorasick_rs import AhoCorasick, BytesAhoCorasick
from pyoxigraph import Literal

from memory.claim import Span
from memory.erase import Needles
from memory.graph import Graph
from memory.label import parse_label
from memory.redact import first_look, occurrences
from memory.terms import parse_term
from memory.text import terms

SHORTEST_RAW = 6
"""Characters; anything shorter is found by chance in any large file, and in digits of ids when it is written in hexadecimal."""

_CHUNK = 4_096
_DUMPED = 1 << 18
_ID = re.compile(rb"[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}")
_ID_SIZE = 36

Execute = Callable[..., Any]


@dataclass(frozen=True, slots=True)
class Found:
    """Where something that should be gone was found; never what."""

    where: str


def find_decoded(execute: Execute, graph: Graph, needles: Needles) -> list[Found]:
    """Return where what was erased still stands in the reach of its erasure."""
    found = [*_in_claims(execute, needles), *_in_index(execute, needles), *_in_graph(execute, graph, needles)]
    found += [Found("source") for _ in _in_sources(execute, needles)]
    if execute("SELECT 1 FROM redo WHERE entry <= ? LIMIT 1", (graph.applied,)).fetchone() is not None:
        found.append(Found("redo"))
    return found


def _in_claims(execute: Execute, needles: Needles) -> Iterator[Found]:
    """Yield tables that have an erased version, an erased value as an object, or it in what waits."""
    refs, objects, reach = json.dumps(needles.refs), json.dumps(needles.terms), frozenset(needles.reach)
    last = _entry_of(execute, needles)
    for table in ("live_claim", "negative_claim", "closed_claim"):
        rows = execute(
            f"SELECT label, version IN (SELECT value FROM json_each(?1)) FROM {table} WHERE version IN (SELECT value FROM"
            " json_each(?1)) OR (object IN (SELECT value FROM json_each(?2)) AND entry <= ?3)",
            (refs, objects, last),
        )
        for label, is_erased in rows:
            if is_erased or str(parse_label(label).space) in reach:
                yield Found(table)
    for label, *texts in execute("SELECT label, subject_text, object_text FROM pending WHERE entry <= ?", (last,)):
        if str(parse_label(label).space) in reach and any(occurrences(text, value) for text in texts for value in needles.values):
            yield Found("pending")


def _entry_of(execute: Execute, needles: Needles) -> int:
    """Return the entry of an erasure: what is said after it is said anew."""
    return execute("SELECT entry FROM erasure WHERE id = ?", (needles.erasure,)).fetchone()[0]


def _in_sources(execute: Execute, needles: Needles) -> Iterator[str]:
    """Yield the sources in which a value stands outside what claims that stay rest on."""
    looks = {value: first_look(value) for value in needles.values}
    if not looks:
        return
    quick = AhoCorasick(list(dict.fromkeys(looks.values())))
    rows = execute(
        "SELECT id, body FROM source WHERE space IN (SELECT value FROM json_each(?)) AND entry <= ?",
        (json.dumps(needles.reach), _entry_of(execute, needles)),
    )
    for source, body in rows:
        look = first_look(body)
        if not quick.find_matches_as_indexes(look):
            continue
        kept = [Span(*span) for span in execute("SELECT span_start, span_end FROM evidence WHERE source = ?", (source,))]
        for value in (value for value, short in looks.items() if short in look):
            if any(not _is_kept(span, kept) for span in occurrences(body, value)):
                yield source
                break


def _is_kept(span: Span, kept: Iterable[Span]) -> bool:
    return any(span.start < other.end and other.start < span.end for other in kept)


def _in_index(execute: Execute, needles: Needles) -> Iterator[Found]:
    """Yield where the full text has an erased version, or other terms of a blanked text than are left in it."""
    refs, sources = json.dumps(needles.refs), json.dumps(needles.sources)
    for (number,) in execute("SELECT number FROM text_index").fetchall():
        rows = execute(
            f"SELECT t.body, s.body FROM text_{int(number)} t LEFT JOIN source s ON s.id = t.ref WHERE t.ref IN"
            " (SELECT value FROM json_each(?)) OR t.ref IN (SELECT value FROM json_each(?))",
            (refs, sources),
        )
        for indexed, body in rows.fetchall():
            if body is None or indexed != " ".join(terms(body)):
                yield Found("full text")


def _in_graph(execute: Execute, graph: Graph, needles: Needles) -> Iterator[Found]:
    """Yield where the graph has an erased value that nobody has said since."""
    reach = frozenset(needles.reach)
    for text in needles.terms:
        if execute("SELECT 1 FROM live_claim WHERE object = ? LIMIT 1", (text,)).fetchone() is not None:
            continue
        term = parse_term(text)
        if isinstance(term, Literal) and any(str(label.space) in reach for label in graph.labels_of(term)):
            yield Found("graph")


def standing_elsewhere(execute: Execute, graph: Graph, texts: Sequence[str]) -> frozenset[str]:
    """Return which texts are a part of anything that stays, in whatever column or term: raw bytes cannot tell them apart."""
    if not texts:
        return frozenset()
    folded = [text.casefold() for text in texts]
    automaton = AhoCorasick(folded)
    found: set[str] = set()

    def look(chunk: str) -> None:
        found.update(texts[number] for number, _, _ in automaton.find_matches_as_indexes(chunk.casefold(), overlapping=True))

    for chunk in _rows(execute):
        look(chunk)
    with io.BufferedWriter(_Lines(look), _DUMPED) as lines:
        graph.dump(lines)
    return frozenset(found)


class _Lines(io.RawIOBase):
    """Takes UTF-8 as it is written, and gives it on as text in whole lines."""

    def __init__(self, look: Callable[[str], None]) -> None:
        self._look = look
        self._held = bytearray()

    def writable(self) -> bool:
        return True

    def write(self, data: Any, /) -> int:
        self._held += data
        end = self._held.rfind(b"\n") + 1
        self._look(self._held[:end].decode())
        del self._held[:end]
        return len(data)

    def close(self) -> None:
        if not self.closed:
            self._look(self._held.decode())
            self._held.clear()
        super().close()


def _rows(execute: Execute) -> Iterator[str]:
    """Yield everything that the ledger holds, many values at a time."""
    tables = execute("SELECT name, sql FROM sqlite_schema WHERE type = 'table'").fetchall()
    yield "\n".join(sql or "" for _, sql in tables)
    for name, _ in tables:
        if name.startswith(("terms_", "counts_", "sqlite_")) or name.endswith(("_data", "_idx", "_docsize", "_config")):
            continue
        cursor = execute(f'SELECT * FROM "{name}"')
        while rows := cursor.fetchmany(_CHUNK):
            yield "\n".join([value for row in rows for value in row if isinstance(value, str)])


def find_raw(folder: Path, texts: Iterable[str], places: Iterable[Path], skipped: Iterable[Path]) -> list[Found]:
    """Return the files in some places below a folder in which a text stands in one of its encodings."""
    patterns = sorted({pattern for text in texts if len(text) >= SHORTEST_RAW for pattern in encodings(text)})
    if not patterns:
        return []
    automaton = BytesAhoCorasick(patterns)
    places, left_out = list(places), frozenset(skipped)
    while True:
        try:
            paths = sorted(path for place in places for path in (place.rglob("*") if place.is_dir() else (place,)))
            held = [path for path in paths if path not in left_out and path.is_file() and _holds(path, automaton)]
        except FileNotFoundError:  # the graph has put files together meanwhile
            continue
        return [Found(str(path.relative_to(folder))) for path in held]


def _holds(path: Path, automaton: BytesAhoCorasick) -> bool:
    if not path.stat().st_size:
        return False
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        hits = automaton.find_matches_as_indexes(data, overlapping=True)
        return any(not _runs_into_an_id(data, start, end) for _, start, end in hits)


def _runs_into_an_id(data: mmap.mmap, start: int, end: int) -> bool:
    """Tell whether a hit ends within an id, or begins within one: two columns of a row stand side by side without a gap.

    "room 1" before the id 01a2... reads as "room 10". A column that holds the text itself ends where the id begins.
    """
    first = max(0, start - _ID_SIZE)
    for found in _ID.finditer(data[first : end + _ID_SIZE]):
        low, high = found.start() + first, found.end() + first
        if start < low < end < high or low < start < high < end:
            return True
    return False


def encodings(text: str) -> Iterator[bytes]:
    """Yield the bytes in which a text may stand on a disk, in the usual cases of its letters."""
    for form in dict.fromkeys((text, text.casefold(), text.upper(), text.title())):
        plain = form.encode()
        yield plain
        yield form.encode("utf-16-le")
        yield form.encode("utf-16-be")
        yield json.dumps(form)[1:-1].encode()
        yield quote(form).encode()
        yield plain.hex().encode()
        yield plain.hex().upper().encode()
        yield from _in_base64(plain)


def _in_base64(plain: bytes) -> Iterator[bytes]:
    """Yield what base64 writes for bytes in each of their three places, without the edges that depend on their neighbours."""
    for before in range(3):
        written = base64.b64encode(b"\0" * before + plain).rstrip(b"=")
        start = (8 * before + 5) // 6
        end = (8 * (before + len(plain))) // 6
        yield written[start:end]
