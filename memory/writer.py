"""The one writer thread. Jobs that wait together share a commit; a job that needs the stores to itself runs between commits."""

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
    alone: bool = False


class Writer:
    """A thread that takes jobs in order and hands them to ``commit`` in batches."""

    def __init__(self, commit: Callable[[list[Job]], None]) -> None:
        """Start the thread. ``commit`` runs the jobs, resolves each future, and raises nothing."""
        self._commit = commit
        self._queue: queue.SimpleQueue[Job | None] = queue.SimpleQueue()
        self._thread = Thread(target=self._work, name="writer", daemon=True)
        self._thread.start()

    def submit(self, run: Callable[[], T], *, alone: bool = False) -> "Future[T]":
        """Return the future of a job, which resolves once what it wrote is durable and visible.

        A job that runs ``alone`` is in no commit: it may open transactions of its own.
        """
        done: Future[T] = Future()
        self._queue.put(Job(run, done, alone))
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
            while job is not None and not job.alone:
                if job.done.set_running_or_notify_cancel():
                    batch.append(job)
                if len(batch) == MOST_TOGETHER or self._queue.empty():
                    break
                job = self._queue.get()
            ending = job is None
            if batch:
                self._commit(batch)
            if job is not None and job.alone and job.done.set_running_or_notify_cancel():
                _run_alone(job)


def _run_alone(job: Job) -> None:
    try:
        job.done.set_result(job.run())
    except BaseException as error:  # noqa: BLE001 - it belongs to whoever waits for the job
        job.done.set_exception(error)
