"""Table 5 of the W3C rules: the semantics of axioms about properties.

https://www.w3.org/TR/owl2-profiles/#tab-rules-properties
"""

import itertools
from collections.abc import Iterator

from pyoxigraph import NamedNode, Triple

from ontologies.vocab import (
    OWL,
    OWL_INVERSE_OF,
    OWL_PROPERTY_CHAIN_AXIOM,
    OWL_SAME_AS,
    OWL_SYMMETRIC_PROPERTY,
    OWL_TRANSITIVE_PROPERTY,
    RDF_TYPE,
    RDFS_DOMAIN,
    RDFS_RANGE,
    RDFS_SUBPROPERTY_OF,
)
from reasoner.rule import Atom, Differ, Outside, Rule
from reasoner.tbox import TBox, is_datatype

_FUNCTIONAL = NamedNode(OWL + "FunctionalProperty")
_INVERSE_FUNCTIONAL = NamedNode(OWL + "InverseFunctionalProperty")
_IRREFLEXIVE = NamedNode(OWL + "IrreflexiveProperty")
_ASYMMETRIC = NamedNode(OWL + "AsymmetricProperty")
_EQUIVALENT_PROPERTY = NamedNode(OWL + "equivalentProperty")
_PROPERTY_DISJOINT_WITH = NamedNode(OWL + "propertyDisjointWith")
_ALL_DISJOINT_PROPERTIES = NamedNode(OWL + "AllDisjointProperties")
_HAS_KEY = NamedNode(OWL + "hasKey")
_NEGATIVE_ASSERTION = NamedNode(OWL + "NegativePropertyAssertion")
_SOURCE_INDIVIDUAL = NamedNode(OWL + "sourceIndividual")
_ASSERTION_PROPERTY = NamedNode(OWL + "assertionProperty")
_TARGET_INDIVIDUAL = NamedNode(OWL + "targetIndividual")
_TARGET_VALUE = NamedNode(OWL + "targetValue")


def prp_dom(tbox: TBox) -> Iterator[Rule]:
    """``p rdfs:domain c``: the subject of p is a c."""
    for axiom in tbox.axioms(RDFS_DOMAIN):
        yield Rule("prp-dom", (Atom(0, _named(axiom.subject), 1),), Atom(0, RDF_TYPE, _named(axiom.object)), 2, axiom)


def prp_rng(tbox: TBox) -> Iterator[Rule]:
    """``p rdfs:range c``: the object of p is a c; a value that is none of a datatype is false."""
    for axiom in tbox.axioms(RDFS_RANGE):
        body, range_ = (Atom(0, _named(axiom.subject), 1),), _named(axiom.object)
        if is_datatype(range_):
            yield Rule("prp-rng", body, None, 2, axiom, (Outside(1, range_),))
        else:
            yield Rule("prp-rng", body, Atom(1, RDF_TYPE, range_), 2, axiom)


def prp_symp(tbox: TBox) -> Iterator[Rule]:
    """``p a owl:SymmetricProperty``: x p y gives y p x."""
    for axiom in tbox.instances(OWL_SYMMETRIC_PROPERTY):
        property_ = _named(axiom.subject)
        yield Rule("prp-symp", (Atom(0, property_, 1),), Atom(1, property_, 0), 2, axiom)


def prp_trp(tbox: TBox) -> Iterator[Rule]:
    """``p a owl:TransitiveProperty``: x p y and y p z give x p z."""
    for axiom in tbox.instances(OWL_TRANSITIVE_PROPERTY):
        property_ = _named(axiom.subject)
        yield Rule("prp-trp", (Atom(0, property_, 1), Atom(1, property_, 2)), Atom(0, property_, 2), 3, axiom)


def prp_spo1(tbox: TBox) -> Iterator[Rule]:
    """``p rdfs:subPropertyOf q``: x p y gives x q y."""
    for axiom in tbox.axioms(RDFS_SUBPROPERTY_OF):
        if axiom.subject != axiom.object:
            yield Rule("prp-spo1", (Atom(0, _named(axiom.subject), 1),), Atom(0, _named(axiom.object), 1), 2, axiom)


def prp_spo2(tbox: TBox) -> Iterator[Rule]:
    """``p owl:propertyChainAxiom (p1 ... pn)``: u0 p1 u1 ... pn un gives u0 p un."""
    for axiom, chain in tbox.lists(OWL_PROPERTY_CHAIN_AXIOM):
        body = tuple(Atom(position, property_, position + 1) for position, property_ in enumerate(chain))
        yield Rule("prp-spo2", body, Atom(0, _named(axiom.subject), len(chain)), len(chain) + 1, axiom)


def prp_inv1(tbox: TBox) -> Iterator[Rule]:
    """``p owl:inverseOf q``: x p y gives y q x."""
    for axiom in tbox.axioms(OWL_INVERSE_OF):
        yield Rule("prp-inv1", (Atom(0, _named(axiom.subject), 1),), Atom(1, _named(axiom.object), 0), 2, axiom)


def prp_inv2(tbox: TBox) -> Iterator[Rule]:
    """``p owl:inverseOf q``: x q y gives y p x."""
    for axiom in tbox.axioms(OWL_INVERSE_OF):
        yield Rule("prp-inv2", (Atom(0, _named(axiom.object), 1),), Atom(1, _named(axiom.subject), 0), 2, axiom)


def prp_fp(tbox: TBox) -> Iterator[Rule]:
    """``p a owl:FunctionalProperty``: x p y1 and x p y2 are about one y; two different values are false."""
    for axiom in tbox.instances(_FUNCTIONAL):
        property_ = _named(axiom.subject)
        body = (Atom(0, property_, 1), Atom(0, property_, 2))
        yield Rule("prp-fp", body, Atom(1, OWL_SAME_AS, 2), 3, axiom)
        yield Rule("prp-fp", body, None, 3, axiom, (Differ(1, 2),))


def prp_ifp(tbox: TBox) -> Iterator[Rule]:
    """``p a owl:InverseFunctionalProperty``: x1 p y and x2 p y are about one x."""
    for axiom in tbox.instances(_INVERSE_FUNCTIONAL):
        property_ = _named(axiom.subject)
        yield Rule("prp-ifp", (Atom(0, property_, 2), Atom(1, property_, 2)), Atom(0, OWL_SAME_AS, 1), 3, axiom)


def prp_irp(tbox: TBox) -> Iterator[Rule]:
    """``p a owl:IrreflexiveProperty``: x p x is false."""
    for axiom in tbox.instances(_IRREFLEXIVE):
        yield Rule("prp-irp", (Atom(0, _named(axiom.subject), 0),), None, 1, axiom)


def prp_asyp(tbox: TBox) -> Iterator[Rule]:
    """``p a owl:AsymmetricProperty``: x p y beside y p x is false."""
    for axiom in tbox.instances(_ASYMMETRIC):
        property_ = _named(axiom.subject)
        yield Rule("prp-asyp", (Atom(0, property_, 1), Atom(1, property_, 0)), None, 2, axiom)


def prp_eqp(tbox: TBox) -> Iterator[Rule]:
    """``p owl:equivalentProperty q``: x p y gives x q y, and the other way round."""
    for axiom in tbox.axioms(_EQUIVALENT_PROPERTY):
        first, second = _named(axiom.subject), _named(axiom.object)
        if first != second:
            yield Rule("prp-eqp1", (Atom(0, first, 1),), Atom(0, second, 1), 2, axiom)
            yield Rule("prp-eqp2", (Atom(0, second, 1),), Atom(0, first, 1), 2, axiom)


def prp_pdw(tbox: TBox) -> Iterator[Rule]:
    """``p owl:propertyDisjointWith q``: x p y beside x q y is false; likewise of all pairs of ``owl:AllDisjointProperties``."""
    for axiom in tbox.axioms(_PROPERTY_DISJOINT_WITH):
        yield _exclusive("prp-pdw", _named(axiom.subject), _named(axiom.object), axiom)
    for axiom, members in tbox.groups(_ALL_DISJOINT_PROPERTIES):
        for first, second in itertools.combinations(members, 2):
            yield _exclusive("prp-adp", first, second, axiom)


def prp_key(tbox: TBox) -> Iterator[Rule]:
    """``c owl:hasKey (p1 ... pn)``: two of c with a common value of each p are one."""
    for axiom, properties in tbox.lists(_HAS_KEY):
        class_ = _named(axiom.subject)
        body = [Atom(0, RDF_TYPE, class_), Atom(1, RDF_TYPE, class_)]
        for number, property_ in enumerate(properties, 2):
            body += [Atom(0, property_, number), Atom(1, property_, number)]
        yield Rule("prp-key", tuple(body), Atom(0, OWL_SAME_AS, 1), 2 + len(properties), axiom)


def prp_npa(tbox: TBox) -> Iterator[Rule]:
    """A negative property assertion: what it denies is false."""
    for axiom in tbox.typed(_NEGATIVE_ASSERTION):
        for source in tbox.objects(axiom.subject, _SOURCE_INDIVIDUAL):
            for property_ in tbox.objects(axiom.subject, _ASSERTION_PROPERTY):
                for name, target in (("prp-npa1", _TARGET_INDIVIDUAL), ("prp-npa2", _TARGET_VALUE)):
                    for value in tbox.objects(axiom.subject, target):
                        body = (Atom(_named(source), _named(property_), value),)  # type: ignore[arg-type]
                        yield Rule(name, body, None, 0, axiom)


RULES = (
    prp_dom, prp_rng, prp_fp, prp_ifp, prp_irp, prp_symp, prp_asyp, prp_trp, prp_spo1, prp_spo2, prp_eqp, prp_pdw, prp_inv1,
    prp_inv2, prp_key, prp_npa,
)  # fmt: skip


def _exclusive(name: str, first: NamedNode, second: NamedNode, axiom: Triple) -> Rule:
    return Rule(name, (Atom(0, first, 1), Atom(0, second, 1)), None, 2, axiom)


def _named(node: object) -> NamedNode:
    if not isinstance(node, NamedNode):
        message = f"not a named property or class: {node}"
        raise TypeError(message)
    return node
