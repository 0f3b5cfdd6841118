"""What changed in a stretch of transaction time, as one reader may see it: asserted, corrected, taken back, refused, erased."""

import json
from dataclasses import dataclass

from memory.claim import NAMED_BY_MENTION, RETRACTED, Claim, Outcome, Rule, Span
from memory.ids import Instant
from memory.label import Clearance, parse_label
from memory.merge import MERGED, UNMERGED
from memory.read import Reads
from memory.rows import VERSION_SQL, claim_of

ASSERTED, CORRECTED, CLOSED, TAKEN_BACK, ERASED = "asserted", "corrected", "closed", "retracted", "erased"


@dataclass(frozen=True, slots=True)
class Change:
    """Something that changed: when, of what kind, by whose judgement, about which claim or words, and why.

    ``source`` is where it comes from. ``count`` is set for an erasure alone, of which nothing else is known.
    """

    at: Instant
    kind: str
    judge: str
    claim: Claim | None = None
    source: str = ""
    span: Span | None = None
    reason: str = ""
    count: int = 0


def changes(reads: Reads, clearance: Clearance, start: Instant, end: Instant, reader: str) -> list[Change]:
    """Return what changed in ``[start, end)``, the oldest first; of erasures those of the reader."""
    found = [*_versions(reads, clearance, start, end), *_decisions(reads, clearance, start, end)]
    found += [
        Change(at, ERASED, judge, count=json.loads(summary)["claims"])
        for at, judge, summary in reads.execute(
            "SELECT e.at, e.judge, x.summary FROM erasure x JOIN entry e ON e.seq = x.entry"
            " WHERE x.person = ? AND e.at >= ? AND e.at < ?",
            (reader, start, end),
        )
    ]
    return sorted(found, key=lambda change: (change.at, change.kind))


def _versions(reads: Reads, clearance: Clearance, start: Instant, end: Instant) -> list[Change]:
    """Return what was asserted, corrected and closed; names that were merely mentioned are no news."""
    found: list[Change] = []
    opened: set[tuple[str, int]] = set()
    for table in ("live_claim", "negative_claim", "closed_claim"):
        rows = reads.execute(
            f"SELECT {VERSION_SQL}, e.at, e.judge, c.source, (SELECT b.reason FROM closed_claim b WHERE b.claim = c.claim"
            f" AND b.closing_entry = c.entry LIMIT 1) FROM {table} c JOIN entry e ON e.seq = c.entry"
            " WHERE c.transaction_from >= ? AND c.transaction_from < ?",
            (start, end),
        )
        for row in rows:
            claim = claim_of(row)
            opened.add((claim.id, claim.entry))
            if claim.label in clearance and claim.wording != NAMED_BY_MENTION:
                at, judge, source, before = row[-4:]
                kind = ASSERTED if before is None else before if before in {MERGED, UNMERGED} else CORRECTED
                found.append(Change(at, kind, judge, claim, source))
    rows = reads.execute(
        f"SELECT {VERSION_SQL}, e.at, e.judge, c.source, c.reason, c.closing_entry FROM closed_claim c"
        " JOIN entry e ON e.seq = c.closing_entry WHERE c.transaction_to >= ? AND c.transaction_to < ?",
        (start, end),
    )
    for row in rows:
        claim = claim_of(row)
        at, judge, source, reason, closing = row[-5:]
        shown = claim.label in clearance and claim.wording != NAMED_BY_MENTION
        if shown and (claim.id, closing) not in opened:
            found.append(Change(at, TAKEN_BACK if reason == RETRACTED else CLOSED, judge, claim, source, reason=reason))
    return found


def _decisions(reads: Reads, clearance: Clearance, start: Instant, end: Instant) -> list[Change]:
    """Return what was held and refused, but for what was no statement."""
    rows = reads.execute(
        "SELECT e.at, e.judge, d.outcome, d.source, d.span_start, d.span_end, d.reason, (SELECT label FROM source_label"
        " WHERE source = d.source ORDER BY entry DESC LIMIT 1) FROM decision d JOIN entry e ON e.seq = d.entry"
        " WHERE e.at >= ? AND e.at < ? AND d.outcome <> ? AND d.rule > ?",
        (start, end, Outcome.ADMITTED.value, Rule.NOT_STATED.value),
    )
    return [
        Change(at, outcome, judge, source=source, span=Span(first, last), reason=reason)
        for at, judge, outcome, source, first, last, reason, label in rows
        if parse_label(label) in clearance
    ]
