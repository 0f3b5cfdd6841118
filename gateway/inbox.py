"""Messages in: durable before anything else, and once for each platform id."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from gateway.people import Conversation, Person
from gateway.waiting import wait
from memory.claim import Source, SourceKind
from memory.errors import AlreadyRecordedError, UnknownThingError
from memory.ids import known_zone
from memory.label import Integrity, parse_space
from memory.tables import Row

if TYPE_CHECKING:
    from channels.message import Inbound
    from memory.store import Memory


@dataclass(frozen=True, slots=True)
class Accepted:
    """A durable message. ``fresh`` is false for one that was accepted before; ``is_change`` tells another version of one."""

    source: Source
    person: str
    conversation: "Conversation"
    fresh: bool
    is_change: bool = False


class Inbox:
    """Accepts messages and lists those whose turn is not done."""

    def __init__(self, memory: "Memory") -> None:
        """Use the gateway's rows in a memory."""
        self._memory = memory

    async def accept(self, inbound: "Inbound", person: "Person", conversation: "Conversation") -> Accepted:
        """Return the message once it is durable; the same one for a platform id that was accepted before."""
        source = Source(
            self._memory.ids(),
            conversation.id,
            conversation.space,
            SourceKind.FORWARD if inbound.forwarded else SourceKind.MESSAGE,
            person.id,
            min(inbound.sent_at, self._memory.clock()),  # a sender's clock may be ahead of ours
            known_zone(inbound.zone),
            inbound.text,
        )
        key = {"channel": inbound.sender.channel, "chat": inbound.chat, "platform_id": inbound.platform_id}
        row = Row("inbox", {**key, "source": source.id, "conversation": conversation.id, "person": person.id})
        rows = [row]
        if inbound.replaces:
            rows.append(Row("edit", {**key, "platform_id": inbound.replaces, "source": source.id}))
        try:
            await wait(self._memory.accept(source, person.id, rows))
        except AlreadyRecordedError:
            sql = "SELECT source FROM inbox WHERE channel = ? AND chat = ? AND platform_id = ?"
            known = self._memory.rows(sql, tuple(key.values()))[0][0]
            return Accepted(
                self._source(known, conversation), person.id, conversation, fresh=False, is_change=bool(inbound.replaces)
            )
        return Accepted(source, person.id, conversation, fresh=True, is_change=bool(inbound.replaces))

    def earlier(self, accepted: Accepted) -> list[Source]:
        """Return the versions of a changed message before it, the first one first; none of a message that is no change."""
        rows = self._memory.rows(
            "SELECT i.source FROM edit e JOIN inbox i ON i.channel = e.channel AND i.chat = e.chat"
            " AND i.platform_id = e.platform_id WHERE e.source = ?1"
            " UNION SELECT o.source FROM edit e JOIN edit o ON o.channel = e.channel AND o.chat = e.chat"
            " AND o.platform_id = e.platform_id AND o.entry < e.entry WHERE e.source = ?1 ORDER BY 1",
            (accepted.source.id,),
        )
        return [self._source(source, accepted.conversation) for (source,) in rows]

    def unfinished(self) -> list[Accepted]:
        """Return the accepted messages without a reply, in the order in which they came."""
        rows = self._memory.rows(
            "SELECT i.source, i.person, c.id, c.channel, c.chat, c.space, EXISTS (SELECT 1 FROM edit e WHERE e.source = i.source)"
            " FROM inbox i"
            " JOIN conversation c ON c.id = i.conversation LEFT JOIN outbox o ON o.in_reply_to = i.source"
            " WHERE o.id IS NULL ORDER BY i.entry"
        )
        return [
            Accepted(self._source(source, conversation), person, conversation, fresh=False, is_change=bool(is_change))
            for source, person, conversation, is_change in (
                (source, person, Conversation(id_, channel, chat, parse_space(space)), is_change)
                for source, person, id_, channel, chat, space, is_change in rows
            )
        ]

    def _source(self, id_: str, conversation: "Conversation") -> Source:
        everything = self._memory.spaces.clearance(conversation.space, integrity=Integrity.QUARANTINED)
        with self._memory.reading() as reads:
            try:
                return reads.source(everything, id_)
            except UnknownThingError as error:
                message = f"the inbox names the source {id_}, which is not there"
                raise LookupError(message) from error
