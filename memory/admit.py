"""Admission: candidate + what is believed -> decision. Pure; the one place that decides what is believed.

The rows are those of the admission table, asked in order; the first that matches decides. ``screen`` asks the rows that
need only the message, ``route`` chooses the label, ``admit`` asks the rest.

    1 not a statement            7 newer value, same speaker: supersede
    2 no supporting span         8 another speaker, or unclear timing: conflict
    3 refused before             9 contradicts an axiom
    4 not said by a person      10 no word in the vocabulary
    5 ended or negated          11 otherwise: admit
    6 already believed
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from pyoxigraph import NamedNode, Triple

from memory import axes
from memory.claim import (
    Act,
    Candidate,
    Claim,
    Mark,
    Mention,
    Polarity,
    Proposal,
    Rule,
    Source,
    SourceKind,
    Span,
    Speaker,
    Term,
    Validity,
)
from memory.ids import Instant
from memory.label import WORLDVIEW, Integrity, Label, Sensitivity, user
from memory.marks import leading_mark
from memory.vocabulary import Vocabulary
from ontologies.vocab import RDF_TYPE, RELATED


@dataclass(frozen=True, slots=True)
class Assert:
    """Believe it: a new claim."""


@dataclass(frozen=True, slots=True)
class Corroborate:
    """More evidence for a claim that is believed already."""

    claim: Claim


@dataclass(frozen=True, slots=True)
class Correct:
    """Close a version and go on with another valid time."""

    claim: Claim
    validity: Validity
    reason: str


@dataclass(frozen=True, slots=True)
class Deny:
    """Keep as a negative claim, which is never projected."""


Effect: TypeAlias = Assert | Corroborate | Correct | Deny


@dataclass(frozen=True, slots=True)
class Admit:
    """Believe: the effects, and the rule that decided."""

    rule: Rule
    effects: tuple[Effect, ...]
    reason: str


@dataclass(frozen=True, slots=True)
class Hold:
    """Wait for a person: the question to put, with the claims that stand against it or the proof of a contradiction."""

    rule: Rule
    reason: str
    against: tuple[Claim, ...] = ()
    proof: tuple[Triple, ...] = ()


@dataclass(frozen=True, slots=True)
class Refuse:
    """Do not believe; counted by reason."""

    rule: Rule
    reason: str


Decision: TypeAlias = Admit | Hold | Refuse


@dataclass(frozen=True, slots=True)
class View:
    """What admission may know: the vocabulary and what stands at or below the target label, and in the speaker's own space.

    ``believed`` are the live claims, ``denied`` the live negative ones, of the proposal's subject under its predicate and the
    one it opposes. ``refusal`` is the words of an earlier refusal of this value, and ``contradiction`` the premises that the
    proposal contradicts, with the same in words and the claims that say them; empty where there is none. It is found by writing
    the proposal, so whichever row would have let it in, row 9 holds it.
    """

    vocabulary: Vocabulary
    believed: Sequence[Claim] = ()
    denied: Sequence[Claim] = ()
    refusal: str = ""
    contradiction: tuple[Triple, ...] = ()
    contradiction_words: str = ""
    contradicting: Sequence[Claim] = ()
    now: Instant = 0


@dataclass(frozen=True, slots=True)
class Audience:
    """Who speaks where: the source, whether its speaker is the owner, and whether it is a yes that makes it a statement."""

    source: Source
    is_owner: bool = False
    confirmed: bool = False


_SECRET_TERMS = re.compile(
    r"\b(?:pass(?:word|phrase|code)s?|pin (?:code|number)|cvv|cvc|private key|api key|secret key|seed phrase|iban|"
    r"passport (?:number|no)|social security|credit card number|recovery code)\b",
    re.IGNORECASE,
)
_SENSITIVE_TERMS = re.compile(
    r"\b(?:diagnos\w+|depress\w+|anxiety|cancer|hiv|diabet\w+|epilep\w+|asthma|pregnan\w+|miscarriage|abortion|"
    r"medication|therap(?:y|ist)|surgery|allerg\w+|disab\w+|addict\w+|suicid\w+|salary|debts?|bankrupt\w*|divorc\w+|"
    r"arrest\w*|convicted|gay|lesbian|bisexual|transgender|religio\w+|union member)\b",
    re.IGNORECASE,
)


def screen(candidate: Candidate, text: str, *, speaker: str) -> Decision | None:
    """Return the decision of the rows that need only the message, or ``None`` where the others must be asked."""
    if candidate.act is not Act.STATEMENT:
        return Refuse(Rule.NOT_STATED, f"not a statement: {candidate.act.value}")
    spoken_of = Speaker() in (candidate.subject, candidate.object)
    reason = "nobody known says it" if spoken_of and not speaker else _unsupported(candidate, text)
    if reason:
        return Refuse(Rule.UNSUPPORTED, reason)
    if not candidate.sure:
        return Hold(Rule.UNSUPPORTED, "half understood: asked back")
    return None


def route(candidate: Candidate, audience: Audience, vocabulary: Vocabulary) -> Label:
    """Return the label under which a candidate would land: the conversation's space, or the worldview for the owner.

    What is said to an audience stays with it. An owner's impersonal fact, and what the owner shares explicitly, is for
    everyone. The sensitivity is the highest of the predicate's default, the speaker's mark and a screen of terms.
    """
    property_ = vocabulary[candidate.predicate or RELATED]
    source = audience.source
    _, mark = leading_mark(source.body)
    sensitivity = max(property_.sensitivity, screen_terms(f"{candidate.wording} {candidate.span.of(source.body)}"))
    if mark is Mark.PRIVATE:
        sensitivity = Sensitivity.SECRET
    integrity = integrity_of(source)
    space = source.space
    if integrity is Integrity.TRUSTED and audience.is_owner and mark is not Mark.PRIVATE:
        about_the_world = property_.impersonal and not isinstance(candidate.subject, Speaker)
        if mark is Mark.SHARE or (about_the_world and sensitivity <= Sensitivity.INTERNAL):
            space = WORLDVIEW
    return Label(space, sensitivity, integrity)


def source_label(source: Source, claims: Sequence[Label]) -> Label:
    """Return the label of a source that has been read: as sensitive as its most sensitive claim, its mark and its words."""
    sensitivity = max(Sensitivity.INTERNAL, _own_sensitivity(source), *(label.sensitivity for label in claims))
    return Label(source.space, sensitivity, integrity_of(source))


def unread_label(source: Source) -> Label:
    """Return the label of a source that has not been read: sensitive at least, since nobody knows what is in it."""
    return Label(source.space, max(Sensitivity.SENSITIVE, _own_sensitivity(source)), integrity_of(source))


def _own_sensitivity(source: Source) -> Sensitivity:
    private = leading_mark(source.body)[1] is Mark.PRIVATE
    return Sensitivity.SECRET if private else screen_terms(source.body)


def integrity_of(source: Source) -> Integrity:
    """Return whether a source is believed: only what a known person says here."""
    trusted = source.kind is SourceKind.MESSAGE and bool(source.speaker)
    return Integrity.TRUSTED if trusted else Integrity.QUARANTINED


def screen_terms(words: str) -> Sensitivity:
    """Return the least sensitivity that the words themselves call for."""
    if _SECRET_TERMS.search(words):
        return Sensitivity.SECRET
    return Sensitivity.SENSITIVE if _SENSITIVE_TERMS.search(words) else Sensitivity.PUBLIC


def admit(proposal: Proposal, view: View) -> Decision:  # noqa: PLR0911 - the rows of the table, one return each
    """Return the decision about a proposal; the first matching row of the table decides."""
    candidate = proposal.candidate
    if view.refusal:
        return _refused_before(proposal, view)
    if proposal.mark is Mark.SHARE and proposal.label.space != WORLDVIEW:
        return Hold(Rule.NOT_BY_A_PERSON, "a proposal for everyone: the owner decides")
    if candidate.polarity is not Polarity.HOLDS:
        return _end(proposal, view)
    if view.contradiction and proposal.label.integrity is Integrity.TRUSTED:
        reason = view.contradiction_words or "contradicts what is known"
        return Hold(Rule.CONTRADICTION, reason, against=tuple(view.contradicting), proof=view.contradiction)
    same = _same(proposal, view.believed)
    for standing in (claim for claim in same if _still(proposal, claim, view)):
        if standing.speaker == proposal.speaker and axes.is_dated_better(proposal.validity, standing.validity):
            return Admit(Rule.KNOWN, (Correct(standing, proposal.validity, "its start was told"),), "already believed: its start")
        return Admit(Rule.KNOWN, (Corroborate(standing),), "already believed: more evidence")
    rivals = _rivals(proposal, view)
    if rivals:
        return _replace(proposal, rivals)
    if proposal.predicate == RELATED:
        return Admit(Rule.NO_WORD, (Assert(),), f"no word in the vocabulary for {candidate.wording!r}")
    if proposal.label.integrity is Integrity.QUARANTINED:
        return Admit(Rule.NOT_BY_A_PERSON, (Assert(),), "not said by a person here: quarantined")
    return Admit(Rule.NEW, (Assert(),), "new")


def _unsupported(candidate: Candidate, text: str) -> str:
    span = candidate.span
    if not 0 <= span.start < span.end <= len(text):
        return "no source span"
    for reference in (candidate.subject, candidate.object):
        if isinstance(reference, Speaker):
            continue
        inner: Span = reference.span
        if not (inner.start < inner.end and inner.within(span)):
            return "not named in the span"
        if isinstance(reference, Mention) and inner.of(text) != reference.text:
            return "not the words of the span"
    return ""


def _refused_before(proposal: Proposal, view: View) -> Decision:
    if proposal.label.integrity is Integrity.TRUSTED:
        return Hold(Rule.REFUSED_BEFORE, f"refused before: {view.refusal}")
    return Refuse(Rule.REFUSED_BEFORE, f"refused before: {view.refusal}")


def _same(proposal: Proposal, claims: Sequence[Claim]) -> list[Claim]:
    """Return the claims that say the same, the one that was claimed first before others: a retraction may bring back a second."""
    key = (proposal.predicate, proposal.object, proposal.label)
    return sorted((claim for claim in claims if (claim.predicate, claim.object, claim.label) == key), key=lambda claim: claim.id)


def _still(proposal: Proposal, claim: Claim, view: View) -> bool:
    """Tell whether the proposal only repeats the claim: it holds now, or was said again after the proposal.

    What has ended repeats only what ended just so: another stay in one city is another claim.
    """
    if axes.is_past(proposal.validity):
        return axes.is_told_alike(proposal.validity, claim.validity)
    kind = view.vocabulary[proposal.predicate].temporal_kind
    return axes.holds_at(claim.validity, kind, view.now) or proposal.said_at < claim.last_said_at


def _ending(proposal: Proposal, view: View) -> list[Claim]:
    return [
        claim
        for claim in view.believed
        if (claim.predicate, claim.object) == (proposal.predicate, proposal.object)
        and claim.label.integrity is proposal.label.integrity
        and _may_correct(proposal, claim)
        and claim.validity.to_latest is None
    ]


def _end(proposal: Proposal, view: View) -> Decision:
    ending = _ending(proposal, view)
    if not ending:
        denied = _same(proposal, view.denied)
        if denied:
            return Admit(Rule.KNOWN, (Corroborate(denied[0]),), "already denied: more evidence")
        return Admit(Rule.ENDED, (Deny(),), "nothing to end: kept as a negative")
    strangers = tuple(claim for claim in ending if claim.speaker != proposal.speaker)
    if strangers:
        return Hold(Rule.CONFLICT, "another person said it", against=strangers)
    end = proposal.validity
    late = tuple(claim for claim in ending if min(proposal.said_at, end.to_latest or proposal.said_at) < claim.last_said_at)
    if late:
        return Hold(Rule.CONFLICT, "it was said to hold after that", against=late)
    effects = tuple(
        Correct(
            claim,
            axes.ended(claim.validity, end.to_earliest or claim.last_said_at, end.to_latest or proposal.said_at),
            "ended by its speaker",
        )
        for claim in ending
    )
    return Admit(Rule.ENDED, effects, "no longer holds")


def _rivals(proposal: Proposal, view: View) -> tuple[Claim, ...]:
    """Return what cannot hold beside the proposal: another value of a single-valued predicate, or the opposite."""
    return tuple(
        claim
        for claim in view.believed
        if claim.label.integrity is Integrity.TRUSTED
        and not axes.is_past(claim.validity)
        and (not axes.is_past(proposal.validity) or axes.overlap(proposal.validity, claim.validity))
        and _excludes(claim.predicate, claim.object, proposal.predicate, proposal.object, view.vocabulary)
    )


def is_replaced(claim: Claim, believed: Sequence[Claim], vocabulary: Vocabulary) -> bool:
    """Tell whether something that still holds in the claim's space leaves no room for it: another value, or the opposite."""
    return any(
        other.label.space == claim.label.space
        and not axes.is_past(other.validity)
        and _excludes(other.predicate, other.object, claim.predicate, claim.object, vocabulary)
        for other in believed
    )


def _excludes(other: NamedNode, value: Term, predicate: NamedNode, object_: Term, vocabulary: Vocabulary) -> bool:
    """Tell whether a value under one predicate excludes a value under another: of a single-valued one, or of its opposite."""
    property_ = vocabulary[predicate]
    return (property_.single_valued and other == predicate and value != object_) or (
        property_.opposes is not None and other == property_.opposes and value == object_
    )


def _replace(proposal: Proposal, rivals: tuple[Claim, ...]) -> Decision:
    if proposal.label.integrity is Integrity.QUARANTINED:
        return Admit(Rule.NOT_BY_A_PERSON, (Assert(),), "not said by a person here: quarantined")
    others = tuple(claim for claim in rivals if claim.speaker != proposal.speaker)
    if others:
        return Hold(Rule.CONFLICT, "another person said otherwise", against=others)
    wider = tuple(claim for claim in rivals if not _may_correct(proposal, claim))
    if wider:
        return Hold(Rule.CONFLICT, "you told more people otherwise: say it to them, or with /share", against=wider)
    late = tuple(claim for claim in rivals if proposal.said_at < claim.last_said_at)
    if late or not proposal.candidate.present or proposal.validity.to_latest is not None:
        return Hold(Rule.CONFLICT, "said earlier than what is believed, or not about now", against=late or rivals)
    effects = tuple(
        Correct(claim, axes.ended(claim.validity, claim.last_said_at, proposal.said_at), "superseded by its speaker")
        for claim in rivals
    )
    return Admit(Rule.REPLACES, (*effects, Assert()), "replaces what its speaker said before")


def _may_correct(proposal: Proposal, claim: Claim) -> bool:
    """Tell whether a claim is its speaker's own, or stands where the proposal lands: words change nothing for a wider circle."""
    return claim.label.space in (proposal.label.space, user(proposal.speaker))


def inherited(proposal: Proposal, view: View) -> Label:
    """Return the proposal's label, as sensitive as what it ends or replaces in the same space.

    A secret home is replaced by a secret home: the new value would otherwise tell that there was an old one.
    """
    ended = proposal.candidate.polarity is not Polarity.HOLDS
    touched = _ending(proposal, view) if ended else _rivals(proposal, view)
    levels = [claim.label.sensitivity for claim in touched if claim.label.space == proposal.label.space]
    return proposal.label._replace(sensitivity=max([proposal.label.sensitivity, *levels]))


def opposing(predicate: NamedNode, vocabulary: Vocabulary) -> tuple[NamedNode, ...]:
    """Return the predicates whose claims admission must see beside a predicate's own."""
    opposite = vocabulary[predicate].opposes
    return (predicate,) if opposite is None or predicate == RDF_TYPE else (predicate, opposite)
