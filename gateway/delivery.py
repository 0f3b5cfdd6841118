"""Replies on their way to platforms that can be given one at any time: in order for each chat, and tried until they arrive.

What the platform says decides: what was not sent is tried again when it may be, what may have arrived is sent again with a mark,
and what never can arrive is given up. That an attempt begins is durable before it does.
"""

import asyncio
import random
import time
from collections import deque
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace

import structlog

from channels.message import Channel, LaterError, Outbound, RefusedError, UncertainError, UnreachableError
from gateway.outbox import Outbox
from gateway.people import Conversation

log = structlog.get_logger(__name__)

FIRST_PAUSE = 0.5
LONGEST_PAUSE = 60.0
"""Seconds between two attempts, from the first doubling up to the longest."""

LONGEST_END = 5.0
"""Seconds that a stop waits for replies that are being sent."""

Dress = Callable[[Outbound, str], Awaitable[Outbound]]
"""Returns a reply, for a channel, with what it has when it is sent and not before: buttons, the draft it replaces, a file."""


class Delivery:
    """The queues of replies, one for each chat of a channel that pushes."""

    def __init__(self, outbox: Outbox, channels: Mapping[str, Channel], dress: Dress) -> None:
        """Deliver through running channels, each reply dressed when it is sent."""
        self.outbox, self._channels, self._dress = outbox, channels, dress
        outbox.is_next = self._is_next
        self._queues: dict[tuple[str, str], deque[Outbound]] = {}
        self._tasks: dict[tuple[str, str], asyncio.Task[None]] = {}
        self._resting: set[tuple[str, str]] = set()

    async def start(self) -> None:
        """Take up what did not arrive before the last stop."""
        for name, channel in self._channels.items():
            if channel.pushes:
                for outbound in await asyncio.to_thread(self.outbox.undelivered_of, name):
                    self.put(outbound, name)

    async def stop(self) -> None:
        """Send what can be sent at once, and no more; what waits is durable."""
        until = time.monotonic() + LONGEST_END
        while set(self._tasks) - self._resting and time.monotonic() < until:
            await asyncio.wait([self._tasks[chat] for chat in set(self._tasks) - self._resting], timeout=0.1)
        tasks = list(self._tasks.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        for queue in self._queues.values():
            for outbound in queue:
                await self.outbox.note_not_begun(outbound)
        self._queues.clear()

    async def send(self, outbound: Outbound, channel: str) -> None:
        """Send a posted reply: in its turn where the channel pushes, now or never where somebody has to be there."""
        known = self._channels.get(channel)
        if known is not None and known.pushes:
            self.put(outbound, channel)
        else:
            await self.outbox.deliver(outbound, channel)

    def put(self, outbound: Outbound, channel: str) -> None:
        """Let a reply be sent after those that wait for its chat."""
        chat = channel, outbound.chat
        queue = self._queues.setdefault(chat, deque())
        if all(waiting.id != outbound.id for waiting in queue):
            queue.append(outbound)
        if chat not in self._tasks:
            self._tasks[chat] = asyncio.create_task(self._drain(chat))

    def waiting(self, channel: str) -> int:
        """Return how many replies of a channel wait."""
        return sum(len(queue) for (name, _), queue in self._queues.items() if name == channel)

    def _is_next(self, conversation: Conversation) -> bool:
        channel = self._channels.get(conversation.channel)
        return channel is not None and channel.pushes and (channel.name, conversation.chat) not in self._queues

    async def _drain(self, chat: tuple[str, str]) -> None:
        queue = self._queues[chat]
        try:
            while queue:
                await self._send(queue, chat)
        finally:
            self._tasks.pop(chat, None)
            if not queue:
                self._queues.pop(chat, None)

    async def _send(self, queue: "deque[Outbound]", chat: tuple[str, str]) -> None:
        """Send the first reply of a queue until it has arrived or never will."""
        (name, _), pause, attempt = chat, FIRST_PAUSE, ""
        while True:
            outbound = queue[0]
            try:
                given = await self._dress(outbound, name)
                attempt = await self.outbox.note_attempt(outbound)
                await self.outbox.note_delivered(outbound, await self._channels[name].deliver(given))
            except RefusedError as error:
                log.info("reply given up", outbox=outbound.id, channel=name, reason=type(error).__name__)
                await self.outbox.note_delivered(outbound, "")
            except LaterError as error:
                await self.outbox.note_unsent(attempt)
                await self._rest(chat, error.seconds + random.random() * 0.1)  # noqa: S311 - only to spread
                continue
            except UnreachableError:
                await self.outbox.note_unsent(attempt)
                pause = await self._rest_longer(chat, pause)
                continue
            except UncertainError:
                queue[0] = replace(outbound, again=True)
                pause = await self._rest_longer(chat, pause)
                continue
            except asyncio.CancelledError:
                raise
            except Exception as error:  # noqa: BLE001 - the next attempt may do
                log.warning("reply waits", outbox=outbound.id, channel=name, error=type(error).__name__)
                pause = await self._rest_longer(chat, pause)
                continue
            queue.popleft()
            return

    async def _rest_longer(self, chat: tuple[str, str], pause: float) -> float:
        """Rest for about a pause; return the next one."""
        await self._rest(chat, pause * (0.8 + 0.4 * random.random()))  # noqa: S311 - only to spread
        return min(2 * pause, LONGEST_PAUSE)

    async def _rest(self, chat: tuple[str, str], seconds: float) -> None:
        self._resting.add(chat)
        try:
            await asyncio.sleep(seconds)
        finally:
            self._resting.discard(chat)
