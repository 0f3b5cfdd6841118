"""What it costs to remember one fact: durable, inferred and searchable, in stores of growing size.

CPU is that of the whole process. The wall time holds the wait for the disk, which is measured apart by a probe that appends
as much to a file of the same folder and fsyncs it.
"""

import os
import sys
import tempfile
import time
from collections import deque
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from bench.knowledge import Knowledge
from bootstrap.figures import Figures, Spent, options, percentile, progress
from gateway.tables import TABLES
from memory.claim import Reading, Receipt, Source
from memory.ids import uuid7
from memory.store import Memory
from memory.vocabulary import Vocabulary
from ontologies.files import vocabulary

if TYPE_CHECKING:
    from concurrent.futures import Future

SMALL = 1_000
SAMPLE = 400
_AHEAD = 512
_IDLE = 0.01
_LONGEST_SETTLING = 120
_WRITE = 24_576


def main() -> int:
    """Measure at 1,000 facts and at the size asked for."""
    parser = options(__doc__ or "")
    parser.add_argument("--facts", type=int, default=100_000)
    parser.add_argument("--data", type=Path, default=None, help="keep the store here")
    given = parser.parse_args()
    size = 5_000 if given.quick else given.facts
    figures = Figures(given.check)
    with tempfile.TemporaryDirectory() as temporary:
        folder = given.data or Path(temporary) / "data"
        memory = Memory(folder, Vocabulary(vocabulary()), tables=TABLES)
        knowledge = Knowledge(uuid7(), people=max(400, size // 5))
        load(memory, knowledge.places())
        small, _ = _measure(memory, knowledge, SMALL, 0)
        large, fsync = _measure(memory, knowledge, size, SMALL + SAMPLE)
        _report(figures, small, large, fsync, size)
        memory.close()
    return figures.exit_code()


def load(memory: Memory, said: Iterable[tuple[Source, Reading]], total: int = 0) -> None:
    """Remember many messages with many decisions to a commit."""
    waiting: deque[Future[Receipt]] = deque()
    for count, (source, reading) in enumerate(said):
        waiting.append(memory.learn(source, reading, is_owner=True))
        if len(waiting) >= _AHEAD:
            waiting.popleft().result()
        if total and count % 1_000 == 0:
            progress(f"loading {count:,} of {total:,}")
    for future in waiting:
        future.result()
    progress("")


def _measure(memory: Memory, knowledge: Knowledge, size: int, already: int) -> tuple[dict[str, Spent], list[float]]:
    load(memory, knowledge.statements(size - already), size)
    _settle()
    spent = {"remember": Spent(), "accept and remember": Spent()}
    fsync: list[float] = []
    for source, reading in knowledge.statements(SAMPLE):
        with spent["remember"].timed():
            memory.learn(source, reading, is_owner=True).result()
        fsync.append(_probe(memory.folder))
    for source, reading in knowledge.statements(SAMPLE // 4):
        with spent["accept and remember"].timed():
            memory.accept(source, source.speaker).result()
            memory.remember(source, reading, is_owner=True).result()
    return spent, fsync


def _settle() -> None:
    """Wait until the graph's background threads have finished with what was loaded: it is no cost of one fact."""
    for _ in range(_LONGEST_SETTLING):
        before = time.process_time()
        time.sleep(0.5)
        if time.process_time() - before < _IDLE:
            return


def _probe(folder: Path) -> float:
    path = folder / "run" / "probe"
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    os.write(handle, bytes(_WRITE))
    started = time.perf_counter_ns()
    os.fsync(handle)
    elapsed = (time.perf_counter_ns() - started) / 1e6
    os.close(handle)
    path.unlink()
    return elapsed


def _report(figures: Figures, small: dict[str, Spent], large: dict[str, Spent], fsync: list[float], size: int) -> None:
    one, first = large["remember"], small["remember"]
    at = f"at {size:,} facts"
    figures.put(f"remember one fact {at}: CPU p50", percentile(one.cpu, 0.5), "ms", at_most=2)
    figures.put(f"remember one fact {at}: CPU p99", percentile(one.cpu, 0.99), "ms", at_most=15)
    figures.put(f"remember one fact {at}: wall p50", percentile(one.wall, 0.5), "ms", at_most=6)
    figures.put(f"fsync of as much in the same folder {at}: wall p50", percentile(fsync, 0.5), "ms", at_most=4)
    figures.put(f"remember one fact at {SMALL:,} facts: CPU p50", percentile(first.cpu, 0.5), "ms")
    figures.put("growth of that CPU p50", percentile(one.cpu, 0.5) / percentile(first.cpu, 0.5), "ratio", at_most=1.3)
    both = large["accept and remember"]
    figures.put(f"accept, then remember (two commits) {at}: CPU p50", percentile(both.cpu, 0.5), "ms")
    figures.put(f"accept, then remember (two commits) {at}: wall p50", percentile(both.wall, 0.5), "ms")


if __name__ == "__main__":
    sys.exit(main())
