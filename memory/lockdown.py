"""What takes a process everything but computing: no network, no files, no programs, little memory, little time.

Linux filters system calls (seccomp, ``man 2 seccomp``), so that neither a query that asks another server nor a flaw of the
engine reaches anything. Elsewhere no file descriptor is left to open anything with.
"""

import ctypes
import math
import platform
import resource
import struct
import sys
from pathlib import Path

MEGABYTE = 1 << 20
_ALLOW, _REFUSE, _KILL = 0x7FFF0000, 0x00050000 | 1, 0x80000000
_NO_NEW_PRIVILEGES, _SECCOMP, _FILTER = 38, 22, 2
_LOAD, _EQUAL, _AT_LEAST, _RETURN = 0x20, 0x15, 0x35, 0x06
_X32 = 0x40000000
_ARCHITECTURES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
_NAMES = [
    "socket",
    "socketpair",
    "connect",
    "bind",
    "sendto",
    "sendmsg",
    "execve",
    "execveat",
    "clone3",
    "ptrace",
    "openat",
    "openat2",
    "unlinkat",
    "renameat",
    "renameat2",
    "io_uring_setup",
    "process_vm_readv",
    "process_vm_writev",
    "pidfd_open",
    "kill",
    "bpf",
]
_NUMBERS = {
    "x86_64": (41, 53, 42, 49, 44, 46, 59, 322, 435, 101, 257, 437, 263, 264, 316, 425, 310, 311, 434, 62, 321),
    "aarch64": (198, 199, 203, 200, 206, 211, 221, 281, 435, 117, 56, 437, 35, 38, 276, 425, 270, 271, 434, 129, 280),
}
_OLD = {"x86_64": (2, 56, 57, 58, 82, 85, 87), "aarch64": (220,)}
"""open, clone, fork, vfork, rename, creat and unlink, where they have numbers of their own."""


def lock_down(memory: int, seconds: float) -> None:
    """Take everything away from this process; ``memory`` bytes more than it has, and so much more CPU time, are left.

    Raises ``OSError`` where it cannot be done. It cannot be taken back.
    """
    spent = resource.getrusage(resource.RUSAGE_SELF)
    cpu = math.ceil(spent.ru_utime + spent.ru_stime + seconds)
    resource.setrlimit(resource.RLIMIT_CPU, (cpu, cpu + 1))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    if sys.platform == "linux":
        pages = int(Path("/proc/self/statm").read_bytes().split()[0])
        room = pages * resource.getpagesize() + memory
        resource.setrlimit(resource.RLIMIT_AS, (room, room))
    files = _open_files()
    resource.setrlimit(resource.RLIMIT_NOFILE, (files, files))
    if sys.platform == "linux":
        _filter_system_calls(platform.machine())


def _open_files() -> int:
    """Return one more than the highest descriptor that is open."""
    folder = "/proc/self/fd" if sys.platform == "linux" else "/dev/fd"
    return max(int(path.name) for path in Path(folder).iterdir()) + 1


def _filter_system_calls(machine: str) -> None:
    architecture = _ARCHITECTURES.get(machine)
    if architecture is None:
        message = f"no filter of system calls is known for {machine}"
        raise OSError(message)
    program = [(_LOAD, 0, 0, 4), (_EQUAL, 1, 0, architecture), (_RETURN, 0, 0, _KILL), (_LOAD, 0, 0, 0)]
    program += [(_AT_LEAST, 0, 1, _X32), (_RETURN, 0, 0, _KILL)]
    for number in (*dict(zip(_NAMES, _NUMBERS[machine], strict=True)).values(), *_OLD[machine]):
        program += [(_EQUAL, 0, 1, number), (_RETURN, 0, 0, _REFUSE)]
    program.append((_RETURN, 0, 0, _ALLOW))
    code = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *step) for step in program))

    class Program(ctypes.Structure):
        _fields_ = (("length", ctypes.c_ushort), ("filter", ctypes.c_void_p))

    given = Program(len(program), ctypes.addressof(code))
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0) or libc.prctl(_SECCOMP, _FILTER, ctypes.byref(given), 0, 0):
        raise OSError(ctypes.get_errno(), "system calls cannot be filtered")
