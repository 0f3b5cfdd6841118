"""Queries in SPARQL that somebody else wrote: checked, written anew, and run where they can do nothing but be answered.

``memory.guard.check`` decides. The effect is in ``Sandbox.run``, over a snapshot of what was last committed, or over what was
believed at an instant.
"""

from collections.abc import Callable, Generator
from contextlib import AbstractContextManager, contextmanager
from threading import Lock

from pyoxigraph import Quad, RdfFormat, serialize

from memory.errors import QueryLimitError, SandboxError
from memory.ids import Instant
from memory.label import Clearance, Layer, Space, graph_name
from memory.past import PastReads
from memory.query import Result
from memory.read import Reads
from memory.sandbox import LONGEST_WAIT, Job, Sandbox
from memory.snapshots import Snapshots

Reading = Callable[[Instant | None, Instant | None], AbstractContextManager[Reads]]


class Queries:
    """Answers queries for readers; safe to use from many threads."""

    def __init__(self, snapshots: Snapshots, reading: Reading) -> None:
        """Use the snapshots of a graph, and the reads of its past."""
        self._snapshots, self._reading = snapshots, reading
        self._sandbox = Sandbox()
        self._parsing = Lock()
        self._turns: dict[Space, Lock] = {}

    def ask(self, text: str, clearance: Clearance, as_of: Instant | None = None, valid_at: Instant | None = None) -> Result:
        """Return what a query finds among the graphs of a clearance, or among what was believed then.

        Facts and inferences are there by default; ``GRAPH`` finds these one by one, and the claims with their provenance. As of
        then there are facts and inferences alone. Raises ``RefusedQueryError``, ``QueryLimitError`` and ``SandboxError``.
        """
        from memory.guard import check

        with self._parsing:
            checked = check(text, frozenset(graphs_of(clearance)[1]))
        with self._turn(clearance.top.space):
            return Result(checked.form, self._run(checked.text, clearance, as_of, valid_at), clearance)

    def _run(self, text: str, clearance: Clearance, as_of: Instant | None, valid_at: Instant | None) -> bytes:
        default, named = graphs_of(clearance)
        if as_of is None and valid_at is None:
            with self._snapshots.use() as path:
                return self._sandbox.run(Job(text, default, named, path=str(path)))
        quads = serialize(self._then(clearance, as_of, valid_at), format=RdfFormat.N_QUADS) or b""
        return self._sandbox.run(Job(text, default, named, quads=quads.decode()))

    @contextmanager
    def _turn(self, space: Space) -> Generator[None]:
        """Let one query of a reader run at a time, so that nobody's take the turns of others."""
        turn = self._turns.setdefault(space, Lock())
        if not turn.acquire(timeout=LONGEST_WAIT):
            message = "Too many queries of yours are waiting. Nothing was run; ask again in a while."
            raise SandboxError(message)
        try:
            yield
        finally:
            turn.release()

    def drop_copies(self) -> None:
        """End what runs and remove every copy of the graph: an erasure comes next."""
        self._sandbox.end_running()
        self._snapshots.drop()

    def close(self) -> None:
        """End all children and remove every copy."""
        self._sandbox.close()
        self._snapshots.drop()

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
    labels = sorted(clearance.labels)
    default = [graph_name(layer, label).value for layer in (Layer.FACTS, Layer.INFERRED) for label in labels]
    return default, [*default, *(graph_name(Layer.CLAIMS, label).value for label in labels)]
