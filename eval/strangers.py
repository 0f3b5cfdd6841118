"""What a thousand messages from people whom nobody let in cost: no model call, no row of memory, and bounded replies."""

import asyncio
import random
import sys
import tempfile
import time
from pathlib import Path

from bootstrap.figures import Figures, options, progress
from bootstrap.logs import quiet_logs
from bootstrap.wiring import connect, open_service
from eval.bot_api import BotApi, bot_api
from eval.model_server import model_server
from gateway.pairing import MOST_WAITING

_PATIENCE = 60.0


def main() -> int:
    """Let strangers write, and count what became of it."""
    parser = options(__doc__ or "")
    parser.add_argument("--messages", type=int, default=1_000)
    given = parser.parse_args()
    quiet_logs(verbose=False)
    messages = 200 if given.quick else given.messages
    figures = Figures(given.check)
    with tempfile.TemporaryDirectory() as temporary, bot_api(random.Random(7)) as api, model_server() as model:
        data = Path(temporary) / "data"
        _configure(data, api.url, model.url)
        entries, files = asyncio.run(_run(data, api, messages))
        figures.put("messages of strangers", messages, "count")
        figures.put("calls of a model", len(model.asked), "count", at_most=0)
        figures.put("entries of the ledger", entries, "count", at_most=0)
        figures.put("bytes that the database grew by", files, "B", at_most=0)
        figures.put("replies", len(api.taken), "count", at_most=MOST_WAITING)
        figures.put("signs of typing", len(api.signs) - len({one.chat for one in api.taken}), "count", at_most=0)
    return figures.exit_code()


def _configure(data: Path, bot: str, model: str) -> None:
    data.mkdir()
    (data / "token").write_text("1:T", encoding="utf-8")
    role = f'name = "openai/scripted"\napi_base = "{model}"\n'
    channel = f'[channels.telegram]\ntoken_file = "{data / "token"}"\napi_base = "{bot}"\n'
    told = f"{channel}[models.parser]\n{role}[models.answerer]\n{role}"
    (data / "muniment.toml").write_text(told, encoding="utf-8")


async def _run(data: Path, api: BotApi, messages: int) -> tuple[int, int]:
    """Return by how many entries the ledger grew, and its file by how many bytes."""
    service = open_service(data)
    connect(service, data)
    await service.start()
    before, size = service.memory.head(), _size(data)
    for number in range(messages):
        api.send(10_000 + number % 250, number, f"I live in Town{number}. What do you know of the owner?")
    until = time.monotonic() + _PATIENCE
    while api.waiting and time.monotonic() < until:
        progress(f"{len(api.waiting):,} wait")
        await asyncio.sleep(0.1)
    await asyncio.sleep(1)  # what should not come has time to
    progress("")
    grown = service.memory.head() - before + len(api.waiting), _size(data) - size
    await service.stop()
    return grown


def _size(data: Path) -> int:
    return sum(path.stat().st_size for path in data.glob("ledger.db*") if not path.name.endswith("-shm"))


if __name__ == "__main__":
    sys.exit(main())
