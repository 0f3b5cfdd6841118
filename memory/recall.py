"""Recall: question -> recollection, within a clearance and a budget.

Candidates come from the full text over passages and claims, from the neighbours of the passages found, from entity match and
the graph neighbourhood of those entities, the latest first; they are fused by reciprocal rank and cut to a budget. Everything
is counted over the labels that the reader may see, so that what others wrote changes nothing.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from pyoxigraph import NamedNode, Triple

from memory import axes
from memory.claim import Claim, Source, SourceKind
from memory.entities import person
from memory.errors import UnknownThingError
from memory.ids import Instant
from memory.label import Clearance, Label
from memory.rank import SHARES, bm25, fuse, spread, strength
from memory.read import Reads
from memory.rows import Document, Passage
from memory.text import name_key, query_terms
from memory.vocabulary import Vocabulary
from ontologies.vocab import NAME, RDF_TYPE

SPEAKER_SHARE = 1.2
"""How much more the words of somebody count whom the question names; chosen on LoCoMo's first five dialogues."""

_DAY = 24 * 3_600 * 1_000_000
_LONGEST_LIFE = 3_650
"""Days in which a statement without a usual life counts half as much."""

SAME_TALK = 6 * 3_600 * 1_000_000
"""Messages of a conversation within so many microseconds of each other are neighbours."""


def tokens(text: str) -> int:
    """Return the size of a text in the one unit of budgets: a quarter of its characters, and eight for its frame."""
    return len(text) // 4 + 8


_LEAST = tokens("")
_WIDEST_NAME = 4
_MOST_NEIGHBOURS = 8
_MOST_ENTITIES = 2
_MOST_INFERENCES = 8
_MOST_CLAIMS = 24
_MOST_PASSAGES = 96
_MOST_SPREADING = 48

Key: TypeAlias = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Item:
    """A claim, a source or an inference that may bear on the question; exactly one of the three is set.

    ``believed`` is false for a claim version that is no longer believed.
    """

    score: float
    label: Label
    claim: Claim | None = None
    source: Source | None = None
    inference: Triple | None = None
    believed: bool = True


@dataclass(frozen=True, slots=True)
class Recollection:
    """What was recalled, the best first, the entities that the question names, and the size of it all."""

    items: tuple[Item, ...]
    entities: tuple[NamedNode, ...]
    tokens: int


@dataclass(frozen=True, slots=True)
class Query:
    """What is asked: the question, the people that it names, when, and whether what no longer holds is wanted too.

    With ``history``, versions that are no longer believed are recalled as well.
    """

    question: str
    speakers: frozenset[str] = frozenset()
    at: Instant = 0
    history: bool = False


def recall(reads: Reads, vocabulary: Vocabulary, query: Query, clearance: Clearance, budget: int) -> Recollection:
    """Return what may bear on a question, cut to ``budget`` tokens; nothing where nothing does.

    What does not fit any more is passed over for what does.
    """
    people = (person(id_) for id_ in sorted(query.speakers))
    asked = dict.fromkeys([*mentioned(reads, query.question, clearance), *people])
    entities = tuple(dict.fromkeys([*asked, *(other for entity in asked for other in reads.same(clearance, entity))]))
    postings, statistics = reads.postings(clearance, query_terms(query.question))
    scores: dict[Document, float] = bm25(postings, statistics)  # type: ignore[assignment]
    claims = _claims(reads, vocabulary, scores, clearance, query)
    near = [_neighbourhood(reads, vocabulary, entity, clearance, query) for entity in entities]
    near.append(_inferences(reads, vocabulary, entities[:_MOST_ENTITIES], clearance))
    found: dict[Key, Item] = {key: item for ranking in (claims, *near) for key, item in ranking.items()}
    rankings = [list(claims), *(list(ranking) for ranking in near), _passages(reads, scores, clearance, query)]
    fused = fuse(rankings)
    items: list[Item] = []
    room = budget
    for key in sorted(fused, key=lambda key: (-fused[key], key)):
        if budget <= _LEAST:
            break
        item = found.get(key) or _passage(reads, key, clearance, history=query.history)
        if item is None or (cost := _cost(item)) > budget:
            continue
        budget -= cost
        items.append(Item(fused[key], item.label, item.claim, item.source, item.inference, item.believed))
    return Recollection(tuple(items), entities, room - budget)


def mentioned(reads: Reads, question: str, clearance: Clearance) -> Iterator[NamedNode]:
    """Yield the entities whose names stand in a question, longer names first."""
    words = question.replace("?", " ").replace(",", " ").split()
    keys = dict.fromkeys(
        name_key(" ".join(words[start : start + width]).removesuffix("'s").removesuffix("\u2019s"))
        for width in range(min(_WIDEST_NAME, len(words)), 0, -1)
        for start in range(len(words) - width + 1)
    )
    known: dict[str, list[NamedNode]] = {}
    for key, bearer in reads.bearers(clearance, tuple(keys)):
        known.setdefault(key, []).append(bearer.entity)
    for key in keys:
        yield from known.get(key, ())


def _neighbourhood(
    reads: Reads, vocabulary: Vocabulary, entity: NamedNode, clearance: Clearance, query: Query
) -> dict[Key, Item]:
    """Return what is believed of an entity, of the latest the strongest first: what was said often, and not too long ago."""
    claims = reads.claims(clearance, subject=entity) + reads.claims(clearance, object_=entity)
    told = [c for c in claims if c.predicate not in vocabulary.naming and _is_wanted(c, vocabulary, query)]
    latest = sorted(told, key=lambda c: (-c.last_said_at, c.version))[: 3 * _MOST_NEIGHBOURS]
    now = query.at or max((c.last_said_at for c in latest), default=0)

    def weight(claim: Claim) -> float:
        days = vocabulary[claim.predicate].usual_days or _LONGEST_LIFE
        return strength(len(reads.evidence(clearance, claim.id)), (now - claim.last_said_at) / _DAY, days)

    strongest = sorted(latest, key=lambda c: (-weight(c), -c.last_said_at, c.version))[:_MOST_NEIGHBOURS]
    return {("claim", c.version): Item(0.0, c.label, claim=c) for c in strongest}


def _inferences(reads: Reads, vocabulary: Vocabulary, entities: Sequence[NamedNode], clearance: Clearance) -> dict[Key, Item]:
    """Return what is concluded of entities and has words of its own, in the order of the vocabulary."""
    spoken = (property_.iri for property_ in vocabulary.properties.values() if property_.verb)
    places = {iri: place for place, iri in enumerate(spoken) if iri not in (RDF_TYPE, NAME)}
    found: dict[Key, Item] = {}
    for entity in entities:
        statements = reads.statements(clearance, entity, None, None)
        told = [s for s in statements if s.inferred and s.triple.predicate in places]
        for statement in sorted(told, key=lambda s: places[s.triple.predicate]):
            if len(found) < _MOST_INFERENCES:
                found.setdefault(("inference", str(statement.triple)), Item(0.0, statement.label, inference=statement.triple))
    return found


def _is_wanted(claim: Claim, vocabulary: Vocabulary, query: Query) -> bool:
    """Tell whether a claim holds when it is asked for, or what held before is wanted too."""
    return query.history or not query.at or axes.holds_at(claim.validity, vocabulary[claim.predicate].temporal_kind, query.at)


def _claims(
    reads: Reads, vocabulary: Vocabulary, scores: Mapping[Document, float], clearance: Clearance, query: Query
) -> dict[Key, Item]:
    """Return the claims that the full text found, the best first: their present versions, and closed ones where wanted."""
    hits = sorted((d for d in scores if d.kind == "claim"), key=lambda d: (-scores[d], d.ref))[:_MOST_CLAIMS]
    found: dict[Key, Item] = {}
    for hit in hits:
        claim = reads.current(clearance, hit.ref)
        if claim is not None and _is_wanted(claim, vocabulary, query):
            found.setdefault(("claim", claim.version), Item(0.0, claim.label, claim=claim))
        if query.history and (claim is None or claim.version != hit.ref):
            try:
                closed = reads.version(clearance, hit.ref)
            except UnknownThingError:
                continue
            found.setdefault(("claim", closed.version), Item(0.0, closed.label, claim=closed, believed=False))
    return found


def _passages(reads: Reads, scores: Mapping[Document, float], clearance: Clearance, query: Query) -> list[Key]:
    """Return the keys of passages, the best first, with what is said just before and after the best of them.

    Questions are no passages, and what was said beside one is likely to answer it.
    """
    hits = [d for d in scores if d.kind != "claim"]
    best = sorted(hits, key=lambda d: (-scores[d], d.ref))[:_MOST_PASSAGES]
    places = reads.places([hit.ref for hit in best])
    own = {hit.ref: scores[hit] * _favour(places[hit.ref], query) for hit in best if hit.ref in places}
    spreading = [places[hit.ref] for hit in best[:_MOST_SPREADING] if hit.ref in places]
    found = reads.beside(clearance, spreading, len(SHARES), SAME_TALK)
    beside = {place: [[near.id for near in ring] for ring in rings] for place, rings in found.items()}
    questions = frozenset(d.ref for d in best if d.kind == "question")
    shared = spread(own, beside, questions)
    ordered = sorted(shared, key=lambda ref: (-shared[ref], ref))[:_MOST_PASSAGES]
    return [("passage", ref) for ref in ordered if ref not in questions]


def _favour(place: Passage, query: Query) -> float:
    return SPEAKER_SHARE if place.speaker in query.speakers else 1.0


def _passage(reads: Reads, key: Key, clearance: Clearance, *, history: bool) -> Item | None:
    """Return a passage without the words of what was retracted, unless the history is wanted; ``None`` where nothing is left."""
    try:
        source, label = reads.labelled(clearance, key[1])
    except UnknownThingError:
        return None
    if source.kind is SourceKind.DOCUMENT and reads.document_of(source.id)[1] not in {"", "read", "restored"}:
        return None
    if not history:
        (source,) = reads.without_retracted([source])
        if not any(ch.isalnum() for ch in source.body):
            return None
    return Item(0.0, label, source=source)


def _cost(item: Item) -> int:
    if item.source is not None:
        return tokens(item.source.body)
    return tokens(item.claim.wording) + 16 if item.claim is not None else 24
