"""Literals as values: what is known to be different, and what is known to be none of a datatype."""

import pytest
from pyoxigraph import Literal, NamedNode

from ontologies.vocab import RDF, XSD
from reasoner.values import are_different, is_outside

pytestmark = pytest.mark.requirement("rules")


def literal(text: str, datatype: str = "string") -> Literal:
    return Literal(text, datatype=NamedNode(XSD + datatype))


@pytest.mark.parametrize(
    ("left", "right", "different"),
    [
        (literal("1", "integer"), literal("2", "integer"), True),
        (literal("1", "integer"), literal("1.0", "decimal"), False),
        (literal("1", "integer"), literal("01", "byte"), False),
        (literal("1", "integer"), literal("1"), True),
        (literal("a"), literal("b"), True),
        (literal("a"), Literal("a", language="en"), True),
        (Literal("a", language="EN"), Literal("a", language="en"), False),
        (literal("true", "boolean"), literal("1", "boolean"), False),
        (literal("true", "boolean"), literal("0", "boolean"), True),
        (literal("1.5", "double"), literal("1.50", "double"), False),
        (literal("INF", "double"), literal("-INF", "double"), True),
        (literal("x", "integer"), literal("1", "integer"), False),
        (literal("maybe", "boolean"), literal("1", "boolean"), False),
        (literal("x", "double"), literal("1", "double"), False),
        (literal("1.5", "integer"), literal("1", "integer"), False),
        (Literal("a", datatype=NamedNode("urn:x:own")), literal("b"), False),
        (NamedNode("urn:x:a"), literal("b"), False),
        (literal("2020-01-01", "date"), literal("2020-01-02", "date"), True),
    ],
)
def test_two_values_are_different_only_where_that_is_known(left: object, right: object, *, different: bool) -> None:
    assert are_different(left, right) is different
    assert are_different(right, left) is different


@pytest.mark.parametrize(
    ("value", "datatype", "outside"),
    [
        (literal("1", "integer"), XSD + "integer", False),
        (literal("1.0", "decimal"), XSD + "integer", False),
        (literal("1.5", "decimal"), XSD + "integer", True),
        (literal("-1", "integer"), XSD + "nonNegativeInteger", True),
        (literal("0", "integer"), XSD + "nonNegativeInteger", False),
        (literal("300", "integer"), XSD + "byte", True),
        (literal("300", "integer"), XSD + "decimal", False),
        (literal("x"), XSD + "integer", True),
        (literal("x"), XSD + "token", False),
        (Literal("x", language="en"), XSD + "string", True),
        (Literal("x", language="en"), RDF + "langString", False),
        (literal("x"), RDF + "langString", True),
        (Literal("x", language="en"), RDF + "PlainLiteral", False),
        (literal("1", "integer"), "http://www.w3.org/2000/01/rdf-schema#Literal", False),
        (literal("1", "integer"), "urn:x:own", False),
        (Literal("x", datatype=NamedNode("urn:x:own")), XSD + "integer", False),
        (literal("no number", "integer"), XSD + "string", True),
        (literal("2020-01-01T00:00:00Z", "dateTime"), XSD + "dateTimeStamp", False),
        (NamedNode("urn:x:a"), XSD + "integer", False),
    ],
)
def test_a_value_is_outside_a_datatype_only_where_that_is_known(value: object, datatype: str, *, outside: bool) -> None:
    assert is_outside(value, NamedNode(datatype)) is outside
