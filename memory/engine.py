"""The engine of a memory: the data directory, the writer thread, and the protocol of a transaction.

(1) Rows and redo quads in one SQLite commit; (2) the same quads in one Oxigraph update; only then may readers see either. What
was committed and not applied is replayed. Knows nothing of why something is written.
"""

import os
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from concurrent.futures import Future
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from threading import Lock, local
from typing import Any, TypeVar

from pyoxigraph import Quad, Triple

from memory import axes, transact
from memory._sqlite import IntegrityError, only_tables, open_database, translated
from memory.backup import PLAIN, shred
from memory.checkpoint import Checkpoints
from memory.claim import Claim
from memory.contradict import ContradictedError, Contradiction, contradictions
from memory.erase import Needles
from memory.errors import (
    AlreadyRecordedError,
    DamagedLedgerError,
    MunimentMemoryError,
    StorageUnavailableError,
)
from memory.finish import Finisher
from memory.folder import hold
from memory.gate import Gate
from memory.graph import META, Graph, ontology_mark
from memory.ids import Clock, Ids, Instant, now, uuid7
from memory.keys import Keys
from memory.label import (
    Integrity,
    Label,
    Layer,
    Sensitivity,
    Space,
    Spaces,
    graph_name,
    parse_graph_name,
)
from memory.ledger import Author, Ledger, Transaction
from memory.level import FLUSH_EVERY, Level, keep_redo
from memory.ontology import Closed, additions, with_adopted
from memory.past import PastReads, Then
from memory.projection import Sourced, claims_quads, fact_changes
from memory.queries import Queries
from memory.read import Reads
from memory.refusal import Refusals
from memory.remember import Rememberer, Touched
from memory.rows import live_claims_of
from memory.snapshots import Snapshots
from memory.tables import Scalar, Table
from memory.vocabulary import Vocabulary
from memory.writer import Job, Writer
from reasoner.compile import Program, compile_rules
from reasoner.delta import Delta, Overlay, changed, reordered
from reasoner.source import Statement

T = TypeVar("T")


@dataclass(slots=True)
class _Batch:
    """The entries of one commit: their quads, and the graph as it will be after them.

    ``more`` tells that another job of the commit will read through ``source``, which is kept up to date only then;
    ``alone`` that the commit has one job.
    """

    source: Overlay[Label]
    steps: list[tuple[list[Quad], list[Quad]]] = field(default_factory=list[tuple[list[Quad], list[Quad]]])
    spaces: Spaces | None = None
    ontology: tuple[tuple[Triple, ...], Program] | None = None
    more: bool = False
    alone: bool = False

    def take(self, removed: Sequence[Quad], added: Sequence[Quad]) -> None:
        """Bring ``source`` up to date with an entry's quads."""
        for quads, change in ((removed, self.source.drop), (added, self.source.insert)):
            for quad in quads:
                _let(change, quad)


class Engine:
    """One data directory, open, with what every act on it is made of."""

    def __init__(
        self,
        folder: Path,
        vocabulary: Vocabulary,
        *,
        clock: Clock = now,
        ids: Ids = uuid7,
        tables: Sequence[Table] = (),
    ) -> None:
        """Open a data directory, make what is missing, and bring the graph level with the ledger.

        Raises ``DataInUseError`` where another process holds it, and the errors of the ledger and the graph.
        """
        self.folder, self.clock, self.ids = folder, clock, ids
        self._gate, self._local, self._readers, self._readers_lock = Gate(), local(), list[Any](), Lock()
        with ExitStack() as undo:
            self._lock = hold(folder)
            undo.callback(os.close, self._lock)
            is_new = not (folder / "ledger.db").exists()
            self._ledger = Ledger(folder / "ledger.db", tables)
            undo.callback(self._ledger.close)
            self._keys = Keys(folder / "keys", is_new=is_new)
            self._checkpoints = Checkpoints(folder / "checkpoints", self._keys)
            fault = self._fault_at_the_end()
            self.spaces = self._load_spaces()
            self._shipped = vocabulary.triples
            self.vocabulary = Vocabulary(with_adopted(self._shipped, additions(self._ledger.execute)))
            self.program: Program = compile_rules(self.vocabulary.triples)
            self._level = Level(folder / "graph", self._ledger, self.vocabulary, self.program, clock)
            self._graph = self._level.open(self.spaces, ids)
            self._level.notes += [f"THE LEDGER DOES NOT VERIFY: {fault}"] if fault else []
            self._is_sound = not fault
            undo.callback(self._graph.close)
            self.queries = Queries(Snapshots(folder, self._graph, self._gate), self.reading)
            undo.pop_all()
        self._batch: _Batch | None = None
        self._writer = Writer(self._commit)
        shred(folder / "run" / PLAIN)  # a backup that was cut off
        self.tick()  # what became due while nobody looked
        if any(Needles.kept(folder / "run")):
            self.finish_erasures()

    def close(self) -> None:
        """Finish what was submitted, flush, and let the directory go."""
        self._writer.close()
        self.queries.close()
        with suppress(MunimentMemoryError):  # what is not flushed is in the redo rows
            self._level.flush(self._graph)
            self._graph.close()
            self._put_checkpoint()
        with self._gate.publishing():  # a thread that still reads has its connection until it is done
            for connection in self._readers:
                connection.close()
        self._ledger.close()
        os.close(self._lock)

    def tick(self) -> "Future[int]":
        """Let claims whose valid time has begun or ended since enter or leave the facts; resolves to how many were due."""
        return self._writer.submit(self._tick)

    def finish_erasures(self) -> "Future[list[str]]":
        """Clear the files of what was erased, search them, and resolve to the signed receipts."""
        return self._writer.submit(self._finisher().finish, alone=True)

    @contextmanager
    def reading(self, as_of: Instant | None = None, valid_at: Instant | None = None) -> Generator[Reads]:
        """Read at one instant: nothing is published while the block runs. A block inside a block reads at the same instant.

        With ``as_of`` the reads are of what was believed then, for today's rights; with either clock, what follows is concluded
        from what held at ``valid_at``, or then.
        """
        with self._gate.reading():
            connection = self._reader()
            outermost = not connection.in_transaction
            if outermost:
                connection.execute("BEGIN")
            try:
                bound = connection.execute, self._graph, self.vocabulary.naming, self.spaces
                if as_of is None and valid_at is None:
                    yield Reads(*bound)
                else:
                    yield PastReads(*bound, Then(self._program_at(connection.execute), self._holds, as_of, valid_at))
            finally:
                if outermost:
                    connection.execute("COMMIT")

    def _program_at(self, execute: Callable[..., Any]) -> Callable[[int], Program]:
        def program(entry: int) -> Program:
            triples = with_adopted(self._shipped, additions(execute, entry))
            return self.program if triples == self.vocabulary.triples else _compiled(triples)

        return program

    def rows(self, sql: str, parameters: Sequence[Scalar] = ()) -> list[tuple[Any, ...]]:
        """Return rows of the gateway's own tables; memory's tables cannot be read through this."""
        with self._gate.reading(), translated(self._ledger.path):
            return self._reader(gateway=True).execute(sql, parameters).fetchall()

    def notes(self) -> list[str]:
        """Return what happened that the owner should know, such as a rebuilt graph."""
        return list(self._level.notes)

    def is_level(self) -> bool:
        """Tell whether the graph holds everything that the ledger accepted."""
        return self._level.is_level(self._graph)

    def head(self) -> int:
        """Return the number of the last entry; for the owner alone."""
        return self._ledger.head.seq

    def last_at(self) -> Instant:
        """Return when the last entry was written, by the clock of then."""
        return self._ledger.head.at

    def _write(self, author: Author, write: Callable[[Transaction], T]) -> "Future[T]":
        return self._writer.submit(lambda: self._entry(author, write))

    def _write_alone(self, author: Author, write: Callable[[Transaction], T]) -> "Future[T]":
        """Write an entry in a commit that has no other: what it changes would not fit what they have computed."""
        job = Job(lambda: self._entry(author, write), Future(), alone=False)
        self._writer.submit(lambda: self._commit([job]), alone=True)
        return job.done

    def _entry(self, author: Author, write: Callable[[Transaction], T]) -> T:
        try:
            with translated(self._ledger.path), self._ledger.entry(author, self.clock(), alone=self._open_batch().alone) as tx:
                return write(tx)
        except IntegrityError as error:
            message = "That was recorded before. Nothing was stored twice."
            raise AlreadyRecordedError(message) from error

    def _commit(self, jobs: list[Job]) -> None:
        """Run the jobs in one commit, publish both stores, and resolve the futures. Runs in the writer thread."""
        done: list[tuple[Job, Any]] = []
        first = self._ledger.head.seq
        try:
            if not self.is_level():
                with self._gate.publishing():
                    self._level.reopen(self._graph)
            self._batch = _Batch(Overlay(self._graph), alone=len(jobs) == 1)
            with self._ledger.transaction():
                for number, job in enumerate(jobs, 1):
                    self._batch.more = number < len(jobs)
                    steps, spaces = len(self._batch.steps), self._batch.spaces
                    try:
                        done.append((job, job.run()))
                    except Exception as error:
                        if len(jobs) == 1 or not self._ledger.connection.in_transaction:
                            raise
                        self._batch = self._without_last(steps, spaces)
                        job.done.set_exception(error)
            self._publish(self._batch, first)
        except BaseException as error:  # noqa: BLE001 - it belongs to whoever waits for the jobs
            self._ledger.roll_back()
            for job in jobs:
                if not job.done.done():
                    job.done.set_exception(error)
            return
        finally:
            self._batch = None
        for job, result in done:
            job.done.set_result(result)
        with suppress(MunimentMemoryError, OSError, ValueError):  # the jobs are done; the next flush is as good
            if self._level.flush(self._graph, at_least=FLUSH_EVERY):
                self._put_checkpoint()

    def _without_last(self, steps: int, spaces: Spaces | None) -> _Batch:
        """Return the batch as it was before an entry that was taken back."""
        before = self._open_batch()
        batch = _Batch(Overlay(self._graph), before.steps[:steps], spaces, more=before.more, alone=before.alone)
        for removed, added in batch.steps:
            batch.take(removed, added)
        return batch

    def _publish(self, batch: _Batch, first: int) -> None:
        last = self._ledger.head.seq
        with self._gate.publishing():
            self._ledger.commit()
            if batch.spaces is not None:
                self.spaces = batch.spaces
            if batch.ontology is not None:
                triples, self.program = batch.ontology
                self.vocabulary.become(triples)
                self._level.program = self.program
            if last > first:
                removed, added = transact.net(batch.steps)
                try:
                    self._graph.apply(last, removed, added)
                except StorageUnavailableError as error:
                    self._level.notes.append(str(error))

    def _project(self, tx: Transaction, touched: Touched) -> list[Contradiction]:
        """Turn opened and closed versions into quads: claims, facts, and what the reasoner makes of the change.

        Returns what contradicts what then; whoever wrote decides whether that may be.
        """
        opened = live_claims_of(tx.execute, touched.opened) if touched.opened else []
        for claim, _ in touched.closed:
            if self._next_change(claim, claim.transaction_from) is not None:
                tx.execute("DELETE FROM due WHERE version = ?", (claim.version,))
        for claim, _ in opened:
            self._schedule(claim, tx.at)
        return self._project_facts(tx, touched.closed, opened, claims_quads(touched.closed, opened))

    def _holds(self, claim: Claim, at: Instant) -> bool:
        return axes.holds_at(claim.validity, self.vocabulary[claim.predicate].temporal_kind, at)

    def _schedule(self, claim: Claim, at: Instant) -> None:
        """Note when a claim next enters or leaves the facts by itself."""
        change = self._next_change(claim, at)
        if change is not None:
            self._ledger.execute("INSERT OR IGNORE INTO due VALUES (?, ?)", (change, claim.version))

    def _next_change(self, claim: Claim, at: Instant) -> Instant | None:
        return axes.next_change(claim.validity, self.vocabulary[claim.predicate].temporal_kind, at)

    def _tick(self) -> int:
        now = max(self.clock(), self._ledger.head.at + 1)
        if self._ledger.execute("SELECT 1 FROM due WHERE at <= ? LIMIT 1", (now,)).fetchone() is None:
            return 0

        def write(tx: Transaction) -> int:
            due = tx.execute("SELECT version FROM due WHERE at <= ?", (tx.at,)).fetchall()
            claims = live_claims_of(tx.execute, [version for (version,) in due])
            tx.subjects.update({claim.subject.value: None for claim, _ in claims})
            tx.execute("DELETE FROM due WHERE at <= ?", (tx.at,))
            for claim, _ in claims:
                self._schedule(claim, tx.at)
            self._project_facts(tx, [], claims, ([], []))
            return len(claims)

        return self._entry(Author("engine", "engine", "tick"), write)

    def _project_facts(
        self, tx: Transaction, closed: Sequence[Sourced], opened: Sequence[Sourced], quads: tuple[list[Quad], list[Quad]]
    ) -> list[Contradiction]:
        batch = self._open_batch()
        removed, added = quads
        gone, new = fact_changes(tx.execute, batch.source, (closed, opened), self.vocabulary, tx.at)
        delta = changed(
            self.program,
            self._order(),
            batch.source,
            gone=[(f.triple, f.label) for f in gone],
            new=[(f.triple, f.label) for f in new],
        )
        removed += [transact.quad_of(fact, Layer.FACTS) for fact in gone]
        added += [transact.quad_of(fact, Layer.FACTS) for fact in new]
        self._stage(tx, batch, removed, added, delta)
        if not delta.clashes:
            return []
        after = _Batch(Overlay(batch.source))
        after.take(removed, added)
        return list(contradictions(self.program, self._order(), after.source, delta.clashes, self.vocabulary))

    def _regroup(self, tx: Transaction, before: Spaces, after: Spaces, where: Space, who: Space) -> None:
        batch = self._open_batch()
        moved = [(s.triple, s.label) for s in _statements_in(batch, self._graph, where)]
        delta = reordered(self.program, before, after, batch.source, moved, lambda label: label.space == who)
        batch.spaces = after
        self._stage(tx, batch, [], [], delta)

    def _stage(self, tx: Transaction, batch: _Batch, removed: list[Quad], added: list[Quad], delta: Delta[Label]) -> None:
        removed += [transact.quad_of(transact.Fact(triple, label), Layer.INFERRED) for triple, label in delta.removed]
        added += [transact.quad_of(transact.Fact(triple, label), Layer.INFERRED) for triple, label in delta.added]
        if removed or added:
            keep_redo(tx, removed, added)
            batch.steps.append((removed, added))
            if batch.more:
                batch.take(removed, added)

    def _open_batch(self) -> _Batch:
        if self._batch is None:
            message = "outside a transaction"
            raise RuntimeError(message)
        return self._batch

    def _reclose(self, tx: Transaction, triples: tuple[Triple, ...], closed: Closed) -> None:
        """Let another ontology be the one from this entry on; ``closed`` is the graph under it as it was a moment ago."""
        batch = self._open_batch()
        facts: set[tuple[Triple, Label]] = set()
        present: set[tuple[Triple, Label]] = set()
        for layer, label, quad in self._graph.quads():
            if layer is not Layer.CLAIMS:
                (facts if layer is Layer.FACTS else present).add((quad.triple, label))
        gone, new = closed.facts - facts, facts - closed.facts
        delta = changed(closed.program, self._order(), closed.index, gone=gone, new=new)
        wanted = ({(triple, label) for triple, label, inferred in closed.index if inferred} - delta.removed) | delta.added
        marks = [ontology_mark(self.program.digest)], [ontology_mark(closed.program.digest)]
        batch.ontology = triples, closed.program
        self._stage(tx, batch, *marks, Delta(frozenset(wanted - present), frozenset(present - wanted)))

    def _order(self) -> Spaces:
        batch = self._batch
        return self.spaces if batch is None or batch.spaces is None else batch.spaces

    def _rememberer(self, tx: Transaction, own: Space, contradicted: Mapping[int, Contradiction] | None = None) -> Rememberer:
        refusals = Refusals(tx.execute, self._keys)
        reads, order = self._writer_reads(), self._order()
        return Rememberer(tx, reads, order, self.vocabulary, self.ids, own, refusals, contradicted=contradicted or {})

    def _deciding(self, author: Author, write: Callable[[Transaction, Mapping[int, Contradiction]], T]) -> T:
        """Write an entry, and again with what contradicts what for as long as something is found."""
        found: dict[int, Contradiction] = {}
        batch = self._open_batch()
        steps, spaces = len(batch.steps), batch.spaces
        while True:
            try:
                return self._entry(author, lambda tx: write(tx, found))
            except ContradictedError as error:
                found[error.ordinal] = error.contradiction
                self._batch = self._without_last(steps, spaces)
                if batch.alone:
                    self._ledger.begin_again()

    def _writer_reads(self) -> Reads:
        return Reads(self._ledger.execute, self._open_batch().source, self.vocabulary.naming, self._order())

    def _finisher(self) -> Finisher:
        bound = self.folder, self._ledger, self._level, self._graph, self._gate, self._keys, self.clock
        return Finisher(*bound, self.queries.drop_copies)

    def _put_checkpoint(self) -> str:
        """Sign the chain's head; not that of a chain which did not verify at the start."""
        if not self._is_sound:
            message = "The ledger did not verify at the start, so its head is not signed. `muniment verify` says what is wrong."
            raise DamagedLedgerError(message)
        return self._checkpoints.put(self._ledger, self.clock())

    def _fault_at_the_end(self) -> str:
        """Return what is wrong with the end of the chain, in words: a bounded check at each start."""
        try:
            with translated(self._ledger.path):
                self._ledger.verify_end()
            self._checkpoints.check(self._ledger, last=True)
        except DamagedLedgerError as error:
            return str(error)
        return ""

    def _load_spaces(self) -> Spaces:
        members: dict[str, frozenset[str]] = {}
        for team_id, person, present in self._ledger.execute("SELECT team, person, present FROM membership ORDER BY entry"):
            people = members.get(team_id, frozenset())
            members[team_id] = people | {person} if present else people - {person}
        return Spaces(members)

    def _reader(self, *, gateway: bool = False) -> Any:
        """Return this thread's connection; for the gateway one of its own, since each new authorizer undoes all statements."""
        name = "gateway_connection" if gateway else "connection"
        connection = getattr(self._local, name, None)
        if connection is None:
            connection = open_database(self._ledger.path, read_only=True).conn
            if gateway:
                connection.set_authorizer(only_tables(self._ledger.gateway))
            setattr(self._local, name, connection)
            with self._readers_lock:
                self._readers.append(connection)
        return connection


def _statements_in(batch: _Batch, graph: Graph, space: Space) -> "Iterator[Statement[Label]]":
    """Yield what stands in a space, with what the batch has changed so far."""
    names = [
        graph_name(layer, Label(space, sensitivity, integrity))
        for layer in (Layer.FACTS, Layer.INFERRED)
        for sensitivity in Sensitivity
        for integrity in Integrity
    ]
    seen = {quad.triple for quad in graph.in_graphs(names)}
    for removed, added in batch.steps:
        seen |= {quad.triple for quad in (*removed, *added)}
    for triple in seen:
        for label, inferred in list(batch.source.labels(triple)):
            if label.space == space:
                yield Statement(triple, label, inferred)


def _let(change: Callable[..., None], quad: Quad) -> None:
    """Insert a quad that is a fact or an inference into an overlay, or drop it."""
    if quad.graph_name == META:
        return
    layer, label = _label_of(quad)
    if layer is not Layer.CLAIMS:
        change(quad.triple, label, inferred=layer is Layer.INFERRED)


def _label_of(quad: Quad) -> tuple[Layer, Label]:
    """Return layer and label of a quad that a transaction made."""
    found = parse_graph_name(quad.graph_name)  # type: ignore[arg-type]
    if found is None:
        message = f"a quad without a label: {quad}"
        raise ValueError(message)
    return found


@lru_cache(maxsize=2)
def _compiled(triples: tuple[Triple, ...]) -> Program:
    return compile_rules(triples)
