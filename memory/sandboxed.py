"""What runs in the sandbox: one query over one snapshot, in a process of its own that ends with it.

Started by path, without the environment's say over what is imported. It reads one job from its input, opens the data, gives up
everything but computing, and writes the result.
"""

import json
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from pyoxigraph import QueryBoolean, QueryResultsFormat, QueryTriples, RdfFormat, Store

from memory._oxigraph import in_memory, query_within
from memory.lockdown import lock_down

REFUSED, FULL = 3, 4
"""Exit codes: the engine refused the query; the result is larger than it may be."""


class TooLargeError(Exception):
    """The result is larger than it may be."""


class _Output:
    """Standard output up to a number of bytes."""

    def __init__(self, most: int) -> None:
        self._left = most

    def write(self, data: bytes) -> int:
        self._left -= len(data)
        if self._left < 0:
            raise TooLargeError
        return sys.stdout.buffer.write(data)

    def flush(self) -> None:
        sys.stdout.buffer.flush()

    def close(self) -> None:
        self.flush()


def main() -> int:
    """Run the job that standard input has; return an exit code."""
    job = json.loads(sys.stdin.buffer.readline())
    store = Store.read_only(job["path"]) if job["path"] else _loaded(job["quads"])
    output: Any = _Output(job["bytes"])
    try:
        lock_down(job["memory"], job["seconds"], Path(job["path"]) if job["path"] else None)
    except OSError as error:
        sys.stderr.write(str(error))
        return 1
    try:
        result = query_within(store, job["query"], job["default"], job["named"])
        if isinstance(result, QueryTriples):
            result.serialize(output, format=RdfFormat.N_TRIPLES)
        elif isinstance(result, QueryBoolean):
            output.write(json.dumps({"head": {}, "boolean": bool(result)}).encode())
        else:
            result.serialize(output, format=QueryResultsFormat.JSON)
        output.flush()
    except TooLargeError:
        return FULL
    except (SyntaxError, ValueError, RuntimeError) as error:
        sys.stderr.write(f"{error}"[:500])
        return REFUSED
    except OSError as error:  # what it says may name files: it is for the log
        sys.stderr.write(f"{error}"[:500])
        return 1
    return 0


def _loaded(quads: str) -> Store:
    store = in_memory()
    store.bulk_load(quads.encode(), format=RdfFormat.N_QUADS)
    return store


if __name__ == "__main__":
    sys.exit(main())
