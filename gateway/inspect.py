"""What a person may look at: what is remembered, why, its history, and search. Pages of words, with their label."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import TypeAlias

from pyoxigraph import NamedNode, Triple

from gateway.answer import OfflineAnswerer
from gateway.people import People, Person
from gateway.voice import Voice
from memory import axes
from memory.changes import changes
from memory.claim import Claim, ClosedClaim
from memory.entities import person as entity_of
from memory.ids import Instant, to_datetime
from memory.label import Integrity, Label, Sensitivity, Space, user
from memory.recall import recall
from memory.store import Memory

Line: TypeAlias = tuple[str, dict[str, object]]
Maker: TypeAlias = Callable[[Voice], Iterator[Line]]

SEARCH_BUDGET = 2_000
_NOTHING = "I remember nothing about that here."


@dataclass(frozen=True, slots=True)
class Look:
    """What to look at: a page, words (a name, or what to search), and the two clocks.

    With ``quarantined`` what nobody known said is shown too. ``as_of`` is an instant of transaction time, ``valid_at`` one of
    valid time; ``since`` and ``until`` bound the changes.
    """

    page: str
    words: str = ""
    as_of: Instant | None = None
    valid_at: Instant | None = None
    history: bool = False
    quarantined: bool = False
    since: Instant = 0
    until: Instant | None = None


@dataclass(frozen=True, slots=True)
class Page:
    """Lines to show, the least label of who may read them, the same as data, and the claims and sources they tell of."""

    lines: tuple[str, ...]
    label: Label
    data: tuple[dict[str, object], ...] = ()
    told: tuple[str, ...] = ()


class Inspector:
    """Reads memory for a person in a space."""

    def __init__(self, memory: Memory, people: People, answerer: OfflineAnswerer) -> None:
        """Use a memory, its people, and the answerer's understanding of names."""
        self._memory, self._people, self._answerer = memory, people, answerer

    def page(self, person: Person, space: Space, look: Look, *, most: Sensitivity = Sensitivity.SECRET) -> Page:
        """Return a page about what a person may see in a space, up to a sensitivity; raise ``KeyError`` for one that is none.

        ``show`` is what is believed, ``why`` its evidence and proofs, ``history`` every version on both clocks, ``timeline`` what
        holds when in the world, ``search`` what recall finds, ``changes`` what became of what in a stretch of time.
        """
        pages: dict[str, Callable[[Voice, Look], Iterator[Line]]] = {
            "show": self._shown,
            "why": self._explained,
            "history": self._versions,
            "timeline": self._timeline,
            "search": self._found,
            "changes": self._changes,
        }
        chosen = pages[look.page]
        return self._page(person, space, look, most, lambda voice: chosen(voice, look))

    def people(self) -> dict[str, Person]:
        """Return everybody who is known, by their ids."""
        return self._people.known()

    def why_claim(self, person: Person, claim: str) -> list[str]:
        """Return what one claim stands on; raise ``UnknownThingError`` where there is none for the person to see."""
        clearance = self._memory.spaces.clearance(user(person.id))
        with self._memory.reading() as reads:
            voice = Voice(self._memory, reads, clearance, person, self.people(), "UTC")
            found = reads.version(clearance, claim)
            return [voice.holds(found.validity), *self._reasons(voice, found)]

    def _page(self, person: Person, space: Space, look: Look, most: Sensitivity, lines: Maker) -> Page:
        clearance = self._memory.spaces.clearance(space, most, Integrity(int(look.quarantined)))
        with self._memory.reading(look.as_of, look.valid_at) as reads:
            voice = Voice(self._memory, reads, clearance, person, self.people(), "UTC")
            made = list(lines(voice))
            if reads.shortcoming:
                made.append((reads.shortcoming, {}))
        sensitivity = max([Sensitivity.INTERNAL, *(label.sensitivity for label in voice.used)])
        label = Label(space, sensitivity, Integrity.QUARANTINED)
        return Page(
            tuple(text for text, _ in made) or (_NOTHING,), label, tuple(data for _, data in made if data), tuple(voice.told)
        )

    def _claims(self, voice: Voice, name: str) -> list[Claim]:
        reads, clearance = voice.reads, voice.clearance
        if name:
            things = self._answerer.things(name, voice)
            claims = [c for t in things for c in (*reads.claims(clearance, subject=t), *reads.claims(clearance, object_=t))]
        else:
            claims = [c for subject in reads.subjects(clearance) for c in reads.claims(clearance, subject=subject)]
        return sorted(dict.fromkeys(claims), key=lambda c: (c.transaction_from, c.version))

    def _worth_showing(self, voice: Voice, look: Look) -> Iterator[Claim]:
        """Yield the claims but those that only name another thing, and those that do not hold at the valid time asked for."""
        vocabulary, me, at = self._memory.vocabulary, me_of(voice), look.valid_at
        for claim in self._claims(voice, look.words):
            holds = at is None or axes.holds_at(claim.validity, vocabulary[claim.predicate].temporal_kind, at)
            if holds and (claim.predicate not in vocabulary.naming or claim.subject == me):
                yield claim

    def _shown(self, voice: Voice, look: Look) -> Iterator[Line]:
        for claim in self._worth_showing(voice, look):
            ended = "" if claim.validity.to_latest is None else " [no longer]"
            apart = f" [quarantined: {claim.id}]" if claim.label.integrity else ""
            yield f"{voice.claim(claim)}{ended}{apart}", self._data(voice, claim)
        subjects = (
            self._answerer.things(look.words, voice) if look.words else [*voice.reads.subjects(voice.clearance), me_of(voice)]
        )
        for subject in dict.fromkeys(subjects):
            for claim in voice.reads.claims(voice.clearance, subject=subject, negative=True):
                yield f"Not so: {voice.claim(claim)}", {**self._data(voice, claim), "negative": True}

    def _explained(self, voice: Voice, look: Look) -> Iterator[Line]:
        for claim in self._worth_showing(voice, look):
            voice.used.append(claim.label)
            voice.told[claim.id] = None
            words = voice.triple(Triple(claim.subject, claim.predicate, claim.object))
            yield f"{words} [{claim.label}; {axes.edtf(claim.validity)}]", self._data(voice, claim)
            for reason in self._reasons(voice, claim):
                yield f"    {reason}", {}
        things = self._answerer.things(look.words, voice) if look.words else [me_of(voice)]
        for thing in things:
            for predicate in self._memory.vocabulary.properties:
                for statement in voice.reads.statements(voice.clearance, thing, predicate, None):
                    if statement.inferred:
                        text = voice.fact(statement.triple, statement.label, inferred=True)
                        if "(inferred" in text:  # and not the very fact in the words of a wider property
                            yield text, {"inferred": text, "label": str(statement.label)}

    def _reasons(self, voice: Voice, claim: Claim) -> Iterator[str]:
        """Yield what a claim stands on: its evidence word for word, and what admission decided."""
        for evidence in voice.reads.evidence(voice.clearance, claim.id):
            yield f'{voice.who(evidence.speaker)}, {voice.day(evidence.said_at)}: "{evidence.quote}"'
        for row, reason in voice.reads.decided(voice.clearance, claim):
            yield f"decided by row {row} of admission: {reason}"
        settled = voice.reads.settled(claim.version)
        if settled is not None:
            judge, choice, at = settled
            yield f"decided by {voice.who(judge)} on {voice.day(at)}: {choice}"

    def _versions(self, voice: Voice, look: Look) -> Iterator[Line]:
        reads, clearance = voice.reads, voice.clearance
        things = self._answerer.things(look.words, voice) if look.words else reads.subjects(clearance)
        closed = [c for t in things for c in (*reads.closed(clearance, subject=t), *reads.closed(clearance, object_=t))]
        versions: list[Claim | ClosedClaim] = [*self._claims(voice, look.words), *dict.fromkeys(closed)]
        for version in sorted(versions, key=_began):
            claim = version.claim if isinstance(version, ClosedClaim) else version
            voice.used.append(claim.label)
            voice.told[claim.id] = None
            words = voice.triple(Triple(claim.subject, claim.predicate, claim.object))
            until, why = ("..", "") if isinstance(version, Claim) else (_stamp(version.transaction_to), f" ({version.reason})")
            text = f"{words}: holds {axes.edtf(claim.validity)}; believed {_stamp(claim.transaction_from)}/{until}{why}"
            yield (
                text,
                {
                    **self._data(voice, claim),
                    "believed_until": None if until == ".." else until,
                    "closed_because": why.strip(" ()"),
                },
            )

    def _timeline(self, voice: Voice, look: Look) -> Iterator[Line]:
        """Yield what is believed of a thing in the order in which it holds, or held, in the world."""
        for claim in sorted(self._worth_showing(voice, look), key=_begins):
            text = f"{axes.edtf(claim.validity):24} {voice.claim(claim)}"
            yield text, self._data(voice, claim)

    def _changes(self, voice: Voice, look: Look) -> Iterator[Line]:
        until = self._memory.clock() if look.until is None else look.until
        is_own = voice.clearance.top.space == user(voice.listener.id)  # in a team nothing of one's own is told
        if is_own:
            yield from self._accesses(voice, look.since, until)
        for change in changes(voice.reads, voice.clearance, look.since, until, voice.listener.id if is_own else ""):
            data: dict[str, object] = {"at": _stamp(change.at), "kind": change.kind, "by": voice.who(change.judge)}
            words = f"{change.count} statements" if change.count else ""
            if change.claim is not None:
                claim = change.claim
                voice.used.append(claim.label)
                voice.told[claim.id] = None
                words = f"{voice.triple(Triple(claim.subject, claim.predicate, claim.object))} [{axes.edtf(claim.validity)}]"
                data |= {"claim": claim.id, "version": claim.version, "source": change.source}
            elif change.span is not None:
                source, label = voice.reads.labelled(voice.clearance, change.source)
                voice.used.append(label)
                voice.told[source.id] = None
                words = f'"{change.span.of(source.body)}"'
                data |= {"source": source.id, "start": change.span.start, "end": change.span.end}
            why = f" ({change.reason})" if change.reason else ""
            yield f"{_stamp(change.at)} {change.kind}: {words}{why}", {**data, "words": words, "reason": change.reason}

    def _accesses(self, voice: Voice, since: Instant, until: Instant) -> Iterator[Line]:
        """Yield who else looked into the reader's space."""
        for at, person, what in self._people.accesses(voice.listener, since, until):
            yield f"{_stamp(at)} looked at by {voice.who(person)}: {what}", {"at": _stamp(at), "kind": "looked at", "words": what}

    def _found(self, voice: Voice, look: Look) -> Iterator[Line]:
        query = voice.query(look.words, history=look.history)
        at = look.as_of if look.valid_at is None else look.valid_at
        query = query if at is None else replace(query, at=at)
        found = recall(voice.reads, self._memory.vocabulary, query, voice.clearance, SEARCH_BUDGET)
        for item in found.items:
            voice.used.append(item.label)
            if item.claim is not None:
                ended = "" if item.claim.validity.to_latest is None else " [no longer]"
                ended = ended if item.believed else " [no longer believed]"
                yield f"{voice.claim(item.claim)}{ended}", self._data(voice, item.claim)
            elif item.inference is not None:
                text = voice.fact(item.inference, item.label, inferred=True)
                if "(inferred" in text:  # and not the very fact in the words of a wider property
                    yield text, {"inferred": text, "label": str(item.label)}
            elif item.source is not None:
                voice.told[item.source.id] = None
                who = voice.reads.document_of(item.source.id)[0] or voice.who(item.source.speaker)
                text = f'{who}, {voice.day(item.source.said_at)}: "{item.source.body}"'
                yield text, {"source": item.source.id, "text": item.source.body, "label": str(item.label)}

    def _data(self, voice: Voice, claim: Claim) -> dict[str, object]:
        return {
            "claim": claim.id,
            "version": claim.version,
            "subject": claim.subject.value,
            "predicate": claim.predicate.value,
            "object": str(claim.object),
            "words": voice.triple(Triple(claim.subject, claim.predicate, claim.object)),
            "label": str(claim.label),
            "valid": axes.edtf(claim.validity),
            "believed_from": _stamp(claim.transaction_from),
            "evidence": [
                {"source": e.source, "start": e.span.start, "end": e.span.end, "quote": e.quote, "speaker": voice.who(e.speaker)}
                for e in voice.reads.evidence(voice.clearance, claim.id)
            ],
        }


def me_of(voice: Voice) -> NamedNode:
    """Return the entity of the listener."""
    return entity_of(voice.listener.id)


def _begins(claim: Claim) -> tuple[int, int, str]:
    validity = claim.validity
    first = validity.from_latest if validity.from_earliest is None else validity.from_earliest
    return (claim.transaction_from if first is None else first, claim.transaction_from, claim.version)


def _began(version: Claim | ClosedClaim) -> tuple[int, str]:
    claim = version.claim if isinstance(version, ClosedClaim) else version
    return claim.transaction_from, claim.version


def _stamp(instant: int) -> str:
    return to_datetime(instant).isoformat(timespec="seconds").replace("+00:00", "Z")
