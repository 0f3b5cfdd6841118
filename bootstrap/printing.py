"""How the command line prints what came back: for a person, or as JSON."""

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from typing import Any, cast


def print_items(options: argparse.Namespace, items: Sequence[Mapping[str, Any]]) -> None:
    """Print what waits, with its choices."""
    if options.json:
        print(json.dumps(items, ensure_ascii=False))
        return
    for item in items:
        print(f"{item['code']}: {' | '.join(item['choices'])}")
        print("\n".join(f"    {printable(line)}" for line in item["lines"]))
    if not items:
        print("Nothing waits for you.")


def print_reply(options: argparse.Namespace, reply: Mapping[str, Any]) -> None:
    """Print a reply of a chat."""
    if options.json:
        print(json.dumps(reply, ensure_ascii=False), flush=True)
        return
    text = f"(sent again) {reply['text']}" if reply["again"] else reply["text"]
    print(printable(text), flush=True)


def printable(text: str) -> str:
    """Return the text without control characters that a terminal would obey."""
    return "".join(ch if ch == "\n" or ch.isprintable() else "\ufffd" for ch in text)


def print_outcomes(options: argparse.Namespace, outcomes: list[dict[str, Any]]) -> None:
    """Print how often each decision was made, to standard error for a person."""
    if options.json:
        print(json.dumps({"outcomes": outcomes}, ensure_ascii=False))
        return
    print("--", file=sys.stderr)
    for line in outcomes:
        row = f"row {line['row']}: " if line["row"] else ""
        print(f"{line['count']:6} {line['outcome']} - {row}{line['reason']}", file=sys.stderr)


def print_result(options: argparse.Namespace, result: Mapping[str, Any]) -> None:
    """Print names and values."""
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


def print_checks(options: argparse.Namespace, checks: list[dict[str, Any]]) -> int:
    """Print checks; return 1 where one does not hold."""
    if options.json:
        print(json.dumps(checks, ensure_ascii=False))
    else:
        for check in checks:
            print(f"{'ok ' if check['ok'] else 'NOT'} {check['check']}: {check['detail']}")
    return 0 if all(check["ok"] for check in checks) else 1
