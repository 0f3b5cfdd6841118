"""Power cuts: what is left of a data directory when the machine stops at some instant, and whether it recovers.

A child does acts under ``strace``, which records every write, rename and fsync. Played back on a model of a file system, the
record gives for any instant what may be on the disk then: of each file what was written through, and of what was written since
nothing, all, or a beginning. Renames and the like are kept in order up to the last fsync at least, as a journal keeps them.
Every such directory must open, verify, and have all that the child had said it had done.
"""

import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from bootstrap.figures import progress
from eval.acts import Acts, judge_acts

SECONDS = 20.0
_CALLS = (
    "write,pwrite64,pwritev,writev,fsync,fdatasync,ftruncate,openat,close,lseek,"
    "rename,renameat,renameat2,unlink,unlinkat,link,linkat"
)
_LINE = re.compile(r"(\d+) +(?:<\.\.\. )?(\w+)")
_HEX = re.compile(r'"((?:\\x[0-9a-f]{2})*)"')
_DESCRIPTOR = re.compile(r"(\d+)<([^>]*)>")
_RESULT = re.compile(r"= (-?\d+)[^=]*\Z")


@dataclass(slots=True)
class Inode:
    """A file: what was written through, and what was written since, each as (place, bytes); no bytes cut the file there."""

    durable: bytes = b""
    since: list[tuple[int, bytes | None]] = field(default_factory=list[tuple[int, bytes | None]])

    def content(self, writes: int) -> bytes:
        """Return the file with the first so many of the writes since."""
        if not writes:
            return self.durable
        made = bytearray(self.durable)
        for at, data in self.since[:writes]:
            if data is None:
                del made[at:]
                made.extend(b"\0" * (at - len(made)))
            else:
                made.extend(b"\0" * (at - len(made)))
                made[at : at + len(data)] = data
        return bytes(made)

    @property
    def size(self) -> int:
        """The size that the file has for the process."""
        return len(self.content(len(self.since)))


@dataclass(slots=True)
class Disk:
    """Names and files: as the process sees them, and the names that a journal has kept for certain."""

    root: Path
    names: dict[str, Inode]
    kept: dict[str, Inode] = field(default_factory=dict[str, Inode])
    places: dict[str, int] = field(default_factory=dict[str, int])

    def play(self, call: str, text: str, result: int) -> None:
        """Apply a call."""
        strings = [_bytes(found) for found in _HEX.findall(text)]
        descriptor = _DESCRIPTOR.search(text)
        number, path = (descriptor[1], _text(descriptor[2])) if descriptor else ("", "")
        match call:
            case "openat":
                self._open(strings[0].decode(), text, str(result))
            case "close":
                self.places.pop(number, None)
            case "lseek":
                self.places[number] = result
            case "rename" | "renameat" | "renameat2":
                self._move(*(part.decode() for part in strings[:2]))
            case "link" | "linkat":
                self.names[strings[1].decode()] = self.names[strings[0].decode()]
            case "unlink" | "unlinkat":
                self.names.pop(_joined(path, strings[0].decode()), None)
            case _ if path in self.names:
                self._change(self.names[path], call, text, number, strings[0][:result] if strings else b"")
            case "fsync":  # of a folder
                self.kept = dict(self.names)
            case _:
                pass

    def _change(self, inode: Inode, call: str, text: str, number: str, data: bytes) -> None:
        match call:
            case "write":
                place = self.places.get(number)
                at = inode.size if place is None else place
                inode.since.append((at, data))
                self.places[number] = at + len(data)
            case "pwrite64":
                inode.since.append((_last(text), data))
            case "ftruncate":
                inode.since.append((_last(text), None))
            case "fsync" | "fdatasync":
                inode.durable, inode.since = inode.content(len(inode.since)), []
                self.kept = dict(self.names)
            case _:
                message = f"{call} is not played back"
                raise RuntimeError(message)

    def _open(self, path: str, text: str, number: str) -> None:
        if "O_CREAT" in text and path not in self.names and Path(path).is_relative_to(self.root):
            self.names[path] = Inode()
        if "O_TRUNC" in text and path in self.names:
            self.names[path].since.append((0, None))
        if path in self.names:
            self.places[number] = self.names[path].size if "O_APPEND" in text else 0

    def _move(self, old: str, new: str) -> None:
        moved = {path: inode for path, inode in self.names.items() if path == old or path.startswith(f"{old}/")}
        for path, inode in moved.items():
            del self.names[path]
            self.names[new + path.removeprefix(old)] = inode

    def write(self, copy: Path, chance: random.Random, *, lost: bool) -> None:
        """Write what a power cut may leave: with ``lost`` nothing that is not certain, else some of it of each file."""
        for path, inode in (self.kept if lost else self.names).items():
            if path.endswith("-shm"):
                continue
            target = copy / Path(path).relative_to(self.root)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(inode.content(0 if lost else chance.randrange(len(inode.since) + 1)))


def power_cuts(data: Path, acts: Acts, chance: random.Random, cuts: int) -> tuple[int, int]:
    """Return how many cuts of a recorded run do not recover, and of how many; raise ``RuntimeError`` without ``strace``."""
    if shutil.which("strace") is None:
        message = "power cuts are recorded by strace; install it (apt-get install strace) and run again"
        raise RuntimeError(message)
    disk = Disk(data, {str(path): Inode(path.read_bytes()) for path in sorted(data.rglob("*")) if path.is_file()})
    disk.kept = dict(disk.names)
    with tempfile.TemporaryDirectory() as temporary:
        trace = Path(temporary) / "trace"
        _record(data, trace, chance.randrange(1 << 30))
        calls = list(_calls(trace))
        if not any(call in {"fsync", "fdatasync"} for call, _, _ in calls):
            message = "strace recorded no fsync: it may not be allowed to trace here"
            raise RuntimeError(message)
        wanted = set(chance.sample(range(len(calls)), min(cuts // 2, len(calls))))
        syncs = [number for number, (call, _, _) in enumerate(calls) if call in {"fsync", "fdatasync"}]
        wanted |= set(chance.sample(syncs, min(cuts - len(wanted), len(syncs))))
        wrong = tried = 0
        for number, (call, text, result) in enumerate(calls):
            if call == "write" and text.startswith("1<"):
                for line in _text(_HEX.findall(text)[0]).splitlines():
                    acts.take(line)
            if number in wanted:  # just before it
                for lost in (True, False):
                    tried += 1
                    progress(f"power cut {tried} of {2 * len(wanted)}, {wrong} wrong")
                    copy = Path(temporary) / "copy"
                    disk.write(copy, chance, lost=lost)
                    wrong += not _recovers(copy, acts)
                    shutil.rmtree(copy)
            disk.play(call, text, result)
    progress("")
    return wrong, tried


def _record(data: Path, trace: Path, seed: int) -> None:
    command = ["strace", "-f", "-y", "-xx", "-s", "67108864", "-o", str(trace), "-e", f"trace={_CALLS}"]
    child = [sys.executable, "-m", "eval.acts", str(data), str(seed)]
    process = subprocess.Popen(  # noqa: S603
        [*command, *child], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
    )
    time.sleep(SECONDS)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def _calls(trace: Path) -> Iterator[tuple[str, str, int]]:
    """Yield each call that succeeded, in the order of their ends: its name, its arguments as written, and its result."""
    begun: dict[str, str] = {}
    with trace.open(encoding="ascii", errors="replace") as lines:
        for line in lines:
            found = _LINE.match(line)
            if found is None:
                continue
            thread, call = found.groups()
            arguments = line[found.end() :].strip().removeprefix("(")
            if arguments.endswith("<unfinished ...>"):
                begun[thread] = arguments.removesuffix("<unfinished ...>")
                continue
            if line[found.start(2) - 5 : found.start(2)] == "<... ":
                arguments = begun.pop(thread, "") + arguments.removeprefix("resumed>")
            result = _RESULT.search(arguments)
            if result is not None and int(result[1]) >= 0:
                yield call, arguments, int(result[1])


def _recovers(copy: Path, acts: Acts) -> bool:
    try:
        return not any(judge_acts(copy, acts).values())
    except Exception as error:  # noqa: BLE001 - whatever stops it, it has not recovered
        print(f"{type(error).__name__}: {error}", file=sys.stderr)
        return False


def _last(text: str) -> int:
    """Return the last argument of a call, a number."""
    return int(text.rsplit(",", 1)[1].split(")", maxsplit=1)[0])


def _bytes(written: str) -> bytes:
    return bytes.fromhex(written.replace("\\x", ""))


def _text(written: str) -> str:
    return _bytes(written).decode()


def _joined(folder: str, name: str) -> str:
    return name if name.startswith("/") else f"{folder}/{name}"
