"""The composition root: the one place that puts the parts together."""

import os
from contextlib import suppress
from pathlib import Path

from bootstrap import settings
from gateway.parse.offline import OfflineParser
from gateway.service import Service
from gateway.tables import TABLES
from gateway.turn import Answerer, Parser
from memory.ids import Clock, Ids, now, uuid7
from memory.store import Memory
from memory.vocabulary import Vocabulary
from ontologies.files import vocabulary


def open_service(
    data: Path,
    *,
    parser: Parser | None = None,
    answerer: Answerer | None = None,
    clock: Clock = now,
    ids: Ids = uuid7,
) -> Service:
    """Return the service of a data directory, which is made where it is missing; not yet started."""
    memory = Memory(data, Vocabulary(vocabulary()), clock=clock, ids=ids, tables=TABLES)
    _seed(data)
    return Service(memory, parser or OfflineParser(), answerer)


def local_zone(configured: str) -> str:
    """Return the configured time zone, or the machine's own, or UTC."""
    if configured:
        return configured
    if os.environ.get("TZ"):
        return os.environ["TZ"].lstrip(":")
    with suppress(OSError):
        target = str(Path("/etc/localtime").resolve())
        if "zoneinfo/" in target:
            return target.split("zoneinfo/", 1)[1].removeprefix("posix/")
    return "UTC"


def _seed(data: Path) -> None:
    path = data / settings.FILE
    if not path.exists():
        with suppress(OSError):
            path.write_text(settings.TEMPLATE, encoding="utf-8")
