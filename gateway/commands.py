"""Slash commands, in one table for every channel. A command's effect and its reply are one transaction."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import partial
from typing import TypeAlias

from channels.message import Outbound
from gateway.inbox import Accepted
from gateway.inspect import Inspector, Page
from gateway.outbox import Outbox
from gateway.people import Person
from gateway.waiting import wait
from memory.claim import Source
from memory.errors import UnknownThingError
from memory.label import Integrity, Label
from memory.store import Memory

Run: TypeAlias = Callable[[Accepted, Person], Awaitable[Outbound]]


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
    Command("whoami", "/whoami - who I take you for"),
    Command("private", "/private TEXT - remember TEXT as a secret"),
    Command("share", "/share TEXT - tell everyone here; from a member it waits for the owner"),
)


class Commands:
    """Matches messages that start with a known command, and runs them."""

    def __init__(self, memory: Memory, outbox: Outbox, inspector: Inspector) -> None:
        """Use a memory, the outbox for replies, and the inspector for what is shown."""
        self._memory, self._outbox, self._inspector = memory, outbox, inspector

    def match(self, text: str) -> Run | None:
        """Return the command of a message; ``None`` for one that is none, ``/private`` and ``/share`` included."""
        head, *tail = text.split(None, 1) or [""]
        rest = tail[0] if tail else ""
        if not head.startswith("/") or head.casefold() in {"/private", "/share"} or not head[1:].isalpha():
            return None
        run = {
            "/help": self._help,
            "/memory": partial(self._memory_page, rest.strip()),
            "/why": partial(self._why, rest.strip()),
            "/undo": self._undo,
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
        return await self._show(accepted, await asyncio.to_thread(self._inspector.show, person, accepted.source.space, name))

    async def _why(self, name: str, accepted: Accepted, person: Person) -> Outbound:
        return await self._show(accepted, await asyncio.to_thread(self._inspector.why, person, accepted.source.space, name))

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

    async def _unknown(self, head: str, accepted: Accepted, _person: Person) -> Outbound:
        return await self._say(accepted, f"I do not know the command {head}. Nothing was changed; /help lists what there is.")

    async def _show(self, accepted: Accepted, page: Page) -> Outbound:
        return await self._outbox.post(accepted, "\n".join(page.lines), page.label)

    async def _say(self, accepted: Accepted, text: str) -> Outbound:
        return await self._outbox.post(accepted, text, Label(accepted.source.space, integrity=Integrity.QUARANTINED))

    def _last_stored(self, accepted: Accepted, person: Person) -> Source | None:
        clearance = self._memory.spaces.clearance(accepted.source.space)
        with self._memory.reading() as reads:
            return reads.last_stored(clearance, accepted.conversation.id, person.id)
