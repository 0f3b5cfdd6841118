"""Every scenario file holds, from a message in to a reply out."""

import asyncio
from pathlib import Path

import pytest

from eval.model_server import model_server
from eval.runner import FOLDER, Scenario, load, play

FILES = sorted(FOLDER.glob("*.yaml"))


@pytest.mark.requirement("scenarios", "offline", "I2", "I6", "row-6", "row-7", "row-8", "routing", "turn", "undo")
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_it_holds(path: Path) -> None:
    assert asyncio.run(play(load(path))) == []


@pytest.mark.requirement("scenarios", "model-parser")
def test_each_holds_too_where_a_model_reads_behind_the_real_client() -> None:
    with model_server() as server:
        assert {path.stem: faults for path in FILES if (faults := asyncio.run(play(load(path), server)))} == {}


def scenario(**step: object) -> Scenario:
    return Scenario.model_validate({"name": "x", "people": {"ann": "owner"}, "chats": {"dm": ["ann"]}, "steps": [step]})


@pytest.mark.requirement("scenarios")
@pytest.mark.parametrize(
    ("step", "fault"),
    [
        ({"say": "I live in Oslo.", "expect": ["Lima"]}, "is not in the reply"),
        ({"say": "I live in Oslo.", "not": ["oslo"]}, "is in the reply"),
        ({"say": "Hello.", "reply": " ", "not": ["oslo"]}, "the reply is empty"),
        ({"say": "I live in Oslo.", "decided": {"held": 1}}, "held 0, expected 1"),
        (
            {"say": "I live in Oslo.", "claims": [{"of": "ann", "predicate": "livesIn", "reader": "ann", "are": ["Lima"]}]},
            "is ['Oslo'], expected ['Lima']",
        ),
    ],
)
def test_the_runner_finds_what_does_not_hold(step: dict[str, object], fault: str) -> None:
    (found,) = asyncio.run(play(scenario(**step)))
    assert fault in found
