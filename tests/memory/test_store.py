"""The protocol of a transaction, and what happens when it is cut off or the disk fails."""

import os
import random
import shutil
import subprocess
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from pyoxigraph import Literal, NamedNode, Quad

from gateway.parse.offline import read
from memory._oxigraph import canonical, open_store
from memory.claim import Candidate, Mention, Outcome, Polarity, Reading, Rule, SourceKind, Span, Speaker, Value
from memory.errors import (
    AlreadyRecordedError,
    DamagedLedgerError,
    DataInUseError,
    IncorrectTextError,
    MunimentMemoryError,
    StorageUnavailableError,
    UnknownThingError,
)
from memory.graph import Graph
from memory.label import Integrity, Sensitivity, team, user
from memory.ledger import Ledger
from memory.rank import Statistics
from memory.store import Memory
from memory.tables import Row
from memory.vocabulary import Vocabulary
from ontologies.vocab import XSD_INTEGER, term
from tests.conftest import ANN, BOB, Desk

TEAM = "00000000-0000-7000-8000-0000000000c3"


def fail(*_: object) -> None:
    message = "no room"
    raise StorageUnavailableError(message)


@pytest.mark.requirement("I1", "row-11")
def test_a_fact_has_a_claim_with_evidence_word_for_word(desk: Desk) -> None:
    source, receipt = desk.say("Well, I live in Oslo.")
    (decided,) = receipt.decisions
    assert (decided.outcome, decided.rule) == (Outcome.ADMITTED, Rule.NEW)
    assert decided.version is not None
    with desk.memory.reading() as reads:
        claim = reads.version(desk.clearance(), decided.version)
        (evidence,) = reads.evidence(desk.clearance(), claim.id)
    assert (evidence.source, evidence.quote, evidence.speaker) == (source.id, "Well, I live in Oslo", ANN)
    assert desk.objects("livesIn") == ["Oslo"]
    desk.sound()


@pytest.mark.requirement("turn")
def test_a_source_that_was_read_keeps_its_first_receipt(desk: Desk) -> None:
    source = desk.source("I live in Oslo.")
    desk.memory.accept(source, ANN).result()
    first = desk.memory.remember(source, read(source.body, source.said_at, source.zone), is_owner=True).result()
    again = desk.memory.remember(source, read("I live in Lima.", source.said_at, source.zone), is_owner=True).result()
    assert again == first
    assert desk.objects("livesIn") == ["Oslo"]


@pytest.mark.requirement("turn", "text")
def test_what_is_accepted_twice_or_cannot_be_kept_stores_nothing(desk: Desk) -> None:
    source = desk.source("I live in Oslo.")
    row = Row("delivery", {"outbox": "o1", "platform_id": "p"})
    desk.memory.accept(source, ANN, (row,)).result()
    head = desk.memory.head()
    with pytest.raises(AlreadyRecordedError, match="Nothing was stored twice"):
        desk.memory.accept(desk.source("Other"), ANN, (row,)).result()
    with pytest.raises(IncorrectTextError):
        desk.memory.accept(desk.source("a\x00b"), ANN)
    assert desk.memory.head() == head
    desk.sound()


@pytest.mark.requirement("I7")
def test_what_was_believed_then_never_changes(desk: Desk) -> None:
    """Random statements, endings and undos; every earlier instant reads the same after each."""
    chance = random.Random(3)
    seen: dict[int, list[str]] = {}
    sources = [desk.say("I live in Town0.")[0]]

    def believed(as_of: int) -> list[str]:
        with desk.memory.reading(as_of) as reads:
            claims = reads.claims(desk.clearance(), subject=NamedNode(f"urn:muniment:entity:{ANN}"))
            return sorted(f"{c.version} {c.object} {c.validity}" for c in claims)

    for _ in range(40):
        draw = chance.random()
        if draw < 0.2:
            try:
                desk.memory.undo(chance.choice(sources), ANN).result()
            except UnknownThingError:
                continue
        elif draw < 0.4:
            sources.append(desk.say(f"I no longer live in Town{chance.randrange(4)}.")[0])
        else:
            sources.append(desk.say(f"I live in Town{chance.randrange(4)}.")[0])
        seen[desk.now] = believed(desk.now)
        for instant, then in seen.items():
            assert believed(instant) == then
    desk.sound()


@pytest.mark.requirement("redo", "I5")
def test_what_was_committed_and_not_applied_is_replayed(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    desk.say("I live in Oslo.")
    apply = Graph.apply

    monkeypatch.setattr(Graph, "apply", fail)
    desk.say("I live in Lima.")
    assert not desk.memory.is_level()
    monkeypatch.setattr(Graph, "apply", apply)
    desk.reopen()
    assert desk.memory.is_level()
    assert desk.objects("livesIn") == ["Lima"]
    desk.sound()


@pytest.mark.requirement("redo", "full-disk")
def test_after_a_failed_write_the_next_one_brings_the_graph_level(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    apply = Graph.apply

    monkeypatch.setattr(Graph, "apply", fail)
    desk.say("I live in Oslo.")
    monkeypatch.setattr(Graph, "apply", apply)
    desk.say("Mara lives in Lyon.")
    assert desk.objects("livesIn") == ["Oslo"]
    assert any("nothing was lost" in note for note in desk.memory.notes())
    desk.sound()


@pytest.mark.requirement("redo", "foreign-data")
@pytest.mark.parametrize("harm", ["gone", "no marker", "foreign", "damaged", "old", "ahead"])
def test_a_graph_that_does_not_fit_is_rebuilt_from_the_ledger(harm: str, desk: Desk, words: Vocabulary, tmp_path: Path) -> None:
    desk.say("Mara lives in Lyon.")
    desk.say("Lyon is a city in France.")
    desk.reopen()
    old = tmp_path / "old"
    desk.memory.close()
    shutil.copytree(desk.folder / "graph", old)
    desk.open()
    desk.say("I live in Oslo.")
    desk.reopen()  # flushed past the copy, so that its redo rows are gone
    desk.memory.close()
    graph = desk.folder / "graph"
    live = graph / (graph / "CURRENT").read_text().strip()
    if harm == "gone":
        shutil.rmtree(graph)
    elif harm == "no marker":
        (graph / "CURRENT").unlink()
        shutil.move(live, graph / "7")
    elif harm == "foreign":
        other = Desk(tmp_path / "other", words, first_id=0x9000)
        other.say("I live in Rome.")
        other.memory.close()
        shutil.rmtree(graph)
        shutil.copytree(tmp_path / "other" / "graph", graph)
    elif harm == "damaged":
        for path in live.iterdir():
            if path.suffix in {".sst", ".log"} or path.name.startswith(("CURRENT", "MANIFEST")):
                path.write_bytes(b"\x00" * path.stat().st_size)
    elif harm == "old":
        shutil.rmtree(graph)
        shutil.copytree(old, graph)
    else:
        ahead = Graph(graph)
        ahead.apply(9_999, [], [])
        ahead.close()
    desk.open()
    (note,) = [note for note in desk.memory.notes() if "rebuilt" in note]
    kept = harm in {"foreign", "ahead"}
    assert ("nothing was lost" in note) == (not kept)
    assert ("THE LEDGER LOST" in note) == (harm == "ahead")
    assert desk.objects("livesIn") == ["Oslo"]
    assert desk.objects("residesWithin", subject=desk.entity("Mara")) == ["France", "Lyon"]
    desk.sound()
    assert sum(path.is_dir() for path in graph.iterdir()) == 1 + kept


@pytest.mark.requirement("foreign-data")
def test_a_ledger_that_is_gone_is_told_and_its_graph_is_kept(desk: Desk, words: Vocabulary) -> None:
    desk.say("I live in Oslo.")
    desk.memory.close()
    for path in desk.folder.glob("ledger.db*"):
        path.rename(path.with_suffix(path.suffix + ".away"))
    with pytest.raises(DamagedLedgerError, match="put the ledger back"):
        Memory(desk.folder, words)
    for path in desk.folder.glob("ledger.db*"):
        if path.suffix != ".away":
            path.unlink()
    for path in desk.folder.glob("*.away"):
        path.rename(path.with_suffix(""))
    desk.open()
    assert desk.objects("livesIn") == ["Oslo"]


@pytest.mark.requirement("row-7", "sensitivity")
@pytest.mark.parametrize(
    ("first", "then", "predicate", "values"),
    [
        ("/private I live in Nice.", "I moved to Rome.", "livesIn", ["Rome"]),
        ("/private I live in Nice.", "I no longer live in Nice.", "livesIn", []),
        ("/private I like gin.", "I hate gin.", "likes", []),
        ("/private I like gin.", "I hate gin.", "dislikes", ["gin"]),
        ("I live in Lyon.", "/share I live in Bonn.", "livesIn", ["Bonn"]),
    ],
)
def test_what_was_said_in_private_is_corrected_in_plain_words(
    first: str, then: str, predicate: str, values: list[str], desk: Desk
) -> None:
    desk.say(first)
    desk.say(then)
    assert desk.objects(predicate) == values
    desk.sound()


@pytest.mark.requirement("sensitivity", "I2")
def test_what_replaces_a_secret_is_as_secret_with_its_name(desk: Desk) -> None:
    desk.say("/private I live in Nice.")
    desk.say("I moved to Rome.")
    low = desk.memory.spaces.clearance(user(ANN), Sensitivity.SENSITIVE)
    with desk.memory.reading() as reads:
        assert reads.claims(low, subject=NamedNode(f"urn:muniment:entity:{ANN}")) == []
        assert reads.named(low, "rome") == []
        assert reads.postings(low, ["rome"])[0] == []


@pytest.mark.requirement("row-8", "routing")
def test_what_was_shared_is_not_changed_by_what_is_said_to_fewer(desk: Desk) -> None:
    desk.say("/share I live in Bonn.")
    _, receipt = desk.say("I moved to Rome.")
    assert receipt.decisions[0].rule is Rule.CONFLICT
    assert "/share" in receipt.decisions[0].reason
    assert desk.objects("livesIn") == ["Bonn"]
    desk.say("/share I moved to Rome.")
    assert desk.objects("livesIn") == ["Rome"]


@pytest.mark.requirement("sensitivity")
def test_a_private_message_is_secret_whatever_a_parser_makes_of_it(desk: Desk) -> None:
    source, _ = desk.say("/private the vault word is Zephyr")
    low = desk.memory.spaces.clearance(user(ANN), Sensitivity.SENSITIVE)
    with desk.memory.reading() as reads:
        assert reads.postings(low, ["zephyr"])[0] == []
        assert reads.postings(desk.clearance(), ["zephyr"])[0]
        with pytest.raises(UnknownThingError):
            reads.source(low, source.id)


@pytest.mark.requirement("I2", "entities")
def test_private_words_are_no_evidence_in_a_wider_circle(desk: Desk) -> None:
    shared, _ = desk.say("Lyon is a city in France.")
    desk.say("I live in Lyon.", BOB, owner=False)
    assert desk.objects("residesWithin", BOB) == ["France", "Lyon"]
    desk.memory.undo(shared, ANN).result()
    with desk.memory.reading() as reads:
        assert reads.named(desk.clearance(), "lyon") == []
    assert desk.objects("livesIn", BOB) == ["Lyon"]
    desk.sound()


@pytest.mark.requirement("I7")
def test_a_clock_that_is_set_back_moves_no_past(desk: Desk) -> None:
    desk.say("I live in Oslo.")
    instant = desk.now
    me = NamedNode(f"urn:muniment:entity:{ANN}")
    with desk.memory.reading(instant) as reads:
        before = [c.version for c in reads.claims(desk.clearance(), subject=me)]
    desk.now -= 1_000_000_000
    desk.say("I live in Lima.", at=instant + 1)
    with desk.memory.reading(instant) as reads:
        assert [c.version for c in reads.claims(desk.clearance(), subject=me)] == before


@pytest.mark.requirement("I5", "writers")
def test_a_job_that_fails_leaves_nothing_for_the_others_of_its_commit(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """A job that changed facts and then failed is gone from the overlay that the next jobs of the commit read through."""
    desk.say("I live in Lyon.")
    started, go = threading.Event(), threading.Event()
    blocked = desk.memory._writer.submit(lambda: (started.set(), go.wait(10)))  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]
    started.wait(10)
    project = Memory._project  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]
    fails = iter([True, False, False])

    def sometimes(self: Memory, *rest: object) -> object:
        found = project(self, *rest)  # type: ignore[arg-type]
        if next(fails):
            raise OverflowError
        return found

    monkeypatch.setattr(Memory, "_project", sometimes)
    sources = [desk.source(text) for text in ("I live in Oslo.", "Mara lives in Lyon.", "Lyon is a city in France.")]
    futures = [desk.memory.learn(source, read(source.body, source.said_at, source.zone), is_owner=True) for source in sources]
    go.set()
    blocked.result()
    assert isinstance(futures[0].exception(), OverflowError)
    assert all(future.result() for future in futures[1:])
    assert desk.objects("livesIn") == ["Lyon"]
    desk.sound()


@pytest.mark.requirement("one-holder")
def test_a_second_process_is_told_who_holds_the_directory(desk: Desk, words: Vocabulary) -> None:
    with pytest.raises(DataInUseError, match=f"process {os.getpid()}"):
        Memory(desk.folder, words)
    desk.say("I live in Oslo.")
    desk.sound()


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of a few megabytes; needs root, as CI has."""
    folder = tmp_path / "small"
    folder.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=3m", "tmpfs", str(folder)], capture_output=True, check=False)
    if mounted.returncode:
        if os.environ.get("CI"):
            pytest.fail(f"CI cannot mount a small disk: {mounted.stderr.decode()}")
        pytest.skip("mounting a small disk needs root")
    yield folder
    subprocess.run(["umount", "-l", str(folder)], check=False)


@pytest.mark.requirement("full-disk")
def test_a_full_disk_is_told_tears_nothing_and_recovers_without_a_restart(small_disk: Path, words: Vocabulary) -> None:
    desk = Desk(small_disk / "data", words)
    desk.say("I live in Oslo.")
    filler = small_disk / "filler"
    kept: list[str] = []
    refused: list[str] = []
    with filler.open("wb", buffering=0) as file:
        try:
            while file.write(b"\x00" * 4096):
                pass
        except OSError:
            pass
    for number in range(30):
        try:
            desk.say(f"I visited Town{number}x.")
            kept.append(f"Town{number}x")
        except MunimentMemoryError as error:
            refused.append(str(error))
    assert refused
    assert all("kept" in words for words in refused)
    filler.unlink()
    desk.say("I visited Bonn.")
    desk.say("I visited Cork.")
    assert desk.objects("visited") == sorted([*kept, "Bonn", "Cork"])
    assert desk.memory.is_level()
    desk.sound()
    desk.reopen()
    assert desk.objects("visited") == sorted([*kept, "Bonn", "Cork"])
    desk.memory.close()


@pytest.mark.requirement("full-disk")
def test_a_read_only_disk_is_told(small_disk: Path, words: Vocabulary) -> None:
    Desk(small_disk / "data", words).memory.close()
    subprocess.run(["mount", "-o", "remount,ro", str(small_disk)], check=True)
    with pytest.raises(StorageUnavailableError, match="writable"):
        Memory(small_disk / "data", words)


@pytest.mark.requirement("writers")
def test_writers_and_readers_together_make_no_duplicates_and_see_whole_transactions(desk: Desk) -> None:
    """Eight threads say the same fifty things; readers never see a claim without its fact or a fact without its claim."""
    torn: list[str] = []
    stop = threading.Event()

    def look() -> None:
        while not stop.is_set():
            with desk.memory.reading() as reads:
                me = NamedNode(f"urn:muniment:entity:{ANN}")
                claims = {c.object for c in reads.claims(desk.clearance(), subject=me, predicates=(term("visited"),))}
                facts = {s.triple.object for s in reads.statements(desk.clearance(), me, term("visited"), None)}
                if claims != facts:
                    torn.append(f"{len(claims)} claims, {len(facts)} facts")

    readers = [threading.Thread(target=look) for _ in range(3)]
    for reader in readers:
        reader.start()
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(desk.say, [f"I visited Town{n % 50}x." for n in range(400)]))
    stop.set()
    for reader in readers:
        reader.join()
    assert torn == []
    assert len(desk.objects("visited")) == 50
    with desk.memory.reading() as reads:
        claims = reads.claims(desk.clearance(), subject=NamedNode(f"urn:muniment:entity:{ANN}"))
        assert len(claims) == 50
        assert sum(len(reads.evidence(desk.clearance(), c.id)) for c in claims) == 400
    desk.sound()


@pytest.mark.requirement("I5")
def test_one_bad_job_does_not_take_the_others_of_its_commit_with_it(desk: Desk) -> None:
    desk.say("I live in Oslo.")
    row = Row("delivery", {"outbox": "o1", "platform_id": "p"})
    sources = [desk.source(f"I visited Town{n}x.") for n in range(6)]
    learnt = [desk.memory.learn(source, read(source.body, source.said_at, source.zone), is_owner=True) for source in sources[:3]]
    rows = [desk.memory.record("delivery", ANN, (row,)) for _ in range(3)]
    learnt += [desk.memory.learn(source, read(source.body, source.said_at, source.zone), is_owner=True) for source in sources[3:]]
    assert all(future.result() for future in learnt)
    failed = sum(isinstance(future.exception(), AlreadyRecordedError) for future in rows)
    assert failed == 2
    assert len(desk.objects("visited")) == 6
    desk.sound()


@pytest.mark.requirement("I6", "I2")
def test_joining_and_leaving_a_team_changes_what_is_concluded_at_once(desk: Desk) -> None:
    desk.memory.set_member(TEAM, ANN, ANN, present=True).result()
    desk.say("Mara lives in Lyon.", space=team(TEAM))
    mara = desk.entity("Mara")
    place = desk.source("Lyon is a city in Gaul.", BOB)
    desk.memory.learn(place, read(place.body, place.said_at, place.zone), is_owner=False).result()
    assert desk.memory.spaces.members == {TEAM: frozenset({ANN})}
    desk.memory.set_member(TEAM, BOB, ANN, present=True).result()
    told = desk.source("Lyon is a city in Gaul.", BOB)
    desk.memory.learn(told, read(told.body, told.said_at, told.zone), is_owner=False).result()
    assert desk.objects("livesIn", BOB, mara) == ["Lyon"]
    desk.sound()
    desk.memory.set_member(TEAM, BOB, ANN, present=False).result()
    assert desk.objects("livesIn", BOB, mara) == []
    assert desk.objects("residesWithin", BOB, mara) == []
    desk.sound()
    desk.reopen()
    assert desk.memory.spaces.members == {TEAM: frozenset({ANN})}
    desk.sound()


@pytest.mark.requirement("I2", "I8")
def test_the_gateways_rows_are_all_that_it_can_read(desk: Desk) -> None:
    assert desk.memory.rows("SELECT count(*) FROM person") == [(0,)]
    for sql in (
        "SELECT body FROM source",
        "SELECT * FROM live_claim",
        "SELECT name FROM sqlite_schema",
        "DELETE FROM person",
        "INSERT INTO delivery VALUES ('a', 'b', 1)",
        "PRAGMA table_info(source)",
    ):
        with pytest.raises(Exception, match=r"prohibited|not authorized|readonly"):
            desk.memory.rows(sql)


@pytest.mark.requirement("I2")
def test_a_reader_sees_nothing_above_the_clearance(desk: Desk) -> None:
    source, receipt = desk.say("I am allergic to nuts.")
    version = receipt.decisions[0].version or ""
    low = desk.memory.spaces.clearance(user(ANN), Sensitivity.INTERNAL)
    for clearance in (low, desk.clearance(BOB)):
        with desk.memory.reading() as reads:
            assert reads.claims(clearance, subject=NamedNode(f"urn:muniment:entity:{ANN}")) == []
            assert reads.named(clearance, "nuts") == []
            assert reads.postings(clearance, ["nut", "allerg"]) == ([], Statistics(0, 0))
            assert reads.receipt(clearance, source.id) is None
            assert reads.count(clearance) == 0
            assert reads.subjects(clearance) == []
            assert reads.outcomes(clearance) == []
            assert reads.last_stored(clearance, "dm", ANN) is None
            assert reads.current(clearance, version) is None
            with pytest.raises(UnknownThingError):
                reads.version(clearance, version)
            with pytest.raises(UnknownThingError):
                reads.source(clearance, source.id)
    with desk.memory.reading() as reads:
        assert reads.postings(desk.clearance(), ["nut"])[0]


@pytest.mark.requirement("I2", "entities")
def test_the_same_name_in_two_peoples_spaces_is_two_things(desk: Desk) -> None:
    desk.say("Mara lives in Lyon.", ANN)
    desk.say("Mara lives in Bonn.", BOB, owner=False)
    assert desk.entity("Mara", ANN) != desk.entity("Mara", BOB)
    assert desk.objects("livesIn", ANN, desk.entity("Mara", ANN)) == ["Lyon"]
    assert desk.objects("livesIn", BOB, desk.entity("Mara", ANN)) == []


@pytest.mark.requirement("entities")
def test_a_name_is_one_thing_over_many_messages_unless_its_class_forbids_it(desk: Desk) -> None:
    for text in ("Mara works at Airbus.", "Kai works at AIRBUS.", "Airbus is a company based in Toulouse."):
        desk.say(text)
    with desk.memory.reading() as reads:
        assert len({bearer.entity for bearer in reads.named(desk.clearance(), "airbus")}) == 1
    desk.say("Paris lives in Lyon.")
    desk.say("Paris is part of France.")
    with desk.memory.reading() as reads:
        assert len({bearer.entity for bearer in reads.named(desk.clearance(), "paris")}) == 2


@pytest.mark.requirement("row-4", "I8")
def test_a_document_is_quarantined_and_concludes_nothing_trusted(desk: Desk) -> None:
    desk.say("Mara lives in Lyon.")
    source = desk.source("Lyon is a city in Mordor.", kind=SourceKind.DOCUMENT)
    desk.memory.learn(source, read(source.body, source.said_at, source.zone), is_owner=True).result()
    mara = desk.entity("Mara")
    assert desk.objects("residesWithin", subject=mara) == ["Lyon"]
    with desk.memory.reading() as reads:
        tainted = list(reads.statements(desk.clearance(quarantined=True), mara, term("residesWithin"), None))
    assert {s.label.integrity for s in tainted if s.inferred} == {Integrity.TRUSTED, Integrity.QUARANTINED}
    desk.sound()


@pytest.mark.requirement("row-10")
def test_a_relation_without_a_word_is_kept_and_never_inferred_on(desk: Desk) -> None:
    source = desk.source("I knit for Rex")
    wanted = Candidate(Speaker(), NamedNode("urn:x:knitsFor"), Mention("Rex", Span(11, 14)), Span(0, 14), "knit for")
    receipt = desk.memory.learn(source, Reading("t", (wanted,)), is_owner=True).result()
    assert receipt.decisions[0].rule is Rule.NO_WORD
    assert desk.objects("related") == ["Rex"]
    with desk.memory.reading() as reads:
        assert reads.types(desk.clearance(), desk.entity("Rex")) == []


@pytest.mark.requirement("row-6")
def test_a_literal_is_compared_in_its_canonical_form(desk: Desk) -> None:
    def said(lexical: str) -> Rule:
        source = desk.source(f"My number is {lexical}")
        value = Value(Literal(lexical, datatype=XSD_INTEGER), Span(13, 13 + len(lexical)))
        wanted = Candidate(Speaker(), term("dateOfDeath"), value, Span(0, len(source.body)), "number")
        return desk.memory.learn(source, Reading("t", (wanted,)), is_owner=True).result().decisions[0].rule

    assert [said("70"), said("070"), said("+70")] == [Rule.NEW, Rule.KNOWN, Rule.KNOWN]
    desk.sound()


@pytest.mark.requirement("redo")
def test_canonical_terms_are_what_the_store_gives_back(tmp_path: Path) -> None:
    store = open_store(tmp_path / "s")
    node = NamedNode("urn:a")
    for literal in (Literal("x"), Literal("01", datatype=XSD_INTEGER), Literal("hi", language="EN-us"), Literal('"\\\n')):
        store.clear()
        store.add(Quad(node, node, literal))
        assert next(iter(store)).object == canonical(literal)
    assert canonical(node) == node


@pytest.mark.requirement("row-1", "I5")
def test_a_message_can_hold_many_candidates_each_seeing_the_ones_before(desk: Desk) -> None:
    _, receipt = desk.say("I live in Oslo. I live in Lima. I no longer live in Lima. I live in Oslo.")
    assert [d.rule for d in receipt.decisions] == [Rule.NEW, Rule.REPLACES, Rule.ENDED, Rule.NEW]
    assert desk.objects("livesIn") == ["Oslo"]
    desk.sound()


@pytest.mark.requirement("row-5")
def test_a_negative_is_never_projected(desk: Desk) -> None:
    source = desk.source("I do not speak French")
    wanted = Candidate(Speaker(), term("speaks"), Mention("French", Span(15, 21)), Span(0, 21), "speak",
                       polarity=Polarity.NEGATED)  # fmt: skip
    desk.memory.learn(source, Reading("t", (wanted,)), is_owner=True).result()
    assert desk.objects("speaks") == []
    desk.sound()


@pytest.mark.requirement("foreign-data")
def test_a_ledger_opens_again_as_it_was(desk: Desk) -> None:
    desk.say("I live in Oslo.")
    head = desk.memory.head()
    desk.memory.close()
    ledger = Ledger(desk.folder / "ledger.db")
    assert ledger.head.seq == head
    ledger.close()
    desk.open()
