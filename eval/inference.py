"""Questions whose answers nobody stated, through the shipped turn with the offline answerer; ``inference.yaml`` has them.

Each is asked twice: with the statements that it follows from, and in a memory that has them one by one in another order.
"""

import asyncio
import random
import sys
import tempfile
from pathlib import Path
from typing import Any

import yaml

from bootstrap.figures import Figures, options, progress
from bootstrap.logs import quiet_logs
from bootstrap.wiring import open_service
from gateway.service import Said, Service
from memory.ids import now, uuid7

STORY = Path(__file__).with_suffix(".yaml")


async def ask(data: Path, statements: list[str], questions: list[dict[str, Any]]) -> list[str]:
    """Tell a memory the statements and ask; return a line for each question that is not answered as it must be."""
    service = open_service(data)
    await service.start()
    try:
        for statement in statements:
            await _say(service, statement)
        faults: list[str] = []
        for number, question in enumerate(questions):
            progress(f"question {number + 1} of {len(questions)}")
            told = await _say(service, question["ask"])
            missing = [word for word in question["expect"] if word.casefold() not in told.casefold()]
            wrong = [word for word in question.get("not", ()) if word in told]
            if missing or wrong:
                faults.append(f"{question['ask']}: misses {missing}, has {wrong}: {told!r}")
        return faults
    finally:
        await service.stop()
        progress("")


async def _say(service: Service, text: str) -> str:
    replies = await service.say(Said("", "", uuid7(), text, now(), "UTC"))
    return "\n".join(reply.text for reply in replies)


def main() -> int:
    """Ask in two orders of the statements, and print the share of right answers."""
    given = options(__doc__ or "").parse_args()
    quiet_logs(verbose=False)
    figures = Figures(given.check)
    story = yaml.safe_load(STORY.read_text(encoding="utf-8"))
    statements, questions = story["say"], story["questions"]
    shuffled = random.Random(1).sample(statements, len(statements))
    with tempfile.TemporaryDirectory() as temporary:
        for name, told in (("as written", statements), ("in another order", shuffled)):
            faults = asyncio.run(ask(Path(temporary) / name.replace(" ", "-"), told, questions))
            for fault in faults:
                print(fault, file=sys.stderr)
            share = 1 - len(faults) / len(questions)
            figures.put(f"questions by inference answered, statements {name}", share, "share", at_least=0.95)
    figures.put("questions", len(questions), "count")
    return figures.exit_code()


if __name__ == "__main__":
    sys.exit(main())
