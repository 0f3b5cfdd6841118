"""Waiting for memory without stopping the event loop."""

import asyncio
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from concurrent.futures import Future

T = TypeVar("T")


async def wait(future: "Future[T]") -> T:
    """Return the result of a writer's job. A cancelled waiter leaves the job to finish: what is accepted stays accepted."""
    return await asyncio.shield(asyncio.wrap_future(future))
