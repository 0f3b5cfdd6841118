"""Remembering a source and undoing it, inside the writer's transaction: candidates -> decisions -> rows.

Reads what admission may see, asks it, and writes what it decided. Holds no rule of its own about what to believe.
"""

import json
from dataclasses import dataclass, field, replace

from pyoxigraph import Literal, NamedNode

from memory import admit as admission
from memory import axes, transact
from memory._oxigraph import canonical
from memory.admit import Admit, Assert, Audience, Correct, Corroborate, Decision, Deny, Hold, Refuse, View
from memory.claim import (
    Candidate,
    Claim,
    Mention,
    Outcome,
    Proposal,
    Reading,
    Rule,
    Source,
    Speaker,
    Validity,
    Value,
)
from memory.entities import Resolver, person
from memory.errors import UnknownThingError
from memory.ids import Ids
from memory.label import Clearance, Label, Sensitivity, Spaces
from memory.ledger import Transaction
from memory.read import Reads, live_claims_of
from memory.tables import Row
from memory.text import index_form
from memory.vocabulary import Vocabulary
from memory.words import sentence
from ontologies.vocab import NAME, RELATED


@dataclass(slots=True)
class Touched:
    """The claim versions that a transaction opened and closed."""

    opened: list[str] = field(default_factory=list[str])
    closed: list[tuple[Claim, str]] = field(default_factory=list[tuple[Claim, str]])


@dataclass(frozen=True, slots=True)
class Rememberer:
    """One transaction's remembering, with all it needs."""

    transaction: Transaction
    reads: Reads
    order: Spaces
    vocabulary: Vocabulary
    ids: Ids
    touched: Touched = field(default_factory=Touched)

    def read(self, source: Source, reading: Reading, *, is_owner: bool) -> None:
        """Decide about every candidate of a reading, in order, and record reading, decisions and the source's label."""
        tx = self.transaction
        tx.insert(Row("reading", {"source": source.id, "parser": reading.parser, "questions": json.dumps(reading.questions)}))
        audience = Audience(source, is_owner=is_owner, marks=frozenset(c.mark for c in reading.candidates))
        labels: list[Label] = []
        for ordinal, candidate in enumerate(reading.candidates):
            decision, label, version = self._consider(candidate, audience, ordinal)
            if label is not None:
                labels.append(label)
            tx.insert(_decision_row(source.id, ordinal, candidate, decision, version))
        label = admission.source_label(source, labels, audience.marks)
        tx.insert(Row("source_label", {"source": source.id, "label": str(label)}))
        tx.index(str(label), "question" if reading.only_asks else "passage", source.id, index_form(source.body))

    def undo(self, source: str) -> None:
        """Take back exactly what remembering a source did, and reopen what it had superseded. No refusal is recorded.

        A claim that has found other evidence since stays. Raises ``UnknownThingError`` where there is nothing to undo.
        """
        tx, execute = self.transaction, self.transaction.execute
        read = execute(
            "SELECT r.entry, u.entry FROM reading r LEFT JOIN undone u ON u.source = r.source WHERE r.source = ?", (source,)
        ).fetchone()
        if read is None or read[1] is not None:
            message = "There is nothing to undo there. Nothing was changed."
            raise UnknownThingError(message)
        entry: int = read[0]
        for (id_,) in execute("SELECT id FROM evidence WHERE entry = ?", (entry,)).fetchall():
            tx.withdraw_evidence(id_)
        for table in ("live_claim", "negative_claim"):
            for version, claim in execute(f"SELECT version, claim FROM {table} WHERE entry = ?", (entry,)).fetchall():
                superseded = self._closed_in(entry, claim)
                if superseded or not self._has_evidence(claim):
                    self._close(version, "undone", table)
                if superseded:
                    self._reopen(superseded)
        tx.insert(Row("undone", {"source": source}))

    def _consider(self, candidate: Candidate, audience: Audience, ordinal: int) -> tuple[Decision, Label | None, str | None]:
        source = audience.source
        decision = admission.screen(candidate, source.body)
        if isinstance(decision, Refuse):
            return decision, None, None
        label = admission.route(candidate, audience, self.vocabulary)
        clearance = self.order.clearance(source.space, Sensitivity.SECRET, label.integrity)
        proposal, names = self._resolve(candidate, source, label, clearance)
        if decision is None:
            decision = admission.admit(proposal, self._view(proposal))
        if isinstance(decision, Hold):
            self._wait(proposal, decision, source.id, ordinal)
            return decision, label, None
        if isinstance(decision, Refuse):
            return decision, label, None
        for naming in names:
            self._believe(naming, source.id, Admit(Rule.NEW, (Assert(),), "names it"))
        version = self._believe(proposal, source.id, decision)
        return decision, label, version

    def _resolve(
        self, candidate: Candidate, source: Source, label: Label, clearance: Clearance
    ) -> tuple[Proposal, list[Proposal]]:
        """Return the proposal of a candidate, and those for the names it uses."""
        predicate = candidate.predicate if candidate.predicate in self.vocabulary.properties else RELATED
        assert predicate is not None
        property_ = self.vocabulary[predicate]
        resolver = Resolver(self.reads, self.order, self.vocabulary, self.ids)
        validity = axes.stated(candidate.validity, source.said_at)
        names: list[Proposal] = []

        def entity(reference: Speaker | Mention, wanted: NamedNode | None) -> NamedNode:
            if isinstance(reference, Speaker):
                return person(source.speaker)
            found = resolver.resolve(reference, wanted, clearance, label)
            spoken = Value(Literal(reference.text), reference.span)
            naming = Candidate(reference, NAME, spoken, reference.span, "name")
            named_from = axes.stated(naming.validity, source.said_at)
            names.append(
                Proposal(naming, found.entity, NAME, Literal(reference.text), label, named_from, source.speaker, source.said_at)
            )
            return found.entity

        subject = entity(candidate.subject, property_.domain)
        spoken = candidate.object
        term = canonical(spoken.term) if isinstance(spoken, Value) else entity(spoken, property_.range)
        proposal = Proposal(candidate, subject, predicate, term, label, validity, source.speaker, source.said_at)
        return proposal, names

    def _view(self, proposal: Proposal) -> View:
        label = proposal.label
        below = self.order.clearance(label.space, label.sensitivity, label.integrity)
        predicates = admission.opposing(proposal.predicate, self.vocabulary)
        believed = self.reads.claims(below, subject=proposal.subject, predicates=predicates)
        denied = self.reads.claims(below, subject=proposal.subject, predicates=predicates, negative=True)
        return View(self.vocabulary, believed, denied, now=self.transaction.at)

    def _believe(self, proposal: Proposal, source: str, decision: Admit) -> str | None:
        """Write the effects of an admission; return the version of the claim that the decision is about."""
        about: str | None = None
        for effect in decision.effects:
            match effect:
                case Assert():
                    about = self._open(proposal, source, "live_claim")
                case Deny():
                    about = self._open(proposal, source, "negative_claim")
                case Corroborate(claim):
                    self._cite(claim.id, proposal, source)
                    about = claim.version
                case Correct(claim, validity, reason):
                    corrected = self._correct(claim, validity, reason)
                    if not any(isinstance(other, Assert) for other in decision.effects):
                        self._cite(claim.id, proposal, source)
                        about = corrected
        return about

    def _open(self, proposal: Proposal, source: str, table: str) -> str:
        naming = proposal.predicate in self.vocabulary.naming and table == "live_claim"
        known = self._standing_name(proposal) if naming else None
        if known is not None:
            self._cite(known.id, proposal, source)
            return known.version
        version, claim = self.ids(), self.ids()
        row = transact.new_claim(proposal, version, claim, self.transaction.at, source, naming=naming)
        self.transaction.insert(replace(row, table=table))
        self.transaction.subjects[proposal.subject.value] = None
        self._cite(claim, proposal, source)
        if table == "live_claim":
            self.touched.opened.append(version)
        self.transaction.index(str(proposal.label), "claim", version, index_form(self._words(proposal)))
        return version

    def _standing_name(self, proposal: Proposal) -> Claim | None:
        """Return the claim that already names the thing so, at or below the label: a second would say the same."""
        label = proposal.label
        below = self.order.clearance(label.space, label.sensitivity, label.integrity)
        same = self.reads.claims(below, subject=proposal.subject, predicates=(proposal.predicate,), object_=proposal.object)
        return same[0] if same else None

    def _cite(self, claim: str, proposal: Proposal, source: str) -> None:
        candidate = proposal.candidate
        self.transaction.insert(transact.evidence(self.ids(), claim, source, candidate.span, candidate.wording))

    def _correct(self, claim: Claim, validity: Validity, reason: str) -> str:
        row = self._row(claim.version, "live_claim")
        self._close(claim.version, reason, "live_claim")
        version = self.ids()
        self.transaction.insert(transact.next_version(row, version, validity, self.transaction.at))
        self.transaction.subjects[claim.subject.value] = None
        self.touched.opened.append(version)
        return version

    def _close(self, version: str, reason: str, table: str) -> None:
        if table == "live_claim":
            self.touched.closed += live_claims_of(self.transaction.execute, [version])
        self.transaction.close(version, reason, table=table)

    def _reopen(self, version: str) -> None:
        row = self._row(version, "closed_claim")
        kept = {name: row[name] for name in self.transaction.columns("live_claim") if name != "entry"}
        again = {**kept, "version": self.ids(), "transaction_from": self.transaction.at}
        self.transaction.insert(Row("live_claim", again))
        self.touched.opened.append(str(again["version"]))

    def _wait(self, proposal: Proposal, decision: Hold, source: str, ordinal: int) -> None:
        values = {
            "id": self.ids(),
            "source": source,
            "ordinal": ordinal,
            "label": str(proposal.label),
            "subject": str(proposal.subject),
            "predicate": str(proposal.predicate),
            "object": str(proposal.object),
            "against": json.dumps([claim.version for claim in decision.against]),
        }
        self.transaction.insert(Row("pending", values))

    def _words(self, proposal: Proposal) -> str:
        candidate = proposal.candidate
        subject = "" if isinstance(candidate.subject, Speaker) else candidate.subject.text
        spoken = candidate.object
        object_ = "" if isinstance(spoken, Speaker) else spoken.text if isinstance(spoken, Mention) else _value(spoken)
        return sentence(self.vocabulary[proposal.predicate], subject, object_)

    def _row(self, version: str, table: str) -> dict[str, str | int | None]:
        values = self.transaction.execute(f"SELECT * FROM {table} WHERE version = ?", (version,)).fetchone()
        return dict(zip(self.transaction.columns(table), values, strict=True))

    def _closed_in(self, entry: int, claim: str) -> str:
        found = self.transaction.execute(
            "SELECT version FROM closed_claim WHERE closing_entry = ? AND claim = ?", (entry, claim)
        ).fetchone()
        return found[0] if found else ""

    def _has_evidence(self, claim: str) -> bool:
        return self.transaction.execute("SELECT 1 FROM evidence WHERE claim = ? LIMIT 1", (claim,)).fetchone() is not None


def _value(value: Value) -> str:
    return value.term.value.rsplit("#", 1)[-1] if isinstance(value.term, NamedNode) else value.term.value


def _decision_row(source: str, ordinal: int, candidate: Candidate, decision: Decision, version: str | None) -> Row:
    outcome = {Admit: Outcome.ADMITTED, Hold: Outcome.HELD, Refuse: Outcome.REFUSED}[type(decision)]
    values = {
        "source": source,
        "ordinal": ordinal,
        "outcome": outcome.value,
        "rule": decision.rule.value,
        "reason": decision.reason,
        "span_start": candidate.span.start,
        "span_end": candidate.span.end,
        "predicate": None if candidate.predicate is None else str(candidate.predicate),
        "version": version,
    }
    return Row("decision", values)
