"""The SPARQL endpoint and command as their users meet them: tokens, formats, clients of others, and what is refused."""

import json
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from rdflib import Graph, URIRef
from rdflib.plugins.stores.sparqlstore import SPARQLStore
from SPARQLWrapper import JSON, POST, SPARQLWrapper

from ontologies.vocab import MUNIMENT
from tests.web_server import Server

pytestmark = pytest.mark.requirement("sparql", "http")

TOWNS = "SELECT DISTINCT ?name { ?who :livesIn ?town . ?town :name ?name }"


def _run(server: Server, *arguments: str, said: str = "") -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-m", "bootstrap.cli", *arguments, "--data", str(server.data)]
    return subprocess.run(command, input=said, capture_output=True, text=True, timeout=60, check=False)


def _token(server: Server, *more: str) -> str:
    return _run(server, "token", "new", "a notebook", *more).stdout.strip()


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    running = Server(tmp_path_factory.mktemp("told") / "data")
    _run(running, "chat", said="I live in Lyon.\nLyon is part of France.\nMy address is 4 Elm Road.\n")
    _run(running, "chat", "--as", "Bo", said="I am tall.\n")
    yield running
    running.stop()


def _get(server: Server, token: str, query: str = TOWNS, **headers: str) -> httpx.Response:
    given = {"Authorization": f"Bearer {token}", **headers}
    return httpx.get(f"{server.url}/sparql", params={"query": query}, headers=given, timeout=30)


def test_a_token_reads_up_to_its_clearance_and_is_revoked(told: Server) -> None:
    token = _token(told)
    found = _get(told, token)
    assert found.status_code == 200, found.text
    assert found.headers["content-type"].startswith("application/sparql-results+json")
    assert "access-control-allow-origin" not in found.headers
    assert [row["name"]["value"] for row in found.json()["results"]["bindings"]] == ["Lyon"]
    everything = "SELECT ?o { ?s ?p ?o }"
    assert "Elm Road" not in _get(told, token, everything).text
    assert "Elm Road" in _get(told, _token(told, "--clearance", "sensitive"), everything).text
    first = json.loads(_run(told, "token", "list", "--json").stdout)["tokens"][-2]
    assert (first["name"], "token" in first) == ("a notebook", False)
    assert _run(told, "token", "revoke", first["id"][-8:]).returncode == 0
    assert _get(told, token).status_code == 401
    assert _run(told, "token", "revoke", first["id"]).returncode == 2


@pytest.mark.parametrize("token", ["none", "nonsense", "mun_nonsense"])
def test_without_a_token_nothing_is_told(told: Server, token: str) -> None:
    refused = _get(told, token)
    assert (refused.status_code, refused.headers["www-authenticate"]) == (401, "Bearer")
    assert "Lyon" not in refused.text
    assert httpx.get(f"{told.url}/sparql", timeout=30).headers["content-type"].startswith("text/turtle")


def test_results_are_written_as_they_are_wanted(told: Server) -> None:
    token = _token(told)
    for accept, begins in (
        ("application/sparql-results+xml", b"<?xml"),
        ("text/csv;q=0.9, application/sparql-results+xml;q=0.1", b"name"),
        ("text/tab-separated-values", b"?name"),
        ("application/json", b"{"),
        ("*/*", b"{"),
    ):
        assert _get(told, token, Accept=accept).content.startswith(begins), accept
    assert _get(told, token, Accept="image/png").status_code == 406
    triples = _get(told, token, "CONSTRUCT WHERE { ?who :livesIn ?town }", Accept="text/turtle")
    assert triples.headers["content-type"].startswith("text/turtle")
    assert len(Graph().parse(data=triples.text, format="turtle")) == 1
    assert _get(told, token, "ASK { ?who :livesIn ?town }").json()["boolean"] is True


def test_what_cannot_be_asked_says_why(told: Server) -> None:
    token = _token(told)
    for query, status, words in (
        ("SELECT * { SERVICE <http://127.0.0.1/> { ?s ?p ?o } }", 400, "SERVICE"),
        ("INSERT DATA { :a :b :c }", 400, "INSERT"),
        ("SELECT (COUNT(*) AS ?n) { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i . ?j ?k ?l . ?m ?n2 ?o . ?p ?q ?r }", 400, "ended"),
    ):
        refused = _get(told, token, query)
        assert (refused.status_code, words in refused.text) == (status, True), refused.text
    url, headers = f"{told.url}/sparql", {"Authorization": f"Bearer {token}"}
    assert httpx.get(url, params={"query": TOWNS, "default-graph-uri": "urn:x"}, headers=headers).status_code == 400
    assert httpx.get(url, params={"update": "DROP ALL"}, headers=headers).status_code == 400
    update = httpx.post(url, content="DROP ALL", headers={**headers, "Content-Type": "application/sparql-update"})
    assert (update.status_code, "by saying it" in update.text) == (415, True)
    form = {"query": TOWNS}
    assert httpx.post(url, data=form, headers=headers).status_code == 200
    assert httpx.post(url, data=form, headers={**headers, "Origin": "http://evil.example"}).status_code == 403
    assert httpx.post(url, data=form).status_code == 403
    long = httpx.post(url, content="x" * 70_000, headers={**headers, "Content-Type": "application/sparql-query"})
    assert long.status_code == 413


def test_the_clients_of_others_work(told: Server) -> None:
    token = _token(told)
    headers = {"Authorization": f"Bearer {token}"}
    store = SPARQLStore(f"{told.url}/sparql", headers=headers)
    lives = URIRef(MUNIMENT + "livesIn")
    assert len(list(Graph(store).subject_objects(lives))) == 1
    client = SPARQLWrapper(f"{told.url}/sparql", returnFormat=JSON)
    client.addCustomHttpHeader("Authorization", f"Bearer {token}")
    client.setQuery(TOWNS)
    for method in ("GET", POST):
        client.setMethod(method)
        found: Any = client.queryAndConvert()
        assert [row["name"]["value"] for row in found["results"]["bindings"]] == ["Lyon"]


def test_the_command_asks_too(told: Server) -> None:
    assert _run(told, "sparql", TOWNS).stdout == "name\nLyon\n"
    assert _run(told, "sparql", "-", said=TOWNS).stdout == "name\nLyon\n"
    assert json.loads(_run(told, "sparql", TOWNS, "--json").stdout)["head"]["vars"] == ["name"]
    assert _run(told, "sparql", "ASK { ?x :livesIn ?y }").stdout == "yes\n"
    assert _run(told, "sparql", TOWNS, "--as", "Bo").stdout == "name\n"
    assert _run(told, "sparql", TOWNS, "--as-of", "2020-01-01").stdout == "name\n"
    assert "livesIn" in _run(told, "sparql", "CONSTRUCT WHERE { ?x :livesIn ?y }", "--format", "ttl").stdout
    refused = _run(told, "sparql", "DROP ALL")
    assert (refused.returncode, "DROP changes data" in refused.stderr) == (2, True)
    assert _run(told, "sparql", TOWNS, "--format", "ttl").returncode == 2
