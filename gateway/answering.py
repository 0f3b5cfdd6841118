"""Answers that are being given: each can be stopped, and shows what there is of it as it grows."""

import asyncio
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Protocol

from gateway.answer import Asked, Reply
from gateway.models import OnText
from memory.label import Integrity, Label

if TYPE_CHECKING:
    from collections.abc import Generator

    from gateway.outbox import Outbox
    from gateway.people import Conversation

STOP = "/stop"
STOPPED = "Stopped. What I noted from that message stays; /undo takes it back."


class Answerer(Protocol):
    """Turns what was asked, and what may be told, into a reply."""

    async def answer(self, asked: Asked, on_text: OnText | None = None) -> Reply:
        """Return the reply to a message; ``on_text`` is given what there is of it as it grows."""
        ...


@dataclass(slots=True)
class _Running:
    task: asyncio.Task[Reply] | None = None
    stopped: bool = False


class Answering:
    """Runs an answerer, one answer at a time in each chat."""

    def __init__(self, answerer: Answerer, outbox: "Outbox") -> None:
        """Use an answerer, and an outbox that keeps which messages show drafts."""
        self._answerer, self._outbox = answerer, outbox
        self._running: dict[str, _Running] = {}

    @contextmanager
    def turn(self, conversation: "Conversation") -> "Generator[None]":
        """Let what happens within be stopped."""
        self._running[conversation.id] = _Running()
        try:
            yield
        finally:
            del self._running[conversation.id]

    def stop(self, conversation: "Conversation") -> None:
        """Stop what is being answered in a chat; what was read of its message stays."""
        running = self._running.get(conversation.id)
        if running is not None:
            running.stopped = True
            if running.task is not None:
                running.task.cancel()

    async def reply(self, asked: Asked, conversation: "Conversation", in_reply_to: str, *, fresh: bool) -> Reply:
        """Return the reply to a message, or that it was stopped. A turn taken up again shows no second draft."""
        running = self._running[conversation.id]
        shows = fresh or not self._outbox.draft_of(in_reply_to)
        on_text = partial(self._show, conversation, in_reply_to) if shows else None
        if not running.stopped:
            running.task = asyncio.create_task(self._answerer.answer(asked, on_text))
            try:
                return await running.task
            except asyncio.CancelledError:
                if not running.stopped:
                    raise
        return Reply(STOPPED, Label(asked.source.space, integrity=Integrity.QUARANTINED))

    async def _show(self, conversation: "Conversation", in_reply_to: str, text: str) -> None:
        made = await self._outbox.channel(conversation.channel).draft(conversation.chat, in_reply_to, text)
        if made:
            await self._outbox.note_draft(in_reply_to, made)
