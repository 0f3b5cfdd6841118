"""Reads of what was believed at an instant of transaction time: the same questions, answered from the ledger as it was then.

Time travel moves facts, never authority: labels, names of labels and clearances are today's. What was erased is in no instant.
Inferences are stored for now alone: here they are concluded anew, in memory, from what the reader may see of then.
"""

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from pyoxigraph import NamedNode, Triple

from memory import axes
from memory.claim import Claim, ClosedClaim, Evidence, Source, Term
from memory.errors import UnknownThingError
from memory.ids import Instant
from memory.label import Clearance, Label, Layer, Spaces, parse_label
from memory.rank import Posting, Statistics
from memory.read import Reads
from memory.rows import EVIDENCE_SQL, VERSION_SQL, Document, Named, claim_of, evidence_of, pattern
from ontologies.vocab import RDF_TYPE
from reasoner.closure import closure
from reasoner.compile import Program
from reasoner.equality import Equated
from reasoner.source import Index, QuadSource, Statement

MOST_CLOSED = 5_000
"""Statements of then from which conclusions are drawn; closing more takes seconds while others wait."""

_TOO_MANY = f"More than {MOST_CLOSED:,} statements were believed then, so what followed from them is not shown."
_NOW: Instant = 1 << 62


@dataclass(frozen=True, slots=True)
class Then:
    """A point on both clocks, and what is concluded by: ``as_of`` in transaction time, ``valid_at`` in the world's.

    ``program`` gives the rules of the ontology that was adopted at an entry.
    """

    program: Callable[[int], Program]
    holds: Callable[[Claim, Instant], bool]
    as_of: Instant | None = None
    valid_at: Instant | None = None


class PastReads(Reads):
    """Reads as of an instant."""

    def __init__(
        self,
        execute: Callable[..., Any],
        source: QuadSource[Label],
        naming: frozenset[NamedNode],
        order: Spaces,
        then: Then,
    ) -> None:
        """Bind to a ledger at an instant."""
        super().__init__(execute, source, naming, order)
        self._then = then
        self._instant = _NOW if then.as_of is None else then.as_of
        self._closed: tuple[Clearance, Index[Label]] | None = None
        self._last = self._last_entry()
        self._closed_before = f" AND c.closing_entry <= {self._last:d}"
        self._said_before = f" AND s.entry <= {self._last:d}"
        self._event_before = f" AND v.entry <= {self._last:d}"

    def _last_entry(self) -> int:
        """Return the last entry up to the instant; entries are in the order of their instants."""
        (high,) = self.execute("SELECT coalesce(max(seq), 0) FROM entry").fetchone()
        low = 0
        while low < high:
            middle = (low + high + 1) // 2
            row = self.execute("SELECT at FROM entry WHERE seq = ?", (middle,)).fetchone()
            if row is not None and row[0] <= self._instant:
                low = middle
            else:
                high = middle - 1
        return low

    def claims(
        self,
        clearance: Clearance,
        *,
        subject: NamedNode | None = None,
        predicates: Sequence[NamedNode] = (),
        object_: Term | None = None,
        negative: bool = False,
    ) -> list[Claim]:
        """Return the claims that were believed (or denied) then and match, oldest first."""
        where, parameters = pattern(subject, predicates, object_)
        return self._believed(clearance, where, parameters, negative=negative)

    def closed(self, clearance: Clearance, *, subject: NamedNode | None = None, object_: Term | None = None) -> list[ClosedClaim]:
        """Return the versions that were no longer believed then."""
        found = super().closed(clearance, subject=subject, object_=object_)
        return [version for version in found if version.transaction_to <= self._instant]

    def version(self, clearance: Clearance, id_: str) -> Claim:
        """Return a claim version that was there then, by version or claim id."""
        found = [c for c in self._versions_of(clearance, id_) if c.transaction_from <= self._instant]
        if not found:
            return super().version(clearance, "")
        return found[-1]

    def current(self, clearance: Clearance, version: str) -> Claim | None:
        """Return the version believed then of the claim that a version belongs to."""
        of = (
            "c.claim IN (SELECT claim FROM live_claim WHERE version = ?1 UNION SELECT claim FROM closed_claim WHERE version = ?1)"
        )
        found = self._believed(clearance, of, [version], negative=False)
        return found[0] if found else None

    def evidence(self, clearance: Clearance, claim: str) -> list[Evidence]:
        """Return the evidence that a claim had then in sources that the reader may see."""
        rows = self.execute(f"{EVIDENCE_SQL} AND e.entry <= ?", (claim, self._last)).fetchall()
        withdrawn = EVIDENCE_SQL.replace("FROM evidence e", "FROM withdrawn_evidence e")
        rows += self.execute(f"{withdrawn} AND e.entry <= ?2 AND e.withdrawing_entry > ?2", (claim, self._last)).fetchall()
        return evidence_of(clearance, sorted(rows, key=lambda row: (row[5], row[0], row[1])))

    def bearers(self, clearance: Clearance, keys: Sequence[str]) -> list[tuple[str, Named]]:
        """Return who or what bore some names then, each with its key."""
        found = [(key, claim) for key in keys for claim in self._believed(clearance, "c.name_key = ?", [key], negative=False)]
        found.sort(key=lambda pair: pair[1].subject.value)
        return [(key, Named(claim.subject, claim.label, claim.id)) for key, claim in found]

    def types(self, clearance: Clearance, entity: NamedNode) -> list[NamedNode]:
        """Return the classes that an entity was said to be of then."""
        found = (claim.object for claim in self.claims(clearance, subject=entity, predicates=(RDF_TYPE,)))
        return [class_ for class_ in dict.fromkeys(found) if isinstance(class_, NamedNode)]

    def statements(
        self, clearance: Clearance, subject: Term | None, predicate: NamedNode | None, object_: Term | None
    ) -> Iterator[Statement[Label]]:
        """Yield what was believed then as statements, and what follows from what held; whether it held is asked of the claims."""
        if subject is not None and not isinstance(subject, NamedNode):
            return
        predicates = () if predicate is None else (predicate,)
        for claim in self.claims(clearance, subject=subject, predicates=predicates, object_=object_):
            yield Statement(Triple(claim.subject, claim.predicate, claim.object), claim.label, False)  # noqa: FBT003
        view = Equated(self._index(clearance), self.order)
        yield from (s for s in view.statements(subject, predicate, object_) if s.inferred and s.label in clearance)

    def program(self) -> Program:
        """Return the rules of the ontology of then."""
        return self._then.program(self._last)

    def holding(self, clearance: Clearance) -> Iterator[tuple[Triple, Label, Layer]]:
        """Yield what held then and what followed; nothing where it was too much, which ``shortcoming`` tells."""
        for triple, label, inferred in self._index(clearance):
            yield triple, label, Layer.INFERRED if inferred else Layer.FACTS

    def everything(self) -> QuadSource[Label]:
        """Return what held then with what followed, as far as the reader may see who read before."""
        if self._closed is None:
            message = "nothing was read as of then yet"
            raise RuntimeError(message)
        return self._closed[1]

    def _index(self, clearance: Clearance) -> Index[Label]:
        """Return what held then and what followed from it; empty where it was too much, which ``shortcoming`` tells."""
        if self._closed is not None and self._closed[0] == clearance:
            return self._closed[1]
        index: Index[Label] = Index()
        at = self._instant if self._then.valid_at is None else self._then.valid_at
        believed = self._visible(clearance)
        if len(believed) > MOST_CLOSED:
            self.shortcoming = _TOO_MANY
        else:
            holding = (claim for claim in believed if self._then.holds(claim, at))
            facts = [(Triple(c.subject, c.predicate, c.object), c.label) for c in holding]
            for triple, label in facts:
                index.add(triple, label, inferred=False)
            for triple, label in closure(self.program(), self.order, facts):
                index.add(triple, label, inferred=True)
        self._closed = clearance, index
        return index

    def _visible(self, clearance: Clearance) -> list[Claim]:
        """Return what a reader may see of what was believed then; no more than is needed to know that it is too much."""
        labels, most = json.dumps(clearance.strings()), MOST_CLOSED + 1
        where = "c.label IN (SELECT value FROM json_each(?))"
        live = f"SELECT {VERSION_SQL} FROM live_claim c WHERE {where} AND c.transaction_from <= ? LIMIT {most:d}"
        found = [claim_of(row) for row in self.execute(live, (labels, self._instant))]
        condition, bounds = axes.believed_at(self._instant)
        closed = f"SELECT {VERSION_SQL} FROM closed_claim c WHERE {where} AND c.was = 'live_claim' AND {condition} LIMIT {most:d}"
        return found + [claim_of(row) for row in self.execute(closed, [labels, *bounds])]

    def labelled(self, clearance: Clearance, id_: str) -> tuple[Source, Label]:
        """Return a source that was there then, with the label that it has now."""
        row = self.execute("SELECT entry FROM source WHERE id = ?", (id_,)).fetchone()
        if row is not None and row[0] > self._last:
            message = f"There was no source {id_} here then."
            raise UnknownThingError(message)
        return super().labelled(clearance, id_)

    def postings(self, clearance: Clearance, terms: Sequence[str]) -> tuple[list[list[Posting]], Statistics]:
        """Return the documents that had each term then, and what there was in all."""
        tables = self.execute(
            "SELECT label, number FROM text_index WHERE label IN (SELECT value FROM json_each(?)) ORDER BY label",
            (json.dumps(clearance.strings()),),
        ).fetchall()
        documents = size = 0
        for _, number in tables:
            row = self.execute(f"SELECT count(*), coalesce(sum(size), 0) FROM text_{int(number)} WHERE entry <= ?", (self._last,))
            count, length = row.fetchone()
            documents, size = documents + count, size + length
        found = [[posting for label, number in tables for posting in self._held_then(label, number, term)] for term in terms]
        return [postings for postings in found if postings], Statistics(documents, size)

    def _held_then(self, label: str, number: int, term: str) -> list[Posting]:
        rows = self.execute(
            "SELECT t.kind, t.ref, v.n, t.size FROM"
            f" (SELECT doc, count(*) AS n FROM terms_{int(number)} WHERE term = ? GROUP BY doc) v"
            f" JOIN text_{int(number)} t ON t.rowid = v.doc WHERE t.entry <= ?",
            (term, self._last),
        )
        under = parse_label(label)
        return [Posting(Document(kind, ref, under), frequency, size) for kind, ref, frequency, size in rows]

    def subjects(self, clearance: Clearance) -> list[NamedNode]:
        """Return every subject of a claim that was believed then, in order."""
        found = {claim.subject for claim in self._believed(clearance, "1", [], negative=False)}
        return sorted(found, key=lambda subject: subject.value)

    def _believed(self, clearance: Clearance, where: str, parameters: Sequence[str], *, negative: bool) -> list[Claim]:
        table = "negative_claim" if negative else "live_claim"
        rows = self.execute(f"SELECT {VERSION_SQL} FROM {table} c WHERE {where}", parameters).fetchall()
        condition, bounds = axes.believed_at(self._instant)
        sql = f"SELECT {VERSION_SQL} FROM closed_claim c WHERE {where} AND c.was = '{table}' AND {condition}"
        found = [claim for row in rows if (claim := claim_of(row)).transaction_from <= self._instant]
        found += [claim_of(row) for row in self.execute(sql, [*parameters, *bounds])]
        return sorted((c for c in found if c.label in clearance), key=lambda c: (c.transaction_from, c.version))

    def _versions_of(self, clearance: Clearance, id_: str) -> list[Claim]:
        found: list[Claim] = []
        for table in ("live_claim", "negative_claim", "closed_claim"):
            sql = f"SELECT {VERSION_SQL} FROM {table} c WHERE c.version = ?1 OR c.claim = ?1"
            found += [claim_of(row) for row in self.execute(sql, (id_,))]
        return sorted((c for c in found if c.label in clearance), key=lambda c: (c.transaction_from, c.version))
