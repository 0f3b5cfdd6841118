"""What the bot says: replies in parts, what there is of them while they are written, and the sign of typing.

https://core.telegram.org/bots/api#sendmessage
"""

import asyncio
import time
from contextlib import suppress
from dataclasses import dataclass, field

from telegram import Bot, InlineKeyboardButton, InlineKeyboardMarkup
from telegram.constants import ChatAction
from telegram.error import BadRequest, ChatMigrated, Forbidden, InvalidToken, NetworkError, RetryAfter, TelegramError, TimedOut

from channels.message import Attached, Button, LaterError, Outbound, RefusedError, UncertainError
from channels.telegram.wire import Part, parts, place, plain_parts

DRAFT_EVERY = 1.2
"""Seconds between two edits of a reply that grows."""

TYPING_EVERY = 4.5
"""Seconds after which Telegram takes the sign of typing away."""

FIRST_PAUSE = 1.0
"""Seconds after which to try again where Telegram could not be reached."""

_TYPED = 6
_SHORTEST_DRAFT = 40


@dataclass(slots=True)
class _Draft:
    """A reply that grows: the message that shows it, what it shows, and when it was last edited."""

    message: int = 0
    shown: str = ""
    edited_at: float = 0.0
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)


class Sending:
    """Sends through a bot. What was sent of a reply already is not sent again, as long as the process lives."""

    def __init__(self, bot: Bot) -> None:
        """Use a bot."""
        self._bot = bot
        self._typing: dict[str, asyncio.Task[None]] = {}
        self._drafts: dict[str, _Draft] = {}
        self._sent: dict[str, int] = {}

    async def stop(self) -> None:
        """Type no more."""
        tasks = list(self._typing.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        self._typing.clear()

    async def draft(self, chat: str, in_reply_to: str, text: str) -> str:
        """Show that a reply is written, and what there is of it, no oftener than Telegram likes; return a message made for it."""
        self.type(chat)
        draft = self._drafts.setdefault(in_reply_to, _Draft())
        if len(text) < _SHORTEST_DRAFT or time.monotonic() - draft.edited_at < DRAFT_EVERY or draft.lock.locked():
            return ""
        async with draft.lock:
            shown = plain_parts(text)[0].text
            if shown == draft.shown:
                return ""
            made = ""
            with suppress(TelegramError):  # the reply itself comes whole
                id_, topic = place(chat)
                if draft.message:
                    await self._bot.edit_message_text(shown, chat_id=id_, message_id=draft.message)
                else:
                    draft.message = (await self._bot.send_message(id_, shown, message_thread_id=topic)).message_id
                    made = str(draft.message)
                draft.shown = shown
            draft.edited_at = time.monotonic()
            return made

    async def deliver(self, outbound: Outbound) -> str:
        """Send a reply in parts, the first in place of its draft, and then its file; return the id of the last message."""
        self.stop_typing(outbound.chat)
        draft = self._drafts.get(outbound.in_reply_to)
        edits = (draft.message if draft is not None else 0) or int(outbound.draft or 0)
        made = parts(outbound.text, again=outbound.again)
        last = 0
        for number in range(self._sent.get(outbound.id, 0), len(made)):
            buttons = outbound.buttons if number == len(made) - 1 else ()
            last = await self._send(outbound.chat, made[number], _keyboard(buttons), edits if number == 0 else 0)
            self._sent[outbound.id] = number + 1
        if outbound.attached is not None:
            last = await self._send_file(outbound.chat, outbound.attached)
        self._sent.pop(outbound.id, None)
        self._drafts.pop(outbound.in_reply_to, None)
        return str(last)

    async def tell(self, chat: str, words: str) -> None:
        """Say something that is no reply, once."""
        id_, topic = place(chat)
        with suppress(TelegramError):
            for part in parts(words):
                await self._bot.send_message(id_, part.text, entities=list(part.entities), message_thread_id=topic)

    def type(self, chat: str) -> None:
        """Show that something is being written, for a while."""
        task = self._typing.get(chat)
        if task is None or task.done():
            self._typing[chat] = asyncio.create_task(self._keep_typing(chat))

    def stop_typing(self, chat: str) -> None:
        """Show it no longer."""
        task = self._typing.pop(chat, None)
        if task is not None:
            task.cancel()

    async def _keep_typing(self, chat: str) -> None:
        id_, topic = place(chat)
        with suppress(TelegramError):
            for _ in range(_TYPED):  # an end, where nothing comes; a reply that grows begins it anew
                await self._bot.send_chat_action(id_, ChatAction.TYPING, message_thread_id=topic)
                await asyncio.sleep(TYPING_EVERY)

    async def _send(self, chat: str, part: Part, markup: InlineKeyboardMarkup | None, edits: int) -> int:
        """Send one part, in place of a message or anew; as it is written where Telegram does not take its entities."""
        try:
            try:
                return await self._put(chat, part, markup, edits)
            except BadRequest as error:
                if "not modified" in str(error).casefold():
                    return edits
                if edits:  # the draft is gone
                    return await self._put(chat, part, markup, 0)
                return await self._put(chat, Part(part.text), markup, 0)
        except TelegramError as error:
            raise _translated(error) from error

    async def _put(self, chat: str, part: Part, markup: InlineKeyboardMarkup | None, edits: int) -> int:
        entities, (id_, topic) = list(part.entities), place(chat)
        if edits:
            await self._bot.edit_message_text(part.text, chat_id=id_, message_id=edits, entities=entities, reply_markup=markup)
            return edits
        sent = await self._bot.send_message(id_, part.text, entities=entities, reply_markup=markup, message_thread_id=topic)
        return sent.message_id

    async def _send_file(self, chat: str, attached: Attached) -> int:
        id_, topic = place(chat)
        try:
            sent = await self._bot.send_document(id_, attached.content, filename=attached.name, message_thread_id=topic)
        except TelegramError as error:
            raise _translated(error) from error
        return sent.message_id


def _translated(error: TelegramError) -> LaterError | RefusedError | UncertainError:
    """Return what a failure says about a message: not now, never, or nobody knows."""
    match error:
        case RetryAfter():
            return LaterError(seconds(error))
        case BadRequest() | Forbidden() | InvalidToken() | ChatMigrated():
            return RefusedError(str(error))
        case TimedOut():
            return UncertainError(str(error))
        case NetworkError() if not _may_have_arrived(error):
            return LaterError(FIRST_PAUSE)
        case _:
            return UncertainError(str(error))


def seconds(error: RetryAfter) -> float:
    """Return for how long Telegram takes nothing more."""
    after = error.retry_after
    return float(after) if isinstance(after, int | float) else after.total_seconds()


def _keyboard(buttons: tuple[Button, ...]) -> InlineKeyboardMarkup | None:
    rows = [[InlineKeyboardButton(button.words, callback_data=button.data)] for button in buttons]
    return InlineKeyboardMarkup(rows) if rows else None


def _may_have_arrived(error: NetworkError) -> bool:
    """Tell whether a request may have been taken although no answer came; one that found nobody was not."""
    return "connect" not in str(error).casefold()
