"""What one person gets is byte for byte the same with and without another's data: replies, pages, previews and receipts."""

import asyncio
import itertools
import json
from pathlib import Path
from typing import Any

import pytest

from bootstrap.wiring import open_service
from gateway.inspect import Look
from gateway.service import Said, Service

START = 1_770_000_000_000_000
MINUTE = 60_000_000
ANNS = (
    "I live in Oslo.",
    "Lyon is a city in France.",
    "Mara lives in Lyon.",
    "I moved to Lima.",
    "Anna Li (Oslo) likes tea.",
    "Anna Li (Lima) likes rain.",
    "Where does Mara live?",
    "What do you know about Mara?",
    "/why Mara",
    "/retract I live in Lima",
    "/approve {code}",
    "I live in Lima.",
    "/pending",
    "/deny {code}",
    "Forget that Mara lives in Lyon.",
    "/approve {code}",
    "Where does Mara live?",
    "/memory",
)
BOBS = (
    "I live in Oslo.",
    "Mara lives in Lima.",
    "Anna Li (Rome) likes snow.",
    "Where does Mara live?",
    "Mara likes Lyon.",
    "/retract I live in Oslo",
    "/approve {code}",
    "Forget everything about Mara.",
    "/approve {code}",
    "Is Lyon in France?",
    "I live in Lima.",
)


class _Stand:
    """A service whose ids and clock are each person's own, so that another's acts move neither."""

    def __init__(self, folder: Path) -> None:
        self.now = {"": START, "Bob": START + 1}
        self.who = ""
        self._ids = {"": itertools.count(0x1000), "Bob": itertools.count(0x9000_0000)}
        self.codes = {"": "", "Bob": ""}
        self.service: Service = open_service(folder, clock=self._clock, ids=self._id)

    def _clock(self) -> int:
        self.now[self.who] += 1
        return self.now[self.who]

    def _id(self) -> str:
        return f"00000000-0000-7000-8000-{next(self._ids[self.who]):012x}"

    async def say(self, who: str, text: str) -> str:
        self.who = who
        self.now[who] += MINUTE
        text = text.replace("{code}", self.codes[who])
        said = Said(who, "", f"{who}{self.now[who]}", text, self.now[who], "UTC")
        (reply,) = await self.service.say(said)
        if "/approve " in reply.text:
            self.codes[who] = reply.text.rsplit("/approve ", 1)[1][:6]
        return reply.text


async def _told(folder: Path, *, with_bob: bool) -> list[Any]:
    stand = _Stand(folder)
    await stand.service.start()
    bobs = iter(BOBS)
    seen: list[Any] = []
    try:
        for text in ANNS:
            if with_bob and (other := next(bobs, "")):
                await stand.say("Bob", other)
            seen.append(await stand.say("", text))
        stand.who = ""
        for page in ("show", "why", "history", "timeline", "changes", "search"):
            shown = await stand.service.look(Look(page, "Mara" if page == "search" else "", quarantined=page == "show"), "")
            seen.append([page, shown.lines, shown.data])
        before = await stand.service.look(Look("show", as_of=START + 6 * MINUTE), "")
        seen.append(before.lines)
        seen.append(await stand.service.pending(""))
        item = await stand.service.ask_to_forget("", "everything about me", "erase")
        seen.append(item["lines"])
        done = await stand.service.decide("", item["id"], "approve")
        kept = {name: done["receipt"][name] for name in ("claims", "messages", "replies", "by", "erasure")}
        seen.append([done["lines"], kept, len(done["receipt"]["commitments"])])
    finally:
        await stand.service.stop()
    return seen


@pytest.mark.requirement("I2", "non-interference")
def test_nothing_that_one_person_gets_depends_on_another(tmp_path: Path) -> None:
    alone = asyncio.run(_told(tmp_path / "alone", with_bob=False))
    beside = asyncio.run(_told(tmp_path / "beside", with_bob=True))
    for one, other in zip(alone, beside, strict=True):
        assert json.dumps(one, indent=1, default=str) == json.dumps(other, indent=1, default=str)
