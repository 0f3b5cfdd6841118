"""There is one way to run a query, and one to change the graph by a text: the code says so itself."""

import ast
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
ROOMS = ("reasoner", "memory", "channels", "gateway", "bootstrap", "ontologies", "eval", "bench")
ALLOWED = {"query": {"memory/_oxigraph.py", "eval/isolation.py"}, "update": {"memory/graph.py"}}


def test_only_one_file_runs_queries_and_one_runs_updates() -> None:
    found: dict[str, set[str]] = {"query": set(), "update": set()}
    for room in ROOMS:
        for path in (ROOT / room).rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in found:
                    owner = ast.unparse(node.func.value)
                    if owner.split(".")[-1].strip("_").endswith("store"):
                        found[node.func.attr].add(path.relative_to(ROOT).as_posix())
    assert found == ALLOWED
