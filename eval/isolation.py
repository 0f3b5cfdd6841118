"""What a query of one person tells of another: hostile and random queries, answered with and without the other's data.

Three ways: as shipped (checked, written anew, the engine restricted), by the guard alone (the engine shows every graph), and by
the engine alone (the text as it is given). Each query is answered over two datasets, which differ in what the reader may not see,
and the answers are compared. They are answered in processes that are locked down as the sandbox's children are, many in each; the
attacks are asked through the product as well, before and after the other person speaks.
"""

import asyncio
import json
import random
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import suppress
from itertools import islice
from pathlib import Path
from threading import Thread

from pyoxigraph import QueryBoolean, QueryResultsFormat, QueryTriples, RdfFormat, Store, parse, serialize

from bootstrap.figures import Figures, options, progress
from bootstrap.logs import quiet_logs
from bootstrap.wiring import open_service
from eval.attacks import ATTACKS, Grammar, mutants
from gateway.service import Said, Service
from memory._oxigraph import open_store, query_within
from memory.errors import MunimentMemoryError, RefusedQueryError
from memory.guard import check
from memory.ids import now, uuid7
from memory.label import Sensitivity, Space, Spaces, user
from memory.lockdown import MEGABYTE, lock_down
from memory.queries import graphs_of
from ontologies.vocab import PREFIXES

SECRET = "Hushville"  # noqa: S105 - a place that only the other person knows
PROCESSES = 2
WAYS = ("as shipped", "guard alone", "engine alone")
_MINE = ("I live in Lyon.", "Lyon is part of France.", "My sister Zoe works at Acme.", "Zoe knows Bo.", "I like tea.")
_AGAIN = 400
"""Times that a query is answered again over the same data: under a LIMIT without an order the engine picks by chance."""

_LONGEST = 0.5
"""Seconds of one query; one that takes longer is ended and counted."""

_STARTS = 30.0

_THEIRS = (f"I live in {SECRET}.", f"My brother Max lives in {SECRET}.", "Lyon is a city.", "Zoe likes jazz.")


async def _told(folder: Path) -> tuple[Space, list[str]]:
    """Let two people tell what they know; return the space of the one, and the queries that answer differently then."""
    service = open_service(folder)
    await service.start()
    try:
        await _say(service, "", _MINE)
        space = user((await service.person("")).id)
        queries = [_filled(query, space, "http://127.0.0.1:9/") for query in ATTACKS]
        before = [await asyncio.to_thread(_asked, service, query, space) for query in queries]
        await _say(service, "Bo", _THEIRS)
        after = [await asyncio.to_thread(_asked, service, query, space) for query in queries]
    finally:
        await service.stop()
    return space, [query for query, first, second in zip(queries, before, after, strict=True) if first != second]


async def _say(service: Service, speaker: str, texts: tuple[str, ...]) -> None:
    for text in texts:
        await service.say(Said(speaker, "", uuid7(), text, now(), "UTC"))


def _asked(service: Service, query: str, space: Space) -> bytes | str:
    try:
        return _BLANK.sub(b"_:b", service.memory.queries.ask(query, service.memory.spaces.clearance(space)).data)
    except MunimentMemoryError as error:
        return str(error)


def _filled(query: str, space: Space, address: str) -> str:
    """Write an attack with graphs of a reader's and of somebody else's, a value of theirs, and an address."""
    mine = f"urn:muniment:facts:{space}:internal"
    query = query.replace("<A>", f"<{mine}>").replace("<B>", f"<{_THEIR_GRAPH}>").replace("SECRET", SECRET)
    return query.replace("<U>", f"<{address}>")


_PREFIXES = "".join(f"PREFIX {name}: <{iri}> " for name, iri in PREFIXES.items())
_BLANK = re.compile(rb"_:[0-9a-f]+")
_THEIR_GRAPH = "urn:muniment:facts:user:00000000-0000-7000-8000-0000000000b2:internal"


class _Pair:
    """Two datasets that differ in what a reader may not see, and the ways to ask them."""

    def __init__(self, folder: Path, space: Space) -> None:
        clearance = Spaces().clearance(space, Sensitivity.SECRET)
        self.default, self.named = graphs_of(clearance)
        self._graphs = frozenset(self.named)
        self.all, self.mine = open_store(folder / "all"), open_store(folder / "mine")

    def fill(self, quads: str) -> None:
        """Put in all quads, and those that the reader may see."""
        for quad in parse(quads, format=RdfFormat.N_QUADS):
            self.all.add(quad)
            if str(quad.graph_name)[1:-1] in self._graphs:
                self.mine.add(quad)
        for store in (self.all, self.mine):
            store.flush()

    def told_without_either(self) -> int:
        """Return in how many rows the secret is where nothing keeps it."""
        return sum(SECRET in str(row) for row in self.all.query("SELECT * { GRAPH ?g { ?s ?p ?o } }"))  # type: ignore[union-attr]

    def differs(self, way: str, query: str) -> tuple[bool, bool]:
        """Return whether a query answers differently, or tells the secret; and whether it was refused."""
        text = _PREFIXES + query
        if way != "engine alone":
            try:
                text = check(query, self.default, self.named).text
            except RefusedQueryError:
                return False, True
        first, second = (self._answer(store, way, text) for store in (self.all, self.mine))
        tells = SECRET not in query and SECRET.encode() in first
        if first == second or tells:
            return tells, first.startswith(b"!")
        print("again", flush=True)
        return not any(self._answer(self.mine, way, text) == first for _ in range(_AGAIN)), False

    def _answer(self, store: Store, way: str, text: str) -> bytes:
        try:
            found = store.query(text) if way == "guard alone" else query_within(store, text, self.default, self.named)
            if isinstance(found, QueryBoolean):
                return str(bool(found)).encode()
            if isinstance(found, QueryTriples):
                written = _BLANK.sub(b"_:b", found.serialize(format=RdfFormat.N_TRIPLES) or b"")
                return b"\n".join(sorted(written.splitlines()))
            rows = json.loads(found.serialize(format=QueryResultsFormat.JSON) or b"")
            return json.dumps([rows["head"], sorted(map(json.dumps, rows["results"]["bindings"]))]).encode()
        except (SyntaxError, OSError, ValueError, RuntimeError) as error:
            return b"!" + type(error).__name__.encode()


def _queries(seed: int, space: Space, address: str) -> Iterator[str]:
    """Yield half of them made at random, and half of them changed attacks."""
    pick = random.Random(seed)
    made, changed = Grammar(pick).queries(), mutants(pick)
    for one, other in zip(made, changed, strict=False):
        yield _filled(one, space, address)
        yield _filled(other, space, address)


def _work(data: Path, seed: int, first: int, count: int, address: str) -> int:
    """Answer queries in a locked process, and print the number of each before and what came of it after."""
    job = json.loads((data / "job.json").read_text(encoding="utf-8"))
    pair = _Pair(data / f"pair{seed}", Space("user", job["person"]))
    queries = islice(_queries(seed, Space("user", job["person"]), address), first, count)
    lock_down(512 * MEGABYTE, 3_600, data)
    for number, query in enumerate(queries, first):
        for way in WAYS:
            print(number, flush=True)
            differs, refused = pair.differs(way, query)
            if differs or refused:
                print(
                    json.dumps({"way": way, "differs": differs, "refused": refused, "query": query if differs else ""}),
                    flush=True,
                )
    print("done", flush=True)
    return 0


class _Worker:
    """A process that answers queries, started again after one that took too long."""

    def __init__(self, data: Path, seed: int, count: int, address: str) -> None:
        self._data, self._seed, self._count, self._address = data, seed, count, address
        self.counted: Counter[str] = Counter()
        self.differing: list[str] = []
        self.at = -1
        self._process: subprocess.Popen[str] | None = None
        self._until = 0.0

    def watch(self) -> None:
        """End a query that takes too long, with its process."""
        process = self._process
        if process is not None and time.monotonic() > self._until:
            process.kill()

    def run(self) -> None:
        """Answer all of them."""
        while self.at < self._count - 1:
            given = ["--work", str(self._data), str(self._seed), str(self.at + 1), str(self._count), self._address]
            command = [sys.executable, "-m", "eval.isolation", *given]
            with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
                assert process.stdout is not None
                is_done = any(self._take(line) for line in process.stdout)
            self._process = None
            if not is_done:
                if process.returncode not in {1, -signal.SIGKILL, -signal.SIGABRT, -signal.SIGSEGV}:  # 1: no memory was left
                    message = f"a process ended with {process.returncode} at query {self.at}"
                    raise RuntimeError(message)
                self.counted["ended"] += 1

    def _take(self, line: str) -> bool:
        self._until = time.monotonic() + (_LONGEST * _AGAIN if line.startswith("again") else _LONGEST)
        if line.startswith("again"):
            return False
        if line.startswith("{"):
            found = json.loads(line)
            self.counted["refused " + found["way"]] += found["refused"]
            if found["differs"]:
                self.differing.append(f"{found['way']}: {found['query']}")
        elif line.strip() == "done":
            self.at = self._count
        else:
            self.at = int(line)
        return line.strip() == "done"


def _listen(server: socket.socket, heard: list[object]) -> None:
    with suppress(OSError):
        while True:
            heard.append(server.accept())


def main() -> int:
    """Let two people speak, ask, and count what differs and who was called."""
    if sys.argv[1:2] == ["--work"]:
        data, seed, first, count, address = sys.argv[2:]
        return _work(Path(data), int(seed), int(first), int(count), address)
    parser = options(__doc__ or "")
    parser.add_argument("--queries", type=int, default=100_000)
    given = parser.parse_args()
    quiet_logs(verbose=False)
    figures = Figures(given.check)
    count = 2_000 if given.quick else given.queries
    with tempfile.TemporaryDirectory() as temporary, socket.create_server(("127.0.0.1", 0)) as server:
        heard: list[object] = []
        Thread(target=_listen, args=(server, heard), daemon=True).start()
        workers = _ask(Path(temporary), count, f"http://127.0.0.1:{server.getsockname()[1]}/", figures)
        figures.put("connections to a listener", len(heard), "count", at_most=0)
    asked = sum(min(worker.at, count // PROCESSES) for worker in workers)
    counted = sum((worker.counted for worker in workers), Counter[str]())
    differing = [query for worker in workers for query in worker.differing]
    figures.put("queries asked in each of three ways", asked, "count", at_least=count - PROCESSES)
    for way in WAYS:
        figures.put(f"answers that differ, {way}", sum(one.startswith(way) for one in differing), "count", at_most=0)
        figures.put(f"refused, {way}", counted["refused " + way], "count", at_most=0.6 * asked)
    figures.put("queries ended in a process, since they took too long", counted["ended"], "count", at_most=0.01 * asked)
    for query in differing[:20]:
        print(query, file=sys.stderr)
    return figures.exit_code()


def _ask(folder: Path, count: int, address: str, figures: Figures) -> list[_Worker]:
    space, changed = asyncio.run(_told(folder / "data"))
    figures.put("hand-written attacks", len(ATTACKS), "count", at_least=80)
    figures.put("of them answered otherwise by the product once another person spoke", len(changed), "count", at_most=0)
    graph = folder / "data" / "graph"
    store = open_store(graph / (graph / "CURRENT").read_text(encoding="utf-8").strip())
    text = (serialize(list(store), format=RdfFormat.N_QUADS) or b"").decode()
    theirs = {found for found in re.findall(r"user:([0-9a-f-]{36})", text) if found != space.id}
    assert SECRET in text and len(theirs) == 1  # noqa: PT018 - otherwise nothing is hidden
    text = text.replace(theirs.pop(), _THEIR_GRAPH.split(":")[4])
    for seed in range(PROCESSES):  # on a disk, as shipped; in memory, graphs are enumerated in an order of chance
        _Pair(folder / f"pair{seed}", space).fill(text)
    told = _Pair(folder / "pair0", space).told_without_either()
    figures.put("control: told where neither guard nor engine restricts", told, "secrets", at_least=1)
    (folder / "job.json").write_text(json.dumps({"person": space.id}), encoding="utf-8")
    workers = [_Worker(folder, seed, count // PROCESSES, address) for seed in range(PROCESSES)]
    with ThreadPoolExecutor(PROCESSES) as pool:
        running = [pool.submit(worker.run) for worker in workers]
        while not all(one.done() for one in running):
            progress(f"{sum(worker.at for worker in workers):,} of {count:,} queries")
            for worker in workers:
                worker.watch()
            wait(running, timeout=0.1)
        progress("")
        for one in running:
            one.result()
    return workers


if __name__ == "__main__":
    sys.exit(main())
