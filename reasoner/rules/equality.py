"""Table 4 of the W3C rules: the semantics of equality.

``eq-sym``, ``eq-trans``, ``eq-rep-s`` and ``eq-rep-o`` are no compiled rules: ``reasoner.equality`` lets every join match a thing
under each of its names. https://www.w3.org/TR/owl2-profiles/#tab-rules-equality
"""

import itertools
from collections.abc import Iterator

from pyoxigraph import NamedNode, Triple

from ontologies.vocab import OWL, OWL_DIFFERENT_FROM, OWL_SAME_AS, RDF_TYPE
from reasoner.rule import Atom, Rule
from reasoner.tbox import TBox

_ALL_DIFFERENT = NamedNode(OWL + "AllDifferent")
_DISTINCT_MEMBERS = NamedNode(OWL + "distinctMembers")


def eq_diff1(_tbox: TBox) -> Iterator[Rule]:
    """What is the same and different is false."""
    axiom = Triple(OWL_DIFFERENT_FROM, RDF_TYPE, NamedNode(OWL + "ObjectProperty"))
    yield Rule("eq-diff1", (Atom(0, OWL_DIFFERENT_FROM, 1), Atom(0, OWL_SAME_AS, 1)), None, 2, axiom)
    yield Rule("eq-diff1", (Atom(0, OWL_DIFFERENT_FROM, 0),), None, 1, axiom)


def eq_diff2(tbox: TBox) -> Iterator[Rule]:
    """``owl:AllDifferent``: two of its members that are the same are false (``eq-diff2``, ``eq-diff3``)."""
    for name, lists in (("eq-diff2", tbox.groups(_ALL_DIFFERENT)), ("eq-diff3", tbox.groups(_ALL_DIFFERENT, _DISTINCT_MEMBERS))):
        for axiom, members in lists:
            for first, second in itertools.combinations(members, 2):
                yield Rule(name, (Atom(first, OWL_SAME_AS, second),), None, 0, axiom)


RULES = (eq_diff1, eq_diff2)
