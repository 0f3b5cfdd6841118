"""What the command line does, behind its options."""

import argparse
import asyncio
import json
import sys
import threading
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Protocol, cast

from bootstrap import settings
from bootstrap.logs import quiet_logs
from bootstrap.wiring import local_zone, open_service
from gateway.control import Client, Control, RemoteError, perform
from gateway.errors import EXIT, IncorrectRequestError, UnavailableError, kind_of
from gateway.service import Service
from memory.errors import DataInUseError, MunimentMemoryError
from memory.ids import now, uuid7

PROMPT = "you> "


class Caller(Protocol):
    """Where operations go: this process, or the one that holds the data directory."""

    async def call(self, operation: str, given: Mapping[str, Any]) -> Any:
        """Return the result of an operation."""
        ...


def run(options: argparse.Namespace) -> int:
    """Run the chosen command; print an error in words and return its exit code."""
    quiet_logs(verbose=options.command == "serve")
    try:
        return asyncio.run(_run(options))
    except (MunimentMemoryError, IncorrectRequestError, UnavailableError, RemoteError, settings.SettingsError) as error:
        kind = error.kind if isinstance(error, (RemoteError, settings.SettingsError)) else kind_of(error)
        if options.json:
            print(json.dumps({"error": str(error), "kind": kind}))
        else:
            print(f"muniment: {error}", file=sys.stderr)
        return EXIT.get(kind, 5)  # type: ignore[call-overload]


async def _run(options: argparse.Namespace) -> int:
    if options.command == "serve":
        from bootstrap.serve import serve

        return await serve(options.data, options.port)
    async with caller(options.data) as calls:
        match options.command:
            case "chat":
                return await _chat(calls, options)
            case "status":
                _print(options, await calls.call("status", {}))
                return 0
            case "doctor":
                return _print_checks(options, await calls.call("doctor", {}))
            case _:
                given = {"page": options.page, "speaker": options.speaker, "words": " ".join(options.words)}
                page = await calls.call("look", given)
                if options.json:
                    print(json.dumps(page["items"], ensure_ascii=False))
                else:
                    print("\n".join(page["lines"]))
                return 0


@asynccontextmanager
async def caller(data: Path) -> AsyncGenerator[Caller]:
    """Give a caller for a data directory: through its socket where a process holds it, in this process otherwise."""
    client = await Client.connect(data)
    if client is None:
        try:
            service = open_service(data)
        except DataInUseError:
            client = await _connect_soon(data)
            if client is None:
                raise
        else:
            async with running(service):
                yield Local(service)
            return
    try:
        yield client
    finally:
        await client.close()


async def _connect_soon(data: Path) -> Client | None:
    """Return a connection to a process that has just begun and may not listen yet."""
    for _ in range(50):
        client = await Client.connect(data)
        if client is not None:
            return client
        await asyncio.sleep(0.1)
    return None


@asynccontextmanager
async def running(service: Service) -> AsyncGenerator[Service]:
    """Run a service with its control socket."""
    control = Control(service)
    try:
        await service.start()
        await control.start()
        yield service
    finally:
        await control.stop()
        await service.stop()


class Local:
    """Operations in this process."""

    def __init__(self, service: Service) -> None:
        """Use a running service."""
        self._service = service

    async def call(self, operation: str, given: Mapping[str, Any]) -> Any:
        """Return the result of an operation."""
        return await perform(self._service, operation, given)


async def _chat(calls: Caller, options: argparse.Namespace) -> int:
    zone = local_zone(settings.load(options.data).owner.timezone)
    chat = f"{options.speaker or 'owner'}/{options.chat}" if options.chat else options.speaker or "owner"
    interactive = sys.stdin.isatty() and not options.json
    for reply in await calls.call("waiting", {"chat": chat}):
        _print_reply(options, reply)
    async for text, id_ in _lines(options, interactive=interactive):
        given = {"speaker": options.speaker, "chat": chat, "id": id_, "text": text, "sent_at": now(), "zone": zone}
        try:
            replies = await calls.call("say", given)
        except (MunimentMemoryError, IncorrectRequestError) as error:
            replies = [{"in_reply_to": id_, "text": str(error), "again": False, "id": ""}]
        for reply in replies:
            _print_reply(options, {**reply, "message": id_})
    if not interactive:
        _print_outcomes(options, await calls.call("outcomes", {"chat": chat}))
    return 0


async def _lines(options: argparse.Namespace, *, interactive: bool) -> AsyncIterator[tuple[str, str]]:
    """Yield the messages of standard input with their ids: a line each, or with --json an object each."""
    queue: asyncio.Queue[bytes | None] = asyncio.Queue(maxsize=1)
    loop = asyncio.get_running_loop()

    def read() -> None:
        try:
            while line := sys.stdin.buffer.readline():
                asyncio.run_coroutine_threadsafe(queue.put(line), loop).result()
            asyncio.run_coroutine_threadsafe(queue.put(None), loop).result()
        except RuntimeError:
            return  # the loop has ended and nobody reads any more

    threading.Thread(target=read, daemon=True).start()
    while True:
        if interactive:
            print(PROMPT, end="", flush=True)
        line = await queue.get()
        if line is None:
            return
        text = line.decode("utf-8", errors="surrogateescape").rstrip("\r\n")
        if options.json:
            yield _message(text)
        elif text.strip():
            yield text, uuid7()


def _message(line: str) -> tuple[str, str]:
    try:
        message = json.loads(line)
        return str(message["text"]), str(message["id"])
    except (ValueError, TypeError, KeyError) as error:
        message = f"a line of --json input is an object with id and text; this one is not ({error})"
        raise IncorrectRequestError(message) from error


def _print_reply(options: argparse.Namespace, reply: Mapping[str, Any]) -> None:
    if options.json:
        print(json.dumps(reply, ensure_ascii=False), flush=True)
        return
    text = f"(sent again) {reply['text']}" if reply["again"] else reply["text"]
    print(_printable(text), flush=True)


def _printable(text: str) -> str:
    """Return the text without control characters that a terminal would obey."""
    return "".join(ch if ch == "\n" or ch.isprintable() else "\ufffd" for ch in text)


def _print_outcomes(options: argparse.Namespace, outcomes: list[dict[str, Any]]) -> None:
    if options.json:
        print(json.dumps({"outcomes": outcomes}, ensure_ascii=False))
        return
    print("--", file=sys.stderr)
    for line in outcomes:
        row = f"row {line['row']}: " if line["row"] else ""
        print(f"{line['count']:6} {line['outcome']} - {row}{line['reason']}", file=sys.stderr)


def _print(options: argparse.Namespace, result: Mapping[str, Any]) -> None:
    if options.json:
        print(json.dumps(result, ensure_ascii=False))
        return
    for name, value in result.items():
        print(f"{name}: {_shown(value)}")


def _shown(value: Any) -> str:
    if isinstance(value, dict):
        return " ".join(str(part) for part in cast("dict[str, Any]", value).values() if part)
    if isinstance(value, list):
        return "; ".join(map(_shown, cast("list[Any]", value))) or "none"
    return str(value)


def _print_checks(options: argparse.Namespace, checks: list[dict[str, Any]]) -> int:
    if options.json:
        print(json.dumps(checks, ensure_ascii=False))
    else:
        for check in checks:
            print(f"{'ok ' if check['ok'] else 'NOT'} {check['check']}: {check['detail']}")
    return 0 if all(check["ok"] for check in checks) else 1
