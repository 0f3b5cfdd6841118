"""Remembering a source and undoing it, inside the writer's transaction: candidates -> decisions -> rows.

Reads what admission may see, asks it, and writes what it decided. Holds no rule of its own about what to believe.
"""

import itertools
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from pyoxigraph import Literal, NamedNode

from memory import admit as admission
from memory import axes, transact
from memory._oxigraph import canonical
from memory.admit import Admit, Assert, Audience, Correct, Corroborate, Decision, Deny, Hold, Refuse, View
from memory.claim import (
    FOLDED,
    NAMED_BY_MENTION,
    Candidate,
    Claim,
    Decided,
    Mention,
    Outcome,
    Polarity,
    Proposal,
    Reading,
    Receipt,
    Reference,
    Rule,
    Source,
    Span,
    Speaker,
    Term,
    Validity,
    Value,
)
from memory.contradict import Contradiction
from memory.entities import Resolved, Resolver, person
from memory.errors import UnknownThingError
from memory.ids import ENTITY, Ids
from memory.label import WORLDVIEW, Clearance, Integrity, Label, Sensitivity, Space, Spaces, user
from memory.ledger import Transaction
from memory.marks import leading_mark
from memory.read import Reads
from memory.refusal import Refusals, Refused, Subject, keys_of
from memory.rows import Proposed, live_claims_of
from memory.tables import VALIDITY_COLUMNS, Row, Scalar
from memory.text import alike_form, name_key, terms
from memory.vocabulary import Vocabulary
from memory.words import sentence
from ontologies.vocab import NAME, RELATED

MOST_ALIKE = 6
"""Things with names of one form; more are a series."""


@dataclass(slots=True)
class Touched:
    """The claim versions that a transaction opened and closed, and the words it took as evidence for which claim.

    ``opened_by`` is the place of the candidate that opened a version, where one did.
    """

    opened: list[str] = field(default_factory=list[str])
    opened_by: dict[str, int] = field(default_factory=dict[str, int])
    closed: list[tuple[Claim, str]] = field(default_factory=list[tuple[Claim, str]])
    cited: set[tuple[str, Span]] = field(default_factory=set[tuple[str, Span]])


@dataclass(frozen=True, slots=True)
class Naming:
    """A mention with what it means, and the label under which the name has to be known."""

    mention: Mention
    resolved: Resolved
    label: Label


@dataclass(frozen=True, slots=True)
class _Written:
    """A claim of which an entry wrote a version, and what became of it.

    ``created`` tells whether the entry made the claim; ``live`` is what of it stands now, with its table; ``superseded`` the
    version that the entry closed, and ``written`` the valid time that it wrote.
    """

    id: str
    created: bool
    live: tuple[tuple[str, str], ...]
    superseded: str
    written: tuple[int | str | None, ...]


@dataclass(frozen=True, slots=True)
class Rememberer:
    """One transaction's remembering, with all it needs; ``own`` is the space of the conversation.

    ``contradicted`` tells which candidates, by their place, were found to contradict what is known.
    """

    transaction: Transaction
    reads: Reads
    order: Spaces
    vocabulary: Vocabulary
    ids: Ids
    own: Space
    refusals: Refusals
    touched: Touched = field(default_factory=Touched)
    contradicted: Mapping[int, Contradiction] = field(default_factory=dict[int, Contradiction])

    def read(self, source: Source, reading: Reading, *, is_owner: bool) -> Receipt:
        """Decide about every candidate of a reading, in order; record reading, decisions and the source's label."""
        tx = self.transaction
        tx.insert(
            Row(
                "reading",
                {
                    "source": source.id,
                    "parser": reading.parser,
                    "questions": json.dumps(reading.questions),
                    "unread": reading.unread,
                    "confirms": reading.confirms,
                },
            )
        )
        said = self._confirmed(source, reading.confirms) if reading.confirms else source
        audience = Audience(said, is_owner=is_owner, confirmed=bool(reading.confirms))
        labels: list[Label] = []
        decisions: list[Decided] = []
        for ordinal, candidate in enumerate(reading.candidates):
            before = len(self.touched.opened)
            decision, label, version = self._consider(candidate, audience, ordinal)
            self.touched.opened_by.update(dict.fromkeys(self.touched.opened[before:], ordinal))
            if label is not None:
                labels.append(label)
            decided = _decided(candidate, decision, version)
            if reading.confirms:
                decided = replace(decided, span=Span(0, len(source.body)))
            tx.insert(_decision_row(source.id, ordinal, decided))
            decisions.append(decided)
        label = admission.source_label(source, labels)
        tx.insert(Row("source_label", {"source": source.id, "label": str(label)}))
        tx.index(str(label), "question" if reading.only_asks else "passage", source.id, terms(source.body))
        return Receipt(
            source.id, tx.seq, reading.parser, tuple(decisions), reading.questions, reading.unread, confirms=reading.confirms
        )

    def _confirmed(self, source: Source, earlier: str) -> Source:
        """Return the earlier source that one says yes to, which is its speaker's own in the same conversation."""
        found = self.reads.source(self.order.clearance(self.own, integrity=Integrity.QUARANTINED), earlier)
        if (found.conversation, found.speaker) != (source.conversation, source.speaker):
            message = "That is not yours to confirm. Nothing was stored."
            raise UnknownThingError(message)
        return found

    def undo(self, source: str) -> None:
        """Take back exactly what remembering a source did, and reopen what it had superseded. No refusal is recorded.

        A claim that has found other evidence since stays. Raises ``UnknownThingError`` where there is nothing to undo.
        """
        tx, execute = self.transaction, self.transaction.execute
        read = execute(
            "SELECT r.entry, u.entry, r.confirms FROM reading r LEFT JOIN undone u ON u.source = r.source WHERE r.source = ?",
            (source,),
        ).fetchone()
        if read is None or read[1] is not None:
            message = "There is nothing to undo there. Nothing was changed."
            raise UnknownThingError(message)
        entry: int = read[0]
        words = read[2] or source  # where the evidence lies
        cited = execute("SELECT DISTINCT claim FROM evidence WHERE source = ? AND entry = ?", (words, entry)).fetchall()
        tx.withdraw_evidence(words, entry)
        reopening: list[str] = []
        for claim in self._claims_written_in(entry):
            corrected = not claim.created and claim.live and claim.superseded
            if corrected and self._bounds(claim.live[0][0], "live_claim") == claim.written:
                self.close(claim.live[0][0], "undone", "live_claim")
                if self._has_evidence(claim.id):
                    reopening.append(claim.superseded)
            elif claim.created:
                cited.append((claim.id,))
        self.close_unsupported(dict.fromkeys(claim for (claim,) in cited), "undone")
        for version in reopening:
            if not self.is_refused(version):
                self._stand_again(version)
        tx.insert(Row("undone", {"source": source}))

    def close_unsupported(self, claims: Iterable[str], reason: str) -> int:
        """Close those of the claims for which no evidence is left; return how many that were."""
        closed = 0
        folded: dict[str, list[Proposed]] = {}
        for proposed in self.reads.folded():
            folded.setdefault(proposed.about[0], []).append(proposed)
        for claim in claims:
            if not self._has_evidence(claim):
                for table in ("live_claim", "negative_claim"):
                    found = self.transaction.execute(f"SELECT version FROM {table} WHERE claim = ?", (claim,)).fetchall()
                    for (version,) in found:
                        self.close(version, reason, table)
                        closed += 1
                for other in folded.get(claim, ()):  # another writing of its value stands again
                    self.unfold(other)
        return closed

    def unfold(self, folded: Proposed) -> bool:
        """Let a claim stand again that was folded into another; return whether it could.

        It cannot where nothing is left that says it, where it was refused since, or where the other is about another thing now.
        """
        kept, gone = folded.about
        seen = self.order.clearance(folded.label.space, integrity=Integrity.QUARANTINED)
        was = [s for s in self.reads.standing(seen, claims=[gone]) if (s.closing_entry, s.reason) == (folded.settled, FOLDED)]
        beside = self.reads.live(kept)
        is_moved = bool(was) and beside is not None and beside.subject != was[0].claim.subject
        if not was or is_moved or self.reads.live(gone) or not self._has_evidence(gone) or self.is_refused(was[0].claim.version):
            return False
        row = self.row(was[0].claim.version, "closed_claim")
        self.reopen("live_claim", {name: row[name] for name in self.transaction.columns("live_claim")})
        return True

    def _consider(self, candidate: Candidate, audience: Audience, ordinal: int) -> tuple[Decision, Label | None, str | None]:
        source = audience.source
        decision = admission.screen(candidate, source.body, speaker=source.speaker)
        if isinstance(decision, Refuse):
            return decision, None, None
        label = admission.route(candidate, audience, self.vocabulary)
        if audience.confirmed:  # the question named no wider audience, so a yes gives none
            label = label._replace(space=source.space)
        clearance = self.order.clearance(source.space, Sensitivity.SECRET, label.integrity)
        proposal, names = self.resolve(candidate, source, label, clearance)
        if decision is None:
            view = self.view(proposal)
            contradiction = self.contradicted.get(ordinal)
            if contradiction is not None:
                view = replace(
                    view,
                    contradiction=contradiction.proof,
                    contradiction_words=contradiction.reason,
                    contradicting=self._behind(contradiction),
                )
            inherited = admission.inherited(proposal, view)
            if inherited != label:
                label, proposal = inherited, replace(proposal, label=inherited)
                names = [replace(name, label=inherited) for name in names]
            refused = self.refused(proposal, clearance)
            decision = admission.admit(proposal, replace(view, refusal="" if refused is None else refused.words()))
        if isinstance(decision, Hold):
            if decision.rule is not Rule.UNSUPPORTED:
                self.wait(proposal, decision, source.id, ordinal)
            return decision, label, None
        if isinstance(decision, Refuse):
            return decision, label, None
        return decision, label, self.believe(proposal, names, source, decision)

    def resolve(self, candidate: Candidate, source: Source, label: Label, clearance: Clearance) -> tuple[Proposal, list[Naming]]:
        """Return the proposal of a candidate, and the names it uses."""
        predicate = candidate.predicate if candidate.predicate in self.vocabulary.properties else RELATED
        assert predicate is not None
        property_ = self.vocabulary[predicate]
        resolver = Resolver(self.reads, self.order, self.vocabulary, self.ids)
        names: list[Naming] = []

        def entity(reference: Speaker | Mention, wanted: NamedNode | None) -> NamedNode:
            if isinstance(reference, Speaker):
                return person(source.speaker)
            found = resolver.resolve(reference, wanted, clearance, label)
            names.append(Naming(reference, found, label))
            return found.entity

        subject = entity(candidate.subject, property_.domain)
        spoken = candidate.object
        term = canonical(spoken.term) if isinstance(spoken, Value) else entity(spoken, property_.range)
        validity = axes.stated(candidate.validity, source.said_at)
        _, mark = leading_mark(source.body)
        return Proposal(candidate, subject, predicate, term, label, validity, source.speaker, source.said_at, mark), names

    def _name(self, name: Naming, source: Source) -> None:
        """Let the mention be evidence for the name of its entity, which is claimed where nothing at its label says it yet."""
        mention = name.mention
        candidate = Candidate(mention, NAME, Value(Literal(mention.text), mention.span), mention.span, NAMED_BY_MENTION)
        if name.resolved.naming is not None:
            self._cite(name.resolved.naming, candidate, source.id)
            return
        text, validity = Literal(mention.text), axes.stated(candidate.validity, source.said_at)
        entity, speaker = name.resolved.entity, source.speaker
        self._notice(mention.text, entity, name.label, source.id)
        proposal = Proposal(candidate, entity, NAME, text, name.label, validity, speaker, source.said_at)
        self._open(proposal, source.id, "live_claim")

    def refused(self, proposal: Proposal, clearance: Clearance) -> Refused | None:
        """Return the refusal that stands against a proposal where it would land or where it was said."""
        spaces = dict.fromkeys((proposal.label.space, self.own))
        if proposal.label.space == WORLDVIEW or proposal.label.space != self.own:  # told more widely: those it is about are asked
            spaces |= dict.fromkeys(user(term.value.removeprefix(ENTITY)) for term in _entities(proposal))
        if not self.refusals.has_any(spaces):
            return None
        candidate = proposal.candidate
        subjects = self._keys(proposal.subject, candidate.subject, clearance)
        values = self._keys(proposal.object, candidate.object, clearance)
        return self.refusals.find(spaces, Subject(subjects, proposal.predicate, values))

    def is_refused(self, version: str) -> bool:
        """Tell whether what a version says has been refused in its space since."""
        seen = self.order.clearance(self.own, integrity=Integrity.QUARANTINED)
        claim = self.reads.version(seen, version)
        about = Subject(*(self.keys_of(seen, claim.subject), claim.predicate, self.keys_of(seen, claim.object)))
        return self.refusals.find((claim.label.space,), about) is not None

    def keys_of(self, seen: Clearance, term: Term) -> tuple[str, ...]:
        """Return all that a refusal may know a term by."""
        return keys_of(term, self.reads.called(seen, term) if isinstance(term, NamedNode) else ())

    def _keys(self, term: Term, reference: Reference, clearance: Clearance) -> tuple[str, ...]:
        names = self.reads.called(clearance, term) if isinstance(term, NamedNode) else []
        return keys_of(term, [*names, reference.text] if isinstance(reference, Mention) else names)

    def _notice(self, name: str, entity: NamedNode, label: Label, source: str) -> None:
        """Note what else here bears a name that is easily taken for this one; a person decides whether they are one.

        Where many bear such names they are a series, as rooms are, and nobody is asked about each pair.
        """
        form = alike_form(name)
        if form == name_key(name):
            others: list[NamedNode] = []
            if self.transaction.execute("SELECT 1 FROM name_form WHERE form = ? LIMIT 1", (form,)).fetchone() is not None:
                others = self.reads.alike(self.order.clearance(label.space, integrity=label.integrity), form, MOST_ALIKE + 1)
        else:
            others = self.reads.alike(self.order.clearance(label.space, integrity=label.integrity), form, MOST_ALIKE + 1)
        if len(others) > MOST_ALIKE:
            return
        for other in others:
            if other != entity:
                values = {"id": self.ids(), "label": str(label), "first": other.value, "second": entity.value, "source": source}
                self.transaction.insert(Row("alike", values))

    def view(self, proposal: Proposal) -> View:
        """Return what stands at or below the label, and what its speaker said in their own space at any sensitivity."""
        label = proposal.label
        predicates = admission.opposing(proposal.predicate, self.vocabulary)
        seen = self.order.clearance(label.space, label.sensitivity, label.integrity)
        if label.integrity is Integrity.TRUSTED and self.own == user(proposal.speaker):
            own = self.order.clearance(self.own)
            seen = Clearance(own.top, seen.labels | {level for level in own.labels if level.space == self.own})
        believed = self.reads.claims(seen, subject=proposal.subject, predicates=predicates)
        denied: list[Claim] = []
        if proposal.candidate.polarity is not Polarity.HOLDS:
            denied = self.reads.claims(seen, subject=proposal.subject, predicates=predicates, negative=True)
        return View(self.vocabulary, believed, denied, now=self.transaction.at)

    def _behind(self, contradiction: Contradiction) -> list[Claim]:
        """Return the claims behind a contradiction that stand already, as far as its speaker may see."""
        seen = self.order.clearance(self.own)
        patterns = ((fact.triple.subject, fact.triple.predicate, fact.triple.object) for fact in contradiction.facts)
        found = [self.reads.claims(seen, subject=s, predicates=(p,), object_=o) for s, p, o in patterns]  # type: ignore[arg-type]
        return list(dict.fromkeys(claim for claims in found for claim in claims))

    def believe(self, proposal: Proposal, names: Iterable[Naming], said: Source, decision: Admit) -> str | None:
        """Write the effects of an admission, with the names it uses; return the version of the claim that it is about."""
        for name in names:
            self._name(name, said)
        about: str | None = None
        source = said.id
        for effect in decision.effects:
            match effect:
                case Assert():
                    about = self._open(proposal, source, "live_claim")
                case Deny():
                    about = self._open(proposal, source, "negative_claim")
                case Corroborate(claim):
                    self._cite(claim.id, proposal.candidate, source)
                    about = claim.version
                case Correct(claim, validity, reason):
                    corrected = self.correct(claim, validity, reason)
                    if not any(isinstance(other, Assert) for other in decision.effects):
                        self._cite(claim.id, proposal.candidate, source)
                        about = corrected
        return about

    def _open(self, proposal: Proposal, source: str, table: str) -> str:
        """Write a new claim with its evidence; return its version."""
        naming = proposal.predicate in self.vocabulary.naming and table == "live_claim"
        version, claim = self.ids(), self.ids()
        row = transact.new_claim(table, proposal, version, claim, self.transaction.at, source, naming=naming)
        self.transaction.insert(row)
        self.transaction.subjects[proposal.subject.value] = None
        self._cite(claim, proposal.candidate, source)
        if table == "live_claim":
            self.touched.opened.append(version)
        if naming and (form := alike_form(proposal.object.value)) != name_key(proposal.object.value):
            self.transaction.execute("INSERT INTO name_form VALUES (?, ?)", (form, claim))
        if not naming:
            self.transaction.index(str(proposal.label), "claim", version, terms(self._words(proposal)))
        return version

    def _cite(self, claim: str, candidate: Candidate, source: str) -> None:
        cited = (claim, candidate.span)
        if cited not in self.touched.cited:
            self.touched.cited.add(cited)
            if self._is_cited(claim, source, candidate.span):  # by an earlier reading of the same words, which a yes confirms
                return
            self.transaction.insert(transact.evidence(claim, source, candidate.span, candidate.wording))

    def correct(self, claim: Claim, validity: Validity, reason: str) -> str:
        """Close a version of a claim and write the next one with another valid time; return that one."""
        row = self.row(claim.version, "live_claim")
        self.close(claim.version, reason, "live_claim")
        version = self.ids()
        self.transaction.insert(transact.next_version(row, version, validity, self.transaction.at))
        self.transaction.subjects[claim.subject.value] = None
        self.touched.opened.append(version)
        return version

    def close(self, version: str, reason: str, table: str) -> None:
        """Stop believing a version that stands in ``live_claim`` or ``negative_claim``."""
        if table == "live_claim":
            closing = live_claims_of(self.transaction.execute, [version])
            self.touched.closed += closing
            self.transaction.subjects.update({claim.subject.value: None for claim, _ in closing})
        self.transaction.close(version, reason, table=table)

    def _stand_again(self, version: str) -> None:
        """Let a superseded version stand again, as it was; with the end it got where something else holds in its place."""
        row = self.row(version, "closed_claim")
        kept = {name: row[name] for name in self.transaction.columns("live_claim") if name != "entry"}
        seen = self.order.clearance(self.own, integrity=Integrity.QUARANTINED)
        claim = self.reads.version(seen, version)
        predicates = admission.opposing(claim.predicate, self.vocabulary)
        if admission.is_replaced(claim, self.reads.claims(seen, subject=claim.subject, predicates=predicates), self.vocabulary):
            end = {"to_earliest": kept["known_from"], "to_latest": self.transaction.at}
            kept = {**kept, **end}
        self.reopen("live_claim", kept)

    def reopen(self, table: str, row: Mapping[str, Scalar]) -> None:
        """Let a version stand again, under a new version id, from now on."""
        kept = {name: value for name, value in row.items() if name != "entry"}
        again = {**kept, "version": self.ids(), "transaction_from": self.transaction.at}
        self.transaction.insert(Row(table, again))
        self.transaction.subjects[str(row["subject"])[1:-1]] = None
        if table == "live_claim":
            self.touched.opened.append(str(again["version"]))

    def wait(self, proposal: Proposal, decision: Hold, source: str, ordinal: int) -> None:
        """Keep a candidate until a person decides."""
        candidate = proposal.candidate
        spoken = [getattr(reference, "text", "") for reference in (candidate.subject, candidate.object)]
        values = {
            "id": self.ids(),
            "source": source,
            "ordinal": ordinal,
            "label": str(proposal.label),
            "subject": str(proposal.subject),
            "subject_text": spoken[0],
            "predicate": str(proposal.predicate),
            "object": str(proposal.object),
            "object_text": spoken[1],
            "polarity": candidate.polarity.value,
            "present": int(candidate.present),
            **transact.bounds(proposal.validity),
            "speaker": proposal.speaker,
            "wording": candidate.wording,
            "span_start": candidate.span.start,
            "span_end": candidate.span.end,
            "against": json.dumps([claim.version for claim in decision.against]),
            "rule": decision.rule.value,
            "reason": decision.reason,
        }
        self.transaction.insert(Row("pending", values))

    def _words(self, proposal: Proposal) -> str:
        candidate = proposal.candidate
        subject = "" if isinstance(candidate.subject, Speaker) else candidate.subject.text
        spoken = candidate.object
        object_ = "" if isinstance(spoken, Speaker) else spoken.text if isinstance(spoken, Mention) else _value(spoken)
        return sentence(self.vocabulary[proposal.predicate], subject, object_)

    def row(self, version: str, table: str) -> dict[str, str | int | None]:
        """Return the columns of a claim version in a table."""
        values = self.transaction.execute(f"SELECT * FROM {table} WHERE version = ?", (version,)).fetchone()
        return dict(zip(self.transaction.columns(table), values, strict=True))

    def _claims_written_in(self, entry: int) -> "list[_Written]":
        """Return the claims of which an entry wrote a version, with what became of them since."""
        execute = self.transaction.execute
        (subjects,) = execute("SELECT subjects FROM entry WHERE seq = ?", (entry,)).fetchone()
        tables = ("live_claim", "negative_claim", "closed_claim")
        found: dict[str, _Written] = {}
        for table, subject in itertools.product(tables, json.loads(subjects)):
            sql = f"SELECT DISTINCT claim FROM {table} WHERE subject = ? AND entry = ?"
            for (claim,) in execute(sql, (f"<{subject}>", entry)).fetchall():
                found.setdefault(claim, self._written(entry, claim, f"<{subject}>"))
        return list(found.values())

    def _written(self, entry: int, claim: str, subject: str) -> "_Written":
        execute = self.transaction.execute
        first = entry
        live: list[tuple[str, str]] = []
        written: tuple[int | str | None, ...] = ()
        superseded = ""
        for table in ("live_claim", "negative_claim", "closed_claim"):
            sql = f"SELECT version, entry FROM {table} WHERE subject = ? AND claim = ? ORDER BY version"
            for version, wrote in execute(sql, (subject, claim)).fetchall():
                first = min(first, wrote)
                if table != "closed_claim":
                    live.append((version, table))
                if wrote == entry:
                    written = self._bounds(version, table)
        closed = "SELECT version FROM closed_claim WHERE closing_entry = ? AND claim = ? ORDER BY version LIMIT 1"
        row = execute(closed, (entry, claim)).fetchone()
        if row is not None:
            superseded = row[0]
        return _Written(claim, first == entry, tuple(live), superseded, written)

    def _bounds(self, version: str, table: str) -> tuple[int | str | None, ...]:
        columns = ", ".join(VALIDITY_COLUMNS)
        return tuple(self.transaction.execute(f"SELECT {columns} FROM {table} WHERE version = ?", (version,)).fetchone())

    def _is_cited(self, claim: str, source: str, span: Span) -> bool:
        sql = "SELECT 1 FROM evidence WHERE claim = ? AND source = ? AND span_start = ? AND span_end = ?"
        return self.transaction.execute(sql, (claim, source, span.start, span.end)).fetchone() is not None

    def _has_evidence(self, claim: str) -> bool:
        return self.transaction.execute("SELECT 1 FROM evidence WHERE claim = ? LIMIT 1", (claim,)).fetchone() is not None


def _entities(proposal: Proposal) -> Iterator[NamedNode]:
    """Yield the things that a proposal is about, people among them."""
    for term in (proposal.subject, proposal.object):
        if isinstance(term, NamedNode) and term.value.startswith(ENTITY):
            yield term


def _value(value: Value) -> str:
    return value.term.value.rsplit("#", 1)[-1] if isinstance(value.term, NamedNode) else value.term.value


def _decided(candidate: Candidate, decision: Decision, version: str | None) -> Decided:
    outcome = {Admit: Outcome.ADMITTED, Hold: Outcome.HELD, Refuse: Outcome.REFUSED}[type(decision)]
    return Decided(outcome, decision.rule, decision.reason, candidate.span, candidate.predicate, version)


def _decision_row(source: str, ordinal: int, decided: Decided) -> Row:
    values = {
        "source": source,
        "ordinal": ordinal,
        "outcome": decided.outcome.value,
        "rule": decided.rule.value,
        "reason": decided.reason,
        "span_start": decided.span.start,
        "span_end": decided.span.end,
        "predicate": None if decided.predicate is None else str(decided.predicate),
        "version": decided.version,
    }
    return Row("decision", values)
