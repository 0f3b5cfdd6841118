"""The running gateway: memory, people, turns and channels together, and the operations that the command line asks of it."""

import asyncio
import json
from collections import defaultdict
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from channels.exports import Line
from channels.loopback import Loopback
from channels.message import Channel, Inbound, Outbound, Sender
from channels.web import Web
from gateway.answer import OfflineAnswerer
from gateway.answering import Answerer, Answering
from gateway.approvals import Approvals, Item
from gateway.commands import Commands
from gateway.converse import ModelAnswerer
from gateway.delivery import Delivery
from gateway.doctor import Surroundings, examine
from gateway.door import Door
from gateway.entry import WEB, Entry
from gateway.errors import IncorrectRequestError
from gateway.exporting import exported
from gateway.files import Files, Transcriber
from gateway.importing import IMPORT, Batch, Importer
from gateway.inbox import Inbox
from gateway.inspect import Inspector, Look, Page
from gateway.jobs import Jobs
from gateway.liveness import Liveness
from gateway.models import Model, close_models
from gateway.outbox import Outbox
from gateway.people import BLOCKED, MEMBER, OWNER, People, Person
from gateway.platforms import Platforms
from gateway.results import named, table, usable, written
from gateway.sources import Sources
from gateway.tidying import tidy
from gateway.tokens import Tokens
from gateway.tools import Tools
from gateway.turn import Parser, Turns
from gateway.waiting import wait
from memory.forget import Act
from memory.label import Integrity, Space, parse_space, user
from memory.ontology import ADOPTED, WITHDRAWN
from memory.store import Memory
from memory.text import name_key

TERMINAL, TELEGRAM = "cli", "telegram"
LONGEST_NAME = 64


@dataclass(frozen=True, slots=True)
class Said:
    """A message from the terminal: who says it (empty: the owner), in which chat, under which id."""

    speaker: str
    chat: str
    id: str
    text: str
    sent_at: int
    zone: str


class Service:
    """Owns the running parts; started and stopped once."""

    def __init__(
        self,
        memory: Memory,
        parser: Parser,
        answerer: Answerer | None = None,
        channels: Mapping[str, Channel] | None = None,
        model: Model | None = None,
        persona: str = "",
        transcriber: Transcriber | None = None,
    ) -> None:
        """Wire the parts around a memory; a model answers where there is one, and the offline answerer otherwise."""
        self.memory = memory
        self.people = People(memory)
        self.terminal = Loopback(TERMINAL)
        self.web = Web(WEB)
        self.channels: dict[str, Channel] = {TERMINAL: self.terminal, WEB: self.web, **(channels or {})}
        self.entry = Entry(memory, self.people)
        self.tokens = Tokens(memory, self.people)
        self.outbox = Outbox(memory, self.channels)
        self.inbox = Inbox(memory)
        self.door = Door(memory, self.people, self.inbox)
        self._jobs = Jobs(memory, self.people)
        self.known: dict[str, Person] = {}
        self._chats: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)
        self.offline = OfflineAnswerer(memory, self.known)
        self.inspector = Inspector(memory, self.people, self.offline)
        reads = getattr(parser, "name", type(parser).__name__)
        self._reads = f"{reads} reads, {model.settings.name if model else 'the offline answerer'} answers"
        self._models = [one for one in (getattr(parser, "model", None), model) if one is not None]
        self.approvals = Approvals(memory, self.people, self.offline)
        self.tools = Tools(memory, self.inspector, self.approvals)
        speaking = ModelAnswerer(model, memory, self.known, persona, self.offline, self.tools) if model else self.offline
        self.sources = Sources(memory, parser, self.approvals)
        self.platforms = Platforms(memory, self.people, self.approvals, self.outbox)
        self.delivery = Delivery(self.outbox, self.channels, self.platforms.dress)
        self.importer = Importer(memory, self.people, parser)
        commands = Commands(memory, self.outbox, self.inspector, self.approvals, self.people, self.door, self._fares)
        files = Files(self.inbox, self.sources, transcriber)
        answering = Answering(answerer or speaking, self.outbox)
        self.turns = Turns(memory, self.people, self.delivery, parser, answering, commands, files)
        self.liveness: Liveness = Liveness(self.channels, self.delivery, self.turns, self._restart)

    def add_channel(self, channel: Channel) -> None:
        """Let the service be spoken to through another channel; before ``start``."""
        self.channels[channel.name] = channel

    async def start(self) -> None:
        """Make sure of the owner, finish the turns that were cut off, and take messages."""
        if self.people.owner() is None:
            await self.people.add(OWNER, "", Sender(TERMINAL, "owner"))
        self.learn_people()
        await self.delivery.start()
        cut_off = await self.turns.resume(self.channels.values())
        self._jobs.start()
        for channel in self.channels.values():
            await channel.start(partial(self.platforms.take, self.turns, channel))
        for name, chat in cut_off:
            self.platforms.finish(self.turns, self.channels[name], chat)
        self.liveness.start()

    async def stop(self) -> None:
        """Take no more messages, finish what was begun, and close the memory."""
        await self.liveness.stop()
        for channel in self.channels.values():
            await channel.stop()
        await self.platforms.stop()
        await self.delivery.stop()
        for channel in self.channels.values():
            await channel.close()
        await self._jobs.stop()
        await close_models()
        await asyncio.to_thread(self.memory.close)

    async def say(self, said: Said) -> list[Outbound]:
        """Return the replies to a message from the terminal, those of earlier turns that nobody took included."""
        sender = await self._sender(said.speaker)
        chat = chat_of(said.speaker, said.chat)
        inbound = Inbound(sender, chat, said.id, said.text, said.sent_at, said.zone)
        async with self._listening(chat) as replies:
            await self.terminal.send(inbound)
        return replies

    async def waiting(self, speaker: str, chat: str) -> list[Outbound]:
        """Return the replies of a terminal chat that nobody is known to have taken, and take them."""
        chat = chat_of(speaker, chat)
        async with self._listening(chat) as replies:
            for outbound in self.outbox.undelivered(TERMINAL, chat):
                await self.outbox.deliver(outbound, TERMINAL)
        return replies

    async def bring_in(
        self, chat: str, me: str, speakers: Mapping[str, str], lines: Sequence[Line], zone: str, *, join: bool
    ) -> dict[str, Any]:
        """Remember lines of a conversation from elsewhere; ``me`` is what the owner is called in it.

        ``speakers`` gives each name the platform's id of who it is, or an empty one: a name alone is somebody of that chat.
        """
        senders = {name: imported_sender(self.people, chat, name, id_) for name, id_ in speakers.items()}
        if me:
            senders[me] = sender_of("")
        summary = await self.importer.take(Batch(chat, senders, lines, zone, join))
        self.learn_people()
        return summary.as_data()

    async def export(self, speaker: str, format_: str, path: Path) -> int:
        """Write all that a person may see to a file, as TriG or JSON-LD; return how many quads there are."""
        person = await self._looked_into(speaker, "export")
        content, count = await asyncio.to_thread(exported, self.memory, person, format_)
        try:
            await asyncio.to_thread(path.write_bytes, content)
        except OSError as error:
            message = f"{path} cannot be written ({error.strerror}). Nothing was changed; name another with --out."
            raise IncorrectRequestError(message) from error
        return count

    async def pair(self, speaker: str) -> str:
        """Return the path of a new one-time link for the owner, or for a member of a name."""
        return f"/enter/{self.entry.link(await self.person(speaker))}"

    async def person(self, speaker: str) -> Person:
        """Return the owner for an empty name, and otherwise the member of that name in this terminal.

        Raises ``IncorrectRequestError`` where there is nobody of that name.
        """
        person = self.people.identify(sender_of(speaker)) or self._only_one_called(speaker)
        if person is None:
            message = f"Nobody is called {speaker!r} here. `muniment chat --as NAME` lets a member of that name in."
            raise IncorrectRequestError(message)
        return person

    async def _looked_into(self, speaker: str, what: str) -> Person:
        """Return the person of a name; that the terminal, which is the owner's, looks into a member's space is recorded."""
        person = await self.person(speaker)
        owner = self.people.owner()
        if owner is not None:
            await self.people.note_access(owner, person, what)
        return person

    def _only_one_called(self, name: str) -> Person | None:
        """Return the one person whom the owner can mean by a name; nobody where several bear it."""
        called = [person for person in self.known.values() if name and name_key(person.display_name) == name_key(name)]
        return called[0] if len(called) == 1 else None

    async def look(self, look: Look, speaker: str) -> Page:
        """Return a page of the inspector for a person's own space."""
        person = await self._looked_into(speaker, look.page)
        try:
            return await asyncio.to_thread(self.inspector.page, person, user(person.id), look)
        except KeyError as error:
            message = f"there is no page {look.page!r}"
            raise IncorrectRequestError(message) from error

    async def ask_to_forget(self, speaker: str, words: str, act: str) -> dict[str, Any]:
        """Return what forgetting something would do, as a request to approve; ``act`` is ``erase`` or ``retract``."""
        if act not in set(Act):
            message = f"{act!r} is not a way to forget"
            raise IncorrectRequestError(message)
        return _item(await self.approvals.ask(await self._looked_into(speaker, act), words, Act(act)))

    async def ask_to_merge(self, speaker: str, first: str, second: str) -> dict[str, Any]:
        """Return what merging two things would do, as a request to approve."""
        return _item(await self.approvals.ask_to_merge(await self._looked_into(speaker, "merge"), first, second))

    async def unmerge(self, speaker: str, code: str) -> dict[str, Any]:
        """Take a merge back, or list those that can be for an empty code."""
        person = await self._looked_into(speaker, "unmerge")
        if not code:
            return {"lines": await asyncio.to_thread(self.approvals.merges, person)}
        return {"lines": list((await self.approvals.unmerge(person, code)).lines)}

    async def tidy(self, speaker: str) -> dict[str, Any]:
        """Look for what is to be tidied, now; what needs a person waits for whom it is of."""
        person = await self._looked_into(speaker, "consolidate")
        return {"found": dict(await tidy(self.memory, self.people, self.approvals.approver(person)))}

    async def promote(self, speaker: str, claim: str) -> dict[str, Any]:
        """Let a person say a quarantined claim as their own."""
        return {"lines": list((await self.approvals.promote(await self._looked_into(speaker, "promote"), claim)).lines)}

    async def source(self, speaker: str, act: str, name: str, zone: str) -> dict[str, Any]:
        """Do something with the documents of a person: ``add`` a path, ``list``, ``delete``, ``restore`` or ``purge`` one."""
        person = await self._looked_into(speaker, f"source {act}")
        match act:
            case "add":
                return {"files": [added.as_data() for added in await self.sources.add(person, Path(name), zone)]}
            case "list":
                found = await asyncio.to_thread(self.sources.versions, person)
                return {
                    "versions": [{"id": d.id, "name": d.name, "at": d.at, "state": d.state or "there"} for d in found if d.name]
                }
            case "delete":
                return {"lines": [f"Deleted; {await self.sources.delete(person, name)} statements ended with it."]}
            case "restore":
                return {"lines": [f"Restored; {await self.sources.restore(person, name)} statements hold again."]}
            case "purge":
                return {"item": _item(await self.sources.ask_to_purge(person, name))}
            case _:
                message = f"{act!r} is nothing to do with a document"
                raise IncorrectRequestError(message)

    async def ontology(self, speaker: str, act: str, given: str) -> dict[str, Any]:
        """Do something with axioms of this instance's own: ``propose`` Turtle, ``list`` it, ``adopt`` or ``withdraw`` some."""
        person = await self._looked_into(speaker, f"ontology {act}")
        match act:
            case "propose":
                return {"id": await wait(await asyncio.to_thread(self.memory.propose_axioms, given, person.id))}
            case "list":
                everything = await asyncio.to_thread(self.memory.additions)
                found = [a for a in everything if person.is_owner or a.state == ADOPTED or a.person == person.id]
                return {"axioms": [{"id": a.id, "state": a.state, "turtle": a.turtle, "at": a.at} for a in found]}
            case "adopt" | "withdraw":
                kind = ADOPTED if act == "adopt" else WITHDRAWN
                return {"item": _item(await self.approvals.ask_to_adopt(person, given, kind))}
            case _:
                message = f"{act!r} is nothing to do with axioms"
                raise IncorrectRequestError(message)

    async def sparql(self, speaker: str, query: str, format_: str, clocks: Mapping[str, int | None]) -> str:
        """Return the result of a query over what a person may see, in the format of a short name; as plain lines for none."""
        person = await self._looked_into(speaker, "sparql")
        clearance = self.memory.spaces.clearance(user(person.id))
        result = await wait(self.memory.queries.submit(query, clearance, clocks["as_of"], clocks["valid_at"]))
        if not format_:
            return "\n".join(table(result))
        chosen = named(result.form, format_)
        if chosen is None:
            message = f"That result can be written as {', '.join(f.name for f in usable(result.form))}. Nothing was changed."
            raise IncorrectRequestError(message)
        return (await asyncio.to_thread(written, result, chosen)).decode("utf-8")

    async def token(self, speaker: str, act: str, name: str, sensitivity: str) -> dict[str, Any]:
        """Make a token (``new``), ``list`` a person's, or ``revoke`` one."""
        person = await self._looked_into(speaker, f"token {act}")
        match act:
            case "new" if speaker:
                message = "A token is its own person's to ask for, and this is not they. Nothing was changed."
                raise IncorrectRequestError(message)
            case "new":
                token, secret = await self.tokens.issue(person, name, sensitivity)
                return {"id": token.id, "name": token.name, "clearance": token.sensitivity.name.lower(), "token": secret}
            case "list":
                found = await asyncio.to_thread(self.tokens.of, person)
                tokens = [{"id": t.id, "name": t.name, "clearance": t.sensitivity.name.lower(), "at": t.at} for t in found]
                return {"tokens": tokens}
            case "revoke":
                return {"revoked": (await self.tokens.revoke(person, name)).name}
            case _:
                message = f"{act!r} is nothing to do with a token"
                raise IncorrectRequestError(message)

    async def standing(self, act: str, who: str) -> dict[str, Any]:
        """List who is known and where, or ``block`` somebody, or let them in again (``unblock``)."""
        owner = await self.person("")
        if act in {"block", "unblock"}:
            channel, _, platform_id = who.partition(":")
            person = self.people.identify(Sender(channel, platform_id)) if platform_id else await self.person(who)
            if person is None:
                message = f"Nobody is known as {who}. Nothing was changed; `muniment people` lists who is."
                raise IncorrectRequestError(message)
            await self.people.set_standing(person, BLOCKED if act == "block" else MEMBER, owner)
            self.learn_people()
        elif act != "list":
            message = f"{act!r} is nothing to do with people"
            raise IncorrectRequestError(message)
        people = self.people.everyone()
        return {"people": [{"role": p.role, "name": p.display_name, "known as": self.people.identities(p)} for p in people]}

    async def pending(self, speaker: str) -> list[dict[str, Any]]:
        """Return what waits for a person."""
        person = await self._looked_into(speaker, "pending")
        return [_item(item) for item in await asyncio.to_thread(self.approvals.waiting, person)]

    async def decide(self, speaker: str, code: str, choice: str) -> dict[str, Any]:
        """Do what a person decided about something that waits; ``deny`` leaves or rejects it."""
        person = await self._looked_into(speaker, "a decision")
        deciding = self.approvals.deny(person, code) if choice == "deny" else self.approvals.approve(person, code, choice)
        done = await deciding
        opening = None if done.opening is None else {"nonce": done.opening.nonce, "texts": list(done.opening.texts)}
        return {"lines": list(done.lines), "receipt": json.loads(done.receipt) if done.receipt else None, "opening": opening}

    async def outcomes(self, speaker: str, chat: str) -> list[dict[str, Any]]:
        """Return how often each decision was made in a terminal chat, with its row and reason."""
        chat = chat_of(speaker, chat)
        found = self.memory.rows("SELECT id, space FROM conversation WHERE channel = ? AND chat = ?", (TERMINAL, chat))
        if not found:
            return []
        conversation, space = found[0]
        clearance = self.memory.spaces.clearance(parse_space(space), integrity=Integrity.QUARANTINED)
        with self.memory.reading() as reads:
            rows = reads.outcomes(clearance, conversation)
            sources = reads.sources_in(clearance, conversation)
        counted = [{"outcome": o.value, "row": row, "reason": reason, "count": count} for o, row, reason, count in rows]
        return [{"outcome": "messages", "row": 0, "reason": "kept with their reading", "count": sources}, *counted]

    async def status(self) -> dict[str, Any]:
        """Return the state of the instance; counts are the owner's own view."""
        owner = await self.person("")
        mine: Space = user(owner.id)
        clearance = self.memory.spaces.clearance(mine)
        with self.memory.reading() as reads:
            claims = reads.count(clearance)
        waiting = self.memory.rows(
            "SELECT count(*) FROM inbox i WHERE i.person <> ''"
            " AND NOT EXISTS (SELECT 1 FROM outbox o WHERE o.in_reply_to = i.source)"
        )
        return {
            "data": str(self.memory.folder),
            "people": [{"role": p.role, "name": p.display_name} for p in self.people.everyone()],
            "claims you can see": claims,
            "ledger entries": self.memory.head(),
            "unfinished turns": waiting[0][0],
            "notes": self.memory.notes(),
            "models": self._reads,
            "channels": self.liveness.report(),
        }

    async def back_up(self, path: Path) -> dict[str, Any]:
        """Write a backup, and return what is in it."""
        return await wait(self.memory.back_up(path))

    async def verify(self, checkpoint: str) -> dict[str, int]:
        """Return what was counted in verifying everything, and a checkpoint that was kept elsewhere if one is given."""
        if checkpoint:
            await asyncio.to_thread(self.memory.check_checkpoint, checkpoint)
        return dict(await wait(self.memory.verify()))

    async def doctor(self, *, reasoner: bool = False) -> list[dict[str, Any]]:
        """Return the checks of the instance, each with whether it holds and what was found."""
        counted = await wait(self.memory.verify())
        owner = self.people.owner()
        look = partial(examine, self.memory, counted, owner.id if owner else "", reasoner=reasoner)
        around = Surroundings(self.memory, tuple(self.channels.values()), self._models)
        return [*await asyncio.to_thread(look), *await around.examine()]

    @asynccontextmanager
    async def _listening(self, chat: str) -> AsyncGenerator[list[Outbound]]:
        """Collect the replies of a terminal chat, for one caller at a time."""
        async with self._chats[chat]:
            replies: list[Outbound] = []
            self.terminal.listen(chat, replies.append)
            try:
                yield replies
            finally:
                self.terminal.leave(chat)

    async def let_in(self, speaker: str, code: str) -> str:
        """Let the stranger who has a code be the owner, or the member of a name; return on which channel."""
        known = self.people.identify(await self._sender(speaker))
        person = known or await self.person(speaker)
        sender = self.door.pairing.claim(code, "")
        await self.people.link(person, sender)
        return sender.channel

    async def _sender(self, speaker: str) -> Sender:
        sender = sender_of(speaker)
        if speaker and self.people.identify(sender) is None:
            owner = self.people.owner()
            await self.people.add(MEMBER, sender.display_name, sender, owner.id if owner else "")
            self.learn_people()
        return sender

    def _fares(self) -> list[str]:
        return self.liveness.lines()

    async def _restart(self, channel: Channel) -> None:
        """End a channel and start it again; what it was told and did not acknowledge comes again."""
        await channel.stop()
        await channel.start(partial(self.platforms.take, self.turns, channel))

    def learn_people(self) -> None:
        """Read again who is known."""
        self.known.update(self.people.known())


def _item(item: Item) -> dict[str, Any]:
    return {"id": item.id, "code": item.code, "lines": list(item.lines), "choices": list(item.choices)}


def sender_of(speaker: str) -> Sender:
    """Return the terminal's sender for a name: the owner for an empty one, and one member for all writings of a name.

    Raises ``IncorrectRequestError`` for what can be no name.
    """
    if not speaker:
        return Sender(TERMINAL, "owner")
    name = " ".join(speaker.split())
    if not name or len(name) > LONGEST_NAME or not name.isprintable() or "/" in name:
        message = f"A name has 1 to {LONGEST_NAME} printable characters and no slash. Nothing was changed."
        raise IncorrectRequestError(message)
    return Sender(TERMINAL, f"member:{name_key(name)}", name)


def imported_sender(people: People, chat: str, name: str, platform_id: str) -> Sender:
    """Return who speaks in an imported conversation: by the platform's id, or as somebody of that conversation alone.

    A file lets nobody in: an account that is not known yet is somebody of the import channel, through which no message comes.
    """
    shown = " ".join("".join(ch if ch.isprintable() else " " for ch in name).split())[:LONGEST_NAME] or "somebody"
    number = platform_id.removeprefix("user")
    if number.isascii() and number.isdigit():
        known = Sender(TELEGRAM, number, shown)
        return known if people.identify(known) is not None else Sender(IMPORT, f"{TELEGRAM}:{number}", shown)
    return Sender(IMPORT, f"{chat}/{name_key(name)}", shown)


def chat_of(speaker: str, chat: str) -> str:
    """Return the terminal's id of a chat of a person, which no other person's can equal."""
    return f"{sender_of(speaker).platform_id}/{chat}"
