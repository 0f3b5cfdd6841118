"""The shipped Turtle files as triples and as paths. Parsed when asked for, never at import."""

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from pyoxigraph import RdfFormat, parse

if TYPE_CHECKING:
    from pyoxigraph import Triple

FOLDER = Path(__file__).parent
VOCABULARY = FOLDER / "muniment.ttl"
SHAPES = FOLDER / "shapes.ttl"


@cache
def vocabulary() -> "tuple[Triple, ...]":
    """Return every triple of ``muniment.ttl``, in file order."""
    return tuple(quad.triple for quad in parse(path=str(VOCABULARY), format=RdfFormat.TURTLE))
