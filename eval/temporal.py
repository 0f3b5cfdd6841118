"""Questions on both clocks about a company and a family, through the shipped recall; ``temporal.yaml`` has the story and them."""

import asyncio
import sys
import tempfile
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from pathlib import Path
from typing import Any

import yaml

from bootstrap.figures import Figures, options, progress
from bootstrap.logs import quiet_logs
from bootstrap.wiring import open_service
from gateway.inspect import Look
from gateway.service import Said, Service
from memory.ids import Instant, from_datetime, uuid7

_CLOCKS = ("as_of", "valid_at")
STORY = Path(__file__).with_suffix(".yaml")


@dataclass(slots=True)
class Clock:
    """A clock that is set, and goes on by a minute at each look."""

    now: Instant = 0

    def tick(self) -> Instant:
        """Return the next instant."""
        self.now += 60_000_000
        return self.now


async def run(data: Path) -> tuple[int, list[str]]:
    """Tell the story and ask; return how many questions there are, and what was wrong."""
    story = yaml.safe_load(STORY.read_text(encoding="utf-8"))
    clock = Clock(from_datetime(datetime(2024, 1, 1, tzinfo=UTC)))
    service = open_service(data / "data", clock=clock.tick)
    await service.start()
    try:
        for number, wave in enumerate(story["waves"], 1):
            progress(f"wave {number}")
            clock.now = from_datetime(wave["at"])
            await _tell(service, wave, clock, data)
        clock.now += 3_600_000_000
        faults: list[str] = []
        for question in story["questions"]:
            faults += await _ask(service, question)
        return len(story["questions"]), faults
    finally:
        await service.stop()
        progress("")


async def _tell(service: Service, wave: dict[str, Any], clock: Clock, folder: Path) -> None:
    for act in ("retract", "erase"):
        if act in wave:
            item = await service.ask_to_forget("", wave[act], act)
            await service.decide("", item["id"], "approve")
    if "merge" in wave:
        item = await service.ask_to_merge("", *wave["merge"])
        await service.decide("", item["id"], "approve")
    for text in wave["say"]:
        await service.say(Said("", "", uuid7(), text, clock.tick(), "UTC"))
    if "source" in wave:
        path = folder / wave["source"]["name"]
        path.write_text(wave["source"]["text"], encoding="utf-8")
        await service.source("", "add", str(path), "UTC")
    for act in ("delete", "restore"):
        if act in wave:
            await service.source("", act, wave[act], "UTC")


async def _ask(service: Service, question: dict[str, Any]) -> list[str]:
    as_of, valid_at = (_instant(question[name]) if name in question else None for name in _CLOCKS)
    look = Look("search", question["ask"], as_of, valid_at, quarantined=question.get("quarantined", False))
    page = await service.look(look, "")
    told = " | ".join(str(item["words"]) for item in page.data if "claim" in item)
    named = question["ask"] + " " + " ".join(f"{name} {question[name]}" for name in _CLOCKS if name in question)
    missing = [f"{named}: no {word!r} in {told!r}" for word in question["expect"] if word not in told]
    wrong = [f"{named}: {word!r} in {told!r}" for word in question.get("not", ()) if word in told]
    return missing + wrong


def _instant(value: date | datetime) -> Instant:
    """Return an instant; a day is its last."""
    if isinstance(value, datetime):
        return from_datetime(value)
    return from_datetime(datetime.combine(value + timedelta(days=1), time(), UTC)) - 1


def main() -> int:
    """Run the story, and print how many questions are answered as they must be."""
    given = options(__doc__ or "").parse_args()
    quiet_logs(verbose=False)
    figures = Figures(given.check)
    with tempfile.TemporaryDirectory() as temporary:
        asked, faults = asyncio.run(run(Path(temporary)))
    for fault in faults:
        print(fault, file=sys.stderr)
    figures.put("temporal questions", asked, "count", at_least=40)
    figures.put("temporal questions answered wrongly", len(faults), "count", at_most=0)
    return figures.exit_code()


if __name__ == "__main__":
    sys.exit(main())
