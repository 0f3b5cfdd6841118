"""Requirements and tests name each other."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.requirements import REQUIREMENTS

pytestmark = pytest.mark.requirement()
TESTS = Path(__file__).parent.parent


def marked(node: ast.AST) -> Iterator[str]:
    """Yield the names in every ``pytest.mark.requirement(...)`` below a node."""
    for call in ast.walk(node):
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.func.attr == "requirement":
            yield from (str(argument.value) for argument in call.args if isinstance(argument, ast.Constant))


def files() -> list[Path]:
    return sorted(TESTS.rglob("test_*.py"))


def named() -> set[str]:
    return {name for path in files() for name in marked(ast.parse(path.read_text()))}


def test_every_requirement_without_a_gap_has_a_test() -> None:
    assert [r.id for r in REQUIREMENTS if not r.gap and r.id not in named()] == []


def test_a_recorded_gap_has_no_test_that_shows_it_closed() -> None:
    assert [r.id for r in REQUIREMENTS if r.gap and r.id in named()] == []


def test_every_test_names_a_requirement_that_exists() -> None:
    assert named() <= {r.id for r in REQUIREMENTS}
    for path in files():
        tree = ast.parse(path.read_text())
        module = any(isinstance(n, ast.Assign) and any(isinstance(t, ast.Name) and t.id == "pytestmark" for t in n.targets)
                     for n in tree.body)  # fmt: skip
        for function in tree.body:
            if isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef)) and function.name.startswith("test_"):
                assert module or any(list(marked(d)) for d in function.decorator_list), f"{path.name}::{function.name}"
