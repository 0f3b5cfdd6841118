"""The buttons under what waits for a person: a form each, for whoever has a session and decides about it."""

from fastapi import APIRouter, Request, Response

from gateway.errors import IncorrectRequestError
from gateway.http.entrance import form_of
from gateway.http.turns import Chat
from gateway.service import Service
from memory.errors import MunimentMemoryError


def deciding_routes(service: Service, chat: Chat) -> APIRouter:
    """Return the route that takes a decision."""
    routes = APIRouter()

    @routes.post("/decide/{code}")
    async def decide(code: str, request: Request) -> Response:
        session, given = await form_of(request, service)
        if session is None:
            return Response("Not from this page.", 403)
        choice, person, approvals = given.get("choice", ""), session.person, service.approvals
        try:
            if choice in {"deny", "reject"}:
                done = await approvals.deny(person, code)
            else:
                done = await approvals.approve(person, code, choice)
            lines = list(done.lines)
        except (MunimentMemoryError, IncorrectRequestError) as error:
            lines = [str(error)]
        return chat.page("decided.html", lines=lines)

    return routes
