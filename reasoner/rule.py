"""A compiled rule: Horn clauses over triples whose predicates, and classes, are constants of the ontology.

Variables are small integers that index a binding. A rule carries the name of its W3C rule and the axiom it was made from.
"""

from dataclasses import dataclass
from typing import TypeAlias

from pyoxigraph import Literal, NamedNode, Triple

from reasoner.source import Term

Variable: TypeAlias = int
Slot: TypeAlias = NamedNode | Literal | Variable
Binding: TypeAlias = tuple[Term | None, ...]


@dataclass(frozen=True, slots=True)
class Atom:
    """A triple pattern with a constant predicate."""

    subject: Slot
    predicate: NamedNode
    object: Slot


@dataclass(frozen=True, slots=True)
class Rule:
    """``body`` implies ``head``; ``name`` is the W3C rule, such as ``prp-dom``; ``axiom`` is the TBox triple behind it.

    https://www.w3.org/TR/owl2-profiles/#Reasoning_in_OWL_2_RL_and_RDF_Graphs_using_Rules
    """

    name: str
    body: tuple[Atom, ...]
    head: Atom
    variables: int
    axiom: Triple


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


def conclude(head: Atom, binding: Binding) -> Triple | None:
    """Return the head as a triple; ``None`` where its subject would be a literal, which RDF has no place for."""
    subject, object_ = fill(head.subject, binding), fill(head.object, binding)
    if not isinstance(subject, NamedNode) or object_ is None:
        return None
    return Triple(subject, head.predicate, object_)
