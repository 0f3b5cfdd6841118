"""After any adds, removals and membership changes every reader sees exactly the closure of the facts they may see."""

import itertools
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import pytest
from pyoxigraph import NamedNode, Triple

from ontologies.vocab import (
    OWL_INVERSE_OF,
    OWL_PROPERTY_CHAIN_AXIOM,
    OWL_SYMMETRIC_PROPERTY,
    OWL_TRANSITIVE_PROPERTY,
    RDF_FIRST,
    RDF_NIL,
    RDF_REST,
    RDF_TYPE,
    RDFS_DOMAIN,
    RDFS_RANGE,
    RDFS_SUBCLASS_OF,
    RDFS_SUBPROPERTY_OF,
)
from reasoner.closure import closure
from reasoner.compile import Program, compile_rules
from reasoner.delta import Delta, added, changed, removed, reordered
from reasoner.explain import explain
from reasoner.source import Index, Labelled

pytestmark = pytest.mark.requirement("I6", "I2")
PEOPLE = ("a", "b", "c")
LEVELS = (0, 1)
Key = tuple[str, int]


def node(name: str) -> NamedNode:
    return NamedNode(f"urn:test:{name}")


CLASSES = [node(f"C{i}") for i in range(6)]
PROPERTIES = [node(f"p{i}") for i in range(6)]
THINGS = [node(f"e{i}") for i in range(5)]


@dataclass(frozen=True)
class Teams:
    """A toy order: worldview below teams below their members, times two levels."""

    members: dict[str, frozenset[str]] = field(default_factory=dict[str, frozenset[str]])

    @property
    def spaces(self) -> tuple[str, ...]:
        return ("w", *self.members, *PEOPLE)

    def below(self, lower: str, upper: str) -> bool:
        return lower in (upper, "w") or upper in self.members.get(lower, ())

    def leq(self, lower: Key, upper: Key, /) -> bool:
        return self.below(lower[0], upper[0]) and lower[1] <= upper[1]

    def join(self, left: Key, right: Key, /) -> Sequence[Key]:
        uppers = [s for s in self.spaces if self.below(left[0], s) and self.below(right[0], s)]
        least = [s for s in uppers if not any(t != s and self.below(t, s) for t in uppers)]
        return [(space, max(left[1], right[1])) for space in least]

    def readers(self) -> Iterator[Key]:
        return itertools.product(self.spaces, LEVELS)


def ontology(rng: random.Random) -> list[Triple]:
    def pair(pool: list[NamedNode]) -> list[NamedNode]:
        return rng.sample(pool, 2)

    axioms = [Triple(c, RDFS_SUBCLASS_OF, d) for c, d in (pair(CLASSES) for _ in range(4))]
    axioms += [Triple(p, RDFS_SUBPROPERTY_OF, q) for p, q in (pair(PROPERTIES) for _ in range(2))]
    p, q = pair(PROPERTIES)
    axioms.append(Triple(p, OWL_INVERSE_OF, q))
    axioms.append(Triple(rng.choice(PROPERTIES), RDF_TYPE, OWL_SYMMETRIC_PROPERTY))
    axioms.append(Triple(rng.choice(PROPERTIES), RDF_TYPE, OWL_TRANSITIVE_PROPERTY))
    axioms.append(Triple(rng.choice(PROPERTIES), RDFS_DOMAIN, rng.choice(CLASSES)))
    axioms.append(Triple(rng.choice(PROPERTIES), RDFS_RANGE, rng.choice(CLASSES)))
    first, second = node("list1"), node("list2")
    axioms.append(Triple(rng.choice(PROPERTIES), OWL_PROPERTY_CHAIN_AXIOM, first))
    axioms += [Triple(first, RDF_FIRST, rng.choice(PROPERTIES)), Triple(first, RDF_REST, second)]
    axioms += [Triple(second, RDF_FIRST, rng.choice(PROPERTIES)), Triple(second, RDF_REST, RDF_NIL)]
    return axioms


def objects(axioms: list[Triple], predicate: NamedNode) -> dict[NamedNode, NamedNode]:
    return {
        a.subject: a.object
        for a in axioms
        if a.predicate == predicate and isinstance(a.subject, NamedNode) and isinstance(a.object, NamedNode)
    }


def naive_closure(  # noqa: C901, PLR0912 - one branch a rule
    axioms: list[Triple], facts: set[Triple]
) -> set[Triple]:
    """Close by reading the axioms afresh at every round; shares nothing with the engine."""
    chain = objects(axioms, OWL_PROPERTY_CHAIN_AXIOM)
    first, rest = objects(axioms, RDF_FIRST), objects(axioms, RDF_REST)
    known = set(facts)
    while True:
        new: set[Triple] = set()
        for s, p, o in known:
            for a, kind, b in axioms:
                if kind == RDFS_SUBCLASS_OF and p == RDF_TYPE and o == a:
                    new.add(Triple(s, RDF_TYPE, b))
                elif kind == RDFS_SUBPROPERTY_OF and p == a:
                    new.add(Triple(s, b, o))
                elif kind == OWL_INVERSE_OF and p in (a, b):
                    new.add(Triple(o, b if p == a else a, s))
                elif kind == RDFS_DOMAIN and p == a:
                    new.add(Triple(s, RDF_TYPE, b))
                elif kind == RDFS_RANGE and p == a:
                    new.add(Triple(o, RDF_TYPE, b))
                elif b == OWL_SYMMETRIC_PROPERTY and p == a:
                    new.add(Triple(o, p, s))
                elif b == OWL_TRANSITIVE_PROPERTY and p == a:
                    new |= {Triple(s, p, t.object) for t in known if t.predicate == p and t.subject == o}
            for head, start in chain.items():
                if first[start] == p:
                    second = first[rest[start]]
                    new |= {Triple(s, head, t.object) for t in known if t.predicate == second and t.subject == o}
        if new <= known:
            return known
        known |= new


class Memory:
    """Facts and inferences kept by deltas alone."""

    def __init__(self, program: Program, teams: Teams) -> None:
        self.program, self.teams = program, teams
        self.index: Index[Key] = Index()

    def apply(self, delta: Delta[Key]) -> None:
        assert not delta.added & delta.removed
        for triple, label in delta.removed:
            self.index.discard(triple, label, inferred=True)
        for triple, label in delta.added:
            self.index.add(triple, label, inferred=True)

    def add(self, fact: Labelled[Key]) -> None:
        delta = added(self.program, self.teams, self.index, [fact])
        self.index.add(*fact, inferred=False)
        self.apply(delta)

    def remove(self, fact: Labelled[Key]) -> None:
        delta = removed(self.program, self.teams, self.index, [fact])
        self.index.discard(*fact, inferred=False)
        self.apply(delta)

    def exchange(self, gone: list[Labelled[Key]], new: list[Labelled[Key]]) -> None:
        delta = changed(self.program, self.teams, self.index, gone=gone, new=new)
        for fact in gone:
            self.index.discard(*fact, inferred=False)
        for fact in new:
            self.index.add(*fact, inferred=False)
        self.apply(delta)

    def regroup(self, team: str, members: frozenset[str]) -> None:
        """Let one person join or leave, as the gateway would: a change for each person."""
        for person in sorted(self.teams.members[team] ^ members):
            after = Teams(self.teams.members | {team: self.teams.members[team] ^ {person}})
            moved = [(t, label) for t, label, _ in self.index if label[0] == team]
            delta = reordered(self.program, self.teams, after, self.index, moved, lambda label, p=person: label[0] == p)
            self.teams = after
            self.apply(delta)

    def facts(self) -> set[Labelled[Key]]:
        return {(t, label) for t, label, inferred in self.index if not inferred}

    def inferences(self) -> frozenset[Labelled[Key]]:
        return frozenset((t, label) for t, label, inferred in self.index if inferred)


def check(memory: Memory, axioms: list[Triple]) -> None:
    facts = memory.facts()
    for reader in memory.teams.readers():
        seen = {t for t, label, _ in memory.index if memory.teams.leq(label, reader)}
        assert seen == naive_closure(axioms, {t for t, label in facts if memory.teams.leq(label, reader)})
    assert memory.inferences() == closure(memory.program, memory.teams, facts)


def random_fact(rng: random.Random, teams: Teams) -> Labelled[Key]:
    if rng.random() < 0.3:
        triple = Triple(rng.choice(THINGS), RDF_TYPE, rng.choice(CLASSES))
    else:
        triple = Triple(rng.choice(THINGS), rng.choice(PROPERTIES), rng.choice(THINGS))
    return triple, (rng.choice(teams.spaces), rng.choice(LEVELS))


def step(rng: random.Random, memory: Memory) -> None:
    facts = sorted(memory.facts(), key=str)
    draw = rng.random()
    if facts and draw < 0.25:
        memory.remove(rng.choice(facts))
    elif facts and draw < 0.4:
        gone = rng.sample(facts, min(2, len(facts)))
        new = [f for f in (random_fact(rng, memory.teams) for _ in range(2)) if f not in facts]
        memory.exchange(gone, new)
    elif draw < 0.55:
        team = rng.choice(sorted(memory.teams.members))
        memory.regroup(team, frozenset(rng.sample(PEOPLE, rng.randrange(4))))
    else:
        memory.add(random_fact(rng, memory.teams))


@pytest.mark.parametrize("seed", range(12))
def test_every_reader_sees_exactly_the_closure_of_what_they_may_see(seed: int) -> None:
    rng = random.Random(seed)
    axioms = ontology(rng)
    teams = Teams({"x": frozenset("ab"), "y": frozenset("abc"), "z": frozenset("c")})
    memory = Memory(compile_rules(axioms), teams)
    for _ in range(25):
        step(rng, memory)
        check(memory, axioms)


@pytest.mark.parametrize("seed", range(12))
def test_adding_and_then_removing_changes_nothing(seed: int) -> None:
    rng = random.Random(1000 + seed)
    memory = Memory(compile_rules(ontology(rng)), Teams({"x": frozenset("ab")}))
    for _ in range(12):
        memory.add(random_fact(rng, memory.teams))
    for _ in range(10):
        fact = random_fact(rng, memory.teams)
        if fact in memory.facts():
            continue
        before = memory.inferences()
        memory.add(fact)
        memory.remove(fact)
        assert memory.inferences() == before


@pytest.mark.requirement("explain")
@pytest.mark.parametrize("seed", range(6))
def test_every_inference_has_a_proof_that_its_reader_may_see(seed: int) -> None:
    rng = random.Random(2000 + seed)
    memory = Memory(compile_rules(ontology(rng)), Teams({"x": frozenset("ab"), "z": frozenset("c")}))
    for _ in range(12):
        memory.add(random_fact(rng, memory.teams))
    facts = memory.facts()
    for triple, label in memory.inferences():
        proof = explain(memory.program, memory.teams, memory.index, triple, lambda k, m=label: memory.teams.leq(k, m))
        assert proof is not None
        assert proof.rule is not None
        visible = {t for t, k in facts if memory.teams.leq(k, label)}
        assert {leaf.triple for leaf in proof.leaves()} <= visible
