"""Recall on real conversations: the dialogues of LoCoMo through the shipped import, asked as a member of each.

Each dialogue is imported as a team of its two speakers. For every question with evidence: does the recall block hold *all*
the turns that are its evidence, at 500, 1,000 and 2,000 tokens, beside plain BM25 (no stems, no stop words) over the same
turns, budget and counting in the same run. Dialogues 1-5 may be tuned on; 6-10 are reported apart and hold the bar.

LoCoMo (Maharana et al., 2024) is CC BY-NC 4.0: for evaluation only. It is read from ``MUNIMENT_SHARED`` (default
``../shared``) and nothing of it is committed: what was judged of it is kept by digest in ``locomo_judged.json``.
"""

import asyncio
import hashlib
import json
import os
import random
import re
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from pyoxigraph import Triple

from bootstrap.figures import Figures, options, percentile, progress
from bootstrap.logs import quiet_logs
from bootstrap.wiring import open_service
from channels.exports import read_export
from gateway.importing import IMPORT
from gateway.people import Person
from gateway.service import Service, imported_sender
from gateway.voice import Voice
from memory.label import Clearance
from memory.rank import Posting, Statistics, bm25
from memory.recall import recall, tokens

BUDGETS = (500, 1_000, 2_000)
CATEGORIES = {1: "multi-hop", 2: "temporal", 3: "open", 4: "single-hop"}
JUDGED = Path(__file__).with_name("locomo_judged.json")
SAMPLE = 100
_TURN = re.compile(r"D(\d+):(\d+)")
_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Turn:
    """Something said in a dialogue."""

    id: str
    speaker: str
    text: str
    at: datetime


@dataclass(frozen=True, slots=True)
class Question:
    """A question with the turns that are its evidence."""

    text: str
    category: int
    evidence: frozenset[str]


@dataclass(slots=True)
class Hits:
    """How many questions of each category have all their evidence in a block."""

    held: Counter[int] = field(default_factory=Counter[int])
    asked: Counter[int] = field(default_factory=Counter[int])

    def put(self, category: int, *, held: bool) -> None:
        """Count a question."""
        self.asked[category] += 1
        self.held[category] += held

    def rate(self, category: int | None = None) -> float:
        """Return the part of the questions that have all their evidence."""
        asked = self.asked.total() if category is None else self.asked[category]
        return (self.held.total() if category is None else self.held[category]) / asked if asked else 0.0


@dataclass(slots=True)
class Outcome:
    """What a run over some dialogues found, for ours and for plain BM25, by budget."""

    ours: dict[int, Hits] = field(default_factory=lambda: defaultdict(Hits))
    plain: dict[int, Hits] = field(default_factory=lambda: defaultdict(Hits))
    size: list[int] = field(default_factory=list[int])
    spent: list[float] = field(default_factory=list[float])
    turns: int = 0
    claims: int = 0
    import_ms: list[float] = field(default_factory=list[float])


def shared() -> Path:
    """Return the folder of the data that is read and never committed."""
    return Path(os.environ.get("MUNIMENT_SHARED", Path(__file__).parents[2] / "shared"))


def turns_of(conversation: Mapping[str, Any]) -> Iterator[Turn]:
    """Yield the turns of a dialogue, half a minute apart from the time of their session on."""
    sessions = sorted(int(key.split("_")[1]) for key in conversation if re.fullmatch(r"session_\d+", key))
    for number in sessions:
        start = datetime.strptime(f"{conversation[f'session_{number}_date_time']} +0000", "%I:%M %p on %d %B, %Y %z")
        for place, turn in enumerate(conversation[f"session_{number}"]):
            yield Turn(turn["dia_id"], turn["speaker"], turn["text"], start + timedelta(seconds=30 * place))


def questions_of(dialogue: Mapping[str, Any], turns: Iterable[Turn]) -> Iterator[Question]:
    """Yield the questions of the answerable categories whose evidence is in the dialogue."""
    there = {turn.id for turn in turns}
    for asked in dialogue["qa"]:
        found = (_TURN.findall(place) for place in asked.get("evidence", []))
        evidence = frozenset(f"D{int(session)}:{int(turn)}" for places in found for session, turn in places)
        if asked["category"] in CATEGORIES and evidence and evidence <= there:
            yield Question(asked["question"], asked["category"], evidence)


class Plain:
    """BM25 as a beginner would write it: whole words, no stems, no stop words, no neighbours."""

    def __init__(self, turns: Sequence[Turn]) -> None:
        """Index the turns of a dialogue."""
        self._turns = turns
        words = [_WORD.findall(turn.text.casefold()) for turn in turns]
        self._statistics = Statistics(len(words), sum(map(len, words)))
        self._postings: dict[str, list[Posting]] = defaultdict(list)
        for place, said in enumerate(words):
            for word, count in Counter(said).items():
                self._postings[word].append(Posting(place, count, len(said)))

    def block(self, question: str, budget: int) -> set[str]:
        """Return the ids of the best turns that fit a budget."""
        words = dict.fromkeys(_WORD.findall(question.casefold()))
        scores = bm25([self._postings[word] for word in words if word in self._postings], self._statistics)
        held: set[str] = set()
        for place in sorted(scores, key=lambda place: -scores[place]):
            turn = self._turns[int(str(place))]
            cost = tokens(turn.text)
            if cost <= budget:
                budget -= cost
                held.add(turn.id)
        return held


async def run(dialogues: Sequence[Mapping[str, Any]], first: int, sample: list[dict[str, str]]) -> Outcome:
    """Import dialogues and ask their questions; the stored claims go into ``sample``."""
    outcome = Outcome()
    with tempfile.TemporaryDirectory() as folder:
        service = open_service(Path(folder))
        await service.start()
        for number, dialogue in enumerate(dialogues, first):
            progress(f"dialogue {number}")
            await _dialogue(service, f"dialogue-{number}", dialogue, outcome, sample)
        await service.stop()
    progress("")
    return outcome


async def _dialogue(
    service: Service, chat: str, dialogue: Mapping[str, Any], outcome: Outcome, sample: list[dict[str, str]]
) -> None:
    turns = list(turns_of(dialogue["conversation"]))
    said = "\n".join(json.dumps({"at": t.at.isoformat(), "speaker": f"{t.speaker}", "text": t.text}) for t in turns)
    _, lines = read_export(said, "UTC")
    speakers = dict.fromkeys((line.speaker for line in lines), "")
    begun = time.process_time()
    await service.bring_in(chat, "", speakers, lines, "UTC", join=False)
    outcome.import_ms.append((time.process_time() - begun) * 1_000 / len(lines))
    rows = service.memory.rows("SELECT platform_id, source FROM imported WHERE chat = ?", (chat,))
    source_of = {line.id: turn.id for line, turn in zip(lines, turns, strict=True)}
    turn_of = {source: source_of[line] for line, source in rows}
    conversation = service.people.chat(IMPORT, chat)
    member = service.people.identify(imported_sender(service.people, chat, next(iter(speakers)), ""))
    if conversation is None or member is None:
        message = "the dialogue was not imported"
        raise LookupError(message)
    clearance = service.memory.spaces.clearance(conversation.space)
    plain = Plain(turns)
    outcome.turns += len(turns)
    for question in questions_of(dialogue, turns):
        for budget in BUDGETS:
            begun = time.process_time()
            held, size = _block(service, member, question.text, clearance, budget, turn_of)
            if budget == BUDGETS[-1]:
                outcome.spent.append((time.process_time() - begun) * 1_000)
                outcome.size.append(size)
            outcome.ours[budget].put(question.category, held=question.evidence <= held)
            outcome.plain[budget].put(question.category, held=question.evidence <= plain.block(question.text, budget))
    _collect(service, member, clearance, outcome, sample)


def _block(
    service: Service, member: Person, question: str, clearance: Clearance, budget: int, turn_of: Mapping[str, str]
) -> tuple[set[str], int]:
    """Return the turns that the recall block holds, and its size in tokens."""
    with service.memory.reading() as reads:
        voice = Voice(service.memory, reads, clearance, member, service.known, "UTC")
        found = recall(reads, service.memory.vocabulary, voice.query(question), clearance, budget)
    sources = [item.source for item in found.items if item.source is not None]
    return {turn_of[source.id] for source in sources if source.id in turn_of}, found.tokens


def _collect(service: Service, member: Person, clearance: Clearance, outcome: Outcome, sample: list[dict[str, str]]) -> None:
    """Count the claims of a dialogue, and keep each in words with what it was read from."""
    with service.memory.reading() as reads:
        voice = Voice(service.memory, reads, clearance, member, service.known, "UTC")
        for subject in reads.subjects(clearance):
            for claim in reads.claims(clearance, subject=subject):
                if claim.predicate in service.memory.vocabulary.naming and claim.wording == "name":
                    continue
                outcome.claims += 1
                said = reads.evidence(clearance, claim.id)
                words = voice.claim(claim)
                text = reads.source(clearance, said[0].source).body if said else ""
                said_of = voice.triple(Triple(claim.subject, claim.predicate, claim.object))
                key = hashlib.sha256(f"{said_of}|{text}".encode()).hexdigest()[:16]
                sample.append({"key": key, "claim": words, "text": text})


def _report(name: str, outcome: Outcome, figures: Figures, *, hold: bool) -> None:
    for budget in BUDGETS:
        ours, plain = outcome.ours[budget], outcome.plain[budget]
        last = hold and budget == BUDGETS[-1]
        figures.put(f"locomo.{name}.{budget}", ours.rate(), "all evidence held", at_least=0.75 if last else None)
        figures.put(f"locomo.{name}.{budget}.bm25", plain.rate(), "all evidence held")
        for category, label in CATEGORIES.items():
            bar = plain.rate(category) if last else None
            figures.put(f"locomo.{name}.{budget}.{label}", ours.rate(category), "all evidence held", at_least=bar)
    figures.put(f"locomo.{name}.questions", outcome.ours[BUDGETS[-1]].asked.total(), "questions")
    figures.put(f"locomo.{name}.block", percentile(outcome.size, 0.5), "tokens, median")
    figures.put(f"locomo.{name}.recall.p50", percentile(outcome.spent, 0.5), "ms CPU")
    figures.put(f"locomo.{name}.recall.p95", percentile(outcome.spent, 0.95), "ms CPU")
    figures.put(f"locomo.{name}.import", percentile(outcome.import_ms, 0.5), "ms CPU a turn")
    figures.put(f"locomo.{name}.claims", 100 * outcome.claims / outcome.turns, "claims per 100 turns")


def _judged(sample: Sequence[Mapping[str, str]], figures: Figures) -> None:
    """Report what was judged by reading, of the claims that are stored now."""
    verdicts: dict[str, str] = json.loads(JUDGED.read_text(encoding="utf-8"))
    chosen = _chosen(sample)
    found = Counter(verdicts.get(line["key"], "unjudged") for line in chosen)
    figures.put("locomo.sample", len(chosen), "claims, or all that are stored")
    for verdict in ("right", "truncated"):
        figures.put(f"locomo.judged.{verdict}", 100 * found[verdict] / len(chosen), "of 100")
    figures.put("locomo.judged.wrong", 100 * found["wrong"] / len(chosen), "of 100", at_most=5)
    figures.put("locomo.unjudged", found["unjudged"], "claims of the sample that nobody has read yet", at_most=0)


def _chosen(sample: Sequence[Mapping[str, str]]) -> list[Mapping[str, str]]:
    """Return a fixed sample of the stored claims; all of them where there are fewer."""
    return random.Random(0).sample(sorted(sample, key=lambda line: line["key"]), min(SAMPLE, len(sample)))


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the figures; ``--sample FILE`` writes the claims of a fixed sample for judging."""
    parser = options("Recall and reading on LoCoMo's dialogues.")
    parser.add_argument("--sample", type=Path, help="write a sample of the stored claims here, to be judged by reading")
    parser.add_argument("--tuning", action="store_true", help="only dialogues 1-5, which may be tuned on")
    given = parser.parse_args(arguments)
    quiet_logs(verbose=False)
    path = shared() / "data" / "locomo" / "locomo10.json"
    if not path.exists():
        print(f"LoCoMo is not at {path}; name its folder in MUNIMENT_SHARED. Nothing was measured.", file=sys.stderr)
        return 4
    dialogues = json.loads(path.read_text(encoding="utf-8"))
    figures = Figures(given.check)
    sample: list[dict[str, str]] = []
    halves = [("tuning", dialogues[:5], 1), ("held_out", dialogues[5:], 6)]
    if given.quick:
        halves = [("tuning", dialogues[:1], 1), ("held_out", dialogues[5:6], 6)]
    for name, some, first in halves[: 1 if given.tuning else 2]:
        outcome = asyncio.run(run(some, first, sample))
        _report(name, outcome, figures, hold=name == "held_out" and not given.quick)
    if not given.tuning and not given.quick:
        _judged(sample, figures)
    if given.sample:
        lines = (json.dumps(line, ensure_ascii=False) for line in _chosen(sample))
        given.sample.write_text("\n".join(lines), encoding="utf-8")
    return figures.exit_code()


if __name__ == "__main__":
    raise SystemExit(main())
