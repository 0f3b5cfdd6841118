"""What an instance's own ontology adds to the shipped one: proposed by anybody, tried out, adopted or withdrawn by the owner.

The shipped vocabulary is not changed; an addition is Turtle that is read, shaped and closed with it. What follows changes for
everybody at once, in one transaction.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from pyoxigraph import NamedNode, Quad, RdfFormat, Triple, parse

from memory.contradict import Contradiction, contradictions
from memory.errors import IncorrectTextError
from memory.ids import Instant
from memory.label import Integrity, Label, Layer, Spaces, user
from memory.shapes import conforms
from memory.vocabulary import Vocabulary
from ontologies.files import SHAPES, VOCABULARY
from ontologies.vocab import OWL
from reasoner.closure import closure
from reasoner.compile import Program, compile_rules
from reasoner.delta import clashes
from reasoner.source import Index

PROPOSED, ADOPTED, WITHDRAWN = "proposed", "adopted", "withdrawn"
LONGEST = 20_000
"""Characters of one addition."""

_PREFIXES = """@prefix : <https://w3id.org/muniment#> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix skos: <http://www.w3.org/2004/02/skos/core#> . @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
"""
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


def additions(execute: Callable[..., Any]) -> list[Addition]:
    """Return everything that was proposed, the oldest first."""
    rows = execute(
        "SELECT a.id, a.person, a.turtle, e.at, coalesce((SELECT v.kind FROM axioms_event v WHERE v.axioms = a.id"
        f" ORDER BY v.entry DESC LIMIT 1), '{PROPOSED}') FROM axioms a JOIN entry e ON e.seq = a.entry ORDER BY a.entry"
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
        triples = tuple(quad.triple for quad in parse(input=_PREFIXES + turtle, format=RdfFormat.TURTLE))
    except (SyntaxError, ValueError) as error:
        message = f"That is no Turtle: {error}. Nothing was stored."
        raise IncorrectTextError(message) from error
    if not triples or any(triple.predicate == _IMPORTS for triple in triples):
        message = "There are no axioms in it, or it imports others. Nothing was stored; write the axioms themselves."
        raise IncorrectTextError(message)
    if compile_rules(triples).static:
        message = "It says something of things, not of words; tell that in a message. Nothing was stored."
        raise IncorrectTextError(message)
    faults = conforms(VOCABULARY.read_bytes() + b"\n" + (_PREFIXES + turtle).encode(), SHAPES)
    if faults:
        message = f"Those axioms do not keep the shapes of the vocabulary. Nothing was stored. {faults}"
        raise IncorrectTextError(message)
    return triples


def with_adopted(shipped: Sequence[Triple], found: Iterable[Addition]) -> tuple[Triple, ...]:
    """Return an ontology with all that was adopted and not withdrawn."""
    adopted = (triple for addition in found if addition.state == ADOPTED for triple in axioms_of(addition.turtle))
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


def trial(closed: Closed, order: Spaces, present: Iterable[tuple[Triple, Label]], vocabulary: Vocabulary, person: str) -> Trial:
    """Return what the exchange of the present inferences for those of another ontology would do, for one person's eyes."""
    seen = order.clearance(user(person), integrity=Integrity.QUARANTINED)
    then = {(triple, label) for triple, label, inferred in closed.index if inferred and label in seen}
    now = {(triple, label) for triple, label in present if label in seen}
    found = list(clashes(closed.program, order, closed.index, list(closed.index)))
    false = contradictions(closed.program, order, closed.index, found, vocabulary)
    return Trial(
        tuple(sorted(then - now, key=str)), tuple(sorted(now - then, key=str)), tuple(c for c in false if c.label in seen)
    )
