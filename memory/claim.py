"""The nouns of memory: sources, candidates, claims, evidence and receipts. Values only."""

from dataclasses import dataclass, field
from enum import IntEnum, StrEnum
from typing import TypeAlias

from pyoxigraph import Literal, NamedNode

from memory.ids import Instant
from memory.label import Label, Space

Term: TypeAlias = NamedNode | Literal


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of a source, in code points, half-open."""

    start: int
    end: int

    def within(self, other: "Span") -> bool:
        """Tell whether all of this lies in ``other``."""
        return other.start <= self.start and self.end <= other.end

    def of(self, text: str) -> str:
        """Return the words of the span."""
        return text[self.start : self.end]


class SourceKind(StrEnum):
    """Where a text comes from; admission believes people, and quarantines the rest."""

    MESSAGE = "message"
    ASSISTANT = "assistant"
    DOCUMENT = "document"
    FORWARD = "forward"
    TOOL = "tool"


@dataclass(frozen=True, slots=True)
class Source:
    """A stored text. ``speaker`` is a person's id, or empty where nobody known wrote it; ``zone`` is an IANA zone name."""

    id: str
    conversation: str
    space: Space
    kind: SourceKind
    speaker: str
    said_at: Instant
    zone: str
    body: str


class Act(StrEnum):
    """What a piece of a message does. Only a statement is a candidate for belief."""

    STATEMENT = "statement"
    QUESTION = "question"
    HYPOTHETICAL = "hypothetical"
    QUOTE = "quote"
    JOKE = "joke"
    FICTION = "fiction"
    REQUEST = "request"


class Polarity(StrEnum):
    """Whether a statement says that something holds, no longer holds, or does not hold."""

    HOLDS = "holds"
    ENDED = "ended"
    NEGATED = "negated"


class Mark(StrEnum):
    """What the speaker said about who may know."""

    NONE = "none"
    PRIVATE = "private"
    SHARE = "share"


@dataclass(frozen=True, slots=True)
class Validity:
    """Valid time as four bounds, plus the instant from which it is known to hold.

    ``from_earliest`` ``None`` is an unknown start; ``to_earliest`` and ``to_latest`` ``None`` mean that it still holds.
    ``known_from`` is when the evidence says it holds; ``zone`` is the IANA zone whose days the bounds are counted in.
    """

    from_earliest: Instant | None = None
    from_latest: Instant | None = None
    to_earliest: Instant | None = None
    to_latest: Instant | None = None
    known_from: Instant | None = None
    zone: str = "UTC"


@dataclass(frozen=True, slots=True)
class Speaker:
    """The one who says it, as subject or object."""


@dataclass(frozen=True, slots=True)
class Mention:
    """A name in the text; which entity it means is resolved when the message is remembered."""

    text: str
    span: Span


@dataclass(frozen=True, slots=True)
class Value:
    """A literal or a class, and the words it was read from."""

    term: Term
    span: Span


Reference: TypeAlias = Speaker | Mention | Value


@dataclass(frozen=True, slots=True)
class Candidate:
    """What a parser reads in a message: a triple of references with the words that support it.

    ``predicate`` is ``None`` where the vocabulary has no word; ``wording`` is the relation in the speaker's words. ``present``
    tells that the statement is about now; ``sure`` that the parser needs no confirmation.
    """

    subject: Speaker | Mention
    predicate: NamedNode | None
    object: Reference
    span: Span
    wording: str
    act: Act = Act.STATEMENT
    polarity: Polarity = Polarity.HOLDS
    validity: Validity = field(default_factory=Validity)
    present: bool = True
    sure: bool = True


@dataclass(frozen=True, slots=True)
class Reading:
    """What a parser made of a source: candidates, and the questions in it; ``only_asks`` where there is nothing else.

    ``unread`` counts the sentences past the most that a parser takes in one message. ``confirms`` names an earlier source of
    the same speaker that the message says yes (or, without candidates, no) to: the candidates' spans lie in that one.
    ``note`` is what the speaker should know about how it was read.
    """

    parser: str
    candidates: tuple[Candidate, ...] = ()
    questions: tuple[str, ...] = ()
    only_asks: bool = False
    unread: int = 0
    confirms: str = ""
    note: str = ""


@dataclass(frozen=True, slots=True)
class Proposal:
    """A candidate whose references are resolved and whose label is chosen: what admission decides about."""

    candidate: Candidate
    subject: NamedNode
    predicate: NamedNode
    object: Term
    label: Label
    validity: Validity
    speaker: str
    said_at: Instant
    mark: Mark = Mark.NONE


@dataclass(frozen=True, slots=True)
class Claim:
    """One version of a claim. ``id`` stays, ``version`` changes whenever something about it is corrected."""

    version: str
    id: str
    subject: NamedNode
    predicate: NamedNode
    object: Term
    label: Label
    validity: Validity
    speaker: str
    wording: str
    transaction_from: Instant
    entry: int
    last_said_at: Instant


NAMED_BY_MENTION = "name"
"""The wording of a name that was claimed because it was mentioned, not because somebody stated it."""

RETRACTED = "retracted"
"""The reason on a version that a person has taken back."""


FOLDED = "said again in another writing"
"""The reason on a version whose value another claim says in another writing; it stands again where that one goes."""


@dataclass(frozen=True, slots=True)
class ClosedClaim:
    """A claim version that is no longer believed, with when and why."""

    claim: Claim
    transaction_to: Instant
    reason: str


@dataclass(frozen=True, slots=True)
class Evidence:
    """Who said what where; shown only to readers of the source's label."""

    source: str
    span: Span
    quote: str
    speaker: str
    said_at: Instant


class Rule(IntEnum):
    """The rows of the admission table."""

    NOT_STATED = 1
    UNSUPPORTED = 2
    REFUSED_BEFORE = 3
    NOT_BY_A_PERSON = 4
    ENDED = 5
    KNOWN = 6
    REPLACES = 7
    CONFLICT = 8
    CONTRADICTION = 9
    NO_WORD = 10
    NEW = 11
    GATED = 12
    """Nobody said it first-hand: the reversibility gate."""


class Outcome(StrEnum):
    """What became of a candidate."""

    ADMITTED = "admitted"
    HELD = "held"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True)
class Decided:
    """A line of a receipt: the outcome, the rule that decided, and the claim it concerns."""

    outcome: Outcome
    rule: Rule
    reason: str
    span: Span
    predicate: NamedNode | None
    version: str | None


@dataclass(frozen=True, slots=True)
class Receipt:
    """What remembering a source did. Remembering it again returns this and does nothing."""

    source: str
    entry: int
    parser: str
    decisions: tuple[Decided, ...]
    questions: tuple[str, ...] = ()
    unread: int = 0
    undone: bool = False
    confirms: str = ""

    def count(self, outcome: Outcome) -> int:
        """Return how many candidates had an outcome."""
        return sum(decided.outcome is outcome for decided in self.decisions)
