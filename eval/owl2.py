"""The W3C's OWL 2 test cases of the RL profile, by their RDF-based semantics, run through the reasoner.

The cases are read from ``MUNIMENT_SHARED`` (default ``../shared``), ``data/owl2/all.rdf``. Entailment, non-entailment,
consistency and inconsistency are counted apart: a reasoner that concludes nothing passes half of them.
https://www.w3.org/TR/owl2-test/
"""

import itertools
import os
import sys
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from pyoxigraph import BlankNode, Literal, NamedNode, Triple
from rdflib import BNode, Graph, URIRef
from rdflib import Literal as Value
from rdflib.namespace import RDF

from bootstrap.figures import Figures, options
from ontologies.vocab import OWL, OWL_DIFFERENT_FROM, OWL_SAME_AS, RDF_FIRST, RDF_REST, RDF_TYPE
from reasoner.closure import closure
from reasoner.compile import Program, compile_rules
from reasoner.delta import clashes
from reasoner.equality import Equated
from reasoner.source import Index, QuadSource
from reasoner.tbox import named

_TEST = "http://www.w3.org/2007/OWL/testOntology#"
_KINDS = {
    "PositiveEntailmentTest": "entailment",
    "NegativeEntailmentTest": "non-entailment",
    "ConsistencyTest": "consistency",
    "InconsistencyTest": "inconsistency",
}
_DECLARATIONS = frozenset(
    {"Ontology", "Class", "ObjectProperty", "DatatypeProperty", "NamedIndividual", "Thing", "AnnotationProperty"}
)
_COMPLEMENT = NamedNode(OWL + "complementOf")
_DISTINCT = NamedNode(OWL + "distinctMembers")
_ALL_DIFFERENT = NamedNode(OWL + "AllDifferent")
_NOTHING_SAID = frozenset({NamedNode(OWL + "imports"), NamedNode(OWL + "versionInfo")})

BEYOND = {
    (
        "chain2trans1",
        "entailment",
    ): "that a property is transitive is no conclusion of a rule; the rules do what transitivity asks",
    ("New-Feature-ReflexiveProperty-001", "entailment"): "reflexive properties are not part of OWL 2 RL",
    ("WebOnt-I4.6-003", "entailment"): "two classes that are the same: eq-rep of words of the ontology is left out",
    ("WebOnt-I5.5-005", "entailment"): "that every class has a union is a comprehension principle, and no rule's",
    ("WebOnt-I5.8-006", "entailment"): "that one datatype lies in another is no rule's",
    ("WebOnt-I5.8-008", "entailment"): "as WebOnt-I5.8-006",
    ("WebOnt-I5.8-009", "entailment"): "as WebOnt-I5.8-006",
    ("WebOnt-I5.8-011", "entailment"): "dt-type1 is left out: a datatype is one whether or not a triple says so",
    ("WebOnt-imports-011", "entailment"): "the premise is imported from the web",
}
"""The checks that the rules do not pass, each with the reason."""


@dataclass(frozen=True, slots=True)
class Case:
    """A check of a test case: its name, what it checks, the premise, and what follows or does not."""

    name: str
    kind: str
    premise: tuple[Triple, ...]
    conclusion: tuple[Triple, ...] = ()


class _One:
    """One label for everything."""

    def leq(self, _lower: int, _upper: int, /) -> bool:
        """Tell that everybody sees everything."""
        return True

    def join(self, _left: int, _right: int, /) -> Sequence[int]:
        """Return the one label."""
        return (0,)


def cases() -> Iterator[Case]:
    """Yield every check of the cases of the RL profile that have RDF-based semantics; raise ``FileNotFoundError``."""
    path = Path(os.environ.get("MUNIMENT_SHARED", Path(__file__).parents[2] / "shared")) / "data" / "owl2" / "all.rdf"
    graph = Graph().parse(path, format="xml")
    for case in sorted(map(str, graph.subjects(RDF.type, URIRef(_TEST + "TestCase")))):
        yield from _checks(graph, URIRef(case))


def _checks(graph: Graph, case: URIRef) -> Iterator[Case]:
    says = {(p, o) for p, o in graph.predicate_objects(case)}
    if (
        not {(URIRef(_TEST + "profile"), URIRef(_TEST + "RL")), (URIRef(_TEST + "semantics"), URIRef(_TEST + "RDF-BASED"))}
        <= says
    ):
        return
    name = str(graph.value(case, URIRef(_TEST + "identifier")))
    premise = _ontology(graph, case, "rdfXmlPremiseOntology")
    if premise is None:
        return
    for type_, kind in _KINDS.items():
        if (RDF.type, URIRef(_TEST + type_)) in says:
            wanted = {"entailment": "rdfXmlConclusionOntology", "non-entailment": "rdfXmlNonConclusionOntology"}.get(kind)
            conclusion = _ontology(graph, case, wanted) if wanted else ()
            if conclusion is not None:
                yield Case(name, kind, premise, conclusion)


def passes(case: Case) -> bool:
    """Tell whether the reasoner does with a case as it should.

    That something is not so has no rule: it follows where its contrary is false.
    """
    is_false, program, index = _closed(case.premise)
    match case.kind:
        case "consistency":
            return not is_false
        case "inconsistency":
            return is_false
        case _:
            follows = is_false or all(_closed([*case.premise, *contrary])[0] for contrary in _contraries(case.conclusion))
            rest = [triple for triple in case.conclusion if not _denies(triple, case.conclusion)]
            follows = follows and (is_false or _entails(program, Equated(index, _One()), rest))
            return follows is (case.kind == "entailment")


def _closed(premise: Sequence[Triple]) -> tuple[bool, Program, Index[int]]:
    """Return whether an ontology is false, its program, and all that follows."""
    facts = named(premise)
    program = compile_rules(facts)
    order, index = _One(), Index[int]()
    stated = [(triple, 0) for triple in dict.fromkeys([*facts, *program.static])]
    for triple, label in stated:
        index.add(triple, label, inferred=False)
    for triple, label in closure(program, order, stated):
        index.add(triple, label, inferred=True)
    return next(clashes(program, order, index, list(index)), None) is not None, program, index


def _contraries(conclusion: Sequence[Triple]) -> Iterator[list[Triple]]:
    """Yield what each denial in a conclusion says cannot be."""
    members = {triple.subject: triple for triple in conclusion if triple.predicate == _DISTINCT}
    complements = {triple.subject: triple.object for triple in conclusion if triple.predicate == _COMPLEMENT}
    for triple in conclusion:
        if triple.predicate == OWL_DIFFERENT_FROM:
            yield [Triple(triple.subject, OWL_SAME_AS, triple.object)]
        elif triple.predicate == RDF_TYPE and triple.object in complements:
            yield [Triple(triple.subject, RDF_TYPE, complements[triple.object])]  # type: ignore[index]
    for triple in members.values():
        for one, other in itertools.combinations(_listed(conclusion, triple.object), 2):
            yield [Triple(one, OWL_SAME_AS, other)]  # type: ignore[arg-type]


def _denies(triple: Triple, conclusion: Sequence[Triple]) -> bool:
    """Tell whether a triple is a part of a denial."""
    complements = {t.subject for t in conclusion if t.predicate == _COMPLEMENT}
    lists = any(t.predicate == _DISTINCT for t in conclusion) and triple.predicate in {RDF_FIRST, RDF_REST}
    is_denial = triple.predicate in {OWL_DIFFERENT_FROM, _COMPLEMENT, _DISTINCT} or triple.object == _ALL_DIFFERENT
    return lists or is_denial or (triple.predicate == RDF_TYPE and triple.object in complements)


def _listed(graph: Sequence[Triple], head: object) -> list[object]:
    """Return the members of a list of a graph."""
    following = {(t.subject, t.predicate): t.object for t in graph}
    members: list[object] = []
    while (head, RDF_FIRST) in following:
        members.append(following[head, RDF_FIRST])  # type: ignore[index]
        head = following[head, RDF_REST]  # type: ignore[index]
    return members


def _entails(program: Program, view: Equated[int], conclusion: Sequence[Triple]) -> bool:
    """Tell whether a graph follows: whether its blank nodes can be read as something that is there."""
    schema = Index[int]()
    for triple in program.schema:
        schema.add(triple, 0, inferred=True)
    wanted = [triple for triple in conclusion if not _is_declaration(triple)]
    return _match(wanted, {}, [view, schema])


def _match(wanted: Sequence[Triple], bound: dict[BlankNode, object], sources: Sequence[QuadSource[int]]) -> bool:
    if not wanted:
        return True
    first, *rest = sorted(wanted, key=lambda t: sum(isinstance(n, BlankNode) and n not in bound for n in (t.subject, t.object)))
    ends = [bound.get(n, n) if isinstance(n, BlankNode) else n for n in (first.subject, first.object)]
    subject, object_ = (None if isinstance(end, BlankNode) else end for end in ends)
    if first.predicate == OWL_SAME_AS and subject is not None and subject == object_:
        return _match(rest, bound, sources)
    for source in sources:
        for statement in source.statements(subject, first.predicate, object_):  # type: ignore[arg-type]
            pairs = ((first.subject, statement.triple.subject), (first.object, statement.triple.object))
            if _match(rest, {**bound, **{node: term for node, term in pairs if isinstance(node, BlankNode)}}, sources):
                return True
    return False


def _is_declaration(triple: Triple) -> bool:
    is_kind = triple.predicate == RDF_TYPE and isinstance(triple.object, NamedNode)
    return triple.predicate in _NOTHING_SAID or (
        is_kind and triple.object.value.removeprefix(OWL) in _DECLARATIONS and triple.object.value.startswith(OWL)  # type: ignore[union-attr]
    )


def _ontology(graph: Graph, case: URIRef, predicate: str) -> tuple[Triple, ...] | None:
    text = graph.value(case, URIRef(_TEST + predicate))
    if text is None:
        return None
    read = Graph().parse(data=str(text), format="xml")
    return tuple(Triple(_term(s), _term(p), _term(o)) for s, p, o in read)  # type: ignore[arg-type]


def _term(node: object) -> NamedNode | BlankNode | Literal:
    match node:
        case URIRef():
            return NamedNode(str(node))
        case BNode():
            return BlankNode(str(node))
        case Value():
            if node.language:
                return Literal(str(node), language=node.language)
            return Literal(str(node), datatype=NamedNode(str(node.datatype))) if node.datatype else Literal(str(node))
        case _:
            raise TypeError(node)


def main() -> int:
    """Run every check; print the figures, and each failure that has no reason."""
    given = options(__doc__ or "").parse_args()
    figures = Figures(given.check)
    try:
        found = list(cases())
    except FileNotFoundError as error:
        print(f"{error}; name the folder in MUNIMENT_SHARED. Nothing was measured.", file=sys.stderr)
        return 2
    results: dict[str, list[bool]] = defaultdict(list)
    unexplained = 0
    for case in found:
        right = passes(case)
        results[case.kind].append(right)
        if not right and (case.name, case.kind) not in BEYOND:
            unexplained += 1
            print(f"{case.kind}: {case.name}", file=sys.stderr)
    for kind, right in results.items():
        figures.put(f"{kind}: passed of {len(right)}", sum(right), "count")
    figures.put("failures without a reason", unexplained, "count", at_most=0)
    return figures.exit_code()


if __name__ == "__main__":
    sys.exit(main())
