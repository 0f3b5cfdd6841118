"""Each compiled rule: what it concludes, what it does not, and at which label."""

import random

import pytest
from pyoxigraph import Literal, NamedNode, RdfFormat, Triple, parse

from memory.label import WORLDVIEW, Label, Sensitivity, Spaces, user
from memory.vocabulary import Vocabulary
from ontologies.files import vocabulary
from ontologies.vocab import MUNIMENT, OWL_SAME_AS
from reasoner.closure import closure
from reasoner.compile import LEFT_OUT, compile_rules
from reasoner.delta import Clash, added, clashes
from reasoner.explain import ground
from reasoner.oracle import differences
from reasoner.rules.schema import close
from reasoner.source import Index
from tests.conftest import ANN, BOB
from tests.reasoner.w3c import CASES, FALSE, SCHEMA, W3C_RULES, Case

pytestmark = pytest.mark.requirement("rules")

PREFIXES = """@prefix : <urn:t:> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> . @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
"""
PUBLIC, MINE, HIS = Label(WORLDVIEW, Sensitivity.PUBLIC), Label(user(ANN)), Label(user(BOB))


def triples(text: str) -> list[Triple]:
    return [quad.triple for quad in parse(input=PREFIXES + text, format=RdfFormat.TURTLE)]


def false(axiom: str, facts: list[tuple[Triple, Label]]) -> list[Clash[Label]]:
    program, index = compile_rules(triples(axiom)), Index[Label]()
    for triple, label in facts:
        index.add(triple, label, inferred=False)
    for triple, label in closure(program, Spaces(), facts):
        index.add(triple, label, inferred=True)
    return list(clashes(program, Spaces(), index, list(index)))


@pytest.mark.parametrize("case", FALSE, ids=lambda case: case.rule)
def test_it_finds_false_what_is_false_and_nothing_else(case: Case) -> None:
    found = false(case.axiom, [(t, MINE) for t in triples(case.facts)])
    assert case.rule in {clash.rule.name for clash in found}
    assert false(case.axiom, [(t, MINE) for t in triples(case.no_facts)]) == []


@pytest.mark.parametrize("case", FALSE, ids=lambda case: case.rule)
def test_what_is_false_is_seen_by_who_sees_all_of_it(case: Case) -> None:
    first, *rest = triples(case.facts)
    found = false(case.axiom, [(first, PUBLIC), *((t, MINE) for t in rest)])
    assert {clash.label for clash in found} == {MINE if rest else PUBLIC}
    if rest:
        assert false(case.axiom, [(first, HIS), *((t, MINE) for t in rest)]) == []


@pytest.mark.parametrize("case", FALSE, ids=lambda case: case.rule)
def test_an_addition_that_makes_something_false_tells_it_with_the_facts_behind_it(case: Case) -> None:
    program, order = compile_rules(triples(case.axiom)), Spaces()
    *before, last = [(t, MINE) for t in triples(case.facts)]
    index = Index[Label]()
    for triple, label in before:
        index.add(triple, label, inferred=False)
    for triple, label in closure(program, order, before):
        index.add(triple, label, inferred=True)
    delta = added(program, order, index, [last])
    assert delta.clashes
    index.add(*last, inferred=False)
    for triple, label in delta.added:
        index.add(triple, label, inferred=True)
    behind = {leaf.triple for clash in delta.clashes for leaf in ground(program, order, index, clash)}
    assert last[0] in behind
    assert behind <= {t for t, _ in [*before, last]}


@pytest.mark.parametrize("rule", SCHEMA)
def test_a_schema_rule_concludes_what_follows_about_the_ontology(rule: str) -> None:
    stated, follows = SCHEMA[rule]
    closed = close(triples(stated))
    wanted = triples(follows)
    assert all(triple in closed or triple in triples(stated) for triple in wanted)
    assert rule in {closed[triple] for triple in wanted if triple in closed}


def test_what_a_restriction_below_asks_is_concluded_of_the_one_above() -> None:
    axiom = """:C owl:equivalentClass [ owl:onProperty :p ; owl:someValuesFrom :X ] .
        :D owl:equivalentClass [ owl:onProperty :p ; owl:someValuesFrom :Y ] . :X rdfs:subClassOf :Y ."""
    found = inferred(axiom, [(t, MINE) for t in triples(":a a :C .")])
    assert (triples(":a a :D .")[0], MINE) in found


def test_members_of_an_enumeration_are_told_by_the_ontology() -> None:
    program = compile_rules(triples(":C owl:oneOf ( :a :b ) ."))
    assert set(triples(":a a :C . :b a :C .")) <= set(program.static)


def test_every_w3c_rule_is_compiled_or_left_out_for_a_reason() -> None:
    told = {case.rule for case in (*CASES, *FALSE)} | set(SCHEMA) | set(LEFT_OUT)
    told |= {
        "eq-sym",
        "eq-trans",
        "eq-rep-s",
        "eq-rep-o",
        "cls-oo",
        "dt-diff",
        "dt-not-type",
    }  # tests/memory/test_identity.py; above
    assert set(W3C_RULES.split()) - told == set()


def inferred(axiom: str, facts: list[tuple[Triple, Label]]) -> set[tuple[Triple, Label]]:
    return set(closure(compile_rules(triples(axiom)), Spaces(), facts))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.rule)
def test_it_concludes_what_follows(case: Case) -> None:
    rules = {rule.name for rule in compile_rules(triples(case.axiom)).rules}
    assert case.rule in rules
    found = inferred(case.axiom, [(t, MINE) for t in triples(case.facts)])
    assert {(t, MINE) for t in triples(case.follows)} <= found


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.rule)
def test_it_concludes_nothing_else(case: Case) -> None:
    assert inferred(case.axiom, [(t, MINE) for t in triples(case.no_facts)]) == set()


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.rule)
def test_its_conclusion_has_the_join_of_the_labels_of_its_premises(case: Case) -> None:
    first, *rest = triples(case.facts)
    found = inferred(case.axiom, [(first, PUBLIC), *((t, MINE) for t in rest)])
    wanted = MINE if rest else PUBLIC
    assert {(t, wanted) for t in triples(case.follows)} <= found
    if rest:
        assert inferred(case.axiom, [(first, HIS), *((t, MINE) for t in rest)]) == set()


def test_a_literal_is_never_a_subject() -> None:
    axiom = ":p rdfs:range :C . :p owl:inverseOf :q . :p a owl:SymmetricProperty . :p rdfs:range xsd:string ."
    assert inferred(axiom, [(Triple(NamedNode("urn:t:a"), NamedNode("urn:t:p"), Literal("x")), MINE)]) == set()


def test_the_same_conclusion_is_kept_at_its_lowest_label() -> None:
    fact = triples(":a :p :b .")[0]
    found = inferred(":p rdfs:domain :C .", [(fact, MINE), (fact, PUBLIC)])
    assert {label for _, label in found} == {PUBLIC}
    two = inferred(":p rdfs:domain :C .", [(fact, MINE), (fact, HIS)])
    assert {label for _, label in two} == {MINE, HIS}


@pytest.mark.requirement("I6")
@pytest.mark.parametrize("seed", range(4))
def test_on_the_shipped_vocabulary_the_closure_equals_owlrls(seed: int, words: Vocabulary) -> None:
    chance = random.Random(seed)
    things = [NamedNode(f"urn:t:{i}") for i in range(8)]
    linking = [p.iri for p in words.properties.values() if p.iri.value.startswith(MUNIMENT) and p.noun != "name"]
    facts = {Triple(chance.choice(things), chance.choice(linking), chance.choice(things)) for _ in range(12)}
    assert differences(vocabulary(), facts) == frozenset()
    same = Triple(things[0], OWL_SAME_AS, things[1])
    assert differences(vocabulary(), [*facts, same]) == frozenset()
