"""The command line as it is used: alone, in a pipe, beside a running process, and wrongly."""

import json
import os
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

pytestmark = pytest.mark.requirement("terminal")
PATIENCE = 60
PORT = 18_901


def muniment(*arguments: str, given: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-m", "bootstrap.cli", *arguments], input=given, capture_output=True, timeout=PATIENCE, check=False
    )


def lines(run: subprocess.CompletedProcess[bytes]) -> list[str]:
    assert run.returncode == 0, run.stderr.decode()
    return run.stdout.decode().splitlines()


def test_help_loads_nothing_else() -> None:
    heavy = ("pyoxigraph", "fastapi", "pydantic", "sqlite_utils")
    code = f"import sys; import bootstrap.cli; print([m for m in {heavy} if m in sys.modules])"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
    assert run.stdout.strip() == b"[]"
    assert "chat" in muniment("--help").stdout.decode()


def test_a_pipe_is_read_one_message_a_line_and_remembered_over_a_restart(tmp_path: Path) -> None:
    data = str(tmp_path / "data")
    first = lines(muniment("chat", "--data", data, given=b"Mara lives in Lyon.\nLyon is a city in France.\n\n"))
    assert first[-2:] == ["Noted: Mara lives in Lyon.", "Noted: Lyon is in France. Everyone here may know that."]
    run = muniment("chat", "--data", data, given=b"Which country does Mara live in?\n")
    (answer,) = lines(run)
    assert "Mara lives within France (inferred, because Mara lives in Lyon (you said so on" in answer
    assert "row 11: new" in run.stderr.decode()


def test_json_lines_are_answered_once_for_each_id(tmp_path: Path) -> None:
    data = str(tmp_path / "data")
    message = json.dumps({"id": "m1", "text": "I live in Oslo."}).encode() + b"\n"
    replies = [json.loads(line) for line in lines(muniment("chat", "--json", "--data", data, given=message * 2))]
    assert [(r["message"], r["again"]) for r in replies[:-1]] == [("m1", False), ("m1", True)]
    assert {"outcome": "admitted", "row": 11, "reason": "new", "count": 1} in replies[-1]["outcomes"]
    for wrong in (b"nonsense\n", b"[" * 100_000 + b"\n", b'{"id": null, "text": null}\n', b'{"id": "", "text": "x"}\n', b"[]\n"):
        run = muniment("chat", "--json", "--data", data, given=wrong)
        assert run.returncode == 2
        assert json.loads(run.stdout)["kind"] == "incorrect"


@pytest.mark.requirement("text")
def test_bytes_that_are_no_text_are_told_and_the_rest_is_read(tmp_path: Path) -> None:
    given = b"\xff\xfe\n" + b"x" * 1_000_000 + b"\na\x00b\nI live in Oslo.\n"
    run = muniment("chat", "--data", str(tmp_path / "data"), given=given)
    assert run.returncode == 1  # something was not stored
    assert run.stderr.decode().count("not stored") == 3
    told = run.stdout.decode().splitlines()
    assert "cannot be stored (U+DCFF" in told[0]
    assert "1,000,000 characters" in told[1]
    assert "U+0000" in told[2]
    assert told[-1] == "Noted: you live in Oslo."


def test_the_pages_of_memory_in_words_and_in_json(tmp_path: Path) -> None:
    data = str(tmp_path / "data")
    muniment("chat", "--data", data, given=b"I live in Oslo.\nI live in Lima.\n")
    muniment("chat", "--data", data, "--as", "Bea", given=b"I live in Bonn.\n")
    assert any("You live in Lima (you said so on" in line for line in lines(muniment("memory", "show", "--data", data)))
    assert any("row 7" in line for line in lines(muniment("memory", "why", "--data", data)))
    history = lines(muniment("memory", "history", "me", "--data", data))
    assert any("You live in Oslo: holds" in line and "superseded" in line for line in history)
    assert any("Lima" in line for line in lines(muniment("memory", "search", "Lima", "--data", data)))
    (item,) = list(json.loads(muniment("memory", "show", "--json", "--data", data, "--as", "Bea").stdout))
    assert item["words"] == "You live in Bonn"
    assert item["evidence"][0]["quote"] == "I live in Bonn"
    status = json.loads(muniment("status", "--json", "--data", data).stdout)
    assert [p["role"] for p in status["people"]] == ["owner", "member"]
    assert "people: owner; member Bea" in lines(muniment("status", "--data", data))
    checks = json.loads(muniment("doctor", "--json", "--data", data).stdout)
    assert all(check["ok"] for check in checks)
    assert all(line.startswith("ok ") for line in lines(muniment("doctor", "--data", data)))


def test_the_doctor_finds_a_graph_that_differs(tmp_path: Path) -> None:
    data = tmp_path / "data"
    muniment("chat", "--data", str(data), given=b"I live in Oslo.\n")
    code = (
        "import sys; from pathlib import Path; from pyoxigraph import *; from memory.graph import Graph;"
        " g = Graph(Path(sys.argv[1]) / 'graph'); g.apply(g.applied, [], [Quad(NamedNode('urn:a'), NamedNode('urn:p'),"
        " NamedNode('urn:b'), NamedNode('urn:muniment:facts:worldview:public'))]); g.close()"
    )
    subprocess.run([sys.executable, "-c", code, str(data)], check=True)
    run = muniment("doctor", "--data", str(data))
    assert run.returncode == 1
    assert b"NOT the graph equals the ledger" in run.stdout


@pytest.mark.parametrize(
    ("arguments", "code"),
    [(("chat", "--no-such"), 2), ((), 2), (("memory", "search"), 2), (("memory",), 2), (("fly",), 2)],
)
def test_a_wrong_command_says_so(arguments: tuple[str, ...], code: int) -> None:
    run = muniment(*arguments)
    assert run.returncode == code
    assert run.stderr


@pytest.mark.requirement("foreign-data", "settings")
def test_errors_are_words_and_exit_codes(tmp_path: Path) -> None:
    foreign = tmp_path / "foreign"
    foreign.mkdir()
    (foreign / "ledger.db").write_bytes(b"other" * 1_000)
    run = muniment("status", "--data", str(foreign))
    assert (run.returncode, run.stdout) == (3, b"")
    assert b"not a Muniment ledger" in run.stderr
    assert b"Traceback" not in run.stderr
    (tmp_path / "file").write_text("x")
    run = muniment("status", "--data", str(tmp_path / "file"), "--json")
    assert run.returncode == 4
    assert "cannot be used" in json.loads(run.stdout)["error"]
    set_ = tmp_path / "set"
    set_.mkdir()
    (set_ / "muniment.toml").write_text("[server]\nprot = 1\n")
    run = muniment("serve", "--data", str(set_))
    assert run.returncode == 2
    assert b"the nearest is server.port" in run.stderr


def port_here() -> int:
    return PORT + int(os.environ.get("PYTEST_XDIST_WORKER", "gw0")[2:])


@pytest.fixture
def serving(tmp_path: Path) -> Iterator[tuple[Path, subprocess.Popen[bytes]]]:
    data = tmp_path / "data"
    port = port_here()
    process = subprocess.Popen(
        [sys.executable, "-m", "bootstrap.cli", "serve", "--data", str(data), "--port", str(port)], stderr=subprocess.PIPE
    )
    for _ in range(PATIENCE * 10):
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/readyz", timeout=1) as response:
                assert response.status == 200
                break
        except OSError:
            time.sleep(0.1)
    yield data, process
    if process.poll() is None:
        process.kill()
    process.communicate()


@pytest.mark.requirement("one-holder", "http")
def test_beside_a_running_process_commands_go_through_it(serving: tuple[Path, subprocess.Popen[bytes]]) -> None:
    data, process = serving
    assert lines(muniment("chat", "--data", str(data), given=b"I live in Oslo.\n"))[-1] == "Noted: you live in Oslo."
    assert any("Oslo" in line for line in lines(muniment("memory", "show", "--data", str(data))))
    assert json.loads(muniment("status", "--json", "--data", str(data)).stdout)["unfinished turns"] == 0
    assert muniment("memory", "show", "--data", str(data), "--as", "Bea").returncode == 2  # a look makes no member
    other = muniment("serve", "--data", str(data.parent / "other"), "--port", str(port_here()))
    assert other.returncode == 4
    assert b"name another with --port" in other.stderr
    second = muniment("serve", "--data", str(data), "--port", "0")
    assert second.returncode == 4
    assert f"process {process.pid}" in second.stderr.decode()
    process.send_signal(signal.SIGTERM)
    assert process.wait(PATIENCE) == 0
    assert any("Oslo" in line for line in lines(muniment("memory", "show", "--data", str(data))))


@pytest.mark.requirement("I2")
def test_no_name_or_chat_of_one_person_reaches_another(tmp_path: Path) -> None:
    data = str(tmp_path / "data")
    muniment("chat", "--data", data, given=b"I am allergic to peanuts.\n")
    muniment("chat", "--data", data, "--as", "Ann", "--chat", "x", given=b"/private I live in Nice.\n")
    for name, chat in (("owner", ""), ("Bob", "owner"), ("member:Ann", "x")):
        run = muniment("chat", "--data", data, "--as", name, "--chat", chat, given=b"/memory\n/whoami\n")
        assert b"peanuts" not in run.stdout
        assert b"Nice" not in run.stdout
        assert b"You are the owner" not in run.stdout
    for name in ("Ann/x", " ", "x" * 65, "a\x01"):
        run = muniment("chat", "--data", data, "--as", name, given=b"/memory\n")
        assert run.returncode == 2
        assert b"A name has" in run.stderr
    assert b"Nice" in muniment("memory", "show", "--data", data, "--as", "ann").stdout


@pytest.mark.requirement("I5", "turn")
def test_when_the_holder_ends_the_other_chats_go_on(tmp_path: Path) -> None:
    data = str(tmp_path / "data")
    command = [sys.executable, "-m", "bootstrap.cli", "chat", "--data", data]
    holder = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert holder.stdin is not None
    assert holder.stdout is not None
    holder.stdin.write(b"I live in Oslo.\n")
    holder.stdin.flush()
    holder.stdout.readline()
    guest = subprocess.Popen([*command, "--as", "Guest"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert guest.stdin is not None
    assert guest.stdout is not None
    guest.stdin.write(b"I visited Town0x.\n")
    guest.stdin.flush()
    guest.stdout.readline()
    _, complaints = holder.communicate(timeout=PATIENCE)
    assert b"Traceback" not in complaints
    out, complaints = guest.communicate(b"".join(b"I visited Town%dx.\n" % n for n in range(1, 20)), timeout=PATIENCE)
    assert guest.returncode == 0, complaints.decode()
    assert out.count(b"Noted: you visited") >= 19
    assert b"20 admitted" in complaints
