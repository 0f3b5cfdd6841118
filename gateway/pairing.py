"""Pairing: a stranger in a private chat gets a code, and is let in by whoever is known and gives it back elsewhere.

Codes are in memory alone, so that a stranger leaves nothing behind; a restart makes new ones. A stranger gets a reply for a new
code and no other.
"""

import hmac
import secrets
from collections import deque
from dataclasses import dataclass

import structlog

from channels.message import Inbound, Sender
from gateway.errors import IncorrectRequestError
from memory.ids import Clock, Instant

log = structlog.get_logger(__name__)

LASTS: Instant = 3_600 * 1_000_000
"""Microseconds for which a code is good."""

MOST_WAITING = 3
MOST_WRONG, MOST_WRONG_OF_ALL = 5, 20
"""Wrong codes within ``_WINDOW``, of one person and of all; after them even a right one is refused for a while."""

_WINDOW: Instant = 600 * 1_000_000
_ALPHABET = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"
_LENGTH = 8
_MOST_KEPT = 1_000


@dataclass(frozen=True, slots=True)
class _Waiting:
    code: str
    sender: Sender
    until: Instant


class Pairing:
    """The codes that wait."""

    def __init__(self, clock: Clock) -> None:
        """Start with none."""
        self._clock = clock
        self._waiting: dict[tuple[str, str], _Waiting] = {}
        self._wrong: deque[tuple[Instant, str]] = deque(maxlen=_MOST_KEPT)

    def greet(self, inbound: Inbound) -> str:
        """Return what to say to a stranger; empty for one who was told already, and where too many wait."""
        self._forget_old()
        key = inbound.sender.channel, inbound.sender.platform_id
        if key in self._waiting or len(self._waiting) >= MOST_WAITING:
            return ""
        code = "".join(secrets.choice(_ALPHABET) for _ in range(_LENGTH))
        self._waiting[key] = _Waiting(code, inbound.sender, self._clock() + LASTS)
        log.info("a stranger has a code", channel=inbound.sender.channel)
        return (
            f"I do not know you yet. Whoever runs me lets you in with `muniment pair {code}`. Where I know you already, send"
            f" /pair {code} there. The code holds for an hour."
        )

    def drop(self, sender: Sender) -> None:
        """Take a sender's code back, which they never saw."""
        self._waiting.pop((sender.channel, sender.platform_id), None)

    def claim(self, code: str, by: str) -> Sender:
        """Return whose code it is, and use it up; ``by`` is the person who gives it, or empty for whoever runs the instance.

        Raises ``IncorrectRequestError`` for one that does not wait, and after too many wrong ones: of one person, or of all but
        whoever runs the instance.
        """
        self._forget_old()
        while self._wrong and self._wrong[0][0] < self._clock() - _WINDOW:
            self._wrong.popleft()
        own = sum(who == by for _, who in self._wrong)
        if own >= MOST_WRONG or (by and len(self._wrong) >= MOST_WRONG_OF_ALL):
            message = "Too many wrong codes were given. Nothing was changed; try again in ten minutes."
            raise IncorrectRequestError(message)
        given = code.strip().upper().encode()
        found = [key for key, one in self._waiting.items() if hmac.compare_digest(one.code.encode(), given)]
        if not found:
            self._wrong.append((self._clock(), by))
            message = "No such code waits: it is wrong, was used, or is older than an hour. Nothing was changed."
            raise IncorrectRequestError(message)
        return self._waiting.pop(found[0]).sender

    def _forget_old(self) -> None:
        now = self._clock()
        self._waiting = {key: one for key, one in self._waiting.items() if one.until > now}
