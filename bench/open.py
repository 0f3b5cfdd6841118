"""How long it takes to open an existing store and answer a first question, in a process of its own."""

import asyncio
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from bench.knowledge import Knowledge
from bench.remember import load
from bootstrap.figures import Figures, options, percentile, progress
from bootstrap.wiring import open_service
from gateway.service import Said
from memory.ids import now

ROUNDS = 5
_CHILD = "import sys; from bench.open import first_answer; first_answer(sys.argv[1], sys.argv[2])"


def main() -> int:
    """Make a store of the size asked for, then open it a few times."""
    parser = options(__doc__ or "")
    parser.add_argument("--facts", type=int, default=100_000)
    parser.add_argument("--data", type=Path, default=None, help="use, or make and keep, the store here")
    given = parser.parse_args()
    size = 5_000 if given.quick else given.facts
    figures = Figures(given.check)
    with tempfile.TemporaryDirectory() as temporary:
        folder = given.data or Path(temporary) / "data"
        if not (folder / "ledger.db").exists():
            asyncio.run(_make(folder, size))
        told: list[dict[str, float]] = []
        wholes: list[float] = []
        for number in range(ROUNDS):
            progress(f"opening {number + 1} of {ROUNDS}")
            began = time.perf_counter()
            run = subprocess.run([sys.executable, "-c", _CHILD, str(folder), "Zed"], capture_output=True, check=True)  # noqa: S603
            wholes.append(time.perf_counter() - began)
            told.append(json.loads(run.stdout.splitlines()[-1]))
        progress("")
    opened = percentile([one["opened"] for one in told], 0.5)
    whole = percentile([one["answered"] for one in told], 0.5)
    figures.put(f"open a store of {size:,} facts: wall p50", opened, "s")
    figures.put(f"open a store of {size:,} facts and answer: wall p50", whole, "s", at_most=1)
    figures.put("the process from start to end, imports included: wall p50", percentile(wholes, 0.5), "s")
    return figures.exit_code()


def first_answer(folder: str, name: str) -> None:
    """Open a store, ask where somebody lives, and print the seconds each took. Runs in the measured process."""
    started = time.perf_counter()

    async def ask() -> str:
        service = open_service(Path(folder))
        await service.start()
        opened = time.perf_counter()
        said = Said("", "bench-open", str(now()), f"Where does {name} live?", now(), "UTC")
        replies = await service.say(said)
        answered = time.perf_counter()
        await service.stop()
        if "lives in Aarhus" not in replies[0].text:
            message = f"not answered: {replies[0].text}"
            raise AssertionError(message)
        return json.dumps({"opened": opened - started, "answered": answered - started})

    print(asyncio.run(ask()))


async def _make(folder: Path, size: int) -> None:
    service = open_service(folder)
    await service.start()
    owner = await service.person("")
    knowledge = Knowledge(owner.id, people=max(400, size // 5))
    load(service.memory, knowledge.places())
    load(service.memory, knowledge.statements(size), size)
    load(service.memory, [knowledge.said("Zed lives in Aarhus")])
    await service.stop()


if __name__ == "__main__":
    sys.exit(main())
