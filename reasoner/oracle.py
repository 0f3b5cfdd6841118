"""A second opinion: owlrl closes the same facts and axioms, and what the two conclude is compared. Never while writing."""

from collections.abc import Iterable
from collections.abc import Set as AbstractSet

from pyoxigraph import NamedNode, RdfFormat, Triple, serialize

from ontologies.vocab import OWL_SAME_AS, RDF_TYPE
from reasoner.closure import closure
from reasoner.compile import compile_rules
from reasoner.equality import Equated
from reasoner.source import Index
from reasoner.tbox import ANONYMOUS


class _One:
    """One label for everything."""

    def leq(self, _lower: int, _upper: int, /) -> bool:
        return True

    def join(self, _left: int, _right: int, /) -> tuple[int]:
        return (0,)


def differences(ontology: Iterable[Triple], facts: Iterable[Triple]) -> frozenset[Triple]:
    """Return what owlrl concludes of facts under an ontology and this reasoner does not, and the other way round.

    Compared is what is said of the things of the facts with the words of the ontology; that a thing is itself (``eq-ref``) and
    is an ``owl:Thing`` is left out, as ``reasoner.compile.LEFT_OUT`` says.
    """
    from owlrl import DeductiveClosure, OWLRL_Semantics
    from rdflib import Graph, URIRef

    ontology, facts = list(ontology), list(facts)
    things = {end for triple in facts for end in _ends(triple) if isinstance(end, NamedNode)}
    graph = Graph()
    for part in (ontology, facts):
        graph.parse(data=serialize(part, format=RdfFormat.N_TRIPLES) or b"", format="nt")
    DeductiveClosure(OWLRL_Semantics).expand(graph)  # pyright: ignore[reportUnknownMemberType]
    words = {t.subject for t in ontology} | {OWL_SAME_AS}
    named = ((s, p, o) for s, p, o in graph if isinstance(s, URIRef) and isinstance(o, URIRef))
    theirs = {Triple(*(NamedNode(str(part)) for part in triple)) for triple in named}  # type: ignore[arg-type]
    return frozenset(t for t in theirs ^ _closed(ontology, facts) if _counts(t, things, words))


def _closed(ontology: list[Triple], facts: list[Triple]) -> set[Triple]:
    program, index = compile_rules(ontology), Index[int]()
    stated = [(triple, 0) for triple in dict.fromkeys([*facts, *program.static])]
    for triple, label in stated:
        index.add(triple, label, inferred=False)
    for triple, label in closure(program, _One(), stated):
        index.add(triple, label, inferred=True)
    view = Equated(index, _One())
    found = {variant for triple, _, _ in index for variant, _, _ in view.variants(triple)}
    subjects = {triple.subject for triple in found}
    return found | {s.triple for subject in subjects for s in view.statements(subject, OWL_SAME_AS, None)}  # type: ignore[arg-type]


def _counts(triple: Triple, things: AbstractSet[NamedNode], words: AbstractSet[object]) -> bool:
    subject, predicate, object_ = triple
    if subject not in things or not isinstance(object_, NamedNode) or object_.value.startswith(ANONYMOUS):
        return False
    if predicate == RDF_TYPE:
        return object_ in words
    return predicate in words and not (predicate == OWL_SAME_AS and subject == object_)


def _ends(triple: Triple) -> tuple[object, object]:
    return triple.subject, triple.subject if triple.predicate == RDF_TYPE else triple.object
