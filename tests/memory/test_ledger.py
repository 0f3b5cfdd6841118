"""The chain: what was changed, added, lost, reordered or cut is found, and entries cannot be changed at all."""

import json
import shutil
import sqlite3 as plain  # noqa: TID251 - an attacker's own tool
from pathlib import Path

import pytest
from sqlite_utils.utils import sqlite3  # pyright: ignore[reportPrivateImportUsage]

from memory.errors import DamagedLedgerError, ForeignDataError
from memory.forget import Act, Wanted
from memory.store import Memory
from memory.tables import COVERED
from memory.vocabulary import Vocabulary
from tests.conftest import BOB, Desk


def tampered(desk: Desk, *statements: str, counted: bool = True) -> None:
    """Close the memory and change its database from outside, triggers taken away first; each changes something if counted."""
    desk.memory.close()
    connection = sqlite3.connect(desk.folder / "ledger.db")
    connection.execute("PRAGMA foreign_keys=OFF")
    for trigger in ("entry_is_kept", "entry_is_fixed"):
        connection.execute(f"DROP TRIGGER {trigger}")
    for statement in statements:
        assert connection.execute(statement).rowcount != 0 or not counted, statement
    connection.commit()
    connection.close()
    desk.open()


def told(desk: Desk) -> None:
    """Say enough that every table of claims has rows."""
    desk.say("I live in Oslo.")
    desk.say("I live in Lima.")
    desk.say("I don't like olives.")
    desk.say("Everyone should know that Lyon is part of Spain.", BOB, owner=False)
    source, _ = desk.say("I love jazz.")
    desk.memory.undo(source, source.speaker).result()
    desk.memory.set_member("00000000-0000-7000-8000-0000000000c3", source.speaker, source.speaker, present=True).result()


@pytest.mark.requirement("I10")
def test_an_untouched_ledger_verifies(desk: Desk) -> None:
    told(desk)
    counted = desk.memory.verify().result()
    assert counted["graph_differences"] == 0
    assert counted["entries"] == desk.memory.head()


@pytest.mark.requirement("I10")
@pytest.mark.parametrize(
    "change",
    [
        "UPDATE source SET body = 'I live in Rome.' WHERE body = 'I live in Oslo.'",
        "UPDATE live_claim SET label = 'worldview:public' WHERE rowid IN (SELECT 1) OR 1",
        "UPDATE live_claim SET to_latest = NULL, to_earliest = NULL WHERE to_latest IS NOT NULL",
        "UPDATE closed_claim SET reason = 'other'",
        "UPDATE closed_claim SET transaction_to = transaction_to + 1",
        "UPDATE negative_claim SET speaker = 'x'",
        "UPDATE evidence SET span_end = span_end - 1",
        "UPDATE withdrawn_evidence SET wording = 'x'",
        "UPDATE decision SET rule = 11 WHERE rule = 7",
        "UPDATE pending SET against = 'x'",
        "UPDATE source_label SET label = 'worldview:public'",
        "UPDATE membership SET present = 0",
        "UPDATE undone SET entry = entry - 1",
        "DELETE FROM evidence WHERE span_start > 0",
        "DELETE FROM live_claim WHERE predicate LIKE '%livesIn%'",
        "DELETE FROM membership",
        "DELETE FROM entry_key WHERE entry = 2",
        "INSERT INTO undone SELECT id, 1 FROM source LIMIT 1",
        "UPDATE entry SET at = at + 1 WHERE seq = 3",
        "UPDATE entry SET judge = 'x' WHERE seq = 3",
        "UPDATE entry SET digest = zeroblob(32) WHERE seq = 3",
        "DELETE FROM entry WHERE seq = 3",
        "DELETE FROM entry WHERE seq = (SELECT max(seq) FROM entry)",
        "UPDATE entry SET seq = 99 WHERE seq = 3",
    ],
)
def test_any_change_is_found(change: str, desk: Desk) -> None:
    told(desk)
    tampered(desk, change.replace(" WHERE rowid IN (SELECT 1) OR 1", ""))
    with pytest.raises(DamagedLedgerError, match="backup"):
        desk.memory.verify().result()


@pytest.mark.requirement("I10")
def test_two_entries_that_change_places_are_found(desk: Desk) -> None:
    told(desk)
    tampered(
        desk,
        "UPDATE entry SET seq = 1002 WHERE seq = 2",
        "UPDATE entry SET seq = 2 WHERE seq = 3",
        "UPDATE entry SET seq = 3 WHERE seq = 1002",
    )
    with pytest.raises(DamagedLedgerError, match="entry 2"):
        desk.memory.verify().result()


@pytest.mark.requirement("I10")
@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE entry SET at = 0",
        "DELETE FROM entry",
        "DROP TABLE entry",
        "DROP TRIGGER entry_is_kept",
        "ALTER TABLE entry ADD COLUMN x",
        "PRAGMA writable_schema = 1",
    ],
)
def test_the_writing_connection_cannot_change_an_entry(statement: str, desk: Desk) -> None:
    desk.say("I live in Oslo.")
    with pytest.raises(sqlite3.DatabaseError, match="not authorized"):
        desk.memory._ledger.execute(statement)  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]


@pytest.mark.requirement("I10")
def test_the_triggers_keep_entries_from_other_programs(desk: Desk) -> None:
    desk.say("I live in Oslo.")
    desk.memory.close()
    connection = plain.connect(desk.folder / "ledger.db")
    for statement in ("DELETE FROM entry", "UPDATE entry SET at = 0"):
        with pytest.raises(plain.IntegrityError, match="append-only"):
            connection.execute(statement)
    connection.close()
    desk.open()


@pytest.mark.requirement("foreign-data")
def test_a_database_of_another_program_is_left_alone(tmp_path: Path, words: Vocabulary) -> None:
    connection = plain.connect(tmp_path / "ledger.db")
    connection.execute("CREATE TABLE notes (text)")
    connection.commit()
    connection.close()
    before = (tmp_path / "ledger.db").read_bytes()
    with pytest.raises(ForeignDataError, match="another program"):
        Memory(tmp_path, words)
    assert (tmp_path / "ledger.db").read_bytes()[100:] == before[100:]


@pytest.mark.requirement("foreign-data")
@pytest.mark.parametrize("content", [b"not a database at all, but long enough to be looked at" * 40, b"\x00" * 8192])
def test_a_file_that_is_no_database_is_left_alone(content: bytes, tmp_path: Path, words: Vocabulary) -> None:
    (tmp_path / "ledger.db").write_bytes(content)
    with pytest.raises(ForeignDataError, match="not a Muniment ledger"):
        Memory(tmp_path, words)
    assert (tmp_path / "ledger.db").read_bytes() == content


@pytest.mark.requirement("foreign-data")
def test_a_newer_ledger_is_left_alone(desk: Desk, words: Vocabulary) -> None:
    desk.memory.close()
    connection = sqlite3.connect(desk.folder / "ledger.db")
    connection.execute("UPDATE meta SET value = '99' WHERE key = 'schema_version'")
    connection.commit()
    with pytest.raises(ForeignDataError, match="version 99"):
        Memory(desk.folder, words)
    connection.execute("UPDATE meta SET value = '4' WHERE key = 'schema_version'")
    connection.commit()
    connection.close()
    desk.open()


@pytest.mark.requirement("foreign-data")
def test_a_ledger_with_damaged_pages_is_told(desk: Desk, words: Vocabulary) -> None:
    for number in range(60):
        desk.say(f"I visited Town{number}x.")
    desk.memory.close()
    path = desk.folder / "ledger.db"
    content = bytearray(path.read_bytes())
    content[4096 : len(content)] = b"\xff" * (len(content) - 4096)
    path.write_bytes(content)
    with pytest.raises((DamagedLedgerError, ForeignDataError), match=r"left as it was|left as it is|backup"):
        Memory(desk.folder, words).verify().result()
    path.unlink()
    desk.folder.joinpath("ledger.db-wal").unlink(missing_ok=True)
    shutil.rmtree(desk.folder / "graph")
    desk.open()


@pytest.mark.requirement("checkpoints", "I10")
def test_a_clean_cut_of_the_end_is_found_by_the_last_checkpoint(desk: Desk) -> None:
    told(desk)
    line = desk.memory.checkpoint().result()
    last = json.loads(line)["seq"]
    tables = [table for table in ("entry", *(t.name for t in COVERED)) if table not in {"closed_claim", "withdrawn_evidence"}]
    columns = {table: "seq" if table == "entry" else "entry" for table in tables}
    cut = [f"DELETE FROM {table} WHERE {column} > {last - 1}" for table, column in columns.items()]
    tampered(desk, *cut, counted=False)
    assert any("cut" in note for note in desk.memory.notes())
    with pytest.raises(DamagedLedgerError, match=r"backup|cut"):
        desk.memory.verify().result()
    with pytest.raises(DamagedLedgerError, match="not signed"):
        desk.memory.checkpoint().result()


@pytest.mark.requirement("checkpoints")
def test_a_checkpoint_that_was_kept_elsewhere_finds_an_older_copy(desk: Desk) -> None:
    desk.say("I live in Oslo.")
    desk.memory.close()
    older = desk.folder.with_name("older")
    shutil.copytree(desk.folder, older)
    desk.open()
    desk.say("I like tea.")
    line = desk.memory.checkpoint().result()
    desk.memory.check_checkpoint(line)
    desk.memory.close()
    shutil.rmtree(desk.folder)
    shutil.copytree(older, desk.folder)
    desk.open()
    desk.sound()
    with pytest.raises(DamagedLedgerError, match="older copy"):
        desk.memory.check_checkpoint(line)
    with pytest.raises(DamagedLedgerError, match="not signed by this instance"):
        desk.memory.check_checkpoint(line.replace("chain", "chains"))


@pytest.mark.requirement("I10", "D16")
def test_a_receipt_or_checkpoint_that_was_changed_is_found(desk: Desk) -> None:
    desk.say("I live in Oslo.")
    desk.erase(Wanted(Act.ERASE, (desk.claim("livesIn", "Oslo"),)))
    desk.sound()
    path = desk.folder / "checkpoints"
    desk.memory.close()
    text = path.read_text()
    path.write_text(text.replace('"at": "2026', '"at": "2025', 1))
    desk.open()
    with pytest.raises(DamagedLedgerError, match=r"not signed|another or none|does not read"):
        desk.memory.verify().result()
    path.write_text(text)
    tampered(desk, "UPDATE receipt SET body = replace(body, 'receipt', 'Receipt')")
    with pytest.raises(DamagedLedgerError):
        desk.memory.verify().result()
