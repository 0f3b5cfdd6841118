import asyncio

import pytest

from channels.loopback import Loopback
from channels.message import Happening, Inbound, Outbound, Sender

pytestmark = pytest.mark.requirement("turn")


def test_messages_go_in_and_replies_come_out() -> None:
    async def run() -> tuple[list[str], list[str]]:
        channel, taken, heard = Loopback(), list[str](), list[str]()

        async def handle(inbound: Happening) -> None:
            assert isinstance(inbound, Inbound)
            taken.append(inbound.text)
            await channel.deliver(Outbound("o1", inbound.chat, inbound.platform_id, "hello"))

        async def later(outbound: Outbound) -> None:
            heard.append(outbound.text)

        message = Inbound(Sender("cli", "owner"), "c", "1", "hi", 0)
        with pytest.raises(RuntimeError, match="not started"):
            await channel.send(message)
        await channel.start(handle)
        with pytest.raises(ConnectionError, match="nobody listens"):
            await channel.send(message)
        channel.listen("c", later)
        await channel.send(message)
        channel.leave("c")
        await channel.stop()
        return taken, heard

    assert asyncio.run(run()) == (["hi", "hi"], ["hello"])
