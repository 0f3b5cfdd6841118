"""The two clocks: the only place where a temporal predicate is built.

Valid time is when something holds in the world; transaction time is when the system believed it, ``[from, to)``.
"""

from dataclasses import replace
from datetime import time
from zoneinfo import ZoneInfo

from memory.claim import Validity
from memory.ids import Instant, to_datetime

EVENT, TRAIT = "event", "trait"


def stated(validity: Validity, said_at: Instant) -> Validity:
    """Return the validity of a statement made at ``said_at``: an unstated start is unknown, and it is known to hold from then."""
    if validity.known_from is not None:
        return validity
    latest = said_at if validity.from_latest is None else validity.from_latest
    return replace(validity, from_latest=latest, known_from=max(said_at, latest))


def ended(validity: Validity, earliest: Instant | None, latest: Instant) -> Validity:
    """Return the validity with an end that lies between two instants."""
    start = validity.from_latest
    floor = start if earliest is None or (start is not None and start > earliest) else earliest
    return replace(validity, to_earliest=None if floor is None else min(floor, latest), to_latest=max(latest, start or latest))


def is_past(validity: Validity) -> bool:
    """Tell whether it has ended."""
    return validity.to_latest is not None


def overlap(first: Validity, second: Validity) -> bool:
    """Tell whether there is an instant at which both are known to hold."""
    return _before(first.from_latest, second.to_earliest, second) and _before(second.from_latest, first.to_earliest, first)


def is_told_alike(first: Validity, second: Validity) -> bool:
    """Tell whether two statements tell the same start and the same end; when they were made is no part of what they tell."""
    starts = (first.from_earliest, first.from_latest) == (second.from_earliest, second.from_latest)
    return starts and first.to_earliest == second.to_earliest and is_past(first) == is_past(second)


def is_dated_better(validity: Validity, than: Validity) -> bool:
    """Tell whether it still holds as the other does, and says when it began where the other does not."""
    return (
        validity.to_latest is None
        and than.to_latest is None
        and validity.from_earliest is not None
        and than.from_earliest is None
        and (validity.from_latest or 0) <= (than.from_latest or 0)
    )


def _before(start: Instant | None, end: Instant | None, validity: Validity) -> bool:
    if validity.to_latest is None:
        return True
    return end is not None and (start is None or start < end)


def may_hold_at(validity: Validity, at: Instant) -> bool:
    """Tell whether nothing excludes that it holds at an instant."""
    if validity.from_earliest is not None and at < validity.from_earliest:
        return False
    return validity.to_latest is None or at < validity.to_latest


def holds_at(validity: Validity, kind: str, at: Instant) -> bool:
    """Tell whether it is known to hold at an instant; an event that happened and a trait stay true."""
    if kind == TRAIT:
        return True
    if validity.from_latest is not None and at < validity.from_latest:
        return False
    if kind == EVENT or validity.to_latest is None:
        return True
    return validity.to_earliest is not None and at < validity.to_earliest


def next_change(validity: Validity, kind: str, at: Instant) -> Instant | None:
    """Return the first instant after ``at`` at which whether it is known to hold changes; ``None`` where it never does."""
    bounds = [validity.from_latest]
    if kind != EVENT and validity.to_latest is not None:
        bounds.append(validity.to_earliest)
    holds = holds_at(validity, kind, at)
    later = (bound for bound in bounds if bound is not None and bound > at)
    return min((bound for bound in later if holds_at(validity, kind, bound) != holds), default=None)


def edtf(validity: Validity) -> str:
    """Return the valid time as an EDTF interval: ``2019/..`` still holds, ``2019/`` ended at an unknown time.

    Days are those of the valid time's own zone. https://www.loc.gov/standards/datetime/
    """
    zone = ZoneInfo(validity.zone)
    return f"{_bound(validity.from_earliest, validity.from_latest, zone)}/{_end(validity, zone)}"


def believed_at(as_of: Instant) -> tuple[str, list[Instant]]:
    """Return the SQL condition on a closed claim version for having been believed at an instant, with its parameters."""
    return "c.transaction_from <= ? AND c.transaction_to > ?", [as_of, as_of]


def _bound(earliest: Instant | None, latest: Instant | None, zone: ZoneInfo) -> str:
    if earliest is None or latest is None:
        return ""
    return _precise(earliest, latest, zone)


def _end(validity: Validity, zone: ZoneInfo) -> str:
    if validity.to_latest is None:
        return ".."
    if validity.to_earliest is None:
        return ""
    told = _precise(validity.to_earliest, validity.to_latest, zone)
    return "" if told.startswith("[") and validity.to_earliest == validity.from_latest else told


def _precise(earliest: Instant, latest: Instant, zone: ZoneInfo) -> str:
    """Return the narrowest of day, month and year that is just the stretch, or a choice between its first and last day."""
    first, last = (to_datetime(at).astimezone(zone) for at in (earliest, max(earliest, latest - 1)))
    after = to_datetime(latest).astimezone(zone)
    if first.date() == last.date():
        return first.date().isoformat()
    whole = first.time() == after.time() == time()
    if whole and (first.month, first.day, after.month, after.day) == (1, 1, 1, 1):
        return str(first.year) if first.year == last.year else f"[{first.year}..{last.year}]"
    if whole and first.day == after.day == 1 and (first.year, first.month) == (last.year, last.month):
        return first.strftime("%Y-%m")
    return f"[{first.date().isoformat()}..{last.date().isoformat()}]"
