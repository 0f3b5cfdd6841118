"""Reads for acts: what an act of forgetting, merging or deciding has to see before it does anything.

Where one takes no clearance, its caller has been given the ids by a read that took one, or decides itself who may see it
(``settle`` for what waits, ``forget`` for what stands elsewhere).
"""

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from pyoxigraph import NamedNode

from memory.claim import (
    NAMED_BY_MENTION,
    Claim,
    SourceKind,
    Span,
    Term,
)
from memory.ids import Instant
from memory.label import Clearance, Label, Space, Spaces, parse_label, parse_space
from memory.rows import (
    CLAIM_SQL,
    CLOSED_SQL,
    SOURCE_LABEL_SQL,
    Cited,
    Doubt,
    Proposed,
    Standing,
    Waiting,
    claim_of,
    waiting_of,
)
from memory.tables import VALIDITY_COLUMNS
from memory.terms import named, parse_term
from reasoner.source import QuadSource


class ActReads:
    """Reads through one connection and one quad source, for acts."""

    def __init__(
        self, execute: Callable[..., Any], source: QuadSource[Label], naming: frozenset[NamedNode], order: Spaces
    ) -> None:
        """Bind to a way to execute SQL, a quad source, the predicates that name things and the order of labels."""
        self.order = order
        self.shortcoming = ""
        """What a page that is read here should tell it leaves out."""
        self._is_plain: bool | None = None
        self.execute = execute
        self._source = source
        self.naming = naming
        self._closed_before = self._said_before = self._event_before = ""  # further conditions of ``memory.past``

    def standing(
        self,
        clearance: Clearance,
        *,
        claims: Sequence[str] = (),
        thing: NamedNode | None = None,
        predicate: NamedNode | None = None,
        space: Space | None = None,
    ) -> list[Standing]:
        """Return every version, of whatever status, of some claims, about a thing, or of a space; the oldest first."""
        conditions: list[str] = []
        parameters: list[str] = []
        if claims:
            conditions.append("c.claim IN (SELECT value FROM json_each(?))")
            parameters.append(json.dumps(claims))
        if thing is not None:
            conditions.append("(c.subject = ? OR c.object = ?)")
            parameters += [str(thing), str(thing)]
        if predicate is not None:
            conditions.append("c.predicate = ?")
            parameters.append(str(predicate))
        if space is not None:
            conditions.append("c.label LIKE ?")
            parameters.append(f"{space}:%")
        if not conditions:
            return []
        where = " AND ".join(conditions)
        found: list[Standing] = []
        for table in ("live_claim", "negative_claim"):
            rows = self.execute(f"SELECT {CLAIM_SQL} FROM {table} c WHERE {where}", parameters)
            found += [Standing(table, claim_of(row), None, None, "", table == "negative_claim") for row in rows]
        sql = f"SELECT {CLOSED_SQL} FROM closed_claim c WHERE {where}"
        found += [Standing("closed_claim", claim_of(row), *row[-4:]) for row in self.execute(sql, parameters)]
        seen = [standing for standing in found if standing.claim.label in clearance]
        return sorted(seen, key=lambda s: (s.claim.transaction_from, s.claim.version))

    def closed_about(self, thing: NamedNode, entry: int) -> list[Standing]:
        """Return the versions about a thing that an entry closed, for an act on that entry."""
        sql = f"SELECT {CLOSED_SQL} FROM closed_claim c WHERE (c.subject = ?1 OR c.object = ?1) AND c.closing_entry = ?2"
        rows = self.execute(f"{sql} ORDER BY c.version", (str(thing), entry))
        return [Standing("closed_claim", claim_of(row), *row[-4:]) for row in rows]

    def speaks(self, person: str) -> bool:
        """Tell whether somebody of an id has said anything."""
        return self.execute("SELECT 1 FROM source WHERE speaker = ? LIMIT 1", (person,)).fetchone() is not None

    def merges(self, person: str) -> list[tuple[str, NamedNode, NamedNode, Instant]]:
        """Return the merges of a person that stand: id, what stayed, what went, and when."""
        rows = self.execute(
            "SELECT m.id, m.kept, m.gone, e.at FROM merge m JOIN entry e ON e.seq = m.entry WHERE m.person = ?"
            " AND NOT EXISTS (SELECT 1 FROM unmerged u WHERE u.merge = m.id) ORDER BY m.entry",
            (person,),
        )
        return [(id_, NamedNode(kept), NamedNode(gone), at) for id_, kept, gone, at in rows]

    def gone_into(self, kept: NamedNode) -> list[str]:
        """Return the IRIs of what was merged into an entity."""
        rows = self.execute(
            "SELECT gone FROM merge m WHERE kept = ? AND NOT EXISTS (SELECT 1 FROM unmerged u WHERE u.merge = m.id)",
            (kept.value,),
        )
        return [gone for (gone,) in rows]

    def doubts(self, clearance: Clearance, id_: str = "") -> list[Doubt]:
        """Return the pairs of things that may be one and that nobody has decided about, the oldest first."""
        rows = self.execute(
            "SELECT a.id, a.label, a.first, a.second, a.source FROM alike a WHERE (?1 = '' OR a.id = ?1)"
            " AND NOT EXISTS (SELECT 1 FROM settled s WHERE s.pending = a.id) ORDER BY a.entry",
            (id_,),
        )
        found = (Doubt(id_, parse_label(label), NamedNode(a), NamedNode(b), source) for id_, label, a, b, source in rows)
        return [doubt for doubt in found if doubt.label in clearance]

    def proposed(self, about: str, kind: str) -> list[Instant]:
        """Return when people decided about proposals of a kind about the same; the end of time where one still waits."""
        rows = self.execute(
            "SELECT coalesce(e.at, 9223372036854775807) FROM proposal p LEFT JOIN settled s ON s.pending = p.id"
            " LEFT JOIN entry e ON e.seq = s.entry WHERE p.about = ? AND p.kind = ?",
            (about, kind),
        )
        return [at for (at,) in rows]

    def proposals(self, clearance: Clearance, id_: str = "") -> list[Proposed]:
        """Return what consolidation proposed and nobody has decided about, the oldest first."""
        return [p for p in self._proposals("s.entry IS NULL AND (?1 = '' OR p.id = ?1)", id_) if p.label in clearance]

    def folded(self, id_: str = "") -> list[Proposed]:
        """Return the claims that were folded into others and can be two again, the oldest first."""
        where = "s.choice = 'one' AND (?1 = '' OR p.id = ?1) AND NOT EXISTS (SELECT 1 FROM unmerged u WHERE u.merge = p.id)"
        return self._proposals(where, id_)

    def _proposals(self, where: str, id_: str) -> list[Proposed]:
        rows = self.execute(
            "SELECT p.id, p.kind, p.about, p.label, e.at, s.entry FROM proposal p JOIN entry e ON e.seq = p.entry"
            f" LEFT JOIN settled s ON s.pending = p.id WHERE {where} ORDER BY p.entry",
            (id_,),
        )
        return [Proposed(row[0], row[1], tuple(json.loads(row[2])), parse_label(row[3]), *row[4:]) for row in rows]

    def live(self, claim: str) -> Claim | None:
        """Return the live version of a claim that the caller has the id of."""
        row = self.execute(f"SELECT {CLAIM_SQL} FROM live_claim c WHERE c.claim = ?", (claim,)).fetchone()
        return None if row is None else claim_of(row)

    def claims_after(self, version: str, most: int) -> list[Claim]:
        """Return live claims under every label in the order of their versions, from after one on; for consolidation."""
        sql = f"SELECT {CLAIM_SQL} FROM live_claim c WHERE c.version > ? ORDER BY c.version LIMIT ?"
        return [claim_of(row) for row in self.execute(sql, (version, most))]

    def all_names(self, clearance: Clearance, entity: NamedNode) -> list[str]:
        """Return every name that an entity has or had, as far as the reader may see."""
        naming = json.dumps(sorted(map(str, self.naming)))
        found: list[str] = []
        for table in ("live_claim", "closed_claim"):
            rows = self.execute(
                f"SELECT object, label FROM {table} WHERE subject = ? AND predicate IN (SELECT value FROM json_each(?))"
                " ORDER BY transaction_from, version",
                (str(entity), naming),
            )
            found += [parse_term(name).value for name, label in rows if parse_label(label) in clearance]
        return list(dict.fromkeys(found))

    def is_spoken_of(self, clearance: Clearance, term: Term, claims: Sequence[str]) -> bool:
        """Tell whether any other claim, of whatever status, has a term as subject or object.

        A name claimed by mere mention speaks of nothing, and counts as a value only where something speaks of its bearer.
        """
        return any(
            not self._is_mention(predicate, wording)
            or (named(subject) != term and self.is_spoken_of(clearance, named(subject), claims))
            for subject, predicate, wording in self._beside(clearance, term, claims)
        )

    def _is_mention(self, predicate: str, wording: str) -> bool:
        return wording == NAMED_BY_MENTION and named(predicate) in self.naming

    def _beside(self, clearance: Clearance, term: Term, claims: Sequence[str]) -> Iterator[tuple[str, str, str]]:
        parameters = (str(term), json.dumps(clearance.strings()), json.dumps(claims))
        for column in ("subject", "object") if isinstance(term, NamedNode) else ("object",):
            for table in ("live_claim", "negative_claim", "closed_claim"):
                yield from self.execute(
                    f"SELECT subject, predicate, wording FROM {table} WHERE {column} = ?"
                    " AND label IN (SELECT value FROM json_each(?)) AND claim NOT IN (SELECT value FROM json_each(?))",
                    parameters,
                )

    def body(self, source: str) -> str:
        """Return the words of a source that the caller knows to be its reader's to touch."""
        return self.execute("SELECT body FROM source WHERE id = ?", (source,)).fetchone()[0]

    def cited(self, *, claims: Sequence[str] = (), source: str = "") -> list[Cited]:
        """Return the evidence of claims that were read before, or in a source; withdrawn evidence included."""
        where, parameter = ("source = ?", source) if source else ("claim IN (SELECT value FROM json_each(?))", json.dumps(claims))
        live = f"SELECT claim, source, span_start, span_end, entry, NULL FROM evidence WHERE {where}"
        gone = f"SELECT claim, source, span_start, span_end, entry, withdrawing_entry FROM withdrawn_evidence WHERE {where}"
        rows = self.execute(f"{live} UNION ALL {gone}", (parameter, parameter))
        return [Cited(claim, id_, Span(start, end), *entries) for claim, id_, start, end, *entries in rows]

    def texts(self, clearance: Clearance, spaces: Iterable[Space]) -> Iterator[tuple[str, SourceKind, Space, str]]:
        """Yield id, kind, space and words of every source of some spaces that the reader may see."""
        rows = self.execute(
            f"SELECT s.id, s.kind, s.space, s.body, {SOURCE_LABEL_SQL} FROM source s"
            " WHERE s.space IN (SELECT value FROM json_each(?))",
            (json.dumps([str(space) for space in spaces]),),
        )
        for id_, kind, space, body, label in rows:
            if parse_label(label) in clearance:
                yield id_, SourceKind(kind), parse_space(space), body

    def told(self, items: Sequence[str]) -> list[str]:
        """Return the replies that told some claims or sources, which the caller may see."""
        rows = self.execute(
            "SELECT DISTINCT source FROM told WHERE item IN (SELECT value FROM json_each(?)) ORDER BY source",
            (json.dumps(items),),
        )
        return [source for (source,) in rows]

    def waiting_anywhere(self, id_: str = "") -> list[Waiting]:
        """Return what waits for a person, in whatever space, the oldest first; for ``settle``, which knows who decides.

        Of undone messages nothing waits.
        """
        open_ = (
            "(?1 = '' OR p.id = ?1) AND NOT EXISTS (SELECT 1 FROM settled s WHERE s.pending = p.id)"
            " AND NOT EXISTS (SELECT 1 FROM undone u WHERE u.source = p.source)"
        )
        return self._pending(open_, (id_,))

    def every_pending(self, clearance: Clearance) -> list[Waiting]:
        """Return what waits or waited for a person, whatever became of it."""
        return [waiting for waiting in self._pending("1", ()) if waiting.label in clearance]

    def _pending(self, where: str, parameters: Sequence[str]) -> list[Waiting]:
        validity = ", ".join(f"p.{name}" for name in VALIDITY_COLUMNS)
        rows = self.execute(
            "SELECT p.id, p.source, p.ordinal, p.label, p.subject, p.subject_text, p.predicate, p.object, p.object_text,"
            " p.polarity, p.present, p.speaker, p.wording, p.span_start, p.span_end, p.against, p.rule, p.reason, p.entry,"
            f" {validity}"
            f" FROM pending p WHERE {where} ORDER BY p.entry, p.ordinal",
            parameters,
        )
        return list(map(waiting_of, rows))

    def entry_at(self, seq: int) -> Instant:
        """Return when an entry was written whose rows the caller has."""
        return self.execute("SELECT at FROM entry WHERE seq = ?", (seq,)).fetchone()[0]

    def next_due(self) -> Instant | None:
        """Return the next instant at which some claim enters or leaves the facts by itself; for the clock's keeper."""
        return self.execute("SELECT min(at) FROM due").fetchone()[0]
