"""Tokens: what lets a program read a person's memory over HTTP, up to a sensitivity. Kept as digests, shown once."""

import secrets
from dataclasses import dataclass

from gateway.entry import digest_of
from gateway.errors import IncorrectRequestError
from gateway.people import People, Person
from gateway.waiting import wait
from memory.ids import Instant
from memory.label import Clearance, Sensitivity, user
from memory.store import Memory
from memory.tables import Row

PREFIX = "mun_"
_LONGEST_NAME = 60


@dataclass(frozen=True, slots=True)
class Token:
    """A token as its person sees it; the secret is kept nowhere."""

    id: str
    name: str
    sensitivity: Sensitivity
    at: Instant


class Tokens:
    """Makes tokens, ends them, and tells what the bearer of one may see."""

    def __init__(self, memory: Memory, people: People) -> None:
        """Use the gateway's rows in a memory."""
        self._memory, self._people = memory, people

    async def issue(self, person: Person, name: str, sensitivity: str) -> tuple[Token, str]:
        """Return a new token with its secret; raise ``IncorrectRequestError`` for a name or sensitivity that is none."""
        name = " ".join(name.split())
        if not name or len(name) > _LONGEST_NAME or not name.isprintable():
            message = f"A token's name has 1 to {_LONGEST_NAME} printable characters. Nothing was changed."
            raise IncorrectRequestError(message)
        if sensitivity.upper() not in Sensitivity.__members__:
            message = f"{sensitivity!r} is none of {', '.join(s.name.lower() for s in Sensitivity)}. Nothing was changed."
            raise IncorrectRequestError(message)
        secret, id_ = PREFIX + secrets.token_urlsafe(32), self._memory.ids()
        level = Sensitivity[sensitivity.upper()]
        at = self._memory.clock()
        row = {
            "id": id_,
            "digest": digest_of(secret),
            "person": person.id,
            "name": name,
            "sensitivity": level.name.lower(),
            "issued_at": at,
        }
        await wait(self._memory.record("token", person.id, (Row("token", row),)))
        return Token(id_, name, level, at), secret

    def of(self, person: Person) -> list[Token]:
        """Return a person's tokens that can be used, the oldest first."""
        rows = self._memory.rows(
            "SELECT t.id, t.name, t.sensitivity, t.issued_at FROM token t WHERE t.person = ?"
            " AND NOT EXISTS (SELECT 1 FROM token_end x WHERE x.token = t.id) ORDER BY t.entry",
            (person.id,),
        )
        return [Token(id_, name, Sensitivity[level.upper()], at) for id_, name, level, at in rows]

    async def revoke(self, person: Person, id_: str) -> Token:
        """End a token of a person's, named by its id or the end of it."""
        found = [token for token in self.of(person) if id_ and token.id.endswith(id_.strip().casefold())]
        if len(found) != 1:
            message = f"You have no one token {id_!r}. Nothing was changed; `muniment token list` lists them."
            raise IncorrectRequestError(message)
        await wait(self._memory.record("token", person.id, (Row("token_end", {"token": found[0].id}),)))
        return found[0]

    def is_owners(self, secret: str) -> bool:
        """Tell whether a secret is a token of whoever runs the instance."""
        owner = self._people.owner()
        seen = self.clearance(secret)
        return owner is not None and seen is not None and seen.top.space == user(owner.id)

    def clearance(self, secret: str) -> Clearance | None:
        """Return what the bearer of a secret may see; ``None`` where it is none of ours, or ended."""
        if not secret.startswith(PREFIX):
            return None
        rows = self._memory.rows(
            "SELECT person, sensitivity FROM token t WHERE digest = ?"
            " AND NOT EXISTS (SELECT 1 FROM token_end x WHERE x.token = t.id)",
            (digest_of(secret),),
        )
        person = self._people.by_id(rows[0][0]) if rows else None
        if person is None or person.is_blocked:
            return None
        return self._memory.spaces.clearance(user(rows[0][0]), Sensitivity[rows[0][1].upper()])
