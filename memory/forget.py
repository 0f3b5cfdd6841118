"""What an act of forgetting would do, for the person who is asked to approve it. Decides; writes nothing.

``plan`` is the one function that decides which claims go, which words are blanked where, what is refused from then on, and
what holds again. ``memory/erase.py`` and ``memory/retract.py`` do exactly that.
"""

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from pyoxigraph import Literal, NamedNode

from memory.admit import is_replaced, opposing
from memory.claim import Claim, Span, Term
from memory.entities import person
from memory.errors import NotYoursError, UnknownThingError
from memory.label import WORLDVIEW, Clearance, Integrity, Space, Spaces, user
from memory.read import Reads
from memory.redact import occurrences, surface_forms
from memory.refusal import Refusals, Subject, keys_of
from memory.rows import Cited, Standing
from memory.text import STOP_WORDS
from memory.traces import Traces, Values
from memory.vocabulary import Vocabulary

_SHORTEST_VALUE = 3


class Act(StrEnum):
    """To stop believing, or to destroy."""

    RETRACT = "retract"
    ERASE = "erase"


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a person wants forgotten: some claims, everything about a thing, some sources, or their whole own space.

    ``restore`` tells whether what a retracted value had superseded holds again.
    """

    act: Act
    claims: tuple[str, ...] = ()
    thing: str = ""
    sources: tuple[str, ...] = ()
    whole: bool = False
    restore: bool = True

    def as_json(self) -> str:
        """Return it in writing; it has ids and no content."""
        values = {"act": self.act.value, "claims": self.claims, "thing": self.thing, "sources": self.sources}
        return json.dumps({**values, "whole": self.whole, "restore": self.restore})

    @classmethod
    def from_json(cls, text: str) -> "Wanted":
        """Return what ``as_json`` wrote."""
        given = json.loads(text)
        claims, sources = tuple[str, ...](given["claims"]), tuple[str, ...](given["sources"])
        return cls(Act(given["act"]), claims, given["thing"], sources, given["whole"], given["restore"])


@dataclass(frozen=True, slots=True)
class Approver:
    """A person who decides, whether it is the owner, and who the owner is."""

    person: str
    is_owner: bool = False
    owner: str = ""


@dataclass(frozen=True, slots=True)
class Restored:
    """A claim that a retracted one had superseded: its ended version now, and the version that would stand again."""

    ended: Standing
    again: Standing


@dataclass(frozen=True, slots=True)
class Consequences:
    """What an act would do, as far as the approver may see.

    ``cited`` is the evidence of what goes, ``mentions`` that of names which other words give as well; ``stretches`` are the
    words that are blanked, by source, and ``replies`` are those of the sources that the assistant wrote.
    ``beyond`` are words of replies to others, which are blanked as well and told to nobody.
    ``values`` are writings of what is gone altogether, ``quotes`` longer wordings; both only for the search after an erasure.
    ``refused`` is what may not come back where. ``elsewhere`` are claims about the same that are not the approver's to touch.
    """

    wanted: Wanted
    versions: tuple[Standing, ...]
    restored: tuple[Restored, ...] = ()
    cited: tuple[Cited, ...] = ()
    mentions: tuple[Cited, ...] = ()
    stretches: Mapping[str, tuple[Span, ...]] = field(default_factory=dict[str, tuple[Span, ...]])
    replies: frozenset[str] = frozenset()
    beyond: Mapping[str, tuple[Span, ...]] = field(default_factory=dict[str, tuple[Span, ...]])
    waiting: tuple[str, ...] = ()
    refused: tuple[tuple[Space, Subject], ...] = ()
    elsewhere: tuple[Claim, ...] = ()
    values: tuple[str, ...] = ()
    quotes: tuple[str, ...] = ()
    reach: tuple[Space, ...] = ()

    @property
    def claims(self) -> tuple[str, ...]:
        """The ids of the claims that go."""
        return tuple(dict.fromkeys(standing.claim.id for standing in self.versions))

    @property
    def digest(self) -> str:
        """A digest of what was shown, over ids alone: an approval of one list is no approval of another.

        Where else the values stand in transcripts is no part of it: the list that is shown stands there too.
        """
        shown = {
            "wanted": self.wanted.as_json(),
            "versions": sorted(standing.claim.version for standing in self.versions),
            "restored": sorted(restored.again.claim.version for restored in self.restored),
            "evidence": sorted((c.claim, c.source, c.span.start, c.span.end) for c in self.cited),
            "waiting": sorted(self.waiting),
        }
        return hashlib.sha256(json.dumps(shown).encode()).hexdigest()


def decides(order: Spaces, approver: Approver, space: Space) -> bool:
    """Tell whether somebody decides about a space: their own; the worldview for the owner; a team for the owner in it.

    Of a team without the owner every member decides.
    """
    if space == WORLDVIEW:
        return approver.is_owner
    members = order.members_of(space)
    if space.kind == "team" and approver.owner in members:
        return approver.is_owner
    return approver.person in members


def plan(
    reads: Reads, order: Spaces, vocabulary: Vocabulary, refusals: Refusals, wanted: Wanted, approver: Approver
) -> Consequences:
    """Return what an act would do.

    Raises ``UnknownThingError`` where what is wanted names nothing that the approver may see.
    """
    return _Plan(reads, order, vocabulary, refusals, wanted, approver).made()


@dataclass(slots=True)
class _Plan:
    reads: Reads
    order: Spaces
    vocabulary: Vocabulary
    refusals: Refusals
    wanted: Wanted
    approver: Approver
    _held: dict[str, bool] = field(default_factory=dict[str, bool])

    def made(self) -> Consequences:
        """Return the consequences."""
        found = self._targets()
        mine = [s for s in found if self._is_theirs(s.claim)]
        elsewhere = tuple(s.claim for s in found if not self._is_theirs(s.claim) and s.table == "live_claim")
        if self.wanted.act is Act.RETRACT:
            mine = [s for s in mine if s.table != "closed_claim"]
            if not mine:
                raise UnknownThingError(self._nothing(elsewhere))
            left = [s for s in self._names_left_over(mine) if s.table == "live_claim"]
            versions = tuple(dict.fromkeys([*mine, *left]))
            return Consequences(self.wanted, versions, self._restored(mine), refused=self._refused(mine), elsewhere=elsewhere)
        if not mine and not self.wanted.sources and not self.wanted.whole:
            raise UnknownThingError(self._nothing(elsewhere))
        return self._erasing(mine, elsewhere)

    @property
    def _seen(self) -> Clearance:
        return self.order.clearance(user(self.approver.person), integrity=Integrity.QUARANTINED)

    def _nothing(self, elsewhere: tuple[Claim, ...]) -> str:
        if elsewhere:
            return "That is not yours to forget: it was told to more people. Ask the owner. Nothing was changed."
        return "There is nothing of yours there to forget. Nothing was changed; `muniment memory show` lists what there is."

    def _targets(self) -> list[Standing]:
        """Return every version of what is wanted gone that the approver may see."""
        wanted, seen = self.wanted, self._seen
        if wanted.claims:
            found = self.reads.standing(seen, claims=wanted.claims)
            return self._with_the_same(found) if wanted.act is Act.ERASE else found
        if wanted.thing:
            about = self.reads.standing(seen, thing=NamedNode(wanted.thing))
            return self.reads.standing(seen, claims=list(dict.fromkeys(s.claim.id for s in about))) if about else []
        if wanted.sources:
            for source in wanted.sources:
                if not decides(self.order, self.approver, self.reads.source(seen, source).space):
                    message = "Those words are not yours to forget: others were told them. Nothing was changed; ask the owner."
                    raise NotYoursError(message)
            cited = {c.claim for source in wanted.sources for c in self.reads.cited(source=source)}
            given = set(wanted.sources)
            only = [claim for claim in cited if {c.source for c in self.reads.cited(claims=[claim])} <= given]
            return self.reads.standing(seen, claims=sorted(only)) if only else []
        if wanted.whole:
            own = self.reads.standing(seen, space=user(self.approver.person))
            about = self.reads.standing(seen, thing=self._me)
            return list(dict.fromkeys([*own, *about]))
        return []

    def _with_the_same(self, found: list[Standing]) -> list[Standing]:
        """Return claim versions with all others that say the same value of the same subject, in whatever writing and status."""
        ids = dict.fromkeys(s.claim.id for s in found)
        for subject, predicate in dict.fromkeys((s.claim.subject, s.claim.predicate) for s in found):
            values = [s.claim.object for s in found if (s.claim.subject, s.claim.predicate) == (subject, predicate)]
            keys = {key for value in values for key in self._writings(value)}
            about = self.reads.standing(self._seen, thing=subject, predicate=predicate)
            same = (s.claim.id for s in about if s.claim.subject == subject and keys & self._writings(s.claim.object))
            ids.update(dict.fromkeys(same))
        return self.reads.standing(self._seen, claims=list(ids))

    @staticmethod
    def _writings(term: Term) -> set[str]:
        return set(keys_of(term, ()))

    @property
    def _me(self) -> NamedNode:
        return person(self.approver.person)

    def _is_theirs(self, claim: Claim) -> bool:
        """Tell whether the approver decides about a claim: by its space, or for an erasure because it is about them."""
        if decides(self.order, self.approver, claim.label.space):
            return True
        return self.wanted.act is Act.ERASE and self._me in (claim.subject, claim.object) and claim.label.space.kind != "user"

    def _restored(self, going: list[Standing]) -> tuple[Restored, ...]:
        """Return what the retracted claims had superseded and could hold again."""
        if not self.wanted.restore:
            return ()
        found: list[Restored] = []
        gone = {s.claim.id for s in going}
        for claim_id in gone:
            versions = self.reads.standing(self._seen, claims=[claim_id])
            first = min(versions, key=lambda s: s.claim.entry).claim
            for again in self.reads.closed_about(first.subject, first.entry):
                if again.claim.subject != first.subject or again.claim.label not in self._seen:
                    continue
                if again.claim.id in gone or not again.reason.startswith("superseded"):
                    continue
                if self._has_no_room(again.claim, gone) or self.refusals.find(
                    (again.claim.label.space,), self._about(again.claim)
                ):
                    continue
                now = [s for s in self.reads.standing(self._seen, claims=[again.claim.id]) if s.table == "live_claim"]
                if len(now) == 1 and now[0].claim.entry == first.entry:
                    found.append(Restored(now[0], again))
        return tuple(found)

    def _has_no_room(self, claim: Claim, gone: set[str]) -> bool:
        """Tell whether something that stays leaves no room for a claim."""
        predicates = opposing(claim.predicate, self.vocabulary)
        believed = self.reads.claims(self._seen, subject=claim.subject, predicates=predicates)
        return is_replaced(claim, [other for other in believed if other.id not in gone], self.vocabulary)

    def _is_still_said(self, claim: Claim, gone: set[str]) -> bool:
        """Tell whether another claim of the same space says the same: then only this stretch of it was wrong."""
        same = self.reads.claims(self._seen, subject=claim.subject, predicates=(claim.predicate,), object_=claim.object)
        return any(other.id not in gone and other.label.space == claim.label.space for other in same)

    def _about(self, claim: Claim) -> Subject:
        return Subject(self._keys(claim.subject), claim.predicate, self._keys(claim.object))

    def _refused(self, going: Iterable[Standing]) -> tuple[tuple[Space, Subject], ...]:
        """Return what must not come back, by space; not what another claim that stays says just so."""
        going = list(going)
        gone = {standing.claim.id for standing in going}
        found: dict[tuple[str, ...], tuple[Space, Subject]] = {}
        for standing in going:
            claim = standing.claim
            if self._is_still_said(claim, gone):
                continue
            key = str(claim.label.space), str(claim.subject), str(claim.predicate), str(claim.object)
            found[key] = (claim.label.space, self._about(claim))
        if self.wanted.thing and self.wanted.act is Act.ERASE:
            everything = Subject(self._keys(NamedNode(self.wanted.thing)), None, ())
            for space in {s.claim.label.space for s in going}:
                found[(str(space),)] = (space, everything)
        return tuple(found.values())

    def _keys(self, term: Term) -> tuple[str, ...]:
        return keys_of(term, self.reads.called(self._seen, term) if isinstance(term, NamedNode) else ())

    # Erasure

    def _erasing(self, mine: list[Standing], elsewhere: tuple[Claim, ...]) -> Consequences:
        going = list(dict.fromkeys(mine))
        stated = list(going)
        going = list(dict.fromkeys([*going, *self._names_left_over(going)]))
        values = self._values(going)
        reach = {s.claim.label.space for s in going} | {user(self.approver.person)}
        wanted = self.wanted
        traces = Traces(self.reads, self._seen, self.approver.person, self._me, going, wanted.sources, wanted.whole)
        found = traces.find(values, reach)
        return Consequences(
            wanted,
            tuple(going),
            cited=found.cited,
            mentions=found.mentions,
            stretches=found.stretches,
            replies=found.replies,
            beyond=found.beyond,
            waiting=self._pending(going, values.gone),
            refused=self._refused(stated),
            elsewhere=elsewhere,
            values=tuple(sorted(values.gone)),
            quotes=found.quotes,
            reach=tuple(sorted(reach)),
        )

    def _is_held(self, term: Term, ids: Sequence[str]) -> bool:
        """Tell whether a claim that stays speaks of a term."""
        key = str(term)
        if key not in self._held:
            self._held[key] = self.reads.is_spoken_of(self._seen, term, ids)
        return self._held[key]

    def _names_left_over(self, going: list[Standing]) -> list[Standing]:
        """Return the names of things that nothing else speaks of any more."""
        ids = [s.claim.id for s in going]
        things = {t for s in going for t in (s.claim.subject, s.claim.object) if isinstance(t, NamedNode) and t != self._me}
        left = [thing for thing in sorted(things, key=str) if not self._is_held(thing, ids)]
        named = [
            s
            for thing in left
            for s in self.reads.standing(self._seen, thing=thing)
            if s.claim.predicate in self.vocabulary.naming
        ]
        moved = {
            s.claim.id for s in self.reads.standing(self._seen, claims=[s.claim.id for s in named]) if s.claim.subject not in left
        }
        return [s for s in named if s.claim.id not in moved and self._is_theirs(s.claim)]

    def _values(self, going: Sequence[Standing]) -> Values:
        """Return the writings of what goes; those of a letter or two stand in any text, and count only where it is told."""
        ids = [s.claim.id for s in going]
        gone: set[str] = set()
        held: set[str] = set()
        for object_ in dict.fromkeys(s.claim.object for s in going):
            if isinstance(object_, Literal):
                (held if self._is_held(object_, ids) else gone).update(surface_forms(object_))
            elif self._is_held(object_, ids):
                held.update(self.reads.all_names(self._seen, object_))
        small = {form for form in gone if len(form) < _SHORTEST_VALUE or form.casefold() in STOP_WORDS}
        return Values(frozenset(gone - small), frozenset((held - gone) | small))

    def _pending(self, going: Iterable[Standing], gone: frozenset[str]) -> tuple[str, ...]:
        triples = {(s.claim.subject, s.claim.predicate, s.claim.object) for s in going}
        thing = NamedNode(self.wanted.thing) if self.wanted.thing else None
        found: list[str] = []
        for row in self.reads.every_pending(self._seen):
            same = (row.subject, row.predicate, row.object) in triples or thing in (row.subject, row.object)
            told = any(occurrences(text, value) for text in (row.subject_text, row.object_text) for value in gone)
            whole = self.wanted.whole and row.label.space == user(self.approver.person)
            if same or whole or told or row.source in self.wanted.sources:
                found.append(row.id)
        return tuple(found)
