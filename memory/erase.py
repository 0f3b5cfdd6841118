"""Erasure in the ledger, inside the writer's transaction: rows destroyed, words blanked, what is left covered anew.

What has to be found nowhere afterwards is kept beside the data directory's rows in a file of ``run/`` until the search has
found nothing, so that an erasure that was cut off is finished by the next start.
"""

import json
import os
import secrets
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from pyoxigraph import Literal, NamedNode

from memory.claim import NAMED_BY_MENTION, Term
from memory.entities import person
from memory.errors import IncorrectChoiceError, StorageUnavailableError
from memory.folder import sync_folder
from memory.forget import Approver, Consequences
from memory.keys import commitment
from memory.label import Integrity, Spaces, user
from memory.ontology import ADOPTED, additions
from memory.read import Reads
from memory.redact import blanked, occurrences
from memory.refusal import Cause
from memory.remember import Rememberer
from memory.rows import live_claims_of
from memory.tables import Row
from memory.text import terms
from memory.vocabulary import Vocabulary
from memory.words import YOU, sentence

_CLAIMS = ("live_claim", "negative_claim", "closed_claim")
_OVER = "Erased."
PURGED = "purged"
"""What became of a document whose words were erased."""


@dataclass(frozen=True, slots=True)
class Opening:
    """What opens a receipt: the nonce of its commitments and the texts. Given to the person once and kept nowhere."""

    nonce: str
    texts: tuple[str, ...]

    @classmethod
    def of(cls, reads: Reads, order: Spaces, vocabulary: Vocabulary, plan: Consequences, approver: Approver) -> "Opening":
        """Return an opening for a plan, with its claims in words."""
        seen = order.clearance(user(approver.person), integrity=Integrity.QUARANTINED)

        def word(term: Term) -> str:
            if term == person(approver.person):
                return YOU
            names = reads.all_names(seen, term) if isinstance(term, NamedNode) else [term.value]
            return names[-1] if names else term.value

        claims = (standing.claim for standing in plan.versions if standing.claim.wording != NAMED_BY_MENTION)
        texts = (sentence(vocabulary[c.predicate], word(c.subject), word(c.object)) for c in claims)
        return cls(secrets.token_hex(32), tuple(dict.fromkeys(texts)))

    def commitments(self) -> list[str]:
        """Return the commitments that a receipt has for the texts, in an order that tells nothing."""
        return sorted(commitment(self.nonce, text) for text in self.texts)


@dataclass(frozen=True, slots=True)
class Needles:
    """What must be found nowhere after an erasure: values that nothing else holds, longer wordings, terms and versions.

    ``sources`` are the texts that were blanked, and ``reach`` the spaces in which nothing may be left.
    """

    erasure: str
    values: tuple[str, ...] = ()
    quotes: tuple[str, ...] = ()
    terms: tuple[str, ...] = ()
    refs: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    reach: tuple[str, ...] = ()

    @classmethod
    def of(cls, erasure: str, plan: Consequences) -> "Needles":
        """Return what an erasure leaves to be looked for."""
        literals = (s.claim.object for s in plan.versions if isinstance(s.claim.object, Literal))
        gone = frozenset(plan.values)
        terms = {str(literal) for literal in literals if literal.value in gone}
        refs = (s.claim.version for s in plan.versions)
        return cls(
            erasure,
            plan.values,
            plan.quotes,
            tuple(sorted(terms)),
            tuple(refs),
            tuple(plan.stretches),
            tuple(map(str, plan.reach)),
        )

    def keep(self, run: Path) -> None:
        """Write them to a file of ``run/`` that survives a crash."""
        path = self.path(run)
        try:
            with path.open("w", encoding="utf-8") as file:
                os.fchmod(file.fileno(), 0o600)
                json.dump(asdict(self), file)
                file.flush()
                os.fsync(file.fileno())
            sync_folder(run)
        except OSError as error:
            message = f"{path} cannot be written ({error.strerror}). Nothing was erased; free some space and approve again."
            raise StorageUnavailableError(message) from error

    def drop(self, run: Path) -> None:
        """Overwrite and remove the file."""
        path = self.path(run)
        if path.exists():
            with path.open("r+b") as file:
                file.write(b"\0" * path.stat().st_size)
                file.flush()
                os.fsync(file.fileno())
            path.unlink()

    def path(self, run: Path) -> Path:
        """Return the file's path."""
        return run / f"erasure-{self.erasure}.json"

    @classmethod
    def kept(cls, run: Path) -> "Iterator[Needles]":
        """Yield those whose files are there."""
        for path in sorted(run.glob("erasure-*.json")):
            try:
                read: dict[str, list[str]] = json.loads(path.read_text(encoding="utf-8"))
                given = {name: tuple(texts) for name, texts in read.items()}
            except ValueError:  # cut off while it was written: nothing had begun
                given = dict[str, tuple[str, ...]]()
            given.pop("erasure", None)
            yield cls(path.stem.removeprefix("erasure-"), **given)


@dataclass(frozen=True, slots=True)
class Erased:
    """An erasure that is done for every reader and has no receipt yet."""

    id: str
    opening: Opening


def erase(rememberer: Rememberer, reads: Reads, plan: Consequences, id_: str, opening: Opening, by: str) -> None:
    """Do what the plan says to the ledger's rows; the graph follows by ``rememberer.touched``."""
    _Erasing(rememberer, reads, plan).run()
    tx = rememberer.transaction
    for row in rememberer.refusals.rows(rememberer.ids, plan.refused, Cause.ERASED):
        tx.insert(row)
    summary = {
        "claims": len({s.claim.id for s in plan.versions if s.claim.wording != NAMED_BY_MENTION}),
        "messages": len(plan.stretches) - len(plan.replies & plan.stretches.keys()),
        "replies": len(plan.replies),
        "commitments": opening.commitments(),
    }
    tx.insert(Row("erasure", {"id": id_, "person": by, "summary": json.dumps(summary)}))


@dataclass(slots=True)
class _Erasing:
    rememberer: Rememberer
    reads: Reads
    plan: Consequences
    _lost: dict[str, None] = field(default_factory=dict[str, None])

    def run(self) -> None:
        """Destroy and blank, then seal anew."""
        touched: set[int] = set()
        self._project()
        touched |= self._blank_sources()
        touched |= self._destroy_claims()
        touched |= self._destroy_evidence()
        touched |= self._destroy_pending()
        touched |= self._blank_documents()
        touched |= self._purge_documents()
        touched |= self._drop_axioms()
        self.rememberer.transaction.reseal(touched)
        self.rememberer.close_unsupported(self._lost, "erased")

    def _execute(self, sql: str, *parameters: Any) -> Any:
        return self.rememberer.transaction.execute(sql, parameters)

    def _project(self) -> None:
        """Let the graph lose what was live."""
        live = [s.claim.version for s in self.plan.versions if s.table == "live_claim"]
        for at in range(0, len(live), 500):
            self.rememberer.touched.closed += live_claims_of(self.rememberer.transaction.execute, live[at : at + 500])
        self.rememberer.transaction.subjects.update({s.claim.subject.value: None for s in self.plan.versions})

    def _destroy_claims(self) -> set[int]:
        versions = json.dumps([s.claim.version for s in self.plan.versions])
        touched: set[int] = set()
        for table in _CLAIMS:
            where = "version IN (SELECT value FROM json_each(?))"
            touched |= self._entries(table, where, versions)
            if table == "closed_claim":
                touched |= self._entries(table, where, versions, "closing_entry")
            self.rememberer.transaction.destroy(table, where, (versions,))
        self.rememberer.transaction.unindex(s.claim.version for s in self.plan.versions)
        where = "version IN (SELECT value FROM json_each(?))"
        touched |= self._entries("decision", where, versions)
        self._execute(f"UPDATE decision SET reason = '{_OVER}', predicate = NULL, version = NULL WHERE {where}", versions)
        return touched

    def _destroy_evidence(self) -> set[int]:
        claims, sources = json.dumps(self.plan.claims), json.dumps(self.plan.wanted.sources)
        where = "(claim IN (SELECT value FROM json_each(?)) OR source IN (SELECT value FROM json_each(?)))"
        touched: set[int] = set()
        going = frozenset(self.plan.claims)
        losing = self._execute(f"SELECT DISTINCT claim FROM evidence WHERE {where} ORDER BY claim", claims, sources)
        self._lost = {claim: None for (claim,) in losing if claim not in going}
        self._lost |= dict.fromkeys(piece.claim for piece in self.plan.mentions)
        for table in ("evidence", "withdrawn_evidence"):
            touched |= self._entries(table, where, claims, also=(sources,))
            if table == "withdrawn_evidence":
                touched |= self._entries(table, where, claims, "withdrawing_entry", (sources,))
            self.rememberer.transaction.destroy(table, where, (claims, sources))
        for piece in self.plan.mentions:
            where = "claim = ? AND source = ? AND span_start = ? AND span_end = ?"
            which = (piece.claim, piece.source, piece.span.start, piece.span.end)
            touched |= self._entries("evidence", where, which[0], also=which[1:])
            self.rememberer.transaction.destroy("evidence", where, which)
        self._execute("DELETE FROM name_form WHERE claim IN (SELECT value FROM json_each(?))", claims)
        told = "item IN (SELECT value FROM json_each(?))"
        touched |= self._entries("told", told, claims)
        self.rememberer.transaction.destroy("told", told, (claims,))
        return touched

    def _destroy_pending(self) -> set[int]:
        pending = json.dumps(self.plan.waiting)
        where = "id IN (SELECT value FROM json_each(?))"
        touched = self._entries("pending", where, pending)
        rows = self._execute(f"SELECT source, ordinal FROM pending WHERE {where}", pending).fetchall()
        self.rememberer.transaction.destroy("pending", where, (pending,))
        for source, ordinal in rows:
            touched |= self._forget_decision("source = ? AND ordinal = ?", (source, ordinal))
        return touched

    def _purge_documents(self) -> set[int]:
        """Forget name and content of the documents all of whose passages go."""
        sources = json.dumps(self.plan.wanted.sources)
        purged = self._execute(
            "SELECT DISTINCT p.document FROM passage p WHERE p.source IN (SELECT value FROM json_each(?1)) AND NOT EXISTS"
            " (SELECT 1 FROM passage q WHERE q.document = p.document AND q.source NOT IN (SELECT value FROM json_each(?1)))",
            sources,
        ).fetchall()
        touched: set[int] = set()
        for (document,) in purged:
            touched |= self._entries("document", "id = ?", document)
            self._execute("UPDATE document SET name = '', digest = '' WHERE id = ?", document)
            self.rememberer.transaction.insert(Row("document_event", {"document": document, "kind": PURGED}))
        return touched

    def _blank_documents(self) -> set[int]:
        """Blank the values in the names of documents."""
        touched: set[int] = set()
        for space in self.plan.reach:
            for id_, name in self._execute("SELECT id, name FROM document WHERE space = ?", str(space)).fetchall():
                spans = [span for value in self.plan.values for span in occurrences(name, value)]
                if spans:
                    touched |= self._entries("document", "id = ?", id_)
                    self._execute("UPDATE document SET name = ? WHERE id = ?", blanked(name, spans), id_)
        return touched

    def _drop_axioms(self) -> set[int]:
        """Destroy proposed axioms in which a value stands; raise ``IncorrectChoiceError`` for adopted ones."""
        touched: set[int] = set()
        for addition in additions(self.rememberer.transaction.execute):
            if any(occurrences(addition.turtle, value) for value in self.plan.values):
                if addition.state == ADOPTED:
                    message = (
                        f"It stands in the axioms {addition.id}, which are adopted. Nothing was changed;"
                        f" `muniment ontology withdraw {addition.id}` first."
                    )
                    raise IncorrectChoiceError(message)
                touched |= self._entries("axioms", "id = ?", addition.id)
                self._execute("UPDATE axioms SET turtle = '' WHERE id = ?", addition.id)
        return touched

    def _blank_sources(self) -> set[int]:
        """Blank the words, in sources, in the questions read from them and in the reasons of decisions about them."""
        touched: set[int] = set()
        tx = self.rememberer.transaction
        blanks = {**self.plan.stretches, **self.plan.beyond}
        sources = [source for source, spans in blanks.items() if spans]
        kinds = tx.unindex(sources)
        for source in sources:
            spans = blanks[source]
            body = blanked(self.reads.body(source), spans)
            touched |= self._entries("source", "id = ?", source)
            self._execute("UPDATE source SET body = ? WHERE id = ?", body, source)
            for label, kind, entry in kinds.get(source, ()):
                tx.index(label, kind, source, terms(body), entry)
                touched.add(entry)
            touched |= self._blank_questions(source, body)
            for span in spans:
                touched |= self._forget_decision(
                    "source = ? AND span_start < ? AND span_end > ? AND outcome <> 'admitted'", (source, span.end, span.start)
                )
        return touched

    def _blank_questions(self, source: str, body: str) -> set[int]:
        row = self._execute("SELECT questions FROM reading WHERE source = ?", source).fetchone()
        if row is None or row[0] == "[]":
            return set()
        kept = [question for question in json.loads(row[0]) if question in body]
        if len(kept) == len(json.loads(row[0])):
            return set()
        self._execute("UPDATE reading SET questions = ? WHERE source = ?", json.dumps(kept), source)
        return self._entries("reading", "source = ?", source)

    def _forget_decision(self, where: str, parameters: Sequence[Any]) -> set[int]:
        found = self.rememberer.transaction.execute(f"SELECT entry FROM decision WHERE {where}", parameters).fetchall()
        if found:
            self.rememberer.transaction.execute(
                f"UPDATE decision SET reason = '{_OVER}', predicate = NULL, version = NULL WHERE {where}", parameters
            )
        return {entry for (entry,) in found}

    def _entries(self, table: str, where: str, parameter: str, column: str = "entry", also: Sequence[Any] = ()) -> set[int]:
        rows = self._execute(f"SELECT DISTINCT {column} FROM {table} WHERE {where}", parameter, *also)
        return {entry for (entry,) in rows.fetchall()}
