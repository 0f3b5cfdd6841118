"""Whether the guard lets through what an assistant asks: legitimate queries, each answered as the engine answers it as written.

And whether values are only values: fuzzed strings are stored and read back, and nothing but the strings is there.
"""

import asyncio
import json
import random
import sys
import tempfile
from pathlib import Path
from typing import Any

from pyoxigraph import Literal, NamedNode, Quad, QueryBoolean, QueryResultsFormat, QueryTriples, RdfFormat, Store

from bootstrap.figures import Figures, options, progress
from bootstrap.logs import quiet_logs
from bootstrap.wiring import open_service
from gateway.service import Said, Service
from memory._oxigraph import canonical, in_memory, query_within
from memory.errors import RefusedQueryError
from memory.graph import Graph
from memory.guard import check
from memory.ids import now, uuid7
from memory.label import WORLDVIEW, Label, Layer, graph_name, user
from memory.queries import graphs_of
from memory.query import MOST_ROWS
from ontologies.vocab import PREFIXES, term

STORED = 100_000
_QUESTIONS = Path(__file__).parent / "questions.sparql"
_PREFIXES = "".join(f"PREFIX {name}: <{iri}>\n" for name, iri in PREFIXES.items())
_TOLD = (
    "I live in Lyon.", "Lyon is a city in France.", "My sister Zoe works at Acme.", "Zoe lives in Oslo.", "Zoe knows Bo.",
    "Bo lives in Lyon.", "My birthday is 4 May 1985.", "Zoe likes tea.", "I like coffee.", "Bo likes tea.", "I am 41 years old.",
)  # fmt: skip
_PIECES = (
    '"', "'", "\\", "}", "{", "GRAPH <urn:x> {", "> <urn:y>", "\n", "\r", "\t", "#", ";", ".", "DELETE", "INSERT DATA { ",
    "\u0000", "\u2028", "\ufeff", "\u202e", "\U0001f600", "\\u0022", "\\U00000022",
    "@en", "^^<urn:z>", "'''", '"""', "<<", ">>", "a",
    " ", "]]>", "<script>", "&amp;", "%22", "_:b0", "?x", "$y", "\ud7ff", "\x7f", "\x1b[2J", "é", "DROP ALL", "*/", "--",
)  # fmt: skip


async def _answers(figures: Figures, folder: Path) -> None:
    """Ask each question as it is written, and as the guard writes it."""
    service = open_service(folder)
    await service.start()
    try:
        for text in _TOLD:
            await service.say(Said("", "", uuid7(), text, now(), "UTC"))
        space = user((await service.person("")).id)
        clearance = service.memory.spaces.clearance(space)
        quads = service.memory.dataset(clearance)
    finally:
        await service.stop()
    store, (default, named) = in_memory(), graphs_of(clearance)
    store.extend(quads)
    lines = _QUESTIONS.read_text(encoding="utf-8").splitlines()
    questions = list(dict.fromkeys(line for line in lines if line and line[0] != "#"))
    refused: list[str] = []
    wrong: list[str] = []
    found = 0
    for question in questions:
        try:
            text = check(question, default, named).text
        except RefusedQueryError as error:
            refused.append(f"{question}: {error}")
            continue
        if question.startswith("DESCRIBE"):
            continue  # what a description is, an engine says for itself
        first, second = (_answer(store, one, default, named) for one in (_PREFIXES + question, text))
        found += len(first) > 1
        if first != second:
            wrong.append(f"{question}: {second} instead of {first}")
    count = len(questions)
    figures.put("legitimate queries", count, "count", at_least=120)
    figures.put("of them accepted and answered as written", 100 * (count - len(refused) - len(wrong)) / count, "%", at_least=95)
    figures.put("of them answered otherwise", len(wrong), "count", at_most=0)
    figures.put("of them with an answer", found, "count", at_least=60)
    for line in (*refused, *wrong):
        print(line[:400], file=sys.stderr)


def _answer(store: Store, query: str, default: list[str], named: list[str]) -> list[str]:
    found: Any = query_within(store, query, default, named)
    if isinstance(found, QueryBoolean):
        return ["ask", str(bool(found))]
    if isinstance(found, QueryTriples):
        return sorted((found.serialize(format=RdfFormat.N_TRIPLES) or b"").decode().splitlines())
    rows = json.loads(found.serialize(format=QueryResultsFormat.JSON) or b"")
    bindings = [json.dumps(row, sort_keys=True) for row in rows["results"]["bindings"]]
    return [" ".join(sorted(rows["head"]["vars"])), *(bindings if " ORDER BY " in query.upper() else sorted(bindings))][
        :MOST_ROWS
    ]


def _store_values(figures: Figures, folder: Path, count: int) -> None:
    """Store fuzzed strings through the text of updates, and compare what is there."""
    pick, name, predicate = random.Random(4), graph_name(Layer.FACTS, Label(WORLDVIEW)), term("describedAs")
    graph = Graph.rebuild(folder, (), 0, "values")
    before = set(graph.store)
    wanted: set[Quad] = set()
    gone: list[Quad] = []
    at = 0
    while at < count:
        progress(f"{at:,} of {count:,} values")
        chunk = [_value(pick, number) for number in range(at, min(at + 250, count))]
        quads = [
            Quad(NamedNode(f"urn:muniment:entity:{at}-{place}"), predicate, value, name) for place, value in enumerate(chunk)
        ]
        graph.apply(graph.applied + 1, gone, quads)
        wanted = (wanted | set(quads)) - set(gone)
        gone, at = quads[:3], at + 250
    graph.flush()
    progress("")
    stored = {quad for quad in graph.store if quad.graph_name == name}
    elsewhere = {quad.predicate for quad in graph.store if quad.graph_name != name} - {quad.predicate for quad in before}
    expected = {Quad(quad.subject, quad.predicate, canonical(quad.object), quad.graph_name) for quad in wanted}  # type: ignore[arg-type]
    graph.close()
    figures.put("fuzzed values stored", count, "count", at_least=count)
    figures.put(
        "values and quads that differ when they are read back", len(stored ^ expected) + len(elsewhere), "count", at_most=0
    )


def _value(pick: random.Random, number: int) -> Literal:
    text = "".join(pick.choice(_PIECES) for _ in range(pick.randint(1, 9))) + str(number)
    text = text.replace("\u0000", "")
    match pick.randrange(4):
        case 0:
            return Literal(text, language="en")
        case 1:
            return Literal(text, datatype=NamedNode("urn:muniment:test:datatype"))
        case _:
            return Literal(text)


async def _say_values(figures: Figures, folder: Path, count: int) -> None:
    """Say fuzzed names in messages, and see that nothing is there that was not said as such."""
    pick = random.Random(5)
    service = open_service(folder)
    await service.start()
    try:
        strange = await _strange(service, pick, count)
    finally:
        await service.stop()
    figures.put("messages with fuzzed values", count, "count")
    figures.put("predicates and graphs that no vocabulary has afterwards", strange, "count", at_most=0)


async def _strange(service: Service, pick: random.Random, count: int) -> int:
    for number in range(count):
        said = f'I live in "{_value(pick, number).value}".' if number % 2 else f"My motto is {_value(pick, number).value}"
        await service.say(Said("", "", uuid7(), said, now(), "UTC"))
    space = user((await service.person("")).id)
    result = service.memory.queries.ask("SELECT DISTINCT ?g ?p { GRAPH ?g { ?s ?p ?o } }", service.memory.spaces.clearance(space))
    rows = json.loads(result.data)["results"]["bindings"]
    known = tuple(PREFIXES.values())
    allowed = frozenset(graphs_of(service.memory.spaces.clearance(space))[1])
    return sum(not row["p"]["value"].startswith(known) or row["g"]["value"] not in allowed for row in rows)


def main() -> int:
    """Ask the questions, store the values, and report."""
    given = options(__doc__ or "").parse_args()
    quiet_logs(verbose=False)
    figures = Figures(given.check)
    with tempfile.TemporaryDirectory() as temporary:
        asyncio.run(_answers(figures, Path(temporary) / "asked"))
        _store_values(figures, Path(temporary) / "stored", 5_000 if given.quick else STORED)
        asyncio.run(_say_values(figures, Path(temporary) / "said", 100 if given.quick else 1_000))
    return figures.exit_code()


if __name__ == "__main__":
    sys.exit(main())
