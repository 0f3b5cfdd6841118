"""People and conversations: who a sender is, and whose memory a chat writes to.

Identity is the platform's id alone. An unknown sender is nobody until paired; in the terminal, whoever may open the data
directory is the owner, or the member that the owner names.
"""

from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gateway.errors import IncorrectRequestError
from gateway.preferences import Preferences
from gateway.waiting import wait
from memory.errors import AlreadyRecordedError
from memory.label import Space, parse_space, team, user
from memory.tables import Row

if TYPE_CHECKING:
    from collections.abc import Sequence

    from channels.message import Inbound, Sender
    from memory.store import Memory

OWNER, MEMBER, BLOCKED = "owner", "member", "blocked"
_PERSON = (
    "SELECT p.id, coalesce((SELECT s.role FROM standing s WHERE s.person = p.id ORDER BY s.entry DESC LIMIT 1), p.role),"
    " p.display_name FROM person p"
)


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody the instance knows."""

    id: str
    role: str
    display_name: str

    @property
    def is_owner(self) -> bool:
        """Tell whether this is the one who runs the instance."""
        return self.role == OWNER

    @property
    def is_blocked(self) -> bool:
        """Tell whether the owner lets this one in no longer."""
        return self.role == BLOCKED


@dataclass(frozen=True, slots=True)
class Conversation:
    """A chat, and the space that what is said in it belongs to."""

    id: str
    channel: str
    chat: str
    space: Space


class People:
    """Reads and writes of people, their identities and preferences, and of conversations."""

    def __init__(self, memory: "Memory") -> None:
        """Use the gateway's rows in a memory."""
        self._memory, self.preferences = memory, Preferences(memory)
        self._known: dict[str, Person] | None = None
        self._changes = 0
        self._conversations: dict[tuple[str, str], Conversation] = {}

    def owner(self) -> Person | None:
        """Return the owner, once there is one."""
        return next((person for person in self.known().values() if person.is_owner), None)

    def by_id(self, person: str) -> Person | None:
        """Return a person by id."""
        return self.known().get(person)

    def everyone(self) -> list[Person]:
        """Return all people, the owner first, then in the order in which they came."""
        return list(self.known().values())

    def known(self) -> dict[str, Person]:
        """Return all people by their ids, in that order."""
        known, changes = self._known, self._changes
        if known is None:
            rows = self._memory.rows(f"{_PERSON} ORDER BY p.role = 'owner' DESC, p.entry")
            known = {person.id: person for person in (Person(*row) for row in rows)}
            if changes == self._changes:  # nobody came or was blocked since the rows were read
                self._known = known
        return known

    def _changed(self) -> None:
        """Look anew at who is known."""
        self._changes += 1
        self._known = None

    def identify(self, sender: "Sender") -> Person | None:
        """Return the person of a sender, or ``None`` for a stranger."""
        sql = "SELECT person FROM identity WHERE channel = ? AND platform_id = ?"
        found = self._memory.rows(sql, (sender.channel, sender.platform_id))
        return self.by_id(found[0][0]) if found else None

    async def add(self, role: str, display_name: str, sender: "Sender", author: str = "") -> Person:
        """Return a new person with one identity; the person that already has it where there is one."""
        person = Person(self._memory.ids(), role, display_name)
        rows = (
            Row("person", {"id": person.id, "role": role, "display_name": display_name}),
            Row("identity", {"channel": sender.channel, "platform_id": sender.platform_id, "person": person.id}),
        )
        try:
            await wait(self._memory.record("person", author or person.id, rows))
        except AlreadyRecordedError:
            known = self.identify(sender)
            if known is None:
                raise
            return known
        finally:
            self._changed()
        return person

    async def link(self, person: Person, sender: "Sender") -> None:
        """Let a sender be a person from now on; raise ``IncorrectRequestError`` where it is somebody already."""
        row = Row("identity", {"channel": sender.channel, "platform_id": sender.platform_id, "person": person.id})
        try:
            await wait(self._memory.record("identity", person.id, (row,)))
        except AlreadyRecordedError as error:
            message = "I know that one already. Nothing was changed."
            raise IncorrectRequestError(message) from error

    async def set_standing(self, person: Person, role: str, author: Person) -> None:
        """Block a person, or let them in again as a member; raise ``IncorrectRequestError`` for the owner."""
        if person.is_owner:
            message = "The owner cannot be blocked. Nothing was changed."
            raise IncorrectRequestError(message)
        row = Row("standing", {"id": self._memory.ids(), "person": person.id, "role": role})
        await wait(self._memory.record("standing", author.id, (row,)))
        self._changed()

    def identities(self, person: Person) -> list[str]:
        """Return where a person is known: channels, each with the platform's id."""
        rows = self._memory.rows("SELECT channel, platform_id FROM identity WHERE person = ? ORDER BY entry", (person.id,))
        return [f"{channel}:{platform_id}" for channel, platform_id in rows]

    async def set_member(self, group: Conversation, person: Person, *, present: bool) -> None:
        """Let a person be in the team of a group, or no longer."""
        if (person.id in self._memory.spaces.members_of(group.space)) is not present:
            await wait(self._memory.set_member(group.space.id, person.id, person.id, present=present))

    async def note_access(self, by: Person, whose: Person, what: str) -> None:
        """Record that somebody looked into another's space, which that one can see among the changes."""
        if by.id != whose.id:
            values = {"id": self._memory.ids(), "person": by.id, "whose": whose.id, "what": what}
            await wait(self._memory.record("access", by.id, (Row("access", values),)))

    def accesses(self, whose: Person, start: int, end: int) -> "list[tuple[int, str, str]]":
        """Return who else looked into a person's space in ``[start, end)``: when, who, and at what."""
        rows = self._memory.rows("SELECT entry, person, what FROM access WHERE whose = ? ORDER BY entry", (whose.id,))
        if not rows:
            return []
        with self._memory.reading() as reads:
            found = ((reads.entry_at(entry), person, what) for entry, person, what in rows)
            return [(at, person, what) for at, person, what in found if start <= at < end]

    async def conversation(self, inbound: "Inbound", person: Person) -> Conversation:
        """Return the conversation of a message; a new one is its person's own space."""
        known = self.chat(inbound.sender.channel, inbound.chat)
        conversation = known or await self.open_chat(inbound.sender.channel, inbound.chat, user(person.id), person.id)
        if not self._memory.spaces.below(conversation.space, user(person.id)):
            message = "That chat is somebody else's. Nothing was stored or told; start a chat of your own."
            raise IncorrectRequestError(message)
        return conversation

    def chat(self, channel: str, chat: str) -> Conversation | None:
        """Return the conversation of a chat, once there is one."""
        known = self._conversations.get((channel, chat))
        if known is None:
            sql = "SELECT id, space FROM conversation WHERE channel = ? AND chat = ?"
            for id_, space in self._memory.rows(sql, (channel, chat)):
                known = self._conversations[channel, chat] = Conversation(id_, channel, chat, parse_space(space))
        return known

    async def open_chat(self, channel: str, chat: str, space: Space, author: str) -> Conversation:
        """Return the conversation of a chat in a space; the one that is there where another was first."""
        values = {"id": self._memory.ids(), "channel": channel, "chat": chat, "space": str(space)}
        with suppress(AlreadyRecordedError):
            await wait(self._memory.record("conversation", author, (Row("conversation", values),)))
        known = self.chat(channel, chat)
        if known is None:
            message = "a conversation was recorded and is not there"
            raise LookupError(message)
        return known

    async def group(self, channel: str, chat: str, people: "Sequence[Person]", author: str) -> Conversation:
        """Return a new group chat: its people are a team, and what is said in it stays with them."""
        conversation = await self.open_chat(channel, chat, team(self._memory.ids()), author)
        for person in people:
            await wait(self._memory.set_member(conversation.space.id, person.id, author, present=True))
        return conversation
