"""The guard before a query that a model, a member or a client wrote: what it may say, and that it is written anew.

``check`` decides. It parses a text with rdflib, walks the syntax tree with an allowlist of its nodes, and returns another text
that it has written from the tree alone; the given text never reaches the engine. A graph that is named is one of the reader's,
and a graph that is asked for is asked for among the reader's, so the text tells nothing else even where the engine would let
it. https://www.w3.org/TR/sparql11-query/#sparqlGrammar
"""

import itertools
import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from typing import Any

from pyoxigraph import Literal, NamedNode
from pyparsing import ParseBaseException, ParseResults
from rdflib import BNode, URIRef, Variable
from rdflib import Literal as RdflibLiteral
from rdflib.plugins.sparql.parser import parseQuery
from rdflib.plugins.sparql.parserutils import CompValue

from memory.preflight import preflight, refusal
from memory.query import MOST_ROWS, Checked, Form
from ontologies.vocab import PREFIXES, XSD

_OF_ONE = (
    "STR LANG DATATYPE BOUND IRI URI ABS CEIL FLOOR ROUND CONCAT STRLEN UCASE LCASE ENCODE_FOR_URI COALESCE YEAR MONTH DAY HOURS"
    " MINUTES SECONDS TIMEZONE TZ MD5 SHA1 SHA256 SHA384 SHA512 isIRI isURI isBLANK isLITERAL isNUMERIC"
)
_OF_TWO = "LANGMATCHES CONTAINS STRSTARTS STRENDS STRBEFORE STRAFTER STRLANG STRDT sameTerm"
_FUNCTIONS = {
    **dict.fromkeys(_OF_ONE.split(), ("arg",)),
    **dict.fromkeys(_OF_TWO.split(), ("arg1", "arg2")),
    "IF": ("arg1", "arg2", "arg3"),
    "REGEX": ("text", "pattern", "flags"),
    "SUBSTR": ("arg", "start", "length"),
    "REPLACE": ("arg", "pattern", "replacement", "flags"),
    "BNODE": ("arg",),
    "RAND": (),
    "NOW": (),
    "UUID": (),
    "STRUUID": (),
}
_CASTS = frozenset(
    XSD + name for name in ("boolean", "date", "dateTime", "decimal", "double", "float", "integer", "string", "dayTimeDuration")
)
_AGGREGATES = frozenset({"Count", "Sum", "Min", "Max", "Avg", "Sample", "GroupConcat"})
_RELATIONS = frozenset({"=", "!=", "<", ">", "<=", ">=", "IN", "NOT IN"})
_ABSOLUTE = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")
_MOST_DIGITS = 9
_ESCAPED = re.compile(r"\\([_~.\-!$&\"'()*+,;=/?#@%])")
_REFUSED = {
    "ServiceGraphPattern": "SERVICE asks another server",
    "DatasetClause": "FROM chooses graphs, which your clearance does",
    "Base": "BASE is not needed; write IRIs in full or with a prefix",
    "InversePath": "an inverse in a negated property set is not read; write the two apart",
}


def check(text: str, default: Collection[str], named: Collection[str]) -> Checked:
    """Return a query in other words of the same meaning; raise ``RefusedQueryError`` where it may not be asked.

    ``default`` are the names of the graphs that the reader sees by default, and ``named`` of those that ``GRAPH`` finds.
    """
    text = preflight(text)
    try:
        parsed: Any = parseQuery(text)
    except ParseBaseException as error:
        raise refusal(f"it does not read as SPARQL 1.1 SELECT, ASK, CONSTRUCT or DESCRIBE near {_near(text, error)}") from error
    except RecursionError as error:
        raise refusal("it nests too deep or is too long to be read; take it apart") from error
    except Exception as error:  # the parser's own checks, such as of a language tag
        raise refusal(f"it does not read as SPARQL 1.1 ({type(error).__name__})") from error
    writing = _Writing(sorted(default), sorted(named))
    try:
        writing.declare(parsed[0])
        return writing.query(parsed[1])
    except RecursionError as error:
        raise refusal("it nests too deep to be checked; take it apart") from error


def _near(text: str, error: ParseBaseException) -> str:
    return repr(text[error.loc : error.loc + 20]) if error.loc < len(text) else "its end"


@dataclass(slots=True)
class _Writing:
    """A query as it is written anew, from nodes that are known one by one."""

    default: list[str]
    graphs: list[str]
    _prefixes: dict[str, str] = field(default_factory=lambda: dict(PREFIXES))
    _blank: dict[str, str] = field(default_factory=dict[str, str])
    _among: int = 0
    _numbers: "itertools.count[int]" = field(default_factory=itertools.count)

    def declare(self, prologue: Iterable[Any]) -> None:
        for node in prologue:
            if _name(node) != "PrefixDecl":
                raise _unknown(node)
            self._prefixes[str(_part(node, "prefix") or "")] = str(_part(node, "iri"))

    def query(self, node: Any) -> Checked:
        match _name(node):
            case "SelectQuery":
                return Checked(self._select(node, most=MOST_ROWS), Form.ROWS)
            case "AskQuery":
                _expect(node, "where", *_ENDS)
                return Checked(f"ASK {self._from()}{self._group(_part(node, 'where'))}{self._ends(node)}", Form.ANSWER)
            case "ConstructQuery":
                return Checked(self._construct(node), Form.TRIPLES)
            case "DescribeQuery":
                return Checked(self._describe(node), Form.TRIPLES)
            case _:
                raise _unknown(node)

    # Forms

    def _select(self, node: Any, most: int | None = None) -> str:
        _expect(node, "projection", "modifier", "where", *_ENDS)
        chosen = " ".join(map(self._projected, _list(node, "projection"))) or "*"
        modifier = str(_part(node, "modifier") or "")
        if modifier not in {"", "DISTINCT", "REDUCED"}:
            raise _unknown(node)
        dataset = "" if most is None else self._from()
        return f"SELECT {modifier} {chosen} {dataset}WHERE {self._group(_part(node, 'where'))}{self._ends(node, most)}"

    def _from(self) -> str:
        """Write the reader's graphs as the dataset of the query, whatever graphs the engine would let it see."""
        return "".join((*(f"FROM <{one}> " for one in self.default), *(f"FROM NAMED <{one}> " for one in self.graphs)))

    def _projected(self, node: Any) -> str:
        _expect(node, "var", "expr", "evar")
        if (expression := _part(node, "expr")) is not None:
            return f"({self._expression(expression)} AS {self._variable(_part(node, 'evar'))})"
        return self._variable(_part(node, "var"))

    def _construct(self, node: Any) -> str:
        _expect(node, "template", "where", *_ENDS)
        where = _part(node, "where")
        if where is None:  # CONSTRUCT WHERE {}
            return f"CONSTRUCT {{ }} {self._from()}WHERE {{ }}{self._ends(node, MOST_ROWS)}"
        if _name(where) == "FakeGroupGraphPatten":  # the short form: the pattern is the template
            template = " ".join(map(self._pattern, _list(where, "part")))
        else:
            template = self._triples(_list(node, "template"))
        return f"CONSTRUCT {{ {template} }} {self._from()}WHERE {self._group(where)}{self._ends(node, MOST_ROWS)}"

    def _describe(self, node: Any) -> str:
        """Write what a description of IRIs is here: the triples about them."""
        things = _list(node, "var")
        if not things or _part(node, "where") is not None or any(isinstance(thing, Variable) for thing in things):
            raise refusal("DESCRIBE takes IRIs alone; find them with SELECT, or use CONSTRUCT")
        _expect(node, "var")
        about = [f"{self._term(thing)} ?p{number} ?o{number} ." for number, thing in enumerate(things)]
        either = " UNION ".join(f"{{ {triple} }}" for triple in about)
        return f"CONSTRUCT {{ {' '.join(about)} }} {self._from()}WHERE {{ {either} }} LIMIT {MOST_ROWS}"

    def _ends(self, node: Any, most: int | None = None) -> str:
        """Write the solution modifiers, with no more solutions than ``most``."""
        written = ""
        for name, keyword, write in (
            ("groupby", "GROUP BY", self._grouped),
            ("having", "HAVING", self._constraint),
            ("orderby", "ORDER BY", self._ordered),
        ):
            clause = _part(node, name)
            if clause is not None:
                _expect(clause, "condition")
                written += f" {keyword} {' '.join(map(write, _list(clause, 'condition')))}"
        limits = _part(node, "limitoffset")
        limit = _number(_part(limits, "limit")) if limits is not None else None
        offset = _number(_part(limits, "offset")) if limits is not None else None
        limit = most if limit is None else limit if most is None else min(limit, most)
        written += "" if limit is None else f" LIMIT {limit}"
        written += "" if offset is None else f" OFFSET {offset}"
        values = _part(node, "valuesClause")
        return written + (f" {self._values(values)}" if values is not None else "")

    def _grouped(self, node: Any) -> str:
        if _name(node) == "GroupAs":
            _expect(node, "expr", "var")
            variable = _part(node, "var")
            return f"({self._expression(_part(node, 'expr'))}{f' AS {self._variable(variable)}' if variable is not None else ''})"
        return self._variable(node) if isinstance(node, Variable) else self._constraint(node)

    def _ordered(self, node: Any) -> str:
        _expect(node, "order", "expr")
        order, expression = _part(node, "order"), self._expression(_part(node, "expr"))
        if order not in {None, "ASC", "DESC"}:
            raise _unknown(node)
        return f"{order or 'ASC'}({expression})"

    def _constraint(self, node: Any) -> str:
        return f"({self._expression(node)})"

    # Patterns

    def _group(self, node: Any) -> str:
        if _name(node) == "SubSelect":
            if self._among:
                raise refusal("a SELECT inside GRAPH ?g is not read; put the GRAPH inside the SELECT, or name the graph")
            return f"{{ {self._select(node)} }}"
        if _name(node) not in {"GroupGraphPatternSub", "FakeGroupGraphPatten"}:
            raise _unknown(node)
        _expect(node, "part")
        return f"{{ {' '.join(map(self._pattern, _list(node, 'part')))} }}"

    def _pattern(self, node: Any) -> str:
        match _name(node):
            case "TriplesBlock":
                _expect(node, "triples")
                return self._triples(_list(node, "triples"))
            case "OptionalGraphPattern":
                _expect(node, "graph")
                return f"OPTIONAL {self._group(_part(node, 'graph'))}"
            case "MinusGraphPattern":
                _expect(node, "graph")
                return f"MINUS {self._group(_part(node, 'graph'))}"
            case "GroupOrUnionGraphPattern":
                _expect(node, "graph")
                return " UNION ".join(map(self._group, _list(node, "graph")))
            case "GraphGraphPattern":
                return self._graph(node)
            case "Filter":
                _expect(node, "expr")
                return f"FILTER {self._constraint(_part(node, 'expr'))}"
            case "Bind":
                _expect(node, "expr", "var")
                return f"BIND({self._expression(_part(node, 'expr'))} AS {self._variable(_part(node, 'var'))})"
            case "InlineData":
                return self._values(node)
            case _:
                raise _unknown(node)

    def _graph(self, node: Any) -> str:
        """Write a pattern inside graphs of the reader's, whatever graphs the engine would let it see."""
        _expect(node, "term", "graph")
        name = _part(node, "term")
        if isinstance(name, Variable):
            # The engine answers a SELECT in there for all graphs together, so that its LIMIT or COUNT would take in those of
            # others were the engine not restricted.
            self._among += 1
            variable, inside = self._variable(name), self._group(_part(node, "graph"))
            self._among -= 1
            among = " ".join(f"<{graph}>" for graph in self.graphs)
            return f"{{ VALUES {variable} {{ {among} }} GRAPH {variable} {inside} }}"
        iri = self._iri(name)
        if iri[1:-1] not in self.graphs:
            raise refusal(f"there is no graph {iri} that you may see; GRAPH ?g finds those there are")
        return f"GRAPH {iri} {self._group(_part(node, 'graph'))}"

    def _triples(self, flat: Iterable[Any]) -> str:
        written: list[str] = []
        for statement in flat:
            terms = list(statement)
            if len(terms) % 3:
                raise refusal("a triple in it is not whole")
            for at in range(0, len(terms), 3):
                subject, predicate, object_ = terms[at : at + 3]
                written.append(f"{self._term(subject)} {self._predicate(predicate)} {self._term(object_)} .")
        return " ".join(written)

    def _values(self, node: Any) -> str:
        _expect(node, "var", "value")
        variables = _list(node, "var")
        rows: list[str] = []
        for row in _list(node, "value"):
            terms = list(row) if _is_many(row) else [row]
            if len(terms) != len(variables):
                raise refusal("VALUES has a row that is not as long as its variables are many")
            rows.append(f"({' '.join('UNDEF' if term == 'UNDEF' else self._term(term) for term in terms)})")
        return f"VALUES ({' '.join(map(self._variable, variables))}) {{ {' '.join(rows)} }}"

    # Paths

    def _predicate(self, node: Any) -> str:
        if isinstance(node, Variable):
            return self._variable(node)
        return self._path(node) if _name(node) in _PATHS else self._iri(node)

    def _path(self, node: Any) -> str:
        name = _name(node)
        if name not in _PATHS:
            return self._iri(node)
        _expect(node, "part", "mod") if name == "PathElt" else _expect(node, "part")
        parts = _list(node, "part")
        match name:
            case "PathAlternative" | "PathSequence":
                if len(parts) == 1:
                    return self._path(parts[0])
                return f"({('|' if name == 'PathAlternative' else '/').join(map(self._path, parts))})"
            case "PathEltOrInverse":
                return f"(^{self._path(parts[0])})"
            case "PathElt":
                mod = _part(node, "mod")
                if mod not in {None, "?", "*", "+"}:
                    raise _unknown(node)
                return f"({self._path(parts[0])}){mod}" if mod else self._path(parts[0])
            case _:  # a negated property set, of IRIs alone
                return f"!({'|'.join(map(self._iri, parts))})"

    # Expressions

    def _expression(self, node: Any) -> str:
        name = _name(node)
        if not name or name in {"pname", "literal"}:
            return self._term(node)
        match name:
            case "ConditionalOrExpression" | "ConditionalAndExpression":
                _expect(node, "expr", "other")
                operands = [_part(node, "expr"), *_list(node, "other")]
                written = [self._expression(operand) for operand in operands]
                sign = " || " if name == "ConditionalOrExpression" else " && "
                return written[0] if len(written) == 1 else f"({sign.join(written)})"
            case "RelationalExpression":
                return self._relation(node)
            case "AdditiveExpression" | "MultiplicativeExpression":
                _expect(node, "expr", "op", "other")
                written = self._expression(_part(node, "expr"))
                for sign, operand in zip(_list(node, "op"), _list(node, "other"), strict=True):
                    if sign not in {"+", "-", "*", "/"}:
                        raise _unknown(node)
                    written = f"({written} {sign} {self._expression(operand)})"
                return written
            case "UnaryNot" | "UnaryPlus" | "UnaryMinus":
                _expect(node, "expr")
                sign = {"UnaryNot": "!", "UnaryPlus": "+", "UnaryMinus": "-"}[name]
                return f"({sign}({self._expression(_part(node, 'expr'))}))"
            case "Builtin_EXISTS" | "Builtin_NOTEXISTS":
                _expect(node, "graph")
                return f"{'NOT ' * (name == 'Builtin_NOTEXISTS')}EXISTS {self._group(_part(node, 'graph'))}"
            case "Function":
                return self._cast(node)
            case _ if name.startswith("Builtin_"):
                return self._builtin(node, name.removeprefix("Builtin_"))
            case _ if name.startswith("Aggregate_"):
                return self._aggregate(node, name.removeprefix("Aggregate_"))
            case _:
                raise _unknown(node)

    def _relation(self, node: Any) -> str:
        _expect(node, "expr", "op", "other")
        left, sign = self._expression(_part(node, "expr")), _part(node, "op")
        if sign is None:
            return left
        sign = " ".join(str(sign).split()) if isinstance(sign, str) else " ".join(map(str, sign))
        if sign not in _RELATIONS:
            raise _unknown(node)
        if sign in {"IN", "NOT IN"}:
            return f"({left} {sign} ({', '.join(map(self._expression, _without_nil(_list(node, 'other'))))}))"
        return f"({left} {sign} {self._expression(_part(node, 'other'))})"

    def _builtin(self, node: Any, name: str) -> str:
        places = _FUNCTIONS.get(name)
        if places is None:
            raise refusal(f"{name} is no function that can be used here")
        _expect(node, *places)
        given: list[Any] = []
        for place in places:
            given += _without_nil(_list(node, place))
        return f"{name}({', '.join(map(self._expression, given))})"

    def _aggregate(self, node: Any, name: str) -> str:
        _expect(node, "distinct", "vars", "separator")
        if name not in _AGGREGATES:
            raise _unknown(node)
        distinct = "DISTINCT " if _part(node, "distinct") == "DISTINCT" else ""
        operand = _part(node, "vars")
        inside = "*" if isinstance(operand, str) and type(operand) is str and operand == "*" else self._expression(operand)
        separator = _part(node, "separator")
        end = f" ; SEPARATOR = {Literal(str(separator))}" if separator is not None else ""
        return f"{'GROUP_CONCAT' if name == 'GroupConcat' else name.upper()}({distinct}{inside}{end})"

    def _cast(self, node: Any) -> str:
        _expect(node, "iri", "expr", "distinct")
        iri = self._iri(_part(node, "iri"))
        if iri[1:-1] not in _CASTS or _part(node, "distinct") == "DISTINCT":
            raise refusal(f"{iri} is no function that can be used here")
        return f"{iri}({', '.join(map(self._expression, _list(node, 'expr')))})"

    # Terms

    def _term(self, node: Any) -> str:
        if isinstance(node, Variable):
            return self._variable(node)
        if isinstance(node, BNode):
            return self._blank.setdefault(str(node), f"_:b{next(self._numbers)}")
        if isinstance(node, RdflibLiteral):
            return _literal(str(node), node.datatype, node.language)
        if _name(node) == "literal":
            _expect(node, "string", "lang", "datatype")
            datatype = _part(node, "datatype")
            typed = None if datatype is None else self._iri(datatype)[1:-1]
            return _literal(str(_part(node, "string")), typed, _part(node, "lang"))
        return self._iri(node)

    def _iri(self, node: Any) -> str:
        if _name(node) == "pname":
            _expect(node, "prefix", "localname")
            prefix, local = str(_part(node, "prefix") or ""), str(_part(node, "localname") or "")
            if prefix not in self._prefixes:
                raise refusal(f"the prefix {prefix}: is not declared")
            value = self._prefixes[prefix] + _ESCAPED.sub(r"\1", local)
        elif isinstance(node, URIRef):
            value = str(node)
        else:
            raise _unknown(node)
        if not _ABSOLUTE.match(value):
            raise refusal(f"<{value}> is no whole IRI")
        try:
            return str(NamedNode(value))
        except ValueError as error:
            raise refusal(f"<{value}> is no IRI") from error

    def _variable(self, node: Any) -> str:
        if not isinstance(node, Variable) or not f"_{node}".isidentifier():
            raise _unknown(node)
        return f"?{node}"


_ENDS = ("groupby", "having", "orderby", "limitoffset", "valuesClause")
_PATHS = frozenset({"PathAlternative", "PathSequence", "PathEltOrInverse", "PathElt", "PathNegatedPropertySet"})


def _literal(value: str, datatype: Any, language: Any) -> str:
    try:
        if language:
            return str(Literal(value, language=str(language)))
        return str(Literal(value, datatype=NamedNode(str(datatype)))) if datatype else str(Literal(value))
    except ValueError as error:
        raise refusal(f"{value[:40]!r} has a language or datatype that is none") from error


def _name(node: Any) -> str:
    return str(node.name) if isinstance(node, CompValue) else ""


def _part(node: Any, name: str) -> Any:
    return node[name] if name in node else None  # noqa: SIM401 - a node's own ``get`` is another


def _list(node: Any, name: str) -> list[Any]:
    """Return a part that may be there once, many times, or not at all."""
    found = _part(node, name)
    if found is None:
        return []
    return list(found) if _is_many(found) else [found]


def _is_many(node: Any) -> bool:
    return isinstance(node, list | ParseResults)


def _without_nil(found: list[Any]) -> list[Any]:
    """Return the expressions of a list: for an empty one the parser gives ``rdf:nil`` itself, which no expression is."""
    return [] if len(found) == 1 and isinstance(found[0], URIRef) else found


def _number(node: Any) -> int | None:
    """Return a LIMIT or an OFFSET; the parser takes any number of digits."""
    if node is None:
        return None
    digits = str(node)
    if len(digits) > _MOST_DIGITS:
        raise refusal("a LIMIT or OFFSET in it is too large")
    return int(digits)


def _expect(node: Any, *parts: str) -> None:
    """Raise for a node that has more parts than are written: nothing of a query may be lost."""
    for name in node:
        if name not in parts:
            inner = _part(node, name)
            raise _unknown(inner[0] if isinstance(inner, list) and inner else inner if _name(inner) else node)


def _unknown(node: Any) -> Exception:
    name = _name(node) or type(node).__name__
    return refusal(_REFUSED.get(name, f"{name} cannot be used here"))
