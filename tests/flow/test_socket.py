"""The server's pages and socket without a browser: who gets in nowhere, and what is refused before it is read."""

import asyncio
import contextlib
import json
import re

import httpx
import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.typing import Origin

from tests.web_server import Server

pytestmark = pytest.mark.requirement("web")


@pytest.mark.requirement("entry", "http")
def test_without_its_cookie_nobody_gets_in_anywhere(server: Server) -> None:
    stranger = server.client()
    assert "has not been let in" in stranger.get("/").text
    assert "csrf" not in stranger.get("/").text
    for path in ("/undo/x", "/leave"):
        assert stranger.post(path, data={"csrf": "x"}).status_code == 403
    assert stranger.get("/why/x").status_code == 403
    assert stranger.post("/enter/guess").status_code == 403
    assert stranger.get("/static/../app.py").status_code == 404
    secret = server.link.rsplit("/", 1)[1]
    assert stranger.post(f"/enter/{secret}").status_code == 303
    assert stranger.post(f"/enter/{secret}").status_code == 403
    cookie = stranger.cookies["muniment"]
    assert "Send" in stranger.get("/").text
    csrf = re.search(r'name="csrf" value="(\w+)"', stranger.get("/").text)
    assert csrf is not None
    assert stranger.post("/leave", data={"csrf": csrf[1]}).status_code == 303
    assert "has not been let in" in httpx.get(f"{server.url}/", cookies={"muniment": cookie}).text


@pytest.mark.requirement("H30")
def test_other_origins_open_no_socket_and_send_no_form(server: Server) -> None:
    client = server.enter()
    cookie = f"muniment={client.cookies['muniment']}"
    for origin in ("http://[::1", f"ftp://{server.url[7:]}", "http://evil.example", "null", None):
        headers = {"Origin": origin} if origin else {}
        assert httpx.post(f"{server.url}/leave", headers={**headers, "Cookie": cookie}).status_code == 403

        async def open_socket(origin: str | None = origin) -> None:
            async with connect(
                server.url.replace("http", "ws") + "/ws",
                origin=Origin(origin) if origin else None,
                additional_headers={"Cookie": cookie},
            ):
                pass

        with pytest.raises(InvalidStatus):
            asyncio.run(open_socket())


@pytest.mark.requirement("entry")
def test_a_socket_without_a_session_or_with_nonsense_is_closed(server: Server) -> None:
    client = server.enter()
    address = server.url.replace("http", "ws") + "/ws"

    async def closing(cookie: str, *sent: str) -> int:
        async with connect(address, origin=Origin(server.url), additional_headers={"Cookie": cookie}) as socket:
            with contextlib.suppress(ConnectionClosed):
                for text in sent:
                    await socket.send(text)
            with contextlib.suppress(ConnectionClosed):
                await asyncio.wait_for(socket.recv(), 10)
            return socket.close_code or 0

    cookie = f"muniment={client.cookies['muniment']}"
    assert asyncio.run(closing("")) == 4401
    for nonsense in ("x", "[]", '{"id": 1, "text": "a", "zone": "UTC"}', '{"id": "", "text": "a", "zone": "UTC"}', "[" * 50_000):
        assert asyncio.run(closing(cookie, nonsense)) == 4400
    assert asyncio.run(closing(cookie, "x" * 2_000_000)) == 1009


@pytest.mark.requirement("turn")
def test_the_same_message_sent_twice_is_one(server: Server) -> None:
    client = server.enter()

    async def twice() -> list[str]:
        headers = {"Cookie": f"muniment={client.cookies['muniment']}"}
        async with connect(
            server.url.replace("http", "ws") + "/ws", origin=Origin(server.url), additional_headers=headers
        ) as socket:
            for _ in range(2):
                await socket.send(json.dumps({"id": "m1", "text": "I live in Leeds.", "zone": "UTC"}))
            return [json.loads(await asyncio.wait_for(socket.recv(), 20))["type"] for _ in range(2)]

    assert asyncio.run(twice()) == ["turn", "turn"]
    assert client.get("/").text.count('class="turn"') == 1
