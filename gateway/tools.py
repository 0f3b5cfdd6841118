"""What the answering model may do with memory: look within its clearance, say things, and ask for what a person approves.

``Turn.call`` decides: a name that is no tool and arguments that are not as its schema says are answered with what is wrong.
Nothing here approves anything, and nothing is read that the model may not be shown; what a result says is data.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache, partial
from typing import Any, TypeAlias

import structlog
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from gateway.answer import Asked
from gateway.approvals import Approvals, Item
from gateway.clocks import instant
from gateway.errors import IncorrectRequestError
from gateway.inspect import Inspector, Look
from gateway.parse.offline import read
from gateway.results import table
from gateway.summary import described, summary
from gateway.voice import Voice
from gateway.waiting import wait
from memory.claim import Mark, Outcome, Reading, Receipt, Source, SourceKind, Span
from memory.entities import person as entity_of
from memory.errors import MunimentMemoryError
from memory.forget import Act
from memory.ids import Instant
from memory.label import Clearance, Integrity, Label, Sensitivity, user
from memory.marks import leading_mark
from memory.store import Memory
from memory.tables import Row

log = structlog.get_logger(__name__)

LONGEST_RESULT = 4_000
"""Characters of one result."""

_MOST_THIN = 10
_MOST_SUBJECTS = 500
_TIME = "a day or time, such as 2026-11-30 or 2026-11-30T14:05"
_CUT = "\n(cut off: ask for less)"


class _Arguments(BaseModel):
    model_config = ConfigDict(extra="forbid", str_max_length=8_000)


class Nothing(_Arguments):
    """No arguments."""


class Words(_Arguments):
    """What to look for."""

    words: str = Field(min_length=1, description="what to look for, in words")
    history: bool = Field(default=False, description="also what no longer holds or is no longer believed")
    as_of: str = Field(default="", description=f"as it was believed then: {_TIME}; empty for now")
    valid_at: str = Field(default="", description=f"what held in the world then: {_TIME}; empty for now")


class About(_Arguments):
    """A thing by its name."""

    name: str = Field(default="", description='the name of a person, place or thing; empty for everything, "me" for the speaker')


class Between(_Arguments):
    """A stretch of time."""

    since: str = Field(description=f"from then on: {_TIME}")
    until: str = Field(default="", description=f"until then: {_TIME}; empty for now")


class Sparql(_Arguments):
    """A query."""

    query: str = Field(
        min_length=1, description="SPARQL 1.1 SELECT, ASK, CONSTRUCT or DESCRIBE; see the properties you were told"
    )
    as_of: str = Field(default="", description=f"over what was believed then: {_TIME}; empty for now")


class Statement(_Arguments):
    """Something to note."""

    statement: str = Field(min_length=1, max_length=500, description='one plain sentence, such as "Zoe lives in Oslo"')
    quote: str = Field(
        default="", max_length=500, description="the words of the last message that say it, letter by letter; else empty"
    )


class What(_Arguments):
    """What a person wants forgotten."""

    what: str = Field(min_length=1, max_length=500, description='a name, or a statement such as "I live in Lima"')


class Axioms(_Arguments):
    """Words or axioms."""

    turtle: str = Field(min_length=1, description="Turtle in the namespace of the vocabulary; the usual prefixes are declared")


Run: TypeAlias = Callable[["Turn", Any], Awaitable[str]]


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool: its name, what it is for, its arguments, and what it does."""

    name: str
    purpose: str
    arguments: type[_Arguments]
    run: Run

    def specification(self) -> dict[str, Any]:
        """Return it as models are told of it."""
        function = {"name": self.name, "description": self.purpose, "parameters": self.arguments.model_json_schema()}
        return {"type": "function", "function": function}


@dataclass(slots=True)
class Turn:
    """The tools as one answer uses them: for a listener, within what the model may be shown of what the listener may see.

    ``used`` are the labels of what the model was shown, in its prompt too, ``told`` the claims and sources in it, ``requests``
    what now waits for the person, and ``notes`` what the person is told beside the answer.
    """

    tools: "Tools"
    asked: Asked
    may: Clearance
    used: list[Label] = field(default_factory=list[Label])
    told: dict[str, None] = field(default_factory=dict[str, None])
    requests: list[Item] = field(default_factory=list[Item])
    notes: list[str] = field(default_factory=list[str])
    _stored: int = 0

    @property
    def is_private(self) -> bool:
        """Tell whether the listener alone reads the answer."""
        return self.asked.source.space == user(self.asked.listener.id)

    async def learn(self, source: Source, reading: Reading) -> Receipt:
        """Store what was read, once for each place in the turn, so that one that is taken up again stores nothing twice."""
        self._stored += 1
        key = Row("tool_store", {"message": self.asked.source.id, "number": self._stored, "source": source.id})
        is_owner = self.asked.listener.is_owner and source.kind is SourceKind.MESSAGE
        return await wait(self.tools.memory.learn(source, reading, is_owner=is_owner, rows=(key,)))

    async def call(self, name: str, arguments: str) -> str:
        """Return what a tool says, or what is wrong with the call; at most ``LONGEST_RESULT`` characters."""
        tool = TOOLS.get(name)
        if tool is None:
            return f"There is no tool {name[:60]!r}; there are {', '.join(TOOLS)}."
        try:
            text = await tool.run(self, tool.arguments.model_validate_json(arguments or "{}"))
        except ValidationError as error:
            wrong = (f"{'.'.join(map(str, one['loc'])) or 'the arguments'}: {one['msg']}" for one in error.errors())
            return f"Those arguments cannot be used: {'; '.join(wrong)}."[:LONGEST_RESULT]
        except (MunimentMemoryError, IncorrectRequestError) as error:
            text = str(error)
        except Exception:
            log.exception("a tool failed", tool=name)
            text = "That tool failed. Nothing was changed by it."
        return text if len(text) <= LONGEST_RESULT else text[: LONGEST_RESULT - len(_CUT)] + _CUT

    def at(self, text: str) -> Instant | None:
        """Return an instant that the model wrote, or ``None`` for an empty text."""
        return instant(text, self.asked.source.zone) if text else None

    async def look(self, look: Look) -> str:
        """Return a page of memory, as far as the model may be shown it."""
        person, space, most = self.asked.listener, self.may.top.space, self.may.top.sensitivity
        page = await asyncio.to_thread(partial(self.tools.inspector.page, person, space, look, most=most))
        self.used.append(page.label)
        self.told.update(dict.fromkeys(page.told))
        return "\n".join(page.lines)


class Tools:
    """What the tools of all turns use."""

    def __init__(self, memory: Memory, inspector: Inspector, approvals: Approvals) -> None:
        """Use a memory, its pages, and the one mechanism by which people approve."""
        self.memory, self.inspector, self.approvals = memory, inspector, approvals

    def turn(self, asked: Asked, may: Clearance, used: Iterable[Label]) -> Turn:
        """Return the tools for one answer; ``used`` are the labels of what its prompt shows."""
        return Turn(self, asked, may, list(used))

    def summary(self, asked: Asked, may: Clearance) -> str:
        """Return what a model has to know to write SPARQL that is right the first time."""
        return "\n".join((_QUERYING.format(me=entity_of(asked.listener.id).value), *summary(self.memory, may)))


_QUERYING = """For memory_sparql: facts and inferences are in the default graph; the prefixes : owl prov rdf rdfs skos xsd are
declared. Things have opaque IRIs and are found by ?thing :name "...", so SELECT DISTINCT names. The person who speaks is
<{me}>. Properties that are in use:"""


async def _search(turn: Turn, given: Words) -> str:
    at = turn.at(given.as_of), turn.at(given.valid_at)
    return await turn.look(Look("search", given.words, *at, history=given.history))


async def _about(turn: Turn, given: About) -> str:
    return await turn.look(Look("show", given.name))


async def _explain(turn: Turn, given: About) -> str:
    return await turn.look(Look("why", given.name))


async def _timeline(turn: Turn, given: About) -> str:
    return await turn.look(Look("timeline", given.name))


async def _changes(turn: Turn, given: Between) -> str:
    zone = turn.asked.source.zone
    since = instant(given.since, zone, first=True)
    return await turn.look(Look("changes", since=since, until=turn.at(given.until)))


async def _sparql(turn: Turn, given: Sparql) -> str:
    result = await wait(turn.tools.memory.queries.submit(given.query, turn.may, turn.at(given.as_of)))
    turn.used.append(turn.may.top._replace(integrity=Integrity.QUARANTINED))  # nothing tells which graphs it was found in
    return "\n".join(table(result))


async def _reflect(turn: Turn, _given: Nothing) -> str:
    """Say what is stale, thin or in conflict; what waits for the person in words only where the model may be shown all."""
    lines: list[str] = []
    if turn.is_private:
        items = await asyncio.to_thread(turn.tools.approvals.waiting, turn.asked.listener)
        if turn.may.top.sensitivity is Sensitivity.SECRET:
            turn.used += [item.label for item in items]
            turn.told.update(dict.fromkeys(told for item in items for told in item.told))
            lines += [f"waits for the person: {' '.join(item.lines)}" for item in items]
        elif items:
            lines.append("Something waits for the person; /pending shows it to them.")
    lines += await asyncio.to_thread(_thin, turn)
    return "\n".join(lines) or "Nothing that you may see is stale, thin or in conflict."


def _thin(turn: Turn) -> list[str]:
    """Return the things of which little more than a name is known."""
    memory, listener = turn.tools.memory, turn.asked.listener
    with memory.reading() as reads:
        voice = Voice(memory, reads, turn.may, listener, turn.tools.inspector.people(), turn.asked.source.zone)
        naming, found = memory.vocabulary.naming, list[str]()
        for subject in reads.subjects(turn.may)[:_MOST_SUBJECTS]:
            about = reads.claims(turn.may, subject=subject)
            if all(claim.predicate in naming for claim in about) and len(found) < _MOST_THIN:
                voice.used += [claim.label for claim in about]
                voice.told.update(dict.fromkeys(claim.id for claim in about))
                found.append(f"little is known of {voice.name(subject)}")
        turn.used += voice.used
        turn.told.update(voice.told)
    return found


async def _store(turn: Turn, given: Statement) -> str:
    """Let admission decide about a statement: the person's where they stated it in those words, and the model's own otherwise."""
    quoted = given.quote.strip()
    return await (_store_theirs(turn, quoted) if quoted else _store_own(turn, given.statement))


async def _store_theirs(turn: Turn, quoted: str) -> str:
    """Store what the message itself says within a quote: read as a whole, with its mark, so that no words lose their context."""
    said = turn.asked.source
    reading = await asyncio.to_thread(read, said.body, said.said_at, said.zone)
    at = said.body.find(quoted)
    spans = [Span(at, at + len(quoted))] if at >= 0 else []
    stated = tuple(one for one in reading.candidates if any(one.span.within(span) for span in spans))
    if not stated or said.kind is not SourceKind.MESSAGE:
        return "The person does not plainly state that in the last message. Nothing was stored; leave the quote out, or ask."
    source = replace(said, id=turn.tools.memory.ids())
    receipt = await turn.learn(source, replace(reading, candidates=stated, questions=()))
    turn.notes.append(f"Also noted, from your message: {_counted(receipt)}.")
    return f"{_counted(receipt)}."


async def _store_own(turn: Turn, statement: str) -> str:
    """Store the model's own words: quarantined, and secret where the model was shown more than is internal."""
    said = turn.asked.source
    if leading_mark(statement)[1] is not Mark.NONE:
        return "A statement has no mark at its head. Nothing was stored."
    is_shown_more = any(label.sensitivity > Sensitivity.INTERNAL for label in turn.used)
    body = f"/private {statement}" if is_shown_more else statement
    source = Source(
        turn.tools.memory.ids(), f"tools:{said.conversation}", said.space, SourceKind.TOOL, "", said.said_at, said.zone, body
    )
    reading = await asyncio.to_thread(read, body, source.said_at, source.zone)
    if not reading.candidates:
        return 'No plain fact was read in that. Nothing was stored; write it as "Zoe lives in Oslo".'
    receipt = await turn.learn(source, reading)
    turn.notes.append(f'I noted, as my own words and not believed: "{statement}".')
    return f"{_counted(receipt)}; as your own words it is quarantined until a person says it."


def _counted(receipt: Receipt) -> str:
    counted = {outcome.value: receipt.count(outcome) for outcome in Outcome}
    return ", ".join(f"{count} {outcome}" for outcome, count in counted.items() if count) or "nothing"


async def _forget(act: Act, turn: Turn, given: What) -> str:
    """Ask the person; what there is to forget, and whether there is anything, is for them alone to see."""
    if not turn.is_private:
        turn.notes.append("To let me forget something, ask me in your own chat.")
        return _ASKED_FOR
    try:
        turn.requests.append(await turn.tools.approvals.ask(turn.asked.listener, given.what, act, turn.asked.source.id))
    except (MunimentMemoryError, IncorrectRequestError) as error:
        turn.notes.append(str(error))
    return _ASKED_FOR


_ASKED_FOR = (
    "The person is told what that would do, below your answer, or why it cannot be done. Nothing is changed before they approve."
)


async def _inspect(turn: Turn, given: About) -> str:
    vocabulary = turn.tools.memory.vocabulary
    word = given.name.casefold().lstrip(":")
    properties = [p for p in vocabulary.properties.values() if word in f"{p.iri.value} {p.label} {p.verb} {p.noun}".casefold()]
    classes = [f"class: {label}" for label in sorted(set(vocabulary.class_labels.values())) if word in label.casefold()]
    return "\n".join([*described(properties), *classes]) or "The vocabulary has no such word."


async def _propose(turn: Turn, given: Axioms) -> str:
    memory = turn.tools.memory
    id_ = await wait(await asyncio.to_thread(memory.propose_axioms, given.turtle, turn.asked.listener.id))
    return f"Kept as {id_}. Nothing follows from it before the owner has seen what would, and adopted it."


_ALL = (
    Tool("memory_search", "Search what is remembered for words; use it before saying that you do not know.", Words, _search),
    Tool("memory_about", "What is believed about a thing, with who said it and when.", About, _about),
    Tool("memory_sparql", "Ask a question that needs counting, joining or following several relations.", Sparql, _sparql),
    Tool("memory_explain", "Where something comes from: evidence, decisions, and proofs of what is inferred.", About, _explain),
    Tool("memory_timeline", "What holds, or held, of a thing when in the world.", About, _timeline),
    Tool("memory_changes", "What was noted, corrected, refused and forgotten in a stretch of time.", Between, _changes),
    Tool("memory_reflect", "What is stale, thin or in conflict in memory, and what waits for the person.", Nothing, _reflect),
    Tool("memory_store", "Note a fact. What the person states is noted already; this is for what was missed.", Statement, _store),
    Tool("memory_retract", "Ask the person to let something be believed no more.", What, partial(_forget, Act.RETRACT)),
    Tool("memory_erase", "Ask the person to destroy something for good.", What, partial(_forget, Act.ERASE)),
    Tool("ontology_inspect", "The classes and properties that there are, for a word or all.", About, _inspect),
    Tool("ontology_propose", "Propose a class, property or axiom to the owner.", Axioms, _propose),
)
TOOLS: Mapping[str, Tool] = {tool.name: tool for tool in _ALL}


@cache
def specifications() -> tuple[dict[str, Any], ...]:
    """Return all tools as models are told of them."""
    return tuple(tool.specification() for tool in TOOLS.values())
