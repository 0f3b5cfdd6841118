"""A message cut into sentences, each with its place and what it does: state, ask, suppose, quote, joke, tell a story, request."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from memory.claim import Act, Span
from memory.marks import leading_mark

_END = re.compile(
    r"(?<=[.!?;\u3002\uff01\uff1f])(?<!\bSt\.)(?<!\b[DM]r\.)(?<!\bMs\.)(?<!\bMrs\.)(?<!\bProf\.)(?<!\b[A-Z]\.)(?<!\be\.g\.)(?<!\bi\.e\.)"
    r"(?<!\bvs\.)\s+|\n+|(?<=[\u3002\uff01\uff1f])"
)
_QUESTION_START = re.compile(
    r"(?:who|whom|whose|what|which|where|when|why|how|is|are|am|was|were|do|does|did(?! my)|has|have|had|can|could|will|would|"
    r"should|shall|may|might)(?:'s|'re)?\b",
    re.IGNORECASE,
)
_ASKS_TO_TELL = re.compile(r"(?:please\s+)?(?:tell me|do you (?:know|remember)|can you tell me|remind me)\b", re.IGNORECASE)
_HYPOTHETICAL = re.compile(
    r"\b(?:if|imagine|suppose|supposing|what if|i wish|i'd (?:like|love)|would|could|might|maybe|perhaps|probably|i think|"
    r"i guess|i suppose|i hope|not sure|"
    r"it['\u2019]?s (?:a lie|not true|untrue|false)|it is (?:a lie|not true|untrue|false)|"
    r"pretend|let's say|say (?:that )?i|one day|someday|when i was)\b",
    re.IGNORECASE,
)
_REPORTED = re.compile(
    r"\b(?:said|says|saying|told|tells|asked|claims?|claimed|wrote that|writes that|according to|thinks?|believes?|reckons|heard|"
    r"reads?:)\b",
    re.IGNORECASE,
)
_QUOTED = re.compile(r"[\"\u201c\u201d\u00ab\u00bb]|(?:^|\s)'[^']+'(?:$|[\s.,!])")
_JOKE = re.compile(
    r"\b(?:just kidding|kidding|jk|lol|lmao|rofl|haha+|hehe+|joke|joking|sarcas\w+|scratch that|ignore that|"
    r"april fools?|that['\u2019]s a lie|no,? wait|psych|gotcha|said no one)\b|/s\b|(?:^|[.!?]\s*)not!|"
    r"[\U0001f602\U0001f923\U0001f61c\U0001f609\U0001f643\U0001f644]|(?-i:\bNOT\b)[.!]*\s*\Z",
    re.IGNORECASE,
)
_FICTION = re.compile(
    r"\b(?:novel|short story|my story|in the (?:story|film|movie|book|game|play|song|dream)|character|role-?play|once upon|"
    r"fiction\w*|lyrics?|poem)\b",
    re.IGNORECASE,
)
_IRONY = re.compile(r"\b(?:yeah,? right|oh,? sure|as if|sure thing)\b", re.IGNORECASE)
_LEAD = re.compile(
    r"(?:(?:(?:(?:so|and|but|well|oh|hi|hello|hey|hiya|ok|okay|yes|yeah|yep|no|nope|also|actually|btw|fyi|honestly|update|ps|"
    r"p\.s|ah|um|anyway|good morning|good evening|hi there|hey there|hello there|thanks|thank you)\b)|by the way|for the record|"
    r"just so you know|just to let you know|just fyi|fun fact|note|to be clear|in case you (?:were )?wonder(?:ing)?|you know|"
    r"(?:please |just |can you )?(?:remember|note|know|keep in mind|don['\u2019]?t forget)(?: that)?|"
    r"i (?:just )?want(?:ed)? (?:you to know|to tell you|to mention)(?: that)?|i should (?:mention|tell you)(?: that)?|"
    r"you should know(?: that)?|correction|good news|big news|news|ngl|nah|tbh|honestly|literally|so|\w+-wise|"
    r"(?:can|could) you (?:please )?(?:remember|note|keep in mind) that|"
    r"(?:(?:quick|small|little|bit|of|some|my|more|ok|so|a|the|for|your|long) )*(?:context|update|note|reminder|correction|info|"
    r"background|family|facts?|story short|heads[- ]up|intro|bio|news|records?)(?=:\s))(?:\s*[,:!.-]+\s*|\s+))*",
    re.IGNORECASE,
)
_ASIDE = re.compile(
    r"\b(?:can(?:no|['\u2019])?t imagine|should(?:n['\u2019]t)?(?:['\u2019]ve| have) told you|(?:have )?i told you|"
    r"(?:like|as) i said|did i (?:mention|tell you)|"
    r"have to tell (?:you|a \w+))\b",
    re.IGNORECASE,
)
_TELLS = re.compile(r"(?:can|could) you (?:please )?(?:remember|note|keep in mind) that\b", re.IGNORECASE)
_GREETING = re.compile(r"\s*(?:hi|hello|hey|hiya|greetings|good (?:morning|evening|afternoon)|nice to meet you)\b", re.IGNORECASE)
_REQUEST = re.compile(r"(?:please|can you|could you|would you|let's|let us|write|translate|summari[sz]e|draft)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence without its final mark, where it stands, and what it does."""

    text: str
    span: Span
    act: Act


def sentences(message: str) -> Iterator[Sentence]:
    """Yield the sentences of a message, in order. A joke anywhere makes the whole message one."""
    start, _ = leading_mark(message)
    joking = _JOKE.search(message) is not None
    position = start
    for piece in _pieces(message, start):
        position = message.index(piece, position)
        text = piece.strip()
        if not text:
            position += len(piece)
            continue
        first = message.index(text, position)
        body = text.rstrip(".!?;\u3002\uff01\uff1f \t")
        position += len(piece)
        if body:
            act = Act.JOKE if joking and not _asks(text) else _act(text)
            yield Sentence(body, Span(first, first + len(body)), act)


def lead(text: str) -> int:
    """Return where a sentence itself begins, after greetings and words such as "just so you know"."""
    found = _LEAD.match(text)
    return found.end() if found and found.end() < len(text) else 0


def is_reported(text: str) -> bool:
    """Tell whether a sentence says what somebody said."""
    return _REPORTED.search(_ASIDE.sub("", text)) is not None


def is_greeted(message: str) -> bool:
    """Tell whether a message begins with a greeting, after which people say who they are."""
    return _GREETING.match(message) is not None


def _pieces(message: str, start: int) -> Iterator[str]:
    for line in _END.split(message[start:]):
        if line:
            yield line


def _asks(text: str) -> bool:
    return text.rstrip().endswith(("?", "\uff1f")) or bool(_QUESTION_START.match(text)) or bool(_ASKS_TO_TELL.match(text))


def _act(text: str) -> Act:
    stripped = _ASIDE.sub("", text)
    text = text if stripped == text else stripped.rstrip(" ,?")
    told = _TELLS.match(text)
    if told is not None:
        text = text[told.end() :].rstrip(" ?")
    if _asks(text):
        return Act.QUESTION
    for pattern, act in (
        (_IRONY, Act.JOKE),
        (_FICTION, Act.FICTION),
        (_QUOTED, Act.QUOTE),
        (_REPORTED, Act.QUOTE),
        (_HYPOTHETICAL, Act.HYPOTHETICAL),
    ):
        if pattern.search(text):
            return act
    return Act.REQUEST if _REQUEST.match(text[lead(text) :]) else Act.STATEMENT
