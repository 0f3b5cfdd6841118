"""The browser's channel: replies and what there is of them go to every open page of a chat."""

import asyncio
from contextlib import suppress
from typing import Protocol

from channels.message import File, Handler, Inbound, Outbound, State

_PATIENCE = 2.0


class Page(Protocol):
    """An open page of a chat. Each call raises ``ConnectionError`` where it is gone, a draft ``TimeoutError`` where slow."""

    async def show_draft(self, in_reply_to: str, text: str) -> None:
        """Show what there is of a reply."""
        ...

    async def show_reply(self, outbound: Outbound) -> None:
        """Show a reply."""
        ...

    async def close(self) -> None:
        """End it, so that whoever looks at it opens another."""
        ...


class Web:
    """A channel whose messages come through open pages."""

    shows_notes, pushes = True, False

    def __init__(self, name: str = "web") -> None:
        """Start with no page open."""
        self.name = name
        self.state = State("listening")
        self._handler: Handler | None = None
        self._pages: dict[str, set[Page]] = {}

    async def start(self, handler: Handler) -> None:
        """Hand messages to the handler from now on."""
        self._handler = handler

    async def stop(self) -> None:
        """Take no more messages."""
        self._handler = None

    async def close(self) -> None:
        """Do nothing: whoever listens goes by themselves."""

    def opened(self, chat: str, page: Page) -> None:
        """Let a page see the replies of a chat."""
        self._pages.setdefault(chat, set()).add(page)

    def closed(self, chat: str, page: Page) -> None:
        """Forget a page."""
        self._pages.get(chat, set()).discard(page)

    async def send(self, inbound: Inbound) -> None:
        """Send a message; returns once it is durable and answered. Raises ``ConnectionError`` where the channel is stopped."""
        if self._handler is None:
            message = "the web channel is not started"
            raise ConnectionError(message)
        await self._handler(inbound)

    async def draft(self, chat: str, in_reply_to: str, text: str) -> str:
        """Show what there is of a reply on every open page of the chat."""
        for page in list(self._pages.get(chat, ())):
            try:
                await page.show_draft(in_reply_to, text)
            except (ConnectionError, TimeoutError):
                self.closed(chat, page)
        return ""

    async def fetch(self, file: File, most: int) -> bytes:  # noqa: ARG002 - the protocol's
        """Raise ``FileNotFoundError``: no files come this way."""
        raise FileNotFoundError(file.name)

    async def deliver(self, outbound: Outbound) -> str:
        """Show a reply on every open page of its chat; raise ``ConnectionError`` where there is none."""
        shown = False
        for page in list(self._pages.get(outbound.chat, ())):
            try:
                async with asyncio.timeout(_PATIENCE):  # a page that does not read holds nobody up
                    await page.show_reply(outbound)
                shown = True
            except (ConnectionError, TimeoutError):
                self.closed(outbound.chat, page)
                with suppress(TimeoutError):
                    async with asyncio.timeout(_PATIENCE):
                        await page.close()
        if not shown:
            message = f"no page shows the chat {outbound.chat}"
            raise ConnectionError(message)
        return outbound.id
