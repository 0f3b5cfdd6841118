"""The FastAPI application. Nothing of anybody's memory is served here."""

from fastapi import FastAPI, Request, Response
from fastapi.responses import HTMLResponse, JSONResponse
from starlette.middleware.base import RequestResponseEndpoint

from gateway.service import Service

_PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Muniment</title><link rel="stylesheet" href="/style.css"></head>
<body><main><h1>Muniment</h1><p>The assistant is running. Talk to it in a terminal:</p><pre>.venv/bin/muniment chat</pre>
<p>It says nothing about anybody here.</p></main></body></html>
"""
_STYLE = """:root{color-scheme:light dark}body{font:1rem/1.5 system-ui,sans-serif;margin:0}
main{max-width:36rem;margin:4rem auto;padding:0 1rem}pre{padding:.75rem;border:1px solid;border-radius:.25rem;overflow-x:auto}
"""
_HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; style-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
}


def make_app(service: Service, hosts: frozenset[str]) -> FastAPI:
    """Return the application of a running service; requests for other hosts than these are refused."""
    app = FastAPI(title="Muniment", docs_url=None, redoc_url=None, openapi_url=None)

    @app.middleware("http")
    async def guard(request: Request, call_next: RequestResponseEndpoint) -> Response:
        if request.url.hostname not in hosts:
            return JSONResponse({"error": "unknown host"}, 403, headers=_HEADERS)
        response = await call_next(request)
        response.headers.update(_HEADERS)
        return response

    @app.get("/")
    async def page() -> HTMLResponse:
        return HTMLResponse(_PAGE)

    @app.get("/style.css")
    async def style() -> Response:
        return Response(_STYLE, media_type="text/css")

    @app.get("/healthz")
    async def health() -> JSONResponse:
        return JSONResponse({"status": "ok"})

    @app.get("/readyz")
    async def ready() -> JSONResponse:
        level = service.memory.is_level()
        return JSONResponse({"status": "ready" if level else "the graph waits for room"}, 200 if level else 503)

    return app
