"""The TBox as a small index: what rule compilers ask of an ontology."""

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import TypeAlias

from pyoxigraph import BlankNode, Literal, NamedNode, Triple

from ontologies.vocab import OWL_MEMBERS, RDF, RDF_FIRST, RDF_NIL, RDF_REST, RDF_TYPE, RDFS, XSD

Node: TypeAlias = NamedNode | BlankNode | Literal | Triple


ANONYMOUS = "urn:muniment:anonymous:"
"""What the IRIs of class expressions and lists without a name begin with."""

_DATATYPES = (XSD, RDF + "langString", RDF + "PlainLiteral", RDFS + "Literal")


def is_datatype(term: NamedNode) -> bool:
    """Tell whether a term is a datatype of OWL 2 RL, which says nothing about individuals."""
    return term.value.startswith(_DATATYPES)


def named(triples: Iterable[Triple]) -> list[Triple]:
    """Return an ontology's triples with an IRI for each blank node, the same for the same description."""
    triples = list(triples)
    described: dict[BlankNode, list[Triple]] = defaultdict(list)
    for triple in triples:
        if isinstance(triple.subject, BlankNode):
            described[triple.subject].append(triple)
    names: dict[BlankNode, NamedNode] = {}

    def name(node: Node, path: frozenset[BlankNode] = frozenset()) -> Node:
        if not isinstance(node, BlankNode):
            return node
        if node not in names:
            if node in path:
                return NamedNode(ANONYMOUS + "loop")
            below = path | {node}
            lines = sorted(f"{t.predicate} {name(t.object, below)}" for t in described[node])
            names[node] = NamedNode(ANONYMOUS + hashlib.sha256("\n".join(lines).encode()).hexdigest()[:32])
        return names[node]

    return list(dict.fromkeys(Triple(name(s), p, name(o)) for s, p, o in triples))  # type: ignore[arg-type]


@dataclass(frozen=True, slots=True)
class TBox:
    """An ontology's triples by predicate and by subject."""

    _by_predicate: dict[NamedNode, list[Triple]] = field(default_factory=lambda: defaultdict(list))
    _objects: dict[tuple[Node, NamedNode], list[Node]] = field(default_factory=lambda: defaultdict(list))

    @classmethod
    def of(cls, triples: Iterable[Triple]) -> "TBox":
        """Return the index of an ontology's triples."""
        tbox = cls()
        for triple in triples:
            tbox._by_predicate[triple.predicate].append(triple)
            tbox._objects[triple.subject, triple.predicate].append(triple.object)
        return tbox

    def axioms(self, predicate: NamedNode) -> Iterator[Triple]:
        """Yield the triples of a predicate that relate two named terms."""
        for triple in self._by_predicate.get(predicate, ()):
            if isinstance(triple.subject, NamedNode) and isinstance(triple.object, NamedNode):
                yield triple

    def lists(self, predicate: NamedNode) -> Iterator[tuple[Triple, tuple[NamedNode, ...]]]:
        """Yield the triples of a predicate whose object is an RDF list of named terms, with its members."""
        for triple in self._by_predicate.get(predicate, ()):
            members = tuple(self.members(triple.object))
            if isinstance(triple.subject, NamedNode) and members:
                yield triple, members

    def about(self, predicate: NamedNode) -> Iterator[Triple]:
        """Yield the triples of a predicate with a named subject, whatever their object."""
        for triple in self._by_predicate.get(predicate, ()):
            if isinstance(triple.subject, NamedNode):
                yield triple

    def groups(self, class_: NamedNode, predicate: NamedNode = OWL_MEMBERS) -> Iterator[tuple[Triple, list[NamedNode]]]:
        """Yield ``(x rdf:type class)`` for each x that lists members, with those."""
        for axiom in self.typed(class_):
            for head in self.objects(axiom.subject, predicate):
                yield axiom, list(self.members(head))

    def mentions(self, class_: NamedNode) -> bool:
        """Tell whether a term is the object of anything."""
        return any(triple.object == class_ for triples in self._by_predicate.values() for triple in triples)

    def typed(self, class_: NamedNode) -> Iterator[Triple]:
        """Yield ``(x rdf:type class)`` for each x, blank ones included."""
        for triple in self._by_predicate.get(RDF_TYPE, ()):
            if triple.object == class_:
                yield triple

    def instances(self, class_: NamedNode) -> Iterator[Triple]:
        """Yield ``(x rdf:type class)`` for each named x."""
        return (triple for triple in self.typed(class_) if isinstance(triple.subject, NamedNode))

    def objects(self, subject: Node, predicate: NamedNode) -> list[Node]:
        """Return the objects of a subject and predicate."""
        return self._objects.get((subject, predicate), [])

    def members(self, head: Node) -> Iterator[NamedNode]:
        """Yield the named members of an RDF list; a list that loops ends where it would repeat."""
        seen: set[Node] = set()
        while head != RDF_NIL and head not in seen:
            seen.add(head)
            for member in self.objects(head, RDF_FIRST):
                if isinstance(member, NamedNode):
                    yield member
            rest = self.objects(head, RDF_REST)
            if not rest:
                return
            head = rest[0]
