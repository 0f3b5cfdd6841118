"""SHACL validation with pyshacl, loaded when first used."""

from pathlib import Path
from typing import cast


def conforms(turtle: bytes, shapes: Path) -> str:
    """Return the report of what does not conform to the shapes, or an empty string where all does.

    https://www.w3.org/TR/shacl/#validation
    """
    from pyshacl import validate  # pyright: ignore[reportUnknownVariableType]
    from rdflib import Graph

    data = Graph().parse(data=turtle, format="turtle")
    ok, _, report = cast("tuple[bool, object, str]", validate(data, shacl_graph=Graph().parse(shapes), advanced=False))
    return "" if ok else report
