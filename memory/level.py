"""Keeping the graph level with the ledger: open it, replay what it missed, rebuild it, flush it, and compare the two.

The ledger is the truth. Everything here follows it and decides nothing about what is believed.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pyoxigraph import Quad, RdfFormat, parse, serialize

from memory import axes, transact
from memory.errors import DamagedLedgerError, StorageUnavailableError
from memory.graph import Graph
from memory.ids import Clock, Ids
from memory.label import Label, Layer, Spaces, parse_graph_name
from memory.ledger import Ledger, Transaction
from memory.projection import facts_of_live_claims
from memory.rows import every_live_claim
from memory.terms import parse_term
from memory.text import alike_form
from memory.transact import Fact
from memory.vocabulary import Vocabulary
from ontologies.vocab import OWL_SAME_AS
from reasoner.closure import closure
from reasoner.compile import Program
from reasoner.equality import normal
from reasoner.source import Index

FLUSH_EVERY = 512
"""Entries between two flushes of the graph; redo rows up to a flush are dropped."""


@dataclass(slots=True)
class Level:
    """The rules of one data directory's graph; ``notes`` tells the owner what happened to it."""

    folder: Path
    ledger: Ledger
    vocabulary: Vocabulary
    program: Program
    clock: Clock
    notes: list[str] = field(default_factory=list[str])
    _flushed: int = 0
    _is_meta_changed: bool = False

    def open(self, spaces: Spaces, ids: Ids) -> Graph:
        """Return the graph, level with the ledger; a new generation where the old one does not fit."""
        instance = self.ledger.meta("instance")
        self._is_meta_changed = self.ledger.head.seq > 0 and self._has_changed_meta()  # the next flush writes it anew
        if not instance:
            instance = ids()
            self.ledger.set_meta("instance", instance)
            self.ledger.set_meta("flushed", stamped(0))
        self._flushed = unstamped(self.ledger.meta("flushed"))
        if not (self.folder / "CURRENT").exists() and self.ledger.head.seq == 0:
            return Graph.rebuild(self.folder, (), 0, instance, self.program.digest)
        try:
            graph = Graph(self.folder)
        except StorageUnavailableError as error:
            return self._rebuild(spaces, f"The graph did not open ({error}).")
        head = self.ledger.head.seq
        if graph.instance == instance and self._flushed <= graph.applied <= head:
            self.replay(graph)
            return graph if graph.ontology == self.program.digest else self._reclosed(graph, spaces)
        applied, theirs = graph.applied, graph.instance
        graph.close()
        if not head and applied:
            message = (
                f"The ledger of {self.folder.parent} is gone, and its graph has {applied} entries of it. Nothing was changed;"
                " put the ledger back, or move the folder graph away to begin anew."
            )
            raise DamagedLedgerError(message)
        if theirs and theirs != instance:
            return self._rebuild(spaces, "The graph belonged to another ledger; it was kept beside the new one.", keep=True)
        if applied > head:
            lost = f"THE LEDGER LOST entries {head + 1} to {applied}: the graph had them, and was kept beside the new one."
            return self._rebuild(spaces, f"{lost} Put a backup of the ledger back if there is one.", keep=True)
        return self._rebuild(spaces, "The graph was missing or older than the ledger.")

    def _reclosed(self, graph: Graph, spaces: Spaces) -> Graph:
        graph.close()
        return self._rebuild(spaces, "The vocabulary is another than the graph was closed with.")

    def is_level(self, graph: Graph) -> bool:
        """Tell whether the graph holds everything that the ledger accepted."""
        return graph.is_open and graph.applied >= self.ledger.head.seq

    def reopen(self, graph: Graph) -> None:
        """Open the graph again after a failed write, and replay what it missed."""
        graph.reopen()
        self.replay(graph)
        self.notes.append("The graph could be written again and is level with the ledger; nothing was lost.")

    def replay(self, graph: Graph) -> None:
        """Apply the redo rows beyond the last applied entry; they are set operations, so once more does no harm."""
        rows = self.ledger.execute("SELECT removed, added FROM redo WHERE entry > ? ORDER BY entry", (graph.applied,))
        steps = [(_read_quads(removed), _read_quads(added)) for removed, added in rows]
        graph.apply(self.ledger.head.seq, *transact.net(steps))

    def flush(self, graph: Graph, *, at_least: int = 0) -> bool:
        """Flush the graph and drop the redo rows up to there, where at least so many entries have come since the last time.

        Returns whether it was done.
        """
        if graph.applied - self._flushed < at_least or not self.is_level(graph):
            return False
        graph.flush()
        with self.ledger.transaction():
            self.ledger.execute("DELETE FROM redo WHERE entry <= ?", (graph.applied,))
            self.ledger.set_meta("flushed", stamped(graph.applied))
        self.ledger.commit()
        self._flushed = graph.applied
        return True

    def check_derived(self) -> int:
        """Return how many rows of derived tables agree with the claims; raise ``DamagedLedgerError`` where a table does not."""
        due: set[tuple[int, str]] = set()
        now = self.ledger.head.at
        for claim, _ in every_live_claim(self.ledger.execute):
            change = axes.next_change(claim.validity, self.vocabulary[claim.predicate].temporal_kind, now)
            if change is not None:
                due.add((change, claim.version))
        if self._is_meta_changed or self._has_changed_meta():
            message = "The table meta was changed. Put a backup back."
            raise DamagedLedgerError(message)
        self._agree("due", due, set(self.ledger.execute("SELECT at, version FROM due")))
        forms: set[tuple[str, str]] = set()
        for table in ("live_claim", "closed_claim"):
            for claim, key, name in self.ledger.execute(
                f"SELECT claim, name_key, object FROM {table} WHERE name_key IS NOT NULL"
            ):
                form = alike_form(parse_term(name).value)
                if form != key:
                    forms.add((form, claim))
        self._agree("name_form", forms, set(self.ledger.execute("SELECT form, claim FROM name_form")))
        return len(due) + len(forms)

    def _has_changed_meta(self) -> bool:
        meta = dict(self.ledger.execute("SELECT key, value FROM meta"))
        is_whole = set(meta) == {"schema_version", "instance", "flushed"}
        return not is_whole or stamped(unstamped(meta["flushed"])) != meta["flushed"]

    def _agree(self, table: str, wanted: set[tuple[Any, ...]], found: set[tuple[Any, ...]]) -> None:
        if wanted != found:
            message = f"The table {table} differs from the claims in {len(wanted ^ found)} rows. Put a backup back."
            raise DamagedLedgerError(message)

    def compare(self, graph: Graph, spaces: Spaces) -> dict[str, int]:
        """Return how many facts and inferences the ledger gives, and in how many quads the graph differs from it."""
        quads, facts, inferred = self._projected(spaces)
        found = {quad for _, _, quad in graph.quads()}
        unsupported = self.ledger.execute(
            "SELECT count(*) FROM live_claim c WHERE NOT EXISTS (SELECT 1 FROM evidence e WHERE e.claim = c.claim)"
        ).fetchone()[0]
        return {
            "facts": facts,
            "inferences": inferred,
            "graph_differences": _differences(set(quads), found, spaces),
            "claims_without_evidence": unsupported,
        }

    def _rebuild(self, spaces: Spaces, why: str, *, keep: bool = False) -> Graph:
        quads, _, _ = self._projected(spaces)
        instance = self.ledger.meta("instance")
        graph = Graph.rebuild(self.folder, quads, self.ledger.head.seq, instance, self.program.digest, keep=keep)
        self.notes.append(f"{why} The graph was rebuilt from the ledger{'.' if keep else ', and nothing was lost.'}")
        return graph

    def _projected(self, spaces: Spaces) -> tuple[list[Quad], int, int]:
        """Return every quad that the ledger's claims give, with the counts of facts and inferences among them."""
        quads, facts = facts_of_live_claims(self.ledger.execute, self.vocabulary, max(self.clock(), self.ledger.head.at))
        inferred = closure(self.program, spaces, [(fact.triple, fact.label) for fact in facts])
        quads += [transact.quad_of(fact, Layer.FACTS) for fact in facts]
        quads += [transact.quad_of(Fact(triple, label), Layer.INFERRED) for triple, label in inferred]
        return quads, len(facts), len(inferred)


def _differences(wanted: set[Quad], found: set[Quad], spaces: Spaces) -> int:
    """Return in how many quads two graphs differ; inferences about what is the same may be written with one name or another."""
    different = wanted ^ found
    if not different or not any(quad.predicate == OWL_SAME_AS for quad in wanted | found):
        return len(different)
    forms = [_inferences(quads, spaces) for quads in (wanted, found)]
    return len(forms[0] ^ forms[1]) + sum(_layer(quad) is not Layer.INFERRED for quad in different)


def _inferences(quads: set[Quad], spaces: Spaces) -> frozenset[object]:
    index: Index[Label] = Index()
    for quad in quads:
        name = parse_graph_name(quad.graph_name)  # type: ignore[arg-type]
        if name is not None and name[0] is not Layer.CLAIMS:
            index.add(quad.triple, name[1], inferred=name[0] is Layer.INFERRED)
    return normal(spaces, list(index), index)


def _layer(quad: Quad) -> Layer | None:
    """Return the layer of the graph that a quad is in."""
    name = parse_graph_name(quad.graph_name)  # type: ignore[arg-type]
    return None if name is None else name[0]


def stamped(seq: int) -> str:
    """Return an entry's number with a check of it, by which a change is found."""
    return f"{seq}.{hashlib.sha256(str(seq).encode()).hexdigest()[:8]}"


def unstamped(text: str) -> int:
    """Return the number of ``stamped``; 0 for anything else, which only means that more is replayed."""
    number = text.partition(".")[0]
    return int(number) if number.isdecimal() and stamped(int(number)) == text else 0


def keep_redo(tx: Transaction, removed: Sequence[Quad], added: Sequence[Quad]) -> None:
    """Keep the quads of an entry, as N-Quads, until the graph is known to hold them."""
    tx.redo(_write_quads(removed), _write_quads(added))


def _write_quads(quads: Sequence[Quad]) -> str:
    return (serialize(quads, format=RdfFormat.N_QUADS) or b"").decode() if quads else ""


def _read_quads(text: str) -> list[Quad]:
    return list(parse(input=text, format=RdfFormat.N_QUADS))
