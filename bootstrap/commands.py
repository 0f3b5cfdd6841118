"""What the command line does, behind its options."""

import argparse
import asyncio
import json
import sys
import threading
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from dataclasses import asdict
from typing import Any

from bootstrap import acts, settings
from bootstrap.figures import progress
from bootstrap.logs import quiet_logs
from bootstrap.printing import print_checks, print_outcomes, print_reply, print_result, printable
from bootstrap.reach import Caller, Reach, address_file
from bootstrap.wiring import local_zone
from channels.exports import ExportError, read_export
from gateway.clocks import instant
from gateway.control import LONGEST_LINE, Client, RemoteError
from gateway.errors import EXIT, IncorrectRequestError, UnavailableError, kind_of
from memory.errors import MunimentMemoryError
from memory.ids import now, uuid7
from memory.text import keepable

PROMPT = "you> "
_LINES_AT_ONCE = 100


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
        return await acts.restore(options)
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
        "verify": acts.verify,
        "doctor": _doctor,
        "memory": _memory,
        "pending": acts.pending,
        "approve": acts.approve,
        "deny": acts.approve,
        "status": _status,
        "source": acts.source,
        "ontology": acts.ontology,
        "sparql": _sparql,
        "token": acts.token,
        "people": acts.people,
        "backup": acts.back_up,
        "kit": acts.kit,
        "checkpoint": acts.signed,
        "receipt": acts.signed,
    }[options.command]
    return await run(calls, options)


async def _status(calls: Caller, options: argparse.Namespace) -> int:
    print_result(options, await calls.call("status", {}))
    return 0


async def _doctor(calls: Caller, options: argparse.Namespace) -> int:
    settings.load(options.data)
    return print_checks(options, await calls.call("doctor", {"reasoner": options.reasoner}))


async def _memory(calls: Caller, options: argparse.Namespace) -> int:
    if options.page == "export":
        return await _export(calls, options)
    if options.page == "import":
        return await _import(calls, options)
    if options.page in {"forget", "retract", "merge"}:
        await acts.ask(calls, options)
        return 0
    if options.page == "consolidate":
        print_result(options, (await calls.call("consolidate", {"speaker": options.speaker}))["found"] or {"nothing": "to tidy"})
        return 0
    if options.page in {"unmerge", "promote"}:
        given = {"code": options.code} if options.page == "unmerge" else {"claim": options.claim}
        done = await calls.call(options.page, {"speaker": options.speaker, **given})
        print(json.dumps(done) if options.json else "\n".join(done["lines"]) or "There is no merge to take back.")
        return 0
    zone = local_zone(settings.load(options.data).owner.timezone)
    given: dict[str, Any] = {"page": options.page, "speaker": options.speaker, "words": " ".join(getattr(options, "words", ()))}
    given.update({name: getattr(options, name, False) for name in ("history", "quarantined")})
    given.update(_clocks(options, zone, "as_of", "valid_at", "since", "until"))
    shown = await calls.call("look", given)
    if options.json:
        print(json.dumps(shown["items"], ensure_ascii=False))
    else:
        print("\n".join(shown["lines"]))
    return 0


async def _sparql(calls: Caller, options: argparse.Namespace) -> int:
    """Print what a query finds: in the format that was asked for, or as lines of tab-separated values."""
    zone = local_zone(settings.load(options.data).owner.timezone)
    query = sys.stdin.read() if options.query == "-" else options.query
    format_ = options.format or ("json" if options.json else "")
    given = {"speaker": options.speaker, "query": query, "format": format_, **_clocks(options, zone, "as_of", "valid_at")}
    found = await calls.call("sparql", given)
    print(
        found.rstrip("\n") if format_ else "\n".join("\t".join(map(printable, line.split("\t"))) for line in found.splitlines())
    )
    return 0


def _clocks(options: argparse.Namespace, zone: str, *names: str) -> dict[str, int]:
    given = {name: text for name in names if (text := getattr(options, name, ""))}
    return {name: instant(text, zone, first=name == "since") for name, text in given.items()}


async def _chat(calls: Caller, options: argparse.Namespace) -> int:
    zone = local_zone(settings.load(options.data).owner.timezone)
    interactive = sys.stdin.isatty() and not options.json
    here = {"speaker": options.speaker, "chat": options.chat}
    refused: Counter[str] = Counter()
    for reply in await calls.call("waiting", here):
        print_reply(options, reply)
    async for text, id_ in _lines(options, interactive=interactive):
        replies: list[dict[str, Any]]
        try:
            keepable(text)
            replies = await calls.call("say", {**here, "id": id_, "text": text, "sent_at": now(), "zone": zone})
        except MunimentMemoryError as error:
            replies = [{"id": "", "chat": options.chat, "in_reply_to": id_, "text": str(error), "again": False}]
        refused.update(_first_sentence(reply["text"]) for reply in replies if not reply["id"])
        for reply in replies:
            print_reply(options, {**reply, "message": id_})
    if not interactive:
        counted = [{"outcome": "not stored", "row": 0, "reason": reason, "count": n} for reason, n in refused.items()]
        print_outcomes(options, [*await calls.call("outcomes", here), *counted])
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
        print_result(options, {"file": str(options.out), **written})
        return 0
    path = options.data.resolve() / "run" / f"export-{uuid7()}"
    try:
        await calls.call("export", {**given, "path": str(path)})
        sys.stdout.write(path.read_text(encoding="utf-8"))
    finally:
        path.unlink(missing_ok=True)
    return 0


async def _pair(options: argparse.Namespace) -> int:
    """Print a one-time link to the running server, which alone knows it; or let the stranger in who has a code."""
    client = await Client.connect(options.data)
    if client is None:
        message = "Nothing serves this data directory. Nothing was changed; start `muniment serve`, which prints a link itself."
        raise UnavailableError(message)
    try:
        if options.code:
            print_result(options, await client.call("let_in", {"speaker": options.speaker, "code": options.code}))
            return 0
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
    print(f"{printable(chat)}: {len(lines)} messages; {total['stored']} stored, {total['known']} already there.")
    print_outcomes(options, counted)
    if not options.me:
        print(f"Nobody in it is you; look at it with: muniment memory show --as {next(iter(speakers))!r}", file=sys.stderr)
    return 0
