"""Encrypted copies of the ledger, and bringing one back. The graph is no part of them: it follows from the ledger.

A backup is encrypted under the key of the *kit*, which is kept elsewhere and is issued anew at each erasure: what was made before
can then be opened by nobody who has only the kit of now. What a holder of an old backup and an old kit can still read is told
in ``decisions/0008-backups-and-the-kit.md``.

The format is the STREAM construction over ChaCha20-Poly1305 (Hoang, Reyhanitabar, Rogaway and Vizar, CRYPTO 2015): a JSON
header in a line, then pieces of a fixed size, each under a nonce of a random prefix, its number, and whether it is the last.
"""

import hashlib
import json
import os
import secrets
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

from memory.errors import IncorrectBackupError, StorageUnavailableError
from memory.folder import sync_folder
from memory.keys import Keys, Kit
from memory.ledger import Ledger

MAGIC = "muniment backup 1"
PIECE = 1 << 20
PLAIN = "backup.plain"
"""The name of the copy in ``run/`` that is encrypted and then overwritten."""

_TAG = 16


def back_up(ledger: Ledger, keys: Keys, run: Path, target: Path, at: str) -> dict[str, Any]:
    """Write an encrypted copy of the ledger and read it through again; return what is in it. In the writer thread alone.

    Until it is whole and verified the file is called ``.partial``.
    """
    if target.exists() or run.parent.resolve() in target.resolve().parents:
        message = f"{target} is there already, or in the data directory. Nothing was changed; name another file."
        raise IncorrectBackupError(message)
    kit = keys.kit(ledger.meta("instance"))
    plain, partial = run / PLAIN, target.with_name(target.name + ".partial")
    header = {
        "muniment": MAGIC,
        "instance": kit.instance,
        "kit": kit.number,
        "seq": ledger.head.seq,
        "hash": ledger.head.hash.hex(),
        "at": at,
        "prefix": secrets.token_hex(7),
    }
    try:
        shred(plain)
        ledger.execute("VACUUM INTO ?", (str(plain),))
        digest = _encrypt(plain, partial, header, kit.key)
        if _digest_of(_opened(partial, kit.key)[1]) != digest:
            message = f"{partial} does not read as it was written. It is no backup; try another disk."
            raise StorageUnavailableError(message)
        partial.replace(target)
        sync_folder(target.parent)
    except OSError as error:
        message = f"The backup cannot be written ({error.strerror}). Nothing was changed; free some space or name another file."
        raise StorageUnavailableError(message) from error
    finally:
        shred(plain)
    return {"file": str(target), "kit": kit.number, "entries": header["seq"], "at": at}


def bring_back(backup: Path, kit: Kit, folder: Path) -> dict[str, Any]:
    """Write the ledger of a backup and its keys into a new data directory; return what is in it.

    Raises ``IncorrectBackupError`` for a file that is no whole backup, a kit that does not open it, or a directory that is not
    empty.
    """
    if folder.exists() and any(folder.iterdir()):
        message = f"{folder} is not empty. Nothing was changed; name a new folder with --data."
        raise IncorrectBackupError(message)
    header, pieces = _opened(backup, kit.key, kit)
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    partial = folder / "ledger.db.partial"
    try:
        with partial.open("wb") as file:
            for piece in pieces:
                file.write(piece)
            file.flush()
            os.fsync(file.fileno())
        Keys.put(folder / "keys", kit)
        partial.replace(folder / "ledger.db")
    except (OSError, IncorrectBackupError) as error:
        partial.unlink(missing_ok=True)
        if isinstance(error, IncorrectBackupError):
            raise
        message = f"The backup cannot be brought back ({error.strerror}). Free some space and try again in a new folder."
        raise StorageUnavailableError(message) from error
    return {"entries": header["seq"], "at": header["at"], "kit": header["kit"]}


def _encrypt(plain: Path, target: Path, header: dict[str, Any], key: bytes) -> str:
    from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305

    line = json.dumps(header).encode() + b"\n"
    cipher, prefix, digest = ChaCha20Poly1305(key), bytes.fromhex(header["prefix"]), hashlib.sha256()
    descriptor = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with plain.open("rb") as source, os.fdopen(descriptor, "wb") as file:
        file.write(line)
        number, piece = 0, source.read(PIECE)
        while True:
            following = source.read(PIECE)
            digest.update(piece)
            file.write(cipher.encrypt(_nonce(prefix, number, last=not following), piece, line))
            if not following:
                break
            number, piece = number + 1, following
        file.flush()
        os.fsync(file.fileno())
    return digest.hexdigest()


def _opened(path: Path, key: bytes, kit: Kit | None = None) -> tuple[dict[str, Any], Iterator[bytes]]:
    """Return the header of a backup and its pieces, each checked as it comes."""
    file = None
    try:
        file = path.open("rb")
        line = file.readline(4_096)
        header = json.loads(line)
        is_whole = header["muniment"] == MAGIC and (kit is None or not path.name.endswith(".partial"))
        header = header if is_whole else header["no backup"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        if file is not None:
            file.close()
        message = f"{path} is no whole backup. Nothing was changed; give a file that `muniment backup` finished."
        raise IncorrectBackupError(message) from error
    if kit is not None and (header["instance"], header["kit"]) != (kit.instance, kit.number):
        file.close()
        message = (
            f"The backup was made under kit {header['kit']} and this is kit {kit.number}. Nothing was changed. A kit is issued"
            " anew at each erasure, so that older backups cannot be opened any more; give a backup that was made since."
        )
        raise IncorrectBackupError(message)
    return header, _pieces(file, line, key, bytes.fromhex(header["prefix"]), path)


def _pieces(file: IO[bytes], line: bytes, key: bytes, prefix: bytes, path: Path) -> Iterator[bytes]:
    from cryptography.exceptions import InvalidTag
    from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305

    cipher = ChaCha20Poly1305(key)
    with file:
        number, sealed = 0, file.read(PIECE + _TAG)
        while True:
            following = file.read(PIECE + _TAG)
            try:
                yield cipher.decrypt(_nonce(prefix, number, last=not following), sealed, line)
            except InvalidTag as error:
                message = f"{path} is damaged, cut off, or not of this kit. Nothing was changed; try another backup."
                raise IncorrectBackupError(message) from error
            if not following:
                return
            number, sealed = number + 1, following


def _nonce(prefix: bytes, number: int, *, last: bool) -> bytes:
    return prefix + number.to_bytes(4, "big") + bytes([last])


def _digest_of(pieces: Iterator[bytes]) -> str:
    digest = hashlib.sha256()
    for piece in pieces:
        digest.update(piece)
    return digest.hexdigest()


def shred(path: Path) -> None:
    """Overwrite and remove a file."""
    if path.exists():
        with path.open("r+b") as file:
            left = path.stat().st_size
            while left > 0:
                left -= file.write(b"\0" * min(left, PIECE))
            file.flush()
            os.fsync(file.fileno())
        path.unlink()
