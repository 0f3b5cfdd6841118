"""The commands that decide, correct, forget, keep and bring back: each asks the running memory, and says what was done."""

import argparse
import asyncio
import json
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from bootstrap import settings
from bootstrap.printing import print_checks, print_items, print_result, printable
from bootstrap.reach import Caller, Reach
from bootstrap.wiring import local_zone
from gateway.errors import IncorrectRequestError
from memory.keys import commitment, is_signed

_BACKED_UP = (
    "Only `muniment kit` opens it. Whoever has this file and that kit can read all that is in it, also what is erased later:"
    " after an erasure destroy older backups or their kits, and make a new one."
)


async def pending(calls: Caller, options: argparse.Namespace) -> int:
    """Print what waits for a person."""
    print_items(options, await calls.call("pending", {"speaker": options.speaker}))
    return 0


async def approve(calls: Caller, options: argparse.Namespace) -> int:
    """Decide about something that waits."""
    await _decide(calls, options, options.code, getattr(options, "choice", "deny") or "approve")
    return 0


async def signed(calls: Caller, options: argparse.Namespace) -> int:
    """Print a signed document: a receipt, or the head of the chain."""
    print(await calls.call(options.command, {"erasure": getattr(options, "erasure", "")}))
    return 0


async def back_up(calls: Caller, options: argparse.Namespace) -> int:
    """Write an encrypted copy, and say who can read it."""
    print_result(options, await calls.call("backup", {"path": str(Path.cwd() / options.file)}))
    print(_BACKED_UP, file=sys.stderr)
    return 0


async def kit(calls: Caller, options: argparse.Namespace) -> int:
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


async def restore(options: argparse.Namespace) -> int:
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
    print_result(options, {**brought, "facts": counted["facts"], "graph_differences": counted["graph_differences"]})
    return 1 if counted["graph_differences"] else 0


async def verify(calls: Caller, options: argparse.Namespace) -> int:
    """Check a data directory, or a receipt alone."""
    if options.receipt is not None:
        return _verify_receipt(options)
    if options.opening is not None:
        message = "--opening goes with --receipt. Nothing was checked."
        raise IncorrectRequestError(message)
    kept = "" if options.checkpoint is None else _read(options.checkpoint)
    counted = await calls.call("verify", {"checkpoint": kept})
    print_result(options, counted)
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
    return print_checks(options, checks)


def _key_of(document: str) -> str:
    try:
        return str(json.loads(document)["key"])
    except (ValueError, KeyError, TypeError):
        return "of nobody"


async def source(calls: Caller, options: argparse.Namespace) -> int:
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
        print(printable("\n".join([*lines, *done.get("lines", ())]) or "There is no document."))
    return 0


async def token(calls: Caller, options: argparse.Namespace) -> int:
    """Make, list or revoke tokens."""
    given = {"speaker": options.speaker, "act": options.act, "name": options.name, "clearance": options.clearance}
    done = await calls.call("token", given)
    if options.json or options.act == "revoke":
        print_result(options, done)
    elif options.act == "list":
        print("\n".join(f"{t['id']} {t['name']} (sees up to {t['clearance']})" for t in done["tokens"]) or "There is no token.")
    else:
        print(done["token"])
        print(f"It reads your memory up to {done['clearance']}, and is shown this once; `muniment token revoke"
              f" {done['id'][-6:]}` ends it.", file=sys.stderr)  # fmt: skip
    return 0


async def people(calls: Caller, options: argparse.Namespace) -> int:
    """List who is known and where, or block somebody, or let them in again."""
    done = await calls.call("people", {"act": options.act, "who": options.who})
    if options.json:
        print_result(options, done)
        return 0
    for one in done["people"]:
        print(f"{one['role']:8} {one['name'] or '-':20} {' '.join(one['known as'])}")
    return 0


async def ontology(calls: Caller, options: argparse.Namespace) -> int:
    """Propose axioms, list them, or ask to adopt or withdraw some."""
    who, given = {"speaker": options.speaker}, options.given
    if options.act == "list":
        found = (await calls.call("ontology", {**who, "act": "list", "given": ""}))["axioms"]
        lines = [f"{one['id']} {one['state']}\n{one['turtle'].strip()}" for one in found]
        print(json.dumps(found) if options.json else printable("\n".join(lines) or "There are no axioms of this instance's own."))
        return 0
    if options.act == "propose":
        turtle = _read(Path(given))
        given = (await calls.call("ontology", {**who, "act": "propose", "given": turtle}))["id"]
        print(f"Kept as {given}.", file=sys.stderr)
    act = "withdraw" if options.act == "withdraw" else "adopt"
    item = (await calls.call("ontology", {**who, "act": act, "given": given}))["item"]
    if options.yes:
        print_items(options, [item])
        if any(line.startswith("would be false") for line in item["lines"]):
            message = "It would make something false, so it is not done unseen. Nothing was changed; `muniment approve` does it."
            raise IncorrectRequestError(message)
    await _show_and_ask(calls, options, item)
    return 0


async def ask(calls: Caller, options: argparse.Namespace) -> None:
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
        print_items(options, [item])
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
