"""The look through memory that finds what to tidy. What it finds goes through admission; it decides nothing itself."""

import asyncio
from collections import Counter
from pathlib import Path

from gateway.people import People
from gateway.waiting import wait
from memory.admit import Admit
from memory.consolidate import Finding, Kind
from memory.documents import documents
from memory.errors import MunimentMemoryError
from memory.label import Label, Sensitivity, user
from memory.store import Memory

_AT_ONCE = 500
"""Claims in one look: nothing is published while one lasts."""


async def tidy(memory: Memory, people: People) -> Counter[str]:
    """Look through all that is believed and propose; return how much of each kind was done at once and how much waits."""
    counted: Counter[str] = Counter()
    after, more = "", True
    while more:
        found, after = await asyncio.to_thread(memory.findings, after, _AT_ONCE)
        more = bool(after)
        await _propose(memory, found, counted)
    await _propose(memory, await asyncio.to_thread(_vanished, memory, people), counted)
    return counted


async def _propose(memory: Memory, found: list[Finding], counted: Counter[str]) -> None:
    for finding in found:
        try:
            decision = await wait(memory.propose(finding))
        except MunimentMemoryError:  # decided, changed or gone meanwhile
            continue
        counted[f"{finding.kind.value}: {'done' if isinstance(decision, Admit) else 'waits'}"] += 1


def _vanished(memory: Memory, people: People) -> list[Finding]:
    """Return the documents whose files are not where they were read from."""
    found: list[Finding] = []
    with memory.reading() as reads:
        for person in people.everyone():
            space = user(person.id)
            gone = [d for d in documents(reads, space) if d.is_whole and Path(d.name).is_absolute() and not Path(d.name).exists()]
            findings = (Finding(Kind.VANISHED, (d.id,), Label(space, Sensitivity.SENSITIVE)) for d in gone)
            found += [f for f in findings if memory.is_new(reads, f)]
    return found
