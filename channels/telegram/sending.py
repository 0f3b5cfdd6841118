"""What the bot says: replies in parts, what there is of them while they are written, and the sign of typing.

https://core.telegram.org/bots/api#sendmessage
"""

import asyncio
import time
from contextlib import suppress
from dataclasses import dataclass, field

from telegram import Bot, InlineKeyboardButton, InlineKeyboardMarkup
from telegram.constants import ChatAction
from telegram.error import BadRequest, ChatMigrated, Forbidden, InvalidToken, NetworkError, RetryAfter, TelegramError

from channels.message import (
    Attached,
    Button,
    DeliveryError,
    LaterError,
    Outbound,
    RefusedError,
    UncertainError,
    UnreachableError,
)
from channels.telegram.wire import AGAIN, Part, marked, parts, place, plain_parts

DRAFT_EVERY = 1.2
"""Seconds between two edits of a reply that grows."""

TYPING_EVERY = 4.5
"""Seconds after which Telegram takes the sign of typing away."""

FIRST_PAUSE = 1.0
"""Seconds after which to try again where Telegram could not be reached."""

_TYPED, _TRIES = 6, 5
_NOT_SENT = frozenset({"ConnectError", "ConnectTimeout", "PoolTimeout"})
"""What httpx calls the failures after which nothing was sent."""

_TOO_LARGE = "too large"
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
        self._sent: dict[str, tuple[list[Part], int]] = {}

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
        """Send a reply in parts, the first in place of its draft, and then its file; return the id of the last message.

        Where it is sent again, what arrived is not, and the first that is sent carries a mark.
        """
        self.stop_typing(outbound.chat)
        draft = self._drafts.get(outbound.in_reply_to)
        edits = (draft.message if draft is not None else 0) or int(outbound.draft or 0)
        made, done = self._sent.get(outbound.id) or (await asyncio.to_thread(parts, outbound.text), 0)
        last, mark = 0, outbound.again
        try:
            for number in range(done, len(made)):
                buttons = _keyboard(outbound.buttons) if number == len(made) - 1 else None
                for part in marked(made[number]) if mark else (made[number],):
                    last = await self._send(outbound.chat, part, buttons, edits if number == 0 else 0)
                    edits = 0
                mark = False
                if outbound.id:  # words that are no reply have none, and are not sent again
                    self._sent[outbound.id] = made, number + 1
            if outbound.attached is not None:
                last = await self._send_file(outbound.chat, outbound.attached, again=mark)
        except RefusedError:
            self._forget(outbound)
            raise
        self._forget(outbound)
        return str(last)

    def _forget(self, outbound: Outbound) -> None:
        self._sent.pop(outbound.id, None)
        self._drafts.pop(outbound.in_reply_to, None)

    async def tell(self, chat: str, words: str) -> None:
        """Say something that is no reply; a few times where Telegram takes nothing for a moment."""
        for part in await asyncio.to_thread(parts, words):
            for _ in range(_TRIES):
                try:
                    await self._send(chat, part, None, 0)
                    break
                except LaterError as error:
                    await asyncio.sleep(error.seconds)
                except UnreachableError:
                    await asyncio.sleep(FIRST_PAUSE)
                except (RefusedError, UncertainError):
                    return

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
            return await self._try(chat, part, markup, edits)
        except ChatMigrated as error:
            _, _, topic = chat.partition(":")
            return await self._send(f"{error.new_chat_id}{topic and ':'}{topic}", part, markup, 0)
        except TelegramError as error:
            raise _translated(error) from error

    async def _try(self, chat: str, part: Part, markup: InlineKeyboardMarkup | None, edits: int) -> int:
        plain = Part(part.text)
        ways = [(part, edits), (plain, edits), *([(plain, 0)] if edits else [])]
        while True:
            (shown, place_of), *ways = ways
            try:
                return await self._put(chat, shown, markup, place_of)
            except BadRequest as error:
                said = str(error).casefold()
                if "not modified" in said:
                    return place_of
                if place_of and ("not found" in said or "can't be edited" in said):  # the draft is gone
                    ways = [(part, 0), (plain, 0)]
                if not ways:
                    raise

    async def _put(self, chat: str, part: Part, markup: InlineKeyboardMarkup | None, edits: int) -> int:
        entities, (id_, topic) = list(part.entities), place(chat)
        if edits:
            await self._bot.edit_message_text(part.text, chat_id=id_, message_id=edits, entities=entities, reply_markup=markup)
            return edits
        sent = await self._bot.send_message(id_, part.text, entities=entities, reply_markup=markup, message_thread_id=topic)
        return sent.message_id

    async def _send_file(self, chat: str, attached: Attached, *, again: bool) -> int:
        id_, topic = place(chat)
        caption = AGAIN.strip() if again else None
        try:
            sent = await self._bot.send_document(
                id_, attached.content, caption=caption, filename=attached.name, message_thread_id=topic
            )
        except TelegramError as error:
            raise _translated(error) from error
        return sent.message_id


def _translated(error: TelegramError) -> DeliveryError:
    """Return what a failure says about a message: not now, not yet, never, or nobody knows."""
    match error:
        case RetryAfter():
            return LaterError(seconds(error))
        case InvalidToken():
            return UnreachableError(str(error))
        case BadRequest() | Forbidden():
            return RefusedError(str(error))
        case NetworkError() if type(error.__cause__).__name__ in _NOT_SENT:
            return UnreachableError(str(error))
        case NetworkError() if _TOO_LARGE in str(error).casefold():
            return RefusedError(str(error))
        case _:
            return UncertainError(str(error))


def seconds(error: RetryAfter) -> float:
    """Return for how long Telegram takes nothing more."""
    after = error.retry_after
    return float(after) if isinstance(after, int | float) else after.total_seconds()


def _keyboard(buttons: tuple[Button, ...]) -> InlineKeyboardMarkup | None:
    rows = [[InlineKeyboardButton(button.words, callback_data=button.data)] for button in buttons]
    return InlineKeyboardMarkup(rows) if rows else None
