"""The keys of a data directory: one secret for keyed digests of refusals and receipts, and one that signs.

They lie in ``DATA/keys``, which only the owner's account may open, and are made when first needed. What they protect is told in
``decisions/0007-refusals-and-receipts.md``.
"""

import hashlib
import hmac
import json
import os
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from memory.errors import DamagedLedgerError, IncorrectBackupError, StorageUnavailableError
from memory.folder import sync_folder

_LENGTH = 32
KIT = "muniment kit 1"


@dataclass(frozen=True, slots=True)
class Kit:
    """What opens the backups of now: the instance, the kit's number, its key, and the instance's own keys."""

    instance: str
    number: int
    key: bytes
    instance_key: bytes
    signing_key: bytes

    def as_json(self) -> str:
        """Return it in writing, to be kept elsewhere."""
        keys = {"key": self.key.hex(), "instance_key": self.instance_key.hex(), "signing_key": self.signing_key.hex()}
        return json.dumps({"muniment": KIT, "instance": self.instance, "number": self.number, **keys}) + "\n"

    @classmethod
    def from_json(cls, text: str) -> "Kit":
        """Return the kit of a file; raise ``IncorrectBackupError`` for anything else."""
        try:
            given = json.loads(text)
            keys = (bytes.fromhex(given[name]) for name in ("key", "instance_key", "signing_key"))
            kit = cls(given["instance"], int(given["number"]), *keys)
        except (ValueError, KeyError, TypeError) as error:
            message = "That is no kit of this program. Nothing was changed; give the file that `muniment kit` wrote."
            raise IncorrectBackupError(message) from error
        return kit


class Keys:
    """The keys in one folder."""

    def __init__(self, folder: Path, *, is_new: bool) -> None:
        """Use the keys in a folder; those of a new instance are made at once.

        Raises ``DamagedLedgerError`` where an instance has lost a key: nothing that was refused would be known any more.
        """
        self._folder, self._is_new = folder, is_new
        self._instance = self._load("instance.key")
        self._load("signing.key")
        self._is_new = True  # the key of the kit is made when first needed

    def digest(self, *parts: str) -> str:
        """Return a keyed digest of parts, as 64 hexadecimal digits: HMAC-SHA256 under the instance's key.

        https://www.rfc-editor.org/rfc/rfc2104
        """
        return hmac.digest(self._instance, json.dumps(parts, ensure_ascii=False).encode(), "sha256").hex()

    def sign(self, body: Mapping[str, Any]) -> str:
        """Return a JSON document with the body, the public key, and the Ed25519 signature of both.

        https://www.rfc-editor.org/rfc/rfc8032
        """
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

        key: Ed25519PrivateKey = Ed25519PrivateKey.from_private_bytes(self._load("signing.key"))
        signed = {**body, "key": key.public_key().public_bytes_raw().hex()}
        return json.dumps({**signed, "signature": key.sign(_canonical(signed)).hex()}, ensure_ascii=False)

    def public(self) -> str:
        """Return the public key that signs, in hexadecimal."""
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

        return Ed25519PrivateKey.from_private_bytes(self._load("signing.key")).public_key().public_bytes_raw().hex()

    def kit(self, instance: str) -> Kit:
        """Return the kit of now; its key is made when first needed."""
        return Kit(instance, self._number(), self._load("kit.key"), self._instance, self._load("signing.key"))

    def reissue(self) -> int:
        """Issue the kit anew and destroy its old key; return its number, or 0 where there has been no kit."""
        path = self._folder / "kit.key"
        if not path.exists():
            return 0
        number = self._number() + 1
        with path.open("r+b") as file:
            file.write(secrets.token_bytes(_LENGTH))
            file.flush()
            os.fsync(file.fileno())
        _write(self._folder / "kit.number", str(number).encode())
        return number

    @classmethod
    def put(cls, folder: Path, kit: Kit) -> None:
        """Write the keys of a kit into a folder, as a restored directory needs them."""
        folder.mkdir(mode=0o700, exist_ok=True, parents=True)
        named = {"instance.key": kit.instance_key, "signing.key": kit.signing_key, "kit.key": kit.key}
        for name, content in {**named, "kit.number": str(kit.number).encode()}.items():
            _write(folder / name, content)

    def _number(self) -> int:
        path = self._folder / "kit.number"
        return int(path.read_text(encoding="ascii")) if path.exists() else 1

    def _load(self, name: str) -> bytes:
        path = self._folder / name
        try:
            if not path.exists():
                if not self._is_new:
                    message = f"The key {path} is gone. Nothing was changed; put it back from the kit (`muniment kit` wrote it)."
                    raise DamagedLedgerError(message)
                self._make(path)
            key = path.read_bytes()
        except OSError as error:
            message = f"The key {path} cannot be read or made ({error.strerror}). Nothing was changed; make the folder writable."
            raise StorageUnavailableError(message) from error
        if len(key) != _LENGTH:
            message = f"{path} is not a key of this program. It was left as it is; put it back from a backup."
            raise DamagedLedgerError(message)
        return key

    def _make(self, path: Path) -> None:
        self._folder.mkdir(mode=0o700, exist_ok=True)
        _write(path, secrets.token_bytes(_LENGTH))


def _write(path: Path, content: bytes) -> None:
    """Write a small file so that after a crash it holds either the old content or the new."""
    new = path.with_name(f"{path.name}.new")
    descriptor = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    new.replace(path)
    sync_folder(path.parent)


def is_signed(document: str, public: str = "") -> bool:
    """Tell whether a signed document verifies, under a given public key where one is named; needs nothing else."""
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    try:
        signed = json.loads(document)
        signature = bytes.fromhex(signed.pop("signature"))
        key = Ed25519PublicKey.from_public_bytes(bytes.fromhex(signed["key"]))
        key.verify(signature, _canonical(signed))
    except (ValueError, KeyError, TypeError, AttributeError, InvalidSignature):
        return False
    return not public or signed["key"] == public


def commitment(nonce: str, text: str) -> str:
    """Return what a receipt says of an erased text: nothing to whoever lacks the nonce, and the text to whoever has both."""
    return hmac.digest(bytes.fromhex(nonce), text.encode(), hashlib.sha256).hex()


def _canonical(document: Mapping[str, Any]) -> bytes:
    return json.dumps(document, ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode()
