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
    """A message as it came. ``platform_id`` is unique in its chat; ``sent_at`` is in microseconds since 1970 UTC.

    ``forwarded`` tells that somebody else wrote it, ``replaces`` the id of the message that it is another version of.
    """

    sender: Sender
    chat: str
    platform_id: str
    text: str
    sent_at: int
    zone: str = "UTC"
    forwarded: bool = False
    replaces: str = ""


@dataclass(frozen=True, slots=True)
class Press:
    """A button that somebody pressed: whose message it is under, in which chat, and what the button stands for."""

    sender: Sender
    chat: str
    data: str


@dataclass(frozen=True, slots=True)
class Button:
    """A button under a reply: its words, and what pressing it sends back."""

    words: str
    data: str


@dataclass(frozen=True, slots=True)
class Outbound:
    """A reply to deliver. ``again`` marks one that may have arrived before, when nobody knows whether it did."""

    id: str
    chat: str
    in_reply_to: str
    text: str
    again: bool = False
    buttons: tuple[Button, ...] = ()


Handler: TypeAlias = Callable[[Inbound], Awaitable[None]]
Presser: TypeAlias = Callable[[Press], Awaitable[str]]
"""Returns what became of a press, in words for who pressed."""


class DeliveryError(Exception):
    """A reply that was not delivered now.

    DeliveryError
    +-- LaterError       the platform takes nothing more for so many seconds; nothing was sent
    +-- UncertainError   nobody knows whether it arrived
    +-- RefusedError     it never will: the chat is gone, or its person stopped the assistant
    """


class LaterError(DeliveryError):
    """The platform takes nothing more for ``seconds``; nothing was sent."""

    def __init__(self, seconds: float) -> None:
        """Say for how long."""
        super().__init__(f"not before {seconds:g} seconds")
        self.seconds = seconds


class UncertainError(DeliveryError):
    """Nobody knows whether it arrived."""


class RefusedError(DeliveryError):
    """It never will arrive."""


class Channel(Protocol):
    """A chat platform. ``deliver`` returns the platform's id of what was sent.

    ``shows_notes`` tells that it shows what was stored from a message beside that message, so that no reply has to say it.
    ``pushes`` tells that it can be given a reply at any time, so that each is tried until it is delivered; to another one a reply
    is given when somebody is there, and again when they ask the same again.
    """

    name: str
    shows_notes: bool
    pushes: bool

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
        """Send a reply; raise ``OSError`` where nobody is there to take it, and a ``DeliveryError`` where it pushes."""
        ...
