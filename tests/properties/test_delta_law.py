"""After any adds, removals and membership changes every reader sees exactly the closure of the facts they may see."""

import itertools
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import pytest
from owlrl import DeductiveClosure, OWLRL_Semantics
from pyoxigraph import Literal, NamedNode, RdfFormat, Triple, serialize
from rdflib import Graph

from ontologies.vocab import (
    OWL_DIFFERENT_FROM,
    OWL_INVERSE_OF,
    OWL_PROPERTY_CHAIN_AXIOM,
    OWL_SAME_AS,
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
from reasoner.delta import Delta, added, changed, clashes, removed, reordered
from reasoner.equality import normal
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
    joins: dict[tuple[Key, Key], Sequence[Key]] = field(default_factory=dict[tuple[Key, Key], Sequence[Key]], compare=False)

    @property
    def spaces(self) -> tuple[str, ...]:
        return ("w", *self.members, *PEOPLE)

    def below(self, lower: str, upper: str) -> bool:
        return lower in (upper, "w") or upper in self.members.get(lower, ())

    def leq(self, lower: Key, upper: Key, /) -> bool:
        return self.below(lower[0], upper[0]) and lower[1] <= upper[1]

    def join(self, left: Key, right: Key, /) -> Sequence[Key]:
        if (left, right) not in self.joins:
            self.joins[left, right] = self._join(left, right)
        return self.joins[left, right]

    def _join(self, left: Key, right: Key) -> Sequence[Key]:
        uppers = [s for s in self.spaces if self.below(left[0], s) and self.below(right[0], s)]
        least = [s for s in uppers if not any(t != s and self.below(t, s) for t in uppers)]
        return [(space, max(left[1], right[1])) for space in least]

    def readers(self) -> Iterator[Key]:
        return itertools.product(self.spaces, LEVELS)


Axiom = tuple[str, *tuple[object, ...]]
OWL_ = "http://www.w3.org/2002/07/owl#"


def owl(name: str) -> NamedNode:
    return NamedNode(OWL_ + name)


def some_axioms(rng: random.Random) -> list[Axiom]:
    """Return a few axioms of many kinds, so that what one concludes another goes on from."""

    def pair(pool: list[NamedNode]) -> list[NamedNode]:
        return rng.sample(pool, 2)

    one = {
        "subclass": lambda: pair(CLASSES),
        "equivalent classes": lambda: pair(CLASSES),
        "disjoint": lambda: pair(CLASSES),
        "complement": lambda: pair(CLASSES),
        "intersection": lambda: rng.sample(CLASSES, 3),
        "union": lambda: rng.sample(CLASSES, 3),
        "some": lambda: [*pair(CLASSES), rng.choice(PROPERTIES)],
        "all": lambda: [*pair(CLASSES), rng.choice(PROPERTIES)],
        "value": lambda: [rng.choice(CLASSES), rng.choice(PROPERTIES), rng.choice(THINGS)],
        "at most one": lambda: [rng.choice(CLASSES), rng.choice(PROPERTIES)],
        "at most one of": lambda: [*pair(CLASSES), rng.choice(PROPERTIES)],
        "key": lambda: [rng.choice(CLASSES), rng.choice(PROPERTIES)],
        "subproperty": lambda: pair(PROPERTIES),
        "equivalent properties": lambda: pair(PROPERTIES),
        "disjoint properties": lambda: pair(PROPERTIES),
        "inverse": lambda: pair(PROPERTIES),
        "chain": lambda: [rng.choice(PROPERTIES) for _ in range(3)],
        "domain": lambda: [rng.choice(PROPERTIES), rng.choice(CLASSES)],
        "range": lambda: [rng.choice(PROPERTIES), rng.choice(CLASSES)],
        **{kind: lambda: [rng.choice(PROPERTIES)] for kind in KINDS},
    }
    kinds = ["subclass", "subclass", "subproperty", "inverse", "domain", "range", "transitive", "chain"]
    kinds += rng.sample(sorted(one), 7)
    return [(kind, *one[kind]()) for kind in kinds]


KINDS = {
    "symmetric": "SymmetricProperty",
    "transitive": "TransitiveProperty",
    "functional": "FunctionalProperty",
    "inverse functional": "InverseFunctionalProperty",
    "irreflexive": "IrreflexiveProperty",
    "asymmetric": "AsymmetricProperty",
}
SIMPLE = {
    "subclass": RDFS_SUBCLASS_OF,
    "equivalent classes": owl("equivalentClass"),
    "disjoint": owl("disjointWith"),
    "complement": owl("complementOf"),
    "subproperty": RDFS_SUBPROPERTY_OF,
    "equivalent properties": owl("equivalentProperty"),
    "disjoint properties": owl("propertyDisjointWith"),
    "inverse": OWL_INVERSE_OF,
    "domain": RDFS_DOMAIN,
    "range": RDFS_RANGE,
}


def written(axioms: list[Axiom]) -> list[Triple]:  # noqa: C901 - one branch a kind
    """Return axioms as an ontology's triples; the class of a restriction is the restriction."""
    triples: list[Triple] = []
    names = (node(f"n{number}") for number in itertools.count())

    def listed(members: Sequence[object]) -> NamedNode:
        if not members:
            return RDF_NIL
        head = next(names)
        triples.extend([Triple(head, RDF_FIRST, members[0]), Triple(head, RDF_REST, listed(members[1:]))])  # type: ignore[arg-type]
        return head

    for kind, *parts in axioms:
        first, *rest = parts
        match kind:
            case "intersection" | "union":
                triples.append(Triple(first, owl(f"{kind}Of"), listed(rest)))  # type: ignore[arg-type]
            case "chain":
                triples.append(Triple(first, OWL_PROPERTY_CHAIN_AXIOM, listed(rest)))  # type: ignore[arg-type]
            case "key":
                triples.append(Triple(first, owl("hasKey"), listed(rest)))  # type: ignore[arg-type]
            case "some" | "all" | "value" | "at most one" | "at most one of":
                wanted = {"some": "someValuesFrom", "all": "allValuesFrom", "value": "hasValue"}.get(kind)
                property_ = rest[0] if kind in {"value", "at most one"} else rest[1]
                restriction = next(names)
                triples.append(Triple(first, owl("equivalentClass"), restriction))  # type: ignore[arg-type]
                triples.append(Triple(restriction, owl("onProperty"), property_))  # type: ignore[arg-type]
                if wanted is not None:
                    triples.append(Triple(restriction, owl(wanted), rest[1] if kind == "value" else rest[0]))  # type: ignore[arg-type]
                elif kind == "at most one":
                    triples.append(Triple(restriction, owl("maxCardinality"), Literal(1)))
                else:
                    triples.append(Triple(restriction, owl("maxQualifiedCardinality"), Literal(1)))
                    triples.append(Triple(restriction, owl("onClass"), rest[0]))  # type: ignore[arg-type]
            case _ if kind in SIMPLE:
                triples.append(Triple(first, SIMPLE[kind], rest[0]))  # type: ignore[arg-type]
            case _:
                triples.append(Triple(first, RDF_TYPE, owl(KINDS[kind])))  # type: ignore[arg-type]
    return triples


Fact = tuple[object, object, object]
FALSE: Fact = ("false", "false", "false")


def steps(axiom: Axiom, known: set[Fact]) -> Iterator[Fact]:  # noqa: C901, PLR0912, PLR0915 - one branch a kind
    """Yield what one axiom concludes from what is known, by looking at all of it; shares nothing with the engine."""
    kind, *parts = axiom
    a, b, c = (*parts, None, None)[:3]
    types: dict[object, set[object]] = {}
    pairs: dict[object, set[tuple[object, object]]] = {}
    for s, p, o in known:
        if p == RDF_TYPE:
            types.setdefault(o, set()).add(s)
        else:
            pairs.setdefault(p, set()).add((s, o))
    is_a, has = types.get, pairs.get
    nothing: set[object] = set()
    none: set[tuple[object, object]] = set()
    match kind:
        case "subclass" | "equivalent classes":
            yield from ((x, RDF_TYPE, b) for x in is_a(a, nothing))
            if kind != "subclass":
                yield from ((x, RDF_TYPE, a) for x in is_a(b, nothing))
        case "disjoint" | "complement":
            yield from (FALSE for _ in is_a(a, nothing) & is_a(b, nothing))
        case "intersection":
            yield from ((x, RDF_TYPE, a) for x in is_a(b, nothing) & is_a(c, nothing))
            yield from ((x, RDF_TYPE, d) for x in is_a(a, nothing) for d in (b, c))
        case "union":
            yield from ((x, RDF_TYPE, a) for x in is_a(b, nothing) | is_a(c, nothing))
        case "some":
            yield from ((x, RDF_TYPE, a) for x, y in has(c, none) if y in is_a(b, nothing))
        case "all":
            yield from ((y, RDF_TYPE, b) for x, y in has(c, none) if x in is_a(a, nothing))
        case "value":
            yield from ((x, b, c) for x in is_a(a, nothing))
            yield from ((x, RDF_TYPE, a) for x, y in has(b, none) if y == c)
        case "at most one" | "at most one of":
            property_ = b if kind == "at most one" else c
            counted = [(x, y) for x, y in has(property_, none) if x in is_a(a, nothing)]
            counted = [(x, y) for x, y in counted if kind == "at most one" or y in is_a(b, nothing)]
            yield from ((y, OWL_SAME_AS, z) for x, y in counted for w, z in counted if x == w)
        case "key":
            owners = [(x, y) for x, y in has(b, none) if x in is_a(a, nothing)]
            yield from ((x, OWL_SAME_AS, w) for x, y in owners for w, z in owners if y == z)
        case "subproperty" | "equivalent properties":
            yield from ((x, b, y) for x, y in has(a, none))
            if kind != "subproperty":
                yield from ((x, a, y) for x, y in has(b, none))
        case "disjoint properties":
            yield from (FALSE for _ in has(a, none) & has(b, none))
        case "inverse":
            yield from ((y, b, x) for x, y in has(a, none))
            yield from ((y, a, x) for x, y in has(b, none))
        case "chain":
            yield from ((x, a, z) for x, y in has(b, none) for w, z in has(c, none) if y == w)
        case "domain":
            yield from ((x, RDF_TYPE, b) for x, _ in has(a, none))
        case "range":
            yield from ((y, RDF_TYPE, b) for _, y in has(a, none))
        case "symmetric":
            yield from ((y, a, x) for x, y in has(a, none))
        case "transitive":
            yield from ((x, a, z) for x, y in has(a, none) for w, z in has(a, none) if y == w)
        case "functional":
            yield from ((y, OWL_SAME_AS, z) for x, y in has(a, none) for w, z in has(a, none) if x == w)
        case "inverse functional":
            yield from ((x, OWL_SAME_AS, w) for x, y in has(a, none) for w, z in has(a, none) if y == z)
        case "irreflexive":
            yield from (FALSE for x, y in has(a, none) if x == y)
        case _:
            assert kind == "asymmetric"
            yield from (FALSE for x, y in has(a, none) if (y, x) in has(a, none))


def renamed(known: set[Fact]) -> Iterator[Fact]:
    """Yield what follows because names are of one thing; that a thing is itself is left out."""
    same = [(s, o) for s, p, o in known if p == OWL_SAME_AS]
    yield from (FALSE for s, p, o in known if p == OWL_DIFFERENT_FROM and (s == o or (s, o) in same))
    for one, other in same:
        yield other, OWL_SAME_AS, one
        for s, p, o in known:
            if s == one:
                yield other, p, o
            if o == one and p != RDF_TYPE:
                yield s, p, other


def naive_closure(axioms: list[Axiom], facts: set[Triple]) -> set[Fact]:
    """Close facts by every axiom at every round."""
    known: set[Fact] = {tuple(fact) for fact in facts}  # type: ignore[misc]
    while True:
        new = {fact for axiom in axioms for fact in steps(axiom, known)} | set(renamed(known))
        new = {fact for fact in new if not (fact[1] == OWL_SAME_AS and fact[0] == fact[2])} - known
        if not new:
            return known
        known |= new


def with_all_names(triples: set[Triple]) -> set[Fact]:
    known: set[Fact] = {tuple(triple) for triple in triples}  # type: ignore[misc]
    while True:
        new = {f for f in renamed(known) if f != FALSE and not (f[1] == OWL_SAME_AS and f[0] == f[2])} - known
        if not new:
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


def check(memory: Memory, axioms: list[Axiom]) -> None:
    facts = memory.facts()
    found = list(clashes(memory.program, memory.teams, memory.index, list(memory.index)))
    for reader in memory.teams.readers():
        seen = with_all_names({t for t, label, _ in memory.index if memory.teams.leq(label, reader)})
        wanted = naive_closure(axioms, {t for t, label in facts if memory.teams.leq(label, reader)})
        hidden = {fact for fact in seen if isinstance(fact[2], NamedNode) and fact[2].value.startswith("urn:test:n")}
        assert seen - hidden == wanted - {FALSE}, reader
        assert any(memory.teams.leq(clash.label, reader) for clash in found) == (FALSE in wanted), reader
    whole = closure(memory.program, memory.teams, facts)
    again: Index[Key] = Index()
    for triple, label in facts:
        again.add(triple, label, inferred=False)
    for triple, label in whole:
        again.add(triple, label, inferred=True)
    assert normal(memory.teams, memory.index, memory.index) == normal(memory.teams, again, again)


def random_fact(rng: random.Random, teams: Teams) -> Labelled[Key]:
    if rng.random() < 0.1:
        kind = OWL_SAME_AS if rng.random() < 0.7 else OWL_DIFFERENT_FROM
        triple = Triple(rng.choice(THINGS), kind, rng.choice(THINGS))
    elif rng.random() < 0.3:
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
    axioms = some_axioms(rng)
    teams = Teams({"x": frozenset("ab"), "y": frozenset("abc"), "z": frozenset("c")})
    memory = Memory(compile_rules(written(axioms)), teams)
    for _ in range(25):
        step(rng, memory)
        check(memory, axioms)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(100, 500))
def test_the_law_holds_over_ten_thousand_steps_and_at_some_of_them_for_owlrl(seed: int) -> None:
    rng = random.Random(seed)
    axioms = some_axioms(rng)
    memory = Memory(compile_rules(written(axioms)), Teams({"x": frozenset("ab"), "y": frozenset("abc"), "z": frozenset("c")}))
    for number in range(25):
        step(rng, memory)
        check(memory, axioms)
        if number in {12, 24} and seed % 3 == 0 and not any(kind == "key" for kind, *_ in axioms):
            check_with_owlrl(memory, axioms, rng.choice(list(memory.teams.readers())))


def check_with_owlrl(memory: Memory, axioms: list[Axiom], reader: Key) -> None:
    """Compare what a reader sees with owlrl's closure; not with keys, where owlrl 7.6 equates with what has no value at all."""
    seen = {t for t, label, _ in memory.index if memory.teams.leq(label, reader)}
    facts = {t for t, label in memory.facts() if memory.teams.leq(label, reader)}
    graph = Graph()
    for part in (written(axioms), facts):
        graph.parse(data=serialize(part, format=RdfFormat.N_TRIPLES) or b"", format="nt")
    DeductiveClosure(OWLRL_Semantics).expand(graph)  # pyright: ignore[reportUnknownMemberType]
    words = {str(term.value) for term in (*THINGS, *CLASSES, *PROPERTIES)} | {OWL_ + "sameAs", OWL_ + "differentFrom"}
    words.add(RDF_TYPE.value)
    theirs = {tuple(map(str, triple)) for triple in graph}
    ours = {tuple(str(getattr(part, "value", "")) for part in fact) for fact in with_all_names(seen)}

    def told(triples: set[tuple[str, ...]]) -> set[tuple[str, ...]]:
        kept = {t for t in triples if set(t) <= words and t[0] in {thing.value for thing in THINGS}}
        return {t for t in kept if not (t[1] == OWL_ + "sameAs" and t[0] == t[2])}  # eq-ref is left out

    assert told(theirs) == told(ours)


@pytest.mark.parametrize("seed", range(12))
def test_adding_and_then_removing_changes_nothing(seed: int) -> None:
    rng = random.Random(1000 + seed)
    memory = Memory(compile_rules(written(some_axioms(rng))), Teams({"x": frozenset("ab")}))
    for _ in range(12):
        memory.add(random_fact(rng, memory.teams))
    for _ in range(10):
        fact = random_fact(rng, memory.teams)
        if fact in memory.facts():
            continue
        before = normal(memory.teams, memory.index, memory.index)
        memory.add(fact)
        memory.remove(fact)
        assert normal(memory.teams, memory.index, memory.index) == before


@pytest.mark.requirement("explain")
@pytest.mark.parametrize("seed", range(6))
def test_every_inference_has_a_proof_that_its_reader_may_see(seed: int) -> None:
    rng = random.Random(2000 + seed)
    memory = Memory(compile_rules(written(some_axioms(rng))), Teams({"x": frozenset("ab"), "z": frozenset("c")}))
    for _ in range(12):
        memory.add(random_fact(rng, memory.teams))
    facts = memory.facts()
    for triple, label in memory.inferences():
        proof = explain(memory.program, memory.teams, memory.index, triple, lambda k, m=label: memory.teams.leq(k, m))
        assert proof is not None
        assert proof.rule is not None
        visible = {t for t, k in facts if memory.teams.leq(k, label)}
        assert {leaf.triple for leaf in proof.leaves()} <= visible
