"""A compiled rule: Horn clauses over triples whose predicates, and classes, are constants of the ontology.

Variables are small integers that index a binding. A rule carries the name of its W3C rule and the axiom it was made from. A rule
without a head concludes that something is false.
"""

from dataclasses import dataclass
from typing import TypeAlias, assert_never

from pyoxigraph import Literal, NamedNode, Triple

from ontologies.vocab import OWL_SAME_AS, RDF_TYPE
from reasoner.source import Term
from reasoner.values import are_different, is_outside

Variable: TypeAlias = int
Slot: TypeAlias = NamedNode | Literal | Variable
Binding: TypeAlias = tuple[Term | None, ...]


@dataclass(frozen=True, slots=True)
class Atom:
    """A triple pattern with a constant predicate."""

    subject: Slot
    predicate: NamedNode
    object: Slot

    @property
    def asks_for_names(self) -> bool:
        """Tell whether it matters under which of its names a thing stands in a matching triple."""
        named = isinstance(self.object, NamedNode) and self.predicate != RDF_TYPE
        return isinstance(self.subject, NamedNode) or named or self.subject == self.object


@dataclass(frozen=True, slots=True)
class Differ:
    """Two values are known to be different."""

    left: Slot
    right: Slot


@dataclass(frozen=True, slots=True)
class Outside:
    """A value is known to be none of a datatype."""

    value: Slot
    datatype: NamedNode


Guard: TypeAlias = Differ | Outside


@dataclass(frozen=True, slots=True)
class Rule:
    """``body`` implies ``head``, or that something is false where there is none; ``guards`` have to hold of the binding.

    ``name`` is the W3C rule, such as ``prp-dom``; ``axiom`` is the TBox triple behind it.
    https://www.w3.org/TR/owl2-profiles/#Reasoning_in_OWL_2_RL_and_RDF_Graphs_using_Rules
    """

    name: str
    body: tuple[Atom, ...]
    head: Atom | None
    variables: int
    axiom: Triple
    guards: tuple[Guard, ...] = ()


def bind(atom: Atom, triple: Triple, binding: Binding) -> Binding | None:
    """Return the binding extended so that the atom equals the triple, or ``None`` where it cannot."""
    if atom.predicate != triple.predicate:
        return None
    for slot, value in ((atom.subject, triple.subject), (atom.object, triple.object)):
        if isinstance(slot, int):
            bound = binding[slot]
            if bound is None:
                binding = (*binding[:slot], value, *binding[slot + 1 :])  # type: ignore[assignment]
            elif bound != value:
                return None
        elif slot != value:
            return None
    return binding


def fill(slot: Slot, binding: Binding) -> Term | None:
    """Return the term of a slot under a binding; ``None`` where it is free."""
    return binding[slot] if isinstance(slot, int) else slot


def holds(guards: tuple[Guard, ...], binding: Binding) -> bool:
    """Tell whether guards hold of a complete binding."""
    for guard in guards:
        match guard:
            case Differ(left, right):
                if not are_different(fill(left, binding), fill(right, binding)):
                    return False
            case Outside(value, datatype):
                if not is_outside(fill(value, binding), datatype):
                    return False
            case _ as never:
                assert_never(never)
    return True


def conclude(head: Atom, binding: Binding) -> Triple | None:
    """Return the head as a triple; ``None`` where it says nothing.

    A literal is no subject in RDF, and that a thing is itself is known.
    """
    subject, object_ = fill(head.subject, binding), fill(head.object, binding)
    if not isinstance(subject, NamedNode) or object_ is None:
        return None
    if head.predicate == OWL_SAME_AS and (subject == object_ or isinstance(object_, Literal)):
        return None
    return Triple(subject, head.predicate, object_)
