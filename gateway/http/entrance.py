"""How a browser comes in and leaves, with all that is remembered for its person: the link, its button, the cookie, the file."""

import asyncio
from urllib.parse import parse_qs

from fastapi import APIRouter, Request, Response
from fastapi.responses import RedirectResponse

from gateway.entry import SESSION_LASTS, Session, is_same
from gateway.exporting import EXPORT_NAME, exported
from gateway.http.turns import Chat
from gateway.service import Service

COOKIE = "muniment"
_MOST_FORM = 4_096


def entrance_routes(service: Service, chat: Chat) -> APIRouter:
    """Return the routes that open and end sessions."""
    routes, entry = APIRouter(), service.entry

    @routes.get("/enter/{secret}")
    async def link(secret: str) -> Response:
        return chat.page("enter.html", open=entry.is_open(secret), secret=secret)

    @routes.post("/enter/{secret}")
    async def enter(secret: str, request: Request) -> Response:
        cookie = await entry.enter(secret)
        if cookie is None:
            refused = chat.page("enter.html", open=False, secret="")
            refused.status_code = 403
            return refused
        response = RedirectResponse("/", 303)
        secure = request.url.scheme == "https"
        response.set_cookie(COOKIE, cookie, max_age=SESSION_LASTS, httponly=True, samesite="strict", secure=secure, path="/")
        return response

    @routes.post("/leave")
    async def leave(request: Request) -> Response:
        session = await form_session(request, service)
        if session is None:
            return Response("Not from this page.", 403)
        await entry.leave(session)
        response = RedirectResponse("/", 303)
        response.delete_cookie(COOKIE, path="/")
        return response

    @routes.get("/export")
    async def export(request: Request) -> Response:
        session = entry.session(request.cookies.get(COOKIE, ""))
        if session is None:
            return Response("There is nothing here for you.", 403)
        content, _ = await asyncio.to_thread(exported, service.memory, session.person)
        headers = {"Content-Disposition": f"attachment; filename={EXPORT_NAME}"}
        return Response(content, media_type="application/trig", headers=headers)

    return routes


async def form_session(request: Request, service: Service) -> Session | None:
    """Return the session of a form that was sent from our own page."""
    return (await form_of(request, service))[0]


async def form_of(request: Request, service: Service) -> tuple[Session | None, dict[str, str]]:
    """Return the session of a form that was sent from our own page, with its fields."""
    session = service.entry.session(request.cookies.get(COOKIE, ""))
    body = b""
    async for piece in request.stream():
        body += piece
        if len(body) > _MOST_FORM:
            return None, {}
    given = {name: values[0] for name, values in parse_qs(body.decode("utf-8", "replace")).items()}
    is_ours = session is not None and is_same(given.get("csrf", ""), session.csrf)
    return (session if is_ours else None), given
