"""Memory: accept, remember, correct, forget, and reads behind the gate.

Each act is one transaction of the engine: a ledger entry with its author, the rows and the quads.
"""

import itertools
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pyoxigraph import NamedNode, Quad, RdfFormat, Triple, serialize

from memory import admit as admission
from memory import transact
from memory._sqlite import translated
from memory.admit import Decision
from memory.axioms import AxiomActs
from memory.backup import back_up
from memory.checkpoint import check_one
from memory.claim import Reading, Receipt, Source
from memory.consolidate import Finding, Stakes, clashing, decide, findings, is_new, propose, unfold
from memory.contradict import ContradictedError, Contradiction, contradictions, is_seen_from
from memory.documents import Document, begin, delete, finish, may_write, passage_rows, restore
from memory.erase import Erased, Needles, Opening, erase
from memory.errors import (
    ChangedSinceShownError,
    DamagedLedgerError,
    IncorrectChoiceError,
    UnknownThingError,
)
from memory.export import provenance
from memory.forget import Approver, Consequences, Wanted, decides, plan
from memory.ids import Instant, to_datetime
from memory.keys import Kit, is_signed
from memory.label import (
    Clearance,
    Integrity,
    Label,
    Layer,
    Spaces,
    team,
    user,
)
from memory.ledger import Author, Transaction
from memory.merge import Moving, merge, moving, unmerge
from memory.past import PastReads
from memory.read import Reads
from memory.refusal import Refusals
from memory.remember import Rememberer
from memory.retract import retract
from memory.rows import live_claims_of
from memory.settle import Choice, Settled, promote, settle, waiting_for
from memory.tables import Row
from memory.text import keepable
from memory.transact import Fact
from reasoner.delta import changed, clashes
from reasoner.explain import Proof, explain
from reasoner.oracle import differences
from reasoner.source import Statement

if TYPE_CHECKING:
    from concurrent.futures import Future

_CHANGED = "What that would do has changed since it was shown. Nothing was changed; look at it again and approve that."


class Memory(AxiomActs):
    """One data directory, open. Every method that writes returns a future that resolves once the effect is visible."""

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

        def write(tx: Transaction, contradicted: Mapping[int, Contradiction]) -> Receipt:
            return self._remember(tx, source, reading, contradicted, is_owner=is_owner)

        def run() -> Receipt:
            everything = self._order().clearance(source.space, integrity=Integrity.QUARANTINED)
            known = self._writer_reads().receipt(everything, source.id)
            return known or self._deciding(Author(source.speaker, "engine", "remember"), write)

        return self._writer.submit(run)

    def learn(self, source: Source, reading: Reading, *, is_owner: bool, rows: Sequence[Row] = ()) -> "Future[Receipt]":
        """Accept and remember in one entry: for imports and measurements, where nobody waits in between.

        Raises ``AlreadyRecordedError`` where one of ``rows`` exists already: nothing is stored then.
        """
        keepable(source.body)

        def write(tx: Transaction, contradicted: Mapping[int, Contradiction]) -> Receipt:
            tx.insert(transact.source_row(source))
            _insert(tx, rows, ())
            return self._remember(tx, source, reading, contradicted, is_owner=is_owner)

        return self._writer.submit(lambda: self._deciding(Author(source.speaker, "engine", "learn"), write))

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
            self._project_soundly(tx, rememberer, approver)
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
            self._project_soundly(tx, rememberer, approver)
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
            self._project_soundly(tx, rememberer, approver)
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

    def findings(self, after: str, most: int) -> tuple[list[Finding], str]:
        """Return what is to be tidied among the next live claims, and the version to go on after; "" once all were seen."""
        with self.reading() as reads:
            claims = reads.claims_after(after, most)
            found = list(findings(reads, self.vocabulary, claims, self.clock()))
        return found, claims[-1].version if len(claims) == most else ""

    def is_new(self, reads: Reads, finding: Finding) -> bool:
        """Tell whether nobody was asked about a finding."""
        return is_new(reads, self.vocabulary, finding, self.clock())

    def propose(self, finding: Finding) -> "Future[Decision]":
        """Do what was found where it may be done without a person, and let it wait otherwise; resolves to the decision."""

        def write(tx: Transaction) -> Decision:
            rememberer = self._rememberer(tx, finding.label.space)
            if not is_new(rememberer.reads, self.vocabulary, finding, tx.at):
                message = "That is proposed already. Nothing was changed."
                raise IncorrectChoiceError(message)
            decision = propose(rememberer, finding, self._stakes(rememberer.reads, finding))
            self._project(tx, rememberer.touched)
            return decision

        return self._write(Author("engine", "rule", "consolidate"), write)

    def _stakes(self, reads: Reads, finding: Finding) -> Stakes:
        claim = reads.live(finding.about[-1])
        if claim is None:
            return Stakes(told=bool(reads.told(finding.about)), inferred=False)
        fact = transact.fact_of(claim)
        delta = changed(self.program, self._order(), self._open_batch().source, gone=[(fact.triple, fact.label)], new=())
        return Stakes(bool(reads.told(finding.about)), bool(delta.added or delta.removed))

    def decide_proposal(self, id_: str, way: str, approver: Approver) -> "Future[None]":
        """Do what a person decided about something that consolidation proposed."""

        def write(tx: Transaction) -> None:
            rememberer = self._rememberer(tx, user(approver.person))
            clearance = self._order().clearance(user(approver.person), integrity=Integrity.QUARANTINED)
            found = rememberer.reads.proposals(clearance, id_)
            if not found:
                message = "Nothing of yours waits under that id. Nothing was changed; `muniment pending` lists what does."
                raise UnknownThingError(message)
            decide(rememberer, found[0], way, approver)
            self._project(tx, rememberer.touched)

        return self._write(Author(approver.person, approver.person, "settle"), write)

    def unfold(self, id_: str, approver: Approver) -> "Future[None]":
        """Let two claims that consolidation made one be two again."""

        def write(tx: Transaction) -> None:
            rememberer = self._rememberer(tx, user(approver.person))
            unfold(rememberer, id_, approver)
            self._project(tx, rememberer.touched)

        return self._write(Author(approver.person, approver.person, "unmerge"), write)

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
            return self._deciding(Author(source.speaker, "engine", "learn"), write)

        def write(tx: Transaction, contradicted: Mapping[int, Contradiction]) -> Receipt:
            tx.insert(transact.source_row(source))
            _insert(tx, passage_rows(document, source, start), ())
            return self._remember(tx, source, reading, contradicted, is_owner=False)

        return self._writer.submit(run)

    def delete_document(self, id_: str, approver: Approver) -> "Future[int]":
        """Delete a version of a document; resolves to how many claims ended with it."""
        return self._write(Author(approver.person, approver.person, "delete"), partial(self._documented, delete, id_, approver))

    def restore_document(self, id_: str, approver: Approver) -> "Future[int]":
        """Bring a deleted version back; resolves to how many claims hold again."""
        return self._write(Author(approver.person, approver.person, "restore"), partial(self._documented, restore, id_, approver))

    def next_due(self) -> Instant | None:
        """Return the next instant at which a claim enters or leaves the facts by itself; may be past."""
        with self.reading() as reads:
            return reads.next_due()

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

    def dataset(self, clearance: Clearance) -> list[Quad]:
        """Return all that a reader may see as quads: facts, inferences, and claim versions with their provenance."""
        names = clearance.graphs(Layer.FACTS, Layer.INFERRED)
        with self.reading() as reads:
            return [*self._graph.in_graphs(names), *dict.fromkeys(provenance(reads, clearance))]

    def properties_in(self, clearance: Clearance) -> frozenset[NamedNode]:
        """Return the properties that a reader's facts and inferences use."""
        names = clearance.graphs(Layer.FACTS, Layer.INFERRED)
        with self.reading():
            return self._graph.properties_in(names, self.vocabulary.properties)

    def proof(self, reads: Reads, triple: Triple, top: Label) -> Proof[Label] | None:
        """Return a proof of a triple for a reader, from what that reader may see, or ``None``; within ``reading``."""
        order = self.spaces
        program = reads.program() if isinstance(reads, PastReads) else self.program
        return explain(program, order, reads.everything(), triple, lambda label: order.leq(label, top))

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

    def _check_receipts(self) -> int:
        rows = self._ledger.execute("SELECT erasure, body FROM receipt").fetchall()
        for erasure, body in rows:
            if not is_signed(body, self._keys.public()):
                message = (
                    f"The receipt of erasure {erasure} is not signed by this instance. Nothing was changed; put a backup back."
                )
                raise DamagedLedgerError(message)
        return len(rows)

    def contradictions(self, person: str) -> "Future[list[Contradiction]]":
        """Resolve to all that contradicts something now and that a person may know of, each once; it looks at everything."""

        def look() -> list[Contradiction]:
            return [one for one in self._standing() if is_seen_from(self.spaces, one, user(person))]

        return self._writer.submit(look, alone=True)

    def clashing(self) -> "Future[list[Finding]]":
        """Resolve to the contradictions that stand and that nobody was asked about; it looks at everything."""

        def look() -> list[Finding]:
            standing = self._standing()
            with self.reading() as reads:
                return list(clashing(reads, standing))

        return self._writer.submit(look, alone=True)

    def _standing(self) -> list[Contradiction]:
        quads = ((layer, label, quad) for layer, label, quad in self._graph.quads() if layer is not Layer.CLAIMS)
        everything = (Statement(quad.triple, label, layer is Layer.INFERRED) for layer, label, quad in quads)
        found = list(clashes(self.program, self.spaces, self._graph, everything))
        return list(dict.fromkeys(contradictions(self.program, self.spaces, self._graph, found, self.vocabulary)))

    def second_opinion(self, most: int, person: str) -> tuple[int, int]:
        """Let owlrl close up to so many facts that a person may see; return how many there were, and in how much it differs."""
        names = self.spaces.clearance(user(person)).graphs(Layer.FACTS)
        with self._gate.reading():
            facts = [quad.triple for quad in itertools.islice(self._graph.in_graphs(names), most)]
        return len(facts), len(differences(self.vocabulary.triples, facts))

    def turtle(self, most: int) -> tuple[bytes, int]:
        """Return up to ``most`` claims and facts as Turtle, without labels, and how many; for the doctor."""
        with self._gate.reading():
            found = (quad.triple for layer, _, quad in self._graph.quads() if layer is not Layer.INFERRED)
            triples = list(itertools.islice(found, most))
        return serialize(triples, format=RdfFormat.TURTLE) or b"", len(triples)

    def _project_soundly(self, tx: Transaction, rememberer: Rememberer, approver: Approver) -> None:
        """Project what a person decided; raise ``IncorrectChoiceError`` where it contradicts what is known to them."""
        for contradiction in self._project(tx, rememberer.touched):
            if is_seen_from(self._order(), contradiction, user(approver.person)):
                message = f"It {contradiction.reason}. Nothing was changed; take back what stands against it first."
                raise IncorrectChoiceError(message)

    def _remember(
        self, tx: Transaction, source: Source, reading: Reading, contradicted: Mapping[int, Contradiction], *, is_owner: bool
    ) -> Receipt:
        """Decide and project; raise ``ContradictedError`` for the last candidate that contradicts what its place may know."""
        rememberer = self._rememberer(tx, source.space, contradicted)
        receipt = rememberer.read(source, reading, is_owner=is_owner)
        for contradiction in self._project(tx, rememberer.touched):
            opened = live_claims_of(tx.execute, rememberer.touched.opened)
            said = {transact.fact_of(claim): rememberer.touched.opened_by[claim.version] for claim, _ in opened}
            seen = is_seen_from(self._order(), contradiction, source.space)
            places = [said[fact] for fact in contradiction.facts if seen and fact in said]
            open_ = [place for place in places if place not in contradicted]
            if open_:
                raise ContradictedError(max(open_), contradiction)
        return receipt

    def _documented(self, act: Callable[[Rememberer, str, Approver], int], id_: str, approver: Approver, tx: Transaction) -> int:
        rememberer = self._rememberer(tx, user(approver.person))
        count = act(rememberer, id_, approver)
        self._project(tx, rememberer.touched)
        return count

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

    def _receipt(self, source: Source) -> Receipt:
        receipt = self._writer_reads().receipt(self._order().clearance(source.space, integrity=Integrity.QUARANTINED), source.id)
        if receipt is None:
            message = "a source was read and has no receipt"
            raise LookupError(message)
        return receipt


def _insert(tx: Transaction, rows: Sequence[Row], sources: Sequence[tuple[Source, Label]]) -> None:
    for source, label in sources:
        tx.insert(transact.source_row(source))
        tx.insert(Row("source_label", {"source": source.id, "label": str(label)}))
    for row in rows:
        tx.insert(row)
