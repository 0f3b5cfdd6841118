"""The control socket: how the command line talks to the process that holds the data directory.

One JSON object a line each way. The socket lies in ``DATA/run``, which only the owner's account may open, and the caller's
user id is checked as well.
"""

import asyncio
import json
import os
import socket
import struct
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any, TypeAlias, cast

import structlog

from channels.exports import LATEST, Line
from channels.message import Outbound
from gateway.errors import IncorrectRequestError, UnavailableError, kind_of
from gateway.inspect import Look
from gateway.service import Said, Service
from gateway.waiting import wait
from memory.ids import known_zone
from memory.text import LONGEST_SOURCE

log = structlog.get_logger(__name__)

Operation: TypeAlias = Callable[[Service, Mapping[str, Any]], Awaitable[Any]]
LONGEST_LINE = LONGEST_SOURCE * 12 + 65_536
"""Bytes; a JSON line in which every character of the longest message is escaped as a surrogate pair."""

_LONGEST_PATH = 100
_CREDENTIALS = struct.Struct("3i")


def socket_path(data: Path) -> Path:
    """Return where the control socket of a data directory lies."""
    return data / "run" / "control.sock"


async def _say(service: Service, given: Mapping[str, Any]) -> Any:
    said = Said(
        speaker=_text(given, "speaker"),
        chat=_text(given, "chat"),
        id=_text(given, "id"),
        text=_text(given, "text"),
        sent_at=_instant(given["sent_at"]),
        zone=_zone(_text(given, "zone")),
    )
    return [_reply(outbound) for outbound in await service.say(said)]


async def _waiting(service: Service, given: Mapping[str, Any]) -> Any:
    return [_reply(outbound) for outbound in await service.waiting(_text(given, "speaker"), _text(given, "chat"))]


async def _look(service: Service, given: Mapping[str, Any]) -> Any:
    clocks = {name: None if given.get(name) is None else _point(given[name]) for name in ("as_of", "valid_at", "until")}
    since = _point(given.get("since", 0))
    look = Look(_text(given, "page"), _text(given, "words"), since=since, history=bool(given.get("history")),
                quarantined=bool(given.get("quarantined")), **clocks)  # fmt: skip
    page = await service.look(look, _text(given, "speaker"))
    return {"lines": list(page.lines), "items": list(page.data)}


async def _forget(service: Service, given: Mapping[str, Any]) -> Any:
    return await service.ask_to_forget(_text(given, "speaker"), _text(given, "words"), _text(given, "act"))


async def _merge(service: Service, given: Mapping[str, Any]) -> Any:
    return await service.ask_to_merge(_text(given, "speaker"), _text(given, "first"), _text(given, "second"))


async def _unmerge(service: Service, given: Mapping[str, Any]) -> Any:
    return await service.unmerge(_text(given, "speaker"), _text(given, "code"))


async def _ontology(service: Service, given: Mapping[str, Any]) -> Any:
    return await service.ontology(_text(given, "speaker"), _text(given, "act"), _text(given, "given"))


async def _sparql(service: Service, given: Mapping[str, Any]) -> Any:
    clocks = {name: None if given.get(name) is None else _point(given[name]) for name in ("as_of", "valid_at")}
    return await service.sparql(_text(given, "speaker"), _text(given, "query"), _text(given, "format"), clocks)


async def _token(service: Service, given: Mapping[str, Any]) -> Any:
    return await service.token(*(_text(given, name) for name in ("speaker", "act", "name", "clearance")))


async def _people(service: Service, given: Mapping[str, Any]) -> Any:
    return await service.standing(_text(given, "act"), _text(given, "who"))


async def _tidy(service: Service, given: Mapping[str, Any]) -> Any:
    return await service.tidy(_text(given, "speaker"))


async def _source(service: Service, given: Mapping[str, Any]) -> Any:
    zone = _zone(_text(given, "zone"))
    return await service.source(_text(given, "speaker"), _text(given, "act"), _text(given, "name"), zone)


async def _promote(service: Service, given: Mapping[str, Any]) -> Any:
    return await service.promote(_text(given, "speaker"), _text(given, "claim"))


async def _verify(service: Service, given: Mapping[str, Any]) -> Any:
    return await service.verify(_text(given, "checkpoint"))


async def _checkpoint(service: Service, _given: Mapping[str, Any]) -> Any:
    return await wait(service.memory.checkpoint())


async def _receipt(service: Service, given: Mapping[str, Any]) -> Any:
    return await asyncio.to_thread(service.memory.receipt, _text(given, "erasure"))


async def _backup(service: Service, given: Mapping[str, Any]) -> Any:
    return await service.back_up(Path(_text(given, "path")))


async def _kit(service: Service, _given: Mapping[str, Any]) -> Any:
    return await asyncio.to_thread(lambda: service.memory.kit().as_json())


async def _pending(service: Service, given: Mapping[str, Any]) -> Any:
    return await service.pending(_text(given, "speaker"))


async def _decide(service: Service, given: Mapping[str, Any]) -> Any:
    return await service.decide(_text(given, "speaker"), _text(given, "code"), _text(given, "choice"))


async def _outcomes(service: Service, given: Mapping[str, Any]) -> Any:
    return await service.outcomes(_text(given, "speaker"), _text(given, "chat"))


async def _import(service: Service, given: Mapping[str, Any]) -> Any:
    lines = [_line(line) for line in given["lines"]]
    speakers = {str(name): str(id_) for name, id_ in given["speakers"].items()}
    chat, me, zone = _text(given, "chat"), _text(given, "me"), _zone(_text(given, "zone"))
    return await service.bring_in(chat, me, speakers, lines, zone, join=bool(given["join"]))


async def _status(service: Service, _given: Mapping[str, Any]) -> Any:
    return await service.status()


async def _export(service: Service, given: Mapping[str, Any]) -> Any:
    path = Path(_text(given, "path"))
    return {"quads": await service.export(_text(given, "speaker"), _text(given, "format"), path)}


async def _pair(service: Service, given: Mapping[str, Any]) -> Any:
    return {"path": await service.pair(_text(given, "speaker"))}


async def _let_in(service: Service, given: Mapping[str, Any]) -> Any:
    return {"known on": await service.let_in(_text(given, "speaker"), _text(given, "code"))}


async def _doctor(service: Service, given: Mapping[str, Any]) -> Any:
    return await service.doctor(reasoner=bool(given.get("reasoner")))


OPERATIONS: Mapping[str, Operation] = {
    "say": _say,
    "waiting": _waiting,
    "look": _look,
    "forget": _forget,
    "merge": _merge,
    "unmerge": _unmerge,
    "consolidate": _tidy,
    "sparql": _sparql,
    "token": _token,
    "people": _people,
    "ontology": _ontology,
    "source": _source,
    "promote": _promote,
    "verify": _verify,
    "checkpoint": _checkpoint,
    "receipt": _receipt,
    "backup": _backup,
    "kit": _kit,
    "pending": _pending,
    "decide": _decide,
    "outcomes": _outcomes,
    "import": _import,
    "status": _status,
    "export": _export,
    "pair": _pair,
    "let_in": _let_in,
    "doctor": _doctor,
}


async def perform(service: Service, operation: str, given: Mapping[str, Any]) -> Any:
    """Return the result of an operation; raise what it raises, or ``IncorrectRequestError`` for an unknown one."""
    run = OPERATIONS.get(operation)
    if run is None:
        message = f"there is no operation {operation!r}"
        raise IncorrectRequestError(message)
    return await run(service, given)


class Control:
    """The listening side of the socket."""

    def __init__(self, service: Service) -> None:
        """Serve the operations of a service."""
        self._service = service
        self._server: asyncio.Server | None = None
        self._connections: set[asyncio.Task[None]] = set()

    async def start(self) -> None:
        """Listen; the lock of the data directory makes sure that a socket left behind is nobody's."""
        path = socket_path(self._service.memory.folder)
        try:
            path.unlink(missing_ok=True)
        except OSError as error:
            message = f"{path} is in the way ({error.strerror}). Nothing was changed; move it away."
            raise UnavailableError(message) from error
        with _ShortPath(path) as address:
            self._server = await asyncio.start_unix_server(self._serve, path=address, limit=LONGEST_LINE)
        path.chmod(0o600)

    async def stop(self) -> None:
        """Listen no more, remove the socket and end the connections; what an operation submitted is finished all the same."""
        if self._server is not None:
            self._server.close()
        with suppress(FileNotFoundError):
            socket_path(self._service.memory.folder).unlink()
        for connection in self._connections:
            connection.cancel()
        await asyncio.gather(*self._connections, return_exceptions=True)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        if task is not None:
            self._connections.add(task)
            task.add_done_callback(self._connections.discard)
        try:
            if not _is_same_user(writer):
                return
            while line := await reader.readline():
                writer.write(json.dumps(await self._respond(line)).encode() + b"\n")
                await writer.drain()
        except (ValueError, ConnectionError, asyncio.CancelledError) as error:
            log.info("control connection ended", reason=type(error).__name__)
        finally:
            writer.close()

    async def _respond(self, line: bytes) -> dict[str, Any]:
        try:
            request = cast("dict[str, Any]", json.loads(line))
            return {"result": await perform(self._service, str(request["operation"]), request["given"])}
        except (KeyError, TypeError, ValueError, RecursionError) as error:
            return {"error": f"not a request: {error}", "kind": "incorrect"}
        except Exception as error:  # the caller is told; the process goes on
            kind = kind_of(error)
            if kind == "fault":
                log.exception("operation failed")
            return {"error": str(error) or type(error).__name__, "kind": kind}


class Client:
    """The calling side of the socket."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Use an open connection; ``connect`` makes one."""
        self._reader, self._writer = reader, writer

    @classmethod
    async def connect(cls, data: Path) -> "Client | None":
        """Return a connection to the process that holds a data directory, or ``None`` where none listens."""
        path = socket_path(data)
        if not path.exists():
            return None
        try:
            with _ShortPath(path) as address:
                return cls(*await asyncio.open_unix_connection(address, limit=LONGEST_LINE))
        except OSError:
            return None

    async def call(self, operation: str, given: Mapping[str, Any]) -> Any:
        """Return the result of an operation; raise ``RemoteError`` with the other side's words."""
        try:
            self._writer.write(json.dumps({"operation": operation, "given": given}).encode() + b"\n")
            await self._writer.drain()
            line = await self._reader.readline()
        except ConnectionError:
            line = b""
        if not line:
            message = "The process that holds the data directory went away. What it acknowledged is kept; try again."
            raise UnavailableError(message)
        response = json.loads(line)
        if "error" in response:
            raise RemoteError(response["error"], response["kind"])
        return response["result"]

    async def close(self) -> None:
        """End the connection."""
        self._writer.close()
        with suppress(ConnectionError):
            await self._writer.wait_closed()


class RemoteError(Exception):
    """What the other side of the socket answered instead of a result."""

    def __init__(self, message: str, kind: Any) -> None:
        """Carry the words and the kind of the error there."""
        super().__init__(message)
        self.kind = kind


class _ShortPath:
    """A path short enough for a socket address: relative to its folder, which is opened, where it is too long."""

    def __init__(self, path: Path) -> None:
        self._path, self._folder = path, -1

    def __enter__(self) -> str:
        if len(str(self._path)) <= _LONGEST_PATH:
            return str(self._path)
        self._folder = os.open(self._path.parent, os.O_PATH)
        return f"/proc/self/fd/{self._folder}/{self._path.name}"

    def __exit__(self, *_: object) -> None:
        if self._folder >= 0:
            os.close(self._folder)


def _is_same_user(writer: asyncio.StreamWriter) -> bool:
    peer = writer.get_extra_info("socket")
    _, uid, _ = _CREDENTIALS.unpack(peer.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _CREDENTIALS.size))
    return uid in (os.getuid(), 0)


def _reply(outbound: Outbound) -> dict[str, Any]:
    return asdict(outbound)


def _line(given: Mapping[str, Any]) -> Line:
    at = _instant(given["at"])
    return Line(_text(given, "id"), at, _text(given, "speaker"), _text(given, "text"), bool(given["forwarded"]))


def _instant(value: Any) -> int:
    if not isinstance(value, int) or not 0 <= value < LATEST:
        message = "sent_at is not a time in microseconds since 1970"
        raise IncorrectRequestError(message)
    return value


def _point(value: Any) -> int:
    """Return a point on one of the clocks, which may lie before 1970."""
    if not isinstance(value, int) or not -LATEST < value < LATEST:
        message = "that is no time between the years 1 and 9999"
        raise IncorrectRequestError(message)
    return value


def _zone(name: str) -> str:
    if known_zone(name) != name:
        message = f"there is no time zone {name!r}"
        raise IncorrectRequestError(message)
    return name


def _text(given: Mapping[str, Any], name: str) -> str:
    value = given[name]
    if not isinstance(value, str):
        message = f"{name} is not a text"
        raise IncorrectRequestError(message)
    return value
