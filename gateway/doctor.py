"""Checks of a data directory: ledger, graph, vocabulary and shapes."""

from collections.abc import Mapping
from typing import Any

from memory.shapes import conforms
from memory.store import Memory
from ontologies.files import SHAPES, VOCABULARY

LARGEST_CLOSED = 500
"""Facts; owlrl takes seconds for so many."""

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


def _check(name: str, *, ok: bool, detail: str) -> dict[str, Any]:
    return {"check": name, "ok": ok, "detail": detail}
