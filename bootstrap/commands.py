"""What the command line does, behind its options."""

import argparse
import asyncio
import json
import os
import sys
import threading
from collections import Counter
from collections.abc import AsyncGenerator, AsyncIterator, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import asdict
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, Protocol, cast
from zoneinfo import ZoneInfo

from bootstrap import settings
from bootstrap.figures import progress
from bootstrap.logs import quiet_logs
from bootstrap.wiring import local_zone, open_service
from channels.exports import ExportError, read_export
from gateway.control import LONGEST_LINE, Client, Control, RemoteError, perform
from gateway.errors import EXIT, IncorrectRequestError, UnavailableError, kind_of
from gateway.service import Service
from memory.errors import DataInUseError, MunimentMemoryError
from memory.ids import from_datetime, now, uuid7
from memory.keys import commitment, is_signed
from memory.text import keepable


def address_file(data: Path) -> Path:
    """Return where the running server writes its address."""
    return data / "run" / "address"


PROMPT = "you> "
_BACKED_UP = (
    "Only `muniment kit` opens it. Whoever has this file and that kit can read all that is in it, also what is erased later:"
    " after an erasure destroy older backups or their kits, and make a new one."
)
_TRIES = 5
_LINES_AT_ONCE = 100


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
    except (
        MunimentMemoryError,
        IncorrectRequestError,
        UnavailableError,
        RemoteError,
        ExportError,
        settings.SettingsError,
    ) as error:
        kind = error.kind if isinstance(error, (RemoteError, ExportError, settings.SettingsError)) else kind_of(error)
        if options.json:
            print(json.dumps({"error": str(error), "kind": kind}))
        else:
            print(f"muniment: {error}", file=sys.stderr)
        return EXIT.get(kind, 5)  # type: ignore[call-overload]
    except (BrokenPipeError, KeyboardInterrupt):
        raise
    except Exception as error:  # noqa: BLE001 - a person reads this, whatever it is
        message = f"something unforeseen went wrong ({type(error).__name__}: {error}). What was acknowledged is kept."
        print(json.dumps({"error": message, "kind": "fault"}) if options.json else f"muniment: {message}", file=sys.stderr)
        return EXIT["fault"]


async def _run(options: argparse.Namespace) -> int:
    if options.command == "serve":
        from bootstrap.serve import serve

        return await serve(options.data, options.port)
    if options.command == "restore":
        return await _restore(options)
    if options.command == "pair":
        return await _pair(options)
    calls = Reach(options.data)
    try:
        return await _perform(calls, options)
    finally:
        await calls.close()


async def _perform(calls: Caller, options: argparse.Namespace) -> int:
    run = {
        "chat": _chat,
        "verify": _verify,
        "doctor": _doctor,
        "memory": _memory,
        "pending": _pending,
        "approve": _approve,
        "deny": _approve,
        "status": _status,
        "source": _source,
        "backup": _backup,
        "kit": _kit,
        "checkpoint": _signed,
        "receipt": _signed,
    }[options.command]
    return await run(calls, options)


async def _pending(calls: Caller, options: argparse.Namespace) -> int:
    _print_items(options, await calls.call("pending", {"speaker": options.speaker}))
    return 0


async def _approve(calls: Caller, options: argparse.Namespace) -> int:
    await _decide(calls, options, options.code, getattr(options, "choice", "deny") or "approve")
    return 0


async def _status(calls: Caller, options: argparse.Namespace) -> int:
    _print(options, await calls.call("status", {}))
    return 0


async def _doctor(calls: Caller, options: argparse.Namespace) -> int:
    settings.load(options.data)
    return _print_checks(options, await calls.call("doctor", {"reasoner": options.reasoner}))


async def _signed(calls: Caller, options: argparse.Namespace) -> int:
    """Print a signed document: a receipt, or the head of the chain."""
    print(await calls.call(options.command, {"erasure": getattr(options, "erasure", "")}))
    return 0


async def _backup(calls: Caller, options: argparse.Namespace) -> int:
    _print(options, await calls.call("backup", {"path": str(Path.cwd() / options.file)}))
    print(_BACKED_UP, file=sys.stderr)
    return 0


async def _memory(calls: Caller, options: argparse.Namespace) -> int:
    if options.page == "export":
        return await _export(calls, options)
    if options.page == "import":
        return await _import(calls, options)
    if options.page in {"forget", "retract", "merge"}:
        await _ask(calls, options)
        return 0
    if options.page == "consolidate":
        _print(options, (await calls.call("consolidate", {"speaker": options.speaker}))["found"] or {"nothing": "to tidy"})
        return 0
    if options.page in {"unmerge", "promote"}:
        given = {"code": options.code} if options.page == "unmerge" else {"claim": options.claim}
        done = await calls.call(options.page, {"speaker": options.speaker, **given})
        print(json.dumps(done) if options.json else "\n".join(done["lines"]) or "There is no merge to take back.")
        return 0
    zone = local_zone(settings.load(options.data).owner.timezone)
    given: dict[str, Any] = {"page": options.page, "speaker": options.speaker, "words": " ".join(getattr(options, "words", ()))}
    given.update({name: getattr(options, name, False) for name in ("history", "quarantined")})
    for name in ("as_of", "valid_at", "since", "until"):
        text = getattr(options, name, "")
        if text:
            given[name] = instant(text, zone, first=name == "since")
    shown = await calls.call("look", given)
    if options.json:
        print(json.dumps(shown["items"], ensure_ascii=False))
    else:
        print("\n".join(shown["lines"]))
    return 0


async def _kit(calls: Caller, options: argparse.Namespace) -> int:
    """Write the kit to a file that only this account can read."""
    text, path = await calls.call("kit", {}), options.file
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(text)
    except OSError as error:
        message = f"{path} cannot be written ({error.strerror}). Nothing was changed."
        raise IncorrectRequestError(message) from error
    print("Keep it apart from the backups. The next erasure issues another; older backups then open no more.", file=sys.stderr)
    return 0


async def _restore(options: argparse.Namespace) -> int:
    """Bring a backup back, open it once so that the graph is made anew, and check everything."""
    from memory.backup import bring_back
    from memory.keys import Kit

    try:
        kit = Kit.from_json(options.kit.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        message = f"{options.kit} cannot be read ({error}). Nothing was changed."
        raise IncorrectRequestError(message) from error
    brought = await asyncio.to_thread(bring_back, options.file, kit, options.data)
    calls = Reach(options.data)
    try:
        counted = await calls.call("verify", {"checkpoint": ""})
    finally:
        await calls.close()
    _print(options, {**brought, "facts": counted["facts"], "graph_differences": counted["graph_differences"]})
    return 1 if counted["graph_differences"] else 0


async def _verify(calls: Caller, options: argparse.Namespace) -> int:
    """Check a data directory, or a receipt alone."""
    if options.receipt is not None:
        return _verify_receipt(options)
    if options.opening is not None:
        message = "--opening goes with --receipt. Nothing was checked."
        raise IncorrectRequestError(message)
    kept = "" if options.checkpoint is None else _read(options.checkpoint)
    counted = await calls.call("verify", {"checkpoint": kept})
    _print(options, counted)
    return 1 if counted["graph_differences"] or counted["claims_without_evidence"] else 0


def _verify_receipt(options: argparse.Namespace) -> int:
    document = _read(options.receipt)
    checks = [
        {"check": "the receipt is signed", "ok": is_signed(document, options.key), "detail": f"by the key {_key_of(document)}"}
    ]
    if options.opening is not None:
        try:
            opening, wanted = json.loads(_read(options.opening)), json.loads(document)["commitments"]
            held = [(text, commitment(opening["nonce"], text) in wanted) for text in opening["texts"]]
        except (ValueError, KeyError, TypeError) as error:
            message = f"{options.opening} does not open a receipt ({error}). Nothing was changed."
            raise IncorrectRequestError(message) from error
        checks += [{"check": "it commits to", "ok": ok, "detail": text} for text, ok in held]
    return _print_checks(options, checks)


def _key_of(document: str) -> str:
    try:
        return str(json.loads(document)["key"])
    except (ValueError, KeyError, TypeError):
        return "of nobody"


async def _source(calls: Caller, options: argparse.Namespace) -> int:
    """Do something with documents, and say what became of them."""
    zone = local_zone(settings.load(options.data).owner.timezone)
    name = str(Path.cwd() / options.name) if options.act == "add" else options.name
    done = await calls.call("source", {"speaker": options.speaker, "act": options.act, "name": name, "zone": zone})
    if "item" in done:
        await _show_and_ask(calls, options, done["item"])
    elif options.json:
        print(json.dumps(done, ensure_ascii=False))
    else:
        lines = [f"{f['name']}: {f['became']}, {f['passages']} passages" for f in done.get("files", ())]
        lines += [f"{v['name']}: {v['state']} ({v['id']})" for v in done.get("versions", ())]
        print(_printable("\n".join([*lines, *done.get("lines", ())]) or "There is no document."))
    return 0


async def _ask(calls: Caller, options: argparse.Namespace) -> None:
    """Show what an act would do; do it where a person says so here."""
    who = {"speaker": options.speaker}
    if options.page == "merge":
        item = await calls.call("merge", {**who, "first": options.first, "second": options.second})
    else:
        act = "erase" if options.page == "forget" else "retract"
        item = await calls.call("forget", {**who, "words": " ".join(options.words), "act": act})
    await _show_and_ask(calls, options, item)


async def _show_and_ask(calls: Caller, options: argparse.Namespace, item: Mapping[str, Any]) -> None:
    if not options.yes:
        _print_items(options, [item])
        if options.json or not sys.stdin.isatty() or not await asyncio.to_thread(_is_yes):
            return
    await _decide(calls, options, item["id"], "approve")


def _is_yes() -> bool:
    return input("Do it? [y/N] ").strip().casefold() in {"y", "yes"}


async def _decide(calls: Caller, options: argparse.Namespace, code: str, choice: str) -> None:
    files = {name: path for name in ("receipt", "opening") if (path := getattr(options, name, None)) is not None}
    for path in files.values():
        _writable(path)
    done = await calls.call("decide", {"speaker": options.speaker, "code": code, "choice": choice})
    for name, path in files.items():
        if done[name] is not None:
            path.write_text(json.dumps(done[name], ensure_ascii=False) + "\n", encoding="utf-8")
    if options.json:
        print(json.dumps(done, ensure_ascii=False))
    else:
        print("\n".join(done["lines"]))


def _writable(path: Path) -> None:
    """Make sure that a file can be written, before anything is done whose result goes there alone."""
    try:
        path.touch(mode=0o600)
    except OSError as error:
        message = f"{path} cannot be written ({error.strerror}). Nothing was changed."
        raise IncorrectRequestError(message) from error


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        message = f"{path} cannot be read ({error}). Nothing was changed."
        raise IncorrectRequestError(message) from error


def _print_items(options: argparse.Namespace, items: Sequence[Mapping[str, Any]]) -> None:
    if options.json:
        print(json.dumps(items, ensure_ascii=False))
        return
    for item in items:
        print(f"{item['code']}: {' | '.join(item['choices'])}")
        print("\n".join(f"    {_printable(line)}" for line in item["lines"]))
    if not items:
        print("Nothing waits for you.")


def instant(text: str, zone: str, *, first: bool = False) -> int:
    """Return the instant of a day or time in a zone; a day alone is its last instant, or its ``first``.

    Raises ``IncorrectRequestError`` for what is none.
    """
    try:
        moment = datetime.fromisoformat(text)
    except ValueError as error:
        message = f"{text!r} is no day or time; write 2026-11-30 or 2026-11-30T14:05. Nothing was changed."
        raise IncorrectRequestError(message) from error
    if len(text) <= len("2026-11-30") and not first:
        moment += timedelta(days=1) - timedelta(microseconds=1)
    return from_datetime(moment if moment.tzinfo else moment.replace(tzinfo=ZoneInfo(zone)))


class Reach:
    """Calls whoever holds the data directory: another process through its socket, or this one where none does.

    When that process ends in between, the call is made again to the next holder; operations are keyed so that this is safe.
    """

    def __init__(self, data: Path) -> None:
        """Reach for a data directory at the first call."""
        self._data = data
        self._open = AsyncExitStack()
        self._caller: Caller | None = None

    async def call(self, operation: str, given: Mapping[str, Any]) -> Any:
        """Return the result of an operation."""
        for _ in range(_TRIES):
            try:
                caller = self._caller or await self._connect()
                return await caller.call(operation, given)
            except UnavailableError:
                await self.close()
        message = "The process that holds the data directory keeps going away. What it acknowledged is kept; try again."
        raise UnavailableError(message)

    async def close(self) -> None:
        """Let go of the other process, or stop this one's service."""
        self._caller = None
        await self._open.aclose()

    async def _connect(self) -> Caller:
        client = await Client.connect(self._data)
        if client is None:
            try:
                service = open_service(self._data)
            except DataInUseError:
                client = await _connect_soon(self._data)
                if client is None:
                    raise
            else:
                self._caller = Local(await self._open.enter_async_context(running(service)))
                return self._caller
        self._open.push_async_callback(client.close)
        self._caller = client
        return client


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
    interactive = sys.stdin.isatty() and not options.json
    here = {"speaker": options.speaker, "chat": options.chat}
    refused: Counter[str] = Counter()
    for reply in await calls.call("waiting", here):
        _print_reply(options, reply)
    async for text, id_ in _lines(options, interactive=interactive):
        replies: list[dict[str, Any]]
        try:
            keepable(text)
            replies = await calls.call("say", {**here, "id": id_, "text": text, "sent_at": now(), "zone": zone})
        except MunimentMemoryError as error:
            replies = [{"id": "", "chat": options.chat, "in_reply_to": id_, "text": str(error), "again": False}]
        refused.update(_first_sentence(reply["text"]) for reply in replies if not reply["id"])
        for reply in replies:
            _print_reply(options, {**reply, "message": id_})
    if not interactive:
        counted = [{"outcome": "not stored", "row": 0, "reason": reason, "count": n} for reason, n in refused.items()]
        _print_outcomes(options, [*await calls.call("outcomes", here), *counted])
    return 1 if refused and not interactive else 0


def _first_sentence(text: str) -> str:
    return text.split(". ", 1)[0]


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
        text, id_ = message["text"], message["id"]
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        words = f"A line of --json input is an object with id and text; this one is not ({error}). The lines before it are done."
        raise IncorrectRequestError(words) from error
    if not (isinstance(text, str) and isinstance(id_, str) and id_ and id_.isprintable()):
        words = "The id and the text of a message are strings, and the id is not empty. The lines before it are done."
        raise IncorrectRequestError(words)
    return text, id_


async def _export(calls: Caller, options: argparse.Namespace) -> int:
    """Write a dataset to a file, or through one to standard output."""
    given = {"speaker": options.speaker, "format": options.format}
    if options.out is not None:
        written = await calls.call("export", {**given, "path": str(options.out.resolve())})
        _print(options, {"file": str(options.out), **written})
        return 0
    path = options.data.resolve() / "run" / f"export-{uuid7()}"
    try:
        await calls.call("export", {**given, "path": str(path)})
        sys.stdout.write(path.read_text(encoding="utf-8"))
    finally:
        path.unlink(missing_ok=True)
    return 0


async def _pair(options: argparse.Namespace) -> int:
    """Print a one-time link to the running server, which alone knows it."""
    client = await Client.connect(options.data)
    if client is None:
        message = "Nothing serves this data directory. Nothing was changed; start `muniment serve`, which prints a link itself."
        raise UnavailableError(message)
    try:
        path = (await client.call("pair", {"speaker": options.speaker}))["path"]
    finally:
        await client.close()
    at = address_file(options.data)
    url = f"{at.read_text(encoding='utf-8').strip()}{path}" if at.exists() else path
    print(json.dumps({"link": url}) if options.json else url)
    return 0


def _batches(lines: list[dict[str, Any]]) -> Iterator[list[dict[str, Any]]]:
    """Yield lines in batches that fit the socket of another process."""
    batch: list[dict[str, Any]] = []
    size = 0
    for line in lines:
        length = len(json.dumps(line))
        if batch and (len(batch) >= _LINES_AT_ONCE or size + length > LONGEST_LINE // 2):
            yield batch
            batch, size = [], 0
        batch.append(line)
        size += length
    if batch:
        yield batch


async def _import(calls: Caller, options: argparse.Namespace) -> int:
    """Read a file of a conversation and bring it in, some lines at a time, each remembered once."""
    zone = options.zone or local_zone(settings.load(options.data).owner.timezone)
    try:
        name, lines = read_export(options.file.read_text(encoding="utf-8"), zone)
    except (OSError, UnicodeDecodeError) as error:
        message = f"{options.file} cannot be read ({error}). Nothing was stored."
        raise IncorrectRequestError(message) from error
    speakers = {line.speaker: line.speaker_id for line in lines}
    if not speakers:
        message = f"{options.file} has no messages. Nothing was stored."
        raise IncorrectRequestError(message)
    if options.me and options.me not in speakers:
        message = f"Nobody is called {options.me!r} in {options.file}: {', '.join(speakers)}. Nothing was stored."
        raise IncorrectRequestError(message)
    chat = str(options.chat or name or options.file.stem)
    given = {
        "chat": chat,
        "me": options.me,
        "speakers": speakers,
        "zone": zone,
        "join": options.join,
    }
    total: Counter[str] = Counter()
    outcomes: Counter[tuple[str, int, str]] = Counter()
    sent = 0
    for some in _batches([asdict(line) for line in lines]):
        done = await calls.call("import", {**given, "lines": some})
        sent += len(some)
        total.update({"stored": done["stored"], "known": done["known"]})
        outcomes.update({(o["outcome"], o["row"], o["reason"]): o["count"] for o in done["outcomes"]})
        progress(f"{sent} of {len(lines)} messages")
    progress("")
    counted = [{"outcome": o, "row": row, "reason": reason, "count": n} for (o, row, reason), n in outcomes.most_common()]
    result = {"chat": chat, "speakers": list(speakers), "messages": len(lines), **total}
    if options.json:
        print(json.dumps({**result, "outcomes": counted}, ensure_ascii=False))
        return 0
    print(f"{_printable(chat)}: {len(lines)} messages; {total['stored']} stored, {total['known']} already there.")
    _print_outcomes(options, counted)
    if not options.me:
        print(f"Nobody in it is you; look at it with: muniment memory show --as {next(iter(speakers))!r}", file=sys.stderr)
    return 0


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
