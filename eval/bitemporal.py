"""Random statements, endings, corrections, undos, retractions and erasures, and reads on both clocks, against a naive model.

The model keeps the whole state of every person after every operation, and knows nothing of tables, versions or quads. Reads
as of an instant and at a valid time must equal it; after an erasure every instant must be without the value.
"""

import itertools
import random
import sys
import tempfile
from bisect import bisect_right
from collections import defaultdict
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TypeAlias

from pyoxigraph import Literal, NamedNode

from bootstrap.figures import Figures, options, progress
from gateway.tables import TABLES
from memory.axes import holds_at
from memory.claim import Candidate, Polarity, Reading, Source, SourceKind, Span, Speaker, Validity, Value
from memory.entities import person as entity_of
from memory.forget import Act, Approver, Wanted
from memory.ids import Instant
from memory.label import user
from memory.store import Memory
from memory.vocabulary import Vocabulary
from ontologies.files import vocabulary
from ontologies.vocab import term

OPERATIONS_EACH = 500
"""Operations for each person, on average: what there is of one person bounds the cost of comparing all of it."""

START: Instant = 1_700_000_000_000_000
_STEP = 1_000_000
_READS_EVERY = 7
_ERASE_EVERY = 500
_INSTANTS = 40
_SHARES = (8, 8, 14, 70)
"""Of a hundred operations: undos, retractions, endings and statements."""
_ONE, _MANY = term("favouriteColour"), term("describedAs")

Bounds: TypeAlias = tuple[Instant | None, Instant | None, Instant | None, Instant | None]


@dataclass(frozen=True, slots=True)
class Belief:
    """What the model believes: a value under a predicate, its bounds, when it was last said, and which belief ended it."""

    number: int
    predicate: NamedNode
    value: str
    bounds: Bounds
    said: Instant
    ended_by: int = 0
    before: Bounds = (None, None, None, None)

    def holds(self, at: Instant) -> bool:
        """Tell whether it is known to hold at an instant."""
        _, start, earliest, end = self.bounds
        if start is not None and at < start:
            return False
        return end is None or (earliest is not None and at < earliest)


State: TypeAlias = tuple[Belief, ...]


@dataclass(slots=True)
class Naive:
    """The states of one person, each from its instant on."""

    at: list[Instant] = field(default_factory=lambda: [0])
    states: list[State] = field(default_factory=lambda: [()])

    @property
    def now(self) -> State:
        """The state now."""
        return self.states[-1]

    def put(self, at: Instant, state: State) -> None:
        """Let a state hold from an instant on."""
        self.at.append(at)
        self.states.append(state)

    def then(self, at: Instant) -> State:
        """Return the state at an instant."""
        return self.states[bisect_right(self.at, at) - 1]

    def forget(self, value: str) -> None:
        """Let a value never have been."""
        self.states = [tuple(b for b in state if b.value != value) for state in self.states]


@dataclass(slots=True)
class Clock:
    """A clock that is set."""

    now: Instant = START

    def tick(self) -> Instant:
        """Return the next instant."""
        self.now += 1
        return self.now


@dataclass(slots=True)
class Course:
    """A memory beside its model."""

    memory: Memory
    chance: random.Random
    clock: Clock
    crowd: int
    people: dict[str, Naive] = field(default_factory=lambda: defaultdict(Naive))
    claims: dict[int, str] = field(default_factory=dict[int, str])
    refused: set[tuple[str, NamedNode, str]] = field(default_factory=set[tuple[str, NamedNode, str]])
    erased: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    last: dict[str, tuple[Source, State]] = field(default_factory=dict[str, tuple[Source, State]])
    numbers: "itertools.count[int]" = field(default_factory=lambda: itertools.count(1))
    differences: int = 0
    reads: int = 0

    def step(self, number: int) -> None:
        """Do one operation on both, and sometimes read both."""
        self.clock.now += _STEP
        person = f"00000000-0000-7000-8000-{self.chance.randrange(self.crowd):012x}"
        if number % _ERASE_EVERY == 0:
            self._erase(person)
        else:
            does = self.chance.choices((self._undo, self._retract, self._end, self._say), _SHARES)[0]
            does(person)
        if number % _READS_EVERY == 0:
            self._compare(person)

    def _learn(self, person: str, predicate: NamedNode, value: str, polarity: Polarity, at: Instant) -> str | None:
        """Let a person say something; return the version that was admitted, or ``None``."""
        source = Source(self.memory.ids(), f"dm{person}", user(person), SourceKind.MESSAGE, person, at, "UTC", f"mine: {value}")
        span = Span(0, len(source.body))
        spoken = Value(Literal(value), Span(6, 6 + len(value)))
        candidate = Candidate(Speaker(), predicate, spoken, span, "mine", polarity=polarity)
        before = self.people[person].now
        receipt = self.memory.learn(source, Reading("model", (candidate,)), is_owner=False).result()
        self.last[person] = (source, before)
        return receipt.decisions[0].version

    def _say(self, person: str) -> None:
        predicate = self.chance.choice((_ONE, _MANY))
        value = f"value{self.chance.randrange(60)}"
        if (person, predicate, value) in self.refused or (person, value) in self.erased:
            return
        at, naive = self.clock.now, self.people[person]
        version = self._learn(person, predicate, value, Polarity.HOLDS, at)
        same = [b for b in naive.now if (b.predicate, b.value) == (predicate, value) and b.holds(self.clock.now)]
        if same:
            state = tuple(replace(b, said=at) if b is same[0] else b for b in naive.now)
        else:
            number = next(self.numbers)
            state = tuple(_ended(b, at, number) if self._is_rival(b, predicate, value) else b for b in naive.now)
            state += (Belief(number, predicate, value, (None, at, None, None), at),)
            self.claims[number] = self._claim(person, version)
        naive.put(self.clock.now, state)

    def _is_rival(self, belief: Belief, predicate: NamedNode, value: str) -> bool:
        return predicate == _ONE == belief.predicate and belief.value != value and belief.bounds[3] is None

    def _end(self, person: str) -> None:
        naive = self.people[person]
        standing = [b for b in naive.now if b.bounds[3] is None]
        if not standing:
            return
        chosen = self.chance.choice(standing)
        at = self.clock.now
        self._learn(person, chosen.predicate, chosen.value, Polarity.ENDED, at)
        number = next(self.numbers)
        matching = (chosen.predicate, chosen.value)
        state = tuple(_ended(b, at, number) if b in standing and (b.predicate, b.value) == matching else b for b in naive.now)
        naive.put(
            self.clock.now,
            tuple(replace(b, said=at) if (b.predicate, b.value) == matching and b.ended_by == number else b for b in state),
        )

    def _undo(self, person: str) -> None:
        if person not in self.last:
            return
        source, before = self.last.pop(person)
        self.memory.undo(source, person).result()
        self.people[person].put(self.clock.now, before)

    def _retract(self, person: str) -> None:
        naive = self.people[person]
        if not naive.now:
            return
        chosen = self.chance.choice(naive.now)
        wanted = Wanted(Act.RETRACT, (self.claims[chosen.number],))
        approver = Approver(person)
        shown = self.memory.preview(wanted, approver)
        self.memory.retract(wanted, shown.digest, approver).result()
        if not any((b.predicate, b.value) == (chosen.predicate, chosen.value) for b in naive.now if b != chosen):
            self.refused.add((person, chosen.predicate, chosen.value))
        left = [b for b in naive.now if b != chosen]
        state = tuple(replace(b, bounds=b.before, ended_by=0) if self._may_return(person, b, chosen, left) else b for b in left)
        naive.put(self.clock.now, state)
        self.last.pop(person, None)

    def _may_return(self, person: str, belief: Belief, retracted: Belief, left: list[Belief]) -> bool:
        """Tell whether a belief holds again once what ended it is retracted: where nothing else does, and it is not refused."""
        if belief.ended_by != retracted.number or (person, belief.predicate, belief.value) in self.refused:
            return False
        return not any(self._is_rival(other, belief.predicate, belief.value) for other in left)

    def _erase(self, person: str) -> None:
        naive = self.people[person]
        if not naive.now:
            return
        value = self.chance.choice(naive.now).value
        ids = {self.claims[b.number] for state in naive.states for b in state if b.value == value}
        wanted, approver = Wanted(Act.ERASE, tuple(sorted(ids))), Approver(person)
        shown = self.memory.preview(wanted, approver)
        self.memory.erase(wanted, shown.digest, approver).result()
        naive.forget(value)
        naive.put(self.clock.now, naive.now)
        self.erased.append((person, value))
        self.last.pop(person, None)

    def _claim(self, person: str, version: str | None) -> str:
        if version is None:
            return ""
        with self.memory.reading() as reads:
            return reads.version(self.memory.spaces.clearance(user(person)), version).id

    def _compare(self, person: str) -> None:
        """Read as of now and as of a random instant, each at a random valid time, and count what differs."""
        naive = self.people[person]
        for instant in (self.clock.now, self.chance.randrange(START, self.clock.now + 1)):
            self.reads += 1
            wanted = naive.then(instant)
            with self.memory.reading(instant) as reads:
                found = reads.claims(self.memory.spaces.clearance(user(person)), subject=entity_of(person))
            ours = sorted((str(c.predicate), c.object.value, _bounds(c.validity)) for c in found)
            theirs = sorted((str(b.predicate), b.value, b.bounds) for b in wanted)
            self.differences += ours != theirs
            at = self.chance.randrange(START, self.clock.now + 1)
            kinds = self.memory.vocabulary
            holding = sorted(c.object.value for c in found if holds_at(c.validity, kinds[c.predicate].temporal_kind, at))
            self.differences += holding != sorted(b.value for b in wanted if b.holds(at))

    def residue(self) -> int:
        """Return in how many instants, of a sample of each person's, an erased value is still believed."""
        left = 0
        for person, value in self.erased:
            instants = self.people[person].at
            for instant in [*self.chance.sample(instants, min(len(instants), _INSTANTS)), self.clock.now]:
                with self.memory.reading(instant) as reads:
                    claims = reads.claims(self.memory.spaces.clearance(user(person)), subject=entity_of(person))
                left += any(claim.object.value == value for claim in claims)
        return left

    def facts(self) -> int:
        """Return how many people's facts in the graph differ from the model now."""
        wrong = 0
        for person, naive in self.people.items():
            with self.memory.reading() as reads:
                clearance = self.memory.spaces.clearance(user(person))
                found = [s for p in (_ONE, _MANY) for s in reads.statements(clearance, entity_of(person), p, None)]
            ours = {(str(s.triple.predicate), s.triple.object.value) for s in found if not s.inferred}  # type: ignore[union-attr]
            wrong += ours != {(str(b.predicate), b.value) for b in naive.now if b.holds(self.clock.now)}
        return wrong


def _ended(belief: Belief, at: Instant, by: int) -> Belief:
    first, start, _, _ = belief.bounds
    floor = max(belief.said, start or belief.said)
    return replace(belief, bounds=(first, start, min(floor, at), max(at, start or at)), ended_by=by, before=belief.bounds)


def _bounds(validity: Validity) -> Bounds:
    return validity.from_earliest, validity.from_latest, validity.to_earliest, validity.to_latest


def main() -> int:
    """Run the operations, and count the differences."""
    parser = options(__doc__ or "")
    parser.add_argument("--ops", type=int, default=200_000)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    operations = 4_000 if given.quick else given.ops
    figures = Figures(given.check)
    with tempfile.TemporaryDirectory() as temporary:
        words = Vocabulary(vocabulary())
        chance = random.Random(given.seed)
        clock = Clock()
        memory = Memory(Path(temporary) / "data", words, clock=clock.tick, tables=TABLES)
        course = Course(memory, chance, clock, max(8, operations // OPERATIONS_EACH))
        for number in range(1, operations + 1):
            course.step(number)
            if number % 100 == 0:
                progress(f"{number} of {operations} operations, {course.differences} differences")
        progress("")
        figures.put(
            f"differences in {course.reads} reads on both clocks over {operations} operations",
            course.differences,
            "count",
            at_most=0,
        )
        figures.put(f"instants with an erased value, {len(course.erased)} erasures", course.residue(), "count", at_most=0)
        figures.put("people whose facts differ at the end", course.facts(), "count", at_most=0)
        figures.put("differences between graph and ledger", memory.verify().result()["graph_differences"], "count", at_most=0)
        memory.close()
    return figures.exit_code()


if __name__ == "__main__":
    sys.exit(main())
