"""The end of an erasure: a graph and a ledger file without traces, a search that finds nothing, and the signed receipt.

Each step may be cut off and done again. There is no receipt before the search has found nothing.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from memory.erase import Needles
from memory.errors import UnfinishedErasureError
from memory.gate import Gate
from memory.graph import Graph
from memory.ids import Clock, to_datetime
from memory.keys import Keys
from memory.ledger import Author, Ledger
from memory.level import Level
from memory.residue import SHORTEST_RAW, Found, find_decoded, find_raw, standing_elsewhere
from memory.tables import Row

_OURS = ("ledger.db", "ledger.db-wal", "ledger.db-shm", "graph", "files", "run", "checkpoints", "snapshots")


@dataclass(frozen=True, slots=True)
class Finisher:
    """What finishing needs; used in the writer thread, between commits."""

    folder: Path
    ledger: Ledger
    level: Level
    graph: Graph
    gate: Gate
    keys: Keys
    clock: Clock
    drop_copies: Callable[[], None]

    def finish(self) -> list[str]:
        """Finish every erasure that has no receipt yet; return the receipts.

        Raises ``UnfinishedErasureError`` where something that should be gone is found; those of which nothing is found have their
        receipts all the same, and the others are tried again at the next start.
        """
        begun = [needles for needles in Needles.kept(self._run) if self._is_begun(needles.erasure)]
        self._tell_of_lost(begun)
        if begun:
            self._clear()
        places: set[str] = set()
        receipts: list[str] = []
        for needles in begun:
            found = self._search(needles)
            if found:
                places |= {place.where for place in found}
            else:
                receipts.append(self._sign(needles.erasure))
        for needles in Needles.kept(self._run):
            if not self._is_begun(needles.erasure):
                needles.drop(self._run)
        if places:
            message = (
                f"What was erased is gone for every reader, and traces of it are still in: {', '.join(sorted(places))}. There is"
                " no receipt for it yet; the search runs again at the next start."
            )
            self.level.notes.append(message)
            raise UnfinishedErasureError(message)
        return receipts

    @property
    def _run(self) -> Path:
        return self.folder / "run"

    def _tell_of_lost(self, begun: list[Needles]) -> None:
        """Note erasures that are done and whose needles are gone: they cannot be searched any more, and get no receipt."""
        known = {needles.erasure for needles in begun}
        sql = "SELECT id FROM erasure e WHERE NOT EXISTS (SELECT 1 FROM receipt r WHERE r.erasure = e.id)"
        lost = [id_ for (id_,) in self.ledger.execute(sql) if id_ not in known]
        if lost:
            self.level.notes.append(f"THE SEARCH of the erasures {', '.join(lost)} cannot be made: their files in run/ are gone.")

    def _is_begun(self, erasure: str) -> bool:
        sql = "SELECT 1 FROM erasure e WHERE id = ? AND NOT EXISTS (SELECT 1 FROM receipt r WHERE r.erasure = e.id)"
        return self.ledger.execute(sql, (erasure,)).fetchone() is not None

    def _clear(self) -> None:
        """Leave nothing of deleted rows and quads on the disk."""
        self.level.flush(self.graph)
        self.graph.renew(self.gate.publishing)
        self.drop_copies()
        self._checkpoint()

    def _checkpoint(self) -> None:
        with self.gate.publishing():
            busy, *_ = self.ledger.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        if busy or not self.graph.is_alone():
            message = (
                "What was erased is gone for every reader, and its files are still in use. There is no receipt yet; try again."
            )
            raise UnfinishedErasureError(message)

    def _search(self, needles: Needles) -> list[Found]:
        found = find_decoded(self.ledger.execute, self.graph, needles)
        if found:
            return found
        texts = [text for text in dict.fromkeys((*needles.values, *needles.quotes)) if len(text) >= SHORTEST_RAW]
        if not self._raw(texts):
            return []
        stays = standing_elsewhere(self.ledger.execute, self.graph, texts)  # slow: it reads everything that stays
        texts = [text for text in texts if text not in stays]
        found = self._raw(texts)
        if any(place.where.startswith("ledger.db") for place in found):
            self._rewrite()
            self._checkpoint()
            found = self._raw(texts)
        return found

    def _rewrite(self) -> None:
        """Write full text and file anew: an index may keep a term to tell its pages apart, and moved pages leave copies."""
        with self.ledger.transaction():
            for (number,) in self.ledger.execute("SELECT number FROM text_index").fetchall():
                self.ledger.execute(f"INSERT INTO text_{int(number)} (text_{int(number)}) VALUES ('optimize')")
        with self.gate.publishing():
            self.ledger.commit()
            self.ledger.execute("VACUUM")

    def _raw(self, texts: list[str]) -> list[Found]:
        paths = [self.folder / name for name in _OURS]
        return find_raw(self.folder, texts, paths, (needles.path(self._run) for needles in Needles.kept(self._run)))

    def _sign(self, erasure: str) -> str:
        """Write the receipt of an erasure, and return it."""
        person, summary, entry = self.ledger.execute(
            "SELECT person, summary, entry FROM erasure WHERE id = ?", (erasure,)
        ).fetchone()
        at = self.clock()
        body = {
            "muniment": "erasure receipt",
            "erasure": erasure,
            "by": person,
            "entry": entry,
            "finished": to_datetime(at).isoformat().replace("+00:00", "Z"),
            **json.loads(summary),
            "beyond": "Providers of models may keep what they were sent by their own terms. A backup that was made before can be"
            " read by whoever has it and the kit of then; this instance has destroyed that kit's key.",
        }
        receipt = self.keys.sign(body)
        with self.ledger.transaction(), self.ledger.entry(Author("engine", "engine", "receipt"), at) as tx:
            tx.insert(Row("receipt", {"erasure": erasure, "body": receipt}))
        with self.gate.publishing():
            self.ledger.commit()
        return receipt
