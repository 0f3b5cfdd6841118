"""There is one way to run a query, and one to change the graph by a text: the code says so itself."""

import ast
from pathlib import Path

import pytest

pytestmark = pytest.mark.requirement("sparql")

ROOT = Path(__file__).parent.parent.parent
ROOMS = ("reasoner", "memory", "channels", "gateway", "bootstrap", "ontologies", "eval", "bench")
ALLOWED = {"query": {"memory/_oxigraph.py", "eval/isolation.py"}, "update": {"memory/graph.py"}}
OTHERS = {"voice", "told", "voice.query", "writing", "self.view", "hashes", "digest"}
"""Owners of other methods of those names."""


def test_only_one_file_runs_queries_and_one_runs_updates() -> None:
    found: dict[str, set[str]] = {"query": set(), "update": set()}
    for room in ROOMS:
        for path in (ROOT / room).rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute) or node.func.attr not in found:
                    continue
                owner = ast.unparse(node.func.value)
                runs_text = node.func.attr == "query" or owner.split(".")[-1].strip("_").endswith("store")
                if runs_text and owner not in OTHERS:
                    found[node.func.attr].add(path.relative_to(ROOT).as_posix())
    assert found == ALLOWED
