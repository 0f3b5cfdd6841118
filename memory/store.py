"""Memory: accept, remember, undo, and reads behind the gate.

Owns the data directory, the writer thread and the protocol of a transaction: (1) rows and redo quads in one SQLite commit;
(2) the same quads in one Oxigraph update; only then may readers see either. What was committed and not applied is replayed.
"""

import itertools
import os
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from threading import Lock, local
from typing import TYPE_CHECKING, Any, TypeVar

from pyoxigraph import NamedNode, Quad, RdfFormat, Triple, serialize

from memory import admit as admission
from memory import axes, transact
from memory._sqlite import IntegrityError, only_tables, open_database, translated
from memory.backup import PLAIN, back_up, shred
from memory.checkpoint import Checkpoints, check_one
from memory.claim import Claim, Reading, Receipt, Source
from memory.documents import Document, begin, delete, finish, may_write, passage_rows, restore
from memory.erase import Erased, Needles, Opening, erase
from memory.errors import (
    AlreadyRecordedError,
    ChangedSinceShownError,
    DamagedLedgerError,
    IncorrectChoiceError,
    MunimentMemoryError,
    StorageUnavailableError,
    UnknownThingError,
)
from memory.export import provenance
from memory.finish import Finisher
from memory.folder import hold
from memory.forget import Approver, Consequences, Wanted, decides, plan
from memory.gate import Gate
from memory.graph import Graph
from memory.ids import Clock, Ids, Instant, now, to_datetime, uuid7
from memory.keys import Keys, Kit, is_signed
from memory.label import (
    Clearance,
    Integrity,
    Label,
    Layer,
    Sensitivity,
    Space,
    Spaces,
    graph_name,
    parse_graph_name,
    parse_space,
    team,
    user,
)
from memory.ledger import Author, Ledger, Transaction
from memory.level import FLUSH_EVERY, Level, keep_redo
from memory.merge import Moving, merge, moving, unmerge
from memory.past import PastReads
from memory.projection import Sourced, claims_quads, fact_changes
from memory.read import Reads
from memory.refusal import Refusals
from memory.remember import Rememberer, Touched
from memory.retract import retract
from memory.rows import live_claims_of
from memory.settle import Choice, Settled, promote, settle, waiting_for
from memory.tables import Row, Scalar, Table
from memory.text import keepable
from memory.transact import Fact
from memory.vocabulary import Vocabulary
from memory.writer import Job, Writer
from reasoner.compile import Program, compile_rules
from reasoner.delta import Delta, Overlay, changed, reordered
from reasoner.explain import Proof, explain
from reasoner.source import Statement

if TYPE_CHECKING:
    from concurrent.futures import Future

T = TypeVar("T")

_CHANGED = "What that would do has changed since it was shown. Nothing was changed; look at it again and approve that."


@dataclass(slots=True)
class _Batch:
    """The entries of one commit: their quads, and the graph as it will be after them.

    ``more`` tells that another job of the commit will read through ``source``, which is kept up to date only then;
    ``alone`` that the commit has one job.
    """

    source: Overlay[Label]
    steps: list[tuple[list[Quad], list[Quad]]] = field(default_factory=list[tuple[list[Quad], list[Quad]]])
    spaces: Spaces | None = None
    more: bool = False
    alone: bool = False

    def take(self, removed: Sequence[Quad], added: Sequence[Quad]) -> None:
        """Bring ``source`` up to date with an entry's quads."""
        for quads, change in ((removed, self.source.drop), (added, self.source.insert)):
            for quad in quads:
                layer, label = _label_of(quad)
                if layer is not Layer.CLAIMS:
                    change(quad.triple, label, inferred=layer is Layer.INFERRED)


class Memory:
    """One data directory, open. Every method that writes returns a future that resolves once the effect is visible."""

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
        self.folder, self.vocabulary, self.clock, self.ids = folder, vocabulary, clock, ids
        self.program: Program = compile_rules(vocabulary.triples)
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
            self._level = Level(folder / "graph", self._ledger, vocabulary, self.program, clock)
            self._graph = self._level.open(self.spaces, ids)
            self._level.notes += [f"THE LEDGER DOES NOT VERIFY: {fault}"] if fault else []
            self._is_sound = not fault
            undo.callback(self._graph.close)
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
        with suppress(MunimentMemoryError):  # what is not flushed is in the redo rows
            self._level.flush(self._graph)
            self._graph.close()
            self._put_checkpoint()
        for connection in self._readers:
            connection.close()
        self._ledger.close()
        os.close(self._lock)

    # Writing

    def accept(self, source: Source, author: str, rows: Sequence[Row] = ()) -> "Future[int]":
        """Keep a source before anything is read in it; resolves to its entry.

        Raises ``IncorrectTextError`` for a text that cannot be kept, and ``AlreadyRecordedError`` where one of ``rows``
        exists already: nothing is stored then.
        """
        keepable(source.body)

        def write(tx: Transaction) -> int:
            _insert(tx, rows, ((source, admission.unread_label(source)),))
            return tx.seq

        return self._write(Author(author, "engine", "accept"), write)

    def remember(self, source: Source, reading: Reading, *, is_owner: bool) -> "Future[Receipt]":
        """Decide about what was read in an accepted source and store it with its inferences; resolves to the receipt.

        A source that has been read keeps its first receipt: the reading is ignored.
        """

        def write(tx: Transaction) -> Receipt:
            return self._remember(tx, source, reading, is_owner=is_owner)

        def run() -> Receipt:
            everything = self._order().clearance(source.space, integrity=Integrity.QUARANTINED)
            known = self._writer_reads().receipt(everything, source.id)
            return known or self._entry(Author(source.speaker, "engine", "remember"), write)

        return self._writer.submit(run)

    def learn(self, source: Source, reading: Reading, *, is_owner: bool, rows: Sequence[Row] = ()) -> "Future[Receipt]":
        """Accept and remember in one entry: for imports and measurements, where nobody waits in between.

        Raises ``AlreadyRecordedError`` where one of ``rows`` exists already: nothing is stored then.
        """
        keepable(source.body)

        def write(tx: Transaction) -> Receipt:
            tx.insert(transact.source_row(source))
            _insert(tx, rows, ())
            return self._remember(tx, source, reading, is_owner=is_owner)

        return self._write(Author(source.speaker, "engine", "learn"), write)

    def undo(
        self, source: Source, author: str, rows: Sequence[Row] = (), sources: Sequence[tuple[Source, Label]] = ()
    ) -> "Future[Receipt]":
        """Take back exactly what remembering a source did; resolves to the receipt, now undone."""

        def write(tx: Transaction) -> Receipt:
            rememberer = self._rememberer(tx, source.space)
            rememberer.undo(source.id)
            self._project(tx, rememberer.touched)
            _insert(tx, rows, sources)
            return self._receipt(source)

        return self._write(Author(author, author, "undo"), write)

    def preview(self, wanted: Wanted, approver: Approver) -> Consequences:
        """Return what an act of forgetting would do; raise ``UnknownThingError`` where there is nothing to do it to."""
        with self.reading() as reads:
            return plan(reads, self.spaces, self.vocabulary, Refusals(reads.execute, self._keys), wanted, approver)

    def falling(self, consequences: Consequences) -> list[Triple]:
        """Return the inferences that the approver sees now and that would fall with an act."""
        claims = [s.claim for s in consequences.versions if s.table == "live_claim"]
        with self.reading() as reads:
            gone = [transact.fact_of(claim) for claim in claims]
            standing = [(f.triple, f.label) for f in dict.fromkeys(gone) if self._is_last(reads, f, consequences.claims)]
            delta = changed(self.program, self.spaces, self._graph, gone=standing, new=())
        seen = {s.claim.label.space for s in consequences.versions}
        return sorted({triple for triple, label in delta.removed if label.space in seen}, key=str)

    def retract(self, wanted: Wanted, shown: str, approver: Approver, rows: Sequence[Row] = ()) -> "Future[Consequences]":
        """Stop believing what was shown under the digest ``shown``, and refuse its return.

        Raises ``ChangedSinceShownError`` where the consequences are no longer those, and ``AlreadyRecordedError`` where one of
        ``rows`` exists already: nothing is changed then.
        """

        def write(tx: Transaction) -> Consequences:
            consequences = self._approved(wanted, shown, approver)
            rememberer = self._rememberer(tx, user(approver.person))
            retract(rememberer, consequences)
            self._project(tx, rememberer.touched)
            _insert(tx, rows, ())
            return consequences

        return self._write(Author(approver.person, approver.person, "retract"), write)

    def erase(self, wanted: Wanted, shown: str, approver: Approver, rows: Sequence[Row] = ()) -> "Future[Erased]":
        """Destroy what was shown under the digest ``shown``; gone for every reader once this resolves.

        ``finish_erasures`` then clears the files, searches and writes the receipt. Raises as ``retract`` does.
        """

        def write(tx: Transaction) -> Erased:
            consequences = self._approved(wanted, shown, approver)
            id_, reads = self.ids(), self._writer_reads()
            self._keys.reissue()
            opening = Opening.of(reads, self._order(), self.vocabulary, consequences, approver)
            rememberer = self._rememberer(tx, user(approver.person))
            erase(rememberer, reads, consequences, id_, opening, approver.person)
            self._project(tx, rememberer.touched)
            _insert(tx, rows, ())
            Needles.of(id_, consequences).keep(self.folder / "run")
            return Erased(id_, opening)

        return self._write(Author(approver.person, approver.person, "erase"), write)

    def settle(self, pending: str, choice: Choice, approver: Approver, rows: Sequence[Row] = ()) -> "Future[Settled]":
        """Do what a person decided about a candidate that waits; resolves to what became of it.

        Raises ``UnknownThingError`` where nothing of theirs waits under that id, ``IncorrectChoiceError`` for what cannot be
        decided so.
        """

        def write(tx: Transaction) -> Settled:
            reads, order = self._writer_reads(), self._order()
            waiting, source = waiting_for(reads, order, pending, approver)
            rememberer = self._rememberer(tx, source.space)
            settled = settle(rememberer, waiting, source, choice, approver)
            self._project(tx, rememberer.touched)
            _insert(tx, rows, ())
            return settled

        return self._write(Author(approver.person, approver.person, "settle"), write)

    def promote(self, claim: str, approver: Approver, conversation: str) -> "Future[Settled]":
        """Let a person say a quarantined claim as their own; resolves to what admission made of it."""

        def write(tx: Transaction) -> Settled:
            reads, order = self._writer_reads(), self._order()
            own = user(approver.person)
            seen = order.clearance(own, integrity=Integrity.QUARANTINED)
            found = reads.version(seen, claim)
            evidence = reads.evidence(seen, found.id)
            if found.label.integrity is not Integrity.QUARANTINED or not evidence:
                message = "That is not quarantined. Nothing was changed."
                raise IncorrectChoiceError(message)
            rememberer = self._rememberer(tx, own)
            settled = promote(rememberer, found, evidence[0].quote, approver, conversation)
            self._project(tx, rememberer.touched)
            return settled

        return self._write(Author(approver.person, approver.person, "promote"), write)

    def moving(self, first: NamedNode, second: NamedNode, approver: Approver) -> Moving:
        """Return what merging two entities would do; raise where they are not there, or not the approver's to merge."""
        with self.reading() as reads:
            return moving(reads, self.spaces, first, second, approver)

    def merge(
        self, first: NamedNode, second: NamedNode, shown: str, approver: Approver, rows: Sequence[Row] = ()
    ) -> "Future[str]":
        """Let two entities be one, as it was shown under the digest ``shown``; resolves to the id of the merge."""

        def write(tx: Transaction) -> str:
            plan_ = moving(self._writer_reads(), self._order(), first, second, approver)
            if plan_.digest != shown:
                raise ChangedSinceShownError(_CHANGED)
            rememberer, id_ = self._rememberer(tx, user(approver.person)), self.ids()
            merge(rememberer, plan_, id_, approver)
            self._project(tx, rememberer.touched)
            _insert(tx, rows, ())
            return id_

        return self._write(Author(approver.person, approver.person, "merge"), write)

    def unmerge(self, merge_id: str, approver: Approver, rows: Sequence[Row] = ()) -> "Future[int]":
        """Take a merge back; resolves to how many claims are about their own entity again."""

        def write(tx: Transaction) -> int:
            rememberer = self._rememberer(tx, user(approver.person))
            count = unmerge(rememberer, merge_id, approver)
            self._project(tx, rememberer.touched)
            _insert(tx, rows, ())
            return count

        return self._write(Author(approver.person, approver.person, "unmerge"), write)

    def keep_apart(self, doubt: str, approver: Approver) -> "Future[None]":
        """Let two things whose names look alike stay two; nobody is asked again."""

        def write(tx: Transaction) -> None:
            seen = self._order().clearance(user(approver.person), integrity=Integrity.QUARANTINED)
            found = self._writer_reads().doubts(seen, doubt)
            if not found or not decides(self._order(), approver, found[0].label.space):
                message = "Nothing of yours waits under that id. Nothing was changed."
                raise UnknownThingError(message)
            tx.insert(Row("settled", {"pending": doubt, "choice": "apart", "version": None}))

        return self._write(Author(approver.person, approver.person, "settle"), write)

    def begin_document(self, document: Document, author: str) -> "Future[None]":
        """Begin a version of a document; the one that was there is replaced, and what only it said ends."""

        def write(tx: Transaction) -> None:
            rememberer = self._rememberer(tx, document.space)
            begin(rememberer, document)
            self._project(tx, rememberer.touched)

        return self._write(Author(author, author, "document"), write)

    def finish_document(self, document: Document, author: str) -> "Future[None]":
        """Note that a version of a document was read to its end."""

        def write(tx: Transaction) -> None:
            finish(self._rememberer(tx, document.space), document)

        return self._write(Author(author, author, "document"), write)

    def learn_passage(self, document: Document, start: int, source: Source, reading: Reading) -> "Future[Receipt | None]":
        """Remember a passage of a document; resolves to ``None`` where a newer version has come, or it was deleted."""
        keepable(source.body)

        def run() -> Receipt | None:
            if not may_write(self._writer_reads(), document):
                return None
            return self._entry(Author(source.speaker, "engine", "learn"), write)

        def write(tx: Transaction) -> Receipt:
            tx.insert(transact.source_row(source))
            _insert(tx, passage_rows(document, source, start), ())
            return self._remember(tx, source, reading, is_owner=False)

        return self._writer.submit(run)

    def delete_document(self, id_: str, approver: Approver) -> "Future[int]":
        """Delete a version of a document; resolves to how many claims ended with it."""
        return self._write(Author(approver.person, approver.person, "delete"), partial(self._documented, delete, id_, approver))

    def restore_document(self, id_: str, approver: Approver) -> "Future[int]":
        """Bring a deleted version back; resolves to how many claims hold again."""
        return self._write(Author(approver.person, approver.person, "restore"), partial(self._documented, restore, id_, approver))

    def lift(self, refusal: str, approver: Approver) -> "Future[None]":
        """Let a refused value be said again; a person's act, in the ledger."""

        def write(tx: Transaction) -> None:
            row = tx.execute("SELECT space FROM refusal WHERE id = ? LIMIT 1", (refusal,)).fetchone()
            if row is None or not decides(self._order(), approver, parse_space(row[0])):
                message = "There is no such refusal of yours. Nothing was changed."
                raise UnknownThingError(message)
            tx.insert(Row("lifted", {"refusal": refusal}))

        return self._write(Author(approver.person, approver.person, "lift"), write)

    def tick(self) -> "Future[int]":
        """Let claims whose valid time has begun or ended since enter or leave the facts; resolves to how many were due."""
        return self._writer.submit(self._tick)

    def next_due(self) -> Instant | None:
        """Return the next instant at which a claim enters or leaves the facts by itself; may be past."""
        with self.reading() as reads:
            return reads.next_due()

    def finish_erasures(self) -> "Future[list[str]]":
        """Clear the files of what was erased, search them, and resolve to the signed receipts."""
        return self._writer.submit(self._finisher().finish, alone=True)

    def record(self, kind: str, author: str, rows: Sequence[Row], sources: Sequence[tuple[Source, Label]] = ()) -> "Future[int]":
        """Insert the gateway's own rows, and sources with the label they have from the start; resolves to the entry."""

        def write(tx: Transaction) -> int:
            _insert(tx, rows, sources)
            return tx.seq

        return self._write(Author(author, "engine", kind), write)

    def set_member(self, team_id: str, person: str, author: str, *, present: bool) -> "Future[Spaces]":
        """Let a person join or leave a team; what they and others may conclude changes in the same transaction."""

        def write(tx: Transaction) -> Spaces:
            before = self._order()
            after = before.with_member(team_id, person, present=present)
            tx.insert(Row("membership", {"team": team_id, "person": person, "present": int(present)}))
            self._regroup(tx, before, after, team(team_id), user(person))
            return after

        return self._write(Author(author, author, "membership"), write)

    # Reading

    @contextmanager
    def reading(self, as_of: Instant | None = None) -> Generator[Reads]:
        """Read at one instant: nothing is published while the block runs. A block inside a block reads at the same instant.

        With ``as_of`` the reads are of what was believed then, for today's rights.
        """
        with self._gate.reading():
            connection = self._reader()
            outermost = not connection.in_transaction
            if outermost:
                connection.execute("BEGIN")
            try:
                bound = connection.execute, self._graph, self.vocabulary.naming
                yield Reads(*bound) if as_of is None else PastReads(*bound, as_of)
            finally:
                if outermost:
                    connection.execute("COMMIT")

    def dataset(self, clearance: Clearance) -> list[Quad]:
        """Return all that a reader may see as quads: facts, inferences, and claim versions with their provenance."""
        names = [graph_name(layer, label) for layer in (Layer.FACTS, Layer.INFERRED) for label in sorted(clearance.labels)]
        with self.reading() as reads:
            return [*self._graph.in_graphs(names), *dict.fromkeys(provenance(reads, clearance))]

    def proof(self, reads: Reads, triple: Triple, top: Label) -> Proof[Label] | None:
        """Return a proof of a triple for a reader, from what that reader may see, or ``None``; within ``reading``."""
        order = self.spaces
        return explain(self.program, order, reads.everything(), triple, lambda label: order.leq(label, top))

    def rows(self, sql: str, parameters: Sequence[Scalar] = ()) -> list[tuple[Any, ...]]:
        """Return rows of the gateway's own tables; memory's tables cannot be read through this."""
        with self._gate.reading():
            connection = self._reader()
            with translated(self._ledger.path):
                connection.set_authorizer(only_tables(self._ledger.gateway))
                try:
                    return connection.execute(sql, parameters).fetchall()
                finally:
                    connection.set_authorizer(None)

    def keyed(self, text: str) -> str:
        """Return a keyed digest that tells two equal texts without keeping one; nothing can be guessed against it elsewhere."""
        return self._keys.digest("text", text)

    def back_up(self, target: Path) -> "Future[dict[str, Any]]":
        """Write an encrypted, verified backup of the ledger while others read; resolves to what is in it."""
        at = to_datetime(self.clock()).isoformat(timespec="seconds").replace("+00:00", "Z")

        def run() -> dict[str, Any]:
            return back_up(self._ledger, self._keys, self.folder / "run", target, at)

        return self._writer.submit(run, alone=True)

    def kit(self) -> Kit:
        """Return the kit that opens the backups of now."""
        return self._keys.kit(self._ledger.meta("instance"))

    def receipt(self, erasure: str) -> str:
        """Return the signed receipt of an erasure, which has no content; raise ``UnknownThingError`` where there is none."""
        with self.reading() as reads:
            return reads.erasure_receipt(erasure)

    def verify(self) -> "Future[Mapping[str, int]]":
        """Check the chain, its rows and that the graph equals the ledger; resolves to what was counted.

        Raises ``DamagedLedgerError`` for the ledger; a graph that differs is counted under ``graph_differences``.
        """
        self.tick()

        def check() -> Mapping[str, int]:
            with translated(self._ledger.path):
                entries = self._ledger.verify()
                checkpoints = self._checkpoints.check(self._ledger)
                derived = self._level.check_derived()
            receipts = self._check_receipts()
            counted = {"entries": entries, "checkpoints": checkpoints, "receipts": receipts, "derived": derived}
            return {**counted, **self._level.compare(self._graph, self.spaces)}

        return self._writer.submit(check, alone=True)

    def checkpoint(self) -> "Future[str]":
        """Write a signed checkpoint of the chain's head; resolves to it, to be kept elsewhere."""
        return self._writer.submit(self._put_checkpoint, alone=True)

    def check_checkpoint(self, line: str) -> None:
        """Check a checkpoint that was kept elsewhere; raise ``DamagedLedgerError`` where the chain is not its continuation."""
        self._writer.submit(lambda: check_one(line, self._ledger, self._keys.public(), "The checkpoint"), alone=True).result()

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

    def _check_receipts(self) -> int:
        rows = self._ledger.execute("SELECT erasure, body FROM receipt").fetchall()
        for erasure, body in rows:
            if not is_signed(body, self._keys.public()):
                message = (
                    f"The receipt of erasure {erasure} is not signed by this instance. Nothing was changed; put a backup back."
                )
                raise DamagedLedgerError(message)
        return len(rows)

    def turtle(self, most: int) -> tuple[bytes, int]:
        """Return up to ``most`` claims and facts as Turtle, without labels, and how many; for the doctor."""
        with self._gate.reading():
            found = (quad.triple for layer, _, quad in self._graph.quads() if layer is not Layer.INFERRED)
            triples = list(itertools.islice(found, most))
        return serialize(triples, format=RdfFormat.TURTLE) or b"", len(triples)

    def notes(self) -> list[str]:
        """Return what happened that the owner should know, such as a rebuilt graph."""
        return list(self._level.notes)

    def is_level(self) -> bool:
        """Tell whether the graph holds everything that the ledger accepted."""
        return self._level.is_level(self._graph)

    def head(self) -> int:
        """Return the number of the last entry; for the owner alone."""
        return self._ledger.head.seq

    # One transaction

    def _write(self, author: Author, write: Callable[[Transaction], T]) -> "Future[T]":
        return self._writer.submit(lambda: self._entry(author, write))

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
        """Return the batch as it was before a job that failed."""
        batch = _Batch(Overlay(self._graph), self._open_batch().steps[:steps], spaces)
        for removed, added in batch.steps:
            batch.take(removed, added)
        return batch

    def _publish(self, batch: _Batch, first: int) -> None:
        last = self._ledger.head.seq
        with self._gate.publishing():
            self._ledger.commit()
            if batch.spaces is not None:
                self.spaces = batch.spaces
            if last > first:
                removed, added = transact.net(batch.steps)
                try:
                    self._graph.apply(last, removed, added)
                except StorageUnavailableError as error:
                    self._level.notes.append(str(error))

    def _remember(self, tx: Transaction, source: Source, reading: Reading, *, is_owner: bool) -> Receipt:
        rememberer = self._rememberer(tx, source.space)
        receipt = rememberer.read(source, reading, is_owner=is_owner)
        self._project(tx, rememberer.touched)
        return receipt

    def _project(self, tx: Transaction, touched: Touched) -> None:
        """Turn opened and closed versions into quads: claims, facts, and what the reasoner makes of the change."""
        opened = live_claims_of(tx.execute, touched.opened) if touched.opened else []
        for claim, _ in touched.closed:
            if self._next_change(claim, claim.transaction_from) is not None:
                tx.execute("DELETE FROM due WHERE version = ?", (claim.version,))
        for claim, _ in opened:
            self._schedule(claim, tx.at)
        self._project_facts(tx, touched.closed, opened, claims_quads(touched.closed, opened))

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
    ) -> None:
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

    def _order(self) -> Spaces:
        batch = self._batch
        return self.spaces if batch is None or batch.spaces is None else batch.spaces

    def _documented(self, act: Callable[[Rememberer, str, Approver], int], id_: str, approver: Approver, tx: Transaction) -> int:
        rememberer = self._rememberer(tx, user(approver.person))
        count = act(rememberer, id_, approver)
        self._project(tx, rememberer.touched)
        return count

    def _rememberer(self, tx: Transaction, own: Space) -> Rememberer:
        refusals = Refusals(tx.execute, self._keys)
        return Rememberer(tx, self._writer_reads(), self._order(), self.vocabulary, self.ids, own, refusals)

    def _approved(self, wanted: Wanted, shown: str, approver: Approver) -> Consequences:
        reads = self._writer_reads()
        refusals = Refusals(reads.execute, self._keys)
        consequences = plan(reads, self._order(), self.vocabulary, refusals, wanted, approver)
        if consequences.digest != shown:
            raise ChangedSinceShownError(_CHANGED)
        return consequences

    def _is_last(self, reads: Reads, fact: Fact, going: Sequence[str]) -> bool:
        """Tell whether no other claim says a fact under its label."""
        everything = self.spaces.clearance(fact.label.space, fact.label.sensitivity, fact.label.integrity)
        subject, predicate, object_ = fact.triple
        saying = reads.claims(everything, subject=subject, predicates=(predicate,), object_=object_)  # type: ignore[arg-type]
        return all(claim.id in going for claim in saying if claim.label == fact.label)

    def _finisher(self) -> Finisher:
        return Finisher(self.folder, self._ledger, self._level, self._graph, self._gate, self._keys, self.clock)

    def _writer_reads(self) -> Reads:
        return Reads(self._ledger.execute, self._open_batch().source, self.vocabulary.naming)

    def _receipt(self, source: Source) -> Receipt:
        receipt = self._writer_reads().receipt(self._order().clearance(source.space, integrity=Integrity.QUARANTINED), source.id)
        if receipt is None:
            message = "a source was read and has no receipt"
            raise LookupError(message)
        return receipt

    def _load_spaces(self) -> Spaces:
        members: dict[str, frozenset[str]] = {}
        for team_id, person, present in self._ledger.execute("SELECT team, person, present FROM membership ORDER BY entry"):
            people = members.get(team_id, frozenset())
            members[team_id] = people | {person} if present else people - {person}
        return Spaces(members)

    def _reader(self) -> Any:
        connection = getattr(self._local, "connection", None)
        if connection is None:
            connection = open_database(self._ledger.path, read_only=True).conn
            self._local.connection = connection
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


def _label_of(quad: Quad) -> tuple[Layer, Label]:
    """Return layer and label of a quad that a transaction made."""
    found = parse_graph_name(quad.graph_name)  # type: ignore[arg-type]
    if found is None:
        message = f"a quad without a label: {quad}"
        raise ValueError(message)
    return found


def _insert(tx: Transaction, rows: Sequence[Row], sources: Sequence[tuple[Source, Label]]) -> None:
    for source, label in sources:
        tx.insert(transact.source_row(source))
        tx.insert(Row("source_label", {"source": source.id, "label": str(label)}))
    for row in rows:
        tx.insert(row)
