"""How the channels fare: told in status, health and metrics; one that hears nothing is started again, and no other."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import structlog
from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily
from prometheus_client.registry import Collector

from channels.message import DOWN, Channel

if TYPE_CHECKING:
    from prometheus_client import Metric

    from gateway.delivery import Delivery
    from gateway.turn import Turns

log = structlog.get_logger(__name__)

LOOK_EVERY = 15.0
"""Seconds between two looks of the watchdog."""


class Liveness:
    """Looks at the running channels."""

    def __init__(
        self,
        channels: Mapping[str, Channel],
        delivery: "Delivery",
        turns: "Turns",
        restart: Callable[[Channel], Awaitable[None]],
    ) -> None:
        """Look at channels, with what waits for them; ``restart`` ends one and starts it again."""
        self._channels, self._delivery, self._turns = channels, delivery, turns
        self._restart = restart
        self._task: asyncio.Task[None] | None = None
        self._registry = CollectorRegistry()
        self._registry.register(_Metrics(self))
        self.restarts = 0

    def start(self) -> None:
        """Begin to watch."""
        self._task = asyncio.create_task(self._watch())

    async def stop(self) -> None:
        """Watch no more."""
        if self._task is not None:
            self._task.cancel()
            with suppress(asyncio.CancelledError):
                await self._task

    def report(self) -> list[dict[str, Any]]:
        """Return how each channel fares: its state, the seconds since it last heard and told, and what waits for it."""
        now = time.time()
        found: list[dict[str, Any]] = []
        for name, channel in self._channels.items():
            state = channel.state
            heard, told = (round(now - at) if at else None for at in (state.heard_at, state.delivered_at))
            one: dict[str, Any] = {"channel": name, "state": state.word, "detail": state.detail, "heard": heard, "told": told}
            found.append(one | {"waiting": self._delivery.waiting(name), "deaf": state.is_deaf(now)})
        return found

    def lines(self) -> list[str]:
        """Return how the channels that push fare, a line each."""
        lines: list[str] = []
        for one in self.report():
            if self._channels[one["channel"]].pushes:
                heard = "nothing heard yet" if one["heard"] is None else f"heard from {one['heard']} s ago"
                detail = f" ({one['detail']})" if one["detail"] else ""
                lines.append(f"{one['channel']}: {one['state']}{detail}, {heard}, {one['waiting']} replies wait")
        return lines

    def deaf(self) -> list[str]:
        """Return the channels that hear nothing."""
        return [one["channel"] for one in self.report() if one["deaf"]]

    def metrics(self) -> bytes:
        """Return the numbers in Prometheus's text format; none of them tells of what was said."""
        return generate_latest(self._registry)

    async def look(self) -> None:
        """Start those channels again that hear nothing; one that is down stays so, since only a person can mend it."""
        for name in self.deaf():
            channel = self._channels[name]
            if channel.state.word != DOWN:
                log.warning("channel hears nothing", channel=name, state=channel.state.word)
                self.restarts += 1
                await self._restart(channel)

    def numbers(self) -> "Iterator[Metric]":
        """Yield the numbers as they are now."""
        for kind, count in self._turns.counts.items():
            yield CounterMetricFamily(f"muniment_messages_{kind}", f"Messages {kind} since the start", value=count)
        yield CounterMetricFamily("muniment_channel_restarts", "Channels started again by the watchdog", value=self.restarts)
        yield GaugeMetricFamily("muniment_messages_held", "Messages held in memory until their turn", value=self._turns.held())
        up, heard, waiting = (
            GaugeMetricFamily(f"muniment_channel_{name}", words, labels=["channel"])
            for name, words in (
                ("up", "Whether the channel hears its platform"),
                ("heard_seconds", "Seconds since the platform was last heard from"),
                ("replies_waiting", "Replies that wait to be delivered"),
            )
        )
        for one in self.report():
            channel = [str(one["channel"])]
            up.add_metric(channel, float(not one["deaf"] and one["state"] != DOWN))
            waiting.add_metric(channel, float(one["waiting"]))
            if one["heard"] is not None:
                heard.add_metric(channel, float(one["heard"]))
        yield from (up, heard, waiting)

    async def _watch(self) -> None:
        while True:
            await asyncio.sleep(LOOK_EVERY)
            try:
                await self.look()
            except Exception as error:  # noqa: BLE001 - the next look may do
                log.warning("the watchdog failed", error=type(error).__name__)


class _Metrics(Collector):
    def __init__(self, liveness: Liveness) -> None:
        self._liveness = liveness

    def collect(self) -> "Iterator[Metric]":
        """Yield the numbers, as the registry asks for them."""
        return self._liveness.numbers()

    def describe(self) -> "list[Metric]":
        """Return nothing: the numbers are read when they are asked for."""
        return []
