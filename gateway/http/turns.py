"""The turns of a person's web chat, as the page shows them: a message, what was stored from it, and its reply."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fastapi.responses import HTMLResponse
from jinja2 import Environment, FileSystemLoader, StrictUndefined

from gateway.approvals import Item
from gateway.asking import asked_back
from gateway.entry import WEB, Session
from gateway.outcome import noted
from gateway.service import Service
from gateway.voice import Voice
from memory.claim import Source
from memory.errors import UnknownThingError
from memory.label import Clearance, Integrity, Label, Sensitivity
from memory.read import Reads

_TEMPLATES = Path(__file__).parent / "templates"
_MOST_TURNS = 60
_CHOICES = {
    "approve": "Approve",
    "only": "Approve, without what would hold again",
    "deny": "Leave it",
    "accept": "Believe it",
    "replace": "It replaces the other",
    "both": "Keep both",
    "reject": "Reject it",
    "merge": "They are one",
    "one": "They are one",
    "still": "Still so",
    "ended": "No longer",
    "leave": "Leave it",
    "delete": "Delete it",
    "apart": "They are two",
}


@dataclass(frozen=True, slots=True)
class Fact:
    """A stored claim under a message."""

    claim: str
    words: str
    label: str


@dataclass(frozen=True, slots=True)
class Turn:
    """A message with what was stored from it and its reply, as the page shows it. ``id`` is the browser's."""

    id: str
    source: str
    said: str
    reply: str | None
    facts: tuple[Fact, ...]
    undone: bool
    asks: bool
    waiting: tuple[Item, ...] = ()


class Chat:
    """Renders the turns of a person's web chat."""

    def __init__(self, service: Service) -> None:
        """Render from a running service."""
        self._service = service
        self._templates = Environment(
            loader=FileSystemLoader(_TEMPLATES), autoescape=True, undefined=StrictUndefined, trim_blocks=True
        )

    def page(self, name: str, **values: Any) -> HTMLResponse:
        """Return a page."""
        return HTMLResponse(self._templates.get_template(name).render(names=_CHOICES, **values))

    def turns(self, session: Session) -> list[Turn]:
        """Return the latest turns of a person's chat, the oldest first."""
        service = self._service
        conversation = service.people.chat(WEB, session.person.id)
        if conversation is None:
            return []
        rows = service.memory.rows(
            "SELECT i.source, i.platform_id, o.source FROM inbox i LEFT JOIN outbox o ON o.in_reply_to = i.source"
            " WHERE i.conversation = ? ORDER BY i.entry DESC LIMIT ?",
            (conversation.id, _MOST_TURNS),
        )
        waiting = service.approvals.waiting(session.person)
        with service.memory.reading() as reads:
            made = (self._turn(reads, session, waiting, *row) for row in reversed(rows))
            return [turn for turn in made if turn is not None]

    def turn(self, session: Session, source: str) -> Turn | None:
        """Return the turn of a message, or ``None`` where it is none of this person's."""
        rows = self._service.memory.rows(
            "SELECT i.source, i.platform_id, o.source FROM inbox i LEFT JOIN outbox o ON o.in_reply_to = i.source"
            " WHERE i.source = ? AND i.channel = ? AND i.person = ?",
            (source, WEB, session.person.id),
        )
        if not rows:
            return None
        waiting = self._service.approvals.waiting(session.person, source)
        with self._service.memory.reading() as reads:
            return self._turn(reads, session, waiting, *rows[0])

    def fragment(self, name: str, session: Session, turn: Turn) -> str:
        """Return the part of the page for a turn."""
        return self._templates.get_template(name).render(turn=turn, csrf=session.csrf, names=_CHOICES)

    def source(self, session: Session, id_: str) -> Source:
        """Return a message of the person's own chat; raise ``UnknownThingError`` for any other."""
        if self.turn(session, id_) is None:
            message = "There is no such message here."
            raise UnknownThingError(message)
        with self._service.memory.reading() as reads:
            return reads.source(self._everything(session), id_)

    def _everything(self, session: Session) -> Clearance:
        """Return all of the person's own chat, the assistant's words included."""
        conversation = self._service.people.chat(WEB, session.person.id)
        if conversation is None:
            message = "There is no such message here."
            raise UnknownThingError(message)
        return self._service.memory.spaces.clearance(conversation.space, integrity=Integrity.QUARANTINED)

    def _turn(
        self, reads: Reads, session: Session, waiting: Sequence[Item], source_id: str, platform_id: str, reply_id: str | None
    ) -> Turn | None:
        memory = self._service.memory
        clearance = self._everything(session)
        try:
            source = reads.source(clearance, source_id)
            reply = None if reply_id is None else reads.source(clearance, reply_id).body
        except UnknownThingError:
            return None
        receipt = reads.receipt(clearance, source_id)
        voice = Voice(memory, reads, clearance, session.person, self._service.known, source.zone)
        facts: list[Fact] = []
        if receipt is not None:
            with suppress(UnknownThingError):
                facts += [Fact(n.claim.id, n.words, _audience(n.claim.label)) for n in noted(receipt, clearance, voice)]
        undone = receipt is not None and receipt.undone
        asks = receipt is not None and self._is_last(source) and bool(asked_back(source, receipt))
        own = tuple(item for item in waiting if item.source == source_id)
        return Turn(platform_id, source_id, source.body, reply, tuple(facts), undone, asks, own)

    def _is_last(self, source: Source) -> bool:
        later = "SELECT 1 FROM inbox WHERE conversation = ? AND entry > (SELECT entry FROM inbox WHERE source = ?) LIMIT 1"
        return not self._service.memory.rows(later, (source.conversation, source.id))


def _audience(label: Label) -> str:
    where = {"worldview": "for everyone here", "team": "for this group", "user": "only you"}[label.space.kind]
    return where if label.sensitivity <= Sensitivity.INTERNAL else f"{where}, {label.sensitivity.name.lower()}"
