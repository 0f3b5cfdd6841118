"""The bot: takes updates by long polling, each acknowledged once it is durable, and sends, edits and buttons.

One process polls for a token. Where Telegram cannot be reached the bot tries again; where it does not take the token the channel
is down, and says so.
"""

import asyncio
import hashlib
import socket
import sys
import time
from collections.abc import Coroutine
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import structlog
from telegram import Bot, InlineKeyboardButton, InlineKeyboardMarkup, Update
from telegram.constants import ChatAction
from telegram.error import BadRequest, Conflict, Forbidden, InvalidToken, NetworkError, RetryAfter, TelegramError, TimedOut
from telegram.request import HTTPXRequest

from channels.message import Button, Handler, Inbound, LaterError, Outbound, Press, Presser, RefusedError, UncertainError
from channels.telegram.wire import NAME, Part, is_unread, parse, parts, plain_parts

log = structlog.get_logger(__name__)

POLL = 25
"""Seconds that Telegram holds a poll open."""

DEAF = 4 * POLL
"""Seconds without a completed poll after which the channel hears nothing."""

DRAFT_EVERY = 1.2
"""Seconds between two edits of a reply that grows."""

TYPING_EVERY = 4.5
"""Seconds after which Telegram takes the sign of typing away."""

_TYPED = 6
_KINDS = [Update.MESSAGE, Update.EDITED_MESSAGE, Update.CALLBACK_QUERY]
_SHORTEST_DRAFT = 40
_TRIES_FIRST, _TRIES_LONGEST = 1.0, 60.0
_UNREAD = "I read text alone for now: what you sent is neither kept nor read."


@dataclass(slots=True)
class State:
    """How the channel fares, for ``status`` and health checks."""

    word: str = "starting"
    polled_at: float = 0.0
    delivered_at: float = 0.0
    detail: str = ""

    def is_deaf(self, now: float) -> bool:
        """Tell whether no poll was completed for too long."""
        return now - self.polled_at > DEAF


@dataclass(slots=True)
class _Draft:
    """A reply that grows: the message that shows it, what it shows, and when it was last edited."""

    message: int = 0
    shown: str = ""
    edited_at: float = 0.0
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)


class Telegram:
    """The channel of one bot."""

    shows_notes, pushes = False, True

    def __init__(self, token: str, press: Presser, commands: list[tuple[str, str]], api: str = "") -> None:
        """Use a bot's token; ``press`` is told of buttons, ``api`` is another server than Telegram's."""
        self.name, self.state = NAME, State()
        base = f"{api.rstrip('/')}/bot" if api else "https://api.telegram.org/bot"
        request = HTTPXRequest(connection_pool_size=64, read_timeout=15, connect_timeout=10, pool_timeout=30)
        polling = HTTPXRequest(connection_pool_size=2, read_timeout=POLL + 15, connect_timeout=10)
        self._bot = Bot(token, base_url=base, request=request, get_updates_request=polling)
        self._press, self._commands = press, commands
        self._lock = _Lock(token)
        self._task: asyncio.Task[None] | None = None
        self._beside: set[asyncio.Task[None]] = set()
        self._typing: dict[str, asyncio.Task[None]] = {}
        self._drafts: dict[str, _Draft] = {}
        self._sent: dict[str, int] = {}
        self._offset: int | None = None

    async def start(self, handler: Handler) -> None:
        """Begin to poll in the background."""
        self._task = asyncio.create_task(self._run(handler))

    async def stop(self) -> None:
        """End polling; an update that was not handed over is sent again by Telegram."""
        tasks = [task for task in (self._task, *self._beside, *self._typing.values()) if task is not None]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        self._lock.release()
        with suppress(TelegramError, RuntimeError):
            await self._bot.shutdown()

    # Out

    async def draft(self, chat: str, in_reply_to: str, text: str) -> None:
        """Show that a reply is written, and what there is of it, no oftener than Telegram likes."""
        self._type(chat)
        draft = self._drafts.setdefault(in_reply_to, _Draft())
        if len(text) < _SHORTEST_DRAFT or time.monotonic() - draft.edited_at < DRAFT_EVERY or draft.lock.locked():
            return
        async with draft.lock:
            shown = plain_parts(text)[0].text
            if shown == draft.shown:
                return
            with suppress(TelegramError):  # the reply itself comes whole
                if draft.message:
                    await self._bot.edit_message_text(shown, chat_id=chat, message_id=draft.message)
                else:
                    draft.message = (await self._bot.send_message(chat, shown)).message_id
                draft.shown = shown
            draft.edited_at = time.monotonic()

    async def deliver(self, outbound: Outbound) -> str:
        """Send a reply in parts, the first in place of its draft; what was sent of it already is not sent again."""
        self._stop_typing(outbound.chat)
        draft = self._drafts.get(outbound.in_reply_to)
        made = parts(outbound.text, again=outbound.again)
        first = 0
        for number in range(self._sent.get(outbound.id, 0), len(made)):
            buttons = outbound.buttons if number == len(made) - 1 else ()
            first = await self._send(outbound, made, number, buttons, draft)
            self._sent[outbound.id] = number + 1
        self._sent.pop(outbound.id, None)
        self._drafts.pop(outbound.in_reply_to, None)
        self.state.delivered_at = time.time()
        return str(first)

    async def _send(
        self, outbound: Outbound, made: list[Part], number: int, buttons: tuple[Button, ...], draft: _Draft | None
    ) -> int:
        """Send one part; as it is written where Telegram does not take its entities."""
        part, markup = made[number], _keyboard(buttons)
        edits = draft.message if draft is not None and number == 0 else 0
        try:
            try:
                return await self._put(outbound.chat, part, markup, edits)
            except BadRequest as error:
                if "not modified" in str(error).casefold():
                    return edits
                if edits:  # the draft is gone
                    return await self._put(outbound.chat, part, markup, 0)
                return await self._put(outbound.chat, Part(part.text), markup, 0)
        except RetryAfter as error:
            raise LaterError(_seconds(error)) from error
        except (BadRequest, Forbidden, InvalidToken) as error:
            raise RefusedError(str(error)) from error
        except NetworkError as error:
            if isinstance(error, TimedOut) or _may_have_arrived(error):
                raise UncertainError(str(error)) from error
            raise LaterError(_TRIES_FIRST) from error

    async def _put(self, chat: str, part: Part, markup: InlineKeyboardMarkup | None, edits: int) -> int:
        entities = list(part.entities)
        if edits:
            await self._bot.edit_message_text(part.text, chat_id=chat, message_id=edits, entities=entities, reply_markup=markup)
            return edits
        sent = await self._bot.send_message(chat, part.text, entities=entities, reply_markup=markup)
        return sent.message_id

    def _type(self, chat: str) -> None:
        task = self._typing.get(chat)
        if task is None or task.done():
            self._typing[chat] = asyncio.create_task(self._keep_typing(chat))

    async def _keep_typing(self, chat: str) -> None:
        with suppress(TelegramError):
            for _ in range(_TYPED):  # an end, where nothing comes; a reply that grows begins it anew
                await self._bot.send_chat_action(chat, ChatAction.TYPING)
                await asyncio.sleep(TYPING_EVERY)

    def _stop_typing(self, chat: str) -> None:
        task = self._typing.pop(chat, None)
        if task is not None:
            task.cancel()

    # In

    async def _run(self, handler: Handler) -> None:
        pause = _TRIES_FIRST
        while True:
            try:
                await self._poll(handler)
                pause = _TRIES_FIRST
                continue
            except InvalidToken:
                self._is("down", "Telegram does not take the token; put the right one where muniment.toml says, and start again")
                return
            except Conflict:
                self._is("waiting", "another process polls with this token; this one takes over when that one ends")
            except RetryAfter as error:
                pause = max(pause, _seconds(error))
            except TelegramError as error:
                self._is("unreachable", type(error).__name__)
            except Exception as error:  # noqa: BLE001 - the next poll may do
                self._is("failing", type(error).__name__)
            await asyncio.sleep(pause)
            pause = min(2 * pause, _TRIES_LONGEST)

    async def _poll(self, handler: Handler) -> None:
        """Take updates until something fails; an update is acknowledged by the poll after its handler returned."""
        if not self._lock.hold():
            raise Conflict("another process of this machine")  # noqa: EM101, TRY003 - as Telegram says of another machine's
        await self._bot.initialize()
        await self._bot.delete_webhook()
        with suppress(TelegramError):
            await self._bot.set_my_commands(self._commands)
        held_open = 0  # the first poll returns at once, so that it is known that Telegram answers
        while True:
            updates = await self._bot.get_updates(offset=self._offset, timeout=held_open, allowed_updates=_KINDS)
            held_open = POLL
            self._is("listening", "")
            self.state.polled_at = time.time()
            for update in updates:
                await self._take(update, handler)
                self._offset = update.update_id + 1

    async def _take(self, update: Update, handler: Handler) -> None:
        found = parse(update)
        if isinstance(found, Inbound):
            self._type(found.chat)
            await handler(found)
        elif isinstance(found, Press):
            self._start(self._pressed(update, found))
        elif is_unread(update) and update.message is not None:
            self._start(self._tell(str(update.message.chat.id), _UNREAD))

    def _start(self, doing: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(doing)
        self._beside.add(task)
        task.add_done_callback(self._beside.discard)

    async def _pressed(self, update: Update, press: Press) -> None:
        """Do what a button stands for, and let it be pressed no more."""
        query = update.callback_query
        if query is None:
            return
        with suppress(TelegramError):
            await query.answer()
        words = await self._press(press)
        with suppress(TelegramError):
            await query.edit_message_reply_markup(None)
        await self._tell(press.chat, words)

    async def _tell(self, chat: str, words: str) -> None:
        with suppress(TelegramError):
            for part in parts(words):
                await self._bot.send_message(chat, part.text, entities=list(part.entities))

    def _is(self, word: str, detail: str) -> None:
        if (word, detail) != (self.state.word, self.state.detail):
            log.info("telegram", state=word, detail=detail)
        self.state.word, self.state.detail = word, detail


class _Lock:
    """Held by the one process of a machine that polls for a token: an address of Linux that goes with the process."""

    def __init__(self, token: str) -> None:
        self._address = f"\0muniment-telegram-{hashlib.sha256(token.encode()).hexdigest()[:32]}"
        self._socket: socket.socket | None = None

    def hold(self) -> bool:
        """Take it where nobody has it; return whether it is held."""
        if self._socket is not None or sys.platform != "linux":
            return True
        held = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            held.bind(self._address)
        except OSError:
            held.close()
            return False
        self._socket = held
        return True

    def release(self) -> None:
        """Let it go."""
        if self._socket is not None:
            self._socket.close()
            self._socket = None


def _keyboard(buttons: tuple[Button, ...]) -> InlineKeyboardMarkup | None:
    rows = [[InlineKeyboardButton(button.words, callback_data=button.data)] for button in buttons]
    return InlineKeyboardMarkup(rows) if rows else None


def _seconds(error: RetryAfter) -> float:
    after = error.retry_after
    return float(after) if isinstance(after, int | float) else after.total_seconds()


def _may_have_arrived(error: NetworkError) -> bool:
    """Tell whether a request may have been taken although no answer came; one that found nobody was not."""
    return "connect" not in str(error).casefold()
