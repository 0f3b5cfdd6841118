"""What waits for a person: acts of forgetting that were asked for, and candidates that admission holds.

A request is bound to the list that was shown, is used once and expires. Whoever asks for it, a model included, only a person
approves it, through the one channel or another; all of them come here.
"""

import asyncio
import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

from pyoxigraph import NamedNode, Triple

from gateway import axioms
from gateway.answer import OfflineAnswerer
from gateway.axioms import Adopting
from gateway.errors import IncorrectRequestError
from gateway.meaning import Meaning
from gateway.people import People, Person
from gateway.voice import Voice
from gateway.waiting import wait
from memory.admit import Admit, Hold
from memory.claim import NAMED_BY_MENTION
from memory.consolidate import WRONG, Kind, Way, is_still_asked, options
from memory.documents import documents
from memory.erase import Opening
from memory.errors import AlreadyRecordedError, IncorrectChoiceError, NotYoursError, UnfinishedErasureError, UnknownThingError
from memory.forget import Act, Approver, Consequences, Wanted, decides
from memory.ids import Instant
from memory.label import Integrity, Label, Sensitivity, user
from memory.merge import Moving
from memory.ontology import may_become
from memory.read import Reads
from memory.rows import Doubt, Proposed, Waiting
from memory.settle import Choice, Settled, choices, is_proposal, waiting_all
from memory.store import Memory
from memory.tables import Row

LASTS: Instant = 24 * 3_600 * 1_000_000
"""Microseconds in which a request can be approved."""

APPROVE, KEEP_OPEN, MERGE, APART = "approve", "only", "merge", "apart"
_CODE = 6
_TWO = 2
_ASKED = {
    Kind.STALE: "Is it still so?",
    Kind.REPEATED: "Are these one value in two writings?",
    Kind.CLASHING: "These cannot all be so. Which is wrong?",
}
_MOST_QUOTES = 12
_MOST_TOLD = 3
_MOST_SHOWN = 12


@dataclass(frozen=True, slots=True)
class Item:
    """Something that waits: its id and short code, lines that say what it is, the choices, and the label of it all.

    ``told`` are the claims and sources that it tells of, and ``source`` is the message that led to it.
    """

    id: str
    lines: tuple[str, ...]
    choices: tuple[str, ...]
    label: Label
    told: tuple[str, ...] = ()
    source: str = ""

    @property
    def code(self) -> str:
        """The end of the id, short enough to type."""
        return code_of(self.id)

    @property
    def is_long(self) -> bool:
        """Tell whether a chat shows the first of its lines alone, until more are asked for."""
        return len(self.lines) > _MOST_SHOWN


@dataclass(frozen=True, slots=True)
class Done:
    """What a decision did, in words; for an erasure the receipt and what opens it, which is kept nowhere."""

    lines: tuple[str, ...]
    receipt: str = ""
    opening: Opening | None = None


@dataclass(frozen=True, slots=True)
class Merging:
    """What a person wants merged: two entities, by their IRIs."""

    first: str
    second: str

    def as_json(self) -> str:
        """Return it in writing."""
        return json.dumps({"act": MERGE, "first": self.first, "second": self.second})


def _read(wanted: str) -> Wanted | Merging | Adopting:
    given = json.loads(wanted)
    if given["act"] == axioms.ACT:
        return Adopting(given["axioms"], given["kind"])
    return Merging(given["first"], given["second"]) if given["act"] == MERGE else Wanted.from_json(wanted)


@dataclass(frozen=True, slots=True)
class _Request:
    id: str
    wanted: Wanted | Merging | Adopting
    shown: str
    source: str


def in_short(item: Item) -> tuple[str, ...]:
    """Return the first lines of an item, and that there are more where there are."""
    if not item.is_long:
        return item.lines
    more = f"... and {len(item.lines) - _MOST_SHOWN} more; Show more, or /pending {item.code}, shows them."
    return (*item.lines[:_MOST_SHOWN], more)


def how_to_decide(item: Item) -> str:
    """Return how an item is decided."""
    believing = [choice for choice in item.choices if choice not in {"deny", "reject"}]
    bare = len(believing) == 1
    ways = [f"/approve {item.code}" if bare or choice == APPROVE else f"/approve {item.code} {choice}" for choice in believing]
    return ", or ".join([*ways, f"/deny {item.code}"])


def code_of(id_: str) -> str:
    """Return the short code of an id."""
    return id_[-_CODE:]


def approver_of(person: Person, people: People) -> Approver:
    """Return a person as somebody who decides."""
    owner = people.owner()
    return Approver(person.id, person.is_owner, owner.id if owner else "")


class Approvals:
    """Asks, lists, and does what a person decided."""

    def __init__(self, memory: Memory, people: People, answerer: OfflineAnswerer) -> None:
        """Use a memory and its people."""
        self._memory, self._people = memory, people
        self._meaning = Meaning(memory.vocabulary, answerer)
        self._items: dict[str, Item] = {}  # what was shown of open requests; in memory alone, since it has content

    async def ask(self, person: Person, words: str, act: Act, source: str = "") -> Item:
        """Return what forgetting something would do, as a request that its person can approve; ``source`` asked for it."""
        wanted = await asyncio.to_thread(self._wanted, person, words, act)
        return await self.request(person, wanted, source)

    async def ask_to_merge(self, person: Person, first: str, second: str, source: str = "") -> Item:
        """Return what merging two named things would do, as a request that its person can approve."""

        def read(voice: Voice) -> Merging:
            return Merging(*(self._meaning.thing(name, voice).value for name in (first, second)))

        merging, _ = await asyncio.to_thread(self._speak, person, read)
        return await self.request(person, merging, source)

    async def ask_to_adopt(self, person: Person, id_: str, kind: str) -> Item:
        """Return what adopting axioms would do, or withdrawing them, as a request to the owner; others may only propose."""
        owner = self._people.owner()
        if not person.is_owner or owner is None:
            message = "Only the owner decides about words and axioms. What you proposed is kept for the owner to look at."
            raise IncorrectRequestError(message)
        return await self.request(person, Adopting(id_, kind), "")

    async def request(self, person: Person, wanted: Wanted | Merging | Adopting, source: str) -> Item:
        """Record a request and return what it would do."""
        item, shown = await asyncio.to_thread(self._shown, person, wanted, self._memory.ids())
        values = {
            "id": item.id,
            "person": person.id,
            "wanted": wanted.as_json(),
            "shown": shown,
            "expires": self._memory.clock() + LASTS,
            "source": source,
        }
        await wait(self._memory.record("request", person.id, (Row("request", values),)))
        self._items[item.id] = item
        return item

    def merges(self, person: Person) -> list[str]:
        """Return the merges of a person that can be taken back, a line each."""

        def say(voice: Voice) -> list[str]:
            merged = [
                (id_, at, ", ".join(voice.reads.names(voice.clearance, kept)))
                for id_, kept, _, at in voice.reads.merges(person.id)
            ]
            folded = [
                (p.id, p.at, f"{voice.triple(Triple(claim.subject, claim.predicate, claim.object))}, said in another writing")
                for p in self._folded(person, voice.reads)
                if (claim := voice.reads.live(p.about[0])) is not None
            ]
            return [f"{code_of(id_)} {voice.day(at)}: {what}" for id_, at, what in (*merged, *folded)]

        return self._speak(person, say)[0]

    async def unmerge(self, person: Person, code: str) -> Done:
        """Take a merge back."""
        end = code.strip().casefold()
        with self._memory.reading() as reads:
            folded = [p.id for p in self._folded(person, reads) if p.id.endswith(end)]
            ids = [id_ for id_, *_ in reads.merges(person.id) if id_.endswith(end)] + folded
        if len(ids) != 1 or len(code.strip()) < _CODE:
            message = (
                f"There is no merge {code!r} of yours to take back. Nothing was changed; `muniment memory unmerge` lists them."
            )
            raise IncorrectRequestError(message)
        if folded:
            await wait(self._memory.unfold(ids[0], self.approver(person)))
            return Done(("Taken back: they are two statements again.",))
        count = await wait(self._memory.unmerge(ids[0], self.approver(person)))
        return Done((f"Taken back: {count} statements are about their own thing again.",))

    def _folded(self, person: Person, reads: Reads) -> list[Proposed]:
        approver = self.approver(person)
        return [p for p in reads.folded() if decides(self._memory.spaces, approver, p.label.space)]

    def waiting(self, person: Person, source: str = "") -> list[Item]:
        """Return all that waits for a person, the oldest first; only what one message led to where it is named."""
        items: list[Item] = []
        for request in self._requests(person):
            if source in {"", request.source}:
                with suppress(UnknownThingError, NotYoursError, IncorrectChoiceError):  # it is gone or done already
                    item = self._items.get(request.id) or self._shown(person, request.wanted, request.id)[0]
                    self._items[request.id] = item
                    items.append(replace(item, source=request.source))
        return items + self._held(person, source) + self._doubts(person, source) + ([] if source else self._proposals(person))

    async def approve(self, person: Person, code: str, choice: str = "") -> Done:
        """Do what was asked for, or decide about a candidate; raise ``IncorrectRequestError`` for a code of nothing of theirs."""
        request, held = await asyncio.to_thread(self._find, person, code)
        if request is not None:
            return await self._perform(person, request, choice)
        if isinstance(held, Doubt):
            return await self._decide_doubt(person, held, choice)
        if isinstance(held, Proposed):
            return await self._decide_proposal(person, held, choice)
        if held is None:
            raise IncorrectRequestError(_nothing(code))
        possible = choices(held)
        if possible[0] is Choice.REJECT and choice in {"", APPROVE}:
            message = f"That cannot be believed: {held.reason}. Nothing was changed; /deny {code} rejects it."
            raise IncorrectRequestError(message)
        chosen = possible[0] if choice in {"", APPROVE} else Choice(choice) if choice in set(Choice) else None
        if chosen is None or (choice in {"", APPROVE} and len(possible) > _TWO):
            message = f"Say which of these: {', '.join(possible)}. Nothing was changed."
            raise IncorrectRequestError(message)
        return await self._settle(person, held, chosen)

    async def deny(self, person: Person, code: str) -> Done:
        """Leave everything as it is, or reject a candidate."""
        request, held = await asyncio.to_thread(self._find, person, code)
        if request is not None:
            await self._end(person, request, "denied")
            return Done(("Nothing was changed.",))
        if isinstance(held, Doubt):
            return await self._decide_doubt(person, held, APART)
        if isinstance(held, Proposed):
            return await self._decide_proposal(person, held, Way.LEAVE)
        if held is None:
            raise IncorrectRequestError(_nothing(code))
        return await self._settle(person, held, Choice.REJECT)

    async def promote(self, person: Person, claim: str) -> Done:
        """Let a person say a quarantined claim as their own; admission decides about it as about anything they say."""
        settled = await wait(self._memory.promote(claim, self.approver(person), f"promoted:{person.id}"))
        return _settled(settled)

    def approver(self, person: Person) -> Approver:
        """Return a person as somebody who decides."""
        return approver_of(person, self._people)

    # Requests

    async def _perform(self, person: Person, request: _Request, choice: str) -> Done:
        wanted = request.wanted
        self._items.clear()
        if choice not in {"", APPROVE, KEEP_OPEN}:
            message = f"{choice!r} is no choice here: {APPROVE}, {KEEP_OPEN}. Nothing was changed."
            raise IncorrectRequestError(message)
        approver = self.approver(person)
        end = (Row("request_end", {"request": request.id, "outcome": "approved"}),)
        shown = request.shown
        if isinstance(wanted, Merging):
            first, second = NamedNode(wanted.first), NamedNode(wanted.second)
            id_ = await wait(self._memory.merge(first, second, shown, approver, end))
            return Done((f"Merged. `muniment memory unmerge {code_of(id_)}` takes it back.",))
        if isinstance(wanted, Adopting):
            return await asyncio.to_thread(self._adopt, wanted, shown, approver, end)
        if choice == KEEP_OPEN and wanted.restore:
            wanted, shown = await asyncio.to_thread(self._without_restoring, wanted, shown, approver)
        try:
            if wanted.act is Act.RETRACT:
                done = await wait(self._memory.retract(wanted, shown, approver, end))
                return Done(tuple(_retracted(done)))
            erased = await wait(self._memory.erase(wanted, shown, approver, end))
        except AlreadyRecordedError as error:
            raise IncorrectRequestError(_nothing(code_of(request.id))) from error
        try:
            receipts = await wait(self._memory.finish_erasures())
        except UnfinishedErasureError as error:
            return Done((str(error), f"Its receipt will be {erased.id}."), "", erased.opening)
        receipt = next((r for r in receipts if erased.id in r), "")
        claims = len(erased.opening.texts)
        lines = (
            f"Erased: {claims} {'statement' if claims == 1 else 'statements'} and the words for it. A search found nothing left.",
            "Display names, titles of chats and names of tokens are no memories and stay as they are.",
            f"The receipt is {erased.id}; `muniment receipt {erased.id}` prints it.",
        )
        return Done(lines, receipt, erased.opening)

    def _adopt(self, wanted: Adopting, shown: str, approver: Approver, end: tuple[Row, ...]) -> Done:
        addition = self._memory.addition(wanted.axioms)
        if axioms.digest_of(addition, self._memory.try_axioms(wanted.axioms, approver.person)) != shown:
            message = "What that would do has changed since it was shown. Nothing was changed; ask for it again."
            raise IncorrectRequestError(message)
        became = self._memory.exchange_axioms(wanted.axioms, wanted.kind, approver, end).result()
        return Done((f"The axioms are {became}; all that follows was concluded anew.",))

    def _without_restoring(self, wanted: Wanted, shown: str, approver: Approver) -> tuple[Wanted, str]:
        """Return the same act without what would hold again, provided that the list that was shown still stands."""
        if self._memory.preview(wanted, approver).digest != shown:
            return wanted, ""
        only = replace(wanted, restore=False)
        return only, self._memory.preview(only, approver).digest

    async def _end(self, person: Person, request: _Request, outcome: str) -> None:
        try:
            await wait(
                self._memory.record("request", person.id, (Row("request_end", {"request": request.id, "outcome": outcome}),))
            )
        except AlreadyRecordedError as error:
            raise IncorrectRequestError(_nothing(code_of(request.id))) from error

    def _requests(self, person: Person) -> list[_Request]:
        rows = self._memory.rows(
            "SELECT id, wanted, shown, source FROM request r WHERE person = ? AND expires > ?"
            " AND NOT EXISTS (SELECT 1 FROM request_end e WHERE e.request = r.id) ORDER BY entry",
            (person.id, self._memory.clock()),
        )
        return [_Request(id_, _read(wanted), shown, source) for id_, wanted, shown, source in rows]

    def _wanted(self, person: Person, words: str, act: Act) -> Wanted:
        def read(voice: Voice) -> Wanted:
            meant = self._meaning.of(words, voice, self._memory.clock())
            return Wanted(act, meant.claims, meant.thing, meant.sources, meant.whole)

        return self._speak(person, read)[0]

    def _shown(self, person: Person, wanted: Wanted | Merging | Adopting, id_: str) -> tuple[Item, str]:
        """Return an act as an item, with the digest of what it shows."""
        if isinstance(wanted, Merging):
            plan = self._memory.moving(NamedNode(wanted.first), NamedNode(wanted.second), self.approver(person))
            lines, voice = self._speak(person, lambda voice: list(_merging(plan, voice)))
            return Item(id_, tuple(lines), (APPROVE, "deny"), _label(person, voice), tuple(voice.told)), plan.digest
        if isinstance(wanted, Adopting):
            addition = self._memory.addition(wanted.axioms)
            may_become(addition, wanted.kind)
            trial = self._memory.try_axioms(wanted.axioms, person.id)
            lines, voice = self._speak(person, lambda voice: list(axioms.lines_of(addition, trial, voice)))
            return Item(id_, tuple(lines), (APPROVE, "deny"), _label(person, voice)), axioms.digest_of(addition, trial)
        consequences = self._memory.preview(wanted, self.approver(person))
        falling = self._memory.falling(consequences)
        lines, voice = self._speak(person, lambda voice: list(_lines(consequences, falling, voice)))
        possible = (APPROVE, KEEP_OPEN, "deny") if consequences.restored else (APPROVE, "deny")
        return Item(id_, tuple(lines), possible, _label(person, voice), tuple(voice.told)), consequences.digest

    # Candidates

    async def _settle(self, person: Person, held: Waiting, choice: Choice) -> Done:
        return _settled(await wait(self._memory.settle(held.id, choice, self.approver(person))))

    def _held(self, person: Person, source: str) -> list[Item]:
        approver = self.approver(person)
        with self._memory.reading() as reads:
            found = waiting_all(reads, self._memory.spaces, approver)
            return [self._held_item(person, waiting, reads) for waiting in found if source in {"", waiting.source}]

    def _held_item(self, person: Person, waiting: Waiting, reads: Reads) -> Item:
        def say(voice: Voice) -> list[str]:
            clearance = self._memory.spaces.clearance(reads.label_of(waiting.source).space, integrity=Integrity.QUARANTINED)
            source = reads.source(clearance, waiting.source)
            quote = waiting.span.of(source.body)
            voice.used.append(waiting.label)
            voice.told[waiting.source] = None
            lines = [f'{voice.who(waiting.speaker)}, {voice.day(source.said_at)}: "{quote}"', f"waits because: {waiting.reason}"]
            against = [] if is_proposal(waiting) else [reads.current(voice.clearance, version) for version in waiting.against]
            return lines + [f"stands against it: {voice.claim(claim)}" for claim in against if claim is not None]

        lines, voice = self._speak(person, say)
        return Item(waiting.id, tuple(lines), tuple(choices(waiting)), _label(person, voice), tuple(voice.told), waiting.source)

    # Doubts

    async def _decide_doubt(self, person: Person, doubt: Doubt, choice: str) -> Done:
        if choice not in {MERGE, APART}:
            message = f"Say which of these: {MERGE}, {APART}. Nothing was changed."
            raise IncorrectRequestError(message)
        approver = self.approver(person)
        if choice == APART:
            await wait(self._memory.keep_apart(doubt.id, approver))
            return Done(("They stay two.",))
        plan = await asyncio.to_thread(self._memory.moving, doubt.first, doubt.second, approver)
        settled = Row("settled", {"pending": doubt.id, "choice": MERGE, "version": None})
        id_ = await wait(self._memory.merge(doubt.first, doubt.second, plan.digest, approver, (settled,)))
        return Done((f"Merged. `muniment memory unmerge {code_of(id_)}` takes it back.",))

    def _doubts(self, person: Person, source: str) -> list[Item]:
        def say(voice: Voice) -> list[Item]:
            found = [doubt for doubt in voice.reads.doubts(voice.clearance) if source in {"", doubt.source}]
            return [self._doubt_item(person, doubt, voice) for doubt in found]

        return self._speak(person, say)[0]

    def _doubt_item(self, person: Person, doubt: Doubt, voice: Voice) -> Item:
        voice.used.append(doubt.label)
        lines = ["These look alike. Are they one?"]
        for thing in (doubt.first, doubt.second):
            claims = [*voice.reads.claims(voice.clearance, subject=thing), *voice.reads.claims(voice.clearance, object_=thing)]
            told = [voice.claim(claim) for claim in claims if claim.wording != NAMED_BY_MENTION]
            lines.append(f"{voice.name(thing)}: {' '.join(told[:_MOST_TOLD])}")
        return Item(doubt.id, tuple(lines), (MERGE, APART), _label(person, voice), tuple(voice.told), doubt.source)

    # What consolidation proposes

    async def _decide_proposal(self, person: Person, proposed: Proposed, way: str) -> Done:
        if proposed.kind == Kind.CLASHING and (wrong := _place(way, len(proposed.about))) is not None:
            item = await self.request(person, Wanted(Act.RETRACT, (proposed.about[wrong],)), "")
            return Done((*item.lines, f"Nothing is changed before you approve {item.code}."))
        await wait(self._memory.decide_proposal(proposed.id, way, self.approver(person)))
        return Done(("Left as it is." if way == Way.LEAVE else "Done.",))

    def _proposals(self, person: Person) -> list[Item]:
        def say(voice: Voice) -> list[Item]:
            found = voice.reads.proposals(voice.clearance)
            return [item for proposed in found if (item := self._proposal_item(person, proposed, voice)) is not None]

        return self._speak(person, say)[0]

    def _proposal_item(self, person: Person, proposed: Proposed, voice: Voice) -> Item | None:
        """Return a proposal in words; ``None`` where what it is about is no longer there, or not the person's to decide."""
        approver = self.approver(person)
        if not decides(self._memory.spaces, approver, proposed.label.space):
            return None
        voice.used.append(proposed.label)
        if proposed.kind == Kind.VANISHED:
            document = next((d for d in documents(voice.reads, proposed.label.space) if d.id == proposed.about[0]), None)
            lines = [] if document is None or not document.is_there else [f"Its file is gone. Delete {document.name} here too?"]
        else:
            claims = [claim for id_ in proposed.about if (claim := voice.reads.live(id_)) is not None]
            if not is_still_asked(voice.reads, self._memory.vocabulary, proposed, self._memory.clock()):
                return None
            lines = [_ASKED[Kind(proposed.kind)], *map(voice.claim, claims)]
        ways = options(proposed, voice.reads.live(proposed.about[0]), approver)
        return Item(proposed.id, tuple(lines), tuple(ways), _label(person, voice), tuple(voice.told)) if lines else None

    # All

    def _find(self, person: Person, code: str) -> tuple[_Request | None, Waiting | Doubt | Proposed | None]:
        wanted = code.strip().strip("#").casefold()
        if len(wanted) < _CODE:
            raise IncorrectRequestError(_nothing(code))
        requests = [request for request in self._requests(person) if request.id.endswith(wanted)]
        with self._memory.reading() as reads:
            found = waiting_all(reads, self._memory.spaces, self.approver(person))
            clearance = self._memory.spaces.clearance(user(person.id))
            more = (*reads.doubts(clearance), *reads.proposals(clearance))
        held = [waiting for waiting in (*found, *more) if waiting.id.endswith(wanted)]
        if len(requests) + len(held) > 1:
            message = f"{code!r} is the end of more than one id; give more of it. Nothing was changed."
            raise IncorrectRequestError(message)
        return (requests or [None])[0], (held or [None])[0]

    def _speak(self, person: Person, say: "Callable[[Voice], Any]") -> tuple[Any, Voice]:
        people = self._people.known()
        clearance = self._memory.spaces.clearance(user(person.id))
        with self._memory.reading() as reads:
            voice = Voice(self._memory, reads, clearance, person, people, "UTC")
            return say(voice), voice


def _place(way: str, count: int) -> int | None:
    """Return which claim of a contradiction somebody says is wrong, from 0."""
    number = way.removeprefix(WRONG)
    named = way.startswith(WRONG) and number.isascii() and number.isdecimal()
    return int(number) - 1 if named and 1 <= int(number) <= count else None


def _nothing(code: str) -> str:
    why = "it was decided, has expired, or never was"
    return f"Nothing of yours waits under {code!r}: {why}. Nothing was changed; /pending lists what does."


def _label(person: Person, voice: Voice) -> Label:
    sensitivity = max([Sensitivity.INTERNAL, *(label.sensitivity for label in voice.used)])
    return Label(user(person.id), sensitivity, Integrity.QUARANTINED)


def _lines(consequences: Consequences, falling: Sequence[Triple], voice: Voice) -> Iterator[str]:
    """Yield the consequences of an act, a line each."""
    wanted = consequences.wanted
    erasing = wanted.act is Act.ERASE
    naming = voice.memory.vocabulary.naming
    told: dict[str, None] = {}
    for standing in consequences.versions:
        claim = standing.claim
        if claim.predicate in naming and claim.wording == NAMED_BY_MENTION:
            continue
        voice.used.append(claim.label)
        voice.told[claim.id] = None
        words = voice.triple(Triple(claim.subject, claim.predicate, claim.object))
        told[f"{'erase' if erasing else 'stop believing'}: {'not so: ' * standing.negative}{words}"] = None
    yield from told
    for restored in consequences.restored:
        claim = restored.again.claim
        yield f"holds again: {voice.triple(Triple(claim.subject, claim.predicate, claim.object))}"
    for triple in falling:
        yield f"no longer follows: {voice.triple(triple)}"
    if erasing:
        yield from _blanked(consequences, voice)
    for claim in consequences.elsewhere:
        yield f"stays, for others hold it: {voice.triple(Triple(claim.subject, claim.predicate, claim.object))}"
    if erasing:
        yield "This cannot be undone, and it is refused from then on unless a person says otherwise."


def _blanked(consequences: Consequences, voice: Voice) -> Iterator[str]:
    said = [source for source in consequences.stretches if source not in consequences.replies]
    if consequences.wanted.whole:
        yield f"blanked: all of your own chats, {len(said)} messages and {len(consequences.replies)} of my replies"
        return
    for source in said[:_MOST_QUOTES]:
        body = voice.reads.body(source)
        quotes = "; ".join(f'"{span.of(body)}"' for span in consequences.stretches[source])
        yield f"blanked in a message: {quotes}"
    if len(said) > _MOST_QUOTES:
        yield f"and in {len(said) - _MOST_QUOTES} more messages"
    if consequences.replies:
        yield f"blanked in {len(consequences.replies)} of my replies"
    if consequences.waiting:
        yield f"dropped: {len(consequences.waiting)} that waited for a person"


def _merging(plan: Moving, voice: Voice) -> Iterator[str]:
    """Yield what a merge would do, a line each."""
    kept, gone = (", ".join(voice.reads.names(voice.clearance, thing)) or voice.name(thing) for thing in (plan.kept, plan.gone))
    yield f"one thing from now on: {kept}, {gone}"
    for standing in plan.claims:
        claim = standing.claim
        voice.used.append(claim.label)
        voice.told[claim.id] = None
        if claim.wording != NAMED_BY_MENTION:
            yield f"moves: {voice.triple(Triple(claim.subject, claim.predicate, claim.object))}"
        if claim.subject == plan.gone and voice.memory.vocabulary[claim.predicate].single_valued:
            for other in voice.reads.claims(voice.clearance, subject=plan.kept, predicates=(claim.predicate,)):
                if other.object != claim.object and other.validity.to_latest is None and claim.validity.to_latest is None:
                    yield f"both hold then, correct one: {voice.claim(other)}"


def _settled(settled: Settled) -> Done:
    match settled.decision:
        case Admit():
            return Done(("Believed: decided by you.",))
        case Hold(_, reason):
            return Done((f"It still waits: {reason}. /pending lists it.",))
        case _:
            return Done(("Rejected. It will not come back unless a person says so.",))


def _retracted(done: Consequences) -> Iterator[str]:
    count = len({s.claim.id for s in done.versions if s.claim.wording != NAMED_BY_MENTION})
    what = "statement" if count == 1 else "statements"
    yield f"Taken back: {count} {what}. I refuse it from now on unless a person says otherwise."
    if done.restored:
        yield "What it had replaced holds again."
