"""Slash commands, in one table for every channel. A command's effect and its reply are one transaction."""

import asyncio
import re
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TypeAlias

from channels.message import Outbound
from gateway.approvals import Approvals, Done, how_to_decide, in_short
from gateway.door import Door
from gateway.errors import IncorrectRequestError
from gateway.inbox import Accepted
from gateway.inspect import Inspector, Look, Page
from gateway.outbox import Outbox
from gateway.people import People, Person
from gateway.preferences import LANGUAGE, ZONE
from gateway.waiting import wait
from memory.claim import Source
from memory.errors import MunimentMemoryError, UnknownThingError
from memory.forget import Act
from memory.ids import known_zone
from memory.label import Integrity, Label, user
from memory.store import Memory

Run: TypeAlias = Callable[[Accepted, Person], Awaitable[Outbound]]


GREETING = (
    "Hello. I remember what you tell me and can show where I have it from: /memory lists it, /why explains it, /undo takes the"
    " last thing back, /retract corrects me, /forget destroys for good, /help says more."
)

_LANGUAGE = re.compile(r"[^\W\d_]+(?:[ -][^\W\d_]+){0,2}")
_FORGET = re.compile(
    r"(?:please )?forget ((?:that|about|everything|all|what you|the fact that|my|where i|who my) ?[^.!?,;\n]*)[.!]*",
    re.IGNORECASE,
)
"""One clause that names what to forget; "forget it" and whatever goes on after it is no command."""


@dataclass(frozen=True, slots=True)
class Command:
    """A command's words in the list that /help shows. One that is ``private`` is not done where a group reads along."""

    name: str
    usage: str
    private: bool = False


TABLE = (
    Command("start", "/start - what I am"),
    Command("help", "/help - this list"),
    Command("new", "/new - begin a new conversation; what I remember stays"),
    Command("memory", "/memory [NAME] - what I remember, about you or about NAME"),
    Command("why", "/why [NAME] - where I have it from: who said it, when, and what follows from what"),
    Command("undo", "/undo - take back what I stored from your last message"),
    Command("forget", "/forget WHAT - destroy it, after you have seen all that goes and approved", private=True),
    Command("retract", "/retract WHAT - stop believing it, and keep what was said", private=True),
    Command("pending", "/pending [CODE] - what waits for your decision", private=True),
    Command("approve", "/approve CODE [CHOICE] - do it, or believe it", private=True),
    Command("deny", "/deny CODE - leave it, or reject it", private=True),
    Command("export", "/export - all that I remember for you, as a file", private=True),
    Command("pair", "/pair CODE - let me know you on the platform where I gave you that code", private=True),
    Command("whoami", "/whoami - who I take you for"),
    Command("status", "/status - how I fare and what waits"),
    Command("language", "/language NAME - what I answer you in, such as German", private=True),
    Command("timezone", "/timezone NAME - where your days begin, such as Europe/Paris", private=True),
    Command("stop", "/stop - stop the answer that I am giving"),
    Command("allow", "/allow - in a group, from the owner: remember for its people what they say to me"),
    Command("close", "/close - in a group, from the owner: hear no more of it"),
    Command("private", "/private TEXT - remember TEXT as a secret"),
    Command("share", "/share TEXT - tell everyone here; from a member it waits for the owner"),
)


_PRIVATE = frozenset(command.name for command in TABLE if command.private)


class Commands:
    """Matches messages that start with a known command, and runs them."""

    def __init__(
        self,
        memory: Memory,
        outbox: Outbox,
        inspector: Inspector,
        approvals: Approvals,
        people: People,
        door: Door,
        fares: Callable[[], Sequence[str]],
    ) -> None:
        """Use a memory, the outbox for replies, what is shown, what waits, who is known, and who is let in.

        ``fares`` tells how the instance fares, in lines for its owner.
        """
        self._memory, self._outbox, self._inspector, self._approvals = memory, outbox, inspector, approvals
        self._people, self.door, self._fares = people, door, fares

    def match(self, text: str) -> Run | None:
        """Return the command of a message; ``None`` for one that is none, ``/private`` and ``/share`` included.

        "Forget that ..." is the command in plain words.
        """
        plain = _FORGET.fullmatch(text)
        if plain is not None:
            return partial(self._in_private, partial(self._ask, plain[1], Act.ERASE))
        head, *tail = text.split(None, 1) or [""]
        rest = tail[0].strip() if tail else ""
        if not head.startswith("/") or head.casefold() in {"/private", "/share"} or not head[1:].isalpha():
            return None
        name = head[1:].casefold()
        run: Run | None = {
            "start": self._start,
            "help": self._help,
            "new": self._new,
            "memory": partial(self._look, "show", rest),
            "why": partial(self._look, "why", rest),
            "undo": self._undo,
            "forget": partial(self._ask, rest, Act.ERASE),
            "retract": partial(self._ask, rest, Act.RETRACT),
            "pending": partial(self._pending, rest),
            "approve": partial(self._approve, rest),
            "deny": partial(self._deny, rest),
            "export": self._export,
            "pair": partial(self._pair, rest),
            "whoami": self._whoami,
            "status": self._status,
            "language": partial(self._prefer, LANGUAGE, rest),
            "timezone": partial(self._prefer, ZONE, rest),
            "stop": self._stop,
            "allow": partial(self._open, is_open=True),
            "close": partial(self._open, is_open=False),
        }.get(name)
        if run is None:
            return partial(self._unknown, head)
        return partial(self._in_private, run) if name in _PRIVATE else run

    async def _in_private(self, run: Run, accepted: Accepted, person: Person) -> Outbound:
        """Run a command in its person's own chat alone: what it shows is not for a group."""
        if accepted.source.space == user(person.id):
            return await run(accepted, person)
        return await self._say(accepted, "That is between you and me: say it to me in a private chat. Nothing was changed.")

    async def _start(self, accepted: Accepted, _person: Person) -> Outbound:
        return await self._say(accepted, GREETING)

    async def _new(self, accepted: Accepted, _person: Person) -> Outbound:
        return await self._say(accepted, "A new conversation. What I remember stays; /memory lists it.")

    async def _stop(self, accepted: Accepted, _person: Person) -> Outbound:
        return await self._say(accepted, "I am answering nothing else here now.")

    async def _help(self, accepted: Accepted, _person: Person) -> Outbound:
        lines = ["Tell me things in plain sentences, and ask. Commands:", *(command.usage for command in TABLE)]
        return await self._say(accepted, "\n".join(lines))

    async def _whoami(self, accepted: Accepted, person: Person) -> Outbound:
        name = f" called {person.display_name}" if person.display_name else ""
        is_own = accepted.source.space == user(person.id)
        kept = "in your own space" if is_own else "for the people of this group"
        prefers = self._people.preferences.of(person.id)
        more = [f"Your days are counted in {prefers.zone}."] if prefers.zone else []
        more += [f"I answer you in {prefers.language}."] if prefers.language else []
        more = more if is_own else []
        return await self._say(accepted, " ".join([f"You are the {person.role}{name}. What you say here is kept {kept}.", *more]))

    async def _look(self, page: str, name: str, accepted: Accepted, person: Person) -> Outbound:
        look = partial(self._inspector.page, person, accepted.source.space, Look(page, name))
        return await self._show(accepted, await asyncio.to_thread(look))

    async def _status(self, accepted: Accepted, person: Person) -> Outbound:
        clearance = self._memory.spaces.clearance(accepted.source.space)
        is_own = accepted.source.space == user(person.id)
        with self._memory.reading() as reads:
            lines = [f"I remember {reads.count(clearance)} statements that can be told here, the names of things included."]
        if is_own:
            lines.append(
                f"{len(await asyncio.to_thread(self._approvals.waiting, person))} things wait for you; /pending lists them."
            )
        return await self._say(accepted, "\n".join([*lines, *(self._fares() if is_own and person.is_owner else ())]))

    async def _prefer(self, name: str, value: str, accepted: Accepted, person: Person) -> Outbound:
        """Record a preference; say what it is for no value."""
        known = self._people.preferences.of(person.id)
        if name == ZONE:
            if not value:
                return await self._say(
                    accepted, f"Your days are counted in {known.zone or 'the zone that you write from, or UTC'}."
                )
            if known_zone(value) != value:
                words = f"I know no time zone {value!r}; it is written like Europe/Paris. Nothing was changed."
                return await self._say(accepted, words)
            await self._people.preferences.set(person.id, name, value)
            return await self._say(accepted, f"From now on your days are counted in {value}.")
        if not value:
            return await self._say(accepted, f"I answer you in {known.language or 'the language you write in'}.")
        if not _LANGUAGE.fullmatch(value):
            words = "A language is a word or two, such as German or Brazilian Portuguese. Nothing was changed."
            return await self._say(accepted, words)
        await self._people.preferences.set(person.id, name, value)
        return await self._say(accepted, f"From now on a model answers you in {value}; what I say without one is English.")

    async def _open(self, accepted: Accepted, person: Person, *, is_open: bool) -> Outbound:
        """Say that a group was let in, or closed, which the door did when the message came."""
        if accepted.source.space.kind != "team":
            return await self._say(accepted, "That is for a group. Nothing was changed.")
        if not person.is_owner:
            return await self._say(accepted, "Only the owner lets me into a group, and out of it. Nothing was changed.")
        if not is_open:
            return await self._say(
                accepted, "I hear no more of this group. What I remember stays with its people; /allow lets me in."
            )
        return await self._say(
            accepted,
            "I am let in. Name me, or answer me, and I remember what you say for the people of this group, as far as I know them;"
            " nobody's own memories are told here. What others say to me is kept apart.",
        )

    async def _export(self, accepted: Accepted, _person: Person) -> Outbound:
        """Say where the export is; a channel that pushes gets the file with it."""
        label = Label(accepted.source.space, integrity=Integrity.QUARANTINED)
        if self._outbox.channel(accepted.conversation.channel).pushes:
            return await self._outbox.post(accepted, "Here is all that I remember for you.", label, export=True)
        words = "`muniment memory export` writes all that I remember for you to a file; in the browser, Export at the top does."
        return await self._outbox.post(accepted, words, label)

    async def _undo(self, accepted: Accepted, person: Person) -> Outbound:
        target = self._last_stored(accepted, person)
        label = Label(accepted.source.space, integrity=Integrity.QUARANTINED)
        if target is None:
            return await self._say(accepted, "There is nothing of yours to undo here.")
        written = self._outbox.write(
            accepted, "Undone: what I had stored from your last statement. I keep the message itself.", label
        )
        try:
            await wait(self._memory.undo(target, person.id, written.rows, written.sources))
        except UnknownThingError as error:
            return await self._say(accepted, str(error))
        return written.outbound

    async def _ask(self, words: str, act: Act, accepted: Accepted, person: Person) -> Outbound:
        try:
            item = await self._approvals.ask(person, words, act, accepted.source.id)
        except (IncorrectRequestError, UnknownThingError) as error:
            return await self._say(accepted, str(error))
        how = "destroy this" if act is Act.ERASE else "take this back"
        channel = self._outbox.channel(accepted.conversation.channel)
        if channel.shows_notes:  # the list stands under it, with its buttons
            return await self._say(accepted, f"Look at what I would do below. If you approve, I {how}.")
        shown = in_short(item) if channel.pushes else item.lines
        return await self._show(
            accepted, Page((f"If you approve, I {how}:", *shown, how_to_decide(item)), item.label, told=item.told)
        )

    async def _pending(self, code: str, accepted: Accepted, person: Person) -> Outbound:
        items = [i for i in await asyncio.to_thread(self._approvals.waiting, person) if i.id.endswith(code.strip("#").casefold())]
        if not items:
            return await self._say(accepted, f"Nothing waits for you{f' under {code!r}' if code else ''}.")
        short = not code and self._outbox.channel(accepted.conversation.channel).pushes
        lines = [line for item in items for line in (*(in_short(item) if short else item.lines), how_to_decide(item))]
        label = max((item.label for item in items), key=lambda label: label.sensitivity)
        return await self._show(accepted, Page(tuple(lines), label, told=tuple(t for item in items for t in item.told)))

    async def _approve(self, words: str, accepted: Accepted, person: Person) -> Outbound:
        code, _, choice = words.partition(" ")
        return await self._decide(self._approvals.approve(person, code, choice.strip().casefold()), accepted)

    async def _pair(self, code: str, accepted: Accepted, person: Person) -> Outbound:
        """Let the stranger who has a code be this person, on the platform that the code came from."""
        try:
            sender = self.door.pairing.claim(code, person.id)
            await self._people.link(person, sender)
        except IncorrectRequestError as error:
            return await self._say(accepted, str(error))
        return await self._say(accepted, f"From now on I know you on {sender.channel} too.")

    async def _deny(self, words: str, accepted: Accepted, person: Person) -> Outbound:
        return await self._decide(self._approvals.deny(person, words), accepted)

    async def _decide(self, deciding: Awaitable[Done], accepted: Accepted) -> Outbound:
        try:
            done = await deciding
        except (IncorrectRequestError, MunimentMemoryError) as error:
            return await self._say(accepted, str(error))
        return await self._say(accepted, "\n".join(done.lines))

    async def _unknown(self, head: str, accepted: Accepted, _person: Person) -> Outbound:
        return await self._say(accepted, f"I do not know the command {head}. Nothing was changed; /help lists what there is.")

    async def _show(self, accepted: Accepted, page: Page) -> Outbound:
        return await self._outbox.post(accepted, "\n".join(page.lines), page.label, page.told)

    async def _say(self, accepted: Accepted, text: str) -> Outbound:
        return await self._outbox.post(accepted, text, Label(accepted.source.space, integrity=Integrity.QUARANTINED))

    def _last_stored(self, accepted: Accepted, person: Person) -> Source | None:
        clearance = self._memory.spaces.clearance(accepted.source.space)
        with self._memory.reading() as reads:
            return reads.last_stored(clearance, accepted.conversation.id, person.id)
