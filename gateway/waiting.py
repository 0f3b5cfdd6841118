"""Waiting for memory without stopping the event loop."""

import asyncio
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, ParamSpec, TypeVar

if TYPE_CHECKING:
    from concurrent.futures import Future

T = TypeVar("T")
P = ParamSpec("P")

_TURNS = ThreadPoolExecutor(max(1, min(2, (os.cpu_count() or 1) - 1)), "turn")


async def wait(future: "Future[T]") -> T:
    """Return the result of a writer's job. A cancelled waiter leaves the job to finish: what is accepted stays accepted."""
    return await asyncio.shield(asyncio.wrap_future(future))


async def work(function: Callable[P, T], /, *given: P.args, **named: P.kwargs) -> T:
    """Return what a function returns that takes milliseconds of every turn.

    It runs in one of the few threads for that: more would only wait for each other, and each has caches of its own.
    """
    return await asyncio.get_running_loop().run_in_executor(_TURNS, lambda: function(*given, **named))
