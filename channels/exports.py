"""Files that hold a conversation: Telegram Desktop's JSON export, and JSONL of ``{"at", "speaker", "text"}``. Pure.

A line is identified by the digest of what it says and by how many equal ones came before it in the file, so that the same
conversation read again, or grown since, is the same lines.
"""

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, cast
from zoneinfo import ZoneInfo

LATEST = 253_402_300_800_000_000
"""The first microsecond of the year 10000."""

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class ExportError(Exception):
    """A file that is no conversation, or a line of it that does not read; the text says which and what to do."""

    kind = "incorrect"


@dataclass(frozen=True, slots=True)
class Line:
    """Something said: when (microseconds since 1970 UTC), by whom, and whether it is somebody else's text passed on.

    ``speaker_id`` is the platform's own id of the speaker, where the file has one.
    """

    id: str
    at: int
    speaker: str
    text: str
    forwarded: bool = False
    speaker_id: str = ""


def read_export(text: str, zone: str) -> tuple[str, list[Line]]:
    """Return the name of a conversation (empty for JSONL) and its lines; times without an offset are in ``zone``.

    Raises ``ExportError``.
    """
    text = text.removeprefix("\ufeff").strip()
    document = _whole(text)
    if document is not None and "messages" in document:
        return _telegram(document, zone)
    return "", list(_identified(_jsonl(text, zone)))


def _whole(text: str) -> dict[str, Any] | None:
    """Return the JSON object that a text is as a whole, or ``None`` where it is none."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return cast("dict[str, Any]", found) if isinstance(found, dict) else None


def _telegram(document: Mapping[str, Any], zone: str) -> tuple[str, list[Line]]:
    messages = document.get("messages")
    if not isinstance(messages, list):
        message = "This is JSON and no export of one chat. Nothing was stored; in Telegram Desktop export a single chat as JSON."
        raise ExportError(message)
    lines: list[Line] = []
    for message in cast("list[Any]", messages):
        try:
            line = _telegram_line(message, zone)
        except (AttributeError, KeyError, OverflowError, TypeError, ValueError) as error:
            place = message.get("id") if isinstance(message, dict) else len(lines) + 1  # type: ignore[union-attr]
            told = f"Message {place} of the export does not read ({type(error).__name__}). Nothing was stored; mend the file."
            raise ExportError(told) from error
        if line is not None:
            lines.append(line)
    name = str(document.get("name") or "Telegram")
    return f"{name} ({document['id']})" if "id" in document else name, lines


def _telegram_line(message: dict[str, Any], zone: str) -> Line | None:
    """Return the line of a message, or ``None`` for one without words of a person."""
    text = _plain(message.get("text", ""))
    if message.get("type") != "message" or not text.strip() or not message.get("from"):
        return None
    at = int(message["date_unixtime"]) * 1_000_000 if "date_unixtime" in message else _instant(message["date"], zone)
    if not 0 <= at < LATEST:
        raise ValueError
    if not isinstance(message["from"], str):
        raise TypeError
    who = str(message.get("from_id", ""))
    return Line(str(message["id"]), at, message["from"], text, "forwarded_from" in message, who)


def _plain(text: Any) -> str:
    """Return a Telegram text without its markup: a string, or a list of strings and entities."""
    if isinstance(text, str):
        return text
    if not isinstance(text, list):
        raise TypeError
    text = cast("list[Any]", text)
    return "".join(part if isinstance(part, str) else str(part.get("text", "")) for part in text)


def _jsonl(text: str, zone: str) -> Iterator[tuple[int, str, str]]:
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        said = _object(line, number)
        at, speaker, words = (said.get(key) for key in ("at", "speaker", "text"))
        if not (isinstance(at, str) and isinstance(speaker, str) and speaker.strip() and isinstance(words, str)):
            message = f'Line {number} is not {{"at": TIME, "speaker": NAME, "text": WORDS}}. Nothing was stored; mend the line.'
            raise ExportError(message)
        try:
            yield _instant(at, zone), speaker.strip(), words
        except (OverflowError, ValueError) as error:
            message = (
                f"Line {number}: {at!r} is no time since 1970 such as 2026-11-30T12:00:00Z. Nothing was stored; mend the line."
            )
            raise ExportError(message) from error


def _object(line: str, number: int) -> dict[str, Any]:
    try:
        found = json.loads(line)
    except (ValueError, RecursionError) as error:
        message = f"Line {number} is not JSON ({error}). Nothing was stored; mend the line."
        raise ExportError(message) from error
    if not isinstance(found, dict):
        message = f"Line {number} is not a JSON object. Nothing was stored; mend the line."
        raise ExportError(message)
    return cast("dict[str, Any]", found)


def _instant(text: str, zone: str) -> int:
    moment = datetime.fromisoformat(text)
    delta = (moment if moment.tzinfo else moment.replace(tzinfo=ZoneInfo(zone))).astimezone(UTC) - _EPOCH
    at = (delta.days * 86_400 + delta.seconds) * 1_000_000 + delta.microseconds
    if not 0 <= at < LATEST:
        raise ValueError
    return at


def _identified(said: Iterable[tuple[int, str, str]]) -> Iterator[Line]:
    occurrences: Counter[str] = Counter()
    for at, speaker, text in said:
        digest = hashlib.sha256(json.dumps([at, speaker, text]).encode()).hexdigest()[:32]
        occurrences[digest] += 1
        yield Line(f"{digest}.{occurrences[digest]}", at, speaker, text)
