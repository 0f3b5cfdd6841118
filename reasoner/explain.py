"""Triple -> proof: the rule and the premises behind an inference, down to facts."""

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Generic

from pyoxigraph import NamedNode, Triple

from ontologies.vocab import OWL, OWL_SAME_AS, RDF_TYPE
from reasoner.compile import Program
from reasoner.delta import Clash, derivations
from reasoner.equality import Equated
from reasoner.rule import Atom, Rule
from reasoner.source import L, LabelOrder, QuadSource, Statement

_SOME_WAYS = 24
_SAME = Triple(OWL_SAME_AS, RDF_TYPE, NamedNode(OWL + "SymmetricProperty"))
EQ_REP = Rule("eq-rep", (), Atom(0, OWL_SAME_AS, 1), 2, _SAME)
EQ_TRANS = Rule("eq-trans", (Atom(0, OWL_SAME_AS, 1), Atom(1, OWL_SAME_AS, 2)), Atom(0, OWL_SAME_AS, 2), 3, _SAME)
"""What stands behind a step of a proof that uses what is the same."""


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
    return _Search(program, order, Equated(source, order), visible).proof(triple)


def ground(program: Program, order: LabelOrder[L], source: QuadSource[L], clash: Clash[L]) -> tuple[Statement[L], ...]:
    """Return the facts behind a clash, each once: the leaves of the proofs of its premises."""
    search = _Search(program, order, Equated(source, order), lambda label: order.leq(label, clash.label))
    proofs = [search.proof(premise.triple) for premise in clash.premises]
    return tuple(dict.fromkeys(leaf for proof in proofs if proof is not None for leaf in proof.leaves()))


@dataclass(slots=True)
class _Search(Generic[L]):
    """Goes back from a statement over all ways to conclude it, and builds the lowest proof from the facts up."""

    program: Program
    order: LabelOrder[L]
    view: Equated[L]
    visible: Callable[[L], bool]

    def proof(self, triple: Triple) -> Proof[L] | None:
        """Return the lowest proof of a triple; looked for among some of the ways to conclude each first, and then among all."""
        for most in (_SOME_WAYS, None):
            ways = self._ways(triple, most)
            heights = _heights(ways)
            if triple in heights:
                return _built(triple, ways, heights)
        return None

    def _ways(self, triple: Triple, most: int | None) -> "dict[Triple, list[_Way[L]]]":
        """Return the ways to conclude a triple and all that those need; a fact needs nothing and is its only way."""
        ways: dict[Triple, list[_Way[L]]] = {}
        agenda = [triple]
        while agenda:
            at = agenda.pop()
            if at not in ways:
                ways[at] = list(itertools.islice(self._concluding(at), most))
                agenda += [premise.triple for way in ways[at] for premise in way.premises]
        return ways

    def _concluding(self, triple: Triple) -> "Iterator[_Way[L]]":
        standing = [s for s in self.view.source.statements(*triple) if self.visible(s.label)]  # type: ignore[arg-type]
        for statement in standing:
            if not statement.inferred:
                yield _Way(statement, None, ())
                return
        for statement in standing[:1]:
            for rule in self.program.concluding(triple):
                for premises, _ in derivations(rule, self.order, self.view, triple):
                    if all(self.visible(premise.label) for premise in premises):
                        yield _Way(statement, rule, premises)
        if not self.view.is_plain:
            yield from self._same(triple) if triple.predicate == OWL_SAME_AS else self._by_name(triple)

    def _by_name(self, triple: Triple) -> "Iterator[_Way[L]]":
        """Yield how a triple is said under other names, with the equalities between the names."""
        for variant, low, high in self.view.variants(triple):
            for statement in self.view.source.statements(*variant) if variant != triple else ():  # type: ignore[arg-type]
                pairs = ((variant.subject, triple.subject, low), (variant.object, triple.object, high))
                equalities = [
                    Statement(Triple(one, OWL_SAME_AS, other), label, inferred=True)  # type: ignore[arg-type]
                    for one, other, label in pairs
                    if label is not None
                ]
                for label in self.view.joined(statement.label, low, high):
                    if self.visible(label):
                        yield _Way(Statement(triple, label, inferred=True), EQ_REP, (statement, *equalities))

    def _same(self, triple: Triple) -> "Iterator[_Way[L]]":
        """Yield how two names are of one thing: in one step the other way round, or over a third name."""
        for other, statement in self.view.edges(triple.subject):  # type: ignore[arg-type]
            if self.visible(statement.label) and statement.triple != triple:
                if other == triple.object:
                    yield _Way(Statement(triple, statement.label, inferred=True), EQ_TRANS, (statement,))
                else:
                    rest = Triple(other, OWL_SAME_AS, triple.object)  # type: ignore[arg-type]
                    for end, label in self.view.names(other):
                        if end == triple.object and label is not None:
                            for bound in self.view.joined(statement.label, label):
                                if self.visible(bound):
                                    concluded = Statement(triple, bound, inferred=True)
                                    yield _Way(concluded, EQ_TRANS, (statement, Statement(rest, label, inferred=True)))


@dataclass(frozen=True, slots=True)
class _Way(Generic[L]):
    """A way to conclude a statement: a rule and the premises, or neither for a fact."""

    concluded: Statement[L]
    rule: Rule | None
    premises: tuple[Statement[L], ...]

    def height(self, heights: dict[Triple, int]) -> int | None:
        """Return how high a proof in this way is, given those of its premises; ``None`` where one has none."""
        below = [heights.get(premise.triple) for premise in self.premises]
        return None if None in below else 1 + max((height for height in below if height is not None), default=-1)


def _heights(ways: dict[Triple, list[_Way[L]]]) -> dict[Triple, int]:
    """Return the height of the lowest proof of each triple that has one."""
    heights: dict[Triple, int] = {}
    is_lower = True
    while is_lower:
        is_lower = False
        for triple, possible in ways.items():
            found = [height for way in possible if (height := way.height(heights)) is not None]
            if found and min(found) < heights.get(triple, 1 << 30):
                heights[triple] = min(found)
                is_lower = True
    return heights


def _built(triple: Triple, ways: dict[Triple, list[_Way[L]]], heights: dict[Triple, int]) -> Proof[L]:
    lowest = next(way for way in ways[triple] if way.height(heights) == heights[triple])
    return Proof(lowest.concluded, lowest.rule, tuple(_built(premise.triple, ways, heights) for premise in lowest.premises))
