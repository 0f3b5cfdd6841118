"""The guard: what may be asked, in which other words it is run, and what is said about the rest."""

import re

import pytest

from memory.errors import RefusedQueryError
from memory.guard import check
from memory.label import Label, Sensitivity, Spaces, team, user
from memory.preflight import DEEPEST, LONGEST, MOST_TOKENS
from memory.queries import graphs_of
from memory.query import MOST_ROWS, Form
from tests.conftest import ANN, BOB

pytestmark = pytest.mark.requirement("sparql")

GRAPHS = ["urn:muniment:facts:worldview:public", f"urn:muniment:facts:user:{ANN}:internal"]
WITHIN = re.compile(r"FROM (NAMED )?<[^>]*> ")
BOBS = f"urn:muniment:facts:user:{BOB}:internal"


def _text(query: str) -> str:
    return WITHIN.sub("", check(query, GRAPHS, GRAPHS).text)


def test_a_query_is_written_anew() -> None:
    checked = check("SELECT ?s WHERE{?s :livesIn ?o;a :Person.#comment\n}limit 5", GRAPHS, GRAPHS)
    assert checked.form is Form.ROWS
    graphs = sorted(GRAPHS)
    dataset = "".join((*(f"FROM <{graph}> " for graph in graphs), *(f"FROM NAMED <{graph}> " for graph in graphs)))
    assert checked.text == (
        f"SELECT  ?s {dataset}WHERE {{ ?s <https://w3id.org/muniment#livesIn> ?o ."
        " ?s <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <https://w3id.org/muniment#Person> . } LIMIT 5"
    )


@pytest.mark.parametrize(
    ("query", "end"),
    [
        ("SELECT * { ?s ?p ?o }", f"LIMIT {MOST_ROWS}"),
        ("SELECT * { ?s ?p ?o } LIMIT 999999999", f"LIMIT {MOST_ROWS}"),
        ("SELECT * { ?s ?p ?o } OFFSET 3 LIMIT 2", "LIMIT 2 OFFSET 3"),
        ("CONSTRUCT WHERE { ?s ?p ?o }", f"LIMIT {MOST_ROWS}"),
        ("DESCRIBE :x", f"LIMIT {MOST_ROWS}"),
        ("ASK { ?s ?p ?o }", "}"),
    ],
)
def test_no_more_is_computed_than_may_be_returned(query: str, end: str) -> None:
    assert _text(query).endswith(end)


def test_a_graph_that_is_asked_for_is_one_of_the_readers() -> None:
    among = " ".join(f"<{graph}>" for graph in sorted(GRAPHS))
    assert f"VALUES ?g {{ {among} }} GRAPH ?g" in _text("SELECT * { GRAPH ?g { ?s ?p ?o } }")
    assert f"VALUES ?g {{ {among} }} GRAPH ?g" in _text("ASK { ?s ?p ?o FILTER NOT EXISTS { GRAPH ?g { ?s ?p ?o } } }")
    assert f"GRAPH <{GRAPHS[0]}>" in _text(f"ASK {{ GRAPH <{GRAPHS[0]}> {{ ?s ?p ?o }} }}")


@pytest.mark.parametrize("graph", [BOBS, "urn:muniment:facts:nowhere", "urn:muniment:meta"])
def test_a_foreign_graph_and_none_are_told_alike(graph: str) -> None:
    with pytest.raises(RefusedQueryError, match="there is no graph") as caught:
        _text(f"SELECT * {{ GRAPH <{graph}> {{ ?s ?p ?o }} }}")
    assert str(caught.value).replace(graph, "") == (
        "The query was not run: there is no graph <> that you may see; GRAPH ?g finds those there are."
    )


@pytest.mark.parametrize(
    ("query", "named"),
    [
        ("SELECT * { SERVICE <http://127.0.0.1/> { ?s ?p ?o } }", "SERVICE"),
        ("SELECT * FROM <urn:x> { ?s ?p ?o }", "FROM"),
        ("SELECT * FROM NAMED <urn:x> { ?s ?p ?o }", "FROM"),
        ("ASK { ?s ?p ?o LATERAL { ?a ?b ?c } }", "LATERAL"),
        ("INSERT DATA { :a :b :c }", "INSERT"),
        ("DELETE WHERE { ?s ?p ?o }", "DELETE"),
        ("LOAD <http://x/>", "LOAD"),
        ("DROP ALL", "DROP"),
        ("SELECT (<urn:f>(?x) AS ?y) { ?x ?p ?o }", "urn:f"),
        ("ASK { << ?s ?p ?o >> ?q ?r }", "triple terms"),
        ("DESCRIBE ?s { ?s ?p ?o }", "DESCRIBE"),
        ("SELECT * { GRAPH ?g { { SELECT (COUNT(*) AS ?n) { ?s ?p ?o } } } }", "SELECT inside GRAPH"),
        ("BASE <http://x/> ASK { <y> ?p ?o }", "BASE"),
        ("ASK { <y> ?p ?o }", "no whole IRI"),
        ("ASK { ?s x:y ?o }", "prefix x:"),
        ("ASK { ?s !(^:a|:b) ?o }", "negated property set"),
        ('ASK { ?s ?p "a\\u0022b" }', "codepoint escape"),
        ('ASK { ?s ?p "\\U00000022" }', "codepoint escape"),
        ("ASK { ?s ?p ?o } # \\u000a } DROP ALL", "codepoint escape"),
        ("ASK { ?s ?p ?o } #\r FROM", "not shown"),
        ("ASK { ?s ?p \u202e?o }", "not shown"),
        ("ASK " + "{" * 40 + "?s ?p ?o" + "}" * 40, "nests"),
        ("ASK { FILTER(" + "(" * 400 + "1" + ")" * 400 + ") }", "nests"),
        ("ASK { ?s ?p ?o } }", "bracket"),
        ("ASK { ?a <((((((((((((((?b> ?c }", "brackets"),
        ("SELECT * {" + " OPTIONAL { ?s ?p ?o }" * 2_000 + " }", "characters"),
        ("ASK { VALUES ?x {" + " 1" * (MOST_TOKENS + 1) + " } }", "words and signs"),
        ("ASK { ?s ?p ?o " + " " * LONGEST + "}", "characters"),
        ("", "empty"),
        ("SELECT", "does not read"),
        ("SELECT*{" + "SERVICE<u:>{}" * 80 + "}", "SERVICE"),
        ("PREFIX x:<urn:x:>ASK{FILTER(x:a\\#!=CONCAT(" + ",".join(["?a"] * 1_900) + "))}", "words and signs"),
        ("SELECT * {} LIMIT " + "1" * 4_400, "too large"),
        ('ASK { ?s ?p "x"@', "does not read"),
    ],
)  # fmt: skip
def test_what_is_refused_is_named(query: str, named: str) -> None:
    with pytest.raises(RefusedQueryError, match="The query was not run") as caught:
        _text(query)
    assert named in str(caught.value)


def test_what_nests_as_deep_as_it_may_is_read() -> None:
    levels = DEEPEST - 1
    assert _text("ASK { ?s ?p ?o FILTER" + "(" * levels + "?o" + ")" * levels + " }").count("FILTER") == 1


def test_nothing_of_a_query_is_lost() -> None:
    text = _text(
        "SELECT DISTINCT ?s (COUNT(DISTINCT ?o) AS ?n) (GROUP_CONCAT(?x; SEPARATOR='\"') AS ?all) WHERE { ?s ^:knows+/:a* ?o, ?x"
        " . OPTIONAL { ?o :b|:c ?x } MINUS { ?s :d 1.5 } BIND(STRLEN(?x) - 1 AS ?l) FILTER(?l NOT IN (1, -2) && !BOUND(?z)) }"
        " GROUP BY ?s HAVING (COUNT(*) > 1) ORDER BY DESC(?n) ?s VALUES ?s { :e UNDEF }"
    )
    for part in ("DISTINCT ?s", "COUNT(DISTINCT ?o)", 'SEPARATOR = "\\""', "OPTIONAL", "MINUS", "BIND((STRLEN(?x) - ", "NOT IN"):
        assert part in text
    for part in ("(!(BOUND(?z)))", "GROUP BY ?s", "HAVING ((COUNT(*) > ", "DESC(?n) ASC(?s)", "UNDEF", ")+)/", ")*"):
        assert part in text


def test_the_graphs_of_a_reader() -> None:
    order = Spaces({"00000000-0000-7000-8000-0000000000c3": frozenset({ANN, BOB})})
    clearance = order.clearance(user(ANN), Sensitivity.INTERNAL)
    default, named = graphs_of(clearance)
    assert f"urn:muniment:facts:user:{ANN}:internal" in default
    assert f"urn:muniment:claims:user:{ANN}:internal" in set(named) - set(default)
    assert not [name for name in named if BOB in name or "secret" in name or "quarantined" in name]
    shared = Label(team("00000000-0000-7000-8000-0000000000c3"))
    assert f"urn:muniment:inferred:{shared}" in default
    assert all(re.fullmatch(r"urn:muniment:(facts|inferred|claims):\S+", name) for name in named)


@pytest.mark.parametrize(
    ("query", "part"),
    [
        ("CONSTRUCT {} WHERE { ?s ?p ?o }", "CONSTRUCT {  }"),
        ("CONSTRUCT WHERE {}", "CONSTRUCT { } WHERE { }"),
        ("ASK { ?s ?p ?o FILTER(?o IN ()) }", "IN ()"),
        ("SELECT (CONCAT() AS ?x) (COALESCE() AS ?y) {}", "CONCAT()"),
        ("ASK { FILTER(?o IN (rdf:nil)) }", "#nil>))"),
        ('ASK { ?s ?p "it\\\'s" , \'say \\"x\\"\' , "C:\\\\Users" }', 'it\'s" . ?s ?p "say \\"x\\"" . ?s ?p "C:\\\\Users"'),
        ("ASK {\r\n?s ?p ?o\r\n}", "?s ?p ?o ."),
        ("SELECT ?\u0928\u093e\u092e { ?s ?p ?\u0928\u093e\u092e }", "?\u0928\u093e\u092e"),
        ("ASK { ?s ?p '\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645' }", "\u200c"),
    ],
)
def test_what_parsers_get_wrong_is_right(query: str, part: str) -> None:
    assert part in _text(query)
