"""Whether each message has one effect and one reply, whatever the platform, the network and kill -9 do.

People send statements to ``muniment serve`` through a Bot API server on loopback: a third of them comes twice, update ids have
gaps, sends are refused, broken off, or taken without an answer, and the process is killed and started again.
"""

import asyncio
import itertools
import random
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from bootstrap.figures import Figures, options, progress
from bootstrap.wiring import open_service
from channels.message import Sender
from channels.telegram.wire import NAME
from eval.bot_api import BotApi, Taken, bot_api
from eval.names import name
from memory.label import Integrity, user

CHATS = 20
DUPLICATES = 0.3
_AGAIN = "(sent again)"
_PATIENCE = 180.0
_TOLD = re.compile(r"Noted: ([A-Z][a-z]+) lives in \1ton\b")


def main() -> int:
    """Send, kill, and count."""
    parser = options(__doc__ or "")
    parser.add_argument("--updates", type=int, default=20_000)
    parser.add_argument("--kills", type=int, default=50)
    given = parser.parse_args()
    updates, kills = (400, 3) if given.quick else (given.updates, given.kills)
    figures = Figures(given.check)
    pick = random.Random(7)
    with tempfile.TemporaryDirectory() as temporary, bot_api(pick) as api:
        api.busy, api.dropped, api.broken = 0.01, 0.01, 0.01
        data = Path(temporary) / "data"
        chats = _prepare(data, api)
        messages = int(updates / (1 + DUPLICATES))
        started = time.monotonic()
        deaths = _run(data, api, chats, messages, kills, pick)
        _report(figures, api, _effects(data), messages, deaths, time.monotonic() - started)
    return figures.exit_code()


def _prepare(data: Path, api: BotApi) -> list[int]:
    """Make a data directory whose people are known on the platform already; return their chats."""
    data.mkdir()
    (data / "token").write_text("1:T", encoding="utf-8")
    told = f'[channels.telegram]\ntoken_file = "{data / "token"}"\napi_base = "{api.url}"\n'
    (data / "muniment.toml").write_text(told, encoding="utf-8")

    async def people() -> list[int]:
        service = open_service(data)
        await service.start()
        chats = list(range(1_000, 1_000 + CHATS))
        for chat in chats:
            await service.people.add("member", f"User{chat}", Sender(NAME, str(chat)))
        await service.stop()
        return chats

    return asyncio.run(people())


def _run(data: Path, api: BotApi, chats: list[int], messages: int, kills: int, pick: random.Random) -> list[float]:
    """Send all messages, a share of them again later, while the server is killed so many times; wait until all is answered.

    Returns when it was killed, by the clock of what was taken.
    """
    killed: list[float] = []
    server = _serve(data)
    again: list[tuple[int, int]] = []
    every = max(1, messages // (kills + 1))
    deaths = {every * (number + 1) for number in range(kills)}
    for number in range(messages):
        _send(api, chats, number, pick)
        if pick.random() < DUPLICATES:
            again.append((number + pick.randint(0, 30), number))
        for due in [one for one in again if one[0] <= number]:
            again.remove(due)
            _send(api, chats, due[1], pick)
        if number in deaths:
            _wait(api, number - pick.randint(5, 40))
            time.sleep(pick.random() * 0.5)
            server.send_signal(signal.SIGKILL)
            server.wait()
            killed.append(time.monotonic())
            server = _serve(data)
        while len(api.waiting) > 200:  # noqa: PLR2004 - as many as a platform would hold back for a while
            time.sleep(0.05)
        progress(f"{number:,} of {messages:,} messages")
    _wait(api, messages)
    time.sleep(3)  # what should not come has time to
    server.send_signal(signal.SIGTERM)
    server.wait()
    progress("")
    return killed


def _send(api: BotApi, chats: list[int], number: int, pick: random.Random) -> None:
    chat = chats[number % len(chats)]
    api.send(chat, 10 + number, f"{name(number)} lives in {name(number)}ton.", gap=pick.choice((0, 0, 0, 1, 5)))


def _serve(data: Path) -> "subprocess.Popen[bytes]":
    command = [sys.executable, "-m", "bootstrap.cli", "serve", "--data", str(data), "--port", "0"]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def _wait(api: BotApi, messages: int) -> None:
    """Wait until so many messages were answered, or nothing came for long."""
    quiet, seen = time.monotonic(), 0
    while time.monotonic() - quiet < _PATIENCE:
        told = {found[1] for one in list(api.taken) if (found := _TOLD.search(one.text))}
        if len(told) >= messages:
            return
        if len(told) > seen:
            quiet, seen = time.monotonic(), len(told)
        time.sleep(0.2)


def _effects(data: Path) -> Counter[str]:
    """Return how many claims of where somebody lives there are, by the name of the place."""
    service = open_service(data)
    found: Counter[str] = Counter()
    with service.memory.reading() as reads:
        for person in service.people.everyone():
            clearance = service.memory.spaces.clearance(user(person.id), integrity=Integrity.QUARANTINED)
            for subject in reads.subjects(clearance):
                for claim in reads.claims(clearance, subject=subject):
                    if claim.predicate.value.endswith("#livesIn"):
                        found[reads.names(clearance, claim.object)[-1]] += 1  # type: ignore[arg-type]
    service.memory.close()
    return found


def _cut_off(api: BotApi, deaths: list[float]) -> Iterator[str]:
    """Yield whom the replies tell of that may have been on their way when the server was killed: the first of each chat after."""
    chats: dict[int, list[Taken]] = {}
    for one in api.taken:
        chats.setdefault(one.chat, []).append(one)
    for death in deaths:
        for taken in chats.values():
            first = next((one for one in taken if one.at > death), None)
            found = None if first is None else _TOLD.search(first.text)
            if found is not None:
                yield found[1]


def _report(figures: Figures, api: BotApi, effects: Counter[str], messages: int, deaths: list[float], seconds: float) -> None:
    numbers = {name(number): number for number in range(messages)}
    plain: Counter[int] = Counter()
    marked: Counter[int] = Counter()
    order: dict[int, list[int]] = {}
    lost = {numbers[found[1]] for text in api.lost if (found := _TOLD.search(text))}
    for one in api.taken:
        found = _TOLD.search(one.text)
        if found is not None:
            number = numbers[found[1]]
            (marked if one.text.startswith(_AGAIN) else plain)[number] += 1
            if not one.text.startswith(_AGAIN):
                order.setdefault(one.chat, []).append(number)
    figures.put("messages", messages, "count")
    figures.put("kills", len(deaths), "count")
    figures.put("turns a second, with all that went wrong", messages / seconds, "1/s")
    figures.put("messages without an effect", sum(not effects[f"{name(n)}ton"] for n in range(messages)), "count", at_most=0)
    figures.put("effects too many", sum(max(0, effects[f"{name(n)}ton"] - 1) for n in range(messages)), "count", at_most=0)
    figures.put("messages without a reply", sum(not plain[n] and not marked[n] for n in range(messages)), "count", at_most=0)
    figures.put("replies too many without a mark", sum(max(0, plain[n] - 1) for n in range(messages)), "count", at_most=0)
    cut_off = {numbers[told] for told in _cut_off(api, deaths)}
    alone = [n for n in range(messages) if not plain[n] and marked[n] > 0 and n not in lost]
    figures.put(
        "replies with a mark alone that were being sent at a kill", sum(n in cut_off for n in alone), "count", at_most=len(deaths)
    )
    figures.put("other replies with a mark alone", sum(n not in cut_off for n in alone), "count", at_most=0)
    figures.put("replies that came again with a mark", sum(marked[n] for n in range(messages) if plain[n]), "count")
    wrong = sum(left > right for chat in order.values() for left, right in itertools.pairwise(chat))
    figures.put("replies out of the order of their chat", wrong, "count", at_most=0)


if __name__ == "__main__":
    sys.exit(main())
