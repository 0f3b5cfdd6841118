"""How the result of a query is written: the formats of SPARQL 1.1 and of RDF, and which of them a client wants.

https://www.w3.org/TR/sparql11-protocol/#conneg
"""

import json
import re
from dataclasses import dataclass
from typing import Any

from pyoxigraph import QueryResultsFormat, RdfFormat, parse, parse_query_results, serialize

from gateway.errors import IncorrectRequestError
from memory.query import MOST_ROWS, Form, Result


@dataclass(frozen=True, slots=True)
class Format:
    """A format by its short name, with its media type; rows and answers are written by ``rows``, triples by ``triples``."""

    name: str
    media_type: str
    rows: QueryResultsFormat | None = None
    triples: RdfFormat | None = None


FORMATS = (
    Format("json", "application/sparql-results+json", rows=QueryResultsFormat.JSON),
    Format("xml", "application/sparql-results+xml", rows=QueryResultsFormat.XML),
    Format("csv", "text/csv", rows=QueryResultsFormat.CSV),
    Format("tsv", "text/tab-separated-values", rows=QueryResultsFormat.TSV),
    Format("ttl", "text/turtle", triples=RdfFormat.TURTLE),
    Format("nt", "application/n-triples", triples=RdfFormat.N_TRIPLES),
)
_ALSO = {
    "application/json": "application/sparql-results+json",
    "application/xml": "application/sparql-results+xml",
    "text/plain": "application/n-triples",
}
_MOST_RANGES = 32


def usable(form: Form) -> list[Format]:
    """Return the formats in which a form of result can be written, the usual one first."""
    if form is Form.TRIPLES:
        return [format_ for format_ in FORMATS if format_.triples is not None]
    tables = (QueryResultsFormat.CSV, QueryResultsFormat.TSV)
    return [f for f in FORMATS if f.rows is not None and (form is Form.ROWS or f.rows not in tables)]


def wanted(form: Form, accept: str) -> Format | None:
    """Return the format that an ``Accept`` header prefers, or ``None`` where it takes none of them."""
    formats = usable(form)
    if not accept.strip():
        return formats[0]
    ranges = [_range(one) for one in accept.split(",")[:_MOST_RANGES]]
    best: tuple[float, Format] | None = None
    for format_ in formats:
        fitting = [(len(media.rstrip("*")), quality) for media, quality in ranges if _takes(media, format_)]
        quality = max(fitting)[1] if fitting else 0.0  # the most specific range counts
        if quality > 0 and (best is None or quality > best[0]):
            best = quality, format_
    return best[1] if best else None


def _range(written_: str) -> tuple[str, float]:
    media, _, parameters = written_.strip().partition(";")
    return _ALSO.get(media.strip().casefold(), media.strip().casefold()), _quality(parameters)


def named(form: Form, name: str) -> Format | None:
    """Return the format with a short name, where a result of that form can be written in it."""
    return next((format_ for format_ in usable(form) if format_.name == name), None)


def written(result: Result, format_: Format) -> bytes:
    """Return a result in a format that is usable for its form; raise ``IncorrectRequestError`` where that cannot hold it."""
    if format_.rows == QueryResultsFormat.JSON:
        return result.data
    try:
        if result.form is Form.TRIPLES:
            triples = [quad.triple for quad in parse(result.data, format=RdfFormat.N_TRIPLES)]
            return serialize(triples, format=format_.triples) or b""
        found = parse_query_results(result.data, format=QueryResultsFormat.JSON)
        data = found.serialize(format=format_.rows) or b""  # type: ignore[union-attr, arg-type]
    except (SyntaxError, ValueError, OSError) as error:
        raise IncorrectRequestError(_NOT_HELD.format(format_.name)) from error
    if format_.rows == QueryResultsFormat.XML and _NO_XML.search(data):
        raise IncorrectRequestError(_NOT_HELD.format(format_.name))
    return data


_NO_XML = re.compile(rb"[\x00-\x08\x0b\x0c\x0e-\x1f]")
_NOT_HELD = "The result has characters or terms that {} cannot hold. Nothing was changed; ask for JSON."


def table(result: Result) -> list[str]:
    """Return a result as lines: a head and rows of tab-separated values, yes or no, or triples."""
    if result.form is Form.TRIPLES:
        return result.data.decode("utf-8").splitlines() or ["nothing"]
    read: dict[str, Any] = json.loads(result.data)
    if result.form is Form.ANSWER:
        return ["yes" if read["boolean"] else "no"]
    names, rows = read["head"]["vars"], read["results"]["bindings"]
    lines = ["\t".join(" ".join(row[name]["value"].split()) if name in row else "" for name in names) for row in rows]
    more = [f"(only the first {MOST_ROWS:,} rows are there)"] if len(rows) >= MOST_ROWS else []
    return ["\t".join(names), *lines, *more]


def _takes(media_range: str, format_: Format) -> bool:
    return media_range in {format_.media_type, "*/*", format_.media_type.split("/")[0] + "/*"}


def _quality(parameters: str) -> float:
    for parameter in parameters.split(";"):
        name, _, value = parameter.strip().partition("=")
        if name.casefold() == "q":
            try:
                return min(max(float(value), 0.0), 1.0)
            except ValueError:
                return 0.0
    return 1.0
