"""Checks of a data directory (ledger, graph, vocabulary, shapes) and of what is around it: channels, clock, disk, models.

A check that fails says what to do.
"""

import asyncio
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

from channels.message import Channel
from gateway.models import Model, ModelError
from memory.ids import to_datetime
from memory.shapes import conforms
from memory.store import Memory
from ontologies.files import SHAPES, VOCABULARY

LARGEST_CLOSED = 500
"""Facts; owlrl takes seconds for so many."""

LEAST_FREE = 1_000_000_000
"""Bytes of free disk, and as much as the data directory has: a backup and a copy of the graph take as much again."""

_LATE = 300 * 1_000_000
LARGEST_SHAPED = 50_000
"""Quads; validating more in one go takes minutes, so no more than this is taken."""


def examine(memory: Memory, counted: Mapping[str, int], owner: str, *, reasoner: bool = False) -> list[dict[str, Any]]:
    """Return the checks, given what verifying ledger and graph counted; each has a name, ``ok`` and a detail.

    Contradictions are told as far as the owner may know of them. With ``reasoner`` some of the owner's facts are closed by
    owlrl as well, and compared.
    """
    checks = [
        _check("the chain and every row it covers", ok=True, detail=f"{counted['entries']} entries"),
        _check(
            "the graph equals the ledger, with all that follows",
            ok=not counted["graph_differences"],
            detail=(f"{counted['facts']} facts, {counted['inferences']} inferences, {counted['graph_differences']} differences"),
        ),
    ]
    unsupported = counted["claims_without_evidence"]
    checks.append(_check("every believed claim has evidence", ok=not unsupported, detail=f"{unsupported} have none"))
    lost = [note for note in memory.notes() if "LOST" in note]
    checks.append(_check("nothing was lost at the last start", ok=not lost, detail="; ".join(lost) or "no sign of it"))
    contradictions = [contradiction.reason for contradiction in memory.contradictions(owner).result()]
    detail = "; ".join(dict.fromkeys(contradictions)) or "none found"
    checks.append(_check("nothing contradicts what is known", ok=not contradictions, detail=detail))
    if reasoner:
        facts, different = memory.second_opinion(LARGEST_CLOSED, owner)
        detail = f"{facts} facts closed by owlrl too, {different} differences"
        checks.append(_check("another reasoner concludes the same", ok=not different, detail=detail))
    faults = conforms(VOCABULARY.read_bytes(), SHAPES)
    checks.append(_check("the vocabulary keeps its shapes", ok=not faults, detail=faults or "all conform"))
    data, quads = memory.turtle(LARGEST_SHAPED)
    faults = conforms(data, SHAPES)
    checks.append(_check("claims and facts keep their shapes", ok=not faults, detail=faults or f"{quads} triples conform"))
    private = memory.folder.stat().st_mode & 0o077 == 0
    checks.append(_check("only this account can open the data directory", ok=private, detail=str(memory.folder)))
    return checks


@runtime_checkable
class Checked(Protocol):
    """A channel whose token can be tried."""

    name: str

    async def check(self) -> str:
        """Return what is wrong, and what to do; empty where nothing is."""
        ...


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What an instance stands on: the machine, the platforms, the models."""

    memory: Memory
    channels: Sequence[Channel]
    models: Sequence[Model]

    async def examine(self) -> list[dict[str, Any]]:
        """Return the checks; a platform and a model are asked each."""
        checks = [await asyncio.to_thread(self._disk), self._clock()]
        for channel in self.channels:
            if isinstance(channel, Checked):
                wrong = await channel.check()
                checks.append(_check(f"{channel.name} takes the token", ok=not wrong, detail=wrong or "it does"))
        for model in self.models:
            name = model.settings.name
            try:
                await model.complete([{"role": "user", "content": "Say yes."}])
                checks.append(_check(f"{name} answers", ok=True, detail="it does"))
            except ModelError as error:
                detail = f"{error}; check its key and address in muniment.toml, and that it runs"
                checks.append(_check(f"{name} answers", ok=False, detail=detail))
        return checks

    def _disk(self) -> dict[str, Any]:
        free = shutil.disk_usage(self.memory.folder).free
        used = sum(path.stat().st_size for path in self.memory.folder.rglob("*") if path.is_file() and not path.is_symlink())
        enough = free > max(LEAST_FREE, used)
        detail = f"{free // 1_000_000:,} MB free, {used // 1_000_000:,} MB used"
        more = "" if enough else f"; free some, up to {max(LEAST_FREE, used) // 1_000_000:,} MB"
        return _check("there is room on the disk", ok=enough, detail=detail + more)

    def _clock(self) -> dict[str, Any]:
        now, last = self.memory.clock(), self.memory.last_at()
        ok = now >= last - _LATE
        detail = f"it is {to_datetime(now).isoformat(timespec='seconds')}"
        more = (
            "" if ok else f"; the last entry is from {to_datetime(last).isoformat(timespec='seconds')}: set the machine's clock"
        )
        return _check("the clock has not gone back", ok=ok, detail=detail + more)


def _check(name: str, *, ok: bool, detail: str) -> dict[str, Any]:
    return {"check": name, "ok": ok, "detail": detail}
