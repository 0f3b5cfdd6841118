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

    ``forwarded`` tells that somebody else wrote it, ``replaces`` the id of the message that it is another version of, ``answers``
    that of the one in the chat that it was written under, ``zone`` the sender's IANA time zone where the platform knows it.
    ``group`` is the id of the group that reads the chat, whose topics are chats of their own; ``addressed`` tells that a message
    of a group is meant for the assistant. A ``file`` is what came with it, or instead of words.
    """

    sender: Sender
    chat: str
    platform_id: str
    text: str
    sent_at: int
    zone: str = ""
    forwarded: bool = False
    replaces: str = ""
    answers: str = ""
    group: str = ""
    addressed: bool = True
    file: "File | None" = None


@dataclass(frozen=True, slots=True)
class File:
    """A file that came with a message: ``photo``, ``voice`` or ``document``, and the id by which the platform gives it out."""

    kind: str
    id: str
    name: str
    media_type: str = ""
    size: int = 0


@dataclass(frozen=True, slots=True)
class Membership:
    """Somebody came into a group, or left it."""

    group: str
    sender: Sender
    present: bool


@dataclass(frozen=True, slots=True)
class Moved:
    """A group has another id from now on."""

    group: str
    to: str


@dataclass(frozen=True, slots=True)
class Ousted:
    """The assistant is in a group no longer."""

    group: str


@dataclass(frozen=True, slots=True)
class Press:
    """A button that somebody pressed: whose message it is under, in which chat, and what the button stands for."""

    sender: Sender
    chat: str
    data: str


@dataclass(frozen=True, slots=True)
class Pressed:
    """What became of a press, in words for who pressed; ``keeps_buttons`` tells that nothing was decided by it."""

    words: str
    keeps_buttons: bool = False


@dataclass(frozen=True, slots=True)
class Button:
    """A button under a reply: its words, and what pressing it sends back."""

    words: str
    data: str


@dataclass(frozen=True, slots=True)
class Attached:
    """A file under a reply: its name and its bytes."""

    name: str
    content: bytes


@dataclass(frozen=True, slots=True)
class Outbound:
    """A reply to deliver. ``again`` marks one that may have arrived before, when nobody knows whether it did.

    ``draft`` is the platform's id of the message that shows what there was of it, in whose place it comes.
    """

    id: str
    chat: str
    in_reply_to: str
    text: str
    again: bool = False
    buttons: tuple[Button, ...] = ()
    draft: str = ""
    attached: Attached | None = None


Happening: TypeAlias = Inbound | Membership | Moved | Ousted
Handler: TypeAlias = Callable[[Happening], Awaitable[None]]
Presser: TypeAlias = Callable[[Press], Awaitable[Pressed]]
"""Returns what became of a press."""


class DeliveryError(Exception):
    """A reply that was not delivered now.

    DeliveryError
    +-- LaterError         the platform takes nothing more for so many seconds; nothing was sent
    +-- UnreachableError   the platform cannot be reached, or does not take us; nothing was sent
    +-- UncertainError     nobody knows whether it arrived
    +-- RefusedError       it never will: the chat is gone, its person stopped the assistant, or it is too large
    """


class LaterError(DeliveryError):
    """The platform takes nothing more for ``seconds``; nothing was sent."""

    def __init__(self, seconds: float) -> None:
        """Say for how long."""
        super().__init__(f"not before {seconds:g} seconds")
        self.seconds = seconds


class UnreachableError(DeliveryError):
    """The platform cannot be reached, or does not take us; nothing was sent."""


class UncertainError(DeliveryError):
    """Nobody knows whether it arrived."""


class RefusedError(DeliveryError):
    """It never will arrive."""


DOWN = "down"
"""The state of a channel that only a person can mend."""


@dataclass(slots=True)
class State:
    """How a channel fares: a word, and when it last heard from its platform and delivered (seconds since 1970, or zero).

    It is deaf where it heard nothing for ``deaf_after`` seconds; never, where that is zero.
    """

    word: str = "starting"
    detail: str = ""
    heard_at: float = 0.0
    delivered_at: float = 0.0
    started_at: float = 0.0
    deaf_after: float = 0.0

    def is_deaf(self, now: float) -> bool:
        """Tell whether nothing was heard from the platform for too long."""
        return 0 < self.deaf_after < now - max(self.heard_at, self.started_at)


class Channel(Protocol):
    """A chat platform. ``deliver`` returns the platform's id of what was sent.

    ``shows_notes`` tells that it shows what was stored from a message beside that message, so that no reply has to say it.
    ``pushes`` tells that it can be given a reply at any time, so that each is tried until it is delivered; to another one a reply
    is given when somebody is there, and again when they ask the same again.
    """

    name: str
    state: State
    shows_notes: bool
    pushes: bool

    async def start(self, handler: Handler) -> None:
        """Begin to hand messages to the handler; each is acknowledged once the handler returns."""
        ...

    async def stop(self) -> None:
        """Take no more messages; replies can still be delivered."""
        ...

    async def close(self) -> None:
        """Deliver no more."""
        ...

    async def draft(self, chat: str, in_reply_to: str, text: str) -> str:
        """Show what there is of a reply while it is written; return the platform's id of a message that now shows it.

        Empty where no message was made, as on a channel that cannot.
        """
        ...

    async def fetch(self, file: File, most: int) -> bytes:
        """Return the bytes of a file that came; raise ``OSError`` where it is not to be had, or is larger than ``most``."""
        ...

    async def deliver(self, outbound: Outbound) -> str:
        """Send a reply; raise ``OSError`` where nobody is there to take it, and a ``DeliveryError`` where it pushes."""
        ...
