"""Conversations from elsewhere: read from their files, remembered once, and told apart."""

import json
from pathlib import Path

import pytest

from bootstrap.cli import main
from channels.exports import ExportError, read_export

pytestmark = pytest.mark.requirement("import")

LINES = [
    {"at": "2023-05-24T10:00:00Z", "speaker": "Ann", "text": "I went to Paris last week."},
    {"at": "2023-05-24T10:01:00Z", "speaker": "Ben", "text": "I live in Leeds."},
    {"at": "2023-05-24T10:01:00Z", "speaker": "Ben", "text": "I live in Leeds."},
    {"at": "2023-05-24T12:02:00+02:00", "speaker": "Ann", "text": "Nice, what was the weather like?"},
]
TELEGRAM = {
    "name": "Ben", "type": "personal_chat", "id": 4711,
    "messages": [
        {"id": 1, "type": "service", "date": "2023-05-24T10:00:00", "actor": "Ann", "action": "phone_call"},
        {"id": 2, "type": "message", "date": "2023-05-24T10:00:00", "date_unixtime": "1684922400",
         "from": "Ann", "from_id": "user1",
         "text": ["I work at ", {"type": "bold", "text": "Siemens"}, "."]},
        {"id": 3, "type": "message", "date": "2023-05-24T10:01:00", "date_unixtime": "1684922460",
         "from": "Ben", "from_id": "user2",
         "forwarded_from": "Somebody", "text": "I live in Rome."},
        {"id": 4, "type": "message", "date": "2023-05-24T10:02:00", "from": "Ben", "from_id": "user2", "photo": "p.jpg",
         "text": ""},
    ],
}  # fmt: skip


def write(folder: Path, lines: list[dict[str, str]]) -> Path:
    path = folder / "talk.jsonl"
    path.write_text("\n".join(json.dumps(line) for line in lines), encoding="utf-8")
    return path


def bring(capsys: pytest.CaptureFixture[str], data: Path, path: Path, *more: str) -> dict[str, object]:
    assert main(["memory", "import", str(path), "--data", str(data), "--json", *more]) == 0
    return json.loads(capsys.readouterr().out)


def shown(capsys: pytest.CaptureFixture[str], data: Path, *more: str) -> list[dict[str, str]]:
    assert main(["memory", "show", "--data", str(data), "--json", *more]) == 0
    return json.loads(capsys.readouterr().out)


def test_a_conversation_is_imported_once_and_grows(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = tmp_path / "data"
    first = bring(capsys, data, write(tmp_path, LINES), "--me", "Ann", "--zone", "UTC")
    assert (first["stored"], first["known"], first["speakers"]) == (4, 0, ["Ann", "Ben"])
    again = bring(capsys, data, write(tmp_path, LINES), "--me", "Ann", "--zone", "UTC")
    assert (again["stored"], again["known"]) == (0, 4)
    more = [*LINES, {"at": "2023-05-25T10:00:00Z", "speaker": "Cy", "text": "I speak French."}]
    assert main(["memory", "import", str(write(tmp_path, more)), "--me", "Ann", "--data", str(data)]) == 2
    assert "who would see all of it" in capsys.readouterr().err
    assert main(["memory", "import", str(write(tmp_path, LINES)), "--me", "Ann", "--chat", "copy", "--data", str(data)]) == 2
    assert "in the conversation 'talk' already" in capsys.readouterr().err
    grown = bring(capsys, data, write(tmp_path, more), "--me", "Ann", "--zone", "UTC", "--join")
    assert (grown["stored"], grown["known"]) == (1, 4)
    claims = shown(capsys, data)
    assert {(c["words"], c["valid"]) for c in claims if "visited" in c["words"]} == {
        ("You visited Paris", "[2023-05-15..2023-05-21]/[2023-05-15..2023-05-21]")
    }
    assert {c["label"].split(":")[0] for c in claims} == {"team"}
    assert any(c["words"] == "Ben lives in Leeds" and len(c["evidence"]) == 2 for c in claims)
    assert any(c["words"] == "You speak French" for c in shown(capsys, data, "--as", "Cy"))


@pytest.mark.requirement("I2")
def test_who_is_not_in_it_sees_nothing_of_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = tmp_path / "data"
    bring(capsys, data, write(tmp_path, LINES))
    assert shown(capsys, data) == []
    assert shown(capsys, data, "--as", "Ann") != []


@pytest.mark.requirement("row-4")
def test_telegrams_export_is_read_and_forwards_are_quarantined(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "result.json"
    path.write_text(json.dumps(TELEGRAM, indent=1), encoding="utf-8")
    told = bring(capsys, tmp_path / "data", path, "--me", "Ann")
    assert (told["chat"], told["stored"]) == ("Ben (4711)", 2)
    assert [c["words"] for c in shown(capsys, tmp_path / "data")] == ["You work at Siemens"]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('{"at": "x", "speaker": "A", "text": "b"}', "no time"),
        ('{"at": "2023-05-24", "speaker": "", "text": "b"}', "is not"),
        ("hello", "not JSON"),
        ("[1]", "not a JSON object"),
        ('{"chats": {"list": []}, "messages": 3}', "no export of one chat"),
        ("[" * 100_000, "not JSON"),
        ('{"messages": [{"type": "message", "from": "A", "text": "x", "id": 7}]}', "Message 7"),
        ('{"messages": ["x"]}', "does not read"),
    ],
)
def test_a_file_that_is_no_conversation_is_told_with_its_line(text: str, told: str) -> None:
    with pytest.raises(ExportError, match=told) as error:
        read_export(text, "UTC")
    assert "Nothing was stored" in str(error.value)


def test_mistakes_in_an_import_are_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = str(tmp_path / "data")
    (tmp_path / "empty.jsonl").write_text("\n")
    for arguments, told in (
        ([str(tmp_path / "none")], "cannot be read"),
        ([str(tmp_path / "empty.jsonl")], "has no messages"),
        ([str(write(tmp_path, LINES)), "--me", "Zoe"], "Nobody is called 'Zoe'"),
    ):
        assert main(["memory", "import", *arguments, "--data", data]) == 2
        assert told in capsys.readouterr().err


def test_a_lone_speaker_keeps_it_to_themself(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = tmp_path / "data"
    bring(capsys, data, write(tmp_path, LINES[1:2]), "--me", "Ben", "--chat", "diary")
    assert [c["label"].split(":")[0] for c in shown(capsys, data)] == ["user"]
    assert main(["memory", "import", str(write(tmp_path, LINES)), "--chat", "diary", "--data", str(data)]) == 2
    assert "one person's own" in capsys.readouterr().err


@pytest.mark.requirement("I2", "I8")
def test_one_name_in_two_conversations_is_two_people(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = tmp_path / "data"
    bring(capsys, data, write(tmp_path, LINES), "--chat", "one")
    others = [{**LINES[1], "speaker": "Zed", "text": "I live in Zephyrville."}, {**LINES[1], "text": "I live in Cork."}]
    bring(capsys, data, write(tmp_path, others), "--chat", "two")
    assert main(["memory", "show", "--as", "Ben", "--data", str(data)]) == 2  # which Ben?
    capsys.readouterr()
    assert "Zephyrville" not in json.dumps(shown(capsys, data, "--as", "Ann"))


def test_lines_are_cut_at_line_ends_alone_and_a_byte_order_mark_is_none() -> None:
    text = "\ufeff" + "\n".join(json.dumps({**line, "text": "a\u2028b\x85c"}, ensure_ascii=False) for line in LINES[:2])
    assert [line.text for line in read_export(text, "UTC")[1]] == ["a\u2028b\x85c"] * 2
