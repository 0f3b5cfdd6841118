"""The search after an erasure: what is gone must be found nowhere, by decoded enumeration of both stores and in the raw bytes.

Oxigraph keeps numbers and dates in binary, and short values stand in any file by chance, so the enumeration is what counts;
the raw bytes are searched for what is long enough to tell, in the encodings that a text may have on a disk.
"""

import base64
import json
import mmap
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any
from urllib.parse import quote

from ahocorasick_rs import AhoCorasick, BytesAhoCorasick
from pyoxigraph import Literal

from memory.erase import Needles
from memory.graph import Graph
from memory.label import parse_label
from memory.redact import first_look, occurrences
from memory.text import terms

SHORTEST_RAW = 6
"""Bytes; anything shorter is found by chance in any large file."""

Execute = Callable[..., Any]

_LABELLED = {
    "live_claim": ("subject", "predicate", "object", "wording", "name_key"),
    "negative_claim": ("subject", "predicate", "object", "wording", "name_key"),
    "closed_claim": ("subject", "predicate", "object", "wording", "name_key", "reason"),
    "pending": ("subject_text", "object_text", "object", "wording", "reason"),
}
_OF_SOURCES = {
    "evidence": ("wording",),
    "withdrawn_evidence": ("wording",),
    "decision": ("reason",),
    "reading": ("questions",),
}


@dataclass(frozen=True, slots=True)
class Found:
    """Where something that should be gone was found; never what."""

    where: str


def enumerate_texts(execute: Execute, graph: Graph) -> Iterator[tuple[str, str, str]]:
    """Yield every text of both stores with where it stands and whose space it is in; no space for what must be empty."""
    yield from _in_ledger(execute)
    for _, label, quad in graph.quads():
        for term in (quad.subject, quad.predicate, quad.object):
            if isinstance(term, Literal):
                yield "graph", str(label.space), term.value


def _in_ledger(execute: Execute) -> Iterator[tuple[str, str, str]]:
    for space, body in execute("SELECT space, body FROM source"):
        yield "source", space, body
    for table, columns in _LABELLED.items():
        for label, *texts in execute(f"SELECT label, {', '.join(columns)} FROM {table}"):
            yield from ((table, str(parse_label(label).space), text) for text in texts if text)
    for table, columns in _OF_SOURCES.items():
        listed = ", ".join(f"t.{column}" for column in columns)
        for space, *texts in execute(f"SELECT s.space, {listed} FROM {table} t JOIN source s ON s.id = t.source"):
            yield from ((table, space, text) for text in texts)
    for quads in execute("SELECT removed, added FROM redo"):
        yield from (("redo", "", text) for text in quads)


def indexed_texts(execute: Execute) -> Iterator[tuple[str, str]]:
    """Yield the terms of every document of the full text, with its space."""
    for label, number in execute("SELECT label, number FROM text_index").fetchall():
        for (body,) in execute(f"SELECT body FROM text_{int(number)}"):
            yield str(parse_label(label).space), body


def find_decoded(execute: Execute, graph: Graph, needles: Needles, accounts: Iterable[str]) -> tuple[list[Found], frozenset[str]]:
    """Return where values still stand in the erased reach, and which values and wordings stand somewhere rightfully.

    A wording may be repeated where nothing else tells the value, and what is a part of a longer word that stays cannot be told
    from it in raw bytes; accounts (display names, titles of chats) are no memories.
    """
    wanted = [*needles.values, *needles.quotes]
    if not wanted:
        return [], frozenset()
    quick = AhoCorasick(list(dict.fromkeys(first_look(text) for text in wanted)))
    values = frozenset(needles.values)
    found: list[Found] = []
    elsewhere: set[str] = set()
    reach = {*needles.reach, ""}
    named = (("accounts", "accounts", text) for text in accounts)
    for where, space, text in chain(enumerate_texts(execute, graph), named):
        look = first_look(text)
        if not quick.find_matches_as_indexes(look):
            continue
        for value in wanted:
            if space in reach and value in values and occurrences(text, value):
                found.append(Found(where))
            elif first_look(value) in look:  # another's, or a part of a longer word
                elsewhere.add(value)
    stems = {" ".join(terms(value)) for value in needles.values} - {""}
    for space, body in indexed_texts(execute) if stems else ():
        if space in reach and any(f" {stem} " in f" {body} " for stem in stems):
            found.append(Found("full text"))
    return found, frozenset(elsewhere)


def find_raw(folder: Path, texts: Iterable[str], places: Iterable[Path], skipped: Iterable[Path]) -> list[Found]:
    """Return the files in some places below a folder in which a text stands in one of its encodings."""
    patterns = sorted({pattern for text in texts for pattern in encodings(text) if len(pattern) >= SHORTEST_RAW})
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
        return bool(automaton.find_matches_as_indexes(data))


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
