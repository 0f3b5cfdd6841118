"""A Bot API server on loopback that is as unkind as a network: what people send comes twice and with gaps, calls fail and hang.

It keeps what it took, in order, which is what people would have seen. https://core.telegram.org/bots/api
"""

import asyncio
import itertools
import random
import time
from collections import deque
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl

from fastapi import FastAPI, Request
from fastapi.responses import JSONResponse
from starlette.responses import Response

from eval.serving import served

LONGEST_POLL = 1.0
_PER_POLL = 100


@dataclass(frozen=True, slots=True)
class Taken:
    """A message of the bot's that the platform took: in which chat, what it says, and when."""

    chat: int
    text: str
    at: float


@dataclass(slots=True)
class BotApi:
    """The platform: updates that wait, what was taken, and how often calls fail."""

    pick: random.Random
    busy: float = 0.0
    """Share of sends that are refused for a moment with 429."""
    dropped: float = 0.0
    """Share of sends that are taken, and whose answer never comes."""
    broken: float = 0.0
    """Share of sends whose connection ends before anything is taken."""
    url: str = ""
    waiting: "deque[dict[str, Any]]" = field(default_factory=deque["dict[str, Any]"])
    taken: list[Taken] = field(default_factory=list[Taken])
    lost: list[str] = field(default_factory=list[str])
    """What was not taken, though nobody can tell from the answer."""
    signs: dict[int, float] = field(default_factory=dict[int, float])
    """When a chat was first shown a sign of typing, or a text."""
    offset: int = 0
    _numbers: "itertools.count[int]" = field(default_factory=lambda: itertools.count(1))

    def send(self, chat: int, number: int, text: str, *, gap: int = 0) -> None:
        """Let a person send the bot a message; ``gap`` update ids are left out before it."""
        for _ in range(gap):
            next(self._numbers)
        who = {"id": chat, "is_bot": False, "first_name": f"User{chat}"}
        message = {
            "message_id": number, "date": int(time.time()), "text": text, "from": who,
            "chat": {"id": chat, "type": "private", "first_name": f"User{chat}"},
        }  # fmt: skip
        self.waiting.append({"update_id": next(self._numbers), "message": message})

    async def answer(self, method: str, given: dict[str, Any]) -> Response:
        """Answer a call."""
        match method:
            case "getMe":
                return _ok({"id": 1, "is_bot": True, "first_name": "Test", "username": "test_bot"})
            case "getUpdates":
                return _ok(await self._updates(int(given.get("offset") or 0), float(given.get("timeout") or 0)))
            case "sendMessage" | "editMessageText":
                return await self._take(given)
            case "sendChatAction":
                self.signs.setdefault(int(given["chat_id"]), time.monotonic())
                return _ok(result=True)
            case _:
                return _ok(result=True)

    async def _updates(self, offset: int, seconds: float) -> list[dict[str, Any]]:
        self.offset = max(self.offset, offset)
        while self.waiting and self.waiting[0]["update_id"] < offset:
            self.waiting.popleft()
        until = time.monotonic() + min(seconds, LONGEST_POLL)
        while not self.waiting and time.monotonic() < until:  # noqa: ASYNC110 - they are queued by another thread
            await asyncio.sleep(0.01)
        return list(itertools.islice(self.waiting, _PER_POLL))

    async def _take(self, given: dict[str, Any]) -> Response:
        chat, text, chance = int(given["chat_id"]), str(given["text"]), self.pick.random()
        if chance < self.busy:
            more = {"parameters": {"retry_after": 1}, "error_code": 429, "description": "Too Many Requests: retry after 1"}
            return JSONResponse({"ok": False, **more}, 429)
        if chance < self.busy + self.broken:
            self.lost.append(text)
            return JSONResponse({"ok": False, "error_code": 502, "description": "Bad Gateway"}, 502)
        self.signs.setdefault(chat, time.monotonic())
        self.taken.append(Taken(chat, text, time.monotonic()))
        if chance < self.busy + self.broken + self.dropped:
            return Response("", 500)  # it was taken, and nobody can tell from this
        who = {"id": chat, "type": "private", "first_name": f"User{chat}"}
        return _ok({"message_id": len(self.taken), "date": int(time.time()), "chat": who, "text": text})


def _ok(result: object) -> JSONResponse:
    return JSONResponse({"ok": True, "result": result})


@contextmanager
def bot_api(pick: random.Random) -> Generator[BotApi]:
    """Run a platform until the block ends."""
    api, app = BotApi(pick), FastAPI()

    @app.post("/bot{token}/{method}")
    async def call(token: str, method: str, request: Request) -> Response:  # noqa: ARG001 - any token is taken
        return await api.answer(method, dict(parse_qsl((await request.body()).decode())))

    with served(app) as url:
        api.url = url
        yield api
