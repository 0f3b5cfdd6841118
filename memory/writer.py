"""The one writer thread. Jobs that wait together share a commit."""

import queue
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass
from threading import Thread
from typing import Any, TypeVar

T = TypeVar("T")

MOST_TOGETHER = 64


@dataclass(frozen=True, slots=True)
class Job:
    """Something to do in the writer thread, and where its result goes."""

    run: Callable[[], Any]
    done: "Future[Any]"


class Writer:
    """A thread that takes jobs in order and hands them to ``commit`` in batches."""

    def __init__(self, commit: Callable[[list[Job]], None]) -> None:
        """Start the thread. ``commit`` runs the jobs, resolves each future, and raises nothing."""
        self._commit = commit
        self._queue: queue.SimpleQueue[Job | None] = queue.SimpleQueue()
        self._thread = Thread(target=self._work, name="writer", daemon=True)
        self._thread.start()

    def submit(self, run: Callable[[], T]) -> "Future[T]":
        """Return the future of a job, which resolves once what it wrote is durable and visible."""
        done: Future[T] = Future()
        self._queue.put(Job(run, done))
        return done

    def close(self) -> None:
        """Finish what was submitted, then end the thread."""
        self._queue.put(None)
        self._thread.join()

    def _work(self) -> None:
        ending = False
        while not ending:
            batch: list[Job] = []
            job = self._queue.get()
            while job is not None:
                if job.done.set_running_or_notify_cancel():
                    batch.append(job)
                if len(batch) == MOST_TOGETHER or self._queue.empty():
                    break
                job = self._queue.get()
            ending = job is None
            if batch:
                self._commit(batch)
