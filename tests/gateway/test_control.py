import asyncio
import json
import os
import stat
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path

import pytest

from bootstrap.wiring import open_service
from gateway.control import Client, Control, RemoteError, perform, socket_path
from gateway.errors import EXIT, IncorrectRequestError, UnavailableError, kind_of
from gateway.service import Service
from memory.errors import DataInUseError

pytestmark = pytest.mark.requirement("socket")


def with_control(data: Path, work: Callable[[Service, Control], Awaitable[None]]) -> None:
    async def run() -> None:
        service = open_service(data)
        control = Control(service)
        await service.start()
        await control.start()
        try:
            await work(service, control)
        finally:
            await control.stop()
            await service.stop()

    asyncio.run(run())


async def raw(data: Path, line: bytes) -> bytes:
    reader, writer = await asyncio.open_unix_connection(str(socket_path(data)))
    try:
        writer.write(line)
        writer.write_eof()
        return await reader.read()
    finally:
        writer.close()


def test_only_the_owners_account_can_open_it(tmp_path: Path) -> None:
    async def work(_service: Service, _control: Control) -> None:
        path = socket_path(tmp_path)
        modes = [stat.S_IMODE(os.stat(p).st_mode) for p in (path, path.parent, tmp_path)]  # noqa: PTH116
        assert modes == [0o600, 0o700, 0o700]

    with_control(tmp_path, work)
    assert not socket_path(tmp_path).exists()


@pytest.mark.parametrize(
    "line",
    [
        b"not json\n",
        b"[]\n",
        b"{}\n",
        b'{"operation": "say"}\n',
        b'{"operation": "say", "given": []}\n',
        b'{"operation": "say", "given": {"text": 5}}\n',
        b'{"operation": "look", "given": {"page": "secrets", "speaker": "", "words": ""}}\n',
        b'{"operation": "erase", "given": {}}\n',
        b"\xff\xfe\n",
        b"[" * 5_000 + b"\n",
        b'{"operation": "say", "given": {"speaker": "", "chat": "c", "id": "1", "text": "x", "sent_at": "soon"}}\n',
    ],
)
def test_a_bad_request_is_answered_and_the_next_one_served(line: bytes, tmp_path: Path) -> None:
    async def work(_service: Service, _control: Control) -> None:
        answer = json.loads(await raw(tmp_path, line))
        assert answer["kind"] == "incorrect"
        client = await Client.connect(tmp_path)
        assert client is not None
        assert (await client.call("status", {}))["ledger entries"]
        with pytest.raises(RemoteError) as error:
            await client.call("nonsense", {})
        assert error.value.kind == "incorrect"
        await client.close()

    with_control(tmp_path, work)


def test_a_line_without_an_end_is_cut(tmp_path: Path) -> None:
    async def work(_service: Service, _control: Control) -> None:
        with suppress(ConnectionError):
            assert await raw(tmp_path, b"x" * 3_000_000) == b""
        client = await Client.connect(tmp_path)
        assert client is not None
        assert await client.call("status", {})
        await client.close()

    with_control(tmp_path, work)


def test_a_caller_is_told_when_the_other_side_goes_away(tmp_path: Path) -> None:
    async def work(_service: Service, control: Control) -> None:
        client = await Client.connect(tmp_path)
        assert client is not None
        await client.call("status", {})
        await control.stop()
        with pytest.raises(UnavailableError, match="What it acknowledged is kept"):
            await client.call("status", {})
        await client.close()
        assert await Client.connect(tmp_path) is None

    with_control(tmp_path, work)


def test_a_socket_left_behind_is_nobodys(tmp_path: Path) -> None:
    path = socket_path(tmp_path)
    path.parent.mkdir(parents=True)
    path.touch()
    assert asyncio.run(Client.connect(tmp_path)) is None

    async def work(_service: Service, _control: Control) -> None:
        client = await Client.connect(tmp_path)
        assert client is not None
        await client.close()

    with_control(tmp_path, work)


def test_a_long_path_has_a_socket_too(tmp_path: Path) -> None:
    data = tmp_path / ("long" * 30)

    async def work(_service: Service, _control: Control) -> None:
        client = await Client.connect(data)
        assert client is not None
        assert (await client.call("status", {}))["data"] == str(data)
        await client.close()

    with_control(data, work)


def test_operations_run_without_a_socket_too(tmp_path: Path) -> None:
    async def work(service: Service, _control: Control) -> None:
        assert await perform(service, "outcomes", {"speaker": "", "chat": "none"}) == []
        with pytest.raises(IncorrectRequestError, match="no operation"):
            await perform(service, "x", {})

    with_control(tmp_path, work)


def test_every_kind_of_error_has_its_codes() -> None:
    assert set(EXIT) == {"incorrect", "unsupported", "unavailable", "fault"}
    assert kind_of(DataInUseError()) == "unavailable"
    assert kind_of(IncorrectRequestError()) == "incorrect"
    assert kind_of(ZeroDivisionError()) == "fault"
