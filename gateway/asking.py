"""What is asked back, and a yes to it: half understood statements are stored only once their speaker says so.

The statement is read again where it stands, in the earlier message, so that its evidence is there; the yes is its own source.
"""

import re
from dataclasses import replace

from gateway.parse import offline
from memory.claim import Act, Candidate, Outcome, Reading, Receipt, Rule, Source
from memory.label import Clearance
from memory.store import Memory

_YES = re.compile(
    r"\s*(?:yes|yep|yeah|yup|correct|please do|yes,? please|go ahead|that'?s right)[\s.!,]*"
    r"(?:please|do|do that|remember (?:it|that)|that'?s (?:right|correct))?[\s.!]*",
    re.IGNORECASE,
)
_NO = re.compile(
    r"\s*(?:no|nope|nah|don'?t|not|never ?mind|wrong)(?:,? (?:thanks|thank you|don'?t|please))?[\s.!]*", re.IGNORECASE
)
PARSER = "yes"
LASTS = 24 * 3_600 * 1_000_000
"""Microseconds in which a question that was asked back can be answered."""


def asked_back(source: Source, receipt: Receipt) -> list[Candidate]:
    """Return the half understood statements of a message that its reading left to be asked."""
    left = {(d.span, d.predicate) for d in receipt.decisions if d.outcome is Outcome.HELD and d.rule is Rule.UNSUPPORTED}
    if not left or receipt.undone or receipt.parser != offline.NAME:  # another version may read it otherwise
        return []
    read = offline.read(source.body, source.said_at, source.zone)
    return [c for c in read.candidates if c.act is Act.STATEMENT and not c.sure and (c.span, c.predicate) in left]


def reply_to_asking(memory: Memory, source: Source, clearance: Clearance) -> Reading | None:
    """Return the reading of a yes or a no to what the speaker's message before left to be asked; ``None`` for anything else."""
    yes = _YES.fullmatch(source.body) is not None
    if not yes and _NO.fullmatch(source.body) is None:
        return None
    with memory.reading() as reads:
        before = reads.message_before(clearance, source)
        receipt = None if before is None else reads.receipt(clearance, before.id)
    if before is None or receipt is None or source.said_at - before.said_at > LASTS:
        return None
    asked = asked_back(before, receipt)
    if not asked:
        return None
    return Reading(PARSER, tuple(replace(c, sure=True) for c in asked) if yes else (), confirms=before.id)
