"""Ranking, as pure functions over counts: BM25 over a reader's own labels, shares for neighbours, and reciprocal rank fusion."""

import math
from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

K1, B = 1.2, 0.75
"""The constants of BM25; Robertson and Zaragoza, The Probabilistic Relevance Framework, 2009."""

FUSION = 60
"""The constant of reciprocal rank fusion; Cormack, Clarke and Buettcher, SIGIR 2009."""

SHARES = (0.5, 0.35, 0.2)
"""What a passage's neighbours get of its score, by their distance; chosen on LoCoMo's first five dialogues."""

QUESTION_SHARE = 1.5
"""How much more the passages beside a question get, since what follows a question answers it; chosen likewise."""

T = TypeVar("T", bound=Hashable)


@dataclass(frozen=True, slots=True)
class Posting:
    """A document that has a term: how often, and how many terms it has in all."""

    document: Hashable
    frequency: int
    size: int


@dataclass(frozen=True, slots=True)
class Statistics:
    """How many documents a reader may see, and how many terms they have in all."""

    documents: int
    size: int


def bm25(postings: Iterable[Sequence[Posting]], statistics: Statistics) -> dict[Hashable, float]:
    """Return the score of each document that has a term, from the postings of each term of a query.

    The inverse document frequency is never negative: ``ln(1 + (N - n + 0.5) / (n + 0.5))``.
    """
    scores: dict[Hashable, float] = defaultdict(float)
    average = statistics.size / statistics.documents if statistics.documents else 1.0
    for term in postings:
        rarity = math.log(1 + (max(statistics.documents - len(term), 0) + 0.5) / (len(term) + 0.5))
        for posting in term:
            length = K1 * (1 - B + B * posting.size / average)
            scores[posting.document] += rarity * posting.frequency * (K1 + 1) / (posting.frequency + length)
    return scores


def spread(scores: Mapping[T, float], beside: Mapping[T, Sequence[Sequence[T]]], questions: frozenset[T]) -> dict[T, float]:
    """Return scores with what each document gives to its neighbours; ``beside`` lists them by distance, the nearest first."""
    shared = dict(scores)
    for document, rings in beside.items():
        given = scores.get(document, 0.0) * (QUESTION_SHARE if document in questions else 1.0)
        for share, ring in zip(SHARES, rings, strict=False):
            for neighbour in ring:
                shared[neighbour] = shared.get(neighbour, 0.0) + share * given
    return shared


def strength(times: int, age: float, life: float) -> float:
    """Return how much a statement counts: more the more often it was said, and half as much after each usual life.

    ``times`` it was said, at least once; ``age`` since the last time and ``life`` in one unit.
    """
    return (1 + math.log(max(times, 1))) * 0.5 ** (max(age, 0.0) / life)


def fuse(rankings: Iterable[Sequence[T]]) -> dict[T, float]:
    """Return the fused score of everything ranked: the sum of the reciprocals of its ranks, each moved by ``FUSION``."""
    scores: dict[T, float] = defaultdict(float)
    for ranking in rankings:
        for rank, item in enumerate(ranking):
            scores[item] += 1 / (FUSION + rank)
    return scores
