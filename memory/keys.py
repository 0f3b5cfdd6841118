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
from pathlib import Path
from typing import Any

from memory.errors import DamagedLedgerError, StorageUnavailableError

_LENGTH = 32


class Keys:
    """The keys in one folder."""

    def __init__(self, folder: Path) -> None:
        """Use the keys in a folder; the instance's own is made at once where there is none."""
        self._folder = folder
        self._instance = self._load("instance.key")

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

    def _load(self, name: str) -> bytes:
        path = self._folder / name
        try:
            if not path.exists():
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
        new = path.with_suffix(".new")
        descriptor = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            file.write(secrets.token_bytes(_LENGTH))
            file.flush()
            os.fsync(file.fileno())
        new.replace(path)


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
