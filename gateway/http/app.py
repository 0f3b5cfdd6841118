"""The FastAPI application: who may speak to it at all, the web chat, and its health."""

import re
from importlib.resources import files
from pathlib import Path

from fastapi import FastAPI, Request, Response
from fastapi.responses import JSONResponse
from prometheus_client import CONTENT_TYPE_PLAIN_0_0_4
from starlette.requests import HTTPConnection
from starlette.types import ASGIApp, Receive, Scope, Send

from gateway.http.chat import chat_routes
from gateway.http.deciding import deciding_routes
from gateway.http.entrance import entrance_routes
from gateway.http.hooks import hook_routes, is_from_platform
from gateway.http.sparql import is_by_token, sparql_routes
from gateway.http.turns import Chat
from gateway.service import Service

_STATIC = Path(__file__).parent / "static"
_HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; form-action 'self';"
        " frame-ancestors 'none'; base-uri 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",  # under no-referrer a form would be sent from the origin "null"
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}
_HOST = re.compile(r"([A-Za-z0-9.-]+|\[[0-9A-Fa-f:.]+\])(?::\d{1,5})?")
_READING = frozenset({"GET", "HEAD"})


def make_app(service: Service, hosts: frozenset[str]) -> FastAPI:
    """Return the application of a running service; requests for other hosts, or from other origins, are refused."""
    app = FastAPI(title="Muniment", docs_url=None, redoc_url=None, openapi_url=None)
    app.add_middleware(_Guard, hosts=hosts)  # type: ignore[arg-type]
    chat = Chat(service)
    app.include_router(entrance_routes(service, chat))
    app.include_router(chat_routes(service, chat))
    app.include_router(deciding_routes(service, chat))
    app.include_router(sparql_routes(service))
    app.include_router(hook_routes(service))
    served = {
        "style.css": ("text/css", (_STATIC / "style.css").read_bytes()),
        "chat.js": ("text/javascript", (_STATIC / "chat.js").read_bytes()),
        "htmx.js": ("text/javascript", _htmx()),
    }

    @app.get("/static/{name}")
    async def static(name: str) -> Response:
        if name not in served:
            return Response("Not found", 404)
        media_type, content = served[name]
        return Response(content, media_type=media_type)

    @app.get("/healthz")
    async def health() -> JSONResponse:
        deaf = service.liveness.deaf()
        return JSONResponse({"status": "degraded", "deaf": deaf} if deaf else {"status": "ok"})

    @app.get("/readyz")
    async def ready() -> JSONResponse:
        level = service.memory.is_level()
        return JSONResponse({"status": "ready" if level else "the graph waits for room"}, 200 if level else 503)

    @app.get("/metrics")
    async def metrics(request: Request) -> Response:
        scheme, _, secret = request.headers.get("authorization", "").partition(" ")
        if scheme.casefold() != "bearer" or not service.tokens.is_owners(secret.strip()):
            return Response("The owner's token is asked for: muniment token new NAME", 401, {"WWW-Authenticate": "Bearer"})
        return Response(service.liveness.metrics(), media_type=CONTENT_TYPE_PLAIN_0_0_4)

    return app


class _Guard:
    """Lets in what is for one of our hosts and, where it changes something or opens a socket, comes from our own pages."""

    def __init__(self, app: ASGIApp, hosts: frozenset[str]) -> None:
        self._app, self._hosts = app, hosts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a request, or refuse it before anything reads it."""
        if scope["type"] not in {"http", "websocket"}:
            await self._app(scope, receive, send)
            return
        connection = HTTPConnection(scope)
        if is_from_platform(connection):  # at any host: whoever knows the secret is the platform
            await self._app(scope, receive, send)
            return
        reads = scope["type"] == "http" and scope["method"] in _READING
        if _hostname(connection) not in self._hosts or not (reads or _is_own(connection) or is_by_token(connection)):
            await _refuse(scope, receive, send)
            return

        async def sent(message: dict[str, object]) -> None:
            if message["type"] == "http.response.start":
                own = [(name.lower().encode(), value.encode()) for name, value in _HEADERS.items()]
                message = {**message, "headers": [*message.get("headers", ()), *own]}  # type: ignore[misc]
            await send(message)

        await self._app(scope, receive, sent)  # type: ignore[arg-type]


def _is_own(connection: HTTPConnection) -> bool:
    """Tell whether a request comes from a page of the host that it is for."""
    host = connection.headers.get("host", "")
    return connection.headers.get("origin", "") in {f"http://{host}", f"https://{host}"}


def _hostname(connection: HTTPConnection) -> str:
    """Return the host that a request is for, without its port; empty for what is no host."""
    found = _HOST.fullmatch(connection.headers.get("host", ""))
    return found[1].casefold() if found else ""


async def _refuse(scope: Scope, receive: Receive, send: Send) -> None:
    if scope["type"] == "websocket":
        await send({"type": "websocket.close", "code": 1008})
        return
    response = JSONResponse({"error": "not from here"}, 403, headers=_HEADERS)
    await response(scope, receive, send)


def _htmx() -> bytes:
    """Return htmx 4 from the package that carries it; nothing else of that package is loaded."""
    return (files("django_htmx") / "static" / "django_htmx" / "htmx-4.min.js").read_bytes()
