"""Documents, inside the writer's transaction: versions, passages, deletion and restoring.

A document is a name in a space with numbered versions; each version is cut into passages, and each passage is a source. What a
document says is quarantined by admission. Deleting withdraws the evidence in its passages and ends only the claims that have no
other; restoring revives exactly those. Of two readings of one document at the same time only the newer may write.
"""

from dataclasses import dataclass

from memory.claim import Source
from memory.errors import UnknownThingError
from memory.forget import Approver, decides
from memory.ids import Instant
from memory.label import Space, parse_space
from memory.read import Reads
from memory.remember import Rememberer
from memory.tables import Row

READ, DELETED, RESTORED, REPLACED = "read", "deleted", "restored", "replaced"
GONE = "its document was deleted"
"""The reason on a version whose every evidence was in a document that was deleted."""


@dataclass(frozen=True, slots=True)
class Document:
    """A version of a document: its id, whose it is, its name, a keyed digest of its content, and what became of it last."""

    id: str
    space: Space
    name: str
    digest: str
    at: Instant
    state: str = ""

    @property
    def is_there(self) -> bool:
        """Tell whether it was not deleted or replaced, or was restored since."""
        return self.state in {"", READ, RESTORED}

    @property
    def is_whole(self) -> bool:
        """Tell whether it is there and was read to its end."""
        return self.state in {READ, RESTORED}


def documents(reads: Reads, space: Space, name: str | None = None) -> list[Document]:
    """Return the versions of the documents of a space, or of one of them, the oldest first."""
    rows = reads.execute(
        "SELECT d.id, d.space, d.name, d.digest, e.at, coalesce((SELECT v.kind FROM document_event v WHERE v.document = d.id"
        " ORDER BY v.entry DESC LIMIT 1), '') FROM document d JOIN entry e ON e.seq = d.entry"
        " WHERE d.space = ? AND (?2 IS NULL OR d.name = ?2) ORDER BY d.entry",
        (str(space), name),
    )
    return [Document(id_, parse_space(space_), name_, digest, at, state) for id_, space_, name_, digest, at, state in rows]


def begin(rememberer: Rememberer, document: Document) -> None:
    """Begin a new version; the one that was there is replaced."""
    for older in documents(rememberer.reads, document.space, document.name):
        if older.is_there:
            _withdraw(rememberer, older.id, REPLACED)
    values = {"id": document.id, "space": str(document.space), "name": document.name, "digest": document.digest}
    rememberer.transaction.insert(Row("document", values))


def finish(rememberer: Rememberer, document: Document) -> None:
    """Note that a version was read to its end."""
    if may_write(rememberer.reads, document):
        rememberer.transaction.insert(Row("document_event", {"document": document.id, "kind": READ}))


def may_write(reads: Reads, document: Document) -> bool:
    """Tell whether a version is still the newest of its document and there: the guard against an older reading."""
    versions = documents(reads, document.space, document.name)
    return bool(versions) and versions[-1].id == document.id and versions[-1].is_there


def passage_rows(document: Document, source: Source, start: int) -> list[Row]:
    """Return the row that says where in a document a source lies."""
    return [Row("passage", {"source": source.id, "document": document.id, "start": start})]


def delete(rememberer: Rememberer, id_: str, approver: Approver) -> int:
    """Delete a version; return how many claims ended with it."""
    document = _theirs(rememberer, id_, approver)
    if not document.is_there:
        message = f"{document.name} is deleted already. Nothing was changed; `muniment source restore` brings it back."
        raise UnknownThingError(message)
    return _withdraw(rememberer, id_, DELETED)


def restore(rememberer: Rememberer, id_: str, approver: Approver) -> int:
    """Bring a deleted version back; return how many claims hold again."""
    document = _theirs(rememberer, id_, approver)
    if document.is_there or not document.name:
        message = f"{document.name} is there. Nothing was changed." if document.name else "It was purged and is gone for good."
        raise UnknownThingError(message)
    for other in documents(rememberer.reads, document.space, document.name):
        if other.is_there:
            _withdraw(rememberer, other.id, REPLACED)
    tx = rememberer.transaction
    (entry,) = tx.execute("SELECT max(entry) FROM document_event WHERE document = ?", (id_,)).fetchone()
    tx.insert(Row("document_event", {"document": id_, "kind": RESTORED}))
    for row in tx.execute(
        "SELECT claim, source, span_start, span_end, wording FROM withdrawn_evidence WHERE withdrawing_entry = ? AND source IN"
        " (SELECT source FROM passage WHERE document = ?)",
        (entry, id_),
    ).fetchall():
        tx.insert(Row("evidence", dict(zip(("claim", "source", "span_start", "span_end", "wording"), row, strict=True))))
    revived = 0
    ended = tx.execute("SELECT version, was FROM closed_claim WHERE closing_entry = ? AND reason = ?", (entry, GONE)).fetchall()
    for version, was in ended:
        closed = rememberer.row(version, "closed_claim")
        if not rememberer.is_refused(version):
            rememberer.reopen(was, {column: closed[column] for column in tx.columns(was)})
            revived += 1
    return revived


def _theirs(rememberer: Rememberer, id_: str, approver: Approver) -> Document:
    row = rememberer.transaction.execute("SELECT space, name FROM document WHERE id = ?", (id_,)).fetchone()
    if row is None or not decides(rememberer.order, approver, parse_space(row[0])):
        message = "There is no such document of yours. Nothing was changed; `muniment source list` shows what there is."
        raise UnknownThingError(message)
    return next(d for d in documents(rememberer.reads, parse_space(row[0]), row[1]) if d.id == id_)


def _withdraw(rememberer: Rememberer, id_: str, kind: str) -> int:
    """Withdraw the evidence in a version's passages and end what has no other; return how many claims that were."""
    tx = rememberer.transaction
    tx.insert(Row("document_event", {"document": id_, "kind": kind}))
    sources = [source for (source,) in tx.execute("SELECT source FROM passage WHERE document = ?", (id_,)).fetchall()]
    claims = dict.fromkeys(c.claim for source in sources for c in rememberer.reads.cited(source=source))
    for source in sources:
        tx.withdraw_evidence(source)
    return rememberer.close_unsupported(claims, GONE)
