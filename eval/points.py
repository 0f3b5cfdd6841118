"""Points at which a process can be made to kill itself: where this program, SQLite's commits and the file system meet.

A point is a function of the product, or of the operating system as the product calls it; ``arm`` lets the process end with
``kill -9`` just before or just after its n-th call. The product knows nothing of it.
"""

import importlib
import os
import signal
from typing import Any

POINTS = {
    "memory.ledger:Ledger.commit": 40,
    "memory.ledger:Ledger.execute": 2_000,
    "memory.graph:Graph.apply": 40,
    "memory.graph:Graph.renew": 3,
    "memory.graph:Graph.flush": 6,
    "memory.graph:Graph.rebuild": 2,
    "memory.erase:Needles.keep": 3,
    "memory.erase:Needles.drop": 3,
    "memory.finish:Finisher._clear": 3,
    "memory.finish:Finisher._search": 3,
    "memory.finish:Finisher._sign": 3,
    "memory.keys:Keys.reissue": 3,
    "memory.backup:_encrypt": 2,
    "memory.backup:shred": 3,
    "memory.checkpoint:Checkpoints.put": 4,
    "os:fsync": 30,
    "os:replace": 8,
    "os:unlink": 8,
    "pathlib:Path.unlink": 8,
    "pathlib:Path.replace": 8,
    "shutil:rmtree": 4,
}
"""Each point, and the most calls of it after which a child is killed; some children end before."""


def arm(point: str, call: int, *, after: bool) -> None:
    """Let this process kill itself before or after the given call of a point."""
    module, _, path = point.partition(":")
    owner: Any = importlib.import_module(module)
    *outer, name = path.split(".")
    for part in outer:
        owner = getattr(owner, part)
    raw: Any = vars(owner)[name]  # pyright: ignore[reportUnknownVariableType]
    is_of_class = type(raw) is classmethod  # pyright: ignore[reportUnknownArgumentType]
    plain: Any = getattr(raw, "__func__", raw)  # pyright: ignore[reportUnknownArgumentType]
    calls = 0

    def armed(*given: Any, **named: Any) -> Any:
        nonlocal calls
        calls += 1
        if calls == call and not after:
            os.kill(os.getpid(), signal.SIGKILL)
        result: Any = plain(*given, **named)
        if calls == call and after:
            os.kill(os.getpid(), signal.SIGKILL)
        return result

    setattr(owner, name, classmethod(armed) if is_of_class else armed)
