"""What the offline parser stores of labelled sentences: precision and recall on ``tuned`` and ``blind``, and the ``traps``.

A sentence has the facts that must be stored (``facts``) and further ones that may be (``also``), each written
``subject | predicate | object [| valid time]``: ``me`` is the speaker, ``ended`` or ``not`` before the predicate says that it
no longer holds or does not, and the valid time is ``start/end`` (``2014/..`` still holds, ``/2019`` began nobody knows when).
A stored fact is right where subject, predicate and object are, and its earliest start and latest end; of an end that is told
with ``ended`` or ``not`` the time is not compared. What is asked
back is not stored: it counts for neither, and is reported beside. ``blind`` is never tuned on: do not read its misses.
"""

import calendar
import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import yaml
from pydantic import BaseModel, ConfigDict

from bootstrap.figures import Figures, options
from gateway.parse.dates import in_words, parse_date
from gateway.parse.offline import read
from memory.claim import Act, Candidate, Mention, Polarity, Speaker, Validity
from memory.ids import Instant, from_datetime
from memory.text import name_key
from memory.vocabulary import local_name
from ontologies.vocab import MUNIMENT, RELATED

FOLDER = Path(__file__).parent / "sentences"
ZONE = "Europe/Paris"
_PREFIX = {Polarity.HOLDS: "", Polarity.ENDED: "ended ", Polarity.NEGATED: "not "}
_ARTICLE = re.compile(r"\A(?:the|an?|my|our)\s+")
Bounds = tuple[Instant | None, Instant | None]
NOT_STATED: Bounds = (-1, -1)


class Sentence(BaseModel):
    """A labelled message."""

    model_config = ConfigDict(extra="forbid")

    say: str
    facts: list[str] = []
    also: list[str] = []
    said: datetime = datetime(2026, 11, 30, 12, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Told:
    """A fact as it is compared; ``when`` is its earliest start and its latest end."""

    subject: str
    predicate: str
    object: str
    when: Bounds = NOT_STATED


@dataclass(slots=True)
class Score:
    """Counts over a file, and the lines that went wrong."""

    stored: int = 0
    right: int = 0
    wanted: int = 0
    found: int = 0
    asked: int = 0
    reachable: int = 0
    wrong: list[str] | None = None
    missed: list[str] | None = None

    @property
    def precision(self) -> float:
        """Return the part of what is stored that is right."""
        return self.right / self.stored if self.stored else 1.0

    @property
    def recall(self) -> float:
        """Return the part of what must be stored that is."""
        return self.found / self.wanted if self.wanted else 1.0


def sentences(name: str) -> list[Sentence]:
    """Return the labelled sentences of a file."""
    lines = yaml.safe_load((FOLDER / f"{name}.yaml").read_text(encoding="utf-8"))
    return [Sentence.model_validate(line) for line in lines]


def score(lines: Sequence[Sentence]) -> Score:
    """Return how the offline parser does on labelled sentences."""
    total = Score(wrong=[], missed=[])
    assert total.wrong is not None
    assert total.missed is not None
    for line in lines:
        wanted = [_expected(text) for text in line.facts]
        allowed = [*wanted, *(_expected(text) for text in line.also)]
        stored, asked = told(line)
        total.asked += len(asked)
        for fact in stored:
            if _among(fact, allowed):
                total.right += 1
            else:
                total.wrong.append(f"{line.say!r}: {_line(fact)}")
        total.stored += len(stored)
        total.wanted += len(wanted)
        for fact in wanted:
            found = _among(fact, stored)
            total.found += found
            total.reachable += found or _among(fact, asked)
            if not found:
                total.missed.append(f"{line.say!r}: {_line(fact)}{' (asked)' if _among(fact, asked) else ''}")
    return total


def told(line: Sentence) -> tuple[list[Told], list[Told]]:
    """Return what of a message would be stored at once, and what is asked back."""
    stored: list[Told] = []
    asked: list[Told] = []
    for candidate in read(line.say, from_datetime(line.said), ZONE).candidates:
        if candidate.act is Act.STATEMENT:
            (stored if candidate.sure else asked).append(_told(candidate))
    return list(dict.fromkeys(stored)), list(dict.fromkeys(asked))


def _told(candidate: Candidate) -> Told:
    subject = "me" if isinstance(candidate.subject, Speaker) else name_key(candidate.subject.text)
    spoken = candidate.object
    if isinstance(spoken, Speaker):
        object_ = "me"
    elif isinstance(spoken, Mention):
        object_ = _thing(spoken.text)
    else:
        value = spoken.term.value.removeprefix(MUNIMENT) if not hasattr(spoken.term, "datatype") else in_words(spoken.term)  # type: ignore[arg-type]
        object_ = _thing(value)
    predicate = _PREFIX[candidate.polarity] + local_name(candidate.predicate or RELATED)
    return Told(subject, predicate, object_, _when(candidate.validity))


def _when(validity: Validity) -> Bounds:
    if validity == Validity():
        return NOT_STATED
    return validity.from_earliest, validity.to_latest


def _among(fact: Told, others: Sequence[Told]) -> bool:
    """Tell whether a fact is among others; an end without a stated time is the same end at whatever time."""
    return any(
        (fact.subject, fact.predicate, fact.object) == (other.subject, other.predicate, other.object)
        and (fact.when == other.when or fact.predicate.startswith(("ended ", "not ")))
        for other in others
    )


def _expected(text: str) -> Told:
    subject, predicate, object_, *when = (part.strip() for part in text.split("|"))
    literal = parse_date(object_) if predicate == "birthday" else None
    object_ = in_words(literal) if literal is not None else object_
    return Told(
        subject if subject == "me" else name_key(subject), predicate, _thing(object_), _bounds(when[0]) if when else NOT_STATED
    )


def _bounds(text: str) -> Bounds:
    first, _, last = text.partition("/")
    if "/" not in text:
        last = first
    start = _day(first.strip("[").split("..")[0], last=False) if first else None
    end = None if last in {"..", ""} else _day(last.strip("]").split("..")[-1], last=True)
    return start, end


def _day(text: str, *, last: bool) -> Instant:
    """Return the start, or the end, of a year, month or day in the zone of the sentences."""
    parts = [int(part) for part in text[:10].split("-")]
    year, month, day = (*parts, *(12, 31)[len(parts) - 1 :])[:3] if last else (*parts, *(1, 1)[len(parts) - 1 :])[:3]
    if last:
        day = min(day, calendar.monthrange(year, month)[1])
    moment = date(year, month, day) + timedelta(days=last)
    return from_datetime(datetime.combine(moment, time(), ZoneInfo(ZONE)))


def _thing(words: str) -> str:
    return _ARTICLE.sub("", name_key(words))


def _line(fact: Told) -> str:
    return f"{fact.subject} | {fact.predicate} | {fact.object}" + ("" if fact.when == NOT_STATED else f" | {fact.when}")


def _lines(name: str, total: Score) -> Iterator[str]:
    yield from (f"{name} wrong   {line}" for line in total.wrong or ())
    yield from (f"{name} missed  {line}" for line in total.missed or ())


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the figures; ``--show`` lists what went wrong in ``tuned`` and ``traps``."""
    parser = options("What the offline parser stores of labelled sentences.")
    parser.add_argument("--show", action="store_true", help="list what was stored wrongly or missed in tuned and traps")
    given = parser.parse_args(arguments)
    figures = Figures(given.check)
    tuned, blind, traps = (score(sentences(name)) for name in ("tuned", "blind", "traps"))
    figures.put("offline.tuned.precision", tuned.precision, "of stored", at_least=0.95)
    figures.put("offline.tuned.recall", tuned.recall, "of labelled", at_least=0.80)
    figures.put("offline.tuned.stored_or_asked", tuned.reachable / tuned.wanted, "of labelled")
    figures.put("offline.traps.stored", traps.stored, "facts", at_most=0)
    figures.put("offline.traps.asked", traps.asked, "facts")
    figures.put("offline.blind.precision", blind.precision, "of stored", at_least=0.85)
    figures.put("offline.blind.recall", blind.recall, "of labelled")
    figures.put("offline.blind.stored_or_asked", blind.reachable / blind.wanted, "of labelled")
    if given.show:
        for name, total in (("tuned", tuned), ("traps", traps)):
            print("\n".join(_lines(name, total)), file=sys.stderr)
    return figures.exit_code()


if __name__ == "__main__":
    raise SystemExit(main())
