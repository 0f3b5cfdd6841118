"""What passes between a channel and the gateway."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Protocol, TypeAlias


@dataclass(frozen=True, slots=True)
class Sender:
    """Who sent a message, by the platform's own stable id. The display name never identifies."""

    channel: str
    platform_id: str
    display_name: str = ""


@dataclass(frozen=True, slots=True)
class Inbound:
    """A message as it came. ``platform_id`` is unique in its chat; ``sent_at`` is in microseconds since 1970 UTC."""

    sender: Sender
    chat: str
    platform_id: str
    text: str
    sent_at: int
    zone: str = "UTC"


@dataclass(frozen=True, slots=True)
class Outbound:
    """A reply to deliver. ``again`` marks one that may have arrived before, when nobody knows whether it did."""

    id: str
    chat: str
    in_reply_to: str
    text: str
    again: bool = False


Handler: TypeAlias = Callable[[Inbound], Awaitable[None]]


class Channel(Protocol):
    """A chat platform. ``deliver`` returns the platform's id of what was sent.

    ``shows_notes`` tells that it shows what was stored from a message beside that message, so that no reply has to say it.
    """

    name: str
    shows_notes: bool

    async def start(self, handler: Handler) -> None:
        """Begin to hand messages to the handler; each is acknowledged once the handler returns."""
        ...

    async def stop(self) -> None:
        """Take no more messages."""
        ...

    async def draft(self, chat: str, in_reply_to: str, text: str) -> None:
        """Show what there is of a reply while it is written; a channel that cannot does nothing."""
        ...

    async def deliver(self, outbound: Outbound) -> str:
        """Send a reply; raise where it certainly was not sent."""
        ...
