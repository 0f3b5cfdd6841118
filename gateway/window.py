"""The recent turns of a conversation, as a model may be shown them."""

from collections.abc import Iterable
from dataclasses import dataclass

from gateway.inbox import Inbox
from memory.claim import Source, SourceKind
from memory.label import Integrity, Label, Sensitivity
from memory.marks import leading_mark
from memory.read import Reads
from memory.recall import tokens
from memory.store import Memory

NEW = "/new"
"""What somebody says to begin anew: what was said before is no part of the conversation then, and stays remembered."""

_MOST_TURNS = 24


@dataclass(frozen=True, slots=True)
class Said:
    """A turn: ``user`` or ``assistant``, its words, its source and that one's label."""

    role: str
    text: str
    source: str
    label: Label


def talked(reads: Reads, memory: Memory, source: Source, most: int = _MOST_TURNS) -> list[Said]:
    """Return what people and the assistant said in a conversation before a message, the latest first."""
    everything = memory.spaces.clearance(source.space, integrity=Integrity.QUARANTINED)
    said_before = reads.said_before(everything, source, most)
    unsaid = Inbox(memory).unsaid([said.id for said, _ in said_before])
    found: list[Said] = []
    for before, (_, label) in zip(reads.without_retracted([said for said, _ in said_before]), said_before, strict=True):
        if before.body.strip().casefold() == NEW and before.kind is SourceKind.MESSAGE:
            break
        if before.id in unsaid:
            continue
        role = "assistant" if before.kind is SourceKind.ASSISTANT else "user"
        found.append(Said(role, before.body[leading_mark(before.body)[0] :], before.id, label))
    return found


def recent(turns: Iterable[Said], cleared: Sensitivity, budget: int) -> list[Said]:
    """Return the latest turns that may be shown and fit a budget, the oldest first."""
    kept: list[Said] = []
    for said in turns:
        if said.label.sensitivity > cleared:
            continue
        budget -= tokens(said.text)
        if budget < 0:
            break
        kept.append(said)
    return kept[::-1]
