"""What a fact costs the reasoner: added and removed on a store on disk, at growing sizes; the worst hub; and a full closure.

The facts are generated personal knowledge over the shipped vocabulary (some two hundred axioms): people and what they are to each
other, where they live and work, what they like; a part of it in each person's own space. The full closure is measured beside
owlrl and reasonable 0.4.4 (where it is installed) in the same run, with the same axioms and without labels.
"""

import importlib
import itertools
import random
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from owlrl import DeductiveClosure, OWLRL_Semantics
from pyoxigraph import NamedNode, Quad, RdfFormat, Triple, serialize
from rdflib import Graph as RdflibGraph

from bootstrap.figures import Figures, Spent, options, percentile, progress
from memory.graph import Graph
from memory.ids import ENTITY
from memory.label import WORLDVIEW, Label, Layer, Sensitivity, Spaces, graph_name, user
from ontologies.files import vocabulary
from ontologies.vocab import RDF_TYPE, term
from reasoner.closure import closure
from reasoner.compile import Program, compile_rules
from reasoner.delta import added, removed

SIZES = (1_000, 10_000, 100_000)
SAMPLE = 400
RESIDENTS = 10_000
OWLRL_MOST = 1_000
_EVERYONE = Label(WORLDVIEW, Sensitivity.PUBLIC)
OWNERS = tuple(Label(user(f"00000000-0000-7000-8000-{number:012x}")) for number in range(4))
Fact = tuple[Triple, Label]
_KIN = ("sister", "brother", "mother", "father", "daughter", "son", "friend", "colleague", "wife", "cousin")


class People:
    """A stream of facts, the same for the same seed."""

    def __init__(self, seed: int = 1) -> None:
        """Begin with the places."""
        self._random = random.Random(seed)
        self._number = itertools.count()
        self.hub = self._thing()
        self._countries = [self._thing() for _ in range(20)]
        self._regions = [self._thing() for _ in range(100)]
        self._cities = [self._thing() for _ in range(1_000)]
        self._companies = [self._thing() for _ in range(500)]
        self._things = [self._thing() for _ in range(2_000)]

    def _thing(self) -> NamedNode:
        return NamedNode(f"{ENTITY}00000000-0000-7000-9000-{next(self._number):012x}")

    def places(self) -> Iterator[Fact]:
        """Yield which place lies in which."""
        for country in self._countries:
            yield Triple(country, RDF_TYPE, term("Country")), _EVERYONE
        for number, region in enumerate(self._regions):
            yield Triple(region, term("partOf"), self._countries[number % len(self._countries)]), _EVERYONE
        for number, city in enumerate(self._cities):
            yield Triple(city, term("partOf"), self._regions[number % len(self._regions)]), _EVERYONE

    def facts(self) -> Iterator[Fact]:
        """Yield facts about one person after another."""
        choose = self._random.choice
        known: list[NamedNode] = []
        while True:
            person, label = self._thing(), choose(OWNERS)
            yield Triple(person, term("livesIn"), choose(self._cities)), label
            yield Triple(person, term("worksAt"), choose(self._companies)), label
            for _ in range(3):
                yield Triple(person, term(choose(("likes", "owns", "interestedIn"))), choose(self._things)), label
            if known:
                yield Triple(person, term(choose(_KIN)), choose(known[-50:])), label
            known.append(person)

    def residents(self, count: int) -> Iterator[Fact]:
        """Yield people who all live in one place."""
        return ((Triple(self._thing(), term("livesIn"), self.hub), OWNERS[0]) for _ in range(count))

    def hub_in(self, number: int) -> Fact:
        """Return that the place they all live in is a part of a region."""
        return Triple(self.hub, term("partOf"), self._regions[number]), _EVERYONE


def main() -> int:
    """Measure at each size, the hub, and the full closures."""
    parser = options(__doc__ or "")
    parser.add_argument("--facts", type=int, default=SIZES[-1], help="the largest size")
    given = parser.parse_args()
    sizes = [1_000, 5_000] if given.quick else [*(s for s in SIZES if s < given.facts), given.facts]
    figures = Figures(given.check)
    program, order = compile_rules(vocabulary()), Spaces()
    figures.put("rules compiled", len(program.rules), "count")
    with tempfile.TemporaryDirectory() as temporary:
        costs = [_measure(figures, program, order, size, Path(temporary) / str(size)) for size in sizes]
        figures.put(
            f"growth of CPU p50 of an addition from {sizes[0]:,} to {sizes[-1]:,}", costs[-1] / costs[0], "ratio", at_most=1.3
        )
        _hub(figures, program, order, Path(temporary) / "hub", 1_000 if given.quick else RESIDENTS)
    _closures(figures, program, 5_000 if given.quick else 100_000)
    return figures.exit_code()


def _measure(figures: Figures, program: Program, order: Spaces, size: int, folder: Path) -> float:
    """Measure additions and removals on a store of a size; return the CPU p50 of an addition."""
    people = People()
    stream = people.facts()
    graph = _loaded(program, order, [*people.places(), *itertools.islice(stream, size)], folder)
    adding, removing = Spent(), Spent()
    fresh = list(itertools.islice(stream, SAMPLE))
    for number, fact in enumerate(fresh):
        progress(f"{size:,} facts: addition {number + 1} of {SAMPLE}")
        with adding.timed():
            delta = added(program, order, graph, [fact])
        _apply(graph, [], [_quad(fact, Layer.FACTS), *(_quad(f, Layer.INFERRED) for f in delta.added)])
    for number, fact in enumerate(random.Random(2).sample(fresh, SAMPLE // 2)):
        progress(f"{size:,} facts: removal {number + 1} of {SAMPLE // 2}")
        with removing.timed():
            delta = removed(program, order, graph, [fact])
        new = [_quad(f, Layer.INFERRED) for f in delta.added]
        _apply(graph, [_quad(fact, Layer.FACTS), *(_quad(f, Layer.INFERRED) for f in delta.removed)], new)
    progress("")
    at = f"at {size:,} facts"
    largest = size >= SIZES[-1]
    figures.put(f"add a fact {at}: CPU p50", percentile(adding.cpu, 0.5), "ms", at_most=1.5 if largest else None)
    figures.put(f"add a fact {at}: CPU p99", percentile(adding.cpu, 0.99), "ms", at_most=10 if largest else None)
    figures.put(f"remove a fact {at}: CPU p50", percentile(removing.cpu, 0.5), "ms", at_most=5 if largest else None)
    figures.put(f"remove a fact {at}: CPU p99", percentile(removing.cpu, 0.99), "ms")
    graph.close()
    return percentile(adding.cpu, 0.5)


def _hub(figures: Figures, program: Program, order: Spaces, folder: Path, residents: int) -> None:
    """Measure what it costs that a place many people live in comes to lie in a region, and goes; and one more resident."""
    people = People()
    graph = _loaded(program, order, [*people.places(), *people.residents(residents)], folder)
    for number, fact in enumerate(people.residents(1)):
        spent = Spent()
        with spent.timed():
            added(program, order, graph, [fact])
        figures.put(f"one more resident beside {residents:,}: CPU", spent.cpu[number], "ms")
    spent = Spent()
    fact = people.hub_in(0)
    with spent.timed():
        delta = added(program, order, graph, [fact])
    figures.put(f"the place of {residents:,} residents comes to lie in a region: CPU", spent.cpu[0], "ms")
    figures.put("inferences that come with it", len(delta.added), "count")
    _apply(graph, [], [_quad(fact, Layer.FACTS), *(_quad(f, Layer.INFERRED) for f in delta.added)])
    with spent.timed():
        gone = removed(program, order, graph, [fact])
    figures.put("and no longer does: CPU", spent.cpu[1], "ms")
    figures.put("inferences that go with it and did not come", len(gone.removed ^ delta.added), "count", at_most=0)
    graph.close()


def _closures(figures: Figures, program: Program, size: int) -> None:
    """Measure the full closure beside that of other reasoners, of the same facts and axioms, without labels."""
    people = People()
    facts = [triple for triple, _ in itertools.islice(itertools.chain(people.places(), people.facts()), size)]
    started = time.process_time()
    found = closure(program, Spaces(), [(triple, _EVERYONE) for triple in facts])
    ours = time.process_time() - started
    figures.put(f"full closure of {size:,} facts: CPU", ours, "s")
    figures.put("inferences in it", len(found), "count")
    everything = serialize([*vocabulary(), *facts], format=RdfFormat.N_TRIPLES) or b""
    theirs = _reasonable(everything)
    if theirs is not None:
        figures.put(f"reasonable's of {size:,} facts: CPU", theirs, "s")
        figures.put("ours to reasonable's", ours / theirs, "ratio", at_most=1)
    few = serialize([*vocabulary(), *facts[:OWLRL_MOST]], format=RdfFormat.N_TRIPLES) or b""
    graph = RdflibGraph().parse(data=few, format="nt")
    started = time.process_time()
    DeductiveClosure(OWLRL_Semantics).expand(graph)  # pyright: ignore[reportUnknownMemberType]
    figures.put(f"owlrl's of {OWLRL_MOST:,} facts: CPU", time.process_time() - started, "s")


def _reasonable(data: bytes) -> float | None:
    """Return the CPU seconds that reasonable takes; ``None`` where it is not installed."""
    try:
        module: Any = importlib.import_module("reasonable")
    except ImportError:
        print("reasonable is not installed; its closure was not measured", file=sys.stderr)
        return None
    with tempfile.NamedTemporaryFile(suffix=".n3") as file:
        file.write(data)
        file.flush()
        reasoner = module.PyReasoner()
        started = time.process_time()
        reasoner.load_file(file.name)
        reasoner.reason()
        return time.process_time() - started


def _loaded(program: Program, order: Spaces, facts: Sequence[Fact], folder: Path) -> Graph:
    """Return a graph on disk that holds facts and all that follows."""
    progress(f"closing {len(facts):,} facts")
    return Graph.rebuild(folder, quads_of(program, order, facts), 1, "bench")


def quads_of(program: Program, order: Spaces, facts: Sequence[Fact]) -> list[Quad]:
    """Return facts and all that follows as quads."""
    facts = list(dict.fromkeys(facts))
    inferred = closure(program, order, facts)
    return [_quad(fact, Layer.FACTS) for fact in facts] + [_quad(fact, Layer.INFERRED) for fact in inferred]


def _quad(fact: Fact, layer: Layer) -> Quad:
    return Quad(*fact[0], graph_name(layer, fact[1]))  # type: ignore[arg-type]


def _apply(graph: Graph, removed_: Sequence[Quad], added_: Sequence[Quad]) -> None:
    graph.apply(graph.applied + 1, removed_, added_)


if __name__ == "__main__":
    sys.exit(main())
