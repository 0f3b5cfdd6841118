"""Messages in: durable before anything else, and once for each platform id."""

import json
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import PurePath
from typing import TYPE_CHECKING

from channels.message import File
from gateway.people import Conversation, Person
from gateway.reading import SUFFIXES
from gateway.waiting import wait
from memory.claim import Source, SourceKind
from memory.errors import AlreadyRecordedError, UnknownThingError
from memory.ids import known_zone
from memory.label import Integrity, parse_space
from memory.tables import Row

if TYPE_CHECKING:
    from collections.abc import Sequence

    from channels.message import Inbound
    from gateway.turn import Parser
    from memory.store import Memory


_UNFINISHED = (
    "inbox i JOIN conversation c ON c.id = i.conversation LEFT JOIN outbox o ON o.in_reply_to = i.source"
    " LEFT JOIN file f ON f.source = i.source"
    " WHERE o.id IS NULL AND i.person <> '' AND i.channel = ?1 AND (?2 IS NULL OR i.chat = ?2)"
)


@dataclass(frozen=True, slots=True)
class Accepted:
    """A durable message. ``fresh`` is false for one that was accepted before; ``is_change`` tells another version of one.

    ``file`` is what came with it; ``has_words`` is false where it came instead of words, and the source says so in their place.
    ``answers`` is the platform's id of the message that it was written under, as long as it is fresh.
    """

    source: Source
    person: str
    conversation: "Conversation"
    fresh: bool
    is_change: bool = False
    file: File | None = None
    has_words: bool = True
    answers: str = ""


class Inbox:
    """Accepts messages and lists those whose turn is not done."""

    def __init__(self, memory: "Memory") -> None:
        """Use the gateway's rows in a memory."""
        self._memory = memory

    async def accept(self, inbound: "Inbound", person: "Person", conversation: "Conversation", zone: str) -> Accepted:
        """Return the message once it is durable; the same one for a platform id that was accepted before."""
        source = self._source_of(inbound, person.id, conversation, zone)
        accepted = Accepted(
            source,
            person.id,
            conversation,
            fresh=True,
            is_change=bool(inbound.replaces),
            file=inbound.file,
            has_words=_has_words(inbound),
            answers=inbound.answers,
        )
        try:
            await wait(self._memory.accept(source, person.id, _rows(inbound, source)))
        except AlreadyRecordedError:
            sql = "SELECT source FROM inbox WHERE channel = ? AND chat = ? AND platform_id = ?"
            known = self._memory.rows(sql, (inbound.sender.channel, inbound.chat, inbound.platform_id))[0][0]
            return replace(accepted, source=self._source(known, conversation), fresh=False)
        return accepted

    async def overhear(self, inbound: "Inbound", conversation: "Conversation", parser: "Parser") -> None:
        """Keep what a stranger said, with its reading, as nobody's word; once, and without a reply."""
        source = self._source_of(inbound, "", conversation, inbound.zone)
        reading = await parser.read(source)
        with suppress(AlreadyRecordedError):
            await wait(self._memory.learn(source, reading, is_owner=False, rows=_rows(inbound, source)))

    def earlier(self, accepted: Accepted) -> list[Source]:
        """Return the versions of a changed message before it, the first one first; none of a message that is no change."""
        rows = self._memory.rows(
            "SELECT i.source FROM edit e JOIN inbox i ON i.channel = e.channel AND i.chat = e.chat"
            " AND i.platform_id = e.platform_id WHERE e.source = ?1"
            " UNION SELECT o.source FROM edit e JOIN edit o ON o.channel = e.channel AND o.chat = e.chat"
            " AND o.platform_id = e.platform_id AND o.entry < e.entry WHERE e.source = ?1 ORDER BY 1",
            (accepted.source.id,),
        )
        heard = "SELECT heard FROM transcript WHERE source IN (SELECT value FROM json_each(?)) ORDER BY 1"
        rows += self._memory.rows(heard, (json.dumps([source for (source,) in rows]),))
        return [self._source(source, accepted.conversation) for (source,) in rows]

    def is_same(self, inbound: "Inbound", conversation: Conversation) -> bool:
        """Tell whether another version of a message says what the last one said."""
        key = inbound.sender.channel, inbound.chat, inbound.replaces
        rows = self._memory.rows(
            "SELECT source, entry FROM inbox WHERE channel = ?1 AND chat = ?2 AND platform_id = ?3 UNION ALL"
            " SELECT source, entry FROM edit WHERE channel = ?1 AND chat = ?2 AND platform_id = ?3 ORDER BY 2 DESC LIMIT 1",
            key,
        )
        return bool(rows) and self._source(rows[0][0], conversation).body == inbound.text

    def has(self, channel: str, chat: str, platform_id: str) -> bool:
        """Tell whether a message was accepted."""
        sql = "SELECT 1 FROM inbox WHERE channel = ? AND chat = ? AND platform_id = ?"
        return bool(self._memory.rows(sql, (channel, chat, platform_id)))

    def unsaid(self, sources: "Sequence[str]") -> frozenset[str]:
        """Return which of some messages were changed since, or never had words."""
        rows = self._memory.rows(
            "SELECT i.source FROM inbox i JOIN edit e ON e.channel = i.channel AND e.chat = i.chat"
            " AND e.platform_id = i.platform_id WHERE i.source IN (SELECT value FROM json_each(?1))"
            " UNION SELECT o.source FROM edit o JOIN edit e ON e.channel = o.channel AND e.chat = o.chat"
            " AND e.platform_id = o.platform_id AND e.entry > o.entry WHERE o.source IN (SELECT value FROM json_each(?1))"
            " UNION SELECT source FROM file WHERE NOT has_words AND source IN (SELECT value FROM json_each(?1))",
            (json.dumps(list(sources)),),
        )
        return frozenset(source for (source,) in rows)

    def answered(self, accepted: Accepted) -> Source | None:
        """Return what a message was written under; ``None`` where that is neither a known person's words nor the assistant's."""
        where, here = accepted.conversation, (accepted.conversation.channel, accepted.conversation.chat, accepted.answers)
        if not accepted.answers:
            return None
        rows = self._memory.rows(
            "SELECT source FROM inbox WHERE channel = ?1 AND chat = ?2 AND platform_id = ?3 UNION ALL"
            " SELECT o.source FROM delivery d JOIN outbox o ON o.id = d.outbox"
            " WHERE o.channel = ?1 AND o.chat = ?2 AND d.platform_id = ?3",
            here,
        )
        found = self._source(rows[0][0], where) if rows else None
        is_known = found is not None and (
            found.kind is SourceKind.ASSISTANT or (found.kind is SourceKind.MESSAGE and found.speaker)
        )
        return found if is_known else None

    def heard(self, accepted: Accepted) -> Source | None:
        """Return the words that were heard in a message's recording, as a source; ``None`` where none were."""
        rows = self._memory.rows("SELECT heard FROM transcript WHERE source = ?", (accepted.source.id,))
        return self._source(rows[0][0], accepted.conversation) if rows else None

    async def note_heard(self, accepted: Accepted, words: str) -> Source:
        """Return the words that were heard in a message's recording once they are durable: they are its speaker's."""
        heard = replace(accepted.source, id=self._memory.ids(), body=words)
        row = Row("transcript", {"source": accepted.source.id, "heard": heard.id})
        await wait(self._memory.accept(heard, accepted.person or "assistant", [row]))
        return heard

    def unfinished(self, channel: str, chat: str | None = None, most: int = -1) -> list[Accepted]:
        """Return the accepted messages of a channel, or a chat of it, without a reply, in the order in which they came.

        Those of strangers get none. At most so many, where a number is given.
        """
        rows = self._memory.rows(
            "SELECT i.source, i.person, c.id, c.chat, c.space,"
            " EXISTS (SELECT 1 FROM edit e WHERE e.source = i.source), f.kind, f.id, f.name, f.media_type, f.size, f.has_words"
            f" FROM {_UNFINISHED} ORDER BY i.entry LIMIT ?3",
            (channel, chat, most),
        )
        found: list[Accepted] = []
        for source, person, id_, where, space, is_change, *file, has_words in rows:
            conversation = Conversation(id_, channel, where, parse_space(space))
            found.append(
                Accepted(
                    self._source(source, conversation),
                    person,
                    conversation,
                    fresh=False,
                    is_change=bool(is_change),
                    file=None if file[0] is None else File(*file),
                    has_words=has_words != 0,
                )
            )
        return found

    def unfinished_chats(self, channel: str) -> list[str]:
        """Return the chats of a channel with accepted messages that have no reply."""
        return [chat for (chat,) in self._memory.rows(f"SELECT DISTINCT c.chat FROM {_UNFINISHED}", (channel, None))]

    def _source_of(self, inbound: "Inbound", person: str, conversation: "Conversation", zone: str) -> Source:
        return Source(
            self._memory.ids(),
            conversation.id,
            conversation.space,
            SourceKind.FORWARD if inbound.forwarded else SourceKind.MESSAGE,
            person,
            min(inbound.sent_at, self._memory.clock()),  # a sender's clock may be ahead of ours
            known_zone(zone),
            inbound.text if _has_words(inbound) or inbound.file is None else f"({inbound.file.kind} without words)",
        )

    def _source(self, id_: str, conversation: "Conversation") -> Source:
        everything = self._memory.spaces.clearance(conversation.space, integrity=Integrity.QUARANTINED)
        with self._memory.reading() as reads:
            try:
                return reads.source(everything, id_)
            except UnknownThingError as error:
                message = f"the inbox names the source {id_}, which is not there"
                raise LookupError(message) from error


def _has_words(inbound: "Inbound") -> bool:
    return inbound.file is None or bool(inbound.text.strip())


def _rows(inbound: "Inbound", source: Source) -> list[Row]:
    """Return the rows that make a message known by its platform's id."""
    key = {"channel": inbound.sender.channel, "chat": inbound.chat, "platform_id": inbound.platform_id}
    rows = [Row("inbox", {**key, "source": source.id, "conversation": source.conversation, "person": source.speaker})]
    if inbound.replaces:
        rows.append(Row("edit", {**key, "platform_id": inbound.replaces, "source": source.id}))
    if inbound.file is not None:
        file, has_words = inbound.file, int(_has_words(inbound))
        suffix = PurePath(file.name).suffix.casefold()  # the rest of its name may say what erasing has to find nowhere
        name = f"{file.kind}{suffix if suffix in SUFFIXES else ''}"
        values = {"kind": file.kind, "id": file.id, "name": name, "media_type": file.media_type, "size": file.size}
        rows.append(Row("file", {"source": source.id, **values, "has_words": has_words}))
    return rows
