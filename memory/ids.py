"""Ids and the clock. Both are arguments everywhere else, so that tests and scenarios can fix them."""

import secrets
import time
from collections.abc import Callable
from datetime import UTC, datetime
from typing import TypeAlias
from zoneinfo import ZoneInfo

Instant: TypeAlias = int
"""Microseconds since 1970-01-01T00:00:00Z."""

Clock: TypeAlias = Callable[[], Instant]
Ids: TypeAlias = Callable[[], str]

ENTITY = "urn:muniment:entity:"
CLAIM = "urn:muniment:claim:"
SOURCE = "urn:muniment:source:"


def now() -> Instant:
    """Return the present instant."""
    return time.time_ns() // 1000


def uuid7() -> str:
    """Return a new UUIDv7: 48 bits of milliseconds, then random bits.

    https://www.rfc-editor.org/rfc/rfc9562#name-uuid-version-7
    """
    value = (time.time_ns() // 1_000_000 & (1 << 48) - 1) << 80 | secrets.randbits(80)
    value = value & ~(0xF << 76) | 0x7 << 76
    text = f"{value & ~(0x3 << 62) | 0x2 << 62:032x}"
    return f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}"


def known_zone(name: str) -> str:
    """Return the name of a time zone, or ``UTC`` where there is none of that name."""
    try:
        ZoneInfo(name)
    except (KeyError, ValueError, OSError):
        return "UTC"
    return name


def to_datetime(instant: Instant) -> datetime:
    """Return an instant as an aware UTC datetime."""
    return datetime.fromtimestamp(instant // 1_000_000, UTC).replace(microsecond=instant % 1_000_000)


def from_datetime(moment: datetime) -> Instant:
    """Return an aware datetime as an instant."""
    delta = moment.astimezone(UTC) - datetime(1970, 1, 1, tzinfo=UTC)
    return (delta.days * 86_400 + delta.seconds) * 1_000_000 + delta.microseconds
