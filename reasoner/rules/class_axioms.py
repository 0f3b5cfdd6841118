"""Table 7 of the W3C rules: the semantics of class axioms.

https://www.w3.org/TR/owl2-profiles/#tab-rules-class-axioms
"""

import itertools
from collections.abc import Iterator

from pyoxigraph import NamedNode, Triple

from ontologies.vocab import OWL, OWL_DISJOINT_WITH, RDF_TYPE, RDFS_SUBCLASS_OF
from reasoner.rule import Atom, Rule
from reasoner.tbox import TBox

_EQUIVALENT_CLASS = NamedNode(OWL + "equivalentClass")
_ALL_DISJOINT_CLASSES = NamedNode(OWL + "AllDisjointClasses")


def cax_sco(tbox: TBox) -> Iterator[Rule]:
    """``c rdfs:subClassOf d``: each c is a d."""
    for axiom in tbox.axioms(RDFS_SUBCLASS_OF):
        yield from _included("cax-sco", axiom.subject, axiom.object, axiom)


def cax_eqc(tbox: TBox) -> Iterator[Rule]:
    """``c owl:equivalentClass d``: each c is a d, and each d a c."""
    for axiom in tbox.axioms(_EQUIVALENT_CLASS):
        yield from _included("cax-eqc1", axiom.subject, axiom.object, axiom)
        yield from _included("cax-eqc2", axiom.object, axiom.subject, axiom)


def cax_dw(tbox: TBox) -> Iterator[Rule]:
    """``c owl:disjointWith d``: what is a c and a d is false; likewise of all pairs of ``owl:AllDisjointClasses``."""
    for axiom in tbox.axioms(OWL_DISJOINT_WITH):
        yield _exclusive("cax-dw", axiom.subject, axiom.object, axiom)
    for axiom, members in tbox.groups(_ALL_DISJOINT_CLASSES):
        for first, second in itertools.combinations(members, 2):
            yield _exclusive("cax-adc", first, second, axiom)


RULES = (cax_sco, cax_eqc, cax_dw)


def _included(name: str, lower: object, upper: object, axiom: Triple) -> Iterator[Rule]:
    if isinstance(lower, NamedNode) and isinstance(upper, NamedNode) and lower != upper:
        yield Rule(name, (Atom(0, RDF_TYPE, lower),), Atom(0, RDF_TYPE, upper), 1, axiom)


def _exclusive(name: str, first: object, second: object, axiom: Triple) -> Rule:
    return Rule(name, (Atom(0, RDF_TYPE, first), Atom(0, RDF_TYPE, second)), None, 1, axiom)  # type: ignore[arg-type]
