"""The web chat: its page, its socket, and the buttons under a message. Everything here is for whoever has a session."""

import asyncio
import json
from collections.abc import Callable
from contextlib import suppress

import structlog
from fastapi import APIRouter, Request, Response, WebSocket, WebSocketDisconnect
from fastapi.responses import HTMLResponse, RedirectResponse

from channels.message import Inbound, Outbound, Sender
from gateway.entry import WEB, Session
from gateway.http.entrance import COOKIE, form_session
from gateway.http.turns import Chat
from gateway.service import Service
from gateway.waiting import wait
from memory.errors import MunimentMemoryError, UnknownThingError
from memory.ids import known_zone
from memory.text import LONGEST_SOURCE

log = structlog.get_logger(__name__)

LONGEST_MESSAGE = LONGEST_SOURCE * 12 + 4_096
"""Bytes of a message on the socket, every character escaped."""

_LONGEST_ID = 64
_MOST_AT_ONCE = 64
_GOING, _UNKNOWN, _STRANGER = 1012, 4400, 4401
_DRAFT_EVERY = 0.1


class _OpenPage:
    """A page's socket."""

    def __init__(self, socket: WebSocket, chat: Chat, session: Session, is_let_in: Callable[[], bool]) -> None:
        self._is_let_in = is_let_in
        self._socket, self._chat, self._session = socket, chat, session
        self._drawing: tuple[str, str, float] = ("", "", 0.0)

    async def show_draft(self, in_reply_to: str, text: str) -> None:
        """Show what there is of a reply under its message."""
        source, shown, since = self._drawing
        now = asyncio.get_running_loop().time()
        if source != in_reply_to:
            turn = await asyncio.to_thread(self._chat.turn, self._session, in_reply_to)
            shown, since = ("" if turn is None else turn.id), 0.0
        if shown and now - since >= _DRAFT_EVERY:
            since = now
            async with asyncio.timeout(_DRAFT_EVERY):  # a page that does not read holds nobody up
                await self.send({"type": "draft", "id": shown, "text": text})
        self._drawing = (in_reply_to, shown, since)

    async def show_reply(self, outbound: Outbound) -> None:
        """Show a turn with its reply; what could not be accepted is told under the message's own id."""
        if not self._is_let_in():
            await self.close(_STRANGER)
            return
        if not outbound.id:
            await self.send({"type": "error", "id": outbound.in_reply_to, "text": outbound.text})
            return
        turn = await asyncio.to_thread(self._chat.turn, self._session, outbound.in_reply_to)
        if turn is not None:
            html = self._chat.fragment("turn.html", self._session, turn)
            await self.send({"type": "turn", "id": turn.id, "html": html})

    async def close(self, code: int = _GOING) -> None:
        """End the socket; the page opens another."""
        with suppress(RuntimeError, WebSocketDisconnect, OSError):
            await self._socket.close(code)

    async def send(self, message: dict[str, str]) -> None:
        """Send a message to the page; raise ``ConnectionError`` where it is gone."""
        try:
            await self._socket.send_text(json.dumps(message))
        except (RuntimeError, WebSocketDisconnect, OSError) as error:
            gone = "the page is gone"
            raise ConnectionError(gone) from error


def chat_routes(service: Service, chat: Chat) -> APIRouter:
    """Return the routes of the web chat."""
    routes, entry = APIRouter(), service.entry

    @routes.get("/")
    async def page(request: Request) -> Response:
        session = entry.session(request.cookies.get(COOKIE, ""))
        if session is None:
            return chat.page("closed.html")
        turns = await asyncio.to_thread(chat.turns, session)
        who = session.person.display_name or f"the {session.person.role}"
        return chat.page("chat.html", turns=turns, csrf=session.csrf, who=who)

    @routes.post("/undo/{source}")
    async def undo(source: str, request: Request) -> Response:
        session = await form_session(request, service)
        if session is None:
            return Response("Not from this page.", 403)
        return await _undo(service, chat, session, source, fragment="hx-request" in request.headers)

    @routes.get("/why/{claim}")
    async def why(claim: str, request: Request) -> Response:
        session = entry.session(request.cookies.get(COOKIE, ""))
        if session is None:
            return Response("There is nothing here for you.", 403)
        try:
            lines = await asyncio.to_thread(service.inspector.why_claim, session.person, claim)
        except UnknownThingError as error:
            return Response(str(error), 404)
        return chat.page("why.html", lines=lines)

    @routes.websocket("/ws")
    async def talk(socket: WebSocket) -> None:
        session = entry.session(socket.cookies.get(COOKIE, ""))
        await socket.accept()
        if session is None:
            await socket.close(_STRANGER)
            return
        await _talk(service, chat, socket, session)

    return routes


async def _undo(service: Service, chat: Chat, session: Session, source: str, *, fragment: bool) -> Response:
    """Take back what was stored from a message of the person's own chat; show what stands under it now."""
    try:
        said = await asyncio.to_thread(chat.source, session, source)
        with suppress(UnknownThingError):  # undone before
            await wait(service.memory.undo(said, session.person.id))
    except UnknownThingError as error:
        return Response(str(error), 404)
    turn = await asyncio.to_thread(chat.turn, session, source)
    if not fragment or turn is None:
        return RedirectResponse("/", 303)
    return HTMLResponse(chat.fragment("noted.html", session, turn))


async def _talk(service: Service, chat: Chat, socket: WebSocket, session: Session) -> None:
    """Take messages from a page until it goes; what was taken is finished all the same."""

    def is_let_in() -> bool:
        return service.entry.session(socket.cookies.get(COOKIE, "")) is not None

    page, chat_id = _OpenPage(socket, chat, session, is_let_in), session.person.id
    service.web.opened(chat_id, page)
    running: set[asyncio.Task[None]] = set()
    try:
        for outbound in await asyncio.to_thread(service.outbox.undelivered, WEB, chat_id):
            await service.outbox.deliver(outbound, WEB)
        while True:
            text = await socket.receive_text()
            if not is_let_in():
                await socket.close(_STRANGER)
                return
            inbound = _inbound(text, session, service.memory.clock())
            if inbound is None or len(running) >= _MOST_AT_ONCE:
                await socket.close(_UNKNOWN)
                return
            task = asyncio.create_task(_send(service, page, inbound))
            running.add(task)
            task.add_done_callback(running.discard)
    except (WebSocketDisconnect, ConnectionError, KeyError, RuntimeError):
        pass
    finally:
        service.web.closed(chat_id, page)
        await asyncio.gather(*running, return_exceptions=True)


async def _send(service: Service, page: _OpenPage, inbound: Inbound) -> None:
    try:
        await service.web.send(inbound)
    except (MunimentMemoryError, ConnectionError) as error:
        log.warning("message not taken", error=type(error).__name__)
        with suppress(ConnectionError):
            await page.close()  # the page keeps the message and sends it again to the next socket


def _inbound(text: str, session: Session, at: int) -> Inbound | None:
    """Return the message that a page sent, or ``None`` where it is none."""
    try:
        said = json.loads(text)
        id_, words, zone = said["id"], said["text"], said["zone"]
    except (ValueError, TypeError, KeyError, RecursionError):
        return None
    if not all(isinstance(part, str) for part in (id_, words, zone)) or not (0 < len(id_) <= _LONGEST_ID and id_.isprintable()):
        return None
    return Inbound(Sender(WEB, session.person.id), session.person.id, id_, words, at, known_zone(zone))
