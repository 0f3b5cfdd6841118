"""The look through memory that finds what to tidy. Consolidation's gate decides about what it finds; it decides nothing."""

import asyncio
from collections import Counter
from pathlib import Path

from gateway.people import People
from gateway.waiting import wait
from memory.admit import Admit
from memory.consolidate import Finding, Kind
from memory.documents import documents
from memory.errors import MunimentMemoryError
from memory.forget import Approver, decides
from memory.label import Label, Sensitivity, user
from memory.store import Memory

_AT_ONCE = 500
"""Claims in one look: nothing is published while one lasts."""


async def tidy(memory: Memory, people: People, approver: Approver) -> Counter[str]:
    """Look through all that is believed and propose; return how much of each kind was done and waits, for one who decides."""
    counted: Counter[str] = Counter()
    after, more = "", True
    while more:
        found, after = await asyncio.to_thread(memory.findings, after, _AT_ONCE)
        more = bool(after)
        await _propose(memory, found, counted, approver)
    await _propose(memory, await wait(memory.clashing()), counted, approver)
    await _propose(memory, await asyncio.to_thread(_vanished, memory, people), counted, approver)
    return counted


async def _propose(memory: Memory, found: list[Finding], counted: Counter[str], approver: Approver) -> None:
    for finding in found:
        try:
            decision = await wait(memory.propose(finding))
        except MunimentMemoryError:  # decided, changed or gone meanwhile
            continue
        if decides(memory.spaces, approver, finding.label.space):
            counted[f"{finding.kind.value}: {'done' if isinstance(decision, Admit) else 'waits'}"] += 1


def _vanished(memory: Memory, people: People) -> list[Finding]:
    """Return the documents whose files are not where they were read from."""
    with memory.reading() as reads:
        there = [d for person in people.everyone() for d in documents(reads, user(person.id)) if d.is_whole]
    gone = [d for d in there if Path(d.name).is_absolute() and not Path(d.name).exists()]  # outside: a disk may be slow
    findings = [Finding(Kind.VANISHED, (d.id,), Label(d.space, Sensitivity.SENSITIVE)) for d in gone]
    with memory.reading() as reads:
        return [finding for finding in findings if memory.is_new(reads, finding)]
