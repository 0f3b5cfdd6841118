"""Terms in writing: N-Triples, the form in which the ledger keeps them."""

import re
from functools import lru_cache

from pyoxigraph import Literal, NamedNode, RdfFormat, parse

from memory.claim import Term

_PLAIN = re.compile(r'"([^"\\]*)"(?:@([A-Za-z0-9-]+)|\^\^<([^>]+)>)?')


@lru_cache(maxsize=65_536)
def parse_term(text: str) -> Term:
    """Return the term written as ``text`` in N-Triples; raise ``ValueError`` for anything else."""
    if text.startswith("<"):
        return NamedNode(text[1:-1])
    plain = _PLAIN.fullmatch(text)
    if plain is None:
        quad = next(iter(parse(input=f"<a:a> <a:a> {text} .", format=RdfFormat.N_TRIPLES)))
        return quad.object  # type: ignore[return-value]
    value, language, datatype = plain.groups()
    if language:
        return Literal(value, language=language)
    return Literal(value, datatype=NamedNode(datatype)) if datatype else Literal(value)


def named(text: str) -> NamedNode:
    """Return the IRI written as ``<iri>``."""
    term = parse_term(text)
    if not isinstance(term, NamedNode):
        message = f"not an IRI: {text}"
        raise TypeError(message)
    return term
