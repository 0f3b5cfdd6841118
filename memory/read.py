"""Every read of the ledger and the graph for a reader, whose clearance it takes; reads for acts are in ``memory.read_acts``.

A ``Reads`` is bound to one connection and one quad source: a reader's own behind the gate, or the writer's inside its
transaction.
"""

import json
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

from pyoxigraph import NamedNode

from memory.claim import (
    NAMED_BY_MENTION,
    RETRACTED,
    Claim,
    ClosedClaim,
    Decided,
    Evidence,
    Outcome,
    Receipt,
    Rule,
    Source,
    SourceKind,
    Span,
    Term,
)
from memory.errors import UnknownThingError
from memory.ids import Instant
from memory.label import Clearance, Label, Sensitivity, Space, parse_label, parse_space
from memory.rank import Posting, Statistics
from memory.read_acts import ActReads
from memory.redact import blanked, without
from memory.rows import (
    CLAIM_SQL,
    EVIDENCE_SQL,
    SOURCE_LABEL_SQL,
    Document,
    Named,
    Passage,
    Version,
    claim_of,
    evidence_of,
    pattern,
)
from memory.terms import named
from ontologies.vocab import NAME, OWL_SAME_AS, RDF_TYPE
from reasoner.equality import Equated
from reasoner.source import QuadSource, Statement

MOST_POSTINGS = 4_000
SHORTEST_NEIGHBOUR = 12
"""Code points; "thanks" and "yes" tell nothing about what is said beside them."""


@dataclass(frozen=True, slots=True)
class _Visible:
    """A source of what a reader may see."""

    source: QuadSource[Label]
    clearance: Clearance

    def statements(
        self, subject: Term | None, predicate: NamedNode | None, object_: Term | None, /
    ) -> Iterator[Statement[Label]]:
        """Yield what matches and may be seen."""
        return (s for s in self.source.statements(subject, predicate, object_) if s.label in self.clearance)


_NAMES_EACH = 8
_LABELLED = (
    f"SELECT s.id, s.conversation, s.space, s.kind, s.speaker, s.said_at, s.zone, s.body, {SOURCE_LABEL_SQL} FROM source s"
)


class Reads(ActReads):
    """Reads through one connection and one quad source."""

    def claims(
        self,
        clearance: Clearance,
        *,
        subject: NamedNode | None = None,
        predicates: Sequence[NamedNode] = (),
        object_: Term | None = None,
        negative: bool = False,
    ) -> list[Claim]:
        """Return the believed claims (or the negative ones) that match, oldest first; at least one part must be given."""
        where, parameters = pattern(subject, predicates, object_)
        table = "negative_claim" if negative else "live_claim"
        sql = f"SELECT {CLAIM_SQL} FROM {table} c WHERE {where} ORDER BY c.transaction_from, c.version"
        return [claim for claim in map(claim_of, self.execute(sql, parameters)) if claim.label in clearance]

    def closed(self, clearance: Clearance, *, subject: NamedNode | None = None, object_: Term | None = None) -> list[ClosedClaim]:
        """Return the versions that are no longer believed, in the order in which they were closed."""
        where, parameters = pattern(subject, (), object_)
        columns = f"{CLAIM_SQL}, c.transaction_to, c.reason"
        sql = f"SELECT {columns} FROM closed_claim c WHERE {where} ORDER BY c.transaction_to, c.version"
        rows = ((claim_of(row), row[-2], row[-1]) for row in self.execute(sql, parameters))
        return [ClosedClaim(claim, to, reason) for claim, to, reason in rows if claim.label in clearance]

    def version(self, clearance: Clearance, id_: str) -> Claim:
        """Return a claim by version or claim id, believed or closed; raise ``UnknownThingError`` where there is none to see."""
        for table in ("live_claim", "negative_claim", "closed_claim"):
            sql = (
                f"SELECT {CLAIM_SQL} FROM {table} c WHERE c.version = ?1 OR c.claim = ?1 ORDER BY c.transaction_from DESC LIMIT 1"
            )
            row = self.execute(sql, (id_,)).fetchone()
            if row is not None and (claim := claim_of(row)).label in clearance:
                return claim
        message = f"There is no claim {id_} here. `muniment memory show` lists what there is."
        raise UnknownThingError(message)

    def evidence(self, clearance: Clearance, claim: str) -> list[Evidence]:
        """Return the evidence of a claim in sources that the reader may see, oldest first."""
        return evidence_of(clearance, self.execute(f"{EVIDENCE_SQL} ORDER BY s.said_at, s.id, e.span_start", (claim,)))

    def named(self, clearance: Clearance, key: str) -> list[Named]:
        """Return who or what bears a name, by its key."""
        return [bearer for _, bearer in self.bearers(clearance, (key,))]

    def bearers(self, clearance: Clearance, keys: Sequence[str]) -> list[tuple[str, Named]]:
        """Return who or what bears some names, each with its key, in the order of their IRIs."""
        rows = self.execute(
            "SELECT name_key, subject, label, claim FROM live_claim WHERE name_key IN (SELECT value FROM json_each(?))"
            " ORDER BY subject",
            (json.dumps(keys),),
        )
        found = ((key, Named(named(subject), parse_label(label), claim)) for key, subject, label, claim in rows)
        return [(key, bearer) for key, bearer in found if bearer.label in clearance]

    def names(self, clearance: Clearance, entity: NamedNode) -> list[str]:
        """Return the names of an entity that the reader may see, those it had where it has none now.

        The best one to call it by is the last: names come after nicknames, and later ones after earlier.
        """
        live = self.claims(clearance, subject=entity, predicates=tuple(self.naming))
        claims = live or [c.claim for c in self.closed(clearance, subject=entity) if c.claim.predicate in self.naming]
        return [claim.object.value for claim in sorted(claims, key=lambda claim: claim.predicate == NAME)]

    def types(self, clearance: Clearance, entity: NamedNode) -> list[NamedNode]:
        """Return the classes of an entity, concluded ones included."""
        found = [s.triple.object for s in self._source.statements(entity, RDF_TYPE, None) if s.label in clearance]
        return [class_ for class_ in dict.fromkeys(found) if isinstance(class_, NamedNode)]

    def statements(
        self, clearance: Clearance, subject: Term | None, predicate: NamedNode | None, object_: Term | None
    ) -> Iterator[Statement[Label]]:
        """Yield the facts and inferences that match, also what is said under another name of the same thing."""
        if self._is_plain is None:
            self._is_plain = next(iter(self._source.statements(None, OWL_SAME_AS, None)), None) is None
        if self._is_plain:
            return (s for s in self._source.statements(subject, predicate, object_) if s.label in clearance)
        found = Equated(_Visible(self._source, clearance), self.order).statements(subject, predicate, object_)
        return (s for s in found if s.label in clearance)

    def same(self, clearance: Clearance, thing: NamedNode) -> list[NamedNode]:
        """Return what else a thing is known as, as far as the reader may see."""
        found = (s.triple.object for s in self.statements(clearance, thing, OWL_SAME_AS, None))
        return [other for other in dict.fromkeys(found) if isinstance(other, NamedNode) and other != thing]

    def called(self, clearance: Clearance, entity: NamedNode) -> list[str]:
        """Return all that a refusal may know an entity by: its names, and those and the IRIs of what it is one with."""
        names = [*self.all_names(clearance, entity), *self.gone_into(entity)]
        for other in self.same(clearance, entity):
            names += [other.value, *self.all_names(clearance, other)]
        return names

    def everything(self) -> QuadSource[Label]:
        """Return the quad source itself, under every label: for the reasoner, which is told what is visible."""
        return self._source

    def source(self, clearance: Clearance, id_: str) -> Source:
        """Return a source; raise ``UnknownThingError`` where there is none to see."""
        return self.labelled(clearance, id_)[0]

    def labelled(self, clearance: Clearance, id_: str) -> tuple[Source, Label]:
        """Return a source with the label that it has now; raise ``UnknownThingError`` where there is none to see."""
        row = self.execute(f"{_LABELLED} WHERE s.id = ?", (id_,)).fetchone()
        found = None if row is None else _labelled(row)
        if found is None or found[1] not in clearance:
            message = f"There is no source {id_} here."
            raise UnknownThingError(message)
        return found

    def without_retracted(self, sources: Sequence[Source]) -> list[Source]:
        """Return sources with the words blanked that nothing but retracted claims stand on."""
        spans = self._retracted_spans([source.id for source in sources])
        return [_blanked(source, spans[source.id]) if source.id in spans else source for source in sources]

    def _retracted_spans(self, sources: Sequence[str]) -> dict[str, list[tuple[Span, bool, str]]]:
        """Return the spans of sources' evidence, whether their claim is retracted, and their wording."""
        rows = self.execute(
            "SELECT e.source, e.span_start, e.span_end,"
            f" EXISTS (SELECT 1 FROM closed_claim c WHERE c.claim = e.claim AND c.reason = ?2{self._closed_before}), e.wording"
            " FROM evidence e WHERE e.source IN (SELECT value FROM json_each(?1))",
            (json.dumps(sources), RETRACTED),
        )
        found: dict[str, list[tuple[Span, bool, str]]] = {}
        for source, start, end, is_gone, wording in rows:
            found.setdefault(source, []).append((Span(start, end), bool(is_gone), wording))
        return found

    def document_of(self, source: str) -> tuple[str, str]:
        """Return the name of the document that a source is a passage of, and what became of it last; empty for none."""
        row = self.execute(
            "SELECT d.name, coalesce((SELECT v.kind FROM document_event v WHERE v.document = d.id"
            f"{self._event_before} ORDER BY v.entry DESC LIMIT 1), '') FROM passage p JOIN document d ON d.id = p.document"
            " WHERE p.source = ?",
            (source,),
        ).fetchone()
        return ("", "") if row is None else (row[0], row[1])

    def passages(self, document: str) -> list[str]:
        """Return the sources that are the passages of a version of a document that the caller knows to be its reader's."""
        rows = self.execute("SELECT source FROM passage WHERE document = ? ORDER BY start", (document,))
        return [source for (source,) in rows]

    def label_of(self, source: str) -> Label:
        """Return the label that a source has now; for what is told about it to the one who said it."""
        row = self.execute(f"SELECT {SOURCE_LABEL_SQL} FROM source s WHERE s.id = ?", (source,)).fetchone()
        return parse_label(row[0])

    def receipt(self, clearance: Clearance, source: str) -> Receipt | None:
        """Return what remembering a source did, or ``None`` where it has not been read or may not be seen."""
        row = self.execute(
            f"SELECT r.entry, r.parser, r.questions, {SOURCE_LABEL_SQL}, u.entry, r.unread, r.confirms"
            " FROM reading r JOIN source s ON s.id = r.source"
            " LEFT JOIN undone u ON u.source = r.source WHERE r.source = ?",
            (source,),
        ).fetchone()
        if row is None or parse_label(row[3]) not in clearance:
            return None
        lines = self.execute(
            "SELECT outcome, rule, reason, span_start, span_end, predicate, version FROM decision WHERE source = ?"
            " ORDER BY ordinal",
            (source,),
        )
        decisions = tuple(
            Decided(Outcome(outcome), Rule(rule), reason, Span(start, end), named(predicate) if predicate else None, version)
            for outcome, rule, reason, start, end, predicate, version in lines
        )
        return Receipt(
            source, row[0], row[1], decisions, tuple(json.loads(row[2])), row[5], undone=row[4] is not None, confirms=row[6]
        )

    def decided(self, clearance: Clearance, claim: Claim) -> list[tuple[int, str]]:
        """Return the rows of the admission table, with the reasons, that decided about a claim version."""
        rows = self.execute(
            f"SELECT d.rule, d.reason, {SOURCE_LABEL_SQL} FROM decision d JOIN source s ON s.id = d.source WHERE d.version = ?2"
            " AND (d.source IN (SELECT source FROM evidence WHERE claim = ?1) OR d.source IN (SELECT r.source FROM reading r"
            " JOIN evidence e ON e.source = r.confirms WHERE e.claim = ?1)) ORDER BY d.entry, d.ordinal",
            (claim.id, claim.version),
        )
        return [(rule, reason) for rule, reason, label in rows if parse_label(label) in clearance]

    def settled(self, version: str) -> tuple[str, str, Instant] | None:
        """Return who decided that a claim version which waited is believed, how, and when."""
        row = self.execute(
            "SELECT e.judge, s.choice, e.at FROM settled s JOIN entry e ON e.seq = s.entry WHERE s.version = ?", (version,)
        ).fetchone()
        return None if row is None else (row[0], row[1], row[2])

    def last_stored(self, clearance: Clearance, conversation: str, speaker: str) -> Source | None:
        """Return the last source of a speaker in a conversation from which something was admitted and is not undone."""
        rows = self.execute(
            "SELECT s.id FROM source s WHERE s.conversation = ? AND s.speaker = ?"
            " AND EXISTS (SELECT 1 FROM decision d WHERE d.source = s.id AND d.outcome = 'admitted')"
            " AND NOT EXISTS (SELECT 1 FROM undone u WHERE u.source = s.id) ORDER BY s.said_at DESC, s.entry DESC",
            (conversation, speaker),
        )
        for (id_,) in rows.fetchall():
            with suppress(UnknownThingError):
                return self.source(clearance, id_)
        return None

    def message_before(self, clearance: Clearance, source: Source) -> Source | None:
        """Return the message of the same speaker in the same conversation just before one, where the reader may see it."""
        row = self.execute(
            "SELECT id FROM source WHERE conversation = ? AND speaker = ? AND kind = 'message' AND (said_at, id) < (?, ?)"
            " AND body NOT LIKE '/%' ORDER BY said_at DESC, id DESC LIMIT 1",
            (source.conversation, source.speaker, source.said_at, source.id),
        ).fetchone()
        with suppress(UnknownThingError):
            return None if row is None else self.source(clearance, row[0])
        return None

    def said_before(self, clearance: Clearance, source: Source, most: int) -> list[tuple[Source, Label]]:
        """Return what known people and the assistant said in a conversation before a message, the latest first."""
        rows = self.execute(
            f"{_LABELLED} WHERE s.conversation = ? AND (s.said_at, s.id) < (?, ?) AND"
            " (s.kind = 'assistant' OR s.kind = 'message' AND s.speaker <> '') ORDER BY s.said_at DESC, s.id DESC LIMIT ?",
            (source.conversation, source.said_at, source.id, most),
        )
        return [(said, label) for said, label in map(_labelled, rows) if label in clearance]

    def current(self, clearance: Clearance, version: str) -> Claim | None:
        """Return the live version of the claim that a version belongs to, or ``None`` where it is no longer believed."""
        sql = (
            f"SELECT {CLAIM_SQL} FROM live_claim c WHERE c.version = ?1"
            f" OR c.claim = (SELECT claim FROM closed_claim WHERE version = ?1) LIMIT 1"
        )
        row = self.execute(sql, (version,)).fetchone()
        claim = None if row is None else claim_of(row)
        return claim if claim is not None and claim.label in clearance else None

    def postings(self, clearance: Clearance, terms: Sequence[str]) -> tuple[list[list[Posting]], Statistics]:
        """Return the documents that have each term, and what there is in all, in the tables that the reader may see.

        A term that more than ``MOST_POSTINGS`` documents have tells little: it is left out where a rarer one is there, and
        otherwise the latest of its documents stand for it.
        """
        tables = self.execute(
            "SELECT label, number, documents, size FROM text_index WHERE label IN (SELECT value FROM json_each(?))"
            " ORDER BY label",
            (json.dumps(clearance.strings()),),
        ).fetchall()
        statistics = Statistics(sum(row[2] for row in tables), sum(row[3] for row in tables))
        held = {term: sum(self._holders(row[1], term) for row in tables) for term in terms}
        telling = [term for term in terms if 0 < held[term] <= MOST_POSTINGS] or [term for term in terms if held[term]]
        found = [[posting for row in tables for posting in self._postings(row[0], row[1], term)] for term in telling]
        return found, statistics

    def has_text(self, labels: Iterable[Label]) -> bool:
        """Tell whether there is anything at all, claim or passage, under some labels."""
        return bool(
            self.execute(
                "SELECT 1 FROM text_index WHERE documents > 0 AND label IN (SELECT value FROM json_each(?)) LIMIT 1",
                (json.dumps(list(map(str, labels))),),
            ).fetchone()
        )

    def _holders(self, number: int, term: str) -> int:
        """Return how many documents of a table have a term."""
        row = self.execute(f"SELECT doc FROM counts_{int(number)} WHERE term = ?", (term,)).fetchone()
        return 0 if row is None else row[0]

    def _postings(self, label: str, number: int, term: str) -> list[Posting]:
        rows = self.execute(
            "SELECT t.kind, t.ref, v.n, t.size FROM"
            f" (SELECT doc, count(*) AS n FROM terms_{int(number)} WHERE term = ? GROUP BY doc ORDER BY doc DESC"
            f" LIMIT {MOST_POSTINGS}) v JOIN text_{int(number)} t ON t.rowid = v.doc",
            (term,),
        )
        under = parse_label(label)
        return [Posting(Document(kind, ref, under), frequency, size) for kind, ref, frequency, size in rows]

    def places(self, sources: Sequence[str]) -> dict[str, Passage]:
        """Return where sources stand, for those whose labels have been checked."""
        rows = self.execute(
            "SELECT id, conversation, space, said_at, speaker FROM source WHERE id IN (SELECT value FROM json_each(?))",
            (json.dumps(sources),),
        )
        return {row[0]: Passage(*row) for row in rows}

    def beside(self, clearance: Clearance, places: Sequence[Passage], most: int, within: int) -> dict[str, list[list[Passage]]]:
        """Return people's messages before and after each of some in its conversation, by distance, nearest first.

        Commands are left out, and what is not within so many microseconds or under labels that the reader may see: it stands in
        nobody's way. Whoever may see what is secret sees every message of a person there, which spares a look at each label.
        """
        sides = [self._side(clearance, places, order, most, within) for order in ("DESC", "ASC")]
        return {
            place.id: [[side[place.id][n] for side in sides if n < len(side[place.id])] for n in range(most)] for place in places
        }

    def _side(
        self, clearance: Clearance, places: Sequence[Passage], order: str, most: int, within: int
    ) -> dict[str, list[Passage]]:
        bound, far, edge = ("<", ">=", -within) if order == "DESC" else (">", "<=", within)
        all_seen = clearance.top.sensitivity is Sensitivity.SECRET
        seen = "" if all_seen else f"AND {SOURCE_LABEL_SQL} IN (SELECT value FROM json_each(?4))"
        rows = self.execute(
            "WITH place(id, conversation, said_at, space) AS"
            " (SELECT value ->> 0, value ->> 1, value ->> 2, value ->> 3 FROM json_each(?1))"
            " SELECT p.id, n.id, n.conversation, n.space, n.said_at, n.speaker FROM place p JOIN source n ON n.id IN"
            " (SELECT s.id FROM source s WHERE s.conversation = p.conversation AND (s.said_at, s.id)"
            f" {bound} (p.said_at, p.id) AND s.said_at {far} p.said_at + ?2 AND s.kind = 'message' AND s.speaker <> ''"
            f" AND length(s.body) > {SHORTEST_NEIGHBOUR} AND s.body NOT LIKE '/%' AND s.space = p.space {seen}{self._said_before}"
            f" ORDER BY s.said_at {order}, s.id {order} LIMIT ?3) ORDER BY n.said_at {order}, n.id {order}",
            (json.dumps([[p.id, p.conversation, p.said_at, p.space] for p in places]), edge, most)
            + (() if all_seen else (json.dumps(clearance.strings()),)),
        )
        found: dict[str, list[Passage]] = {place.id: [] for place in places}
        for id_, *near in rows:
            found[id_].append(Passage(*near))
        return found

    def versions(self, clearance: Clearance) -> Iterator[Version]:
        """Yield every claim version, believed and closed, denials included, in the order in which they were written."""
        live, negative = f"SELECT {CLAIM_SQL}, NULL, 0 FROM live_claim c", f"SELECT {CLAIM_SQL}, NULL, 1 FROM negative_claim c"
        closed = f"SELECT {CLAIM_SQL}, c.transaction_to, c.was = 'negative_claim' FROM closed_claim c"
        for row in self.execute(f"{live} UNION ALL {negative} UNION ALL {closed} ORDER BY transaction_from, version"):
            claim = claim_of(row)
            if claim.label in clearance:
                yield Version(claim, row[-2], bool(row[-1]))

    def alike(self, clearance: Clearance, form: str, most: int) -> list[NamedNode]:
        """Return up to ``most`` things that bear a name that is easily taken for another of the same form."""
        rows = self.execute(
            "SELECT c.subject FROM name_form n JOIN live_claim c ON c.claim = n.claim WHERE n.form = ?1 AND c.label IN"
            " (SELECT value FROM json_each(?2)) UNION ALL SELECT subject FROM live_claim WHERE name_key = ?1 AND label IN"
            " (SELECT value FROM json_each(?2)) LIMIT ?3",
            (form, json.dumps(clearance.strings()), most * _NAMES_EACH),
        )
        return list(dict.fromkeys(named(subject) for (subject,) in rows))[:most]

    def sources(self, clearance: Clearance) -> Iterator[tuple[Source, Label]]:
        """Yield every source that the reader may see, with its label, in the order in which they were accepted."""
        for (id_,) in self.execute("SELECT id FROM source ORDER BY entry, id").fetchall():
            with suppress(UnknownThingError):
                yield self.source(clearance, id_), self.label_of(id_)

    def erasure_receipt(self, erasure: str) -> str:
        """Return the signed receipt of an erasure; it has no content, and its id is known to whom it was given."""
        row = self.execute("SELECT body FROM receipt WHERE erasure = ?", (erasure,)).fetchone()
        if row is None:
            message = f"There is no receipt {erasure}: nothing was erased under it, or the erasure is not finished yet."
            raise UnknownThingError(message)
        return row[0]

    def subjects(self, clearance: Clearance) -> list[NamedNode]:
        """Return every subject of a believed claim, in order."""
        rows = self.execute(
            "SELECT DISTINCT subject FROM live_claim WHERE label IN (SELECT value FROM json_each(?)) ORDER BY subject",
            (json.dumps(clearance.strings()),),
        )
        return [named(subject) for (subject,) in rows]

    def count(self, clearance: Clearance) -> int:
        """Return how many claims are believed that the reader may see."""
        sql = "SELECT count(*) FROM live_claim WHERE label IN (SELECT value FROM json_each(?))"
        return self.execute(sql, (json.dumps(clearance.strings()),)).fetchone()[0]

    def sources_in(self, clearance: Clearance, conversation: str) -> int:
        """Return how many messages of people in a conversation have been read."""
        return self.execute(
            f"SELECT count(*) FROM source s JOIN reading r ON r.source = s.id WHERE s.conversation = ? AND {SOURCE_LABEL_SQL} IN"
            " (SELECT value FROM json_each(?))",
            (conversation, json.dumps(clearance.strings())),
        ).fetchone()[0]

    def bodies(self, clearance: Clearance, space: Space) -> list[str]:
        """Return the words of every message of a space, in the order in which they were accepted."""
        rows = self.execute(
            f"SELECT s.body, {SOURCE_LABEL_SQL} FROM source s WHERE s.space = ? AND s.kind = 'message' ORDER BY s.entry",
            (str(space),),
        )
        return [body for body, label in rows if parse_label(label) in clearance]

    def outcomes(self, clearance: Clearance, conversation: str | None = None) -> list[tuple[Outcome, int, str, int]]:
        """Return how often each decision with each row and reason was made, the most frequent first."""
        rows = self.execute(
            f"SELECT d.outcome, d.rule, d.reason, count(*), {SOURCE_LABEL_SQL} AS seen"
            " FROM decision d JOIN source s ON s.id = d.source"
            " WHERE (?1 IS NULL OR s.conversation = ?1) AND seen IN (SELECT value FROM json_each(?2))"
            " GROUP BY d.outcome, d.rule, d.reason ORDER BY count(*) DESC, d.outcome, d.rule",
            (conversation, json.dumps(clearance.strings())),
        )
        return [(Outcome(outcome), rule, reason, count) for outcome, rule, reason, count, _ in rows]


def _blanked(source: Source, spans: Sequence[tuple[Span, bool, str]]) -> Source:
    gone = [span for span, is_gone, _ in spans if is_gone]
    if not gone:
        return source
    stated = [span for span, is_gone, wording in spans if not is_gone and wording != NAMED_BY_MENTION]
    mentions = [span for span, is_gone, wording in spans if not is_gone and wording == NAMED_BY_MENTION]
    kept = [*stated, *(span for span in mentions if not any(span.within(other) for other in gone))]
    return replace(source, body=blanked(source.body, without(gone, kept)))


def _labelled(row: Sequence[Any]) -> tuple[Source, Label]:
    id_, conversation, space, kind, speaker, said_at, zone, body, label = row
    return Source(id_, conversation, parse_space(space), SourceKind(kind), speaker, said_at, zone, body), parse_label(label)
