"""Who may come in by the browser: one-time links, and the sessions that they open.

A link is a secret in this process's memory, single use, for a while. A session is a durable row with the digest of its
secret; the secret itself is only in the browser's cookie.
"""

import hashlib
import hmac
import secrets
from dataclasses import dataclass

from channels.message import Sender
from gateway.people import People, Person
from gateway.waiting import wait
from memory.store import Memory
from memory.tables import Row

WEB = "web"
LINK_LASTS = 3_600
"""Seconds."""
SESSION_LASTS = 90 * 86_400
_MOST_LINKS = 8
_SECOND = 1_000_000


@dataclass(frozen=True, slots=True)
class Session:
    """An open session: who it is, and the token that its forms carry."""

    person: Person
    digest: str
    csrf: str


class Entry:
    """Makes links and sessions, and tells who a cookie is."""

    def __init__(self, memory: Memory, people: People) -> None:
        """Use the gateway's rows in a memory."""
        self._memory, self._people = memory, people
        self._links: dict[str, tuple[str, int]] = {}

    def link(self, person: Person) -> str:
        """Return the secret of a new one-time link for a person; their oldest waiting one goes where there are too many."""
        secret = secrets.token_urlsafe(24)
        own = [digest for digest, (owner, _) in self._links.items() if owner == person.id]
        for digest in own[: max(0, len(own) - _MOST_LINKS + 1)]:
            del self._links[digest]
        self._links[digest_of(secret)] = (person.id, self._memory.clock() + LINK_LASTS * _SECOND)
        return secret

    def is_open(self, secret: str) -> bool:
        """Tell whether a link can be used now."""
        known = self._links.get(digest_of(secret))
        return known is not None and self._memory.clock() < known[1]

    async def enter(self, secret: str) -> str | None:
        """Use a link up; return the secret of a new session, or ``None`` where the link is unknown, used or too old."""
        person, until = self._links.pop(digest_of(secret), ("", 0))
        if not person or self._memory.clock() >= until:
            return None
        cookie = secrets.token_urlsafe(32)
        rows = [Row("web_session", {"digest": digest_of(cookie), "person": person, "opened_at": self._memory.clock()})]
        if self._people.identify(Sender(WEB, person)) is None:
            rows.append(Row("identity", {"channel": WEB, "platform_id": person, "person": person}))
        await wait(self._memory.record("session", person, rows))
        return cookie

    def session(self, cookie: str) -> Session | None:
        """Return the session of a cookie, or ``None`` where it is unknown, ended or too old."""
        if not cookie:
            return None
        digest = digest_of(cookie)
        found = self._memory.rows(
            "SELECT person, opened_at FROM web_session s WHERE digest = ?"
            " AND NOT EXISTS (SELECT 1 FROM web_session_end e WHERE e.digest = s.digest)",
            (digest,),
        )
        if not found or self._memory.clock() - found[0][1] > SESSION_LASTS * _SECOND:
            return None
        person = self._people.by_id(found[0][0])
        return None if person is None or person.is_blocked else Session(person, digest, _csrf(cookie))

    async def leave(self, session: Session) -> None:
        """End a session."""
        await wait(self._memory.record("session", session.person.id, (Row("web_session_end", {"digest": session.digest}),)))

    def is_anyone_in(self) -> bool:
        """Tell whether there ever was a session."""
        return bool(self._memory.rows("SELECT 1 FROM web_session LIMIT 1"))


def is_same(left: str, right: str) -> bool:
    """Tell whether two secrets are equal, in constant time."""
    return hmac.compare_digest(left.encode(), right.encode())


def digest_of(secret: str) -> str:
    """Return what is kept of a secret, from which it cannot be had."""
    return hashlib.sha256(secret.encode()).hexdigest()


def _csrf(cookie: str) -> str:
    return hmac.digest(cookie.encode(), b"csrf", "sha256").hex()
