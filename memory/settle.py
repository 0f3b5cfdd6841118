"""What a person decides about a candidate that waits, and about what is quarantined; inside the writer's transaction.

The person's word overrules the one rule that made the candidate wait. Every other rule is asked again, so what was refused,
contradicted or denied since is found.
"""

from dataclasses import dataclass, replace
from enum import StrEnum

from pyoxigraph import Literal, NamedNode

from memory import admit as admission
from memory import axes
from memory.admit import Admit, Assert, Correct, Decision, Effect, Hold, Refuse
from memory.claim import (
    Candidate,
    Claim,
    Mention,
    Polarity,
    Proposal,
    Reference,
    Rule,
    Source,
    SourceKind,
    Span,
    Speaker,
    Term,
    Validity,
    Value,
)
from memory.entities import person
from memory.errors import IncorrectChoiceError, NotYoursError, UnknownThingError
from memory.forget import Approver, decides
from memory.ids import ENTITY, Instant
from memory.label import WORLDVIEW, Clearance, Integrity, Label, Sensitivity, Space, Spaces
from memory.read import Reads
from memory.refusal import Cause, Subject, keys_of
from memory.remember import Naming, Rememberer
from memory.rows import Waiting
from memory.tables import Row
from memory.text import terms
from memory.transact import source_row


class Choice(StrEnum):
    """What a person may decide."""

    ACCEPT = "accept"
    REPLACE = "replace"
    BOTH = "both"
    REJECT = "reject"


@dataclass(frozen=True, slots=True)
class Settled:
    """What became of a candidate: the decision, and the claim version it is about."""

    decision: Decision
    version: str | None


def choices(waiting: Waiting) -> tuple[Choice, ...]:
    """Return what a person may decide about a waiting candidate, the one that believes it first."""
    match waiting.rule:
        case Rule.CONFLICT if waiting.polarity != Polarity.HOLDS:
            return Choice.REPLACE, Choice.REJECT
        case Rule.CONFLICT:
            return Choice.REPLACE, Choice.BOTH, Choice.REJECT
        case Rule.CONTRADICTION:
            return (Choice.REJECT,)
        case _:
            return Choice.ACCEPT, Choice.REJECT


def is_proposal(waiting: Waiting) -> bool:
    """Tell whether a candidate is a proposal to tell everyone, which the owner decides about."""
    return waiting.rule is Rule.NOT_BY_A_PERSON and waiting.label.space != WORLDVIEW


def waiting_for(reads: Reads, order: Spaces, pending: str, approver: Approver) -> tuple[Waiting, Source]:
    """Return what waits under an id with its source, for whoever decides about it; raise ``UnknownThingError`` otherwise.

    The owner decides about a member's proposal for everyone, and of its source sees the shared words alone.
    """
    for waiting in reads.waiting_anywhere(pending):
        theirs = approver.is_owner if is_proposal(waiting) else decides(order, approver, waiting.label.space)
        if theirs:
            everything = order.clearance(reads.label_of(waiting.source).space, integrity=Integrity.QUARANTINED)
            return waiting, reads.source(everything, waiting.source)
    message = "Nothing of yours waits under that id. Nothing was changed; `muniment pending` lists what does."
    raise UnknownThingError(message)


def waiting_all(reads: Reads, order: Spaces, approver: Approver) -> list[Waiting]:
    """Return all that waits for a person, the oldest first."""
    return [
        waiting
        for waiting in reads.waiting_anywhere()
        if (approver.is_owner if is_proposal(waiting) else decides(order, approver, waiting.label.space))
    ]


def settle(rememberer: Rememberer, waiting: Waiting, source: Source, choice: Choice, approver: Approver) -> Settled:
    """Do what a person decided; raise ``IncorrectChoiceError`` for what cannot be decided so."""
    if choice not in choices(waiting):
        message = f"{choice.value!r} is no choice here: {', '.join(choices(waiting))}. Nothing was changed."
        raise IncorrectChoiceError(message)
    return _Settling(rememberer, waiting, source, approver).run(choice)


def promote(rememberer: Rememberer, claim: Claim, words: str, approver: Approver, conversation: str) -> Settled:
    """Say a quarantined claim again, in the words of its evidence, as the promoter's own; it goes through admission."""
    seen = rememberer.order.clearance(rememberer.own, integrity=Integrity.QUARANTINED)

    def spoken(term: Term) -> str:
        if not isinstance(term, NamedNode) or term == person(approver.person):
            return ""
        return next((name for name in rememberer.reads.all_names(seen, term) if name in words), "")

    said = _Said(words, approver.person, rememberer.own, conversation, rememberer.transaction.at)
    triple = (claim.subject, spoken(claim.subject)), claim.predicate, (claim.object, spoken(claim.object))
    label = Label(rememberer.own, claim.label.sensitivity)
    return _restate(rememberer, said, _candidate(triple, words, Span(0, len(words)), claim.wording, claim.validity), label)


@dataclass(frozen=True, slots=True)
class _Settling:
    rememberer: Rememberer
    waiting: Waiting
    source: Source
    approver: Approver

    def run(self, choice: Choice) -> Settled:
        proposal, names = self._proposal()
        if choice is Choice.ACCEPT and not is_proposal(self.waiting):
            self._lift(proposal)
        if choice is not Choice.REJECT:
            self._ask_refusals(proposal)
        match choice:
            case Choice.REJECT:
                self._refuse(proposal)
                return self._done(choice, Refuse(self.waiting.rule, "rejected by a person"), None)
            case Choice.BOTH:
                decision = Admit(Rule.CONFLICT, (Assert(),), "both are kept: decided by a person")
            case Choice.REPLACE:
                decision = Admit(Rule.CONFLICT, self._replacing(proposal), "it replaces the other: decided by a person")
            case Choice.ACCEPT if is_proposal(self.waiting):
                return self._share()
            case Choice.ACCEPT:
                decision = admission.admit(proposal, self.rememberer.view(proposal))
        if isinstance(decision, Hold):
            self.rememberer.wait(proposal, decision, self.source.id, self.waiting.ordinal)
        version = self.rememberer.believe(proposal, names, self.source, decision) if isinstance(decision, Admit) else None
        return self._done(choice, decision, version)

    def _done(self, choice: Choice, decision: Decision, version: str | None) -> Settled:
        row = {"pending": self.waiting.id, "choice": choice.value, "version": version}
        self.rememberer.transaction.insert(Row("settled", row))
        return Settled(decision, version)

    def _clearance(self) -> Clearance:
        return self.rememberer.order.clearance(self.source.space, Sensitivity.SECRET, self.waiting.label.integrity)

    def _proposal(self) -> tuple[Proposal, list[Naming]]:
        """Return the waiting candidate as a proposal again, its names resolved as of now."""
        waiting = self.waiting
        triple = (waiting.subject, waiting.subject_text), waiting.predicate, (waiting.object, waiting.object_text)
        candidate = replace(
            _candidate(triple, self.source.body, waiting.span, waiting.wording, waiting.validity),
            polarity=Polarity(waiting.polarity),
            present=waiting.present,
        )
        proposal, names = self.rememberer.resolve(candidate, self.source, waiting.label, self._clearance())
        return replace(proposal, validity=waiting.validity), names

    def _replacing(self, proposal: Proposal) -> tuple[Effect, ...]:
        view = self.rememberer.view(proposal)
        reads, clearance = self.rememberer.reads, self._clearance()
        against = [claim for version in self.waiting.against if (claim := reads.current(clearance, version)) is not None]
        effects: list[Effect] = [
            Correct(claim, axes.ended(claim.validity, claim.last_said_at, proposal.said_at), "superseded: decided by a person")
            for claim in against
            if claim.validity.to_latest is None
        ]
        if proposal.candidate.polarity is Polarity.HOLDS:
            effects.append(Assert())
        elif not effects:
            decision = admission.admit(proposal, view)
            return decision.effects if isinstance(decision, Admit) else ()
        return tuple(effects)

    def _about(self, proposal: Proposal) -> Subject:
        reads, clearance = self.rememberer.reads, self._clearance()

        def keys(term: NamedNode | Literal, text: str) -> tuple[str, ...]:
            names = [*reads.called(clearance, term), text] if isinstance(term, NamedNode) else []
            return keys_of(term, names)

        waiting = self.waiting
        return Subject(
            keys(proposal.subject, waiting.subject_text), proposal.predicate, keys(proposal.object, waiting.object_text)
        )

    def _refuse(self, proposal: Proposal) -> None:
        spaces = dict.fromkeys((proposal.label.space, self.source.space))
        refused = [(space, self._about(proposal)) for space in spaces]
        for row in self.rememberer.refusals.rows(self.rememberer.ids, refused, Cause.REJECTED):
            self.rememberer.transaction.insert(row)

    def _lift(self, proposal: Proposal) -> None:
        spaces = dict.fromkeys((proposal.label.space, self.source.space))
        while (refused := self.rememberer.refusals.find(spaces, self._about(proposal))) is not None:
            self.rememberer.transaction.insert(Row("lifted", {"refusal": refused.id}))

    def _ask_refusals(self, proposal: Proposal) -> None:
        """Raise ``NotYoursError`` where a refusal stands that is not the approver's to lift, or that nobody lifted."""
        refused = self.rememberer.refused(proposal, self._clearance())
        if refused is not None:
            message = f"It stays refused: {refused.words()}, by whom it is about or since it was said. Nothing was changed."
            raise NotYoursError(message)

    def _share(self) -> Settled:
        """Believe a proposal for everyone, from a source that has only the shared words."""
        waiting = self.waiting
        words = waiting.span.of(self.source.body)
        said = _Said(words, self.source.speaker, WORLDVIEW, self.source.conversation, self.source.said_at)
        triple = (waiting.subject, waiting.subject_text), waiting.predicate, (waiting.object, waiting.object_text)
        candidate = _candidate(triple, words, Span(0, len(words)), waiting.wording, waiting.validity)
        settled = _restate(self.rememberer, said, candidate, waiting.label._replace(space=WORLDVIEW))
        return self._done(Choice.ACCEPT, settled.decision, settled.version)


@dataclass(frozen=True, slots=True)
class _Said:
    """Words that are said anew: by whom, where, and when."""

    words: str
    speaker: str
    space: Space
    conversation: str
    at: Instant


def _restate(rememberer: Rememberer, said: _Said, candidate: Candidate, label: Label) -> Settled:
    """Put words down as a source of their own, and let admission decide about what they say."""
    tx = rememberer.transaction
    source = Source(
        rememberer.ids(),
        said.conversation,
        said.space,
        SourceKind.MESSAGE,
        said.speaker,
        said.at,
        candidate.validity.zone,
        said.words,
    )
    tx.insert(source_row(source))
    tx.insert(Row("source_label", {"source": source.id, "label": str(label)}))
    tx.index(str(label), "passage", source.id, terms(source.body))
    clearance = rememberer.order.clearance(said.space)
    proposal, names = rememberer.resolve(candidate, source, label, clearance)
    refused = rememberer.refused(proposal, clearance)
    view = replace(rememberer.view(proposal), refusal="" if refused is None else refused.words())
    decision = admission.admit(proposal, view)
    version = rememberer.believe(proposal, names, source, decision) if isinstance(decision, Admit) else None
    if isinstance(decision, Hold):
        rememberer.wait(proposal, decision, source.id, 0)
    return Settled(decision, version)


def _candidate(
    triple: tuple[tuple[NamedNode, str], NamedNode, tuple[Term, str]], body: str, span: Span, wording: str, validity: Validity
) -> Candidate:
    """Return a candidate whose names are found again in its span; without a name a thing is the speaker."""
    (_, subject_text), predicate, (object_, object_text) = triple

    def mention(text: str) -> Mention:
        at = body.find(text, span.start, span.end)
        return Mention(text, Span(at, at + len(text)) if at >= 0 else span)

    subject = mention(subject_text) if subject_text else Speaker()
    spoken: Reference = Value(object_, span)
    if object_text:
        spoken = mention(object_text)
    elif isinstance(object_, NamedNode) and object_.value.startswith(ENTITY):
        spoken = Speaker()
    return Candidate(subject, predicate, spoken, span, wording, validity=validity)
