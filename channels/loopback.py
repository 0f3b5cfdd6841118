"""The in-process channel: the terminal chat, the scenario runner and tests speak through it."""

from collections.abc import Awaitable, Callable

from channels.message import File, Handler, Inbound, Outbound, State

Sink = Callable[[Outbound], Awaitable[None] | None]


class Loopback:
    """A channel whose messages are sent by a call and whose replies go to one sink for each chat."""

    def __init__(self, name: str = "cli") -> None:
        """Start with nobody listening."""
        self.name = name
        self.shows_notes = self.pushes = False
        self.state = State("listening")
        self._handler: Handler | None = None
        self._sinks: dict[str, Sink] = {}

    async def start(self, handler: Handler) -> None:
        """Hand messages to the handler from now on."""
        self._handler = handler

    async def stop(self) -> None:
        """Take no more messages."""
        self._handler = None

    async def close(self) -> None:
        """Do nothing: whoever listens goes by themselves."""

    def listen(self, chat: str, sink: Sink) -> None:
        """Let the replies of a chat go to a sink."""
        self._sinks[chat] = sink

    def leave(self, chat: str) -> None:
        """Let the replies of a chat wait."""
        self._sinks.pop(chat, None)

    async def send(self, inbound: Inbound) -> None:
        """Send a message; returns once it is durable and answered."""
        if self._handler is None:
            message = f"the channel {self.name} is not started"
            raise RuntimeError(message)
        await self._handler(inbound)

    async def draft(self, chat: str, in_reply_to: str, text: str) -> str:  # noqa: ARG002 - the protocol's
        """Do nothing: replies come whole."""
        return ""

    async def fetch(self, file: File, most: int) -> bytes:  # noqa: ARG002 - the protocol's
        """Raise ``FileNotFoundError``: no files come this way."""
        raise FileNotFoundError(file.name)

    async def deliver(self, outbound: Outbound) -> str:
        """Hand a reply to the chat's sink; raise ``ConnectionError`` where nobody listens."""
        sink = self._sinks.get(outbound.chat)
        if sink is None:
            message = f"nobody listens to the chat {outbound.chat}"
            raise ConnectionError(message)
        waiting = sink(outbound)
        if waiting is not None:
            await waiting
        return outbound.id
