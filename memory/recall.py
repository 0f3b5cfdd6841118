"""Recall: question -> recollection, within a clearance and a budget.

Candidates come from entity match, the graph neighbourhood of those entities and the full text; they are fused by reciprocal
rank and cut to a budget.
"""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

from pyoxigraph import NamedNode, Triple

from memory.claim import Claim, Source
from memory.errors import UnknownThingError
from memory.label import Clearance, Label
from memory.read import Reads
from memory.text import name_key, query_terms
from memory.vocabulary import Vocabulary

FUSION = 60
"""The constant of reciprocal rank fusion; Cormack, Clarke and Buettcher, SIGIR 2009."""

_WIDEST_NAME = 4
_MOST_NEIGHBOURS = 64
_MOST_HITS = 24


@dataclass(frozen=True, slots=True)
class Item:
    """A claim, a source or an inference that may bear on the question; exactly one of the three is set."""

    score: float
    label: Label
    claim: Claim | None = None
    source: Source | None = None
    inference: Triple | None = None


@dataclass(frozen=True, slots=True)
class Recollection:
    """What was recalled, the best first, and the entities that the question names."""

    items: tuple[Item, ...]
    entities: tuple[NamedNode, ...]


def tokens(text: str) -> int:
    """Return the size of a text in the one unit of budgets: a quarter of its characters, and eight for its frame."""
    return len(text) // 4 + 8


def recall(reads: Reads, vocabulary: Vocabulary, question: str, clearance: Clearance, budget: int) -> Recollection:
    """Return what may bear on a question, cut to ``budget`` tokens; nothing where nothing does."""
    entities = tuple(dict.fromkeys(mentioned(reads, question, clearance)))
    scores: dict[tuple[str, str], float] = defaultdict(float)
    found: dict[tuple[str, str], Item] = {}
    rankings = [_neighbourhood(reads, vocabulary, entity, clearance) for entity in entities]
    rankings += _full_text(reads, question, clearance)
    for ranking in rankings:
        for rank, (key, item) in enumerate(ranking):
            scores[key] += 1 / (FUSION + rank)
            found[key] = item
    best = sorted(found, key=lambda key: (-scores[key], key))
    items: list[Item] = []
    for key in best:
        item = found[key]
        budget -= _cost(item)
        if budget < 0:
            break
        items.append(Item(scores[key], item.label, item.claim, item.source, item.inference))
    return Recollection(tuple(items), entities)


def mentioned(reads: Reads, question: str, clearance: Clearance) -> Iterator[NamedNode]:
    """Yield the entities whose names stand in a question, longer names first."""
    words = question.replace("?", " ").replace(",", " ").split()
    for width in range(min(_WIDEST_NAME, len(words)), 0, -1):
        for start in range(len(words) - width + 1):
            key = name_key(" ".join(words[start : start + width]).removesuffix("'s").removesuffix("\u2019s"))
            for bearer in reads.named(clearance, key):
                yield bearer.entity


def _neighbourhood(
    reads: Reads, vocabulary: Vocabulary, entity: NamedNode, clearance: Clearance
) -> list[tuple[tuple[str, str], Item]]:
    claims = reads.claims(clearance, subject=entity) + reads.claims(clearance, object_=entity)
    told = [c for c in claims if c.predicate not in vocabulary.naming]
    latest = sorted(told, key=lambda c: (-c.last_said_at, c.version))[:_MOST_NEIGHBOURS]
    return [(("claim", c.version), Item(0.0, c.label, claim=c)) for c in latest]


def _full_text(reads: Reads, question: str, clearance: Clearance) -> list[list[tuple[tuple[str, str], Item]]]:
    if not query_terms(question):
        return []
    rankings: dict[str, list[tuple[tuple[str, str], Item]]] = defaultdict(list)
    hits = sorted(reads.search(clearance, question, _MOST_HITS), key=lambda hit: (hit.rank, hit.ref))
    for hit in hits:
        try:
            if hit.kind == "claim":
                claim = reads.current(clearance, hit.ref)
                if claim is None:
                    continue
                rankings[hit.kind].append((("claim", claim.version), Item(0.0, claim.label, claim=claim)))
                continue
            if hit.kind == "question":
                continue
            source = reads.source(clearance, hit.ref)
            item = Item(0.0, hit.label, source=source)
        except UnknownThingError:
            continue
        rankings[hit.kind].append(((hit.kind, hit.ref), item))
    return list(rankings.values())


def _cost(item: Item) -> int:
    if item.source is not None:
        return tokens(item.source.body)
    return tokens(item.claim.wording) + 16 if item.claim is not None else 24
