"""TBox -> program: rules indexed by the triples that trigger them and by the triples they conclude."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from pyoxigraph import NamedNode, Triple

from ontologies.vocab import RDF_TYPE
from reasoner.rule import Atom, Rule
from reasoner.rules import class_axioms, properties
from reasoner.tbox import TBox

Trigger: TypeAlias = tuple[Rule, int]
_Key: TypeAlias = NamedNode | tuple[NamedNode, NamedNode]


@dataclass(frozen=True, slots=True)
class Program:
    """An ontology's instance rules, ready to run in either direction."""

    rules: tuple[Rule, ...]
    _triggers: dict[_Key, list[Trigger]]
    _heads: dict[_Key, list[Rule]]

    def triggers(self, triple: Triple) -> Sequence[Trigger]:
        """Return the rules in whose body the triple may stand, each with the place in the body."""
        return self._triggers.get(_key(triple.predicate, triple.object), ())

    def concluding(self, triple: Triple) -> Sequence[Rule]:
        """Return the rules whose head may be the triple."""
        return self._heads.get(_key(triple.predicate, triple.object), ())


def compile_rules(ontology: Iterable[Triple]) -> Program:
    """Return the program of an ontology: every instance rule that its axioms give rise to."""
    tbox = TBox.of(ontology)
    rules = tuple(dict.fromkeys(rule for make in (*properties.RULES, *class_axioms.RULES) for rule in make(tbox)))
    triggers: dict[_Key, list[Trigger]] = defaultdict(list)
    heads: dict[_Key, list[Rule]] = defaultdict(list)
    for rule in rules:
        heads[_atom_key(rule.head)].append(rule)
        for position, atom in enumerate(rule.body):
            triggers[_atom_key(atom)].append((rule, position))
    return Program(rules, dict(triggers), dict(heads))


def _key(predicate: NamedNode, object_: object) -> _Key:
    if predicate == RDF_TYPE and isinstance(object_, NamedNode):
        return predicate, object_
    return predicate


def _atom_key(atom: Atom) -> _Key:
    return _key(atom.predicate, atom.object)
