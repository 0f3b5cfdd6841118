"""Signed heads of the chain, in a file of their own: they tell how far it had got, so that a clean cut of its end is found.

A copy that is kept elsewhere finds a whole directory that was put back as well.
"""

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from memory.errors import DamagedLedgerError
from memory.ids import Instant, to_datetime
from memory.keys import Keys, is_signed
from memory.ledger import Ledger

KIND = "chain checkpoint"


@dataclass(frozen=True, slots=True)
class Checkpoints:
    """The checkpoints of a data directory."""

    path: Path
    keys: Keys

    def put(self, ledger: Ledger, at: Instant) -> str:
        """Write and return a signed checkpoint of the chain's head; nothing new where it has not moved."""
        lines = self._lines()
        head = ledger.head
        if lines and json.loads(lines[-1])["seq"] == head.seq:
            return lines[-1]
        body = {
            "muniment": KIND,
            "instance": ledger.meta("instance"),
            "seq": head.seq,
            "hash": head.hash.hex(),
            "at": to_datetime(at).isoformat().replace("+00:00", "Z"),
        }
        line = self.keys.sign(body)
        with self.path.open("ab") as file:
            if file.tell():  # a last line that was cut off while it was written goes first
                file.truncate(self.path.read_bytes().rfind(b"\n") + 1)
            file.write(f"{line}\n".encode())
            file.flush()
            os.fsync(file.fileno())
        return line

    def check(self, ledger: Ledger, *, last: bool = False) -> int:
        """Return how many checkpoints agree with the chain, or check the ``last`` alone.

        Raises ``DamagedLedgerError`` naming the first that does not.
        """
        lines = self._lines()
        lines = lines[-1:] if last else lines
        public = self.keys.public() if lines else ""
        for number, line in enumerate(lines, 1):
            check_one(line, ledger, public, f"Checkpoint {number}")
        return len(lines)

    def _lines(self) -> list[str]:
        if not self.path.exists():
            return []
        lines = self.path.read_text(encoding="utf-8", errors="replace").split("\n")
        return [line for line in lines[:-1] if line]  # a last line without its end was cut off while it was written


def check_one(line: str, ledger: Ledger, public: str, called: str) -> None:
    """Check a checkpoint, maybe one that was kept elsewhere; raise ``DamagedLedgerError`` where the chain differs from it."""
    try:
        body: dict[str, Any] = json.loads(line)
        seq, hash_ = int(body["seq"]), bytes.fromhex(body["hash"])
    except (ValueError, KeyError, TypeError) as error:
        message = f"{called} does not read. Nothing was changed; put the file back."
        raise DamagedLedgerError(message) from error
    if not is_signed(line, public) or (body.get("muniment"), body.get("instance")) != (KIND, ledger.meta("instance")):
        message = f"{called} is not signed by this instance. Nothing was changed; put the file back."
        raise DamagedLedgerError(message)
    if seq and ledger.hash_of(seq) != hash_:
        message = (
            f"{called} says that the chain had entry {seq}, and it has another or none: its end was cut, or an older copy was put"
            " in its place. Nothing was changed; put the latest backup back."
        )
        raise DamagedLedgerError(message)
