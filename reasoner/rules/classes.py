"""Table 6 of the W3C rules: the semantics of classes.

https://www.w3.org/TR/owl2-profiles/#tab-rules-classes
"""

from collections.abc import Iterator

from pyoxigraph import Literal, NamedNode, Triple

from ontologies.vocab import OWL, OWL_NOTHING, OWL_SAME_AS, OWL_THING, RDF_TYPE
from reasoner.rule import Atom, Differ, Outside, Rule
from reasoner.tbox import TBox, is_datatype

_INTERSECTION_OF = NamedNode(OWL + "intersectionOf")
_UNION_OF = NamedNode(OWL + "unionOf")
_COMPLEMENT_OF = NamedNode(OWL + "complementOf")
_SOME_VALUES_FROM = NamedNode(OWL + "someValuesFrom")
_ALL_VALUES_FROM = NamedNode(OWL + "allValuesFrom")
_HAS_VALUE = NamedNode(OWL + "hasValue")
_MAX_CARDINALITY = NamedNode(OWL + "maxCardinality")
_MAX_QUALIFIED = NamedNode(OWL + "maxQualifiedCardinality")
_ON_PROPERTY = NamedNode(OWL + "onProperty")
_ON_CLASS = NamedNode(OWL + "onClass")


def cls_nothing(tbox: TBox) -> Iterator[Rule]:
    """Nothing is an ``owl:Nothing``; compiled only where something could be."""
    if tbox.mentions(OWL_NOTHING):
        axiom = Triple(OWL_NOTHING, RDF_TYPE, NamedNode(OWL + "Class"))
        yield Rule("cls-nothing2", (Atom(0, RDF_TYPE, OWL_NOTHING),), None, 1, axiom)


def cls_int(tbox: TBox) -> Iterator[Rule]:
    """``c owl:intersectionOf (c1 ... cn)``: what is all of them is a c, and each c is each of them."""
    for axiom, members in tbox.lists(_INTERSECTION_OF):
        class_ = _class(axiom)
        yield Rule("cls-int1", tuple(Atom(0, RDF_TYPE, member) for member in members), Atom(0, RDF_TYPE, class_), 1, axiom)
        for member in members:
            yield Rule("cls-int2", (Atom(0, RDF_TYPE, class_),), Atom(0, RDF_TYPE, member), 1, axiom)


def cls_uni(tbox: TBox) -> Iterator[Rule]:
    """``c owl:unionOf (c1 ... cn)``: what is any of them is a c."""
    for axiom, members in tbox.lists(_UNION_OF):
        for member in members:
            yield Rule("cls-uni", (Atom(0, RDF_TYPE, member),), Atom(0, RDF_TYPE, _class(axiom)), 1, axiom)


def cls_com(tbox: TBox) -> Iterator[Rule]:
    """``c owl:complementOf d``: what is a c and a d is false."""
    for axiom in tbox.axioms(_COMPLEMENT_OF):
        body = (Atom(0, RDF_TYPE, _class(axiom)), Atom(0, RDF_TYPE, axiom.object))  # type: ignore[arg-type]
        yield Rule("cls-com", body, None, 1, axiom)


def cls_svf(tbox: TBox) -> Iterator[Rule]:
    """``x owl:someValuesFrom y`` on p: what has a p that is a y is an x; any p will do where y is ``owl:Thing``."""
    for axiom, property_ in _restrictions(tbox, _SOME_VALUES_FROM):
        filler, head = axiom.object, Atom(0, RDF_TYPE, _class(axiom))
        if filler == OWL_THING:
            yield Rule("cls-svf2", (Atom(0, property_, 1),), head, 2, axiom)
        elif isinstance(filler, NamedNode) and not is_datatype(filler):
            yield Rule("cls-svf1", (Atom(0, property_, 1), Atom(1, RDF_TYPE, filler)), head, 2, axiom)


def cls_avf(tbox: TBox) -> Iterator[Rule]:
    """``x owl:allValuesFrom y`` on p: each p of an x is a y; a value that is none of a datatype is false."""
    for axiom, property_ in _restrictions(tbox, _ALL_VALUES_FROM):
        filler = axiom.object
        body = (Atom(0, RDF_TYPE, _class(axiom)), Atom(0, property_, 1))
        if isinstance(filler, NamedNode) and is_datatype(filler):
            yield Rule("cls-avf", body, None, 2, axiom, (Outside(1, filler),))
        elif isinstance(filler, NamedNode):
            yield Rule("cls-avf", body, Atom(1, RDF_TYPE, filler), 2, axiom)


def cls_hv(tbox: TBox) -> Iterator[Rule]:
    """``x owl:hasValue y`` on p: each x has y as a p, and what has is an x."""
    for axiom, property_ in _restrictions(tbox, _HAS_VALUE):
        is_one, has_it = Atom(0, RDF_TYPE, _class(axiom)), Atom(0, property_, axiom.object)  # type: ignore[arg-type]
        yield Rule("cls-hv1", (is_one,), has_it, 1, axiom)
        yield Rule("cls-hv2", (has_it,), is_one, 1, axiom)


def cls_maxc(tbox: TBox) -> Iterator[Rule]:
    """``x owl:maxCardinality n`` on p: with none allowed one is false, and with one allowed two are one."""
    for axiom, property_ in _restrictions(tbox, _MAX_CARDINALITY):
        is_one, limit = Atom(0, RDF_TYPE, _class(axiom)), _number(axiom.object)
        if limit == 0:
            yield Rule("cls-maxc1", (is_one, Atom(0, property_, 1)), None, 2, axiom)
        elif limit == 1:
            yield from _two_are_one("cls-maxc2", (is_one, Atom(0, property_, 1), Atom(0, property_, 2)), axiom)


def cls_maxqc(tbox: TBox) -> Iterator[Rule]:
    """``x owl:maxQualifiedCardinality n`` on p and c: the same, counting what is a c; all where c is ``owl:Thing``."""
    for axiom, property_ in _restrictions(tbox, _MAX_QUALIFIED):
        is_one, limit = Atom(0, RDF_TYPE, _class(axiom)), _number(axiom.object)
        for class_ in tbox.objects(axiom.subject, _ON_CLASS):
            if not isinstance(class_, NamedNode):
                continue
            counted = [() if class_ == OWL_THING else (Atom(at, RDF_TYPE, class_),) for at in (1, 2)]
            if limit == 0:
                name = "cls-maxqc2" if class_ == OWL_THING else "cls-maxqc1"
                yield Rule(name, (is_one, Atom(0, property_, 1), *counted[0]), None, 2, axiom)
            elif limit == 1:
                name = "cls-maxqc4" if class_ == OWL_THING else "cls-maxqc3"
                body = (is_one, Atom(0, property_, 1), *counted[0], Atom(0, property_, 2), *counted[1])
                yield from _two_are_one(name, body, axiom)


RULES = (cls_nothing, cls_int, cls_uni, cls_com, cls_svf, cls_avf, cls_hv, cls_maxc, cls_maxqc)


def _two_are_one(name: str, body: tuple[Atom, ...], axiom: Triple) -> Iterator[Rule]:
    yield Rule(name, body, Atom(1, OWL_SAME_AS, 2), 3, axiom)
    yield Rule(name, body, None, 3, axiom, (Differ(1, 2),))


def _restrictions(tbox: TBox, kind: NamedNode) -> Iterator[tuple[Triple, NamedNode]]:
    for axiom in tbox.about(kind):
        for property_ in tbox.objects(axiom.subject, _ON_PROPERTY):
            if isinstance(property_, NamedNode):
                yield axiom, property_


def _class(axiom: Triple) -> NamedNode:
    return axiom.subject  # type: ignore[return-value]


def _number(term: object) -> int | None:
    return int(term.value) if isinstance(term, Literal) and term.value.isdecimal() else None
