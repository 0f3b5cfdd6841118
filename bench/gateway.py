"""What the gateway adds to a turn: chats that offer so many turns a second, whether or not it keeps up, and how many it can.

The model is scripted and answers at once: in the gateway's process, and beside it a second run that reaches it through litellm
over loopback. A turn lasts from when a message was to come until its reply is handed to the platform.
"""

import asyncio
import multiprocessing
import random
import resource
import sys
import tempfile
import time
from collections import defaultdict, deque
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from bench.knowledge import Knowledge
from bench.scripted import LIVES, AtOnce, scripted
from bootstrap.figures import Figures, options, percentile, progress
from bootstrap.wiring import open_service
from channels.message import File, Handler, Inbound, Outbound, Sender, State
from gateway.converse import ModelAnswerer
from gateway.models import Model, ModelSettings
from gateway.parse.model import ModelParser
from gateway.service import Service

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

OFFERED = 20.0
"""Turns a second, of all chats together."""

SILENT = 2.0
"""Seconds for which a slow model says nothing."""

_CHANNEL = "bench"
_KIB = 1_024


def main() -> int:
    """Measure with the model in the process, and through litellm."""
    parser = options(__doc__ or "")
    parser.add_argument("--chats", type=int, default=50)
    parser.add_argument("--seconds", type=float, default=60.0)
    given = parser.parse_args()
    seconds = 8.0 if given.quick else given.seconds
    figures = Figures(given.check)
    spent = _apart(given.chats, seconds, "")
    what = f"with {given.chats} chats"
    figures.put(f"a turn {what} and {OFFERED:g} turns/s: wall p50", percentile(spent.turns, 0.5), "ms")
    figures.put(f"a turn {what} and {OFFERED:g} turns/s: wall p95", percentile(spent.turns, 0.95), "ms", at_most=40)
    figures.put("first sign of an answer: wall p95", percentile(spent.signs, 0.95), "ms")
    figures.put("CPU of a turn", spent.cpu, "ms")
    figures.put("memory at its most", spent.memory, "MB", at_most=350)
    figures.put("turns a second at saturation", spent.most, "1/s", at_least=80)
    slow = _apart(given.chats, min(seconds, 5.0), "", silent=SILENT)
    what = f"first sign of an answer, whose model is silent for {SILENT:g} s"
    figures.put(f"{what}: wall p95", percentile(slow.signs, 0.95), "ms", at_most=300)
    figures.put(f"{what}: wall, the longest", max(slow.signs), "ms")
    with scripted() as url:
        spent = _apart(given.chats, seconds, url)
    figures.put("through litellm, a turn: wall p50", percentile(spent.turns, 0.5), "ms")
    figures.put("through litellm, a turn: wall p95", percentile(spent.turns, 0.95), "ms")
    figures.put("through litellm, CPU of a turn", spent.cpu, "ms")
    figures.put("through litellm, memory at its most", spent.memory, "MB")
    figures.put("through litellm, turns a second at saturation", spent.most, "1/s")
    return figures.exit_code()


@dataclass(slots=True)
class Spent:
    """What was measured: the milliseconds of each turn and until each first sign, CPU milliseconds a turn, MB, turns a second."""

    turns: list[float] = field(default_factory=list[float])
    signs: list[float] = field(default_factory=list[float])
    cpu: float = 0.0
    memory: float = 0.0
    most: float = 0.0


def _apart(chats: int, seconds: float, url: str, silent: float = 0.0) -> Spent:
    """Return what was measured in a process of its own, so that nothing else counts as the gateway's."""
    context = multiprocessing.get_context("spawn")
    here, there = context.Pipe(duplex=False)
    process = context.Process(target=_measure, args=(there, chats, seconds, url, silent))
    process.start()
    there.close()
    spent: Spent = here.recv()
    process.join()
    return spent


def _measure(connection: "Connection", chats: int, seconds: float, url: str, silent: float) -> None:
    with tempfile.TemporaryDirectory() as temporary:
        connection.send(asyncio.run(_run(Path(temporary) / "data", chats, seconds, url, silent)))


async def _run(data: Path, chats: int, seconds: float, url: str, silent: float = 0.0) -> Spent:
    settings = ModelSettings("openai/scripted", url, "none") if url else ModelSettings("scripted")
    model = Model(settings) if url else AtOnce(settings, silent)
    service = open_service(data)
    answerer = ModelAnswerer(model, service.memory, service.known, "You are kind.", service.offline, service.tools)
    parser = ModelParser(model, service.memory.vocabulary)
    running = Service(service.memory, parser, answerer, model=model)
    channel = _Platform()
    running.add_channel(channel)
    await running.start()
    for chat in range(chats):
        await running.people.add("member", "", Sender(_CHANNEL, str(chat)))
    running.learn_people()
    said = _Said(channel)
    await asyncio.gather(*(said.one(chat) for chat in range(chats)))  # first contact, and what is loaded once
    channel.spent = Spent()
    spent = await _offer(channel, said, chats, seconds)
    channel.spent = Spent()
    spent.most = 0.0 if silent else await _saturate(said, chats, seconds / 2)
    spent.memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / _KIB
    await running.stop()
    return spent


async def _offer(channel: "_Platform", said: "_Said", chats: int, seconds: float) -> Spent:
    """Let messages come at their times, whether or not earlier ones are answered."""
    pick, begun, cpu = random.Random(7), time.monotonic(), time.process_time()
    waiting: list[asyncio.Task[None]] = []
    count = int(seconds * OFFERED)
    for number in range(count):
        due = begun + number / OFFERED
        await asyncio.sleep(max(0.0, due - time.monotonic()))
        waiting.append(asyncio.create_task(said.one(pick.randrange(chats), due)))
        if number % 100 == 0:
            progress(f"{number:,} of {count:,} turns")
    await asyncio.gather(*waiting)
    progress("")
    channel.spent.cpu = (time.process_time() - cpu) * 1_000 / count
    return channel.spent


async def _saturate(said: "_Said", chats: int, seconds: float) -> float:
    """Return how many turns a second there are where each chat says something once it is answered."""
    end, done = time.monotonic() + seconds, 0

    async def talk(chat: int) -> None:
        nonlocal done
        while time.monotonic() < end:
            await said.one(chat)
            done += 1

    begun = time.monotonic()
    await asyncio.gather(*map(talk, range(chats)))
    return done / (time.monotonic() - begun)


class _Said:
    """What people say: three statements, then a question, and so on."""

    def __init__(self, channel: "_Platform") -> None:
        self._channel, self._count, self._knowledge = channel, 0, Knowledge("")

    async def one(self, chat: int, due: float = 0.0) -> None:
        """Say the next thing in a chat, and wait for its reply."""
        self._count += 1
        number = self._count
        who, asks = self._knowledge.person, number % 4 == 0
        text = f"Where does {who(number - 1)} live?" if asks else f"{who(number)}{LIVES}{self._knowledge.place(number)}."
        await self._channel.say(chat, number, text, due or time.monotonic())


class _Platform:
    """A platform in this process, which takes every reply at once."""

    name, shows_notes, pushes = _CHANNEL, False, True

    def __init__(self) -> None:
        self.state, self.spent = State("listening"), Spent()
        self._handler: Handler | None = None
        self._due: defaultdict[str, deque[tuple[float, asyncio.Event]]] = defaultdict(deque)
        self._seen: set[str] = set()

    async def start(self, handler: Handler) -> None:
        """Take messages."""
        self._handler = handler

    async def stop(self) -> None:
        """Take no more."""
        self._handler = None

    async def close(self) -> None:
        """Do nothing."""

    async def say(self, chat: int, number: int, text: str, due: float) -> None:
        """Let somebody say something, which was to come at a time; wait for the reply."""
        assert self._handler is not None
        replied = asyncio.Event()
        self._due[str(chat)].append((due, replied))
        at = int(time.time() * 1_000_000)
        await self._handler(Inbound(Sender(_CHANNEL, str(chat)), str(chat), str(number), text, at, "UTC"))
        await replied.wait()

    async def draft(self, chat: str, in_reply_to: str, text: str) -> str:  # noqa: ARG002 - the protocol's
        """See the first sign of a reply."""
        if in_reply_to not in self._seen:
            self._seen.add(in_reply_to)
            self.spent.signs.append((time.monotonic() - self._due[chat][-1][0]) * 1_000)
        return ""

    async def deliver(self, outbound: Outbound) -> str:
        """Take a reply."""
        due, replied = self._due[outbound.chat].popleft()
        self.spent.turns.append((time.monotonic() - due) * 1_000)
        replied.set()
        return outbound.id

    async def fetch(self, file: File, most: int) -> bytes:  # noqa: ARG002 - the protocol's
        """Raise ``FileNotFoundError``."""
        raise FileNotFoundError(file.name)


if __name__ == "__main__":
    sys.exit(main())
