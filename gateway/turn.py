"""One message, start to finish.

    inbound -> accept (durable) -> read (parser) -> remember (admission, one transaction) -> answer (what the listener may
    see) -> post (durable, the end of the turn) -> deliver

Every step is keyed by the message, so a turn that was cut off is taken up where it stopped: an accepted message is not
accepted again, a remembered one keeps its receipt, and a posted reply is not written twice.
"""

import asyncio
from collections import Counter, defaultdict, deque
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import replace
from typing import Protocol

import structlog

from channels.message import Channel, DeliveryError, Inbound, Outbound
from gateway.answer import Asked, Reply
from gateway.answering import STOP, Answering
from gateway.asking import reply_to_asking
from gateway.commands import GREETING, Commands
from gateway.delivery import Delivery
from gateway.door import LetIn, Overheard
from gateway.errors import IncorrectRequestError
from gateway.files import Files, Taken
from gateway.inbox import Accepted
from gateway.parse.context import Before
from gateway.parse.offline import OfflineParser
from gateway.people import Conversation, People, Person
from gateway.preferences import Preference
from gateway.waiting import wait, work
from gateway.window import talked
from memory.claim import Reading, Receipt, Source, SourceKind
from memory.errors import IncorrectTextError, MunimentMemoryError, StorageUnavailableError, UnknownThingError
from memory.label import Clearance, Integrity, Label, Sensitivity, user
from memory.store import Memory

log = structlog.get_logger(__name__)

ASKING = (
    "I count your days in UTC and answer in the language you write in; /timezone Europe/Paris and /language German change that."
)

MOST_HELD = 50
"""Messages of a chat of a platform that are held in memory; more of them wait in the inbox alone."""

_TURNS_BEFORE = 2
_STRANGERS = OfflineParser()
"""Reads what strangers say in groups; no model is called for them."""

FAULT = (
    "Something went wrong in me while I worked on that message. I kept the message, and what I remembered before is unchanged;"
    " say it in other words, and tell whoever runs me."
)


class Parser(Protocol):
    """Turns a message into candidates; decides nothing."""

    async def read(self, source: Source, before: Before | None = None) -> Reading:
        """Return the reading of a message."""
        ...


class Turns:
    """Takes messages from channels, one at a time in each chat."""

    def __init__(
        self,
        memory: Memory,
        people: People,
        delivery: Delivery,
        parser: Parser,
        answering: Answering,
        commands: Commands,
        files: Files,
    ) -> None:
        """Put a turn together from its parts."""
        self._memory, self._people, self._inbox, self._delivery = memory, people, files.inbox, delivery
        self._outbox, self.door = delivery.outbox, commands.door
        self._parser, self._answering, self._commands, self._files = parser, answering, commands, files
        self._chats: defaultdict[tuple[str, str], asyncio.Lock] = defaultdict(asyncio.Lock)
        self.counts = Counter(accepted=0, finished=0, faulted=0)
        self._waiting: defaultdict[tuple[str, str], deque[tuple[Accepted, Person]]] = defaultdict(deque)
        self._more: set[tuple[str, str]] = set()
        self._taken_up: dict[tuple[str, str], str] = {}
        self._stuck: set[tuple[str, str]] = set()

    async def take(self, inbound: Inbound, channel: Channel) -> None:
        """Take one message; returns once it is durable and its reply is posted."""
        if await self.accept(inbound, channel):
            while await self.finish_next(channel, inbound.chat, inbound.platform_id):
                pass

    async def accept(self, inbound: Inbound, channel: Channel) -> bool:
        """Make one message durable; return whether its turn is to be finished. A stranger may get a code.

        Messages of a chat are to be accepted one after another. Raises ``StorageUnavailableError`` where a platform is to send it
        again, since there is no room now.
        """
        try:
            entry = await self.door.open(inbound, greets=channel.pushes)
            if isinstance(entry, Overheard) and inbound.text.strip():
                await self._inbox.overhear(inbound, entry.conversation, _STRANGERS)
            if not isinstance(entry, LetIn):
                if entry.words and not await self._say(entry.words, channel, inbound.chat, inbound.platform_id):
                    self.door.pairing.drop(inbound.sender)  # who did not see a code asks for another
                return False
            person, conversation = entry.person, entry.conversation
            if inbound.replaces and self._inbox.is_same(inbound, conversation):
                return False  # nothing of it changed but how it is shown
            zone = self._people.preferences.of(person.id).zone or inbound.zone
            accepted = await self._inbox.accept(inbound, person, conversation, zone)
        except (MunimentMemoryError, IncorrectRequestError) as error:
            if channel.pushes and isinstance(error, StorageUnavailableError):
                raise
            await self._tell(error, channel, inbound.chat, inbound.platform_id)
            return False
        chat = channel.name, inbound.chat
        if channel.pushes and not accepted.fresh and self._is_taken(chat, accepted):
            return False  # the platform sent it again; its turn is done, or will be
        self.counts["accepted"] += 1
        if inbound.text.strip().casefold() == STOP and not inbound.forwarded:
            self._answering.stop(conversation)
        self._hold(chat, accepted, person, bounded=channel.pushes)
        if channel.pushes:
            await channel.draft(inbound.chat, accepted.source.id, "")  # a sign that it was seen
        return True

    async def finish_next(self, channel: Channel, chat: str, message: str = "") -> bool:
        """Finish the first turn that waits in a chat; return whether another one can be finished now.

        What goes wrong is told there, under the platform's id of a message where one is given.
        """
        key = channel.name, chat
        async with self._chats[key]:
            if not self._waiting[key] and key in self._more:
                self._take_up(key)
            waiting = self._waiting[key]
            try:
                if waiting:
                    await self._finish(*waiting[0])
                    waiting.popleft()
                    self._stuck.discard(key)
            except MunimentMemoryError as error:
                if key not in self._stuck:
                    await self._tell(error, channel, chat, message)
                self._stuck.add(key)
                return False
            return self.is_waiting(*key)

    def is_waiting(self, channel: str, chat: str) -> bool:
        """Tell whether accepted messages of a chat wait for their turn."""
        return bool(self._waiting[channel, chat]) or (channel, chat) in self._more

    def held(self) -> int:
        """Return how many accepted messages are held in memory until their turn."""
        return sum(len(waiting) for waiting in self._waiting.values())

    async def resume(self, channels: Iterable[Channel]) -> list[tuple[str, str]]:
        """Take up the turns of channels that were cut off, in the order in which their messages came.

        Those of a channel that pushes wait in their chats, which are returned, as channel and chat; all others are finished.
        """
        chats: list[tuple[str, str]] = []
        for channel in channels:
            if channel.pushes:
                chats += [(channel.name, chat) for chat in await asyncio.to_thread(self._inbox.unfinished_chats, channel.name)]
                continue
            for accepted in await asyncio.to_thread(self._inbox.unfinished, channel.name):
                person = self._people.by_id(accepted.person)
                if person is None:
                    continue
                try:
                    await self._finish(accepted, person)
                except MunimentMemoryError as error:
                    log.warning("turn waits", error=type(error).__name__, kind=error.kind)
                    self._waiting[channel.name, accepted.conversation.chat].append((accepted, person))
        self._more.update(chats)
        return chats

    def _is_taken(self, chat: tuple[str, str], accepted: Accepted) -> bool:
        """Tell whether the turn of a message that came before is done, or waits; it does not where accepting was cut off."""
        waits = chat in self._more or any(held.source.id == accepted.source.id for held, _ in self._waiting[chat])
        return waits or self._outbox.has_reply(accepted.source.id)

    def _hold(self, chat: tuple[str, str], accepted: Accepted, person: Person, *, bounded: bool) -> None:
        """Let a message wait in memory, or in the inbox alone where many of its chat wait already."""
        if self._taken_up.get(chat) == accepted.source.id:
            return  # the inbox gave it out while it was being accepted
        if bounded and (chat in self._more or len(self._waiting[chat]) >= MOST_HELD):
            self._more.add(chat)
        else:
            self._waiting[chat].append((accepted, person))

    def _take_up(self, chat: tuple[str, str]) -> None:
        """Take messages of a chat from the inbox; on the event loop, so that none is accepted in between."""
        found = self._inbox.unfinished(*chat, MOST_HELD)
        if len(found) < MOST_HELD:
            self._more.discard(chat)
        for accepted in found:
            person = self._people.by_id(accepted.person)
            if person is not None:
                self._waiting[chat].append((accepted, person))
                self._taken_up[chat] = accepted.source.id

    async def _tell(self, error: MunimentMemoryError | IncorrectRequestError, channel: Channel, chat: str, message: str) -> None:
        """Say what went wrong; what was accepted waits for the next message of its chat, or the next start."""
        if not isinstance(error, IncorrectTextError | IncorrectRequestError):
            log.warning("turn failed", error=type(error).__name__, kind=error.kind)
        await self._say(str(error), channel, chat, message)

    async def _say(self, words: str, channel: Channel, chat: str, message: str) -> bool:
        """Say something that is no part of a turn, once; return whether it arrived, as far as anybody knows."""
        try:
            await channel.deliver(Outbound("", chat, message, words))
        except DeliveryError as error:
            log.info("words did not arrive", channel=channel.name, reason=type(error).__name__)
            return False
        return True

    async def _finish(self, accepted: Accepted, person: Person) -> None:
        channel = accepted.conversation.channel
        if not accepted.fresh and self._outbox.has_reply(accepted.source.id):
            await self._delivery.send(self._outbox.reply_to(accepted.source.id), channel)
            return
        try:
            own = accepted.source.kind is SourceKind.MESSAGE  # what somebody else wrote commands nothing
            changed = await self._take_back(accepted, person) if accepted.is_change else ""
            command = self._commands.match(accepted.source.body) if own else None
            outbound = await (command(accepted, person) if command else self._answer(accepted, person, changed))
        except StorageUnavailableError:
            raise  # there may be room again; the turn waits
        except Exception:  # one message must never keep the others, or the next start, from going on
            log.exception("turn ended by a fault", source=accepted.source.id)
            self.counts["faulted"] += 1
            label = Label(accepted.source.space, Sensitivity.SENSITIVE, Integrity.QUARANTINED)
            outbound = await self._outbox.post(accepted, FAULT, label)
        self.counts["finished"] += 1
        await self._delivery.send(outbound, channel)

    async def _answer(self, accepted: Accepted, person: Person, changed: str) -> Outbound:
        with self._answering.turn(accepted.conversation):
            reply = await self._reply(accepted, person, changed)
        return await self._outbox.post(accepted, reply.text, reply.label, reply.told)

    async def _reply(self, accepted: Accepted, person: Person, changed: str) -> Reply:
        """Read the file of a message, remember what is said in it, and answer it; ``changed`` is what to say about a change."""
        conversation, prefers = accepted.conversation, self._people.preferences.of(person.id)
        channel = self._outbox.channel(conversation.channel)
        found = Taken("") if accepted.file is None else await self._files.take(accepted, person, accepted.file, channel)
        said = accepted if found.heard is None else replace(accepted, source=found.heard, has_words=True)
        receipt, note = await self._remember(said, person)
        asked = Asked(
            said.source,
            receipt,
            person,
            self._memory.spaces.clearance(said.source.space),
            self._greeting(conversation, person, prefers),
            "\n".join(filter(None, (changed, found.note, note))),
            noted_elsewhere=channel.shows_notes,
            language=prefers.language,
        )
        if not said.has_words:
            label = Label(said.source.space, integrity=Integrity.QUARANTINED)
            return Reply("\n".join(filter(None, (asked.greeting, asked.note))), label)
        reply = await self._answering.reply(asked, conversation, accepted.source.id, fresh=accepted.fresh)
        return reply if found.heard is None else replace(reply, told=(*reply.told, found.heard.id))  # which the note quotes

    def _greeting(self, conversation: Conversation, person: Person, prefers: Preference) -> str:
        """Return what is said at first contact; language and time zone are asked once, where no page or terminal tells them."""
        if not self._outbox.is_first(conversation):
            return ""
        asks = (
            conversation.space == user(person.id)
            and prefers == Preference()
            and self._outbox.channel(conversation.channel).pushes
        )
        return f"{GREETING}\n{ASKING}" if asks else GREETING

    async def _take_back(self, accepted: Accepted, person: Person) -> str:
        """Take back what was stored from earlier versions of a changed message; return what to say about it."""
        taken = 0
        for earlier in await asyncio.to_thread(self._inbox.earlier, accepted):
            with suppress(UnknownThingError):  # nothing was stored from it, or it is taken back
                receipt = await wait(self._memory.undo(earlier, person.id))
                taken += bool(receipt.decisions)
        return "You changed that message; what I had stored from it before is taken back." if taken else ""

    async def _remember(self, accepted: Accepted, person: Person) -> tuple[Receipt, str]:
        """Return the receipt of a message, which a turn taken up again has already, and what to say about its reading."""
        source = accepted.source
        clearance = self._memory.spaces.clearance(source.space)
        if not accepted.fresh:
            with self._memory.reading() as reads:
                known = reads.receipt(clearance, source.id)
            if known is not None:
                return known, ""
        if not accepted.has_words:
            return await wait(self._memory.remember(source, Reading("", ()), is_owner=False)), ""
        reading, before = await work(self._look_back, accepted, clearance)
        if reading is None:
            reading = await self._parser.read(source, before)
        return await wait(self._memory.remember(source, reading, is_owner=person.is_owner)), reading.note

    def _look_back(self, accepted: Accepted, clearance: Clearance) -> tuple[Reading | None, Before | None]:
        """Return the reading of a yes or a no to what was asked before, or else what words refer to.

        That is the message that this one was written under, or the turn before.
        """
        source = accepted.source
        with self._memory.reading() as reads:
            reading = reply_to_asking(self._memory, source, clearance)
            under = self._inbox.answered(accepted) if reading is None else None
            if under is not None:
                return None, Before(reads.without_retracted([under])[0].body, reads.label_of(under.id).sensitivity)
            turns = talked(reads, self._memory, source, _TURNS_BEFORE) if reading is None else []
        if not turns:
            return reading, None
        return None, Before("\n".join(said.text for said in reversed(turns)), max(said.label.sensitivity for said in turns))
