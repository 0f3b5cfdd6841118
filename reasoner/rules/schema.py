"""Table 9 of the W3C rules: the semantics of schema vocabulary, over the ontology alone.

https://www.w3.org/TR/owl2-profiles/#tab-rules-schema-vocabulary
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator

from pyoxigraph import NamedNode, Triple

from ontologies.vocab import (
    OWL,
    OWL_DATATYPE_PROPERTY,
    OWL_NOTHING,
    OWL_OBJECT_PROPERTY,
    OWL_THING,
    RDFS_DOMAIN,
    RDFS_RANGE,
    RDFS_SUBCLASS_OF,
    RDFS_SUBPROPERTY_OF,
)
from reasoner.tbox import TBox

_CLASS = NamedNode(OWL + "Class")
_EQUIVALENT_CLASS = NamedNode(OWL + "equivalentClass")
_EQUIVALENT_PROPERTY = NamedNode(OWL + "equivalentProperty")
_ON_PROPERTY = NamedNode(OWL + "onProperty")
_HAS_VALUE = NamedNode(OWL + "hasValue")
_SOME_VALUES_FROM = NamedNode(OWL + "someValuesFrom")
_ALL_VALUES_FROM = NamedNode(OWL + "allValuesFrom")
_INTERSECTION_OF = NamedNode(OWL + "intersectionOf")
_UNION_OF = NamedNode(OWL + "unionOf")


def close(ontology: Iterable[Triple]) -> dict[Triple, str]:
    """Return what follows from an ontology about its own classes and properties, each with the rule that concluded it."""
    known = dict.fromkeys(ontology, "")
    while True:
        tbox = TBox.of(known)
        new = {triple: rule.__name__.replace("_", "-") for rule in RULES for triple in rule(tbox) if triple not in known}
        if not new:
            return {triple: rule for triple, rule in known.items() if rule}
        known |= new


def scm_cls(tbox: TBox) -> Iterator[Triple]:
    """Each class is below itself and ``owl:Thing``, equal to itself, and above ``owl:Nothing``."""
    for axiom in tbox.instances(_CLASS):
        class_ = axiom.subject
        yield Triple(class_, RDFS_SUBCLASS_OF, class_)
        yield Triple(class_, _EQUIVALENT_CLASS, class_)
        yield Triple(class_, RDFS_SUBCLASS_OF, OWL_THING)
        yield Triple(OWL_NOTHING, RDFS_SUBCLASS_OF, class_)


def scm_sco(tbox: TBox) -> Iterator[Triple]:
    """Being below is transitive."""
    yield from _transitive(tbox, RDFS_SUBCLASS_OF)


def scm_eqc1(tbox: TBox) -> Iterator[Triple]:
    """Equal classes are below each other."""
    yield from _both_ways(tbox, _EQUIVALENT_CLASS, RDFS_SUBCLASS_OF)


def scm_eqc2(tbox: TBox) -> Iterator[Triple]:
    """Classes below each other are equal."""
    yield from _mutual(tbox, RDFS_SUBCLASS_OF, _EQUIVALENT_CLASS)


def scm_op(tbox: TBox) -> Iterator[Triple]:
    """Each object property is below and equal to itself."""
    for axiom in tbox.instances(OWL_OBJECT_PROPERTY):
        yield Triple(axiom.subject, RDFS_SUBPROPERTY_OF, axiom.subject)
        yield Triple(axiom.subject, _EQUIVALENT_PROPERTY, axiom.subject)


def scm_dp(tbox: TBox) -> Iterator[Triple]:
    """Each datatype property is below and equal to itself."""
    for axiom in tbox.instances(OWL_DATATYPE_PROPERTY):
        yield Triple(axiom.subject, RDFS_SUBPROPERTY_OF, axiom.subject)
        yield Triple(axiom.subject, _EQUIVALENT_PROPERTY, axiom.subject)


def scm_spo(tbox: TBox) -> Iterator[Triple]:
    """Being a property below is transitive."""
    yield from _transitive(tbox, RDFS_SUBPROPERTY_OF)


def scm_eqp1(tbox: TBox) -> Iterator[Triple]:
    """Equal properties are below each other."""
    yield from _both_ways(tbox, _EQUIVALENT_PROPERTY, RDFS_SUBPROPERTY_OF)


def scm_eqp2(tbox: TBox) -> Iterator[Triple]:
    """Properties below each other are equal."""
    yield from _mutual(tbox, RDFS_SUBPROPERTY_OF, _EQUIVALENT_PROPERTY)


def scm_dom1(tbox: TBox) -> Iterator[Triple]:
    """A domain is widened to the classes above it."""
    yield from _widened(tbox, RDFS_DOMAIN)


def scm_dom2(tbox: TBox) -> Iterator[Triple]:
    """A property has the domains of those above it."""
    yield from _inherited(tbox, RDFS_DOMAIN)


def scm_rng1(tbox: TBox) -> Iterator[Triple]:
    """A range is widened to the classes above it."""
    yield from _widened(tbox, RDFS_RANGE)


def scm_rng2(tbox: TBox) -> Iterator[Triple]:
    """A property has the ranges of those above it."""
    yield from _inherited(tbox, RDFS_RANGE)


def scm_hv(tbox: TBox) -> Iterator[Triple]:
    """Having a value of a property below is having it of the property above."""
    yield from _by_property(tbox, _HAS_VALUE, lambda lower, upper: (lower, upper))


def scm_svf1(tbox: TBox) -> Iterator[Triple]:
    """Some of a class below are some of the class above."""
    yield from _by_filler(tbox, _SOME_VALUES_FROM)


def scm_svf2(tbox: TBox) -> Iterator[Triple]:
    """Some by a property below are some by the property above."""
    yield from _by_property(tbox, _SOME_VALUES_FROM, lambda lower, upper: (lower, upper))


def scm_avf1(tbox: TBox) -> Iterator[Triple]:
    """Only those of a class below are only those of the class above."""
    yield from _by_filler(tbox, _ALL_VALUES_FROM)


def scm_avf2(tbox: TBox) -> Iterator[Triple]:
    """Only by a property above is only by the property below."""
    yield from _by_property(tbox, _ALL_VALUES_FROM, lambda lower, upper: (upper, lower))


def scm_int(tbox: TBox) -> Iterator[Triple]:
    """An intersection is below each of its parts."""
    for axiom, members in tbox.lists(_INTERSECTION_OF):
        for member in members:
            yield Triple(axiom.subject, RDFS_SUBCLASS_OF, member)


def scm_uni(tbox: TBox) -> Iterator[Triple]:
    """A union is above each of its parts."""
    for axiom, members in tbox.lists(_UNION_OF):
        for member in members:
            yield Triple(member, RDFS_SUBCLASS_OF, axiom.subject)


RULES: tuple[Callable[[TBox], Iterator[Triple]], ...] = (
    scm_cls, scm_sco, scm_eqc1, scm_eqc2, scm_op, scm_dp, scm_spo, scm_eqp1, scm_eqp2, scm_dom1, scm_dom2, scm_rng1, scm_rng2,
    scm_hv, scm_svf1, scm_svf2, scm_avf1, scm_avf2, scm_int, scm_uni,
)  # fmt: skip

STEPS = frozenset({"scm-hv", "scm-svf1", "scm-svf2", "scm-avf1", "scm-avf2"})
"""The rules whose conclusions instance rules need: what the others conclude, instance rules reach in more than one step."""


def _pairs(tbox: TBox, predicate: NamedNode) -> dict[NamedNode, list[NamedNode]]:
    found: dict[NamedNode, list[NamedNode]] = defaultdict(list)
    for axiom in tbox.axioms(predicate):
        found[axiom.subject].append(axiom.object)  # type: ignore[index, arg-type]
    return found


def _transitive(tbox: TBox, predicate: NamedNode) -> Iterator[Triple]:
    above = _pairs(tbox, predicate)
    for lower, uppers in above.items():
        for upper in uppers:
            for top in above.get(upper, ()):
                yield Triple(lower, predicate, top)


def _both_ways(tbox: TBox, predicate: NamedNode, concluded: NamedNode) -> Iterator[Triple]:
    for axiom in tbox.axioms(predicate):
        yield Triple(axiom.subject, concluded, axiom.object)
        yield Triple(axiom.object, concluded, axiom.subject)  # type: ignore[arg-type]


def _mutual(tbox: TBox, predicate: NamedNode, concluded: NamedNode) -> Iterator[Triple]:
    above = _pairs(tbox, predicate)
    for lower, uppers in above.items():
        for upper in uppers:
            if lower in above.get(upper, ()):
                yield Triple(lower, concluded, upper)


def _widened(tbox: TBox, predicate: NamedNode) -> Iterator[Triple]:
    above = _pairs(tbox, RDFS_SUBCLASS_OF)
    for axiom in tbox.axioms(predicate):
        for upper in above[axiom.object]:  # type: ignore[index]
            yield Triple(axiom.subject, predicate, upper)


def _inherited(tbox: TBox, predicate: NamedNode) -> Iterator[Triple]:
    stated = _pairs(tbox, predicate)
    for axiom in tbox.axioms(RDFS_SUBPROPERTY_OF):
        for class_ in stated[axiom.object]:  # type: ignore[index]
            yield Triple(axiom.subject, predicate, class_)


def _by_filler(tbox: TBox, kind: NamedNode) -> Iterator[Triple]:
    """Yield which restrictions on one property are below others because their fillers are."""
    above = _pairs(tbox, RDFS_SUBCLASS_OF)
    stated = [(axiom, set(tbox.objects(axiom.subject, _ON_PROPERTY))) for axiom in tbox.axioms(kind)]
    for lower, properties in stated:
        for upper, others in stated:
            if properties & others and upper.object in above.get(lower.object, ()):  # type: ignore[call-overload]
                yield Triple(lower.subject, RDFS_SUBCLASS_OF, upper.subject)


def _by_property(
    tbox: TBox, kind: NamedNode, order: Callable[[NamedNode, NamedNode], tuple[NamedNode, NamedNode]]
) -> Iterator[Triple]:
    """Yield which restrictions to one filler are below others because their properties are."""
    above = _pairs(tbox, RDFS_SUBPROPERTY_OF)
    stated = [(axiom, tbox.objects(axiom.subject, _ON_PROPERTY)) for axiom in tbox.about(kind)]
    for one, properties in stated:
        for other, others in stated:
            if one.object == other.object and any(q in above.get(p, ()) for p in properties for q in others):  # type: ignore[call-overload]
                lower, upper = order(one.subject, other.subject)  # type: ignore[arg-type]
                yield Triple(lower, RDFS_SUBCLASS_OF, upper)
