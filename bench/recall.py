"""Recall at size: many facts and passages spread over many spaces, and a reader's results with and without the others'.

Everything goes through the shipped writes and reads. The probe's own space holds the same whatever else is there, so its
results, byte for byte, and the time that they take are compared before and after the foreign rows come.
"""

import hashlib
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from bench.knowledge import Knowledge
from bootstrap.figures import Figures, options, percentile, progress
from memory.claim import Reading, Source, SourceKind
from memory.ids import uuid7
from memory.label import user
from memory.recall import Query, recall
from memory.store import Memory
from memory.vocabulary import Vocabulary
from ontologies.files import vocabulary

BUDGET = 2_000
_AHEAD = 64
_QUESTIONS = (
    "Where does {name} live?", "What does {name} like, and who works with {name}?", "Did we talk about the concert by the lake?",
    "Which languages does {name} speak?", "Who told me about the long evening in {place}?", "What happened last summer?",
)  # fmt: skip
_TALK = (
    "We had a long evening in {place} and talked about the concert until {name} left.",
    "The weather by the lake was better than {name} had expected last summer.",
    "I am not sure whether {name} would come to {place} again after what happened.",
    "Somebody told {name} that the train to {place} takes most of the afternoon.",
)


class Spaces:
    """People, each with knowledge and talk of their own."""

    def __init__(self, memory: Memory, count: int) -> None:
        """Make so many people."""
        self._memory = memory
        self.people = [f"00000000-0000-7000-8000-{number:012x}" for number in range(count)]

    def fill(self, person: str, facts: int, passages: int, seed: int) -> None:
        """Let a person state facts and say things that state none."""
        said = Knowledge(person, seed, people=max(8, facts // 4))
        waiting = [self._memory.learn(*pair, is_owner=False) for pair in said.statements(facts)]
        for number in range(passages):
            text = _TALK[number % len(_TALK)].format(name=said.person(number), place=said.place(number))
            at = 1_600_000_000_000_000 + number * 60_000_000
            source = Source(uuid7(), f"dm-{person}", user(person), SourceKind.MESSAGE, person, at, "UTC", text)
            waiting.append(self._memory.learn(source, Reading("bench"), is_owner=False))
            if len(waiting) > _AHEAD:
                waiting.pop(0).result()
        for future in waiting:
            future.result()


def ask(memory: Memory, person: str, names: Sequence[tuple[str, str]]) -> tuple[str, list[float]]:
    """Return a digest of everything that a reader recalls, and the milliseconds of CPU of each question."""
    clearance = memory.spaces.clearance(user(person))
    digest, spent = hashlib.sha256(), list[float]()
    for name, place in names:
        for question in _QUESTIONS:
            query = Query(question.format(name=name, place=place))
            begun = time.thread_time()
            with memory.reading() as reads:
                found = recall(reads, memory.vocabulary, query, clearance, BUDGET)
            spent.append((time.thread_time() - begun) * 1_000)
            for item in found.items:
                told = item.claim.version if item.claim else item.source.id if item.source else ""
                digest.update(f"{told} {item.score!r} {item.label}\n".encode())
    return digest.hexdigest(), spent


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the figures."""
    parser = options("Recall over many facts and passages in many spaces.")
    parser.add_argument("--facts", type=int, default=100_000)
    parser.add_argument("--passages", type=int, default=100_000)
    parser.add_argument("--spaces", type=int, default=200)
    given = parser.parse_args(arguments)
    if given.quick:
        given.facts, given.passages, given.spaces = 2_000, 2_000, 20
    figures = Figures(given.check)
    with tempfile.TemporaryDirectory() as folder:
        memory = Memory(Path(folder), Vocabulary(vocabulary()))
        spaces = Spaces(memory, given.spaces)
        probe, *others = spaces.people
        facts, passages = given.facts // given.spaces, given.passages // given.spaces
        spaces.fill(probe, facts, passages, seed=0)
        known = Knowledge(probe, 0, people=max(8, facts // 4))
        names = [(known.person(number), known.place(number)) for number in range(20)]
        ask(memory, probe, names)
        alone, before = ask(memory, probe, names)
        for number, person in enumerate(others, 1):
            progress(f"{number} of {len(others)} other spaces")
            spaces.fill(person, facts, passages, seed=number)
        progress("")
        among, after = ask(memory, probe, names)
        figures.put("recall.facts", given.facts, "facts")
        figures.put("recall.passages", given.passages, "passages")
        figures.put("recall.p50", percentile(after, 0.5), "ms CPU")
        figures.put("recall.p95", percentile(after, 0.95), "ms CPU", at_most=15)
        figures.put("recall.growth", percentile(after, 0.5) / percentile(before, 0.5), "of p50 without the others")
        figures.put("recall.differs", float(alone != among), "results with the others' rows", at_most=0)
        memory.close()
    return figures.exit_code()


if __name__ == "__main__":
    sys.exit(main())
