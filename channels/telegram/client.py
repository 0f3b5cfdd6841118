"""The bot: takes updates, each acknowledged once it is durable, and tells what people did.

It polls, or is called back where an address is set up for that. One process polls for a token. Where Telegram cannot be reached
the bot tries again; where it does not take the token the channel is down, and says so.
"""

import asyncio
import hmac
import json
import time
import warnings
from collections.abc import Coroutine
from contextlib import suppress
from typing import Any

import structlog
from telegram import Bot, Update
from telegram.error import Conflict, InvalidToken, RetryAfter, TelegramError
from telegram.request import HTTPXRequest

from channels import message
from channels.message import DOWN, Handler, Outbound, Press, Presser, State
from channels.telegram import wire
from channels.telegram.lock import TokenLock
from channels.telegram.sending import FIRST_PAUSE, Sending, seconds
from channels.telegram.wire import NAME, parse

log = structlog.get_logger(__name__)

POLL = 25
"""Seconds that Telegram holds a poll open."""

DEAF = 4 * POLL
"""Seconds without a completed poll after which the channel hears nothing."""

LONGEST_END = 5.0
"""Seconds that an end waits for presses that are being decided."""

_LONGEST_PAUSE, _CLOSING = 60.0, 3
_KINDS = [Update.MESSAGE, Update.EDITED_MESSAGE, Update.CALLBACK_QUERY, Update.MY_CHAT_MEMBER, Update.CHAT_MEMBER]


class Telegram:
    """The channel of one bot."""

    shows_notes, pushes = False, True

    def __init__(self, token: str, press: Presser, commands: list[tuple[str, str]], api: str = "", callback: str = "") -> None:
        """Use a bot's token; ``press`` is told of buttons, ``api`` is another server than Telegram's.

        With ``callback``, the address at which ``hear`` is reached, Telegram brings the updates there and nothing is polled.
        """
        self.name, self.state = NAME, State(deaf_after=DEAF)
        base = api.rstrip("/") or "https://api.telegram.org"
        request = HTTPXRequest(connection_pool_size=64, read_timeout=15, connect_timeout=10, pool_timeout=30)
        polling = HTTPXRequest(connection_pool_size=2, read_timeout=POLL + 15, connect_timeout=10)
        self._bot = Bot(
            token, base_url=f"{base}/bot", base_file_url=f"{base}/file/bot", request=request, get_updates_request=polling
        )
        self._sending = Sending(self._bot)
        self._press, self._commands, self._callback = press, commands, callback
        self._secret = hmac.digest(token.encode(), b"callback", "sha256").hex()
        self._lock, self._in_order = TokenLock(f"{base} {token}"), asyncio.Lock()
        self._task: asyncio.Task[None] | None = None
        self._beside: set[asyncio.Task[None]] = set()
        self._handler: Handler | None = None
        self._offset: int | None = None

    async def start(self, handler: Handler) -> None:
        """Begin to take updates in the background."""
        self._handler, self.state.started_at = handler, time.time()
        self._task = asyncio.create_task(self._run(handler))

    async def stop(self) -> None:
        """End; an update that was not handed over is sent again by Telegram."""
        self._handler = None
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
        self._lock.release()

    async def close(self) -> None:
        """Send no more; a press that is being decided is decided first, for a while."""
        if self._beside:
            await asyncio.wait(self._beside, timeout=LONGEST_END)
        for task in self._beside:
            task.cancel()
        await asyncio.gather(*self._beside, return_exceptions=True)
        await self._sending.stop()
        with suppress(TelegramError, RuntimeError):
            await self._bot.shutdown()
        for _ in range(_CLOSING):  # connections that were cut off close in the next turns of the event loop
            await asyncio.sleep(0)

    # Out

    async def draft(self, chat: str, in_reply_to: str, text: str) -> str:
        """Show that a reply is written, and what there is of it."""
        return await self._sending.draft(chat, in_reply_to, text)

    async def deliver(self, outbound: Outbound) -> str:
        """Send a reply, the first part in place of its draft."""
        sent = await self._sending.deliver(outbound)
        self.state.delivered_at = time.time()
        return sent

    async def fetch(self, file: message.File, most: int) -> bytes:
        """Return the bytes of a file that came; raise ``OSError`` where it is not to be had or is too large."""
        try:
            found = await self._bot.get_file(file.id)
            if (found.file_size or 0) > most:
                raise OSError(file.name)
            content = bytes(await found.download_as_bytearray())
        except TelegramError as error:
            raise OSError(file.name) from error
        if len(content) > most:
            raise OSError(file.name)
        return content

    async def check(self) -> str:
        """Return what is wrong with the token, in words; empty where Telegram takes it."""
        bot = Bot(self._bot.token, base_url=self._bot.base_url.removesuffix(self._bot.token))
        try:
            async with bot:
                return ""
        except InvalidToken:
            return "Telegram does not take the token; @BotFather gives a new one"
        except TelegramError as error:
            return f"Telegram cannot be reached ({type(error).__name__}); check the network"

    # In

    async def hear(self, secret: str, body: bytes) -> bool:
        """Take an update that was brought to the callback; return whether whoever brought it knows the secret.

        What is no update is taken and left. Raises ``ConnectionError`` where it is to be brought again.
        """
        if not self._callback or not hmac.compare_digest(secret.encode(), self._secret.encode()):
            return False
        if self._handler is None or self.state.word != "listening":
            gone = "the channel is not started"
            raise ConnectionError(gone)
        try:
            given = json.loads(body)
        except (ValueError, RecursionError):
            given = None
        async with self._in_order:
            await self._take(given, self._handler)
            self.state.heard_at = time.time()
        return True

    async def _run(self, handler: Handler) -> None:
        pause = FIRST_PAUSE
        while True:
            try:
                await self._listen(handler)
            except InvalidToken:
                self._is(DOWN, "Telegram does not take the token; put the right one where muniment.toml says, and start again")
                return
            except Conflict:
                self._is("waiting", "another process polls with this token; this one takes over when that one ends")
            except RetryAfter as error:
                pause = max(pause, seconds(error))
            except TelegramError as error:
                self._is("unreachable", type(error).__name__)
            except Exception as error:  # noqa: BLE001 - the next poll may do
                self._is("failing", type(error).__name__)
            if self.state.heard_at > time.time() - pause:  # it went well until now
                pause = FIRST_PAUSE
            await asyncio.sleep(pause)
            pause = min(2 * pause, _LONGEST_PAUSE)

    async def _listen(self, handler: Handler) -> None:
        """Take updates until something fails."""
        if not self._lock.hold():
            raise Conflict("another process of this machine")  # noqa: EM101, TRY003 - as Telegram says of another machine's
        await self._bot.initialize()
        with suppress(TelegramError):
            await self._bot.set_my_commands(self._commands)
        if self._callback:
            await self._be_called()
        else:
            await self._poll(handler)

    async def _be_called(self) -> None:
        """Let Telegram bring updates, one at a time, and see now and then that it does."""
        await self._bot.set_webhook(self._callback, max_connections=1, allowed_updates=_KINDS, secret_token=self._secret)
        while True:
            told = await self._bot.get_webhook_info()
            late = f"{told.pending_update_count} updates wait; {told.last_error_message}" if told.last_error_message else ""
            self._is("listening", late if told.pending_update_count else "")
            if told.url == self._callback and not (late and told.pending_update_count):
                self.state.heard_at = time.time()
            await asyncio.sleep(POLL)

    async def _poll(self, handler: Handler) -> None:
        """Ask for updates; one is acknowledged by the poll after its handler returned."""
        await self._bot.delete_webhook()
        held_open = 0  # the first poll returns at once, so that it is known that Telegram answers
        while True:
            updates = await self._updates(held_open)
            held_open = POLL
            self._is("listening", "")
            self.state.heard_at = time.time()
            for id_, update in updates:
                if self._offset is not None and id_ > self._offset:
                    log.info("updates left out", after=self._offset, count=id_ - self._offset)
                await self._take(update, handler)
                self.state.heard_at = time.time()
                self._offset = id_ + 1

    async def _updates(self, held_open: int) -> list[tuple[int, Any]]:
        """Return updates with their ids; as they came where one cannot be read, which must not keep the others from being."""
        try:
            updates = await self._bot.get_updates(offset=self._offset, timeout=held_open, allowed_updates=_KINDS)
            return [(update.update_id, update) for update in updates]
        except TelegramError:
            raise
        except Exception as error:  # noqa: BLE001 - whatever the library stumbles over
            log.warning("updates are read one by one", error=type(error).__name__)
        asked = {"offset": self._offset, "timeout": 0, "allowed_updates": _KINDS}
        with warnings.catch_warnings():  # that there is a method for it, which cannot read these
            warnings.simplefilter("ignore")
            found = await self._bot.do_api_request("getUpdates", api_kwargs=asked)
        return [(int(update["update_id"]), update) for update in found]

    async def _take(self, given: Any, handler: Handler) -> None:
        """Take an update; one that cannot be read, or that something in us stumbles over, is left out and noted.

        Raises ``ConnectionError`` where it is to come again, since there is no room for it now.
        """
        names = frozenset(name for name, _ in self._commands)
        try:
            update = given if isinstance(given, Update) else Update.de_json(given, self._bot)
            for found in parse(update, wire.Bot(self._bot.id, self._bot.username, names)):
                if isinstance(found, Press):
                    self._start(self._pressed(update, found))
                    continue
                await handler(found)
        except ConnectionError:
            raise
        except Exception as error:  # noqa: BLE001 - an update that always fails would keep all others from being heard
            log.warning("an update was left out", error=type(error).__name__)

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
        done = await self._press(press)
        if not done.keeps_buttons:
            with suppress(TelegramError):
                await query.edit_message_reply_markup(None)
        await self._sending.tell(press.chat, done.words)

    def _is(self, word: str, detail: str) -> None:
        if (word, detail) != (self.state.word, self.state.detail):
            log.info("telegram", state=word, detail=detail)
        self.state.word, self.state.detail = word, detail
