"""Queries over a memory: what a reader finds, what ends a query, and that nothing of it outlives an erasure."""

import ctypes
import json
import socket
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest
from pyoxigraph import NamedNode

from memory import sandbox, selftest
from memory.errors import QueryLimitError, SandboxError
from memory.forget import Act, Wanted
from memory.label import Label, Layer, graph_name, user
from memory.queries import MOST_WAITING, graphs_of
from memory.query import Form
from memory.sandbox import Job, Sandbox
from memory.snapshots import FOLDER
from ontologies.vocab import term
from tests.conftest import ANN, BOB, Desk

pytestmark = pytest.mark.requirement("sparql")

TOWNS = "SELECT DISTINCT ?name { ?who :livesIn ?town . ?town :name ?name } ORDER BY ?name"
CARTESIAN = "SELECT (COUNT(*) AS ?n) { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i . ?j ?k ?l . ?m ?n ?o }"


def _rows(desk: Desk, query: str, by: str = ANN, **when: int) -> list[list[str]]:
    result = desk.memory.queries.ask(query, desk.clearance(by), **when)  # type: ignore[arg-type]
    found: dict[str, Any] = json.loads(result.data)
    return [[row[name]["value"] for name in found["head"]["vars"] if name in row] for row in found["results"]["bindings"]]


def _ask(desk: Desk, query: str, by: str = ANN) -> bool:
    return json.loads(desk.memory.queries.ask(query, desk.clearance(by)).data)["boolean"]


def test_a_reader_finds_facts_and_what_follows(desk: Desk) -> None:
    desk.say("I live in Lyon.")
    desk.say("Lyon is part of France.")
    assert _rows(desk, TOWNS) == [["Lyon"]]
    assert _rows(desk, "SELECT DISTINCT ?name { ?who :residesWithin ?place . ?place :name ?name } ORDER BY ?name") == [
        ["France"],
        ["Lyon"],
    ]
    graph = graph_name(Layer.INFERRED, Label(user(ANN))).value
    assert _ask(desk, f"ASK {{ GRAPH <{graph}> {{ ?who :residesWithin ?place }} }}")
    triples = desk.memory.queries.ask("CONSTRUCT WHERE { ?who :livesIn ?town }", desk.clearance(ANN))
    assert triples.form is Form.TRIPLES
    assert triples.data.decode().count(term("livesIn").value) == 1


@pytest.mark.requirement("as-of")
def test_a_query_may_ask_what_was_believed_then(desk: Desk) -> None:
    desk.say("I live in Lyon.")
    before = desk.now
    desk.say("Actually, I live in Oslo.")
    assert _rows(desk, TOWNS) == [["Oslo"]]
    assert _rows(desk, TOWNS, as_of=before) == [["Lyon"]]


@pytest.mark.requirement("I06", "non-interference")
@pytest.mark.parametrize(
    "query",
    [
        "SELECT * { ?s ?p ?o } ORDER BY ?s ?p ?o",
        "SELECT * { GRAPH ?g { ?s ?p ?o } } ORDER BY ?g ?s ?p ?o",
        "SELECT ?g (COUNT(*) AS ?n) { GRAPH ?g { ?s ?p ?o } } GROUP BY ?g ORDER BY ?g",
        "SELECT * { GRAPH ?g {} } ORDER BY ?g",
        "SELECT ?s ?o { ?s (:livesIn|!:livesIn)* ?o } ORDER BY ?s ?o",
        "SELECT ?s { ?s ?p ?x FILTER EXISTS { GRAPH ?g { ?y ?q 'Secretville' } } } ORDER BY ?s",
    ],
)
def test_what_another_person_knows_changes_no_byte(desk: Desk, query: str) -> None:
    desk.say("I live in Lyon.")
    before = desk.memory.queries.ask(query, desk.clearance(ANN)).data
    desk.say("I live in Secretville.", by=BOB, owner=False)
    desk.say("My sister Zoe works at Hush.", by=BOB, owner=False)
    assert desk.memory.queries.ask(query, desk.clearance(ANN)).data == before
    assert b"Secretville" in desk.memory.queries.ask("SELECT ?o { ?s ?p ?o }", desk.clearance(BOB)).data


def test_a_query_that_takes_too_much_is_ended_and_the_next_one_is_not(desk: Desk) -> None:
    for number in range(12):
        desk.say(f"Bo{number} lives in Town{number}.")
    with pytest.raises(QueryLimitError, match="ended"):
        _rows(desk, CARTESIAN)
    steps = " ".join(f"BIND(CONCAT(?v{n}, ?v{n}) AS ?v{n + 1})" for n in range(32))
    with pytest.raises(QueryLimitError, match=r"memory|bytes|took longer"):
        _rows(desk, f"SELECT ?v32 {{ BIND('xxxxxxxx' AS ?v0) {steps} }}")
    assert len(_rows(desk, TOWNS)) == 12


ESCAPES = """
import ctypes, os, pathlib, sys
sys.path.insert(0, sys.argv[1])
from memory.lockdown import lock_down
file, parent = sys.argv[2].encode(), os.getppid()
readable = pathlib.Path(sys.argv[3]) if sys.argv[3:] else None
lock_down(1 << 28, 1, readable)
libc = ctypes.CDLL(None, use_errno=True)
buffer = ctypes.create_string_buffer(64)
calls = {
    "open": lambda: libc.open(file, 0), "truncate": lambda: libc.truncate(file, 0), "unlink": lambda: libc.unlink(file),
    "mkdir": lambda: libc.mkdir(file + b"d", 0o700), "symlink": lambda: libc.symlink(file, file + b"s"),
    "chmod": lambda: libc.chmod(file, 0o777), "kill": lambda: libc.kill(parent, 0), "socket": lambda: libc.socket(2, 1, 0),
    "tgkill": lambda: libc.syscall(234, parent, parent, 0), "prlimit": lambda: libc.prlimit(parent, 7, None, buffer),
    "setpriority": lambda: libc.setpriority(0, parent, 19), "fork": lambda: libc.fork(),
    "execve": lambda: libc.execve(b"/bin/true", None, None), "unshare": lambda: libc.unshare(0x10000000),
}
if readable is not None:
    own = str(readable / "its own").encode()
    calls["reads"] = lambda: libc.open(own, 0)
    calls["writes"] = lambda: libc.open(own, 1)
    calls["makes"] = lambda: libc.open(own + b"2", 0o101, 0o600)
    calls["cuts"] = lambda: libc.open(own, 0o1000)
sys.stdout.write(" ".join(name for name, call in calls.items() if call() >= 0) or "nothing")
"""


@pytest.mark.parametrize("reads", [False, True])
def test_a_locked_process_can_do_nothing(tmp_path: Path, *, reads: bool) -> None:
    file, folder = tmp_path / "kept", tmp_path / "folder"
    file.write_text("kept", encoding="utf-8")
    folder.mkdir()
    (folder / "its own").write_text("read", encoding="utf-8")
    command = [
        sys.executable,
        "-I",
        "-c",
        ESCAPES,
        str(Path(sandbox.__file__).parent.parent),
        str(file),
        *([str(folder)] if reads else []),
    ]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=30, check=False)
    confines = ctypes.CDLL(None).syscall(444, None, 0, 1) >= 1  # Linux before 5.13 cannot open one folder alone
    assert (ended.stdout, ended.returncode) == ("reads" if reads and confines else "nothing", 0), ended.stderr
    assert file.read_text(encoding="utf-8") == "kept"


def test_one_readers_queries_take_no_others_turns(desk: Desk) -> None:
    desk.say("I live in Lyon.")
    queries = desk.memory.queries
    heavy = CARTESIAN.replace("?a ?b ?c", "?a ?b ?c . ?aa ?bb ?cc")
    running = [queries.submit(heavy, desk.clearance(ANN)) for _ in range(MOST_WAITING + 1)]
    with pytest.raises(SandboxError, match="waiting"):
        queries.submit(heavy, desk.clearance(ANN))
    assert json.loads(queries.submit("ASK {}", desk.clearance(BOB)).result(5).data)["boolean"] is True
    for one in running:
        one.exception(20)
    assert _rows(desk, TOWNS) == [["Lyon"]]


def test_a_child_calls_nobody(desk: Desk) -> None:
    desk.say("I live in Lyon.")
    children, (default, named) = Sandbox(), graphs_of(desk.clearance(ANN))
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(0.2)
        address = f"http://127.0.0.1:{server.getsockname()[1]}/"
        query = f"SELECT * {{ SERVICE <{address}> {{ ?s ?p ?o }} }}"
        with pytest.raises(SandboxError, match="could not be run"):
            children.run(Job(query, default, named, quads="<urn:a> <urn:b> <urn:c> <urn:d> ."))
        with pytest.raises(TimeoutError):
            server.accept()
    children.close()
    with pytest.raises(SandboxError, match="closed"):
        children.run(Job("ASK {}", default, named, quads=""))


@pytest.mark.requirement("I4")
def test_no_copy_outlives_an_erasure(desk: Desk) -> None:
    desk.say("I live in Lyon.")
    assert _rows(desk, TOWNS) == [["Lyon"]]
    copies = desk.folder / FOLDER
    assert len(list(copies.iterdir())) == 1
    ended: list[BaseException] = []

    def take_long() -> None:
        job = Job(
            CARTESIAN.replace("?a ?b ?c", " . ".join(f"?a{n} ?b{n} ?c{n}" for n in range(20))), *graphs, str(path), seconds=60
        )
        try:
            desk.memory.queries._sandbox.run(job)  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]
        except (QueryLimitError, SandboxError) as error:
            ended.append(error)

    path, graphs = next(copies.iterdir()), graphs_of(desk.clearance(ANN))
    running = threading.Thread(target=take_long)
    running.start()
    desk.erase(Wanted(Act.ERASE, (desk.claim("livesIn", "Lyon"),)))
    running.join(20)
    assert not running.is_alive()
    assert ended
    assert not copies.exists()
    assert _rows(desk, TOWNS) == []


def test_a_copy_is_used_until_the_next_commit(desk: Desk) -> None:
    desk.say("I live in Lyon.")
    copies = desk.folder / FOLDER
    _rows(desk, TOWNS)
    first = [path.name for path in copies.iterdir()]
    _rows(desk, TOWNS)
    assert [path.name for path in copies.iterdir()] == first
    desk.say("Bo lives in Oslo.")
    assert _rows(desk, TOWNS) == [["Lyon"], ["Oslo"]]
    assert [path.name for path in copies.iterdir()] != first
    assert len(list(copies.iterdir())) == 1
    desk.reopen()
    assert not copies.exists()


def test_the_installed_engine_does_not_leak(monkeypatch: pytest.MonkeyPatch) -> None:
    assert selftest.leaks() == []

    def half(store: Any, text: str, default: list[str], _named: list[str]) -> Any:
        return store.query(text, default_graph=[NamedNode(name) for name in default])

    monkeypatch.setattr(selftest, "query_within", half)
    assert selftest.leaks()
