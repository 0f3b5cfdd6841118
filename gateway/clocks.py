"""Days and times as people and models write them."""

from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from gateway.errors import IncorrectRequestError
from memory.ids import Instant, from_datetime

_DAY = len("2026-11-30")


def instant(text: str, zone: str, *, first: bool = False) -> Instant:
    """Return the instant of a day or time in a zone; a day alone is its last instant, or its ``first``.

    Raises ``IncorrectRequestError`` for what is none.
    """
    try:
        moment = datetime.fromisoformat(text)
        if len(text) <= _DAY and not first:
            moment += timedelta(days=1) - timedelta(microseconds=1)
        return from_datetime(moment if moment.tzinfo else moment.replace(tzinfo=ZoneInfo(zone)))
    except (ValueError, OverflowError) as error:
        message = f"{text!r} is no day or time; write 2026-11-30 or 2026-11-30T14:05. Nothing was changed."
        raise IncorrectRequestError(message) from error
