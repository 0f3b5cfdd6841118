"""Readers beside the one writer: nobody reads between the two halves of a publication."""

from collections.abc import Generator
from contextlib import contextmanager
from threading import Condition, local


class Gate:
    """Many readers or one publication; a waiting publication goes before new readers."""

    def __init__(self) -> None:
        """Start open."""
        self._condition = Condition()
        self._local = local()
        self._readers = 0
        self._publishing = False
        self._waiting = 0

    @contextmanager
    def reading(self) -> Generator[None]:
        """Hold publications off while the block reads. A thread that reads already may enter again."""
        depth = getattr(self._local, "depth", 0)
        if not depth:
            with self._condition:
                self._condition.wait_for(lambda: not self._publishing and not self._waiting)
                self._readers += 1
        self._local.depth = depth + 1
        try:
            yield
        finally:
            self._local.depth = depth
            if not depth:
                with self._condition:
                    self._readers -= 1
                    self._condition.notify_all()

    @contextmanager
    def publishing(self) -> Generator[None]:
        """Hold readers off while the block makes a transaction visible in both stores."""
        with self._condition:
            self._waiting += 1
            self._condition.wait_for(lambda: not self._publishing and not self._readers)
            self._waiting -= 1
            self._publishing = True
        try:
            yield
        finally:
            with self._condition:
                self._publishing = False
                self._condition.notify_all()
