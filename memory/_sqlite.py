"""The only place that opens a database. SQLite through sqlite-utils, which takes pysqlite3 where it is installed."""

from collections.abc import Callable, Generator, Iterable
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeAlias

from sqlite_utils import Database
from sqlite_utils.utils import sqlite3  # pyright: ignore[reportPrivateImportUsage] - whichever it found

from memory.errors import DamagedLedgerError, ForeignDataError, StorageUnavailableError

Connection: TypeAlias = Any  # pysqlite3's or the interpreter's own; the two share no type
Authorizer: TypeAlias = Callable[[int, str | None, str | None, str | None, str | None], int]

CACHE = 16_384
"""KiB of pages that each connection keeps."""
OLDEST = (3, 42)  # FTS5 secure-delete
IntegrityError = sqlite3.IntegrityError
_FULL = ("disk is full", "readonly", "read-only", "unable to open", "disk I/O error", "permission")


def open_database(path: Path, *, read_only: bool = False) -> Database:
    """Return the database at a path, with the settings every connection has.

    Raises ``StorageUnavailableError``, ``ForeignDataError`` or ``DamagedLedgerError``.
    """
    version = tuple(int(part) for part in sqlite3.sqlite_version.split("."))
    if version < OLDEST:
        message = (
            f"SQLite {sqlite3.sqlite_version} is too old: erasing needs 3.42 or newer. Nothing was changed; install a newer"
            " Python, or on Linux x86_64 the package pysqlite3-binary."
        )
        raise StorageUnavailableError(message)
    with translated(path):
        mode = "ro" if read_only else "rwc"
        connection = sqlite3.connect(
            f"{path.resolve().as_uri()}?mode={mode}",
            uri=True,
            check_same_thread=False,
            isolation_level=None,
            cached_statements=512,
        )
        for pragma in ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON", "secure_delete=ON", "temp_store=MEMORY"):
            if not (read_only and pragma.startswith("journal_mode")):
                connection.execute(f"PRAGMA {pragma}")
        connection.execute("PRAGMA busy_timeout=5000")
        connection.execute(f"PRAGMA cache_size=-{CACHE}")
        if read_only:
            connection.execute("PRAGMA query_only=ON")
        return Database(connection, execute_plugins=False)


def append_only(tables: Iterable[str]) -> Authorizer:
    """Return an authorizer under which rows of the tables are inserted and never changed, deleted or dropped."""
    kept = frozenset(tables)
    changes = {sqlite3.SQLITE_UPDATE, sqlite3.SQLITE_DELETE, sqlite3.SQLITE_DROP_TABLE, sqlite3.SQLITE_ALTER_TABLE}

    def authorize(action: int, first: str | None, second: str | None, _db: str | None, _by: str | None) -> int:
        table = second if action == sqlite3.SQLITE_ALTER_TABLE else first
        if action in changes and table in kept:
            return sqlite3.SQLITE_DENY
        if action == sqlite3.SQLITE_DROP_TRIGGER and second in kept:
            return sqlite3.SQLITE_DENY
        if action == sqlite3.SQLITE_PRAGMA and first in {"writable_schema", "trusted_schema"}:
            return sqlite3.SQLITE_DENY
        return sqlite3.SQLITE_OK

    return authorize


def only_tables(tables: Iterable[str]) -> Authorizer:
    """Return an authorizer under which only the tables can be read and nothing can be written."""
    readable = frozenset(tables) | {"json_each"}

    def authorize(action: int, first: str | None, _second: str | None, _db: str | None, _by: str | None) -> int:
        if action in {sqlite3.SQLITE_SELECT, sqlite3.SQLITE_FUNCTION}:
            return sqlite3.SQLITE_OK
        return sqlite3.SQLITE_OK if action == sqlite3.SQLITE_READ and first in readable else sqlite3.SQLITE_DENY

    return authorize


@contextmanager
def translated(path: Path) -> Generator[None]:
    """Turn SQLite's errors into memory's, which say what was kept and what to do."""
    try:
        yield
    except sqlite3.IntegrityError:
        raise
    except (sqlite3.OperationalError, sqlite3.DatabaseError) as error:
        text = str(error)
        if any(word in text for word in _FULL):
            message = (
                f"The ledger in {path.parent} cannot be written ({text}). Nothing of this step was stored and all that was"
                " stored before is kept; free some space or make the folder writable, then try again."
            )
            raise StorageUnavailableError(message) from error
        if "not a database" in text or "file is encrypted" in text:
            message = (
                f"{path} is not a Muniment ledger. It was left as it is; name another folder with --data, or put a backup"
                " of the ledger back."
            )
            raise ForeignDataError(message) from error
        if "malformed" in text or "corrupt" in text:
            message = (
                f"The ledger {path} is damaged ({text}). It was left as it is; put a backup back, and keep the damaged file"
                " for inspection."
            )
            raise DamagedLedgerError(message) from error
        raise
