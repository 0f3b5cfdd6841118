"""Killed at random instants, twenty times here and two hundred by ``python -m eval.crash``."""

import random
from pathlib import Path

import pytest

from eval.crash import judge, torment


@pytest.mark.requirement("I5")
@pytest.mark.timeout(600)
def test_twenty_kills_lose_double_and_tear_nothing(tmp_path: Path) -> None:
    course, sent = torment(tmp_path / "data", 20, random.Random(7))
    assert course.kills == 20
    assert len(course.acknowledged) == len(sent)
    assert set(judge(tmp_path / "data", course, sent).values()) == {0}
