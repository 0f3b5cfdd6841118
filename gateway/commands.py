"""Slash commands, in one table for every channel. A command's effect and its reply are one transaction."""

import asyncio
import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import partial
from typing import TypeAlias

from channels.message import Outbound
from gateway.approvals import Approvals, Done, how_to_decide
from gateway.errors import IncorrectRequestError
from gateway.inbox import Accepted
from gateway.inspect import Inspector, Look, Page
from gateway.outbox import Outbox
from gateway.pairing import Pairing
from gateway.people import People, Person
from gateway.waiting import wait
from memory.claim import Source
from memory.errors import MunimentMemoryError, UnknownThingError
from memory.forget import Act
from memory.label import Integrity, Label
from memory.store import Memory

Run: TypeAlias = Callable[[Accepted, Person], Awaitable[Outbound]]


_FORGET = re.compile(
    r"(?:please )?forget ((?:that|about|everything|all|what you|the fact that|my|where i|who my) ?[^.!?,;\n]*)[.!]*",
    re.IGNORECASE,
)
"""One clause that names what to forget; "forget it" and whatever goes on after it is no command."""


@dataclass(frozen=True, slots=True)
class Command:
    """A command's words in the list that /help shows."""

    name: str
    usage: str


TABLE = (
    Command("help", "/help - this list"),
    Command("memory", "/memory [NAME] - what I remember, about you or about NAME"),
    Command("why", "/why [NAME] - where I have it from: who said it, when, and what follows from what"),
    Command("undo", "/undo - take back what I stored from your last message"),
    Command("forget", "/forget WHAT - destroy it, after you have seen all that goes and approved"),
    Command("retract", "/retract WHAT - stop believing it, and keep what was said"),
    Command("pending", "/pending - what waits for your decision"),
    Command("approve", "/approve CODE [CHOICE] - do it, or believe it"),
    Command("deny", "/deny CODE - leave it, or reject it"),
    Command("pair", "/pair CODE - let me know you on the platform where I gave you that code"),
    Command("whoami", "/whoami - who I take you for"),
    Command("private", "/private TEXT - remember TEXT as a secret"),
    Command("share", "/share TEXT - tell everyone here; from a member it waits for the owner"),
)


class Commands:
    """Matches messages that start with a known command, and runs them."""

    def __init__(
        self, memory: Memory, outbox: Outbox, inspector: Inspector, approvals: Approvals, people: People, pairing: Pairing
    ) -> None:
        """Use a memory, the outbox for replies, what is shown, what waits for a person, who is known, and strangers' codes."""
        self._memory, self._outbox, self._inspector, self._approvals = memory, outbox, inspector, approvals
        self._people, self.pairing = people, pairing

    def match(self, text: str) -> Run | None:
        """Return the command of a message; ``None`` for one that is none, ``/private`` and ``/share`` included.

        "Forget that ..." is the command in plain words.
        """
        plain = _FORGET.fullmatch(text)
        if plain is not None:
            return partial(self._ask, plain[1], Act.ERASE)
        head, *tail = text.split(None, 1) or [""]
        rest = tail[0] if tail else ""
        if not head.startswith("/") or head.casefold() in {"/private", "/share"} or not head[1:].isalpha():
            return None
        run = {
            "/help": self._help,
            "/memory": partial(self._memory_page, rest.strip()),
            "/why": partial(self._why, rest.strip()),
            "/undo": self._undo,
            "/forget": partial(self._ask, rest.strip(), Act.ERASE),
            "/retract": partial(self._ask, rest.strip(), Act.RETRACT),
            "/pending": self._pending,
            "/approve": partial(self._approve, rest.strip()),
            "/pair": partial(self._pair, rest.strip()),
            "/deny": partial(self._deny, rest.strip()),
            "/whoami": self._whoami,
        }.get(head.casefold())
        return run or partial(self._unknown, head)

    async def _help(self, accepted: Accepted, _person: Person) -> Outbound:
        lines = ["Tell me things in plain sentences, and ask. Commands:", *(command.usage for command in TABLE)]
        return await self._say(accepted, "\n".join(lines))

    async def _whoami(self, accepted: Accepted, person: Person) -> Outbound:
        name = f" called {person.display_name}" if person.display_name else ""
        return await self._say(accepted, f"You are the {person.role}{name}. What you say here is kept in your own space.")

    async def _memory_page(self, name: str, accepted: Accepted, person: Person) -> Outbound:
        return await self._show(
            accepted, await asyncio.to_thread(self._inspector.page, person, accepted.source.space, Look("show", name))
        )

    async def _why(self, name: str, accepted: Accepted, person: Person) -> Outbound:
        return await self._show(
            accepted, await asyncio.to_thread(self._inspector.page, person, accepted.source.space, Look("why", name))
        )

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
        if self._outbox.channel(accepted.conversation.channel).shows_notes:  # the list stands under it, with its buttons
            return await self._say(accepted, f"Look at what I would do below. If you approve, I {how}.")
        return await self._show(
            accepted, Page((f"If you approve, I {how}:", *item.lines, how_to_decide(item)), item.label, told=item.told)
        )

    async def _pending(self, accepted: Accepted, person: Person) -> Outbound:
        items = await asyncio.to_thread(self._approvals.waiting, person)
        if not items:
            return await self._say(accepted, "Nothing waits for you.")
        lines = [line for item in items for line in (*item.lines, how_to_decide(item))]
        label = max((item.label for item in items), key=lambda label: label.sensitivity)
        return await self._show(accepted, Page(tuple(lines), label, told=tuple(t for item in items for t in item.told)))

    async def _approve(self, words: str, accepted: Accepted, person: Person) -> Outbound:
        code, _, choice = words.partition(" ")
        return await self._decide(self._approvals.approve(person, code, choice.strip().casefold()), accepted)

    async def _pair(self, code: str, accepted: Accepted, person: Person) -> Outbound:
        """Let the stranger who has a code be this person, on the platform that the code came from."""
        try:
            sender = self.pairing.claim(code)
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
