"""A model that says what a script says, at once: in this process, and behind the OpenAI protocol in one of its own.

https://platform.openai.com/docs/api-reference/chat
"""

import asyncio
import json
import socket
import subprocess
import sys
from collections.abc import AsyncIterator, Generator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import uvicorn
from fastapi import FastAPI, Request
from fastapi.responses import StreamingResponse

from gateway.models import Completion, Message, Model, ModelSettings, OnText

LIVES = " lives in "


def said(request: Mapping[str, Any]) -> str:
    """Return the fact of a statement where facts are asked for, and a sentence otherwise."""
    if not request.get("response_format"):
        return "I have taken note of that, and am glad to know it."
    words = str(request["messages"][-1]["content"]).rpartition("Message:\n")[2].strip().rstrip(".")
    subject, states, place = words.partition(LIVES)
    fact = {"subject": subject, "predicate": "livesIn", "object": place, "quote": words, "polarity": "holds"}
    return json.dumps({"facts": [{**fact, "when": "", "begins": False}] if states else []})


class AtOnce(Model):
    """The model in this process; it is silent for so many seconds before it answers."""

    def __init__(self, settings: ModelSettings, silent: float = 0.0) -> None:
        """Use settings that name nothing that exists."""
        super().__init__(settings)
        self._silent = silent

    async def _answered(self, messages: Sequence[Message], more: Mapping[str, Any], on_text: OnText | None) -> Completion:
        text = said({"messages": messages, **more})
        if self._silent:
            await asyncio.sleep(self._silent)
        if on_text is not None:
            await on_text(text)
        return Completion(text)


@contextmanager
def scripted() -> Generator[str]:
    """Run the model in a process of its own until the block ends; give its address."""
    command = [sys.executable, "-m", "bench.scripted"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:  # noqa: S603 - this very module
        assert process.stdout is not None
        try:
            yield f"http://127.0.0.1:{int(process.stdout.readline())}/v1"
        finally:
            process.terminate()


def _main() -> None:
    app = FastAPI()

    @app.post("/v1/chat/completions")
    async def complete(request: Request) -> StreamingResponse:
        return StreamingResponse(_events(said(await request.json())), media_type="text/event-stream")

    listening = socket.create_server(("127.0.0.1", 0))
    print(listening.getsockname()[1], flush=True)
    asyncio.run(uvicorn.Server(uvicorn.Config(app, log_config=None, access_log=False)).serve(sockets=[listening]))


async def _events(text: str) -> AsyncIterator[str]:
    for delta, finish in (({"role": "assistant", "content": text}, None), ({}, "stop")):
        choice = {"index": 0, "delta": delta, "finish_reason": finish}
        chunk = {"id": "1", "object": "chat.completion.chunk", "created": 1, "model": "scripted", "choices": [choice]}
        yield f"data: {json.dumps(chunk)}\n\n"
    yield "data: [DONE]\n\n"


if __name__ == "__main__":
    _main()
