"""The temporal questions, in the form in which the evaluation asks them."""

import asyncio
from pathlib import Path

import pytest

from eval.temporal import run

pytestmark = pytest.mark.requirement("as-of", "valid-at")


def test_questions_on_both_clocks_are_answered(tmp_path: Path) -> None:
    asked, faults = asyncio.run(run(tmp_path))
    assert asked >= 40
    assert faults == []
