"""Documents: quarantined, replaced by newer versions, deleted and restored exactly, and guarded against older readings."""

import pytest

from gateway.parse.offline import read
from memory.claim import Outcome, Receipt, Source, SourceKind
from memory.documents import Document, documents
from memory.errors import UnknownThingError
from memory.forget import Act, Wanted
from memory.label import user
from memory.recall import Query, recall
from tests.conftest import ANN, BOB, Desk


def _add(desk: Desk, *passages: str, name: str = "notes.md") -> Document:
    document = Document(desk.id(), user(ANN), name, desk.memory.keyed("".join(passages)), desk.clock())
    desk.memory.begin_document(document, ANN).result()
    for start, words in enumerate(passages):
        assert _learn(desk, document, start, words) is not None
    return document


def _learn(desk: Desk, document: Document, start: int, words: str) -> Receipt | None:
    source = Source(desk.id(), document.id, user(ANN), SourceKind.DOCUMENT, "", desk.clock(), "UTC", words)
    return desk.memory.learn_passage(document, start, source, read(words, source.said_at, "UTC")).result()


def _homes(desk: Desk) -> list[str]:
    clearance = desk.clearance(quarantined=True)
    with desk.memory.reading() as reads:
        claims = [c for s in reads.subjects(clearance) for c in reads.claims(clearance, subject=s)]
        return sorted(reads.names(clearance, c.object)[-1] for c in claims if c.predicate.value.endswith("livesIn"))  # type: ignore[arg-type]


@pytest.mark.requirement("documents", "row-4")
def test_what_a_document_says_is_quarantined_and_not_recalled(desk: Desk) -> None:
    _add(desk, "Mara lives in Lima.", "Tom lives in Oslo.")
    assert _homes(desk) == ["Lima", "Oslo"]
    with desk.memory.reading() as reads:
        assert reads.subjects(desk.clearance()) == []
        query = Query("Where does Mara live?", at=desk.now)
        assert recall(reads, desk.words, query, desk.clearance(), 500).items == ()
        assert len(recall(reads, desk.words, query, desk.clearance(quarantined=True), 500).items) > 0
    desk.sound()


@pytest.mark.requirement("documents")
def test_deleting_ends_only_what_nothing_else_says_and_restoring_revives_exactly_that(desk: Desk) -> None:
    first = _add(desk, "Mara lives in Lima.", "Tom lives in Oslo.")
    _add(desk, "Tom lives in Oslo.", name="other.md")
    then = desk.now
    assert desk.memory.delete_document(first.id, desk.approver()).result() > 0
    assert _homes(desk) == ["Oslo"]
    desk.sound()
    with pytest.raises(UnknownThingError, match="deleted already"):
        desk.memory.delete_document(first.id, desk.approver()).result()
    with desk.memory.reading() as reads:
        items = recall(reads, desk.words, Query("Mara Lima", at=desk.now), desk.clearance(quarantined=True), 500).items
        assert not any(item.source is not None and "Mara" in item.source.body for item in items)
    with desk.memory.reading(then) as reads:
        items = recall(reads, desk.words, Query("Mara Lima", at=desk.now), desk.clearance(quarantined=True), 500).items
        assert any(item.source is not None and "Mara" in item.source.body for item in items)
    desk.memory.restore_document(first.id, desk.approver()).result()
    assert _homes(desk) == ["Lima", "Oslo"]
    with pytest.raises(UnknownThingError, match="is there"):
        desk.memory.restore_document(first.id, desk.approver()).result()
    desk.sound()
    desk.reopen()
    desk.sound()


@pytest.mark.requirement("documents")
def test_a_newer_version_replaces_the_older_and_the_older_reading_writes_no_more(desk: Desk) -> None:
    older = _add(desk, "Mara lives in Lima.")
    newer = _add(desk, "Mara lives in Oslo.")
    assert _homes(desk) == ["Oslo"]
    assert _learn(desk, older, 1, "Mara lives in Rome.") is None
    assert _homes(desk) == ["Oslo"]
    with desk.memory.reading() as reads:
        assert [d.is_there for d in documents(reads, user(ANN), "notes.md")] == [False, True]
    desk.memory.restore_document(older.id, desk.approver()).result()
    assert _homes(desk) == ["Lima"]
    assert _learn(desk, newer, 1, "Mara lives in Rome.") is None
    desk.sound()


@pytest.mark.requirement("documents", "I3")
def test_curation_wins_over_another_reading(desk: Desk) -> None:
    _add(desk, "Mara lives in Lima.")
    quarantined = desk.clearance(quarantined=True)
    with desk.memory.reading() as reads:
        mara = reads.named(quarantined, "mara")[0].entity
        claim = next(c for c in reads.claims(quarantined, subject=mara) if c.wording != "name")
    desk.retract(claim.id)
    document = Document(desk.id(), user(ANN), "again.md", "d", desk.clock())
    desk.memory.begin_document(document, ANN).result()
    receipt = _learn(desk, document, 0, "Mara lives in Lima.")
    assert receipt is not None
    assert [d.outcome for d in receipt.decisions] == [Outcome.REFUSED]
    assert _homes(desk) == []


@pytest.mark.requirement("documents", "I8")
def test_a_document_is_its_persons_alone(desk: Desk) -> None:
    document = _add(desk, "Mara lives in Lima.")
    with pytest.raises(UnknownThingError, match="no such document"):
        desk.memory.delete_document(document.id, desk.approver(BOB)).result()
    with desk.memory.reading() as reads:
        assert documents(reads, user(BOB)) == []


@pytest.mark.requirement("documents", "D02")
def test_a_purged_document_leaves_neither_words_nor_name(desk: Desk) -> None:
    document = _add(desk, "Mara lives in Quuxtown.", name="quuxtown-notes.md")
    with desk.memory.reading() as reads:
        sources = tuple(reads.passages(document.id))
    desk.erase(Wanted(Act.ERASE, sources=sources))
    with desk.memory.reading() as reads:
        assert [d.name for d in documents(reads, user(ANN))] == [""]
    assert all("Quux" not in body for body in desk.bodies())
    desk.sound()
