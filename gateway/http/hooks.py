"""Where platforms bring what happened: with the platform's secret, and answered once what it brings is durable."""

from typing import Protocol, runtime_checkable

from fastapi import APIRouter, Request, Response
from starlette.requests import HTTPConnection

from gateway.service import Service
from memory.errors import MunimentMemoryError

PREFIX = "/hooks/"
SECRET = "x-telegram-bot-api-secret-token"  # noqa: S105 - the name of a header
_LONGEST = 1_000_000


@runtime_checkable
class Called(Protocol):
    """A channel whose platform brings what happened."""

    async def hear(self, secret: str, body: bytes) -> bool:
        """Take it; return whether whoever brought it knows the secret. Raises ``ConnectionError`` where it is to come again."""
        ...


def hook_routes(service: Service) -> APIRouter:
    """Return the route of the platforms."""
    routes = APIRouter()

    @routes.post(PREFIX + "{name}")
    async def hook(name: str, request: Request) -> Response:
        channel = service.channels.get(name)
        body = b""
        async for piece in request.stream():
            body += piece
            if len(body) > _LONGEST:
                return Response(status_code=413)
        if not isinstance(channel, Called):
            return Response(status_code=404)
        try:
            known = await channel.hear(request.headers.get(SECRET, ""), body)
        except (ConnectionError, MunimentMemoryError):
            return Response(status_code=503)  # the platform brings it again
        return Response(status_code=200 if known else 404)

    return routes


def is_from_platform(connection: HTTPConnection) -> bool:
    """Tell whether a request is for a hook and carries a secret, which no other site can make a browser send."""
    return connection.url.path.startswith(PREFIX) and SECRET in connection.headers and "origin" not in connection.headers
