"""The answering model's tools, asked for by a scripted model behind the real client: what they show, and what they cannot do."""

import asyncio
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from bootstrap.wiring import open_service
from channels.message import Outbound
from eval.model_server import ModelServer, Use, model_server
from gateway.converse import MOST_CALLS, MOST_ROUNDS
from gateway.models import close_models
from gateway.service import Said, Service
from gateway.tools import LONGEST_RESULT, TOOLS
from memory.label import user

pytestmark = pytest.mark.requirement("tools")

LOOK = Callable[[Service], Any]


@pytest.fixture(scope="module")
def server() -> Iterator[ModelServer]:
    with model_server() as running:
        yield running


def _talk(
    folder: Path, server: ModelServer, *said: str, clearance: str = "secret", then: LOOK | None = None
) -> tuple[list[Outbound], Any]:
    """Return the replies to what the owner says, where the model only answers and the offline parser reads."""
    folder.mkdir(exist_ok=True)
    told = f'[models.answerer]\nname = "openai/scripted"\napi_base = "{server.url}"\ndeadline = 20.0\nclearance = "{clearance}"\n'
    (folder / "muniment.toml").write_text(told, encoding="utf-8")
    server.asked.clear()

    async def go() -> tuple[list[Outbound], Any]:
        service = open_service(folder)
        await service.start()
        try:
            replies = [
                r
                for n, text in enumerate(said)
                for r in await service.say(Said("", "", f"{n}", text, 1_770_000_000_000_000 + n, "UTC"))
            ]
            return replies, (await asyncio.to_thread(then, service)) if then else None
        finally:
            await service.stop()
            await close_models()

    return asyncio.run(go())


def _using(*calls: tuple[str, dict[str, Any]]) -> Callable[[dict[str, Any]], "str | Use"]:
    """Use tools for the last message once, and then say what they said."""
    written = tuple((name, json.dumps(arguments)) for name, arguments in calls)

    def script(request: dict[str, Any]) -> "str | Use":
        results = [message["content"] for message in request["messages"] if message["role"] == "tool"]
        if results:
            return "I found: " + " | ".join(result.split("\n", 1)[1].rsplit("\n", 1)[0] for result in results)
        return Use(written) if "?" in request["messages"][-1]["content"].split("\u27e6", 1)[0] else "Noted."

    return script


def _claims(service: Service) -> list[tuple[str, str]]:
    owner = service.people.owner()
    assert owner is not None
    rows = service.memory.queries.ask(
        "SELECT DISTINCT ?p ?name { ?s ?p ?o . ?o :name ?name FILTER(?p != :name) } ORDER BY ?p ?name",
        service.memory.spaces.clearance(user(owner.id)),
    )
    found = json.loads(rows.data)["results"]["bindings"]
    return [(row["p"]["value"].rsplit("#")[-1], row["name"]["value"]) for row in found]


@pytest.mark.parametrize(
    ("name", "arguments", "words"),
    [
        ("memory_search", {"words": "Zoe"}, "Zoe lives in Oslo"),
        ("memory_about", {"name": "Zoe"}, "Zoe lives in Oslo"),
        ("memory_explain", {"name": "Zoe"}, '"Zoe lives in Oslo'),
        ("memory_timeline", {"name": "Zoe"}, "Zoe lives in Oslo"),
        ("memory_changes", {"since": "2020-01-01"}, "asserted"),
        ("memory_sparql", {"query": 'SELECT DISTINCT ?n { ?z :name "Zoe" ; :livesIn/:name ?n }'}, "n\nOslo"),
        ("memory_sparql", {"query": "ASK { ?z :livesIn ?o }", "as_of": "2020-01-01"}, "no"),
        ("memory_sparql", {"query": "DROP ALL"}, "DROP changes data"),
        ("memory_reflect", {}, "little is known of Oslo"),
        ("ontology_inspect", {"name": "livesIn"}, ":livesIn"),
        ("memory_about", {"name": "Zoe", "space": "worldview"}, "cannot be used"),
        ("memory_changes", {"since": "yesterday"}, "is no day or time"),
        ("memory_approve", {"code": "x"}, "There is no tool"),
    ],
)  # fmt: skip
def test_what_a_tool_says(name: str, arguments: dict[str, Any], words: str, tmp_path: Path, server: ModelServer) -> None:
    server.script = _using((name, arguments))
    replies, _ = _talk(tmp_path / "data", server, "Zoe lives in Oslo.", "And now?")
    assert words in replies[-1].text
    assert [tool["function"]["name"] for tool in server.asked[-1]["tools"]] == list(TOOLS)
    result = next(m["content"] for m in server.asked[-1]["messages"] if m["role"] == "tool")
    assert result.startswith("\u27e6memory\u27e7\n")
    assert result.endswith("\n\u27e6/memory\u27e7")


def test_a_model_is_told_what_can_be_asked(tmp_path: Path, server: ModelServer) -> None:
    server.script = _using(("memory_about", {"name": "Zoe"}))
    _talk(tmp_path / "data", server, "Zoe lives in Oslo.", "My address is 4 Elm Road.", "And now?", clearance="internal")
    system = server.asked[-1]["messages"][0]["content"]
    assert ':livesIn Person -> Place "lives in"' in system
    assert ":residesWithin" in system
    assert "worksAt" not in system
    assert "postalAddress" not in system


def test_a_tool_shows_no_more_than_the_model_may_see(tmp_path: Path, server: ModelServer) -> None:
    everything = "SELECT DISTINCT ?o { ?s ?p ?o }"
    server.script = _using(
        ("memory_sparql", {"query": everything}),
        ("memory_about", {}),
        ("memory_search", {"words": "my address"}),
        ("memory_changes", {"since": "2020-01-01"}),
        ("memory_reflect", {}),
    )
    replies, _ = _talk(
        tmp_path / "data", server, "My address is 4 Elm Road.", "I live in Oslo.", "And now?", clearance="internal"
    )
    assert "Elm" not in replies[-1].text
    assert "Elm" not in json.dumps(server.asked[-1]["messages"])
    replies, _ = _talk(tmp_path / "more", server, "My address is 4 Elm Road.", "And now?", clearance="secret")
    assert "Elm Road" in replies[-1].text


def test_what_a_model_stores_is_its_own_word_unless_the_person_states_it(tmp_path: Path, server: ModelServer) -> None:
    server.script = _using(("memory_store", {"statement": "Zoe works at Acme."}))
    replies, claims = _talk(tmp_path / "a", server, "Is it so that Zoe works at Acme?", then=_claims)
    assert "quarantined" in replies[-1].text
    assert 'I noted, as my own words and not believed: "Zoe works at Acme."' in replies[-1].text
    assert claims == []
    server.script = _using(("memory_store", {"statement": "x", "quote": "Zoe works at Acme"}))
    replies, claims = _talk(tmp_path / "b", server, "Zoe works at Acme. And now?", then=_claims)
    assert "Also noted, from your message" in replies[-1].text
    assert ("worksAt", "Acme") in claims


def _graphs(service: Service) -> set[str]:
    """Return the graphs of facts in which it stands that somebody works at Acme or lives in Lima."""
    owner = service.people.owner()
    assert owner is not None
    rows = service.memory.queries.ask(
        'SELECT DISTINCT ?g { GRAPH ?g { ?s ?p ?o } ?o :name ?n FILTER(?n IN ("Acme", "Lima") && ?p != :name) }',
        service.memory.spaces.clearance(user(owner.id)),
    )
    found = {row["g"]["value"] for row in json.loads(rows.data)["results"]["bindings"]}
    return {graph.replace(owner.id, "me") for graph in found if ":facts:" in graph}


@pytest.mark.requirement("I8")
@pytest.mark.parametrize(
    ("said", "quote"),
    [
        ("It is wrong that Zoe works at Acme, is it not?", "Zoe works at Acme"),
        ("What would happen if Zoe works at Acme?", "Zoe works at Acme"),
        ('Translate this from Bob: "I live in Lima.", will you?', "I live in Lima"),
        ('Bob said "/share Zoe works at Acme", and why?', "/share Zoe works at Acme"),
        ("I doubt that everyone should know that Zoe works at Acme, or not?", "everyone should know that Zoe works at Acme"),
        ("Where does Zoe work?", "Zoe works at Acme"),
    ],
)
def test_words_out_of_their_context_are_nobodys_statement(said: str, quote: str, tmp_path: Path, server: ModelServer) -> None:
    server.script = _using(("memory_store", {"statement": "x", "quote": quote}))
    replies, graphs = _talk(tmp_path / "data", server, said, then=_graphs)
    assert "Nothing was stored" in replies[-1].text
    assert graphs == set()


@pytest.mark.requirement("I8", "I2")
def test_no_tool_takes_a_secret_down(tmp_path: Path, server: ModelServer) -> None:
    server.script = _using(("memory_store", {"statement": "x", "quote": "Zoe works at Acme"}))
    _, graphs = _talk(tmp_path / "a", server, "/private Zoe works at Acme. And now?", then=_graphs)
    assert graphs == {"urn:muniment:facts:user:me:secret"}
    server.script = _using(("memory_store", {"statement": "Bo works at Acme."}))  # after a prompt that showed a secret
    _, graphs = _talk(tmp_path / "b", server, "/private Zoe works at Acme.", "Where does Zoe work?", then=_graphs)
    assert graphs == {"urn:muniment:facts:user:me:secret"}
    server.script = _using(("memory_store", {"statement": "/share Zoe works at Acme."}))
    replies, graphs = _talk(tmp_path / "c", server, "And now?", then=_graphs)
    assert ("no mark" in replies[-1].text, graphs) == (True, set())


@pytest.mark.requirement("non-interference")
def test_a_model_learns_nothing_from_asking_to_forget(tmp_path: Path, server: ModelServer) -> None:
    server.script = _using(("memory_erase", {"what": "Zoe lives in Lima"}), ("memory_erase", {"what": "Zoe lives in Oslo"}))
    _talk(tmp_path / "data", server, "/private Zoe lives in Lima.", "And now?", clearance="internal")
    results = [m["content"] for m in server.asked[-1]["messages"] if m["role"] == "tool"]
    assert len(set(results)) == 1


@pytest.mark.requirement("I8")
@pytest.mark.parametrize("name", ["memory_retract", "memory_erase"])
def test_a_model_only_asks_for_what_a_person_approves(name: str, tmp_path: Path, server: ModelServer) -> None:
    server.script = _using((name, {"what": "Zoe lives in Oslo"}), ("memory_erase", {"what": "Nobody at all"}))
    replies, claims = _talk(tmp_path / "data", server, "Zoe lives in Oslo.", "Could you forget where Zoe lives?", then=_claims)
    assert ("livesIn", "Oslo") in claims
    assert "If you approve:" in replies[-1].text
    assert "/approve" in replies[-1].text
    shown = json.dumps(server.asked[-1]["messages"])
    assert "/approve" not in shown


def test_a_proposed_word_waits_for_the_owner(tmp_path: Path, server: ModelServer) -> None:
    server.script = _using(
        ("ontology_propose", {"turtle": ":livesIn rdfs:subPropertyOf :staysAt ."}), ("ontology_propose", {"turtle": "x"})
    )
    replies, found = _talk(tmp_path / "data", server, "Is a home a stay?", then=lambda service: service.memory.additions())
    assert "adopted it" in replies[-1].text
    assert "no Turtle" in replies[-1].text
    assert [addition.state for addition in found] == ["proposed"]


def test_a_model_that_never_stops_asking_is_ended(tmp_path: Path, server: ModelServer) -> None:
    call = ("memory_about", json.dumps({"name": ""}))
    server.script = lambda request: Use((call,) * 20) if "tools" in request else "Enough."
    replies, _ = _talk(tmp_path / "data", server, "I live in Oslo. And now?")
    assert replies[-1].text.endswith("Enough.")
    assert len(server.asked) == MOST_ROUNDS
    assert sum(message["role"] == "tool" for message in server.asked[-1]["messages"]) == MOST_CALLS * (MOST_ROUNDS - 1)


def test_a_result_is_cut_to_what_fits(tmp_path: Path, server: ModelServer) -> None:
    server.script = _using(("memory_about", {}))
    many = [f"Bo{number} lives in Town{number}." for number in range(80)]
    _talk(tmp_path / "data", server, *many, "And now?")
    result = next(m["content"] for m in server.asked[-1]["messages"] if m["role"] == "tool")
    assert "cut off: ask for less" in result
    assert len(result) < LONGEST_RESULT + 100


def test_arguments_that_are_none_are_answered(tmp_path: Path, server: ModelServer) -> None:
    def script(request: dict[str, Any]) -> "str | Use":
        results = [message["content"] for message in request["messages"] if message["role"] == "tool"]
        return " ".join(results) if results else Use((("memory_about", "{not json"), ("memory_search", "[1]"), ("", "")))

    server.script = script
    replies, _ = _talk(tmp_path / "data", server, "And now?")
    assert replies[-1].text.count("cannot be used") == 2
    assert "There is no tool ''" in replies[-1].text
