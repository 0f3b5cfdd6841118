"""Queries that try to see another person's graphs, to reach out, or to be read in two ways; and ways to write each differently.

In each, ``<B>`` is a graph of the other person's, ``<A>`` one of the reader's, ``<U>`` an address that listens, and ``SECRET`` a
value that only the other person's graphs have.
"""

import random
import re
from collections.abc import Callable, Iterator

_SEES = "?s ?p ?o"

ATTACKS: tuple[str, ...] = (
    # the graph by its name, and by a variable
    "SELECT * { GRAPH <B> { ?s ?p ?o } }",
    "SELECT * { GRAPH ?g { ?s ?p ?o } }",
    "SELECT ?g { GRAPH ?g {} }",
    "SELECT DISTINCT ?g { GRAPH ?g { ?s ?p ?o } }",
    "SELECT (COUNT(DISTINCT ?g) AS ?n) { GRAPH ?g { ?s ?p ?o } }",
    "ASK { GRAPH <B> {} }",
    "ASK { GRAPH <B> { ?s ?p ?o } }",
    "SELECT * { GRAPH ?g { ?s ?p 'SECRET' } }",
    "SELECT * { BIND(<B> AS ?g) GRAPH ?g { ?s ?p ?o } }",
    "SELECT * { VALUES ?g { <B> <A> } GRAPH ?g { ?s ?p ?o } }",
    "SELECT * { GRAPH ?g { ?s ?p ?o } VALUES ?g { <B> } }",
    "SELECT * { GRAPH ?g { ?s ?p ?o } } VALUES ?g { <B> }",
    "SELECT * { GRAPH ?g { ?s ?p ?o } FILTER(?g = <B>) }",
    "SELECT * { GRAPH ?g { ?s ?p ?o } FILTER(STRSTARTS(STR(?g), 'urn:muniment:facts:user')) }",
    "SELECT * { GRAPH <A> { GRAPH <B> { ?s ?p ?o } } }",
    "SELECT * { GRAPH ?g { GRAPH <B> { ?s ?p ?o } } }",
    "SELECT * { GRAPH ?g { GRAPH ?h { ?s ?p ?o } } }",
    "SELECT * { GRAPH <A> { ?s ?p ?o } . GRAPH <B> { ?s ?q ?x } }",
    "PREFIX b: <B> SELECT * { GRAPH b: { ?s ?p ?o } }",
    "PREFIX facts: <urn:muniment:facts:> SELECT * { GRAPH facts:nobody { ?s ?p ?o } }",
    "PREFIX : <B> SELECT * { GRAPH : { ?s ?p ?o } }",
    "BASE <urn:muniment:facts:> SELECT * { GRAPH <nobody> { ?s ?p ?o } }",
    # the dataset of the query
    "SELECT * FROM <B> { ?s ?p ?o }",
    "SELECT * FROM NAMED <B> { GRAPH ?g { ?s ?p ?o } }",
    "SELECT * FROM <A> FROM <B> FROM NAMED <B> { ?s ?p ?o . GRAPH ?g { ?s ?q ?x } }",
    "ASK FROM <B> { ?s ?p ?o }",
    "CONSTRUCT { ?s ?p ?o } FROM <B> { ?s ?p ?o }",
    "CONSTRUCT FROM <B> WHERE { ?s ?p ?o }",
    "DESCRIBE <urn:x> FROM <B>",
    # existence, negation and difference
    "SELECT ?s { ?s ?p ?o FILTER EXISTS { GRAPH <B> { ?x ?y ?z } } }",
    "SELECT ?s { ?s ?p ?o FILTER EXISTS { GRAPH ?g { ?x ?y 'SECRET' } } }",
    "SELECT ?s { ?s ?p ?o FILTER NOT EXISTS { GRAPH ?g { ?x ?y 'SECRET' } } }",
    "SELECT ?s { ?s ?p ?o MINUS { GRAPH ?g { ?s ?y ?z } } }",
    "SELECT ?s { ?s ?p ?o MINUS { GRAPH <B> { ?s ?y ?z } } }",
    "SELECT ?s (EXISTS { GRAPH ?g { ?x ?y 'SECRET' } } AS ?e) { ?s ?p ?o }",
    "SELECT ?s { ?s ?p ?o BIND(EXISTS { GRAPH <B> { ?x ?y ?z } } AS ?e) FILTER(?e) }",
    "SELECT ?s { ?s ?p ?o } ORDER BY EXISTS { GRAPH <B> { ?s ?y ?z } }",
    "SELECT ?s { ?s ?p ?o } GROUP BY ?s HAVING(EXISTS { GRAPH ?g { ?s ?y 'SECRET' } })",
    "SELECT ?n { OPTIONAL { GRAPH <B> { ?s ?p ?o } } BIND(BOUND(?s) AS ?n) }",
    "SELECT (IF(EXISTS { GRAPH ?g { ?s ?p 'SECRET' } }, 1, 0) AS ?n) {}",
    "SELECT (COALESCE(?o, 'none') AS ?n) { OPTIONAL { GRAPH ?g { ?s ?p ?o FILTER(?o = 'SECRET') } } }",
    "SELECT * { { ?s ?p ?o } MINUS { ?s ?p ?o . FILTER NOT EXISTS { GRAPH ?g { ?a ?b 'SECRET' } } } }",
    # paths
    "SELECT * { ?s (!<urn:no>)* ?o }",
    "SELECT * { GRAPH ?g { ?s (!<urn:no>)* ?o } }",
    "SELECT * { GRAPH ?g { ?s (:livesIn|^:livesIn|!:livesIn)+ ?o } }",
    "SELECT * { ?s :livesIn* 'SECRET' }",
    "SELECT * { GRAPH <B> { ?s :knows+ ?o } }",
    "SELECT * { GRAPH ?g { <urn:s> !(:a|^:b) ?o } }",
    "SELECT * { ?s !(:a|^:b) ?o }",
    "SELECT * { 'SECRET' ^:name* ?x }",
    "SELECT * { ?s :name? ?o }",
    # subqueries and grouping
    "SELECT * { { SELECT * { GRAPH <B> { ?s ?p ?o } } } }",
    "SELECT * { { SELECT ?g { GRAPH ?g { ?s ?p ?o } } } GRAPH ?g { ?s ?p ?o } }",
    "SELECT ?g (COUNT(*) AS ?n) { GRAPH ?g { ?s ?p ?o } } GROUP BY ?g",
    "SELECT (GROUP_CONCAT(STR(?o)) AS ?all) { GRAPH ?g { ?s ?p ?o } }",
    "SELECT (SAMPLE(?o) AS ?one) { GRAPH ?g { ?s :name ?o } }",
    "SELECT (MAX(STR(?g)) AS ?last) { GRAPH ?g { ?s ?p ?o } }",
    "SELECT (SUM(STRLEN(STR(?o))) AS ?n) { GRAPH ?g { ?s ?p ?o } }",
    "SELECT (COUNT(*) AS ?n) { { ?s ?p ?o } UNION { GRAPH ?g { ?s ?p ?o } } }",
    "SELECT * { { ?s ?p ?o } UNION { GRAPH <B> { ?s ?p ?o } } }",
    "SELECT * { { { { { GRAPH ?g { ?s ?p ?o } } } } } }",
    "SELECT REDUCED ?o { GRAPH ?g { ?s ?p ?o } } LIMIT 999999",
    "SELECT ?o { GRAPH ?g { ?s ?p ?o } } OFFSET 5",
    # descriptions and constructions
    "DESCRIBE <B>",
    "DESCRIBE ?s { GRAPH <B> { ?s ?p ?o } }",
    "DESCRIBE ?s { ?s ?p ?o }",
    "DESCRIBE *  { ?s ?p ?o }",
    "CONSTRUCT { ?s ?p ?o } { GRAPH ?g { ?s ?p ?o } }",
    "CONSTRUCT { ?g ?p ?o } { GRAPH ?g { ?s ?p ?o } }",
    "CONSTRUCT WHERE { GRAPH <B> { ?s ?p ?o } }",
    "CONSTRUCT { GRAPH <A> { ?s ?p ?o } } { GRAPH <B> { ?s ?p ?o } }",
    "CONSTRUCT { <urn:x> <urn:y> [ <urn:z> ?o ] } { GRAPH ?g { ?s ?p ?o } }",
    # what is no SPARQL 1.1, and what reaches out
    "SELECT * { ?s ?p ?o LATERAL { GRAPH ?g { ?x ?y ?z } } }",
    "SELECT * { ?s ?p ?o LATERAL { SELECT * { GRAPH <B> { ?x ?y ?z } } } }",
    "SELECT * { << ?s ?p ?o >> ?q ?r }",
    "SELECT * { GRAPH ?g { ?x ?q <<( ?s ?p ?o )>> } }",
    "SELECT * { SERVICE <U> { ?s ?p ?o } }",
    "SELECT * { SERVICE SILENT <U> { ?s ?p ?o } }",
    "SELECT * { VALUES ?u { <U> } SERVICE ?u { ?s ?p ?o } }",
    "SELECT * { ?s ?p ?o BIND(IRI(CONCAT('<U>', STR(?o))) AS ?u) SERVICE ?u { ?a ?b ?c } }",
    "SELECT * { ?s ?p ?o FILTER EXISTS { SERVICE <U> { ?s ?p ?o } } }",
    "ASK { SERVICE <U> { GRAPH <B> { ?s ?p ?o } } }",
    "SELECT (<U>(?s) AS ?x) { ?s ?p ?o }",
    "LOAD <U>",
    "LOAD <U> INTO GRAPH <A>",
    "INSERT { GRAPH <A> { ?s ?p ?o } } WHERE { GRAPH <B> { ?s ?p ?o } }",
    "DELETE WHERE { GRAPH <B> { ?s ?p ?o } }",
    "COPY <B> TO <A>",
    "ASK {} ; DROP ALL",
    # one text, two readings
    'SELECT * { ?s ?p "\\u0022 } GRAPH <B> { ?s ?p ?o } #" }',
    'SELECT * { ?s ?p "\\U00000022 . GRAPH ?g { ?x ?y ?z } #" }',
    "SELECT * { ?s ?p '\\u0027 . GRAPH ?g { ?x ?y ?z } #' }",
    "SELECT * { ?s ?p ?o \\u0023\n } GRAPH <B> { ?x ?y ?z }",
    "SELECT * { ?s ?p ?o . #\r GRAPH <B> { ?x ?y ?z }\n }",
    "SELECT * { ?s ?p ?o . # \x0b GRAPH <B> { ?x ?y ?z }\n }",
    "SELECT * { ?s ?p ?o . #\u2028 GRAPH ?g { ?x ?y ?z }\n }",
    "SELECT * { ?s ?p <A\\u003e . GRAPH ?g { ?x ?y ?z } #> }",
    "SELECT * { ?s ?p '''it's''' . GRAPH ?g { ?x ?y ?z } #''' }",
    'SELECT * { ?s ?p """a"" . GRAPH <B> { ?x ?y ?z } """ }',
    'SELECT * { ?s ?p "a" @en . GRAPH ?g { ?x ?y ?z } }',
    "SELECT * { ?a <?b . GRAPH <B> { ?s ?p ?o } FILTER(?c>?d) }",
    "SELECT * { ?s ?p (((('a' ?o) ?x) ?y) ?z) . GRAPH ?g { ?x ?q ?r } }",
    "SELECT * { [] ?p [ ?q [ ?r ?o ] ] . GRAPH ?g { ?o ?y ?z } }",
    "SELECT * { ?s ?p ?o ; } GRAPH <B> { ?x ?y ?z } #}",
    "SELECT * { ?s foo:bar ?o . GRAPH ?g { ?s ?x ?y } }",
    "SELECT * { ?s ?p 1.e5 . GRAPH ?g { ?s ?x ?y } }",
    "SELECT ?\u0261 { GRAPH ?\u0261 { ?s ?p ?o } }",
)  # fmt: skip


def _spaced(pick: random.Random, query: str) -> str:
    gap = pick.choice(("\n", "\t", "  ", " #x\n", "\n#}\n", "\r\n", " # GRAPH <B>\n"))
    return query.replace(" ", gap, pick.randint(1, 6))


def _cased(pick: random.Random, query: str) -> str:
    return re.sub(r"\b(SELECT|GRAPH|FILTER|EXISTS|SERVICE|UNION|MINUS|FROM|ASK|VALUES)\b",
                  lambda found: "".join(pick.choice((ch.lower(), ch.upper())) for ch in found[0]), query)  # fmt: skip


def _escaped(pick: random.Random, query: str) -> str:
    at = pick.randrange(len(query))
    written = pick.choice(("\\u{:04x}", "\\U{:08x}"))
    return f"{query[:at]}{written.format(ord(query[at]))}{query[at + 1 :]}"


def _wrapped(pick: random.Random, query: str) -> str:
    at, end = query.find("{"), query.rfind("}")
    if at < 0 or end <= at:
        return query
    inner = query[at + 1 : end]
    around = pick.choice((
        "{{ {} }}", "OPTIONAL {{ {} }}", "{{ ?s ?p ?o }} UNION {{ {} }}", "GRAPH ?g {{ {} }}", "GRAPH <A> {{ {} }}",
        "?s ?p ?o MINUS {{ {} }}", "?s ?p ?o FILTER NOT EXISTS {{ {} }}", "{{ SELECT * {{ {} }} }}", "{} LATERAL {{ {} }}",
        "?s ?p ?o . {}", "{} . GRAPH <B> {{ ?x ?y ?z }}",
    ))  # fmt: skip
    return f"{query[:at]}{{ {around.replace('{}', inner).replace('{{', '{').replace('}}', '}')} }}{query[end + 1 :]}"


def _dropped(pick: random.Random, query: str) -> str:
    at = pick.randrange(len(query))
    return query[:at] + query[at + pick.randint(1, 3) :]


def _doubled(pick: random.Random, query: str) -> str:
    low = pick.randrange(len(query))
    high = min(len(query), low + pick.randint(1, 20))
    return query[:high] + query[low:]


def _exchanged(pick: random.Random, query: str) -> str:
    old, new = pick.choice((("<A>", "<B>"), ("<B>", "?g"), ("?g", "<B>"), ("?o", "'SECRET'"), ("?p", "!<urn:no>"), ("?s", "[]")))
    return query.replace(old, new, pick.randint(1, 3))


_CHANGES: tuple[Callable[[random.Random, str], str], ...] = (
    _spaced, _cased, _escaped, _wrapped, _wrapped, _dropped, _doubled, _exchanged,
)  # fmt: skip


def mutants(pick: random.Random) -> Iterator[str]:
    """Yield attacks, each changed in up to four ways."""
    while True:
        query = pick.choice(ATTACKS)
        for _ in range(pick.randint(0, 4)):
            query = pick.choice(_CHANGES)(pick, query) or query
        yield query


class Grammar:
    """Queries made at random of what SPARQL has, most of them right."""

    def __init__(self, pick: random.Random) -> None:
        """Make queries from a source of chance."""
        self._pick = pick

    def queries(self) -> Iterator[str]:
        """Yield queries."""
        while True:
            yield self._query()

    def _query(self) -> str:
        pick = self._pick
        where = f"{{ {self._patterns(2)} }}"
        form = pick.random()
        if form < 0.1:  # noqa: PLR2004 - a tenth of them ask
            return f"ASK {where}"
        if form < 0.2:  # noqa: PLR2004
            return f"CONSTRUCT {{ {self._triple()} }} WHERE {where}"
        return f"SELECT {pick.choice(('*', 'DISTINCT *', '?s ?o', '?s ?g', '(COUNT(*) AS ?n)'))} {where}{self._ends()}"

    def _ends(self) -> str:
        return self._pick.choice(
            ("", "", "", " ORDER BY ?s ?o", " LIMIT 5", " OFFSET 1", " VALUES ?g { <B> }", " ORDER BY ?g LIMIT 3")
        )

    def _patterns(self, depth: int) -> str:
        return " ".join(self._pattern(depth) for _ in range(self._pick.randint(1, 2)))

    def _pattern(self, depth: int) -> str:
        pick = self._pick
        if depth <= 0:
            return f"{self._triple()} ."
        inner = self._patterns(depth - 1)
        return pick.choice((
            f"{self._triple()} .",
            f"{self._triple()} .",
            f"GRAPH {pick.choice(('?g', '<B>', '<A>', '?h'))} {{ {inner} }}",
            f"OPTIONAL {{ {inner} }}",
            f"{{ {inner} }} UNION {{ {self._triple()} }}",
            f"MINUS {{ {inner} }}",
            f"FILTER {pick.choice(('', 'NOT '))}EXISTS {{ {inner} }}",
            f"FILTER({self._expression()})",
            f"{{ SELECT {pick.choice(('*', '?s ?o', 'DISTINCT ?g'))} {{ {inner} }} LIMIT 4 }}",
            f"VALUES ?{pick.choice('gso')} {{ {pick.choice(('<A> <B>', chr(39) + 'SECRET' + chr(39), 'UNDEF <B>'))} }}",
            f"BIND({self._expression()} AS ?v{pick.randrange(1_000_000)})",
        ))  # fmt: skip

    def _triple(self) -> str:
        pick = self._pick
        verb = pick.choice(
            ("?p", "?p", ":livesIn", ":name", "a", ":livesIn/:name", "^:name", "(:livesIn|:name)*", "!:name", ":knows+")
        )
        return f"{pick.choice(('?s', '?s', '?x', '[]'))} {verb} {pick.choice(('?o', '?o', '?x', chr(39) + 'SECRET' + chr(39)))}"

    def _expression(self) -> str:
        return self._pick.choice((
            "?o = 'SECRET'", "BOUND(?g)", "STRLEN(STR(?o)) > 3", "CONTAINS(STR(?g), 'user')", "isIRI(?s) && !isBLANK(?o)",
            "?g IN (<A>, <B>)",
            "REGEX(STR(?o), 'se', 'i')", "STR(?s) < STR(?o)", "EXISTS { GRAPH ?g { ?s ?p ?o } }", "COALESCE(?o, 1) = 1",
        ))  # fmt: skip
