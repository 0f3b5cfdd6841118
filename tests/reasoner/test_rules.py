"""Each compiled rule: what it concludes, what it does not, and at which label."""

import random
from dataclasses import dataclass

import pytest
from owlrl import DeductiveClosure, OWLRL_Semantics
from pyoxigraph import Literal, NamedNode, RdfFormat, Triple, parse, serialize
from rdflib import Graph, URIRef

from memory.label import WORLDVIEW, Label, Sensitivity, Spaces, user
from memory.vocabulary import Vocabulary
from ontologies.files import vocabulary
from ontologies.vocab import MUNIMENT, RDF_TYPE
from reasoner.closure import closure
from reasoner.compile import compile_rules
from tests.conftest import ANN, BOB

pytestmark = pytest.mark.requirement("rules")

PREFIXES = """@prefix : <urn:t:> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> . @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
"""
PUBLIC, MINE, HIS = Label(WORLDVIEW, Sensitivity.PUBLIC), Label(user(ANN)), Label(user(BOB))


def triples(text: str) -> list[Triple]:
    return [quad.triple for quad in parse(input=PREFIXES + text, format=RdfFormat.TURTLE)]


@dataclass(frozen=True)
class Case:
    """A rule: an axiom, facts, what follows from them, and facts from which nothing follows."""

    rule: str
    axiom: str
    facts: str
    follows: str
    no_facts: str


CASES = (
    Case("prp-dom", ":p rdfs:domain :C .", ":a :p :b .", ":a a :C .", ":a :q :b ."),
    Case("prp-rng", ":p rdfs:range :C .", ":a :p :b .", ":b a :C .", ":b :q :a ."),
    Case("prp-symp", ":p a owl:SymmetricProperty .", ":a :p :b .", ":b :p :a .", ":a :q :b ."),
    Case("prp-trp", ":p a owl:TransitiveProperty .", ":a :p :b . :b :p :c .", ":a :p :c .", ":a :p :b . :c :p :b ."),
    Case("prp-spo1", ":p rdfs:subPropertyOf :q .", ":a :p :b .", ":a :q :b .", ":a :q :b ."),
    Case("prp-spo2", ":p owl:propertyChainAxiom ( :q :r :s ) .", ":a :q :b . :b :r :c . :c :s :d .", ":a :p :d .",
         ":a :q :b . :c :r :b . :c :s :d ."),
    Case("prp-inv1", ":p owl:inverseOf :q .", ":a :p :b .", ":b :q :a .", ":a :r :b ."),
    Case("prp-inv2", ":p owl:inverseOf :q .", ":a :q :b .", ":b :p :a .", ":a :r :b ."),
    Case("cax-sco", ":C rdfs:subClassOf :D .", ":a a :C .", ":a a :D .", ":a a :D ."),
)  # fmt: skip


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
    ours = {t for t, _ in closure(compile_rules(vocabulary()), Spaces(), [(t, MINE) for t in facts])} | facts

    graph = Graph()
    for part in (vocabulary(), facts):
        graph.parse(data=serialize(part, format=RdfFormat.N_TRIPLES) or b"", format="nt")
    DeductiveClosure(OWLRL_Semantics).expand(graph)
    named = [(s, p, o) for s, p, o in graph if isinstance(s, URIRef) and isinstance(o, URIRef)]  # it has literal subjects too
    theirs = {Triple(*(NamedNode(str(part)) for part in triple)) for triple in named}

    assert instance_triples(ours, words) == instance_triples(theirs, words)


def instance_triples(triples: set[Triple], words: Vocabulary) -> set[str]:
    """Keep what is said of the things with the vocabulary's own properties and classes."""
    return {
        str(t)
        for t in triples
        if str(t.subject).startswith("<urn:t:")
        and (
            (t.predicate == RDF_TYPE and t.object in words.class_labels)
            or (t.predicate in words.properties and t.predicate != RDF_TYPE)
        )
    }
