"""What the graph holds for the claims of the ledger: used by each transaction for what it touched, and by a rebuild for all."""

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from pyoxigraph import Quad

from memory import axes, transact
from memory.claim import Claim
from memory.ids import Instant
from memory.label import Label
from memory.rows import every_live_claim, live_claims_of
from memory.transact import Fact
from memory.vocabulary import Vocabulary
from reasoner.delta import Overlay

Execute: TypeAlias = Callable[..., Any]
Sourced: TypeAlias = tuple[Claim, str]


def claims_quads(closed: Sequence[Sourced], opened: Sequence[Sourced]) -> tuple[list[Quad], list[Quad]]:
    """Return the quads of claim nodes to remove and to add for claim versions that were closed and opened."""
    gone = [quad for claim, source in closed for quad in transact.claim_quads(claim, source)]
    new = [quad for claim, source in opened for quad in transact.claim_quads(claim, source)]
    return transact.net([(gone, new)])


def fact_changes(
    execute: Execute,
    source: Overlay[Label],
    changes: tuple[Sequence[Sourced], Sequence[Sourced]],
    vocabulary: Vocabulary,
    at: Instant,
) -> tuple[list[Fact], list[Fact]]:
    """Return which triples stop and which start to be facts: those that some live claim says and that hold now."""
    closed, opened = changes
    holding = {transact.fact_of(claim) for claim, _ in opened if _holds(claim, vocabulary, at)}
    gone: list[Fact] = []
    new: list[Fact] = []
    for fact in dict.fromkeys(transact.fact_of(claim) for claim, _ in (*closed, *opened)):
        stands = (fact.label, False) in source.labels(fact.triple)
        if fact in holding:
            if not stands:
                new.append(fact)
        elif stands and not any(_holds(claim, vocabulary, at) for claim, _ in live_claims_of(execute, fact=fact)):
            gone.append(fact)
    return gone, new


def facts_of_live_claims(execute: Execute, vocabulary: Vocabulary, at: Instant) -> tuple[list[Quad], list[Fact]]:
    """Return the claim quads and the facts of the whole ledger."""
    quads: list[Quad] = []
    facts: dict[Fact, None] = {}
    for claim, source in every_live_claim(execute):
        quads += transact.claim_quads(claim, source)
        if _holds(claim, vocabulary, at):
            facts[transact.fact_of(claim)] = None
    return quads, list(facts)


def _holds(claim: Claim, vocabulary: Vocabulary, at: Instant) -> bool:
    return axes.holds_at(claim.validity, vocabulary[claim.predicate].temporal_kind, at)
