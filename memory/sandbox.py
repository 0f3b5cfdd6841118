"""Runs a query in a child process that can do nothing else, and ends it when it takes more than a query may.

A child is started ahead, so that a query waits for none; it takes one query and ends. https://man7.org/linux/man-pages/man2/seccomp.2.html
"""

import json
import os
import selectors
import subprocess
import sys
import time
from collections import deque
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from threading import BoundedSemaphore, Lock

import structlog

from memory import sandboxed
from memory.errors import QueryLimitError, RefusedQueryError, SandboxError
from memory.lockdown import MEGABYTE

log = structlog.get_logger(__name__)

SECONDS = 1.0
"""CPU and wall time of a query."""

MEMORY = 256 * MEGABYTE
"""Bytes that a child may take for a query beyond what it has when it begins."""

BYTES = 1 * MEGABYTE
"""Bytes of a result."""

AT_ONCE = 3
"""Queries that run at the same time; the others wait their turn."""

LONGEST_WAIT = 30.0
"""Seconds that a query waits for its turn."""

_AHEAD = 2
_LEAST_WAIT = 0.2
_CHUNK = 1 << 16


@dataclass(frozen=True, slots=True)
class Job:
    """A query, the graphs that it sees by default and by ``GRAPH``, and what it is about: a snapshot, or quads in N-Quads."""

    query: str
    default: Sequence[str]
    named: Sequence[str]
    path: str = ""
    quads: str = ""
    seconds: float = SECONDS
    memory: int = MEMORY
    bytes: int = BYTES


class Sandbox:
    """Starts children and gives them queries; safe to use from many threads."""

    def __init__(self) -> None:
        """Start nothing yet."""
        self._ready: deque[subprocess.Popen[bytes]] = deque()
        self._running: set[subprocess.Popen[bytes]] = set()
        self._lock, self._turn = Lock(), BoundedSemaphore(AT_ONCE)
        self._is_closed = False

    def run(self, job: Job) -> bytes:
        """Return the result of a query: SPARQL JSON, or N-Triples.

        Raises ``RefusedQueryError`` where the engine refuses it, ``QueryLimitError`` where it was ended, and ``SandboxError``
        where no child can be had that is as safe as it has to be.
        """
        if not self._turn.acquire(timeout=LONGEST_WAIT):
            message = "Too many queries are waiting. Nothing was run; ask again in a while."
            raise SandboxError(message)
        try:
            child = self._take()
            try:
                return self._result(child, job)
            finally:
                self._end(child)
        finally:
            self._turn.release()
            self._start_ahead()

    def end_running(self) -> None:
        """End every query that runs now; whoever waits for one gets a ``QueryLimitError``."""
        with self._lock:
            running = list(self._running)
        for child in running:
            with suppress(ProcessLookupError):
                child.kill()
            child.wait()

    def close(self) -> None:
        """End all children; none is started any more."""
        with self._lock:
            self._is_closed = True
            ready = list(self._ready)
            self._ready.clear()
        for child in ready:
            self._end(child)
        self.end_running()

    def _take(self) -> "subprocess.Popen[bytes]":
        while True:
            with self._lock:
                if self._is_closed:
                    message = "This memory is closed, so no query is run."
                    raise SandboxError(message)
                child = self._ready.popleft() if self._ready else None
            child = child or _start()
            with self._lock:
                self._running.add(child)
            if child.poll() is None:
                return child
            self._end(child)

    def _start_ahead(self) -> None:
        """Let children wait for the next queries; where none can be started now the next query says so."""
        while not self._is_closed and len(self._ready) < _AHEAD:
            try:
                child = _start()
            except SandboxError:
                return
            with self._lock:
                if not self._is_closed:
                    self._ready.append(child)
                    continue
            self._end(child)

    def _end(self, child: "subprocess.Popen[bytes]") -> None:
        with suppress(ProcessLookupError):
            child.kill()
        child.wait()
        for stream in (child.stdin, child.stdout, child.stderr):
            if stream is not None:
                with suppress(OSError):
                    stream.close()
        with self._lock:
            self._running.discard(child)

    def _result(self, child: "subprocess.Popen[bytes]", job: Job) -> bytes:
        deadline = time.monotonic() + job.seconds
        given = json.dumps(asdict(job)).encode() + b"\n"
        output, errors, was_late = _exchange(child, given, deadline, job.bytes)
        if was_late:
            message = (
                f"The query took longer than {job.seconds:g} seconds and was ended. Ask for less: name a subject or a property."
            )
            raise QueryLimitError(message)
        try:
            code = child.wait(max(deadline - time.monotonic(), _LEAST_WAIT))
        except subprocess.TimeoutExpired as error:
            message = "The query took too long to end. Ask for less."
            raise QueryLimitError(message) from error
        said = errors.decode("utf-8", "replace").strip()
        if code == 0:
            return output
        if code == sandboxed.REFUSED:
            message = f"The query was not run: {said.splitlines()[0][:200] if said else 'the engine refuses it'}."
            raise RefusedQueryError(message)
        if code == sandboxed.FULL or len(output) > job.bytes:
            message = f"The result has more than {job.bytes:,} bytes. Ask for fewer columns, or set a LIMIT."
            raise QueryLimitError(message)
        if code < 0 or "MemoryError" in said or "memory allocation" in said:
            message = "The query needed more memory or time than a query may take, and was ended. Ask for less."
            raise QueryLimitError(message)
        log.warning("a query's process failed", code=code, said=said[-200:])
        message = (
            "The query could not be run as safely as it has to be. Nothing was run; ask again, and `muniment doctor` looks why."
        )
        raise SandboxError(message)


def _start() -> "subprocess.Popen[bytes]":
    pipe = subprocess.PIPE
    command = [sys.executable, "-I", str(Path(sandboxed.__file__))]
    try:
        return subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, env={}, close_fds=True, bufsize=0)  # noqa: S603
    except OSError as error:
        message = f"No process can be started for a query ({error.strerror}). Nothing was run."
        raise SandboxError(message) from error


def _exchange(child: "subprocess.Popen[bytes]", given: bytes, deadline: float, most: int) -> tuple[bytes, bytes, bool]:
    """Write the job and read what comes until the child ends or is late; return output, errors and whether it was late."""
    assert child.stdin and child.stdout and child.stderr  # noqa: PT018 - all are pipes
    os.set_blocking(child.stdin.fileno(), False)
    found: dict[int, bytearray] = {child.stdout.fileno(): bytearray(), child.stderr.fileno(): bytearray()}
    left, given_to = memoryview(given), child.stdin.fileno()
    with selectors.DefaultSelector() as ready:
        for stream in found:
            ready.register(stream, selectors.EVENT_READ)
        ready.register(given_to, selectors.EVENT_WRITE)
        while len(ready.get_map()) > (given_to in ready.get_map()):
            remaining = deadline - time.monotonic()
            if remaining <= 0:
                return b"", b"", True
            for key, _ in ready.select(remaining):
                if key.fd == given_to:
                    left = _written(given_to, left)
                    if not left:
                        ready.unregister(given_to)
                    continue
                piece = os.read(key.fd, _CHUNK)
                found[key.fd] += piece
                if not piece or len(found[key.fd]) > 2 * most:
                    ready.unregister(key.fd)
    return bytes(found[child.stdout.fileno()]), bytes(found[child.stderr.fileno()]), False


def _written(stream: int, left: memoryview) -> memoryview:
    """Write what fits and return the rest; nothing is left where nobody reads."""
    try:
        return left[os.write(stream, left) :]
    except BrokenPipeError:
        return memoryview(b"")
