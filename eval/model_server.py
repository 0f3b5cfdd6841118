"""A scripted server that speaks the OpenAI protocol on loopback: what a model says, and how it fails, is told beforehand."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from fastapi import FastAPI, Request, Response
from fastapi.responses import JSONResponse, StreamingResponse

from eval.serving import served


@dataclass(frozen=True, slots=True)
class Fault:
    """A way to fail: an HTTP status, silence for so many seconds before or after the first word, or endless words."""

    status: int = 0
    silent: float = 0.0
    stalls: float = 0.0
    endless: bool = False
    one_line: bool = False


_ENDLESS = 100_000_000


@dataclass(frozen=True, slots=True)
class Use:
    """Tools that the model wants used, each with its arguments, after some words."""

    calls: tuple[tuple[str, str], ...]
    text: str = ""


Script = Callable[[dict[str, Any]], "str | Fault | Use"]


@dataclass(slots=True)
class ModelServer:
    """The running server: its address, what it was asked, and what it says."""

    url: str = ""
    asked: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    script: Script = lambda _request: "{}"
    sent: int = 0

    def answer(self, request: dict[str, Any]) -> "str | Fault | Use":
        """Return what the script says to a request, which is kept."""
        self.asked.append(request)
        return self.script(request)


@contextmanager
def model_server() -> Generator[ModelServer]:
    """Run a server until the block ends."""
    server = ModelServer()
    app = FastAPI()

    @app.post("/v1/chat/completions")
    async def complete(request: Request) -> Response:
        said = server.answer(await request.json())
        if isinstance(said, Fault):
            if said.status:
                return JSONResponse({"error": {"message": "scripted", "type": "scripted"}}, said.status)
            await asyncio.sleep(said.silent)
        return StreamingResponse(_events(server, said), media_type="text/event-stream")

    with served(app) as url:
        server.url = f"{url}/v1"
        yield server


async def _events(server: ModelServer, said: "str | Fault | Use") -> AsyncIterator[str]:
    if isinstance(said, Use):
        yield _event({"content": said.text})
        for index, (name, arguments) in enumerate(said.calls):
            half = len(arguments) // 2
            function = {"name": name, "arguments": arguments[:half]}
            yield _event({"tool_calls": [{"index": index, "id": f"c{index}", "type": "function", "function": function}]})
            yield _event({"tool_calls": [{"index": index, "function": {"arguments": arguments[half:]}}]})
        yield _event({}, "tool_calls")
        yield "data: [DONE]\n\n"
        return
    if isinstance(said, Fault):
        yield _event({"content": "It "})
        await asyncio.sleep(said.stalls)
        if said.one_line:
            yield 'data: {"choices": [{"delta": {"content": "'
        while said.endless and server.sent < _ENDLESS:
            server.sent += 100_000
            yield "x" * 100_000 if said.one_line else _event({"content": "x" * 100_000})
            await asyncio.sleep(0.001)
        return
    for start in range(0, len(said), 40):
        yield _event({"content": said[start : start + 40]})
    yield _event({}, "stop")
    yield "data: [DONE]\n\n"


def _event(delta: dict[str, Any], finish: str | None = None) -> str:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return (
        "data: "
        + json.dumps({"id": "1", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [choice]})
        + "\n\n"
    )
