"""Platforms that push: messages are taken until they are durable and answered beside, and presses decide.

Each reply is dressed with its buttons, its draft and its file when it is sent.
"""

import asyncio
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from channels.message import Attached, Button, Happening, Inbound, Outbound, Press, Pressed
from gateway.errors import IncorrectRequestError
from gateway.exporting import EXPORT_NAME, exported
from gateway.waiting import work
from memory.errors import MunimentMemoryError, StorageUnavailableError

if TYPE_CHECKING:
    from channels.message import Channel
    from gateway.approvals import Approvals, Item
    from gateway.outbox import Outbox
    from gateway.people import People
    from gateway.turn import Turns
    from memory.store import Memory

AT_ONCE = 16
"""Chats of platforms that are answered at the same time; in each, one message after the other."""

AGAIN_AFTER = 30.0
"""Seconds after which a turn is tried again that something was in the way of, such as a full disk."""

LONGEST_END = 10.0
"""Seconds that a stop waits for answers that are being given."""

MORE = "more"
"""The choice of a button that shows all lines of what waits, and decides nothing."""

_LEAVING = frozenset({"deny", "reject", "leave"})


class Platforms:
    """What chat platforms need of the gateway."""

    def __init__(self, memory: "Memory", people: "People", approvals: "Approvals", outbox: "Outbox") -> None:
        """Use a memory, its people, what waits for them, and the outbox."""
        self._memory, self._people, self._approvals, self._outbox = memory, people, approvals, outbox
        self._finishing: dict[tuple[str, str], asyncio.Task[None]] = {}
        self._places = asyncio.Semaphore(AT_ONCE)

    async def take(self, turns: "Turns", channel: "Channel", happened: Happening) -> None:
        """Take what happened; a message of a channel that pushes only until it is durable, so that no chat waits for another.

        Raises ``ConnectionError`` where the platform is to bring it again, since there is no room for it now.
        """
        try:
            await self._take(turns, channel, happened)
        except StorageUnavailableError as error:
            message = "there is no room now"
            raise ConnectionError(message) from error

    async def _take(self, turns: "Turns", channel: "Channel", happened: Happening) -> None:
        if not isinstance(happened, Inbound):
            await turns.door.note(channel.name, happened)
        elif not channel.pushes:
            await turns.take(happened, channel)
        elif await turns.accept(happened, channel):
            self.finish(turns, channel, happened.chat)

    def finish(self, turns: "Turns", channel: "Channel", chat: str) -> None:
        """Let what waits in a chat be finished beside."""
        key = channel.name, chat
        if key not in self._finishing:
            self._finishing[key] = asyncio.create_task(self._finish(turns, channel, chat))

    async def stop(self) -> None:
        """Wait for answers that are being given; what is cut off is taken up by the next start."""
        if self._finishing:
            await asyncio.wait(self._finishing.values(), timeout=LONGEST_END)
        for task in list(self._finishing.values()):
            task.cancel()

    async def press(self, press: Press) -> Pressed:
        """Return what became of a button: a decision of whoever pressed it, about what waits for them."""
        person = self._people.identify(press.sender)
        if person is None or person.is_blocked:
            return Pressed("I do not know you.")
        id_, _, choice = press.data.partition(":")
        if choice == MORE:
            waiting = await asyncio.to_thread(self._approvals.waiting, person)
            lines = next((item.lines for item in waiting if item.id == id_), ("That does not wait for you any more.",))
            return Pressed("\n".join(lines), keeps_buttons=True)
        try:
            deciding = self._approvals.deny(person, id_) if choice in _LEAVING else self._approvals.approve(person, id_, choice)
            return Pressed("\n".join((await deciding).lines))
        except (MunimentMemoryError, IncorrectRequestError) as error:
            return Pressed(str(error))

    async def dress(self, outbound: Outbound, channel: str) -> Outbound:
        """Return a reply with what it has when it is sent: in a group, neither buttons nor a file."""
        draft, alone, is_export = self._outbox.wanted(outbound, channel)
        person = self._people.by_id(alone) if alone else None
        if person is None:
            return replace(outbound, draft=draft)
        items = await work(self._approvals.waiting, person, outbound.in_reply_to)
        buttons = tuple(button for item in items for button in _buttons(item))
        attached = None
        if is_export:
            content, _ = await asyncio.to_thread(partial(exported, self._memory, person))
            attached = Attached(EXPORT_NAME, content)
        return replace(outbound, draft=draft, buttons=buttons, attached=attached)

    async def _finish(self, turns: "Turns", channel: "Channel", chat: str) -> None:
        """Finish what waits in a chat, one turn at a time, each in its place among those of other chats."""
        try:
            while turns.is_waiting(channel.name, chat):
                async with self._places:
                    more = await turns.finish_next(channel, chat)
                if not more and turns.is_waiting(channel.name, chat):
                    await asyncio.sleep(AGAIN_AFTER)
        finally:
            self._finishing.pop((channel.name, chat), None)


def _buttons(item: "Item") -> list[Button]:
    """Return the buttons of something that waits."""
    buttons = [Button(choice.capitalize(), f"{item.id}:{choice}") for choice in item.choices]
    return buttons + [Button("Show more", f"{item.id}:{MORE}")] * item.is_long
