"""How the measuring commands report: one JSON line a figure, progress on a terminal, exit 1 under ``--check``."""

import argparse
import json
import sys
import time
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field


@dataclass(slots=True)
class Figures:
    """Collects figures, prints each at once, and tells whether one fell short of its bar."""

    check: bool
    short: list[str] = field(default_factory=list[str])

    def put(self, name: str, value: float, unit: str, at_most: float | None = None, at_least: float | None = None) -> None:
        """Print a figure with its bar, if it has one."""
        bar = None if at_most is None and at_least is None else f"<= {at_most:g}" if at_most is not None else f">= {at_least:g}"
        print(json.dumps({"name": name, "value": round(value, 4), "unit": unit, "bar": bar}), flush=True)
        if (at_most is not None and value > at_most) or (at_least is not None and value < at_least):
            self.short.append(name)

    def exit_code(self) -> int:
        """Return 1 where bars are checked and one was missed."""
        if self.check and self.short:
            print(f"short of the bar: {', '.join(self.short)}", file=sys.stderr)
            return 1
        return 0


def options(description: str) -> argparse.ArgumentParser:
    """Return a parser with the options that every measurement has."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--quick", action="store_true", help="a smaller run")
    parser.add_argument("--check", action="store_true", help="exit 1 where a figure falls short of its bar")
    return parser


def progress(text: str) -> None:
    """Show where a long run is, on a terminal only."""
    if sys.stderr.isatty():
        print(f"\r\x1b[K{text}", end="", file=sys.stderr, flush=True)


def percentile(values: Sequence[float], part: float) -> float:
    """Return the value below which ``part`` of the values lie."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(part * len(ordered)))]


@dataclass(slots=True)
class Spent:
    """CPU and wall time of blocks, in milliseconds; CPU is the whole process's."""

    cpu: list[float] = field(default_factory=list[float])
    wall: list[float] = field(default_factory=list[float])

    @contextmanager
    def timed(self) -> Generator[None]:
        """Time a block."""
        cpu, wall = time.process_time_ns(), time.perf_counter_ns()
        yield
        self.cpu.append((time.process_time_ns() - cpu) / 1e6)
        self.wall.append((time.perf_counter_ns() - wall) / 1e6)
