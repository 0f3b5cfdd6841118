"""Messages out: written with the end of the turn, delivered after, and marked where nobody knows whether they arrived."""

from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import structlog

from channels.message import Channel, Outbound
from gateway.inbox import Accepted
from gateway.people import Conversation
from gateway.waiting import wait
from memory.claim import Source, SourceKind
from memory.errors import AlreadyRecordedError
from memory.label import Integrity, Label, parse_space, user
from memory.tables import Row

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from memory.store import Memory

log = structlog.get_logger(__name__)


_MAY_HAVE_ARRIVED = (
    "SELECT 1 FROM attempt a WHERE a.outbox = ? AND NOT EXISTS (SELECT 1 FROM attempt_end e WHERE e.attempt = a.id) LIMIT 1"
)
_NOT_DELIVERED = "NOT EXISTS (SELECT 1 FROM delivery d WHERE d.outbox = o.id)"


@dataclass(frozen=True, slots=True)
class Written:
    """A reply, and the rows and sources that make it durable."""

    outbound: Outbound
    rows: tuple[Row, ...]
    sources: tuple[tuple[Source, Label], ...]


class Outbox:
    """Posts replies and delivers them through their channels."""

    def __init__(self, memory: "Memory", channels: "Mapping[str, Channel]") -> None:
        """Use the gateway's rows in a memory and the running channels."""
        self._memory = memory
        self._channels = channels
        self._begun: dict[str, str] = {}
        self._talked: set[str] = set()
        self.is_next: Callable[[Conversation], bool] = lambda _: False
        """Tells whether a reply posted in a conversation now would be sent at once, so that its attempt begins with it."""

    def write(
        self, accepted: Accepted, text: str, label: Label, told: "Iterable[str]" = (), *, export: bool = False
    ) -> "Written":
        """Return a reply with the rows that make it durable, for a transaction that does something else as well.

        ``told`` are the claims and sources that the reply tells of, so that forgetting one of them finds it; with ``export`` all
        that its person may see goes with it as a file, as it is when it is sent.
        """
        memory, conversation = self._memory, accepted.conversation
        source = Source(memory.ids(), conversation.id, conversation.space, SourceKind.ASSISTANT, "", memory.clock(), "UTC", text)
        outbound = Outbound(memory.ids(), conversation.chat, accepted.source.id, text)
        values = {
            "id": outbound.id,
            "channel": conversation.channel,
            "chat": conversation.chat,
            "in_reply_to": accepted.source.id,
            "source": source.id,
        }
        rows = [Row("outbox", values), *(Row("told", {"item": item, "source": source.id}) for item in dict.fromkeys(told))]
        if export:
            rows.append(Row("export", {"outbox": outbound.id}))
        if self.is_next(conversation):
            self._begun[outbound.id] = memory.ids()
            rows.append(Row("attempt", {"id": self._begun[outbound.id], "outbox": outbound.id}))
        return Written(outbound, tuple(rows), ((source, label),))

    async def post(
        self, accepted: Accepted, text: str, label: Label, told: "Iterable[str]" = (), *, export: bool = False
    ) -> Outbound:
        """Return the reply to a message once it is durable, which is also the end of its turn.

        A second reply to the same message is the first one, marked as sent again.
        """
        written = self.write(accepted, text, label, told, export=export)
        try:
            await wait(self._memory.record("turn", "assistant", written.rows, written.sources))
        except AlreadyRecordedError:
            self._begun.pop(written.outbound.id, None)
            return self.reply_to(accepted.source.id)
        return written.outbound

    async def deliver(self, outbound: Outbound, channel: str) -> None:
        """Hand a reply to its channel and note that it was taken; one that nobody took waits for the next start."""
        try:
            platform_id = await self._channels[channel].deliver(outbound)
        except (KeyError, OSError) as error:
            log.info("reply waits", outbox=outbound.id, reason=type(error).__name__)
            return
        await self.note_delivered(outbound, platform_id)

    async def note_attempt(self, outbound: Outbound) -> str:
        """Record that a reply is about to be sent, and return the attempt: should we end now, nobody knows whether it arrived."""
        begun = self._begun.pop(outbound.id, "")
        if begun:
            return begun
        id_ = self._memory.ids()
        await wait(self._memory.record("attempt", "assistant", (Row("attempt", {"id": id_, "outbox": outbound.id}),)))
        return id_

    async def note_not_begun(self, outbound: Outbound) -> None:
        """Record that a reply whose attempt was to begin with its post was not sent."""
        begun = self._begun.pop(outbound.id, "")
        if begun:
            await self.note_unsent(begun)

    async def note_unsent(self, attempt: str) -> None:
        """Record that an attempt sent nothing."""
        await wait(self._memory.record("attempt", "assistant", (Row("attempt_end", {"attempt": attempt}),)))

    async def note_delivered(self, outbound: Outbound, platform_id: str) -> None:
        """Record that a reply arrived, or (with an empty id) that it never will."""
        row = Row("delivery", {"outbox": outbound.id, "platform_id": platform_id})
        try:
            await wait(self._memory.record("delivery", "assistant", (row,)))
        except AlreadyRecordedError:
            log.info("delivered again", outbox=outbound.id)

    async def note_draft(self, in_reply_to: str, platform_id: str) -> None:
        """Record which message of the platform shows what there is of a reply, so that the reply can take its place."""
        with suppress(AlreadyRecordedError):
            row = Row("draft", {"in_reply_to": in_reply_to, "platform_id": platform_id})
            await wait(self._memory.record("draft", "assistant", (row,)))

    def draft_of(self, in_reply_to: str) -> str:
        """Return the platform's id of the message that shows what there is of a reply; empty where none does."""
        rows = self._memory.rows("SELECT platform_id FROM draft WHERE in_reply_to = ?", (in_reply_to,))
        return rows[0][0] if rows else ""

    def wanted(self, outbound: Outbound, channel: str) -> tuple[str, str, bool]:
        """Return what a reply is sent with: the draft that it replaces, who alone reads its chat, and whether an export goes too.

        Nobody reads the chat of a group alone.
        """
        rows = self._memory.rows(
            "SELECT (SELECT platform_id FROM draft WHERE in_reply_to = i.source), i.person, c.space,"
            " EXISTS (SELECT 1 FROM export WHERE outbox = ?) FROM inbox i JOIN conversation c ON c.id = i.conversation"
            " WHERE i.source = ? AND i.channel = ?",
            (outbound.id, outbound.in_reply_to, channel),
        )
        if not rows:
            return "", "", False
        draft, person, space, is_export = rows[0]
        return draft or "", person if str(user(person)) == space else "", bool(is_export)

    def channel(self, name: str) -> Channel:
        """Return the running channel of a name."""
        return self._channels[name]

    def reply_to(self, source: str) -> Outbound:
        """Return the reply to a message, marked as sent again."""
        return self._outbound("o.in_reply_to = ?", source)[0]

    def has_reply(self, source: str) -> bool:
        """Tell whether the turn of a message is done."""
        return bool(self._memory.rows("SELECT 1 FROM outbox WHERE in_reply_to = ?", (source,)))

    def is_first(self, conversation: Conversation) -> bool:
        """Tell whether nothing was said in a conversation yet."""
        if conversation.id in self._talked:
            return False
        sql = "SELECT 1 FROM outbox WHERE channel = ? AND chat = ? LIMIT 1"
        if self._memory.rows(sql, (conversation.channel, conversation.chat)):
            self._talked.add(conversation.id)
            return False
        return True

    def undelivered(self, channel: str, chat: str) -> list[Outbound]:
        """Return the replies of a chat that no channel is known to have taken, each marked as sent again."""
        return self._outbound(f"o.channel = ? AND o.chat = ? AND {_NOT_DELIVERED}", channel, chat)

    def undelivered_of(self, channel: str) -> list[Outbound]:
        """Return the replies of a channel that did not arrive, the oldest first, marked as sent again where they were tried."""
        found = self._outbound(f"o.channel = ? AND {_NOT_DELIVERED}", channel)
        return [replace(outbound, again=bool(self._memory.rows(_MAY_HAVE_ARRIVED, (outbound.id,)))) for outbound in found]

    def _outbound(self, where: str, *parameters: str) -> list[Outbound]:
        rows = self._memory.rows(
            f"SELECT o.id, o.chat, o.in_reply_to, o.source, c.space FROM outbox o"
            f" JOIN conversation c ON c.channel = o.channel AND c.chat = o.chat WHERE {where} ORDER BY o.entry",
            parameters,
        )
        found: list[Outbound] = []
        for id_, chat, in_reply_to, source, space in rows:
            everything = self._memory.spaces.clearance(parse_space(space), integrity=Integrity.QUARANTINED)
            with self._memory.reading() as reads:
                text = reads.source(everything, source).body
            found.append(Outbound(id_, chat, in_reply_to, text, again=True))
        return found
