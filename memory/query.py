"""A query that may be run, and its result."""

from dataclasses import dataclass
from enum import StrEnum

MOST_ROWS = 1_000
"""Solutions that a query returns; more are not computed."""


class Form(StrEnum):
    """What a query returns: rows, yes or no, or triples."""

    ROWS = "rows"
    ANSWER = "answer"
    TRIPLES = "triples"


@dataclass(frozen=True, slots=True)
class Checked:
    """A query that may be run: its text as it was written anew, and what it returns."""

    text: str
    form: Form


@dataclass(frozen=True, slots=True)
class Result:
    """What a query found for a reader: SPARQL 1.1 Query Results JSON, or N-Triples."""

    form: Form
    data: bytes
