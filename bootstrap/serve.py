"""``muniment serve``: the service, its control socket and the HTTP server, until a signal ends it."""

import asyncio
import signal
import socket
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import structlog
import uvicorn

from bootstrap import settings
from bootstrap.reach import address_file, running
from bootstrap.wiring import connect, open_service
from gateway.errors import UnavailableError
from gateway.http.app import make_app
from gateway.http.chat import LONGEST_MESSAGE
from memory.selftest import leaks

log = structlog.get_logger(__name__)


class _Server(uvicorn.Server):
    """A server that ends at a signal and returns, where uvicorn's own would raise the signal again and cut the rest off."""

    @contextmanager
    def capture_signals(self) -> Generator[None]:
        """Let SIGTERM and SIGINT end the server."""
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, self.handle_exit, number, None)
        yield


async def serve(data: Path, port: int | None) -> int:
    """Run until SIGTERM or SIGINT; running turns are finished or taken up at the next start."""
    leaking = leaks()
    if leaking:
        message = f"The installed graph engine shows what it should not ({leaking[0]}). Nothing was started; install another."
        raise UnavailableError(message)
    configured = settings.load(data).server
    host, port = configured.host, configured.port if port is None else port
    service = open_service(data)
    connect(service, data)
    async with running(service):
        app = make_app(service, frozenset({host, "localhost", "127.0.0.1", "[::1]", "::1"}))
        for note in service.memory.notes():
            log.warning("note", text=note)
        server = _Server(
            uvicorn.Config(
                app,
                host=host,
                port=port,
                log_config=None,
                access_log=False,
                timeout_graceful_shutdown=5,
                ws="websockets-sansio",
                ws_max_size=LONGEST_MESSAGE,
                ws_max_queue=8,
            )
        )
        try:
            listening = socket.create_server((host, port))
        except OSError as error:
            message = f"Nothing can listen on {host}:{port} ({error.strerror}). Nothing was changed; name another with --port."
            raise UnavailableError(message) from error
        url = f"http://{host}:{listening.getsockname()[1]}"
        address_file(data).write_text(url, encoding="utf-8")
        log.info("serving", url=f"{url}/", data=str(data), talk=f"muniment chat --data {data}")
        if not service.entry.is_anyone_in():
            print(f"\nOpen this once in your browser, within an hour:\n\n    {url}{await service.pair('')}\n", flush=True)  # noqa: T201
        try:
            await server.serve(sockets=[listening])
        finally:
            address_file(data).unlink(missing_ok=True)
    log.info("stopped")
    return 0 if server.started else 4
