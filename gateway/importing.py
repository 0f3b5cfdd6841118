"""Conversations from elsewhere: each line is remembered once, as its speaker's, at the time when it was said.

What is there already is skipped, so an import that was cut off is finished by running it again, and a grown file adds its new
lines. Nobody is answered.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from gateway.errors import IncorrectRequestError
from gateway.people import MEMBER, Conversation, People, Person
from gateway.waiting import wait
from memory.claim import Outcome, Receipt, Source, SourceKind
from memory.errors import AlreadyRecordedError, IncorrectTextError
from memory.label import user
from memory.tables import Row
from memory.text import keepable

if TYPE_CHECKING:
    from asyncio import Future

    from channels.exports import Line
    from channels.message import Sender
    from gateway.turn import Parser
    from memory.store import Memory

IMPORT = "import"
"""The channel of imported conversations."""


@dataclass(frozen=True, slots=True)
class Batch:
    """Lines of one conversation. ``speakers`` are all of its people, each with who they are in this instance.

    ``join`` lets people who are new to a conversation that is there already see all of it.
    """

    chat: str
    speakers: dict[str, "Sender"]
    lines: Sequence["Line"]
    zone: str
    join: bool = False


@dataclass(slots=True)
class Summary:
    """What became of a batch."""

    stored: int = 0
    known: int = 0
    outcomes: Counter[tuple[str, int, str]] = field(default_factory=Counter[tuple[str, int, str]])

    def as_data(self) -> dict[str, Any]:
        """Return the summary as JSON takes it."""
        outcomes = [{"outcome": o, "row": row, "reason": reason, "count": n} for (o, row, reason), n in self.outcomes.items()]
        return {"stored": self.stored, "known": self.known, "outcomes": outcomes}


class Importer:
    """Remembers the lines of conversations."""

    def __init__(self, memory: "Memory", people: People, parser: "Parser") -> None:
        """Use a memory, its people and a parser."""
        self._memory, self._people, self._parser = memory, people, parser

    async def take(self, batch: Batch) -> Summary:
        """Remember the lines that are not there yet; return what became of them."""
        people = {name: await self._person(sender) for name, sender in batch.speakers.items()}
        self._refuse_copy(batch)
        conversation = await self._conversation(batch, list(people.values()))
        summary = Summary()
        known = self._known(batch)
        waiting: list[Future[Receipt]] = []
        for line in batch.lines:
            id_ = self._kept_id(line)
            if id_ in known:
                summary.known += 1
                continue
            person = people[line.speaker]
            kind = SourceKind.FORWARD if line.forwarded else SourceKind.MESSAGE
            at = min(line.at, self._memory.clock())
            source = Source(self._memory.ids(), conversation.id, conversation.space, kind, person.id, at, batch.zone, line.text)
            try:
                keepable(line.text)
            except IncorrectTextError as error:
                summary.outcomes["not stored", 0, str(error).split(". ", 1)[0]] += 1
                continue
            reading = await self._parser.read(source)
            if reading.note:
                summary.outcomes["read without the model", 0, reading.note] += 1
            row = Row("imported", {"chat": batch.chat, "platform_id": id_, "source": source.id})
            learnt = self._memory.learn(source, reading, is_owner=person.is_owner, rows=(row,))
            waiting.append(wait(learnt))  # type: ignore[arg-type]
        for receipt in waiting:
            try:
                _count(await receipt, summary)
            except AlreadyRecordedError:
                summary.known += 1
        return summary

    def _known(self, batch: Batch) -> set[str]:
        """Return the ids of those lines of a batch that are there already."""
        ids = [self._kept_id(line) for line in batch.lines]
        sql = f"SELECT platform_id FROM imported WHERE chat = ? AND platform_id IN ({', '.join('?' * len(ids))})"
        return {id_ for (id_,) in self._memory.rows(sql, (batch.chat, *ids))}

    def _kept_id(self, line: "Line") -> str:
        """Return a line's id as it is kept: one that is made of a digest of its words is keyed, so that it tells nothing."""
        return self._memory.keyed(line.id) if _is_digest(line.id) else line.id

    def _refuse_copy(self, batch: Batch) -> None:
        """Raise ``IncorrectRequestError`` for lines that another conversation has: the same words would be evidence twice.

        Only ids made of a digest say so; a platform counts the messages of each of its chats anew.
        """
        ids = [self._kept_id(line) for line in batch.lines if _is_digest(line.id)]
        if not ids:
            return
        marks = ", ".join("?" * len(ids))
        sql = f"SELECT chat, count(*) FROM imported WHERE platform_id IN ({marks}) AND chat <> ? GROUP BY chat ORDER BY 2 DESC"
        for chat, count in self._memory.rows(sql, (*ids, batch.chat)):
            if 2 * count >= len(ids):
                message = (
                    f"Most of these lines are in the conversation {chat!r} already. Nothing of them was stored; to go on there,"
                    f" say --chat {chat!r}."
                )
                raise IncorrectRequestError(message)

    async def _person(self, sender: "Sender") -> Person:
        person = self._people.identify(sender)
        owner = self._people.owner()
        return person or await self._people.add(MEMBER, sender.display_name, sender, owner.id if owner else "")

    async def _conversation(self, batch: Batch, people: Sequence[Person]) -> Conversation:
        """Return the conversation of a file: one person's own, or a team of all who speak in it."""
        chat = batch.chat
        known = self._people.chat(IMPORT, chat)
        author = next((person.id for person in people if person.is_owner), people[0].id)
        if known is None and len(people) == 1:
            return await self._people.open_chat(IMPORT, chat, user(people[0].id), author)
        if known is None:
            return await self._people.group(IMPORT, chat, people, author)
        if known.space.kind != "team":
            if any(user(person.id) != known.space for person in people):
                message = (
                    f"The conversation {chat!r} was one person's own and has others in it now. Nothing was stored; name another."
                )
                raise IncorrectRequestError(message)
            return known
        members = self._memory.spaces.members_of(known.space)
        new = [person for person in people if person.id not in members]
        if new and not batch.join:
            names = ", ".join(person.display_name or "you" for person in new)
            message = (
                f"The conversation {chat!r} is there already, without {names}, who would see all of it. Nothing was stored; call"
                " this one something else with --chat, or let them in with --join."
            )
            raise IncorrectRequestError(message)
        for person in new:
            await wait(self._memory.set_member(known.space.id, person.id, author, present=True))
        return known


def _is_digest(id_: str) -> bool:
    return "." in id_


def _count(receipt: Receipt, summary: Summary) -> None:
    summary.stored += 1
    for decided in receipt.decisions:
        if decided.outcome is not Outcome.REFUSED or decided.rule.value > 1:
            summary.outcomes[decided.outcome.value, decided.rule.value, decided.reason] += 1
