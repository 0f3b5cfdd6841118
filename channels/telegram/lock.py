"""One process of a machine polls for a token."""

import hashlib
import socket
import sys


class TokenLock:
    """Held by the one process of a machine that polls for a token: an address of Linux that goes with the process."""

    def __init__(self, token: str) -> None:
        """Name it by a digest of the token and of the server that takes it."""
        self._address = f"\0muniment-telegram-{hashlib.sha256(token.encode()).hexdigest()[:32]}"
        self._socket: socket.socket | None = None

    def hold(self) -> bool:
        """Take it where nobody has it; return whether it is held."""
        if self._socket is not None or sys.platform != "linux":
            return True
        held = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            held.bind(self._address)
        except OSError:
            held.close()
            return False
        self._socket = held
        return True

    def release(self) -> None:
        """Let it go."""
        if self._socket is not None:
            self._socket.close()
            self._socket = None
