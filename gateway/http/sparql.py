"""``/sparql``: queries of the SPARQL 1.1 Protocol, for whoever has a token and within its clearance.

https://www.w3.org/TR/sparql11-protocol/
"""

import asyncio
from urllib.parse import parse_qsl

from fastapi import APIRouter, Request, Response
from starlette.requests import HTTPConnection

from gateway.errors import IncorrectRequestError, kind_of
from gateway.results import usable, wanted, written
from gateway.service import Service
from gateway.waiting import wait
from memory.errors import MunimentMemoryError
from ontologies.vocab import PREFIXES

PATH = "/sparql"
_MOST_BYTES = 64_000
_DATASET = ("default-graph-uri", "named-graph-uri")
_STATUS = {"incorrect": 400, "unsupported": 400, "unavailable": 503, "fault": 500}
_UNAUTHORIZED = "A token is needed: `muniment token new NAME` makes one; send it as Authorization: Bearer TOKEN.\n"
_DESCRIPTION = """@prefix sd: <http://www.w3.org/ns/sparql-service-description#> .
@prefix formats: <http://www.w3.org/ns/formats/> .
[] a sd:Service ;
    sd:endpoint <{url}> ;
    sd:supportedLanguage sd:SPARQL11Query ;
    sd:feature sd:UnionDefaultGraph ;
    sd:resultFormat formats:SPARQL_Results_JSON , formats:SPARQL_Results_XML , formats:SPARQL_Results_CSV ,
        formats:SPARQL_Results_TSV , formats:Turtle , formats:N-Triples .
"""


def sparql_routes(service: Service) -> APIRouter:
    """Return the routes of the endpoint."""
    routes = APIRouter()

    @routes.get(PATH)
    async def get(request: Request) -> Response:
        if not request.url.query:
            return Response(_DESCRIPTION.format(url=str(request.url)), media_type="text/turtle")
        return await _answer(service, request, parse_qsl(request.url.query, keep_blank_values=True))

    @routes.post(PATH)
    async def post(request: Request) -> Response:
        body = b""
        async for piece in request.stream():
            body += piece
            if len(body) > _MOST_BYTES:
                return _refused(f"The request has more than {_MOST_BYTES:,} bytes.", 413)
        try:
            text = body.decode("utf-8")
        except UnicodeDecodeError:
            return _refused("The request is no UTF-8.", 400)
        given = parse_qsl(request.url.query, keep_blank_values=True)
        match request.headers.get("content-type", "").partition(";")[0].strip().casefold():
            case "application/sparql-query":
                return await _answer(service, request, [*given, ("query", text)])
            case "application/x-www-form-urlencoded":
                return await _answer(service, request, [*given, *parse_qsl(text, keep_blank_values=True)])
            case _:
                message = "Send a query as application/sparql-query or as a form; data is changed by saying it, not by an update."
                return _refused(message, 415)

    return routes


def is_by_token(connection: HTTPConnection) -> bool:
    """Tell whether a request is for this endpoint and has a token, which no other site can make a browser send."""
    bearer = connection.headers.get("authorization", "").casefold().startswith("bearer ")
    return connection.url.path == PATH and bearer and "origin" not in connection.headers


async def _answer(service: Service, request: Request, given: list[tuple[str, str]]) -> Response:
    scheme, _, secret = request.headers.get("authorization", "").partition(" ")
    secret = secret.strip() if scheme.casefold() == "bearer" else ""
    clearance = await asyncio.to_thread(service.tokens.clearance, secret)
    if clearance is None:
        return Response(_UNAUTHORIZED, 401, {"WWW-Authenticate": "Bearer"}, "text/plain")
    queries = [value for name, value in given if name == "query"]
    if len(queries) != 1 or any(name in _DATASET for name, _ in given):
        return _refused("Give one query, and no graphs: they are those of the token's clearance, and GRAPH ?g finds them.", 400)
    try:
        result = await wait(service.memory.queries.submit(queries[0], clearance))
    except MunimentMemoryError as error:
        return _refused(str(error), _STATUS[kind_of(error)])
    format_ = wanted(result.form, request.headers.get("accept", ""))
    if format_ is None:
        return _refused(f"Accept one of {', '.join(format_.media_type for format_ in usable(result.form))}.", 406)
    try:
        return Response(await asyncio.to_thread(written, result, format_), media_type=format_.media_type)
    except IncorrectRequestError as error:
        return _refused(str(error), 406)


def _refused(message: str, status: int) -> Response:
    prefixes = " ".join(f"{name}: <{iri}>" for name, iri in PREFIXES.items())
    hint = f"\nPrefixes that need no declaration: {prefixes}\n" if status == 400 else "\n"  # noqa: PLR2004
    return Response(message + hint, status, media_type="text/plain")
