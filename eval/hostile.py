"""Queries made to take all there is: each is refused or ended in time, and meanwhile others are served.

Asked through the product, as a member would, over a store of generated knowledge; the owner asks something small all the while.
"""

import itertools
import json
import resource
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from threading import Event, Thread
from typing import TYPE_CHECKING

from bootstrap.figures import Figures, options, percentile, progress
from bootstrap.logs import quiet_logs
from eval.names import name
from gateway.parse.offline import read
from gateway.tables import TABLES
from memory.claim import Receipt, Source, SourceKind
from memory.errors import MunimentMemoryError, QueryLimitError, RefusedQueryError, SandboxError
from memory.ids import now, uuid7
from memory.label import Clearance, user
from memory.lockdown import MEGABYTE
from memory.store import Memory
from memory.vocabulary import Vocabulary
from ontologies.files import vocabulary

if TYPE_CHECKING:
    from concurrent.futures import Future

LONGEST = 1.5
"""Seconds in which each is over."""

MOST_MEMORY = 300
"""Megabytes above what a child has when it starts."""

_BENIGN = "SELECT DISTINCT ?name { ?who :livesIn ?town . ?town :name ?name } LIMIT 20"
_BEAT = 0.01
_TOGETHER = 20


def attacks() -> Iterator[str]:
    """Yield 300 queries that take much time, memory or room, in ten kinds."""
    for n in range(30):
        size = n + 3
        triples = " . ".join(f"?a{i} ?b{i} ?c{i}" for i in range(size))
        yield f"SELECT * {{ {triples} }} ORDER BY ?a{n}"
        yield f"SELECT (COUNT(*) AS ?n) {{ {triples} FILTER(STRLEN(STR(?c0)) > {n}) }}"
        doubled = " ".join(f"BIND(CONCAT(?v{i}, ?v{i}) AS ?v{i + 1})" for i in range(size + 20))
        yield f"SELECT ?v{size + 20} {{ BIND('{'x' * (n + 1)}' AS ?v0) {doubled} }}"
        yield "ASK { FILTER(" + "(" * (size * 10) + "1" + ")" * (size * 10) + ") }"
        yield "SELECT * {" + " OPTIONAL { ?s ?p ?o }" * (size * 60) + " }"
        yield f"SELECT * {{ VALUES ?x {{{' 1' * (size * 1_000)} }} }}"
        yield f"SELECT * {{ ?s ({'|'.join(['!:a'] * size)})* ?o . ?o ({'/'.join(['!:b*'] * 3)}) ?z . ?x (!:c)* ?y }}"
        yield f"SELECT (GROUP_CONCAT(?c{n % 3}; SEPARATOR='{'-' * n}') AS ?all) {{ {triples} }}"
        yield f"SELECT * {{ {' '.join(f'{{ SELECT DISTINCT * {{ ?a{i} ?b{i} ?c{i} }} }}' for i in range(size))} }}"
        words = "x" * (n + 10)
        yield f"SELECT * {{ ?s ?p ?o . ?x ?y ?z FILTER(REGEX(CONCAT('{words}', STR(?o), STR(?z)), '(({words[0]}+)+)+{n}$')) }}"


def main() -> int:
    """Load, attack, and report what each attack cost and how others fared."""
    parser = options(__doc__ or "")
    parser.add_argument("--facts", type=int, default=20_000)
    given = parser.parse_args()
    quiet_logs(verbose=False)
    figures = Figures(given.check)
    with tempfile.TemporaryDirectory() as temporary:
        memory = Memory(Path(temporary) / "data", Vocabulary(vocabulary()), tables=TABLES)
        facts = 2_000 if given.quick else given.facts
        people = [uuid7(), uuid7()]
        for person in people:
            _tell(memory, person, facts // 2)
        _measure(figures, memory, people, list(itertools.islice(attacks(), 60 if given.quick else None)))
        memory.close()
    return figures.exit_code()


def _tell(memory: Memory, person: str, facts: int) -> None:
    """Let a person say where people live, many to a commit."""
    waiting: list[Future[Receipt]] = []
    for number in range(facts):
        text = f"{name(number)} lives in {name(number % 500)}ton."
        source = Source(uuid7(), person, user(person), SourceKind.MESSAGE, person, now(), "UTC", text)
        waiting.append(memory.learn(source, read(text, source.said_at, "UTC"), is_owner=True))
        if number % 500 == 0:
            progress(f"{number:,} of {facts:,} facts")
    for future in waiting:
        future.result()


def _measure(figures: Figures, memory: Memory, people: list[str], queries: list[str]) -> None:
    owner, member = (memory.spaces.clearance(user(person)) for person in people)
    memory.queries.ask(_BENIGN, owner)
    started = _largest_child()
    over, served, late = Event(), list[float](), list[float]()
    watching = [Thread(target=_serve, args=(memory, owner, over, served)), Thread(target=_beat, args=(over, late))]
    for thread in watching:
        thread.start()
    took: list[float] = []
    outcomes: Counter[str] = Counter()
    for number, query in enumerate(queries):
        progress(f"attack {number + 1} of {len(queries)}")
        begun = time.perf_counter()
        outcomes[_attack(memory, query, member)] += 1
        took.append(time.perf_counter() - begun)
    with ThreadPoolExecutor(_TOGETHER) as pool:  # and all at once, as one who asks from many windows
        together = Counter(pool.map(partial(_attack, memory, clearance=member), queries))
    over.set()
    for thread in watching:
        thread.join()
    progress("")
    figures.put("resource attacks", len(queries), "count", at_least=60)
    for outcome, count in sorted(outcomes.items()):
        figures.put(f"of them {outcome}", count, "count")
    figures.put(f"of them turned away, {_TOGETHER} at once", together["turned away"], "count")
    figures.put("the longest of them: wall", max(took), "s", at_most=LONGEST)
    figures.put("the largest child above its start", (_largest_child() - started) / MEGABYTE, "MB", at_most=MOST_MEMORY)
    figures.put("a small query meanwhile: wall p95", percentile(served, 0.95) * 1e3, "ms", at_most=250)
    figures.put("small queries that failed meanwhile", sum(one < 0 for one in served), "count", at_most=0)
    figures.put("a beat of the parent every 10 ms: late by, p99", percentile(late, 0.99) * 1e3, "ms")


def _attack(memory: Memory, query: str, clearance: Clearance) -> str:
    """Return what became of an attack."""
    try:
        memory.queries.submit(query, clearance).result()
    except RefusedQueryError:
        return "refused"
    except QueryLimitError:
        return "ended"
    except SandboxError:
        return "turned away"
    return "answered"


def _serve(memory: Memory, clearance: Clearance, over: Event, served: list[float]) -> None:
    while not over.is_set():
        begun = time.perf_counter()
        try:
            found = json.loads(memory.queries.submit(_BENIGN, clearance).result().data)
            served.append(time.perf_counter() - begun if found["results"]["bindings"] else -1)
        except MunimentMemoryError:
            served.append(-1)
        over.wait(0.05)


def _beat(over: Event, late: list[float]) -> None:
    while not over.is_set():
        begun = time.perf_counter()
        time.sleep(_BEAT)
        late.append(time.perf_counter() - begun - _BEAT)


def _largest_child() -> int:
    """Return the most memory that a child of this process ever had, in bytes."""
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1_024


if __name__ == "__main__":
    sys.exit(main())
