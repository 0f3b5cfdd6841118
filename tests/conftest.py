"""Real stores in temporary directories, a clock that is set, and ids that count."""

import itertools
from collections.abc import Iterator
from pathlib import Path

import pytest
from pyoxigraph import NamedNode

from bootstrap.logs import quiet_logs
from gateway.parse.offline import read
from gateway.tables import TABLES
from memory.claim import Receipt, Source, SourceKind
from memory.entities import person as entity_of
from memory.erase import Erased
from memory.forget import Act, Approver, Consequences, Wanted
from memory.ids import Instant
from memory.label import Clearance, Integrity, Space, user
from memory.store import Memory
from memory.vocabulary import Vocabulary
from ontologies.files import vocabulary
from ontologies.vocab import term
from tests.web_server import Server

ANN = "00000000-0000-7000-8000-0000000000a1"
BOB = "00000000-0000-7000-8000-0000000000b2"
MINUTE = 60_000_000
START: Instant = 1_770_000_000_000_000


@pytest.fixture(autouse=True)
def _quiet() -> None:
    quiet_logs(verbose=False)


@pytest.fixture(scope="session")
def words() -> Vocabulary:
    return Vocabulary(vocabulary())


class Desk:
    """A memory with a clock and a voice: says sentences as people and looks at what came of them."""

    def __init__(self, folder: Path, words: Vocabulary, first_id: int = 0x1000) -> None:
        self.folder, self.words = folder, words
        self.now = START
        self._ids = itertools.count(first_id)
        self.memory = self.open()

    def open(self) -> Memory:
        self.memory = Memory(self.folder, self.words, clock=self.clock, ids=self.id, tables=TABLES)
        return self.memory

    def reopen(self) -> Memory:
        self.memory.close()
        return self.open()

    def clock(self) -> Instant:
        self.now += 1
        return self.now

    def id(self) -> str:
        return f"00000000-0000-7000-8000-{next(self._ids):012x}"

    def source(
        self, text: str, by: str = ANN, space: Space | None = None, kind: SourceKind = SourceKind.MESSAGE, at: Instant = 0
    ) -> Source:
        self.now += MINUTE
        return Source(self.id(), "dm", space or user(by), kind, by, at or self.now, "UTC", text)

    def say(
        self,
        text: str,
        by: str = ANN,
        *,
        owner: bool = True,
        space: Space | None = None,
        kind: SourceKind = SourceKind.MESSAGE,
        at: Instant = 0,
    ) -> tuple[Source, Receipt]:
        """Let somebody say a sentence that the offline parser reads."""
        source = self.source(text, by, space, kind, at)
        return source, self.memory.learn(source, read(text, source.said_at, source.zone), is_owner=owner).result()

    def approver(self, by: str = ANN, *, owner: bool = True) -> Approver:
        return Approver(by, is_owner=owner)

    def claim(self, predicate: str, object_: str, by: str = ANN) -> str:
        """Return the id of the live claim about a person with an object of that name or value."""
        clearance = self.clearance(by)
        with self.memory.reading() as reads:
            for claim in reads.claims(clearance, subject=entity_of(by), predicates=(term(predicate),)):
                named = reads.names(clearance, claim.object) if isinstance(claim.object, NamedNode) else [claim.object.value]
                if object_ in named:
                    return claim.id
        raise LookupError(object_)

    def retract(self, *claims: str, by: str = ANN, restore: bool = True) -> Consequences:
        wanted = Wanted(Act.RETRACT, claims, restore=restore)
        shown = self.memory.preview(wanted, self.approver(by))
        return self.memory.retract(wanted, shown.digest, self.approver(by)).result()

    def erase(self, wanted: Wanted, by: str = ANN, *, owner: bool = True) -> tuple[Erased, str]:
        """Erase what is wanted and finish; return what was done and the receipt."""
        approver = self.approver(by, owner=owner)
        shown = self.memory.preview(wanted, approver)
        erased = self.memory.erase(wanted, shown.digest, approver).result()
        return erased, self.memory.finish_erasures().result()[-1]

    def bodies(self, by: str = ANN) -> list[str]:
        with self.memory.reading() as reads:
            return [source.body for source, _ in reads.sources(self.clearance(by, quarantined=True))]

    def sound(self) -> None:
        """Check that the chain holds and that the graph equals the ledger."""
        assert self.memory.verify().result()["graph_differences"] == 0

    def clearance(self, by: str = ANN, *, quarantined: bool = False) -> Clearance:
        return self.memory.spaces.clearance(user(by), integrity=Integrity(int(quarantined)))

    def objects(self, predicate: str, by: str = ANN, subject: NamedNode | None = None) -> list[str]:
        """Return what stands in the graph for a subject (the reader) and predicate: names, or values."""
        clearance = self.clearance(by)
        with self.memory.reading() as reads:
            found = [s.triple.object for s in reads.statements(clearance, subject or entity_of(by), term(predicate), None)]
            named = [reads.names(clearance, o)[-1] if isinstance(o, NamedNode) else str(o) for o in found]
        return sorted(set(named))

    def entity(self, name: str, by: str = ANN) -> NamedNode:
        with self.memory.reading() as reads:
            return reads.named(self.clearance(by), name.casefold())[0].entity


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    """Run ``muniment serve`` on a data directory and a port of its own."""
    running = Server(tmp_path / "data")
    yield running
    if running.process.poll() is None:
        running.stop()


@pytest.fixture
def desk(tmp_path: Path, words: Vocabulary) -> Iterator[Desk]:
    made = Desk(tmp_path / "data", words)
    yield made
    made.memory.close()
