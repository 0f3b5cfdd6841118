"""What the words of a person pick out to be forgotten: claims, a thing, a source, or all that is theirs."""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial

from pyoxigraph import NamedNode, Triple

from gateway.answer import OfflineAnswerer
from gateway.errors import IncorrectRequestError
from gateway.parse import offline
from gateway.questions import Objects, Questions, possessed
from gateway.voice import Voice
from memory.claim import Act, Candidate, Claim, Mention, Speaker
from memory.entities import person as entity_of
from memory.errors import UnknownThingError
from memory.ids import ENTITY
from memory.label import Integrity
from memory.redact import occurrences
from memory.text import name_key
from memory.vocabulary import Vocabulary

_EVERYTHING = re.compile(
    r"(?:everything|all)(?: that)?(?: you know| you remember)?(?:(?: about| of)? (?:me|mine|myself))?|me|"
    r"what you (?:know|remember) about me",
    re.IGNORECASE,
)
_ABOUT = re.compile(r"(?:everything|all|what you know)(?: that)?(?: you know| you remember)? about (.+)", re.IGNORECASE)
_THAT = re.compile(r"\A(?:that|about|the fact that)\s+", re.IGNORECASE)
_WH = re.compile(r"\A(where|what|who|when) i ", re.IGNORECASE)
_ID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
_MOST = 8


@dataclass(frozen=True, slots=True)
class Meant:
    """What was picked out; exactly one of the parts is set."""

    claims: tuple[str, ...] = ()
    thing: str = ""
    sources: tuple[str, ...] = ()
    whole: bool = False


class Meaning:
    """Reads what a person wants forgotten."""

    def __init__(self, vocabulary: Vocabulary, answerer: OfflineAnswerer) -> None:
        """Use a vocabulary's questions and the answerer's understanding of names."""
        self._vocabulary, self._answerer = vocabulary, answerer
        self._questions = Questions(vocabulary)

    def of(self, words: str, voice: Voice, at: int) -> Meant:
        """Return what words pick out; raise ``IncorrectRequestError`` where that is nothing or too much."""
        text = _THAT.sub("", words.strip().strip("\"'\u201c\u201d").rstrip(".!?"), count=1).strip()
        if not text:
            message = (
                'Say what to forget: a name, a statement such as "I live in Lima", or "everything about me". Nothing was changed.'
            )
            raise IncorrectRequestError(message)
        if _EVERYTHING.fullmatch(text):
            return Meant(whole=True)
        if _ID.fullmatch(text):
            return self._by_id(text, voice)
        about = _ABOUT.fullmatch(text)
        ways: list[Callable[[str, Voice], Meant | list[Claim]]] = [self._things, self._containing]
        if about is None:
            ways = [partial(self._stated, at=at), self._owned, self._things, self._asked, self._containing]
        for way in ways:
            found = way(about[1] if about else text, voice)
            if isinstance(found, Meant):
                return found
            if found:
                return Meant(tuple(dict.fromkeys(claim.id for claim in found)))
        message = f"I do not know what {words.strip()!r} is. Nothing was changed; /memory lists what I remember."
        raise IncorrectRequestError(message)

    def thing(self, name: str, voice: Voice) -> NamedNode:
        """Return the one thing of a name or an id; raise ``IncorrectRequestError`` where there is none, or more than one."""
        text = name.strip()
        if _ID.fullmatch(text):
            return NamedNode(ENTITY + text)
        found = self._things(text, voice)
        if not isinstance(found, Meant):
            message = f"I know nothing called {text!r}. Nothing was changed; `muniment memory show` lists what there is."
            raise IncorrectRequestError(message)
        return NamedNode(found.thing)

    def _by_id(self, id_: str, voice: Voice) -> Meant:
        everything = voice.memory.spaces.clearance(voice.clearance.top.space, integrity=Integrity.QUARANTINED)
        if voice.reads.standing(everything, thing=NamedNode(ENTITY + id_)):
            return Meant(thing=ENTITY + id_)
        try:
            return Meant((voice.reads.version(everything, id_).id,))
        except UnknownThingError:
            return Meant(sources=(voice.reads.source(everything, id_).id,))

    def _stated(self, text: str, voice: Voice, at: int) -> list[Claim]:
        """Return the claims that say what the words state."""
        found: list[Claim] = []
        for candidate in offline.read(f"{text}.", at, voice.zone).candidates:
            whole = candidate.span.end - candidate.span.start >= len(text) - 1
            if candidate.act is Act.STATEMENT and candidate.predicate is not None and whole:
                found += self._saying(candidate, voice)
        return found

    def _saying(self, candidate: Candidate, voice: Voice) -> Iterable[Claim]:
        spoken = candidate.object
        for subject in self._referred(candidate.subject, voice):
            claims = self._of(subject, candidate.predicate, voice)
            if isinstance(spoken, Mention | Speaker):
                objects = set(self._referred(spoken, voice))
                yield from (claim for claim in claims if claim.object in objects)
            else:
                yield from (claim for claim in claims if claim.object == spoken.term or str(claim.object) == str(spoken.term))

    def _referred(self, reference: Speaker | Mention, voice: Voice) -> Sequence[NamedNode]:
        if isinstance(reference, Speaker):
            return [entity_of(voice.listener.id)]
        return list(dict.fromkeys(b.entity for b in voice.reads.named(voice.clearance, name_key(reference.text))))

    def _of(self, subject: NamedNode, predicate: NamedNode | None, voice: Voice) -> list[Claim]:
        standing = voice.reads.standing(voice.clearance, thing=subject)
        return [s.claim for s in standing if s.claim.subject == subject and s.claim.predicate == predicate]

    def _owned(self, text: str, voice: Voice) -> list[Claim]:
        """Return the claims of "Mara's birthday"."""
        split = possessed(text)
        predicate = self._questions.noun(split[1]) if split else None
        if split is None or predicate is None:
            return []
        return [claim for thing in self._answerer.things(split[0], voice) for claim in self._of(thing, predicate, voice)]

    def _things(self, text: str, voice: Voice) -> Meant | list[Claim]:
        things = [bearer.entity for bearer in voice.reads.named(voice.clearance, name_key(text))]
        things = list(dict.fromkeys(thing for thing in things if thing != entity_of(voice.listener.id)))
        if len(things) > 1:
            shown = "; ".join(f"{thing.value.removeprefix(ENTITY)} ({self._known_for(thing, voice)})" for thing in things)
            message = (
                f"There are {len(things)} things called {text}; give the id of the one you mean: {shown}. Nothing was changed."
            )
            raise IncorrectRequestError(message)
        return Meant(thing=things[0].value) if things else []

    def _known_for(self, thing: NamedNode, voice: Voice) -> str:
        """Return what tells a thing from another of its name."""
        claims = [*voice.reads.claims(voice.clearance, subject=thing), *voice.reads.claims(voice.clearance, object_=thing)]
        told = [c for c in claims if c.predicate not in self._vocabulary.naming]
        return voice.triple(Triple(told[-1].subject, told[-1].predicate, told[-1].object)) if told else "nothing else is known"

    def _asked(self, text: str, voice: Voice) -> list[Claim]:
        """Return the claims that answer "where I live", "my name"."""
        for question in (text, _WH.sub(r"\1 do i ", text), f"what is {text}"):
            query = self._questions.read(question)
            if isinstance(query, Objects):
                things = self._answerer.things(query.subject, voice)
                return [claim for thing in things for claim in self._of(thing, query.predicate, voice)]
        return []

    def _containing(self, text: str, voice: Voice) -> list[Claim]:
        """Return the claim in whose words the text stands; raise where there are several."""
        subjects = voice.reads.subjects(voice.clearance)
        claims = [claim for subject in subjects for claim in voice.reads.claims(voice.clearance, subject=subject)]
        worded = [
            (c, voice.triple(Triple(c.subject, c.predicate, c.object)))
            for c in claims
            if c.predicate not in self._vocabulary.naming
        ]
        found = [(claim, words) for claim, words in worded if occurrences(words, text)]
        if len(found) > 1:
            shown = "; ".join(words for _, words in found[:_MOST])
            message = f"That may be any of these, say which: {shown}. Nothing was changed."
            raise IncorrectRequestError(message)
        return [claim for claim, _ in found]
