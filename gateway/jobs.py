"""What runs by itself beside the messages: the clock, which lets claims enter and leave the facts when their time comes."""

import asyncio
from contextlib import suppress

import structlog

from gateway.waiting import wait
from memory.errors import MunimentMemoryError
from memory.store import Memory

log = structlog.get_logger(__name__)

LONGEST_SLEEP = 60.0
"""Seconds between two looks at the clock; it may have been set, and a message may have brought something that is due sooner."""

_SHORTEST_SLEEP = 0.05


class Jobs:
    """The background tasks of a running gateway."""

    def __init__(self, memory: Memory) -> None:
        """Work on a memory."""
        self._memory = memory
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Begin."""
        self._task = asyncio.create_task(self._keep_time())

    async def stop(self) -> None:
        """End; what was begun is finished by the next start."""
        if self._task is not None:
            self._task.cancel()
            with suppress(asyncio.CancelledError):
                await self._task

    async def _keep_time(self) -> None:
        while True:
            try:
                due = await asyncio.to_thread(self._memory.next_due)
                if due is not None and due <= self._memory.clock():
                    await wait(self._memory.tick())
                    due = await asyncio.to_thread(self._memory.next_due)
            except Exception as error:  # noqa: BLE001 - the clock goes on, whatever it is
                log.warning("the clock waits", error=type(error).__name__, fault=not isinstance(error, MunimentMemoryError))
                due = None
            rest = LONGEST_SLEEP if due is None else (due - self._memory.clock()) / 1_000_000
            await asyncio.sleep(min(max(rest, _SHORTEST_SLEEP), LONGEST_SLEEP))
