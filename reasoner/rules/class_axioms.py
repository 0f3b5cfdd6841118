"""Table 7 of the W3C rules: the semantics of class axioms.

https://www.w3.org/TR/owl2-profiles/#tab-rules-class-axioms
"""

from collections.abc import Iterator

from pyoxigraph import NamedNode

from ontologies.vocab import RDF_TYPE, RDFS_SUBCLASS_OF
from reasoner.rule import Atom, Rule
from reasoner.tbox import TBox


def cax_sco(tbox: TBox) -> Iterator[Rule]:
    """``c rdfs:subClassOf d``: each c is a d."""
    for axiom in tbox.axioms(RDFS_SUBCLASS_OF):
        lower, upper = axiom.subject, axiom.object
        if isinstance(lower, NamedNode) and isinstance(upper, NamedNode) and lower != upper:
            yield Rule("cax-sco", (Atom(0, RDF_TYPE, lower),), Atom(0, RDF_TYPE, upper), 1, axiom)


RULES = (cax_sco,)
