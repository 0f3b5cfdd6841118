"""The law of the two clocks: reads equal a naive model that keeps every state whole."""

import random
from pathlib import Path

import pytest

from eval.bitemporal import Clock, Course
from gateway.tables import TABLES
from memory.store import Memory
from memory.vocabulary import Vocabulary


@pytest.mark.requirement("F34", "I7", "as-of", "valid-at")
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_reads_on_both_clocks_equal_the_naive_model(seed: int, tmp_path: Path, words: Vocabulary) -> None:
    clock = Clock()
    memory = Memory(tmp_path / "data", words, clock=clock.tick, tables=TABLES)
    course = Course(memory, random.Random(seed), clock, 3)
    for number in range(1, 601):
        course.step(number)
    assert (course.differences, course.residue(), course.facts()) == (0, 0, 0)
    assert course.reads > 100
    assert memory.verify().result()["graph_differences"] == 0
    memory.close()
