"""TBox -> program: rules indexed by the triples that trigger them and by the triples they conclude."""

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from pyoxigraph import NamedNode, Triple

from ontologies.vocab import OWL, OWL_SAME_AS, RDF, RDF_TYPE, RDFS, RDFS_SUBCLASS_OF, RDFS_SUBPROPERTY_OF, SKOS
from reasoner.rule import Atom, Rule
from reasoner.rules import class_axioms, classes, equality, properties, schema
from reasoner.source import Term
from reasoner.tbox import TBox, named

_Key: TypeAlias = NamedNode | tuple[NamedNode, NamedNode]
_ONE_OF = NamedNode(OWL + "oneOf")
_VOCABULARIES = (OWL, RDF, RDFS, SKOS)

LEFT_OUT = {
    "eq-ref": "everything is itself; no triple tells it",
    "eq-rep-p": "properties are words of the ontology and are never said to be the same",
    "prp-ap": "annotation properties are declared in the ontology itself",
    "cls-thing": "owl:Thing and owl:Nothing are classes whether or not a triple says so",
    "cls-nothing1": "as cls-thing",
    "dt-type1": "datatypes are datatypes whether or not a triple says so",
    "dt-type2": "a literal is no subject of a triple; its datatype is compared where a rule needs it",
    "dt-eq": "literals of one value are one term once they are stored",
}
"""What the W3C rules conclude and these do not, each with its reason."""


class Trigger(NamedTuple):
    """A rule, the place in its body where a triple may stand, the rest of the body, and whether the triple's names matter.

    ``direct`` says how a conclusion is written from the triple alone, where it takes no more than that: each end as 0 for the
    triple's subject, 2 for its object, or a term.
    """

    rule: Rule
    atom: Atom
    rest: tuple[Atom, ...]
    asks_for_names: bool
    direct: tuple[int | Term, NamedNode, int | Term] | None


@dataclass(frozen=True, slots=True)
class Program:
    """An ontology's instance rules, ready to run in either direction.

    ``static`` is what the ontology itself says of individuals; ``schema`` what follows about its classes and properties.
    ``digest`` tells two programs apart.
    """

    rules: tuple[Rule, ...]
    static: tuple[Triple, ...]
    schema: tuple[Triple, ...]
    digest: str
    _triggers: dict[_Key, list[Trigger]]
    _clashes: dict[_Key, list[Trigger]]
    _heads: dict[_Key, list[Rule]]

    def triggers(self, triple: Triple) -> Sequence[Trigger]:
        """Return the rules with a head in whose body the triple may stand."""
        return self._triggers.get(_key(triple.predicate, triple.object), ())

    def clashes(self, triple: Triple) -> Sequence[Trigger]:
        """Return the rules that find something false in whose body the triple may stand."""
        return self._clashes.get(_key(triple.predicate, triple.object), ())

    def concluding(self, triple: Triple) -> Sequence[Rule]:
        """Return the rules whose head may be the triple."""
        return self._heads.get(_key(triple.predicate, triple.object), ())


def compile_rules(ontology: Iterable[Triple]) -> Program:
    """Return the program of an ontology: every instance rule that its axioms give rise to."""
    stated = named(ontology)
    closed = schema.close(stated)
    tbox = TBox.of([*stated, *_steps(stated, closed)])
    tables = (*equality.RULES, *properties.RULES, *classes.RULES, *class_axioms.RULES)
    rules = tuple(dict.fromkeys(rule for make in tables for rule in make(tbox)))
    triggers: dict[_Key, list[Trigger]] = defaultdict(list)
    clashes: dict[_Key, list[Trigger]] = defaultdict(list)
    heads: dict[_Key, list[Rule]] = defaultdict(list)
    for rule in rules:
        if rule.head is not None:
            heads[_atom_key(rule.head)].append(rule)
        for position, atom in enumerate(rule.body):
            rest = (*rule.body[:position], *rule.body[position + 1 :])
            index = clashes if rule.head is None else triggers
            index[_atom_key(atom)].append(Trigger(rule, atom, rest, atom.asks_for_names, _direct(rule)))
    return Program(rules, tuple(_static(tbox, stated)), tuple(closed), _digest(rules), dict(triggers), dict(clashes), dict(heads))


def _digest(rules: Iterable[Rule]) -> str:
    return hashlib.sha256("\n".join(sorted(f"{r.name} {r.body} {r.head} {r.guards}" for r in rules)).encode()).hexdigest()


def _direct(rule: Rule) -> tuple[int | Term, NamedNode, int | Term] | None:
    head = rule.head
    if head is None or len(rule.body) != 1 or rule.guards or rule.body[0].asks_for_names or head.predicate == OWL_SAME_AS:
        return None
    (atom,) = rule.body
    places = {slot: place for place, slot in ((2, atom.object), (0, atom.subject)) if isinstance(slot, int)}
    ends = [places[slot] if isinstance(slot, int) else slot for slot in (head.subject, head.object)]
    return ends[0], head.predicate, ends[1]


def _steps(stated: Sequence[Triple], closed: dict[Triple, str]) -> Iterator[Triple]:
    """Yield the hierarchy that instance rules cannot reach by the stated one, which stays as it is for readable proofs."""
    known: dict[NamedNode, dict[NamedNode, set[NamedNode]]] = {}
    for predicate in (RDFS_SUBCLASS_OF, RDFS_SUBPROPERTY_OF):
        known[predicate] = defaultdict(set)
        for triple in stated:
            if triple.predicate == predicate and isinstance(triple.object, NamedNode):
                known[predicate][triple.subject].add(triple.object)  # type: ignore[index]
    for triple, rule in closed.items():
        above = known.get(triple.predicate)
        if above is not None and rule in schema.STEPS and not _reaches(above, triple.subject, triple.object):
            above[triple.subject].add(triple.object)  # type: ignore[index, arg-type]
            yield triple


def _reaches(above: dict[NamedNode, set[NamedNode]], lower: object, upper: object) -> bool:
    seen: set[object] = {lower}
    agenda: list[object] = [lower]
    while agenda:
        at = agenda.pop()
        for next_ in above.get(at, ()) if isinstance(at, NamedNode) else ():
            if next_ not in seen:
                seen.add(next_)
                agenda.append(next_)
    return upper in seen


def _static(tbox: TBox, stated: Sequence[Triple]) -> Iterator[Triple]:
    """Yield what the ontology says of individuals: members of enumerations (cls-oo), and its own assertions."""
    for axiom, members in tbox.lists(_ONE_OF):
        for member in members:
            yield Triple(member, RDF_TYPE, axiom.subject)
    classes_ = {axiom.subject for axiom in tbox.instances(NamedNode(OWL + "Class"))}
    kinds = [NamedNode(OWL + kind) for kind in ("ObjectProperty", "DatatypeProperty")]
    said = {axiom.subject for kind in kinds for axiom in tbox.instances(kind)}
    said |= {NamedNode(OWL + "sameAs"), NamedNode(OWL + "differentFrom")}
    for triple in stated:
        is_type = triple.predicate == RDF_TYPE and triple.object in classes_ and not _is_word(triple.object)
        if triple.subject not in classes_ | said and (triple.predicate in said or is_type):
            yield triple


def _is_word(term: object) -> bool:
    return isinstance(term, NamedNode) and term.value.startswith(_VOCABULARIES)


def _key(predicate: NamedNode, object_: object) -> _Key:
    if predicate == RDF_TYPE and isinstance(object_, NamedNode):
        return predicate, object_
    return predicate


def _atom_key(atom: Atom) -> _Key:
    return _key(atom.predicate, atom.object)
