"""Consolidation: what a look through memory proposes to tidy. Nothing here is anybody's first-hand word.

``findings`` looks. ``gate`` decides whether the engine may do it by itself: only what can be taken back exactly and what nobody
would notice; everything else waits for a person. A finding that a person has decided about is not made again.
"""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum

from pyoxigraph import Literal, NamedNode

from memory import axes
from memory.admit import Admit, Decision, Hold
from memory.claim import FOLDED, Claim, Rule, Validity
from memory.contradict import Contradiction
from memory.documents import delete
from memory.errors import IncorrectChoiceError, UnknownThingError
from memory.forget import Approver, decides
from memory.ids import Instant
from memory.label import Clearance, Integrity, Label, user
from memory.read import Reads
from memory.refusal import keys_of
from memory.remember import Rememberer
from memory.rows import Proposed
from memory.settle import promote
from memory.tables import Row
from memory.transact import Fact
from memory.vocabulary import Vocabulary

_DAY: Instant = 24 * 3_600 * 1_000_000


class Kind(StrEnum):
    """What a finding is about."""

    REPEATED = "repeated"
    """Two claims say one value in two writings."""
    STALE = "stale"
    """A state was last told longer ago than such states last."""
    VANISHED = "vanished"
    """The file of a document is gone."""
    CLASHING = "clashing"
    """Claims cannot all be so: a standing contradiction."""


class Way(StrEnum):
    """What may be done about a finding; ``LEAVE`` does nothing, and nobody is asked about the same again."""

    FOLD = "one"
    STILL = "still"
    ENDED = "ended"
    DELETE = "delete"
    LEAVE = "leave"


WRONG = "wrong"
"""Begins what a person may decide about a contradiction: ``wrong1`` asks to take back the first of its claims."""


@dataclass(frozen=True, slots=True)
class Finding:
    """What was found: the claims that it is about, the one that would stay first, or a document; under which label."""

    kind: Kind
    about: tuple[str, ...]
    label: Label

    def row(self, id_: str) -> Row:
        """Return the finding as something that waits; it has ids and no content."""
        values = {"id": id_, "label": str(self.label), "kind": self.kind.value, "about": json.dumps(self.about)}
        return Row("proposal", values)


@dataclass(frozen=True, slots=True)
class Stakes:
    """What an act that nobody said first-hand would touch: answers that were given on it, and inferences.

    An act that only closes opens no contradiction, since what follows from less is less.
    """

    told: bool
    inferred: bool


def gate(finding: Finding, stakes: Stakes) -> Decision:
    """Decide whether the engine may do what it found by itself: the reversibility gate."""
    match finding.kind:
        case Kind.STALE:
            return Hold(Rule.GATED, "only a person knows whether it is still so")
        case Kind.VANISHED:
            return Hold(Rule.GATED, "its file may be somewhere else")
        case Kind.CLASHING:
            return Hold(Rule.GATED, "only a person knows which of them is wrong")
        case Kind.REPEATED if stakes.told:
            return Hold(Rule.GATED, "an answer was given on it")
        case Kind.REPEATED if stakes.inferred:
            return Hold(Rule.GATED, "conclusions would change")
        case Kind.REPEATED:
            return Admit(Rule.GATED, (), FOLDED)


def findings(reads: Reads, vocabulary: Vocabulary, claims: Iterable[Claim], now: Instant) -> Iterator[Finding]:
    """Yield what is to be tidied among some live claims and is not proposed or decided yet."""
    beside: dict[tuple[object, ...], list[Claim]] = {}
    for claim in claims:
        for found in (*_repeated(reads, vocabulary, claim, beside), *_stale(vocabulary, claim, now)):
            if is_new(reads, vocabulary, found, now):
                yield found


def clashing(reads: Reads, standing: Iterable[Contradiction]) -> Iterator[Finding]:
    """Yield each standing contradiction that nobody was asked about, with the claims that say what cannot be so together."""
    for contradiction in standing:
        said = (claim.id for fact in contradiction.facts for claim in _saying(reads, fact))
        finding = Finding(Kind.CLASHING, tuple(sorted(dict.fromkeys(said))), contradiction.label)
        if finding.about and not reads.proposed(json.dumps(finding.about), finding.kind.value):
            yield finding


def _saying(reads: Reads, fact: Fact) -> list[Claim]:
    """Return the live claims that say a fact; an axiom has none."""
    subject, predicate, object_ = fact.triple
    if not isinstance(subject, NamedNode):
        return []
    return reads.claims(_only(fact.label), subject=subject, predicates=(predicate,), object_=object_)  # type: ignore[arg-type]


def is_new(reads: Reads, vocabulary: Vocabulary, finding: Finding, now: Instant) -> bool:
    """Tell whether nobody was asked; about a state one may be asked again once it has had another life."""
    asked = reads.proposed(json.dumps(finding.about), finding.kind.value)
    if finding.kind is not Kind.STALE or not asked:
        return not asked
    claim = reads.live(finding.about[0])
    return claim is not None and max(asked) + (vocabulary[claim.predicate].usual_days or 0) * _DAY < now


def options(proposed: Proposed, claim: Claim | None, approver: Approver) -> tuple[str, ...]:
    """Return what a person may decide, what changes something first. That it is still so, only its own speaker can say."""
    match Kind(proposed.kind):
        case Kind.REPEATED:
            return Way.FOLD, Way.LEAVE
        case Kind.VANISHED:
            return Way.DELETE, Way.LEAVE
        case Kind.CLASHING:
            return *(f"{WRONG}{place}" for place in range(1, len(proposed.about) + 1)), Way.LEAVE
        case Kind.STALE:
            own = claim is not None and (claim.speaker, claim.label.space) == (approver.person, user(approver.person))
            return (*((Way.STILL,) if own else ()), Way.ENDED, Way.LEAVE)


def propose(rememberer: Rememberer, finding: Finding, stakes: Stakes) -> Decision:
    """Do at once what the gate lets through, and let the rest wait."""
    decision, id_ = gate(finding, stakes), rememberer.ids()
    rememberer.transaction.insert(finding.row(id_))
    if isinstance(decision, Admit):
        _fold(rememberer, *finding.about)
        _settle(rememberer, id_, Way.FOLD)
    return decision


def decide(rememberer: Rememberer, proposed: Proposed, way: str, approver: Approver) -> None:
    """Do what a person decided; raise ``IncorrectChoiceError`` for what cannot be decided so."""
    reads, seen = rememberer.reads, _seen(rememberer, proposed)
    if not decides(rememberer.order, approver, proposed.label.space):
        raise UnknownThingError(_NOT_THEIRS)
    claim = None if proposed.kind == Kind.VANISHED else _live(reads, proposed.about[0])
    if way != Way.LEAVE and not is_still_asked(reads, rememberer.vocabulary, proposed, rememberer.transaction.at):
        message = "More was said of it since, so there is nothing to decide. Nothing was changed."
        raise IncorrectChoiceError(message)
    possible = options(proposed, claim, approver)
    if way not in possible:
        message = f"Say which of these: {', '.join(possible)}. Nothing was changed."
        raise IncorrectChoiceError(message)
    if way.startswith(WRONG):
        message = "A statement is taken back by a request that shows what falls with it. Nothing was changed."
        raise IncorrectChoiceError(message)
    match Way(way):
        case Way.LEAVE:
            pass
        case Way.DELETE:
            delete(rememberer, proposed.about[0], approver)
        case Way.FOLD:
            _fold(rememberer, *proposed.about)
        case Way.ENDED:
            standing = _live(reads, proposed.about[0])
            end = axes.ended(standing.validity, standing.last_said_at, rememberer.transaction.at)
            rememberer.correct(standing, end, "ended: decided by a person")
        case Way.STILL:
            standing = _live(reads, proposed.about[0])
            quote = reads.evidence(seen, standing.id)[-1].quote
            promote(rememberer, standing, quote, approver, f"kept:{approver.person}")
    _settle(rememberer, proposed.id, Way(way))


def unfold(rememberer: Rememberer, id_: str, approver: Approver) -> None:
    """Let the two claims that were folded be two again; raise ``UnknownThingError`` where there is nothing to take back."""
    reads = rememberer.reads
    found = [p for p in reads.folded(id_) if decides(rememberer.order, approver, p.label.space)]
    if not found:
        raise UnknownThingError(_NOT_THEIRS)
    if not rememberer.unfold(found[0]):
        message = "What was folded is gone, refused or moved since, so there is nothing to take back. Nothing was changed."
        raise UnknownThingError(message)
    rememberer.transaction.insert(Row("unmerged", {"merge": id_}))


_NOT_THEIRS = "Nothing of yours waits under that id. Nothing was changed; `muniment pending` lists what does."


def _repeated(
    reads: Reads, vocabulary: Vocabulary, claim: Claim, beside: dict[tuple[object, ...], list[Claim]]
) -> Iterator[Finding]:
    """Yield that an older claim of the same speaker has the same value and time under the same label, in another writing.

    ``beside`` keeps the claims of a subject and predicate for the rest of a look.
    """
    if not isinstance(claim.object, Literal) or claim.predicate in vocabulary.naming or claim.label.integrity:
        return
    place = (claim.subject, claim.predicate, claim.label)
    if place not in beside:
        beside[place] = reads.claims(_only(claim.label), subject=claim.subject, predicates=(claim.predicate,))
    keys = set(keys_of(claim.object, ()))
    for other in beside[place]:
        alike = other.speaker == claim.speaker and _is_of_one_time(other.validity, claim.validity)
        if alike and other.id < claim.id and isinstance(other.object, Literal) and keys & set(keys_of(other.object, ())):
            yield Finding(Kind.REPEATED, (other.id, claim.id), claim.label)


def _stale(vocabulary: Vocabulary, claim: Claim, now: Instant) -> Iterator[Finding]:
    """Yield that a state was told longer ago than such states last."""
    days = vocabulary[claim.predicate].usual_days
    is_state = days is not None and not axes.is_past(claim.validity) and not claim.label.integrity
    if is_state and claim.last_said_at + (days or 0) * _DAY < now:
        yield Finding(Kind.STALE, (claim.id,), claim.label)


def _is_of_one_time(first: Validity, second: Validity) -> bool:
    """Tell whether two statements tell the same time, or both only that it holds."""
    untold = all(v.from_earliest is None and not axes.is_past(v) for v in (first, second))
    return untold or axes.is_told_alike(first, second)


def is_still_asked(reads: Reads, vocabulary: Vocabulary, proposed: Proposed, now: Instant) -> bool:
    """Tell whether what was proposed is still to be decided: the claims stand as they did, and nobody has said more since."""
    claims = [claim for id_ in proposed.about if (claim := reads.live(id_)) is not None]
    match Kind(proposed.kind):
        case Kind.VANISHED:
            return True
        case Kind.CLASHING:
            return len(claims) == len(proposed.about)
        case Kind.STALE:
            return any(True for claim in claims for _ in _stale(vocabulary, claim, now))
        case Kind.REPEATED:
            found = (f for claim in claims[1:] for f in _repeated(reads, vocabulary, claim, {}))
            return any(finding.about == proposed.about for finding in found)


def _fold(rememberer: Rememberer, kept: str, gone: str) -> None:
    """Close a claim whose value another one says. Its evidence stays with it, so that it can stand again by itself."""
    _live(rememberer.reads, kept)
    rememberer.close(_live(rememberer.reads, gone).version, FOLDED, "live_claim")


def _live(reads: Reads, claim: str) -> Claim:
    """Return the live version of a claim; raise ``UnknownThingError`` where it is no longer believed."""
    found = reads.live(claim)
    if found is None:
        message = "It is no longer believed, so there is nothing to decide. Nothing was changed."
        raise UnknownThingError(message)
    return found


def _settle(rememberer: Rememberer, id_: str, way: Way) -> None:
    rememberer.transaction.insert(Row("settled", {"pending": id_, "choice": way.value, "version": None}))


def _only(label: Label) -> Clearance:
    return Clearance(label, frozenset({label}))


def _seen(rememberer: Rememberer, proposed: Proposed) -> Clearance:
    return rememberer.order.clearance(proposed.label.space, integrity=Integrity.QUARANTINED)
