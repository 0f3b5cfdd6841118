"""What runs by itself beside the messages: the clock, which lets claims enter and leave the facts, and the tidying of memory."""

import asyncio
from contextlib import suppress

import structlog

from gateway.people import People
from gateway.tidying import tidy
from gateway.waiting import wait
from memory.errors import MunimentMemoryError
from memory.forget import Approver
from memory.store import Memory

log = structlog.get_logger(__name__)

LONGEST_SLEEP = 60.0
"""Seconds between two looks at the clock; it may have been set, and a message may have brought something that is due sooner."""

_SHORTEST_SLEEP = 0.05

TIDY_EVERY = 12 * 3_600.0
"""Seconds between two looks for what is to be tidied; the first comes that long after the start, divided by ``_SOONER``."""

_SOONER = 48


class Jobs:
    """The background tasks of a running gateway."""

    def __init__(self, memory: Memory, people: People) -> None:
        """Work on a memory and for its people."""
        self._memory, self._people = memory, people
        self._tasks: list[asyncio.Task[None]] = []

    def start(self) -> None:
        """Begin."""
        self._tasks = [asyncio.create_task(self._keep_time()), asyncio.create_task(self._tidy())]

    async def stop(self) -> None:
        """End; what was begun is finished by the next start."""
        for task in self._tasks:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task

    async def _tidy(self) -> None:
        rest = TIDY_EVERY / _SOONER
        while True:
            await asyncio.sleep(rest)
            rest = TIDY_EVERY
            try:
                await tidy(self._memory, self._people, Approver(""))
            except Exception as error:  # noqa: BLE001 - the next look is as good
                log.warning("tidying waits", error=type(error).__name__, fault=not isinstance(error, MunimentMemoryError))

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
