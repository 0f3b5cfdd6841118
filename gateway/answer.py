"""The answerer without a model: replies from recalled facts, with who said what and when, and says so when it does not know."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import assert_never

from pyoxigraph import NamedNode

from gateway.models import OnText
from gateway.outcome import noted, outcome
from gateway.people import Person
from gateway.questions import ME, About, Check, Objects, Query, Questions, Subjects, class_word, is_speaker, possessed
from gateway.voice import Voice
from gateway.waiting import work
from memory.claim import Receipt, Source
from memory.entities import person as entity_of
from memory.label import Clearance, Integrity, Label, Sensitivity
from memory.recall import recall
from memory.store import Memory
from memory.text import name_key
from ontologies.vocab import NAME, RDF_TYPE
from reasoner.source import Statement

RECALL_BUDGET = 400
_ARTICLE = re.compile(r"\A(?:the|an?)\s+", re.IGNORECASE)
_MOST_LINES = 12
_MOST_PASSAGES = 3


@dataclass(frozen=True, slots=True)
class Asked:
    """What the answerer is given: the message, what remembering it did, who asked, and what they may see.

    ``note`` is what to say about how it was read; ``noted_elsewhere`` tells that the speaker sees what was stored without words.
    ``language`` is what they want to be answered in, in their words; a model follows it.
    """

    source: Source
    receipt: Receipt
    listener: Person
    clearance: Clearance
    greeting: str = ""
    note: str = ""
    noted_elsewhere: bool = False
    language: str = ""


@dataclass(frozen=True, slots=True)
class Reply:
    """The text, the label it has because of what went into it, and the claims and sources it tells of."""

    text: str
    label: Label
    told: tuple[str, ...] = ()


class OfflineAnswerer:
    """Answers by rule from the facts, inferences and passages that the listener may see."""

    def __init__(self, memory: Memory, people: "dict[str, Person]") -> None:
        """Use a memory and the people it knows."""
        self._memory = memory
        self._people = people
        self._questions = Questions(memory.vocabulary)

    async def answer(self, asked: Asked, on_text: OnText | None = None) -> Reply:  # noqa: ARG002 - all of it comes at once
        """Return the reply to a message; reads off the event loop."""
        return await work(self.reply, asked)

    def reply(self, asked: Asked) -> Reply:
        """Return the reply to a message; reads at one instant."""
        with self._memory.reading() as reads:
            voice = Voice(self._memory, reads, asked.clearance, asked.listener, self._people, asked.source.zone)
            lines = [text for text in (asked.greeting, asked.note) if text]
            lines += outcome(asked.source, asked.receipt, voice, noted_elsewhere=asked.noted_elsewhere)
            for question in dict.fromkeys(asked.receipt.questions):
                lines += self._to(question, asked, voice)
            if (not lines or lines == [asked.greeting]) and any(noted(asked.receipt, asked.clearance, voice)):
                lines.append("Noted.")
            elif not lines or lines == [asked.greeting]:
                lines.append(
                    "I kept your message, and found no plain fact in it. I take statements such as"
                    ' "I live in Lyon" and questions such as "where do I live?"; /help says more.'
                )
            return Reply("\n".join(lines), _label(asked.source, voice.used), tuple(voice.told))

    def _to(self, question: str, asked: Asked, voice: Voice) -> list[str]:
        query = self._questions.read(question)
        if query is not None:
            found = list(dict.fromkeys(self._found(query, voice)))
            if found:
                return found[:_MOST_LINES] + ([f"... and {len(found) - _MOST_LINES} more."] if len(found) > _MOST_LINES else [])
        return self._abstain(question, asked, voice, query)

    def _found(self, query: Query, voice: Voice) -> Iterator[str]:
        match query:
            case Objects(subject, predicate, wanted):
                for thing in self.things(subject, voice):
                    yield from _objects(thing, predicate, wanted, voice)
            case Subjects(predicate, object_):
                for thing in self.things(object_, voice):
                    for statement in sorted(voice.reads.statements(voice.clearance, None, predicate, thing), key=_order):
                        yield voice.fact(statement.triple, statement.label, inferred=statement.inferred)
            case Check(subject, predicate, object_):
                yield from self._check(subject, predicate, object_, voice)
            case About(subject):
                for thing in self.things(subject, voice):
                    yield from _about(thing, voice)
            case _ as never:
                assert_never(never)

    def _check(self, subject: str, predicate: NamedNode, object_: str, voice: Voice) -> Iterator[str]:
        for thing in self.things(subject, voice):
            for other in self.things(object_, voice):
                for statement in sorted(voice.reads.statements(voice.clearance, thing, predicate, other), key=_order)[:1]:
                    yield f"Yes: {voice.fact(statement.triple, statement.label, inferred=statement.inferred)}"
                    return
                for denied in voice.reads.claims(
                    voice.clearance, subject=thing, predicates=(predicate,), object_=other, negative=True
                ):
                    voice.used.append(denied.label)
                    voice.told[denied.id] = None
                    said = voice.said(voice.reads.evidence(voice.clearance, denied.id))
                    yield f'No: {said}, in the words "{denied.wording}".'
                    return
            rivals = sorted(voice.reads.statements(voice.clearance, thing, predicate, None), key=_order)
            for fact in rivals[:1] if voice.memory.vocabulary.has_one_value(predicate) else ():
                yield f"Not as far as I know: {voice.fact(fact.triple, fact.label, inferred=fact.inferred)}"

    def things(self, words: str, voice: Voice) -> list[NamedNode]:
        """Return what words mean to the listener: the listener, a named thing, or somebody's sister."""
        if is_speaker(words):
            return [entity_of(voice.listener.id)]
        named = [bearer.entity for bearer in voice.reads.named(voice.clearance, name_key(words))]
        named += [entity_of(person.id) for person in voice.companions() if name_key(person.display_name) == name_key(words)]
        if named:
            return list(dict.fromkeys(named))
        split = possessed(words)
        predicate = self._questions.noun(split[1]) if split else None
        if split is None or predicate is None:
            bare = _ARTICLE.sub("", words, count=1)
            return [bearer.entity for bearer in voice.reads.named(voice.clearance, name_key(bare))] if bare != words else []
        owners = [entity_of(voice.listener.id)] if split[0].casefold() == ME else self.things(split[0], voice)
        objects = (s.triple.object for owner in owners for s in voice.reads.statements(voice.clearance, owner, predicate, None))
        return list(dict.fromkeys(thing for thing in objects if isinstance(thing, NamedNode)))

    def _abstain(self, question: str, asked: Asked, voice: Voice, query: Query | None) -> list[str]:
        found = recall(voice.reads, self._memory.vocabulary, voice.query(question), asked.clearance, RECALL_BUDGET)
        lines: list[str] = []
        passages = [i for i in found.items if i.source is not None and i.source.id != asked.source.id][:_MOST_PASSAGES]
        for item in passages:
            if item.source is not None:
                voice.used.append(item.label)
                voice.told[item.source.id] = None
                lines.append(
                    f'- {voice.who(item.source.speaker)}, {voice.day(item.source.said_at)}: "{_short(item.source.body)}"'
                )
        known = "I do not know that" if query is not None else "I have no fact that answers that"
        if not lines:
            return [f"{known}: nothing that I remember says so."]
        return [f"{known}. What was said that may bear on it:", *lines]


def _objects(thing: NamedNode, predicate: NamedNode, wanted: NamedNode | None, voice: Voice) -> Iterator[str]:
    statements = sorted(voice.reads.statements(voice.clearance, thing, predicate, None), key=_order)
    shown: set[object] = set()
    for statement in statements:
        object_ = statement.triple.object
        if object_ in shown:
            continue
        shown.add(object_)
        if wanted is None or (isinstance(object_, NamedNode) and wanted in voice.reads.types(voice.clearance, object_)):
            yield voice.fact(statement.triple, statement.label, inferred=statement.inferred)
    if (
        wanted is not None
        and statements
        and not any(isinstance(o, NamedNode) and wanted in voice.reads.types(voice.clearance, o) for o in shown)
    ):
        fact = statements[0]
        yield (
            f"I was not told which {class_word(wanted)} that is. What I know:"
            f" {voice.fact(fact.triple, fact.label, inferred=fact.inferred)}"
        )


def _about(thing: NamedNode, voice: Voice) -> Iterator[str]:
    naming = voice.memory.vocabulary.naming
    own = thing == entity_of(voice.listener.id)
    for claim in voice.reads.claims(voice.clearance, subject=thing):
        if (own or claim.predicate not in naming) and claim.validity.to_latest is None:
            yield voice.claim(claim)
    for claim in voice.reads.claims(voice.clearance, object_=thing):
        if claim.validity.to_latest is None:
            yield voice.claim(claim)
    for property_ in voice.memory.vocabulary.properties.values():
        if property_.iri in (RDF_TYPE, NAME):
            continue
        for statement in voice.reads.statements(voice.clearance, thing, property_.iri, None):
            if statement.inferred and property_.verb:
                yield voice.fact(statement.triple, statement.label, inferred=True)


def _order(statement: Statement[Label]) -> tuple[bool, str]:
    return statement.inferred, str(statement.triple)


def _label(source: Source, used: list[Label]) -> Label:
    sensitivity = max([Sensitivity.INTERNAL, *(label.sensitivity for label in used)])
    return Label(source.space, sensitivity, Integrity.QUARANTINED)


def _short(text: str, most: int = 160) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= most else f"{flat[: most - 1]}\u2026"
