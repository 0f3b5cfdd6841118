"""What a speaker says at the head of a message about who may know it. Read from the words alone, never from a parser's result."""

import re

from memory.claim import Mark

_MARKS = (
    (re.compile(r"\s*/private\b[:\s]*", re.IGNORECASE), Mark.PRIVATE),
    (re.compile(r"\s*/share\b[:\s]*", re.IGNORECASE), Mark.SHARE),
    (re.compile(r"\s*everyone should know(?: that)?\s+", re.IGNORECASE), Mark.SHARE),
)


def leading_mark(message: str) -> tuple[int, Mark]:
    """Return where the message itself begins, and the mark before it."""
    for pattern, mark in _MARKS:
        found = pattern.match(message)
        if found:
            return found.end(), mark
    return 0, Mark.NONE
