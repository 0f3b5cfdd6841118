"""Queries in SPARQL that somebody else wrote: checked, written anew, and run where they can do nothing but be answered.

``memory.guard.check`` decides. The effect is in ``Sandbox.run``, over a snapshot of what was last committed, or over what was
believed at an instant.
"""

from collections import Counter
from collections.abc import Callable, Generator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from threading import Condition, Lock

from pyoxigraph import Quad, RdfFormat, serialize

from memory.errors import QueryLimitError, SandboxError
from memory.ids import Instant
from memory.label import Clearance, Layer, Space, graph_name
from memory.past import PastReads
from memory.query import Result
from memory.read import Reads
from memory.sandbox import LONGEST_WAIT, Job, Sandbox
from memory.snapshots import Snapshots

MOST_WAITING = 3
"""Queries of one reader that wait behind the one that runs; more are refused at once."""

_THREADS = 16
_LOOK_AGAIN = 0.05
Reading = Callable[[Instant | None, Instant | None], AbstractContextManager[Reads]]


class Queries:
    """Answers queries for readers; safe to use from many threads."""

    def __init__(self, snapshots: Snapshots, reading: Reading) -> None:
        """Use the snapshots of a graph, and the reads of its past."""
        self._snapshots, self._reading = snapshots, reading
        self._sandbox = Sandbox()
        self._parsing, self._changing = Lock(), Condition()
        self._turns: dict[Space, Lock] = {}
        self._waiting: Counter[Space] = Counter()
        self._running, self._erasures, self._is_erasing = 0, 0, False
        self._threads = ThreadPoolExecutor(_THREADS, thread_name_prefix="query")

    def submit(
        self, text: str, clearance: Clearance, as_of: Instant | None = None, valid_at: Instant | None = None
    ) -> "Future[Result]":
        """Answer a query in a thread of this class's own, so that those of others are not taken; as ``ask``.

        Raises ``SandboxError`` at once where too many of the reader's wait.
        """
        self._enter(clearance.top.space)
        return self._threads.submit(self._ask, text, clearance, as_of, valid_at)

    def ask(self, text: str, clearance: Clearance, as_of: Instant | None = None, valid_at: Instant | None = None) -> Result:
        """Return what a query finds among the graphs of a clearance, or among what was believed then.

        Facts and inferences are there by default; ``GRAPH`` finds these one by one, and the claims with their provenance. As of
        then there are facts and inferences alone. Raises ``RefusedQueryError``, ``QueryLimitError`` and ``SandboxError``.
        """
        self._enter(clearance.top.space)
        return self._ask(text, clearance, as_of, valid_at)

    def _ask(self, text: str, clearance: Clearance, as_of: Instant | None, valid_at: Instant | None) -> Result:
        from memory.guard import check

        with self._turn(clearance.top.space):
            default, named = graphs_of(clearance)
            with self._parsing:
                checked = check(text, default, named)
            with self._run() as erasures:
                data = self._answer(Job(checked.text, default, named), clearance, as_of, valid_at)
                if erasures != self._erasures:
                    message = "Something was erased meanwhile, so the answer was dropped. Ask again."
                    raise SandboxError(message)
            return Result(checked.form, data)

    def drop_copies(self) -> None:
        """End what runs and remove every copy of the graph: an erasure goes on after it, and nothing begins meanwhile."""
        with self._changing:
            self._is_erasing = True
            self._erasures += 1
            self._sandbox.end_running()
            while self._running:
                self._changing.wait(_LOOK_AGAIN)
                self._sandbox.end_running()
            self._snapshots.drop()
            self._is_erasing = False
            self._changing.notify_all()

    def close(self) -> None:
        """End all children and remove every copy."""
        self._sandbox.close()
        self._threads.shutdown(cancel_futures=True)
        self._snapshots.drop()

    def _answer(self, job: Job, clearance: Clearance, as_of: Instant | None, valid_at: Instant | None) -> bytes:
        if as_of is None and valid_at is None:
            with self._snapshots.use() as path:
                return self._sandbox.run(replace(job, path=str(path)))
        quads = serialize(self._then(clearance, as_of, valid_at), format=RdfFormat.N_QUADS) or b""
        return self._sandbox.run(replace(job, quads=quads.decode()))

    @contextmanager
    def _run(self) -> Generator[int]:
        """Count a query among those that run, and give the number of erasures before it; wait for one that is going on."""
        with self._changing:
            self._changing.wait_for(lambda: not self._is_erasing, LONGEST_WAIT)
            self._running += 1
            erasures = self._erasures
        try:
            yield erasures
        finally:
            with self._changing:
                self._running -= 1
                self._changing.notify_all()

    def _enter(self, space: Space) -> None:
        with self._changing:
            if self._waiting[space] > MOST_WAITING:
                message = "Too many queries of yours are waiting. Nothing was run; ask again in a while."
                raise SandboxError(message)
            self._waiting[space] += 1

    @contextmanager
    def _turn(self, space: Space) -> Generator[None]:
        """Let one query of a reader run at a time, so that nobody's take the turns of others."""
        try:
            with self._changing:
                turn = self._turns.setdefault(space, Lock())
            with turn:
                yield
        finally:
            with self._changing:
                self._waiting[space] -= 1

    def _then(self, clearance: Clearance, as_of: Instant | None, valid_at: Instant | None) -> list[Quad]:
        with self._reading(as_of, valid_at) as reads:
            assert isinstance(reads, PastReads)
            quads = [Quad(*triple, graph_name(layer, label)) for triple, label, layer in reads.holding(clearance)]  # type: ignore[arg-type]
            if reads.shortcoming:
                message = f"{reads.shortcoming} Nothing was run; `muniment memory show --as-of` lists what was believed."
                raise QueryLimitError(message)
        return quads


def graphs_of(clearance: Clearance) -> tuple[list[str], list[str]]:
    """Return the names of the graphs that a reader sees by default, and of those that ``GRAPH`` finds."""
    default, claims = clearance.graphs(Layer.FACTS, Layer.INFERRED), clearance.graphs(Layer.CLAIMS)
    return [name.value for name in default], [name.value for name in (*default, *claims)]
