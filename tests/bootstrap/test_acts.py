"""The commands that correct, forget, merge, read documents, verify and back up, in this process, with good and bad input."""

import io
import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from bootstrap.cli import main

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    def call(*arguments: str, said: str = "", data: str = "data") -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(said.encode()), encoding="utf-8"))
        code = main([*arguments, "--data", str(tmp_path / data)])
        out, err = capsys.readouterr()
        return code, out, err

    return call


@pytest.mark.requirement("retract", "approval", "terminal")
def test_what_was_said_is_retracted_and_decided_about(run: Run) -> None:
    run("chat", said="I live in Oslo.\nI moved to Lima.\nMara was born on 3 May 1990.\n")
    code, out, _ = run("memory", "retract", "I", "live", "in", "Lima")
    assert code == 0
    assert "holds again: You live in Oslo" in out
    (item,) = json.loads(run("pending", "--json")[1])
    assert "Nothing was changed" in run("deny", item["code"])[1]
    assert run("approve", item["code"])[0] == 2
    assert run("pending")[1] == "Nothing waits for you.\n"
    run("memory", "retract", "where", "I", "live")
    (item,) = json.loads(run("pending", "--json")[1])
    assert run("approve", item["code"], "nonsense")[0] == 2
    assert "Taken back" in run("approve", item["code"], "only")[1]
    assert "Oslo" not in run("memory", "show", "--valid-at", "2030-01-01")[1]
    assert "it was taken back" in run("chat", said="I live in Lima.\n")[1]
    (held,) = json.loads(run("pending", "--json")[1])
    assert held["choices"] == ["accept", "reject"]
    assert "Rejected" in run("deny", held["id"][-8:])[1]
    assert "Taken back" in run("memory", "retract", "Mara's", "birthday", "--yes")[1]
    for words in ("nonsense", "me!", "12345678-1234-7234-8234-123456789012"):
        code, _, err = run("memory", "retract", words)
        assert (code, "Nothing was changed" in err or "There is no" in err) == (2, True), words


@pytest.mark.requirement("D16", "approval", "terminal")
def test_forgetting_gives_a_receipt_that_is_checked_anywhere(run: Run, tmp_path: Path) -> None:
    run("chat", said="I live in Quuxtown.\nI like tea.\n")
    run("memory", "forget", "everything about Quuxtown")
    (item,) = json.loads(run("pending", "--json")[1])
    receipt, opening = str(tmp_path / "receipt"), str(tmp_path / "opening")
    assert run("approve", item["code"], "--opening", str(tmp_path / "none" / "x"))[0] == 2
    code, out, _ = run("approve", item["code"], "--receipt", receipt, "--opening", opening)
    assert (code, "Erased" in out) == (0, True)
    assert run("verify", "--receipt", receipt, "--opening", opening)[0] == 0
    assert run("verify", "--receipt", receipt, "--key", "00" * 32)[0] == 1
    assert run("verify", "--receipt", opening, "--opening", opening)[0] == 2
    assert run("verify", "--opening", opening)[0] == 2
    assert run("verify", "--receipt", str(tmp_path / "missing"))[0] == 2
    id_ = json.loads(Path(receipt).read_text())["erasure"]
    assert id_ in run("receipt", id_)[1]
    assert run("receipt", "nonsense")[0] == 2
    assert "erased: " in run("memory", "changes", "--from", "2020-01-01")[1]
    (tmp_path / "head").write_text(run("checkpoint")[1])
    assert run("verify", "--checkpoint", str(tmp_path / "head"))[0] == 0
    code, out, _ = run("memory", "forget", "everything about me", "--yes", "--json")
    assert code == 0
    assert json.loads(out)["receipt"]["claims"] >= 1
    assert run("memory", "show")[1] == "I remember nothing about that here.\n"


@pytest.mark.requirement("merge", "terminal")
def test_things_are_merged_and_parted(run: Run) -> None:
    run("chat", said="Katrin lives in Oslo.\nKathrin likes tea.\nAnna Li (Oslo) likes tea.\nAnna Li (Lima) likes rain.\n")
    (doubt,) = json.loads(run("pending", "--json")[1])
    assert doubt["choices"] == ["merge", "apart"]
    assert run("approve", doubt["code"])[0] == 2
    assert "Merged" in run("approve", doubt["code"], "merge")[1]
    assert "moves: " in run("memory", "merge", "Katrin", "Kathrin")[1]
    (item,) = json.loads(run("pending", "--json")[1])
    assert "Merged" in run("approve", item["code"])[1]
    codes = [line.split()[0] for line in run("memory", "unmerge")[1].splitlines()]
    assert len(codes) == 2
    assert "Taken back" in run("memory", "unmerge", codes[1])[1]
    assert run("memory", "unmerge", "x")[0] == 2
    assert run("memory", "merge", "Katrin", "Nobody")[0] == 2
    assert run("memory", "merge", "Katrin", "Katrin")[0] == 2
    assert "Katrin lives in Oslo" in run("memory", "timeline", "Katrin")[1]


@pytest.mark.requirement("documents", "terminal")
def test_documents_are_handed_over_and_taken_back(run: Run, tmp_path: Path) -> None:
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "a.md").write_text("**Mara** lives in Lima.")
    (folder / "b.txt").write_bytes(b"\xff\xfe")
    (folder / "c.html").write_text("<p>Tom works at Acme.</p>")
    out = run("source", "add", str(folder))[1]
    assert "a.md: added, 1 passages" in out
    assert "b.txt: not stored" in out
    assert "a.md: unchanged" in run("source", "add", str(folder / "a.md"))[1]
    (folder / "a.md").write_text("Mara lives in Oslo.")
    assert "new version" in run("source", "add", str(folder / "a.md"))[1]
    assert run("source", "list")[1].count("a.md") == 2
    shown = run("memory", "show", "--quarantined")[1]
    assert "Mara lives in Oslo" in shown
    id_ = next(line.rsplit(" ", 1)[1].rstrip("]") for line in shown.splitlines() if "Mara" in line)
    assert "Believed" in run("memory", "promote", id_)[1]
    assert run("memory", "promote", "nonsense")[0] == 2
    assert "ended with it" in run("source", "delete", "c.html")[1]
    assert run("source", "delete", "c.html")[0] == 2
    assert "hold again" in run("source", "restore", "c.html")[1]
    assert "erase: " in run("source", "purge", "c.html")[1]
    assert "Erased" in run("source", "purge", "c.html", "--yes")[1]
    for act in ("delete", "restore", "purge"):
        assert run("source", act, "none.md")[0] == 2
    assert run("source", "add", str(tmp_path / "none.txt"))[0] == 2
    assert run("source", "add", str(tmp_path / "data"))[0] == 2


@pytest.mark.requirement("backup", "terminal")
def test_a_backup_is_written_and_brought_back(run: Run, tmp_path: Path) -> None:
    run("chat", said="I live in Oslo.\n")
    backup, kit = str(tmp_path / "backup"), str(tmp_path / "kit")
    code, out, err = run("backup", backup, "--json")
    assert (code, json.loads(out)["kit"]) == (0, 1)
    assert "Whoever has this file and that kit" in err
    assert run("backup", backup)[0] == 2
    assert run("kit", kit)[0] == 0
    assert run("kit", str(tmp_path / "none" / "kit"))[0] == 2
    assert run("restore", backup, "--kit", str(tmp_path / "none"), data="again")[0] == 2
    assert run("restore", backup, "--kit", kit)[0] == 2
    code, out, _ = run("restore", backup, "--kit", kit, data="again")
    assert (code, "graph_differences: 0" in out) == (0, True)
    assert "You live in Oslo" in run("memory", "show", data="again")[1]


@pytest.mark.requirement("as-of", "terminal")
def test_times_on_the_command_line(run: Run) -> None:
    run("chat", said="I lived in Rome from 2010 until 2014.\n")
    assert "Rome" in run("memory", "search", "where do I live", "--valid-at", "2012-05-01")[1]
    assert "Rome" not in run("memory", "show", "--as-of", "2020-01-01T10:00")[1]
    assert "Rome" not in run("memory", "show", "--valid-at", "1000-01-01")[1]
    assert run("memory", "show", "--as-of", "soon")[0] == 2
    assert "Rome" in run("memory", "search", "Rome", "--history")[1]


@pytest.mark.requirement("consolidation", "terminal")
def test_what_is_to_be_tidied_is_found_and_decided(run: Run, tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("Bo lives in Oslo.\n", encoding="utf-8")
    run("source", "add", str(page))
    assert run("memory", "consolidate")[1] == "nothing: to tidy\n"
    page.unlink()
    assert "vanished: waits: 1" in run("memory", "consolidate")[1]
    assert run("memory", "consolidate")[1] == "nothing: to tidy\n"
    (item,) = json.loads(run("pending", "--json")[1])
    assert "Its file is gone" in item["lines"][0]
    code, _, err = run("approve", item["code"], "maybe")
    assert (code, "Nothing was changed" in err) == (2, True)
    assert run("approve", item["code"], "delete")[0] == 0
    assert "deleted" in run("source", "list")[1]
    assert run("pending")[1] == "Nothing waits for you.\n"


@pytest.mark.requirement("row-9", "terminal")
def test_what_cannot_all_be_so_is_asked_once_and_settled_by_taking_one_back(run: Run, tmp_path: Path) -> None:
    run("chat", said="Mara was born in Oslo.\nMara lives in Oslo.\n")
    axioms = tmp_path / "apart.ttl"
    axioms.write_text(":livesIn owl:propertyDisjointWith :birthplace .\n", encoding="utf-8")
    run("ontology", "propose", str(axioms))
    (item,) = json.loads(run("pending", "--json")[1])
    assert run("approve", item["code"])[0] == 0
    out = run("memory", "consolidate")[1]
    assert "clashing: waits: 1" in out
    assert run("memory", "consolidate")[1] == "nothing: to tidy\n"
    (item,) = json.loads(run("pending", "--json")[1])
    assert item["lines"][0] == "These cannot all be so. Which is wrong?"
    assert item["choices"][-1] == "leave"
    wrong = next(place for place, line in enumerate(item["lines"]) if "born in" in line)
    assert run("approve", item["code"], "wrong9")[0] == 2
    code, out, _ = run("approve", item["code"], f"wrong{wrong}")
    assert (code, "stop believing: Mara was born in Oslo" in out) == (0, True)
    asked = next(one for one in json.loads(run("pending", "--json")[1]) if one["code"] != item["code"])
    assert run("approve", asked["code"])[0] == 0
    assert run("pending")[1] == "Nothing waits for you.\n"
    assert not any(line.startswith("NOT") for line in run("doctor")[1].splitlines())


@pytest.mark.requirement("ontology", "terminal")
def test_axioms_are_proposed_shown_adopted_and_withdrawn(run: Run, tmp_path: Path) -> None:
    run("chat", said="I live in Oslo.\n")
    axioms = tmp_path / "near.ttl"
    axioms.write_text(":livesIn rdfs:subPropertyOf :staysAt .\n", encoding="utf-8")
    code, out, err = run("ontology", "propose", str(axioms))
    assert code == 0, err
    assert "would follow: You are staying at Oslo" in out
    (item,) = json.loads(run("pending", "--json")[1])
    assert "I do not know that" in run("chat", said="Where am I staying?\n")[1]
    assert "are adopted" in run("approve", item["code"])[1]
    assert run("chat", said="Where am I staying?\n")[1].startswith("You live in Oslo")
    (listed,) = json.loads(run("ontology", "list", "--json")[1])
    assert listed["state"] == "adopted"
    code, out, _ = run("ontology", "withdraw", listed["id"], "--yes")
    assert (code, "withdrawn" in out) == (0, True)
    assert "I do not know that" in run("chat", said="Where am I staying?\n")[1]
    assert all("ok" in line for line in run("doctor")[1].splitlines())
    axioms.write_text("nonsense", encoding="utf-8")
    code, _, err = run("ontology", "propose", str(axioms))
    assert (code, "Nothing was stored" in err) == (2, True)
    assert run("ontology", "adopt", "none")[0] == 2
    assert run("ontology", "propose", str(tmp_path / "none"))[0] == 2


@pytest.mark.requirement("terminal", "rights")
def test_people_are_listed_blocked_and_let_in_again(run: Run) -> None:
    run("chat", said="I live in Oslo.\n")
    run("chat", "--as", "Bea", said="I live in Lima.\n")
    assert "member   Bea                  cli:member:bea" in run("people", "list")[1]
    assert "blocked  Bea" in run("people", "block", "Bea")[1]
    assert "The owner lets you in no longer" in run("chat", "--as", "Bea", said="I moved to Rome.\n")[1]
    assert "Rome" not in run("memory", "show", "--as", "Bea")[1]
    listed = json.loads(run("people", "unblock", "cli:member:bea", "--json")[1])
    assert [one["role"] for one in listed["people"]] == ["owner", "member"]
    assert "you live in Rome" in run("chat", "--as", "Bea", said="I moved to Rome.\n")[1].lower().replace("rome", "Rome")
    for who, what in (
        ("cli:owner", "The owner cannot be blocked"),
        ("Nobody", "Nobody is called"),
        ("telegram:5", "Nobody is known"),
    ):
        code, _, err = run("people", "block", who)
        assert code == 2
        assert what in err


@pytest.mark.requirement("terminal")
def test_the_doctor_looks_at_disk_and_clock_and_tries_the_models(run: Run, tmp_path: Path) -> None:
    run("chat", said="I live in Oslo.\n")
    told = '[models.answerer]\nname = "openai/none"\napi_base = "http://127.0.0.1:9/v1"\ndeadline = 5\n'
    (tmp_path / "data" / "muniment.toml").write_text(told, encoding="utf-8")
    code, out, _ = run("doctor")
    assert code == 1
    failed = [line for line in out.splitlines() if line.startswith("NOT")]
    assert len(failed) == 1
    assert "openai/none answers" in failed[0]
    assert "check its key and address in muniment.toml" in failed[0]
    assert "there is room on the disk" in out
    assert "the clock has not gone back" in out
