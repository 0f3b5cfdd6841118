"""The parser without a model: sure patterns over whole sentences. It says nothing about what it does not understand."""

import re

from gateway.parse.patterns import NOT_A_NAME, PATTERNS, Pattern, is_name, is_thing
from gateway.parse.sentences import Sentence, sentences
from memory.claim import Act, Candidate, Mention, Reading, Source, Span, Speaker, Value

NAME = "offline-1"
_MOST_SENTENCES = 200
_LONGEST_SENTENCE = 240


class OfflineParser:
    """A deterministic parser of plain English."""

    name = NAME

    async def read(self, source: Source) -> Reading:
        """Return the candidates and questions of a message."""
        return read(source.body)


def read(text: str) -> Reading:
    """Return the candidates and questions of a text."""
    candidates: list[Candidate] = []
    questions: list[str] = []
    every = list(sentences(text))
    cut = every[:_MOST_SENTENCES]
    for sentence in cut:
        if sentence.act is Act.QUESTION:
            questions.append(sentence.text)
        elif len(sentence.text) <= _LONGEST_SENTENCE:
            candidate = _candidate(sentence)
            if candidate is not None:
                candidates.append(candidate)
    return Reading(
        NAME, tuple(candidates), tuple(questions), only_asks=len(questions) == len(every), unread=len(every) - len(cut)
    )


def _candidate(sentence: Sentence) -> Candidate | None:
    for pattern in PATTERNS:
        found = pattern.form.fullmatch(sentence.text)
        if found:
            candidate = _build(sentence, pattern, found)
            if candidate is not None:
                return candidate
    return None


def _build(sentence: Sentence, pattern: Pattern, found: re.Match[str]) -> Candidate | None:
    subject: Speaker | Mention = Speaker()
    groups = found.groupdict()
    if "subject" in groups:
        name = groups["subject"]
        if not is_name(name) or name.split()[0].casefold() in NOT_A_NAME or not _proper(name):
            return None
        subject = Mention(name, _span(sentence, found, "subject"))
    words = groups["object"]
    casual = False
    span = _span(sentence, found, "object")
    if pattern.literal is not None:
        term = pattern.literal(words)
        if term is None:
            return None
        object_: Value | Mention = Value(term, span)
    else:
        if pattern.takes is not None and not pattern.takes(words):
            casual = _casual(sentence, pattern, words)
            if not casual:
                return None
        object_ = Mention(words, span)
    wording = sentence.text if isinstance(subject, Speaker) else sentence.text.removeprefix(subject.text).strip()
    return Candidate(
        subject,
        pattern.predicate,
        object_,
        sentence.span,
        wording,
        sentence.act,
        pattern.polarity,
        sure=pattern.sure and not casual,
    )


def _casual(sentence: Sentence, pattern: Pattern, words: str) -> bool:
    """Tell whether somebody who writes ``i`` for ``I`` may name a place in one small word; it is asked back."""
    return pattern.casual and sentence.text.startswith("i ") and words.isalpha() and is_thing(words)


def _proper(name: str) -> bool:
    return not name[0].islower()


def _span(sentence: Sentence, found: re.Match[str], group: str) -> Span:
    start = sentence.span.start
    return Span(start + found.start(group), start + found.end(group))
