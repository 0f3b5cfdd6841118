"""What an instance's own ontology adds to the shipped one: proposed by anybody, tried out, adopted or withdrawn by the owner.

The shipped vocabulary is not changed; an addition is Turtle that is read, shaped and closed with it. What follows changes for
everybody at once, in one transaction.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from pyoxigraph import NamedNode, Quad, RdfFormat, Triple, parse, serialize

from memory.contradict import Contradiction, contradictions
from memory.errors import IncorrectChoiceError, IncorrectTextError
from memory.ids import Instant
from memory.label import Integrity, Label, Layer, Spaces, user
from memory.shapes import conforms
from memory.vocabulary import Vocabulary
from ontologies.files import SHAPES, VOCABULARY, vocabulary
from ontologies.vocab import (
    OWL,
    OWL_DATATYPE_PROPERTY,
    OWL_OBJECT_PROPERTY,
    PREFIXES,
    RDF,
    RDF_TYPE,
    RDFS,
    RDFS_SUBCLASS_OF,
    RDFS_SUBPROPERTY_OF,
)
from reasoner.closure import closure
from reasoner.compile import Program, compile_rules
from reasoner.delta import clashes
from reasoner.source import Index

PROPOSED, ADOPTED, WITHDRAWN = "proposed", "adopted", "withdrawn"
LONGEST = 20_000
"""Characters of one addition."""

MOST = 100
"""Triples of one addition; what follows about classes grows with the square of a hierarchy."""

LARGEST_CYCLE = 3
"""Classes or properties that may be below one another in a circle, which makes them equal."""

_NO_LAST = 1 << 62
_PREFIXES = "".join(f"@prefix {name}: <{iri}> .\n" for name, iri in PREFIXES.items())
_KINDS = frozenset({OWL_OBJECT_PROPERTY, OWL_DATATYPE_PROPERTY})
_IMPORTS = NamedNode(OWL + "imports")


@dataclass(frozen=True, slots=True)
class Addition:
    """Axioms that somebody proposed: their id, who, in Turtle, when, and what became of them last."""

    id: str
    person: str
    turtle: str
    at: Instant
    state: str


@dataclass(frozen=True, slots=True)
class Trial:
    """What adopting axioms would do, as far as somebody may see: inferences that come and go, and what would be false."""

    come: tuple[tuple[Triple, Label], ...]
    go: tuple[tuple[Triple, Label], ...]
    contradictions: tuple[Contradiction, ...]


@dataclass(frozen=True, slots=True)
class Closed:
    """Facts as they were read, and an index of them with all that follows under a program."""

    program: Program
    facts: frozenset[tuple[Triple, Label]]
    index: Index[Label]


def additions(execute: Callable[..., Any], last: int | None = None) -> list[Addition]:
    """Return everything that was proposed, the oldest first, in the state of now or of the entry ``last``."""
    rows = execute(
        "SELECT a.id, a.person, a.turtle, e.at, coalesce((SELECT v.kind FROM axioms_event v WHERE v.axioms = a.id"
        f" AND v.entry <= ?1 ORDER BY v.entry DESC LIMIT 1), '{PROPOSED}') FROM axioms a JOIN entry e ON e.seq = a.entry"
        " WHERE a.turtle <> '' AND a.entry <= ?1 ORDER BY a.entry",
        (_NO_LAST if last is None else last,),
    )
    return [Addition(*row) for row in rows]


def axioms_of(turtle: str) -> tuple[Triple, ...]:
    """Return the triples of an addition; raise ``IncorrectTextError`` for what is no Turtle, or not as words should be.

    The usual prefixes need not be written.
    """
    if len(turtle) > LONGEST:
        message = f"The axioms have {len(turtle):,} characters; at most {LONGEST:,} fit. Nothing was stored."
        raise IncorrectTextError(message)
    try:
        triples = _triples(turtle)
    except (SyntaxError, ValueError) as error:
        message = f"That is no Turtle: {error}. Nothing was stored."
        raise IncorrectTextError(message) from error
    fault = _fault(triples)
    if fault:
        message = f"{fault} Nothing was stored."
        raise IncorrectTextError(message)
    faults = conforms(VOCABULARY.read_bytes() + b"\n" + (_PREFIXES + turtle).encode(), SHAPES)
    if faults:
        message = f"Those axioms do not keep the shapes of the vocabulary. Nothing was stored. {faults}"
        raise IncorrectTextError(message)
    return triples


def _triples(turtle: str) -> tuple[Triple, ...]:
    return tuple(quad.triple for quad in parse(input=_PREFIXES + turtle, format=RdfFormat.TURTLE))


def may_become(addition: Addition, kind: str) -> None:
    """Raise ``IncorrectChoiceError`` where axioms cannot be adopted or withdrawn, since they are that already."""
    if (addition.state == ADOPTED) is (kind == ADOPTED):
        message = f"Those axioms are {addition.state}. Nothing was changed."
        raise IncorrectChoiceError(message)


def plain(turtle: str) -> str:
    """Return an addition's triples alone, without the comments and prefixes in which anything may stand."""
    return (serialize(axioms_of(turtle), format=RdfFormat.TURTLE, prefixes=PREFIXES) or b"").decode()


def _fault(triples: Sequence[Triple]) -> str:
    """Return why triples are no axioms to be taken, in words; empty where they may be."""
    if not triples or any(triple.predicate == _IMPORTS for triple in triples):
        return "There are no axioms in it, or it imports others; write the axioms themselves."
    if len(triples) > MOST:
        return f"It has {len(triples)} triples; at most {MOST} fit in one addition."
    shipped = _shipped_properties()
    for triple in triples:
        if isinstance(triple.subject, NamedNode) and triple.subject.value.startswith((OWL, RDF, RDFS)):
            return f"It says something of {triple.subject}, which is a word of OWL itself."
        if triple.predicate == RDF_TYPE and triple.object in _KINDS and triple.subject in shipped:
            return f"{triple.subject} is a shipped property, and stays what it is."
    if set(compile_rules([*vocabulary(), *triples]).static):
        return "It says something of things, not of words; tell that in a message."
    return "It goes round in a circle of classes or properties, which would all be equal." if _has_circle(triples) else ""


def _shipped_properties() -> frozenset[object]:
    return frozenset(t.subject for t in vocabulary() if t.predicate == RDF_TYPE and t.object in _KINDS)


def _has_circle(triples: Sequence[Triple]) -> bool:
    above: dict[object, set[object]] = {}
    for triple in triples:
        if triple.predicate in (RDFS_SUBCLASS_OF, RDFS_SUBPROPERTY_OF):
            above.setdefault(triple.subject, set()).add(triple.object)

    def reached(start: object) -> set[object]:
        found: set[object] = set()
        agenda = [start]
        while agenda:
            new = above.get(agenda.pop(), set()) - found
            found |= new
            agenda += new
        return found

    reach = {start: reached(start) for start in above}
    return any(
        sum(start in reach.get(other, ()) for other in found) > LARGEST_CYCLE for start, found in reach.items() if start in found
    )


def with_adopted(shipped: Sequence[Triple], found: Iterable[Addition]) -> tuple[Triple, ...]:
    """Return an ontology with all that was adopted and not withdrawn; it was checked when it was proposed."""
    adopted = (triple for addition in found if addition.state == ADOPTED for triple in _triples(addition.turtle))
    return tuple(dict.fromkeys([*shipped, *adopted]))


def close(ontology: Sequence[Triple], order: Spaces, quads: Iterable[tuple[Layer, Label, Quad]]) -> Closed:
    """Return the facts of a graph closed under an ontology."""
    program, index = compile_rules(ontology), Index[Label]()
    facts = frozenset((quad.triple, label) for layer, label, quad in quads if layer is Layer.FACTS)
    for triple, label in facts:
        index.add(triple, label, inferred=False)
    for triple, label in closure(program, order, facts):
        index.add(triple, label, inferred=True)
    return Closed(program, facts, index)


def trial(closed: Closed, order: Spaces, present: Iterable[tuple[Triple, Label]], words: Vocabulary, person: str) -> Trial:
    """Return what the exchange of the present inferences for those of another ontology would do, for one person's eyes."""
    seen = order.clearance(user(person), integrity=Integrity.QUARANTINED)
    then = {(triple, label) for triple, label, inferred in closed.index if inferred and label in seen}
    now = {(triple, label) for triple, label in present if label in seen}
    found = list(clashes(closed.program, order, closed.index, list(closed.index)))
    false = contradictions(closed.program, order, closed.index, found, words)
    return Trial(
        tuple(sorted(then - now, key=str)), tuple(sorted(now - then, key=str)), tuple(c for c in false if c.label in seen)
    )
