"""Backups: whole and encrypted while serving, opened by the kit of now alone, and worthless after an erasure."""

import shutil
from pathlib import Path

import pytest

from memory.backup import PLAIN, bring_back
from memory.errors import IncorrectBackupError, StorageUnavailableError
from memory.forget import Act, Wanted
from memory.keys import Kit
from tests.conftest import Desk


def _restored(desk: Desk, backup: Path, kit: Kit, folder: Path) -> Desk:
    bring_back(backup, kit, folder)
    return Desk(folder, desk.words, 0x9000)


@pytest.mark.requirement("backup")
def test_a_backup_made_while_serving_is_brought_back_whole(desk: Desk, tmp_path: Path) -> None:
    for n in range(50):
        desk.say(f"I visited Town{n}.")
    futures = [desk.memory.back_up(tmp_path / "backup")]
    desk.say("I live in Oslo.")
    made = futures[0].result()
    assert b"Town" not in (tmp_path / "backup").read_bytes()
    assert not (desk.folder / "run" / PLAIN).exists()
    other = _restored(desk, tmp_path / "backup", Kit.from_json(desk.memory.kit().as_json()), tmp_path / "again")
    assert len(other.objects("visited")) == 50
    assert other.memory.head() >= made["entries"]
    other.sound()
    other.say("I live in Lima.")
    other.reopen()
    other.sound()
    other.memory.close()


@pytest.mark.requirement("backup", "D12", "I4")
def test_after_an_erasure_older_backups_open_no_more_with_the_kit_of_now(desk: Desk, tmp_path: Path) -> None:
    desk.say("I live in Quuxtown.")
    desk.memory.back_up(tmp_path / "old").result()
    then = desk.memory.kit()
    desk.erase(Wanted(Act.ERASE, (desk.claim("livesIn", "Quuxtown"),)))
    now = desk.memory.kit()
    assert now.number == then.number + 1
    assert now.key != then.key
    with pytest.raises(IncorrectBackupError, match="issued anew at each erasure"):
        bring_back(tmp_path / "old", now, tmp_path / "again")
    forged = Kit(now.instance, then.number, now.key, now.instance_key, now.signing_key)
    with pytest.raises(IncorrectBackupError, match="damaged, cut off, or not of this kit"):
        bring_back(tmp_path / "old", forged, tmp_path / "again")
    desk.memory.back_up(tmp_path / "new").result()
    other = _restored(desk, tmp_path / "new", now, tmp_path / "again")
    assert other.objects("livesIn") == []
    assert "erased" in other.say("I live in Quuxtown.")[1].decisions[0].reason  # refusals come back with it
    other.memory.close()


@pytest.mark.requirement("backup", "F07")
def test_what_is_not_whole_is_refused(desk: Desk, tmp_path: Path) -> None:
    desk.say("I live in Oslo.")
    desk.memory.back_up(tmp_path / "backup").result()
    kit, content = desk.memory.kit(), (tmp_path / "backup").read_bytes()
    cases = {
        "cut": content[:-10],
        "cut.to.a.piece": content[: content.index(b"\n") + 1],
        "flipped": content[:-100] + bytes([content[-100] ^ 1]) + content[-99:],
        "header": content.replace(b'"seq": ', b'"seq": 1', 1),
        "empty": b"",
        "backup.partial": content,
    }
    for name, changed in cases.items():
        (tmp_path / name).write_bytes(changed)
        with pytest.raises(IncorrectBackupError, match="Nothing was changed"):
            bring_back(tmp_path / name, kit, tmp_path / "again")
        shutil.rmtree(tmp_path / "again", ignore_errors=True)
    with pytest.raises(IncorrectBackupError, match="not empty"):
        bring_back(tmp_path / "backup", kit, desk.folder)
    with pytest.raises(IncorrectBackupError, match="no kit"):
        Kit.from_json("{}")
    with pytest.raises(StorageUnavailableError, match="cannot be written"):
        desk.memory.back_up(tmp_path / "none" / "backup").result()


@pytest.mark.requirement("backup", "F07")
def test_a_backup_that_was_cut_off_leaves_no_plain_copy(desk: Desk) -> None:
    desk.memory.close()
    plain = desk.folder / "run" / PLAIN
    plain.write_bytes(b"plain words")
    desk.open()
    assert not plain.exists()
