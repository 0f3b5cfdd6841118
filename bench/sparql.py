"""What a small query costs through guard and sandbox, over a graph of a million quads: right after a write, and otherwise.

The graph holds generated personal knowledge with all that follows from it; the query is one as an assistant writes it.
"""

import itertools
import sys
import tempfile
import time
from contextlib import nullcontext
from pathlib import Path
from typing import Any

from pyoxigraph import Literal, NamedNode, Quad

from bench.reasoner import OWNERS, People, quads_of
from bootstrap.figures import Figures, Spent, options, percentile, progress
from memory.gate import Gate
from memory.graph import Graph
from memory.label import Layer, Spaces, graph_name
from memory.queries import Queries
from memory.snapshots import Snapshots
from ontologies.files import vocabulary
from ontologies.vocab import NAME
from reasoner.compile import compile_rules

SAMPLE = 60
_QUERIES = (
    "SELECT DISTINCT ?town { ?who :livesIn ?town } LIMIT 10",
    "SELECT ?place { <{who}> :residesWithin ?place }",
    "SELECT ?p ?o { <{who}> ?p ?o } LIMIT 50",
    "ASK { <{who}> :livesIn ?town . ?town :partOf ?region }",
    "SELECT (COUNT(?what) AS ?n) { <{who}> :likes ?what }",
)


def main() -> int:
    """Load a graph, and measure."""
    parser = options(__doc__ or "")
    parser.add_argument("--quads", type=int, default=1_000_000)
    given = parser.parse_args()
    figures = Figures(given.check)
    wanted = 50_000 if given.quick else given.quads
    with tempfile.TemporaryDirectory() as temporary:
        graph, people = _graph(Path(temporary) / "graph", wanted)
        figures.put("quads in the graph", len(graph.store), "count", at_least=wanted)
        queries = Queries(Snapshots(Path(temporary), graph, Gate()), lambda _as_of, _valid_at: nullcontext())  # type: ignore[arg-type, return-value]
        for name, written, most in (("right after a write", True, 150), ("otherwise", False, 80)):
            spent = _measure(queries, graph, people, written=written)
            figures.put(f"a small query {name}: wall p50", percentile(spent.wall, 0.5), "ms", at_most=most)
            figures.put(f"a small query {name}: wall p95", percentile(spent.wall, 0.95), "ms")
        queries.close()
        graph.close()
    return figures.exit_code()


def _measure(queries: Queries, graph: Graph, people: list[NamedNode], *, written: bool) -> Spent:
    clearance, spent = Spaces().clearance(OWNERS[0].space), Spent()
    pairs = itertools.islice(zip(itertools.cycle(_QUERIES), itertools.cycle(people), strict=False), SAMPLE)
    for number, (query, who) in enumerate(pairs):
        progress(f"query {number + 1} of {SAMPLE}")
        if written:
            quad = Quad(who, NAME, Literal(f"name {number} {time.time_ns()}"), graph_name(Layer.FACTS, OWNERS[0]))
            graph.apply(graph.applied + 1, [], [quad])
        with spent.timed():
            queries.ask(query.replace("{who}", who.value), clearance)
        time.sleep(0.2)  # a person or a model reads the answer before it asks again
    progress("")
    return spent


def _graph(folder: Path, wanted: int) -> tuple[Graph, list[NamedNode]]:
    """Return a graph of about so many quads, and some of the people in it."""
    program, order, people = compile_rules(vocabulary()), Spaces(), People()
    facts = [*people.places(), *itertools.islice(people.facts(), wanted // 3)]
    progress(f"closing {len(facts):,} facts")
    quads: list[Any] = quads_of(program, order, facts)
    mine = [fact[0].subject for fact in facts if fact[1] == OWNERS[0]]
    return Graph.rebuild(folder, quads, 1, "bench"), [one for one in dict.fromkeys(mine) if isinstance(one, NamedNode)][:SAMPLE]


if __name__ == "__main__":
    sys.exit(main())
