"""The full run: everything that follows from a set of facts. Rebuilds use it, and tests compare deltas with it."""

from collections.abc import Iterable

from reasoner.compile import Program
from reasoner.delta import closed
from reasoner.source import L, Labelled, LabelOrder


def closure(program: Program, order: LabelOrder[L], facts: Iterable[Labelled[L]]) -> frozenset[Labelled[L]]:
    """Return the inferences of the facts at their minimal labels, the facts themselves not among them."""
    return closed(program, order, facts)
