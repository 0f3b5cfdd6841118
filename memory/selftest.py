"""The look at the installed engine before it serves: what has leaked from an engine like it must not leak from this one."""

from pathlib import Path
from tempfile import TemporaryDirectory

from pyoxigraph import Literal, NamedNode, Quad, Store

from memory._oxigraph import open_store, query_within

_MINE, _THEIRS = "urn:muniment:test:mine", "urn:muniment:test:theirs"
_SECRET = "what nobody may see"  # noqa: S105 - a marker
_LEAKS = (
    "SELECT * { ?s ?p ?o }",
    "SELECT * { GRAPH ?g { ?s ?p ?o } }",
    f"SELECT * {{ GRAPH <{_THEIRS}> {{ ?s ?p ?o }} }}",
    f"SELECT * FROM <{_THEIRS}> {{ ?s ?p ?o }}",
    f"SELECT * FROM NAMED <{_THEIRS}> {{ GRAPH ?g {{ ?s ?p ?o }} }}",
    "SELECT ?g { GRAPH ?g {} }",
    f"ASK {{ GRAPH <{_THEIRS}> {{}} }}",
    "SELECT ?o { ?s <urn:p> ?x LATERAL { GRAPH ?g { ?s ?p ?o } } }",
    "SELECT ?o { ?s ?p ?x . GRAPH ?g { ?s <urn:p>* ?o } }",
    "SELECT ?o { ?s (<urn:p>|!<urn:p>)* ?o }",
    "SELECT ?s { ?s ?p ?x FILTER EXISTS { GRAPH ?g { ?s <urn:q> ?o } } }",
    "SELECT ?s { ?s ?p ?x MINUS { GRAPH ?g { ?s <urn:p> ?o } } }",
    "SELECT ?o { { SELECT ?o { GRAPH ?g { ?s ?p ?o } } } }",
    "DESCRIBE <urn:s>",
    "DESCRIBE ?s { ?s ?p ?o }",
    "CONSTRUCT { ?s ?p ?o } { GRAPH ?g { ?s ?p ?o } }",
)


def leaks() -> list[str]:
    """Return the queries that answer differently when there is a graph that their reader may not see; none where all is well."""
    with TemporaryDirectory() as folder:
        return _compared(open_store(Path(folder) / "all"), open_store(Path(folder) / "mine"))


def _compared(with_theirs: Store, alone: Store) -> list[str]:
    subject, mine, theirs = NamedNode("urn:s"), NamedNode(_MINE), NamedNode(_THEIRS)
    for store in (with_theirs, alone):
        store.add(Quad(subject, NamedNode("urn:p"), Literal("mine"), mine))
    for predicate in ("urn:p", "urn:q"):
        with_theirs.add(Quad(subject, NamedNode(predicate), Literal(_SECRET), theirs))
    return [query for query in _LEAKS if _answer(with_theirs, query) != _answer(alone, query)]


def _answer(store: Store, query: str) -> object:
    try:
        result = query_within(store, query, [_MINE], [_MINE])
    except (SyntaxError, ValueError, OSError) as error:  # an engine that refuses it tells nothing
        return type(error).__name__
    return bool(result) if query.startswith("ASK") else sorted(str(one) for one in result)
