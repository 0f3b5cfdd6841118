"""Literals as values: which are known to be different, and which are known to be none of a datatype.

OWL 2 RL's datatypes; what is not known of is neither. https://www.w3.org/TR/owl2-profiles/#Entities_3
"""

import re
from decimal import Decimal, InvalidOperation

from pyoxigraph import Literal, NamedNode

from ontologies.vocab import RDF, XSD

_INTEGERS: dict[str, tuple[int | None, int | None]] = {
    "integer": (None, None),
    "nonNegativeInteger": (0, None),
    "nonPositiveInteger": (None, 0),
    "positiveInteger": (1, None),
    "negativeInteger": (None, -1),
    "long": (-(2**63), 2**63 - 1),
    "int": (-(2**31), 2**31 - 1),
    "short": (-(2**15), 2**15 - 1),
    "byte": (-128, 127),
    "unsignedLong": (0, 2**64 - 1),
    "unsignedInt": (0, 2**32 - 1),
    "unsignedShort": (0, 2**16 - 1),
    "unsignedByte": (0, 255),
}
_STRINGS = frozenset({"string", "normalizedString", "token", "language", "Name", "NCName", "NMTOKEN"})
_OTHERS = frozenset(
    {"boolean", "float", "double", "dateTime", "dateTimeStamp", "date", "gMonthDay", "anyURI", "hexBinary", "base64Binary"}
)
_BOOLEANS = {"true": True, "1": True, "false": False, "0": False}
_LANG_STRING, _PLAIN = RDF + "langString", RDF + "PlainLiteral"
_SPACES = re.compile("[ \t\r\n]+")


def are_different(left: object, right: object) -> bool:
    """Tell whether two literals are known to have different values; ``dt-diff`` for what can be told."""
    if not isinstance(left, Literal) or not isinstance(right, Literal):
        return False
    one, other = _value(left), _value(right)
    return one is not None and other is not None and one != other


def is_outside(value: object, datatype: NamedNode) -> bool:
    """Tell whether a literal is known to have no value of a datatype: ``dt-not-type``."""
    family = _family(datatype)
    if not isinstance(value, Literal) or family is None:
        return False
    own = _value(value)
    if own is None:
        return _family(value.datatype) is not None  # a known datatype, and no value of it
    if own[0] != family:
        return True
    name = datatype.value.removeprefix(XSD)
    if name in _INTEGERS:
        return not _is_whole(own[1], *_INTEGERS[name])
    tagged = {_LANG_STRING: False, _PLAIN: None}.get(datatype.value, True if family == "string" else None)
    return tagged is not None and bool(value.language) is tagged


def _is_whole(number: object, low: int | None, high: int | None) -> bool:
    value = Decimal(str(number))
    return value == value.to_integral_value() and (low is None or value >= low) and (high is None or value <= high)


def _family(datatype: NamedNode) -> str | None:
    """Return the value space that a datatype is a part of; ``None`` for one that is not known, or has every literal."""
    iri = datatype.value
    if iri in {_LANG_STRING, _PLAIN}:
        return "string"
    if not iri.startswith(XSD):
        return None
    name = iri.removeprefix(XSD)
    if name in _INTEGERS or name == "decimal":
        return "number"
    if name in _STRINGS:
        return "string"
    return {"dateTimeStamp": "dateTime"}.get(name, name) if name in _OTHERS else None


def _value(literal: Literal) -> tuple[str, object] | None:  # noqa: PLR0911 - one return a kind of value
    """Return the value of a literal with its space; ``None`` where it has none or it is not known."""
    family, text = _family(literal.datatype), literal.value
    match family:
        case None:
            return None
        case "string":
            return family, (text, (literal.language or "").casefold())
        case "number":
            try:
                number = Decimal(_SPACES.sub("", text))
            except InvalidOperation:
                return None
            whole = literal.datatype.value.removeprefix(XSD) in _INTEGERS
            return None if whole and number != number.to_integral_value() else (family, number.normalize())
        case "boolean":
            return (family, _BOOLEANS[text]) if text in _BOOLEANS else None
        case "float" | "double":
            try:
                return family, float(text.replace("INF", "inf"))
            except ValueError:
                return None
        case _:
            return family, text
