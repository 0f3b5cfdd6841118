"""What takes a process everything but computing: no network, no files, no programs, little memory, little time.

Linux refuses all system calls but those that computing and reading open files take (seccomp, ``man 2 seccomp``), so that neither
a query that asks another server nor a flaw of the engine reaches anything. Elsewhere no file descriptor is left to open anything.
"""

import ctypes
import math
import os
import platform
import resource
import struct
import sys
from pathlib import Path

MEGABYTE = 1 << 20
_ALLOW, _REFUSE, _KILL = 0x7FFF0000, 0x00050000 | 1, 0x80000000
_NO_NEW_PRIVILEGES, _SECCOMP, _FILTER = 38, 22, 2
_LOAD, _EQUAL, _ANY_OF, _RETURN = 0x20, 0x15, 0x45, 0x06
_CREATE_RULESET, _ADD_RULE, _RESTRICT = 444, 445, 446
_READ_FILE, _READ_FOLDER = 1 << 2, 1 << 3
_OPENAT = 257, 56
_ARCHITECTURES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
_LEFT = {
    "read": (0, 63),
    "write": (1, 64),
    "close": (3, 57),
    "fstat": (5, 80),
    "lseek": (8, 62),
    "mmap": (9, 222),
    "mprotect": (10, 226),
    "munmap": (11, 215),
    "brk": (12, 214),
    "rt_sigaction": (13, 134),
    "rt_sigprocmask": (14, 135),
    "rt_sigreturn": (15, 139),
    "pread64": (17, 67),
    "readv": (19, 65),
    "writev": (20, 66),
    "sched_yield": (24, 124),
    "mremap": (25, 216),
    "madvise": (28, 233),
    "nanosleep": (35, 101),
    "getpid": (39, 172),
    "fcntl": (72, 25),
    "exit": (60, 93),
    "gettimeofday": (96, 169),
    "getrusage": (98, 165),
    "sysinfo": (99, 179),
    "fadvise64": (221, 223),
    "sigaltstack": (131, 132),
    "gettid": (186, 178),
    "futex": (202, 98),
    "sched_getaffinity": (204, 123),
    "clock_gettime": (228, 113),
    "clock_nanosleep": (230, 115),
    "exit_group": (231, 94),
    "set_robust_list": (273, 99),
    "preadv": (295, 69),
    "getrandom": (318, 278),
    "membarrier": (324, 283),
    "rseq": (334, 293),
}
"""The system calls that computing and reading open files take, by name, on x86_64 and aarch64."""


def lock_down(memory: int, seconds: float, readable: Path | None = None) -> None:
    """Take everything away from this process; ``memory`` bytes more than it has, and so much more CPU time, are left.

    Files of one ``readable`` folder can still be opened to be read, where the system can keep others closed (Landlock, Linux
    5.13): a large store opens them as it needs them. Raises ``OSError`` where it cannot be done. It cannot be taken back.
    """
    spent = resource.getrusage(resource.RUSAGE_SELF)
    cpu = math.ceil(spent.ru_utime + spent.ru_stime + seconds)
    files = _open_files() + (0 if readable is None else sum(1 for _ in readable.iterdir()))
    resource.setrlimit(resource.RLIMIT_CPU, (cpu, cpu + 1))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    resource.setrlimit(resource.RLIMIT_NOFILE, (files, files))
    if sys.platform == "linux":
        libc = ctypes.CDLL(None, use_errno=True)
        if libc.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0):
            raise OSError(ctypes.get_errno(), "new privileges cannot be refused")
        pages = int(Path("/proc/self/statm").read_bytes().split()[0])
        opens = readable is not None and _confine(libc, readable)
        room = pages * resource.getpagesize() + memory
        resource.setrlimit(resource.RLIMIT_AS, (room, room))
        _filter_system_calls(libc, platform.machine(), opens=opens)


def _open_files() -> int:
    """Return one more than the highest descriptor that is open."""
    folder = "/proc/self/fd" if sys.platform == "linux" else "/dev/fd"
    return max(int(path.name) for path in Path(folder).iterdir()) + 1


def _confine(libc: ctypes.CDLL, readable: Path) -> bool:
    """Let files below one folder alone be opened, and only read; return whether the system can (``man 7 landlock``)."""
    version = libc.syscall(_CREATE_RULESET, None, 0, 1)
    if version < 1:
        return False
    handled = (1 << (13 + (version > 1) + (version > 2) + (version > 4))) - 1  # noqa: PLR2004 - rights came with versions
    ruleset = libc.syscall(_CREATE_RULESET, struct.pack("Q", handled), 8, 0)
    folder = os.open(readable, os.O_PATH | os.O_CLOEXEC)
    rule = struct.pack("=Qi", _READ_FILE | _READ_FOLDER, folder)
    done = ruleset >= 0 and not libc.syscall(_ADD_RULE, ruleset, 1, rule, 0) and not libc.syscall(_RESTRICT, ruleset, 0)
    os.close(folder)
    if ruleset >= 0:
        os.close(ruleset)
    return done


def _filter_system_calls(libc: ctypes.CDLL, machine: str, *, opens: bool) -> None:
    architecture = _ARCHITECTURES.get(machine)
    if architecture is None:
        message = f"no filter of system calls is known for {machine}"
        raise OSError(message)
    place = list(_ARCHITECTURES).index(machine)
    program = [(_LOAD, 0, 0, 4), (_EQUAL, 1, 0, architecture), (_RETURN, 0, 0, _KILL), (_LOAD, 0, 0, 0)]
    for numbers in _LEFT.values():
        program += [(_EQUAL, 0, 1, numbers[place]), (_RETURN, 0, 0, _ALLOW)]
    if opens:  # to read alone: its third argument has no other flag than O_CLOEXEC
        program += [(_EQUAL, 0, 3, _OPENAT[place]), (_LOAD, 0, 0, 32), (_ANY_OF, 1, 0, ~os.O_CLOEXEC & 0xFFFFFFFF)]
        program.append((_RETURN, 0, 0, _ALLOW))
    program.append((_RETURN, 0, 0, _REFUSE))
    code = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *step) for step in program))

    class Program(ctypes.Structure):
        _fields_ = (("length", ctypes.c_ushort), ("filter", ctypes.c_void_p))

    given = Program(len(program), ctypes.addressof(code))
    if libc.prctl(_SECCOMP, _FILTER, ctypes.byref(given), 0, 0):
        raise OSError(ctypes.get_errno(), "system calls cannot be filtered")
