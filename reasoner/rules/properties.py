"""Table 5 of the W3C rules: the semantics of axioms about properties.

https://www.w3.org/TR/owl2-profiles/#tab-rules-properties
"""

from collections.abc import Iterator

from pyoxigraph import NamedNode

from ontologies.vocab import (
    OWL_INVERSE_OF,
    OWL_PROPERTY_CHAIN_AXIOM,
    OWL_SYMMETRIC_PROPERTY,
    OWL_TRANSITIVE_PROPERTY,
    RDF,
    RDF_TYPE,
    RDFS,
    RDFS_DOMAIN,
    RDFS_RANGE,
    RDFS_SUBPROPERTY_OF,
    XSD,
)
from reasoner.rule import Atom, Rule
from reasoner.tbox import TBox

DATATYPES = (XSD, RDF + "langString", RDF + "PlainLiteral", RDFS + "Literal")


def prp_dom(tbox: TBox) -> Iterator[Rule]:
    """``p rdfs:domain c``: the subject of p is a c."""
    for axiom in tbox.axioms(RDFS_DOMAIN):
        yield Rule("prp-dom", (Atom(0, _named(axiom.subject), 1),), Atom(0, RDF_TYPE, _named(axiom.object)), 2, axiom)


def prp_rng(tbox: TBox) -> Iterator[Rule]:
    """``p rdfs:range c``: the object of p is a c. Datatypes say nothing about individuals and are left out."""
    for axiom in tbox.axioms(RDFS_RANGE):
        range_ = _named(axiom.object)
        if not range_.value.startswith(DATATYPES):
            yield Rule("prp-rng", (Atom(0, _named(axiom.subject), 1),), Atom(1, RDF_TYPE, range_), 2, axiom)


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


RULES = (prp_dom, prp_rng, prp_symp, prp_trp, prp_spo1, prp_spo2, prp_inv1, prp_inv2)


def _named(node: object) -> NamedNode:
    if not isinstance(node, NamedNode):
        message = f"not a named property or class: {node}"
        raise TypeError(message)
    return node
