"""The data directory: one process holds it, and only its account may open it."""

import fcntl
import os
from pathlib import Path

from memory.errors import DataInUseError, StorageUnavailableError


def hold(folder: Path) -> int:
    """Lock the data directory for this process, making it where it is missing."""
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        run = folder / "run"
        run.mkdir(exist_ok=True, mode=0o700)
        lock = os.open(run / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError as error:
        message = (
            f"The folder {folder} cannot be used ({error.strerror}). Nothing was changed; make it writable or name another"
            " with --data."
        )
        raise StorageUnavailableError(message) from error
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        holder = os.read(lock, 32).decode(errors="replace").strip() or "unknown"
        os.close(lock)
        message = (
            f"The folder {folder} is in use by another Muniment (process {holder}). Nothing was changed; talk to that one,"
            " or stop it first."
        )
        raise DataInUseError(message) from error
    os.ftruncate(lock, 0)
    os.write(lock, f"{os.getpid()}\n".encode())
    return lock


def sync_folder(folder: Path) -> None:
    """Write through that a file of a folder is there, or has another name."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
