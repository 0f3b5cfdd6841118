"""How the command line reaches a memory: through the process that holds it, or by opening it itself."""

import asyncio
from collections.abc import AsyncGenerator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any, Protocol

from bootstrap.wiring import open_service
from gateway.control import Client, Control, perform
from gateway.errors import UnavailableError
from gateway.service import Service
from memory.errors import DataInUseError

_TRIES = 5


def address_file(data: Path) -> Path:
    """Return where the running server writes its address."""
    return data / "run" / "address"


class Caller(Protocol):
    """Where operations go: this process, or the one that holds the data directory."""

    async def call(self, operation: str, given: Mapping[str, Any]) -> Any:
        """Return the result of an operation."""
        ...


class Reach:
    """Calls whoever holds the data directory: another process through its socket, or this one where none does.

    When that process ends in between, the call is made again to the next holder; operations are keyed so that this is safe.
    """

    def __init__(self, data: Path) -> None:
        """Reach for a data directory at the first call."""
        self._data = data
        self._open = AsyncExitStack()
        self._caller: Caller | None = None

    async def call(self, operation: str, given: Mapping[str, Any]) -> Any:
        """Return the result of an operation."""
        for _ in range(_TRIES):
            try:
                caller = self._caller or await self._connect()
                return await caller.call(operation, given)
            except UnavailableError:
                await self.close()
        message = "The process that holds the data directory keeps going away. What it acknowledged is kept; try again."
        raise UnavailableError(message)

    async def close(self) -> None:
        """Let go of the other process, or stop this one's service."""
        self._caller = None
        await self._open.aclose()

    async def _connect(self) -> Caller:
        client = await Client.connect(self._data)
        if client is None:
            try:
                service = open_service(self._data)
            except DataInUseError:
                client = await _connect_soon(self._data)
                if client is None:
                    raise
            else:
                self._caller = Local(await self._open.enter_async_context(running(service)))
                return self._caller
        self._open.push_async_callback(client.close)
        self._caller = client
        return client


async def _connect_soon(data: Path) -> Client | None:
    """Return a connection to a process that has just begun and may not listen yet."""
    for _ in range(50):
        client = await Client.connect(data)
        if client is not None:
            return client
        await asyncio.sleep(0.1)
    return None


@asynccontextmanager
async def running(service: Service) -> AsyncGenerator[Service]:
    """Run a service with its control socket."""
    control = Control(service)
    try:
        await service.start()
        await control.start()
        yield service
    finally:
        await control.stop()
        await service.stop()


class Local:
    """Operations in this process."""

    def __init__(self, service: Service) -> None:
        """Use a running service."""
        self._service = service

    async def call(self, operation: str, given: Mapping[str, Any]) -> Any:
        """Return the result of an operation."""
        return await perform(self._service, operation, given)
