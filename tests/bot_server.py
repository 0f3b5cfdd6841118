# pyright: basic
"""A Bot API server on loopback for tests: what people send, what the bot sent, and faults that it answers with."""

import asyncio
import itertools
import json
import threading
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import Any

from aiohttp import web
from lo_bot_api_emulator import ApiRefusal, LoBotApiEmulator
from lo_bot_api_emulator.updates import KINDS

KINDS.add("edited_message")  # which the emulator passes on and does not queue by itself
TOKEN = "123456789:TESTTOKEN"


class _Emulator(LoBotApiEmulator):  # type: ignore[misc]
    """The emulator with what it lacks: the bot's name, a transcript, faults, and entities that have to fit."""

    def __init__(self) -> None:
        super().__init__(enable_control=True)
        self.sent: list[tuple[str, dict[str, Any]]] = []
        self.faults: list[dict[str, Any]] = []
        self.texts: dict[tuple[str, str], object] = {}
        self.files: list[tuple[str, bytes]] = []
        self.hook: dict[str, Any] = {}

    def validate(self, method: str, fields: dict[str, Any], uploads: Any) -> Any:
        fault = next((fault for fault in self.faults if fault["method"] == method), None)
        if fault is not None:
            self.faults.remove(fault)
            more = {"retry_after": fault["retry_after"]} if "retry_after" in fault else None
            raise ApiRefusal(fault.get("description", "scripted"), fault["status"], more)
        if method in {"setWebhook", "getWebhookInfo"}:
            return self._hooked(method, fields)
        topic = fields.pop("message_thread_id", None)  # which the emulator does not know
        self.files += [(upload.get("filename", name), upload["data"]) for name, upload in uploads.items()]
        text = str(fields.get("text", ""))
        for entity in json.loads(fields.get("entities") or "[]"):
            end = entity["offset"] + entity["length"]
            if entity["length"] <= 0 or end > len(text.encode("utf-16-le")) // 2:
                message = "Bad Request: entity beyond the text"
                raise ApiRefusal(message)
        key = str(fields.get("chat_id")), str(fields.get("message_id"))
        shown = text, fields.get("reply_markup")
        if method == "editMessageText":
            self._editable(key, shown)
        result = super().validate(method, fields, uploads)
        if method == "getMe":
            result = {**result, "username": "test_bot", "is_bot": True, "first_name": "Test"}
        if method == "sendMessage":
            self.texts[key[0], str(result["message_id"])] = shown
        if method == "editMessageText":
            self.texts[key] = shown
        self.sent.append((method, {**fields, **({} if topic is None else {"message_thread_id": topic})}))
        return result

    def _hooked(self, method: str, fields: dict[str, Any]) -> Any:
        if method == "setWebhook":
            self.hook = dict(fields)
            return True
        return {"url": self.hook.get("url", ""), "has_custom_certificate": False, "pending_update_count": 0}

    def _editable(self, key: tuple[str, str], shown: object) -> None:
        if key not in self.texts:
            message = "Bad Request: message to edit not found"
            raise ApiRefusal(message)
        if self.texts[key] == shown:
            message = "Bad Request: message is not modified"
            raise ApiRefusal(message)


class BotServer:
    """The running server."""

    def __init__(self, emulator: _Emulator, loop: asyncio.AbstractEventLoop, url: str) -> None:
        self._emulator, self._loop, self.url = emulator, loop, url
        self._numbers = itertools.count(1_000)
        self._dates: dict[int, int] = {}

    @property
    def sent(self) -> list[tuple[str, dict[str, Any]]]:
        """What the bot sent so far: methods with their fields."""
        return list(self._emulator.sent)

    def texts(self, chat: int, method: str = "sendMessage") -> list[str]:
        """Return what the bot said in a chat."""
        return [fields["text"] for name, fields in self.sent if name == method and str(fields["chat_id"]) == str(chat)]

    def shown(self, chat: int) -> list[str]:
        """Return what the messages of the bot in a chat show now, the oldest first."""
        mine = [(int(number), text) for (where, number), text in self._emulator.texts.items() if where == str(chat)]
        return [str(text[0]) for _, text in sorted(mine)]  # type: ignore[index]

    def fail(self, method: str, status: int, **more: Any) -> None:
        """Let the next call of a method fail."""
        self._emulator.faults.append({"method": method, "status": status, **more})

    @property
    def files(self) -> list[tuple[str, bytes]]:
        """The files that the bot sent so far: names and contents."""
        return list(self._emulator.files)

    @property
    def hook(self) -> dict[str, Any]:
        """What the bot asked to be called by."""
        return dict(self._emulator.hook)

    def file(self, content: bytes) -> str:
        """Return the id of a file that a person can send."""
        id_ = f"file-{next(self._numbers)}"
        self._emulator.assets[id_] = {"data": content}
        return id_

    def say(self, user: int, text: str = "", number: int = 0, group: int = 0, **more: Any) -> int:
        """Let a person send the bot a message, or say something in a group; return its number."""
        number = number or next(self._numbers)
        private = {"id": user, "type": "private", "first_name": f"User{user}"}
        message = {
            "message_id": number, "from": {"id": user, "is_bot": False, "first_name": f"User{user}"},
            "chat": {"id": group, "type": "supergroup", "title": "Group"} if group else private,
            "date": int(time.time()), **more,
        }  # fmt: skip
        self._dates[number] = message["date"]
        self.update({"message": {**message, "text": text} if text else message})
        return number

    def change(self, user: int, number: int, text: str) -> None:
        """Let a person change a message."""
        who = {"id": user, "is_bot": False, "first_name": f"User{user}"}
        chat = {"id": user, "type": "private", "first_name": f"User{user}"}
        now = int(time.time())
        message = {"message_id": number, "from": who, "chat": chat, "date": self._dates[number], "edit_date": now, "text": text}
        self.update({"edited_message": message})

    def press(self, user: int, data: str) -> None:
        """Let a person press a button."""
        chat = {"id": user, "type": "private", "first_name": f"User{user}"}
        message = {"message_id": 1, "chat": chat, "date": int(time.time()), "text": "x"}
        who = {"id": user, "is_bot": False, "first_name": f"User{user}"}
        self.update({"callback_query": {"id": "1", "from": who, "chat_instance": "1", "message": message, "data": data}})

    def buttons(self, chat: int) -> list[tuple[str, str]]:
        """Return the buttons under the last message with some: their words and data."""
        for method, fields in reversed(self.sent):
            if (
                method in {"sendMessage", "editMessageText"}
                and str(fields["chat_id"]) == str(chat)
                and fields.get("reply_markup")
            ):
                rows = json.loads(fields["reply_markup"])["inline_keyboard"]
                return [(button["text"], button["callback_data"]) for row in rows for button in row]
        return []

    def update(self, update: dict[str, Any]) -> None:
        """Queue an update."""
        asyncio.run_coroutine_threadsafe(self._emulator.enqueue_update(update, token=TOKEN), self._loop).result(10)

    async def until(self, holds: Callable[[], object], seconds: float = 15.0) -> None:
        """Wait until something holds; fail where it does not in time."""
        deadline = time.monotonic() + seconds
        while not holds():
            assert time.monotonic() < deadline, self.sent[-5:]
            await asyncio.sleep(0.02)


@contextmanager
def bot_server() -> Generator[BotServer]:
    """Run a server until the block ends."""
    loop, emulator, ready = asyncio.new_event_loop(), _Emulator(), threading.Event()
    found: list[str] = []

    async def run() -> web.AppRunner:
        runner = web.AppRunner(emulator.app(), access_log=None, shutdown_timeout=0.1)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        found.append("http://127.0.0.1:{}".format(*runner.addresses[0][1:2]))
        ready.set()
        return runner

    def work() -> None:
        asyncio.set_event_loop(loop)
        runner = loop.run_until_complete(run())
        loop.run_forever()
        loop.run_until_complete(runner.cleanup())
        loop.run_until_complete(loop.shutdown_asyncgens())
        loop.close()

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    assert ready.wait(10)
    try:
        yield BotServer(emulator, loop, found[0])
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join(10)
