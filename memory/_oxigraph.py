"""The only place that opens an Oxigraph store."""

from collections.abc import Iterable
from pathlib import Path
from threading import Lock
from typing import Any

from pyoxigraph import DefaultGraph, Literal, NamedNode, Quad, Store

from memory.errors import StorageUnavailableError
from ontologies.vocab import XSD_STRING

_scratch = Store()
_scratch_lock = Lock()
_SUBJECT = NamedNode("urn:muniment:scratch")


def open_store(path: Path) -> Store:
    """Return the store in a folder, made if it is not there; raise ``StorageUnavailableError`` where it cannot be opened."""
    try:
        path.mkdir(parents=True, exist_ok=True)
        return Store(str(path))
    except (OSError, ValueError, RuntimeError) as error:
        message = f"The graph in {path} cannot be opened ({error})."
        raise StorageUnavailableError(message) from error


def in_memory() -> Store:
    """Return an empty store that is in no folder."""
    return Store()


def query_within(store: Store, text: str, default: Iterable[str], named: Iterable[str]) -> Any:
    """Run a query that sees the union of some graphs by default and others by ``GRAPH``, and no more: the only way to run one.

    Setting one of the two alone would leave the other open. Raises ``SyntaxError`` and ``OSError`` as the engine does.
    """
    first: Any = [NamedNode(name) for name in default]
    second: Any = [NamedNode(name) for name in named]
    return store.query(text, default_graph=first, named_graphs=second)


def canonical(term: NamedNode | Literal) -> NamedNode | Literal:
    """Return the term as the store gives it back: numbers, dates and language tags in their canonical form."""
    if isinstance(term, NamedNode) or (term.datatype == XSD_STRING):
        return term
    with _scratch_lock:
        _scratch.clear()
        _scratch.add(Quad(_SUBJECT, _SUBJECT, term))
        return next(iter(_scratch)).object  # type: ignore[return-value]


def update_text(removed: Iterable[Quad], added: Iterable[Quad]) -> str:
    """Return one SPARQL update that removes and adds exactly these quads."""
    parts = [f"{verb} DATA {{ {body} }}" for verb, body in (("DELETE", _data(removed)), ("INSERT", _data(added))) if body]
    return " ; ".join(parts)


def _data(quads: Iterable[Quad]) -> str:
    by_graph: dict[NamedNode, list[str]] = {}
    for quad in quads:
        if isinstance(quad.graph_name, DefaultGraph):
            message = "a quad of the default graph carries no label"
            raise TypeError(message)
        by_graph.setdefault(quad.graph_name, []).append(f"{quad.subject} {quad.predicate} {quad.object} .")  # type: ignore[arg-type]
    return " ".join(f"GRAPH {name} {{ {' '.join(triples)} }}" for name, triples in by_graph.items())
