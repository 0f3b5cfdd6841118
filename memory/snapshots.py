"""Copies of the graph that queries run over: hard links, one copy for each commit that is asked about, gone when it is over."""

import shutil
from collections import Counter
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from threading import Lock

from memory.errors import StorageUnavailableError
from memory.gate import Gate
from memory.graph import Graph

FOLDER = "snapshots"
"""Where they are in a data directory; nothing in it outlives the process."""


class Snapshots:
    """The copies of one graph; safe to use from many threads."""

    def __init__(self, folder: Path, graph: Graph, gate: Gate) -> None:
        """Remove what an earlier process left."""
        self._folder, self._graph, self._gate = folder / FOLDER, graph, gate
        self._lock, self._users = Lock(), Counter[Path]()
        self._current: tuple[object, Path] | None = None
        self._made = 0
        shutil.rmtree(self._folder, ignore_errors=True)

    @contextmanager
    def use(self) -> Generator[Path]:
        """Give the folder of a store that holds what was last committed, for as long as the block lasts.

        Raises ``StorageUnavailableError`` where there is no room for it.
        """
        with self._gate.reading(), self._lock:
            path = self._latest()
            self._users[path] += 1
        try:
            yield path
        finally:
            with self._lock:
                self._users[path] -= 1
                if self._users[path] <= 0 and (self._current is None or path != self._current[1]):
                    self._remove(path)

    def drop(self) -> None:
        """Remove all copies, whoever uses them: an erasure does not wait."""
        with self._lock:
            self._current = None
            self._users.clear()
            shutil.rmtree(self._folder, ignore_errors=True)

    def _latest(self) -> Path:
        state = self._graph.state
        if self._current is None or self._current[0] != state:
            before, self._current = self._current, None
            if before is not None and not self._users[before[1]]:
                self._remove(before[1])
            self._made += 1
            path = self._folder / str(self._made)
            try:
                self._folder.mkdir(mode=0o700, exist_ok=True)
                self._graph.copy_to(path)
            except (OSError, StorageUnavailableError) as error:
                shutil.rmtree(path, ignore_errors=True)
                message = f"The graph cannot be copied for a query ({error}). Nothing was run; free some space and ask again."
                raise StorageUnavailableError(message) from error
            self._current = state, path
        return self._current[1]

    def _remove(self, path: Path) -> None:
        self._users.pop(path, None)
        shutil.rmtree(path, ignore_errors=True)
