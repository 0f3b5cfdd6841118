"""Triple -> proof: the rule and the premises behind an inference, down to facts."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic

from pyoxigraph import Triple

from reasoner.compile import Program
from reasoner.delta import derivations
from reasoner.rule import Rule
from reasoner.source import L, LabelOrder, QuadSource, Statement


@dataclass(frozen=True, slots=True)
class Proof(Generic[L]):
    """A statement with the rule that concludes it from the proofs of its premises; a fact has no rule."""

    statement: Statement[L]
    rule: Rule | None
    premises: "tuple[Proof[L], ...]"

    def leaves(self) -> tuple[Statement[L], ...]:
        """Return the facts at the leaves, each once, left to right."""
        if self.rule is None:
            return (self.statement,)
        return tuple(dict.fromkeys(fact for premise in self.premises for fact in premise.leaves()))


def explain(
    program: Program,
    order: LabelOrder[L],
    source: QuadSource[L],
    triple: Triple,
    visible: Callable[[L], bool],
) -> Proof[L] | None:
    """Return a proof of the triple that uses only visible statements, or ``None`` where there is none.

    A fact proves itself. Premises are visible whenever the conclusion's label is, so a proof never names what its reader
    may not see.
    """
    return _explain(program, order, source, triple, visible, frozenset())


def _explain(
    program: Program,
    order: LabelOrder[L],
    source: QuadSource[L],
    triple: Triple,
    visible: Callable[[L], bool],
    path: frozenset[Triple],
) -> Proof[L] | None:
    standing = [s for s in source.statements(*triple) if visible(s.label)]  # type: ignore[arg-type]
    for statement in standing:
        if not statement.inferred:
            return Proof(statement, None, ())
    if not standing or triple in path:
        return None
    for rule in program.concluding(triple):
        for premises, _ in derivations(rule, order, source, triple):
            if not all(visible(premise.label) for premise in premises):
                continue
            proofs = [_explain(program, order, source, p.triple, visible, path | {triple}) for p in premises]
            complete = tuple(proof for proof in proofs if proof is not None)
            if len(complete) == len(proofs):
                return Proof(standing[0], rule, complete)
    return None
