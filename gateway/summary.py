"""What there is to ask about: the classes and properties of the vocabulary that a reader's graphs use, in the words of SPARQL."""

from collections.abc import Iterable, Iterator

from pyoxigraph import NamedNode

from memory.label import Clearance
from memory.store import Memory
from memory.vocabulary import Property, local_name
from ontologies.vocab import MUNIMENT

MOST_LINES = 60


def summary(memory: Memory, clearance: Clearance) -> list[str]:
    """Return a line for each property that a reader's facts or inferences use, as ``:livesIn Person -> Place "lives in"``."""
    used = memory.properties_in(clearance)
    lines = list(described(memory.vocabulary.properties[iri] for iri in memory.vocabulary.properties if iri in used))
    return lines[:MOST_LINES] + (
        [f"and {len(lines) - MOST_LINES} more; ontology_inspect lists them"] if len(lines) > MOST_LINES else []
    )


def described(properties: Iterable[Property]) -> Iterator[str]:
    """Yield a line for each property: its name, from what to what, and in words."""
    for property_ in properties:
        ends = f"{_class(property_.domain)} -> {_class(property_.range)}"
        yield f'{_name(property_.iri)} {ends} "{property_.verb or property_.noun or property_.label}"'


def _class(iri: NamedNode | None) -> str:
    return "anything" if iri is None else local_name(iri)


def _name(iri: NamedNode) -> str:
    return f":{local_name(iri)}" if iri.value.startswith(MUNIMENT) else f"<{iri.value}>"
