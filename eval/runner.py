"""Scenarios against the real gateway, in process: the loopback channel, a clock that is set, and YAML that says what must hold.

A scenario names people and chats, then steps. A step may set the time, say something (with a scripted reading or reply where
one is wanted), restart the gateway, let somebody join or leave a chat, and state what is expected: words in the reply
(``expect``) and out of it (``not``; an empty reply never passes), counts of decisions, and claims on both clocks. ``{code}``
stands for the code of what was last shown to be approved.
"""

import asyncio
import itertools
import json
import sys
import tempfile
from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import UUID

import yaml
from pydantic import BaseModel, ConfigDict, Field
from pyoxigraph import Literal, NamedNode

from bootstrap.figures import Figures, options, progress
from bootstrap.logs import quiet_logs
from bootstrap.wiring import open_service
from channels.loopback import Loopback
from channels.message import Inbound, Outbound, Sender
from eval.model_server import ModelServer, model_server
from gateway.answer import Asked, OfflineAnswerer, Reply
from gateway.models import Model, ModelSettings, OnText
from gateway.parse import offline
from gateway.parse.context import Before
from gateway.parse.model import ModelParser
from gateway.parse.offline import OfflineParser
from gateway.parse.times import find_when, today, validity
from gateway.people import MEMBER, OWNER, Conversation, Person
from gateway.service import TERMINAL, Service
from gateway.waiting import wait
from memory import axes
from memory.claim import Act, Candidate, Mention, Outcome, Polarity, Reading, Source, Span, Speaker, Validity, Value
from memory.entities import person as entity_of
from memory.ids import Instant, from_datetime
from memory.label import Integrity, Label, user
from memory.marks import leading_mark
from memory.text import name_key
from memory.vocabulary import Vocabulary, local_name
from ontologies.files import vocabulary
from ontologies.vocab import XSD, term

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gateway.turn import Parser

FOLDER = Path(__file__).parent / "scenarios"
_STEP = 60_000_000


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", populate_by_name=True)


class ReadingLine(_Strict):
    """A candidate that the scripted parser gives, with the quote that supports it."""

    subject: str = "me"
    predicate: str
    object: str
    quote: str
    literal: str = ""
    when: str = ""
    polarity: Polarity = Polarity.HOLDS
    act: Act = Act.STATEMENT
    sure: bool = True


class Claims(_Strict):
    """Which objects a subject has under a predicate, for a reader, on either clock."""

    of: str
    predicate: str
    reader: str
    are: list[str]
    as_of: datetime | None = None
    valid_at: datetime | None = None


class Step(_Strict):
    """One thing that happens, and what must hold after it."""

    at: datetime | None = None
    say: str = ""
    by: str = ""
    chat: str = Field("", alias="in")
    id: str = ""
    reading: list[ReadingLine] | None = None
    reply: str | None = None
    restart: bool = False
    join: str = ""
    leave: str = ""
    expect: list[str] = []
    not_: list[str] = Field(default=[], alias="not")
    decided: dict[str, int] = {}
    claims: list[Claims] = []


class Scenario(_Strict):
    """A whole scenario. ``people`` gives each a role; ``chats`` lists the people of each: one is a DM, more are a team."""

    name: str
    shows: list[str] = []
    people: dict[str, str]
    chats: dict[str, list[str]]
    zone: str = "UTC"
    steps: list[Step]


@dataclass(slots=True)
class Clock:
    """A clock that only moves when it is told to, and a little with each reading so that no two instants are equal."""

    now: Instant = 0

    def __call__(self) -> Instant:
        """Return the time."""
        self.now += 1
        return self.now


class ScriptedParser:
    """Gives the readings it was told to give, and the offline parser's for everything else."""

    def __init__(self) -> None:
        """Start with none."""
        self.readings: dict[str, list[ReadingLine]] = {}
        self._offline = OfflineParser()

    async def read(self, source: Source, before: Before | None = None) -> Reading:
        """Return the reading of a message."""
        lines = self.readings.get(source.body)
        if lines is None:
            return await self._offline.read(source, before)
        return Reading("scripted", tuple(_candidate(line, source) for line in lines))


class ScriptedAnswerer:
    """Gives the replies it was told to give, and the offline answerer's for everything else."""

    def __init__(self) -> None:
        """Start with none; ``offline`` is set once the service is there."""
        self.replies: dict[str, str] = {}
        self.offline: OfflineAnswerer | None = None

    async def answer(self, asked: Asked, on_text: OnText | None = None) -> Reply:
        """Return the reply to a message."""
        text = self.replies.get(asked.source.body)
        if text is not None:
            return Reply(text, Label(asked.source.space, integrity=Integrity.QUARANTINED))
        if self.offline is None:
            message = "no answerer"
            raise RuntimeError(message)
        return await self.offline.answer(asked, on_text)


class ScriptedModel:
    """What a served model says: for each message the reading it was told to give, and the offline parser's for the others."""

    def __init__(self) -> None:
        """Start with no readings."""
        self.readings: dict[str, list[ReadingLine]] = {}

    def reply(self, request: dict[str, Any]) -> str:
        """Return the reply to a request for a reading."""
        shown = request["messages"][-1]["content"].rsplit("Message:\n", 1)[1]
        lines = next((lines for say, lines in self.readings.items() if say[leading_mark(say)[0] :] == shown), None)
        given = [_said(line) for line in lines] if lines is not None else list(_offline(shown))
        return json.dumps({"facts": given})


@dataclass(slots=True)
class Run:
    """A scenario being run in a data directory; ``server`` is the model that reads, where one does."""

    scenario: Scenario
    data: Path
    server: ModelServer | None = None
    clock: Clock = field(default_factory=Clock)
    model: ScriptedModel = field(default_factory=ScriptedModel)
    parser: ScriptedParser = field(default_factory=ScriptedParser)
    answerer: ScriptedAnswerer = field(default_factory=ScriptedAnswerer)
    faults: list[str] = field(default_factory=list[str])
    code: str = ""
    people: dict[str, Person] = field(default_factory=dict[str, Person])
    groups: dict[str, Conversation] = field(default_factory=dict[str, Conversation])
    _ids: "itertools.count[int]" = field(default_factory=lambda: itertools.count(1))
    _service: Service | None = None

    async def run(self) -> list[str]:
        """Run every step; return what did not hold."""
        self.clock.now = from_datetime(datetime.fromisoformat("2026-01-05T09:00:00+00:00"))
        await self._start()
        await self._introduce()
        for number, step in enumerate(self.scenario.steps, 1):
            await self._step(number, step)
        differences = (await wait(self.service.memory.verify()))["graph_differences"]
        if differences:
            self.faults.append(f"the graph differs from the ledger in {differences} quads")
        await self.service.stop()
        return self.faults

    @property
    def service(self) -> Service:
        """The running service."""
        if self._service is None:
            message = "not started"
            raise RuntimeError(message)
        return self._service

    async def _start(self) -> None:
        reading: Parser = self.parser
        if self.server is not None:
            self.server.script = self.model.reply
            reading = ModelParser(Model(ModelSettings("openai/scripted", self.server.url)), Vocabulary(vocabulary()))
        self._service = open_service(
            self.data, parser=reading, answerer=self.answerer, clock=self.clock, ids=lambda: _uuid(next(self._ids))
        )
        self.answerer.offline = self._service.offline
        await self._service.start()

    async def _introduce(self) -> None:
        for name, role in self.scenario.people.items():
            sender = Sender(TERMINAL, "owner" if role == OWNER else f"member:{name}", name)
            person = self.service.people.identify(sender)
            self.people[name] = person or await self.service.people.add(MEMBER, name, sender)
        for chat, names in self.scenario.chats.items():
            if len(names) > 1:
                members = [self.people[name] for name in names]
                self.groups[chat] = await self.service.people.group(TERMINAL, chat, members, members[0].id)
        self.service.learn_people()

    async def _step(self, number: int, step: Step) -> None:
        self.clock.now = from_datetime(step.at) if step.at else self.clock.now + _STEP
        if step.restart:
            await self.service.stop()
            await self._start()
        for name, present in ((step.join, True), (step.leave, False)):
            if name:
                space = self.groups[step.chat].space
                person = self.people[name]
                await wait(self.service.memory.set_member(space.id, person.id, person.id, present=present))
        if step.say:
            await self._say(number, step)
        for claims in step.claims:
            found = self._objects(claims)
            if found != sorted(claims.are):
                self._fault(number, f"{claims.of} {claims.predicate} is {found}, expected {sorted(claims.are)}")

    async def _say(self, number: int, step: Step) -> None:
        said = step.say.replace("{code}", self.code)
        if step.reading is not None:
            self.parser.readings[step.say] = self.model.readings[step.say] = step.reading
        if step.reply is not None:
            self.answerer.replies[step.say] = step.reply
        chat = step.chat or next(iter(self.scenario.chats))
        by = step.by or self.scenario.chats[chat][0]
        role = self.scenario.people[by]
        sender = Sender(TERMINAL, "owner" if role == OWNER else f"member:{by}", by)
        inbound = Inbound(sender, chat, step.id or f"{number}", said, self.clock.now, self.scenario.zone)
        text = await _exchange(self.service.terminal, inbound)
        if "/approve " in text:
            self.code = text.rsplit("/approve ", 1)[1][:6]
        if (step.expect or step.not_) and not text.strip():
            self._fault(number, "the reply is empty")
        for words in step.expect:
            if words.casefold() not in text.casefold():
                self._fault(number, f"{words!r} is not in the reply {text!r}")
        for words in step.not_:
            if words.casefold() in text.casefold():
                self._fault(number, f"{words!r} is in the reply {text!r}")
        if step.decided:
            self._check_decisions(number, step, chat)

    def _check_decisions(self, number: int, step: Step, chat: str) -> None:
        found = self.service.memory.rows(
            "SELECT source FROM inbox WHERE chat = ? AND platform_id = ?", (chat, step.id or f"{number}")
        )
        space = self.groups[chat].space if chat in self.groups else user(self.people[self.scenario.chats[chat][0]].id)
        clearance = self.service.memory.spaces.clearance(space, integrity=Integrity.QUARANTINED)
        with self.service.memory.reading() as reads:
            receipt = reads.receipt(clearance, found[0][0])
        counted = {outcome.value: receipt.count(outcome) for outcome in Outcome} if receipt else {}
        for outcome, count in step.decided.items():
            if counted.get(outcome) != count:
                self._fault(number, f"{outcome} {counted.get(outcome)}, expected {count}")

    def _objects(self, claims: Claims) -> list[str]:
        """Return the names or values of what is believed, and known to hold at the valid time asked for."""
        memory, reader = self.service.memory, self.people[claims.reader]
        clearance = memory.spaces.clearance(user(reader.id))
        predicate = term(claims.predicate)
        as_of = from_datetime(claims.as_of) if claims.as_of else None
        valid_at = from_datetime(claims.valid_at) if claims.valid_at else (as_of or self.clock.now)
        kind = memory.vocabulary[predicate].temporal_kind
        with memory.reading(as_of) as reads:
            if claims.of in self.people:
                subjects = [entity_of(self.people[claims.of].id)]
            else:
                subjects = [bearer.entity for bearer in reads.named(clearance, name_key(claims.of))]
            found: set[str] = set()
            for subject in dict.fromkeys(subjects):
                for claim in reads.claims(clearance, subject=subject, predicates=(predicate,)):
                    if axes.holds_at(claim.validity, kind, valid_at):
                        thing = claim.object
                        names = reads.names(clearance, thing) if isinstance(thing, NamedNode) else [thing.value]
                        found.add(names[-1] if names else "?")
        return sorted(found)

    def _fault(self, number: int, text: str) -> None:
        self.faults.append(f"step {number}: {text}")


def load(path: Path) -> Scenario:
    """Return the scenario in a YAML file."""
    return Scenario.model_validate(yaml.safe_load(path.read_text(encoding="utf-8")))


async def play(scenario: Scenario, server: ModelServer | None = None) -> list[str]:
    """Run a scenario in a new data directory, read by a served model where one is given; return what did not hold."""
    with tempfile.TemporaryDirectory() as folder:
        return await Run(scenario, Path(folder) / "data", server).run()


def main() -> int:
    """Run the scenario files that are named, or all; print each fault and the count of scenarios that hold."""
    parser = options(__doc__ or "")
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument("--models", action="store_true", help="let a scripted model behind the real client read the messages")
    given = parser.parse_args()
    quiet_logs(verbose=False)
    files: Sequence[Path] = given.files or sorted(FOLDER.glob("*.yaml"))
    figures, held = Figures(given.check), 0
    with model_server() if given.models else nullcontext() as server:
        for path in files:
            progress(path.stem)
            faults = asyncio.run(play(load(path), server))
            held += not faults
            for fault in faults:
                print(json.dumps({"scenario": path.stem, "fault": fault}, ensure_ascii=False))
    progress("")
    figures.put("scenarios that hold", held / len(files) if files else 0, "share", at_least=1)
    return figures.exit_code()


async def _exchange(channel: Loopback, inbound: Inbound) -> str:
    replies: list[Outbound] = []
    channel.listen(inbound.chat, replies.append)
    try:
        await channel.send(inbound)
    finally:
        channel.leave(inbound.chat)
    return "\n".join(reply.text for reply in replies)


def _said(line: ReadingLine) -> dict[str, object]:
    """Return a scripted line as a model gives it."""
    return {
        "subject": line.subject, "predicate": line.predicate, "object": line.object, "quote": line.quote,
        "polarity": line.polarity.value, "when": line.when, "begins": False,
    }  # fmt: skip


def _offline(text: str) -> Iterator[dict[str, object]]:
    """Yield what the offline parser surely reads in a text, as a model gives it."""
    for c in offline.read(text, 0, "UTC").candidates:
        if c.act is Act.STATEMENT and c.sure and c.predicate is not None and not isinstance(c.object, Speaker):
            yield {
                "subject": "me" if isinstance(c.subject, Speaker) else c.subject.text,
                "predicate": local_name(c.predicate), "object": c.object.span.of(text), "quote": c.span.of(text),
                "polarity": c.polarity.value, "when": "", "begins": False,
            }  # fmt: skip


def _candidate(line: ReadingLine, source: Source) -> Candidate:
    text = source.body
    start = text.find(line.quote)
    span = Span(start, start + len(line.quote)) if start >= 0 else Span(0, 0)
    subject = Speaker() if line.subject == "me" else Mention(line.subject, _within(line.subject, text, span))
    inner = _within(line.object, text, span)
    value = Value(Literal(line.object, datatype=NamedNode(XSD + line.literal)), inner) if line.literal else None
    predicate = term(line.predicate)
    return Candidate(
        subject,
        predicate,
        value or Mention(line.object, inner),
        span,
        line.predicate,
        line.act,
        line.polarity,
        _valid(line, source),
        sure=line.sure,
    )


def _valid(line: ReadingLine, source: Source) -> Validity:
    when = find_when(f"so {line.when}", today(source.said_at, source.zone)) if line.when else None
    return validity(when, source.said_at, source.zone, begins=False, happens=True) if when else Validity()


def _within(words: str, text: str, span: Span) -> Span:
    start = text.find(words, span.start, span.end)
    return Span(start, start + len(words)) if start >= 0 else Span(0, 0)


def _uuid(number: int) -> str:
    return str(UUID(int=(0x7 << 76) | (0x2 << 62) | number))


if __name__ == "__main__":
    sys.exit(main())
