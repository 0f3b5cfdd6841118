"""Documents that a person hands over: added, read into quarantine, deleted, brought back, and purged."""

import asyncio
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gateway.approvals import Approvals, Item
from gateway.errors import IncorrectRequestError
from gateway.people import Person
from gateway.reading import SUFFIXES, pieces, read_file
from gateway.waiting import wait
from memory.claim import Outcome, Source, SourceKind
from memory.documents import Document, documents
from memory.errors import IncorrectTextError
from memory.forget import Act, Wanted
from memory.label import user
from memory.store import Memory
from memory.text import keepable

if TYPE_CHECKING:
    from gateway.turn import Parser

MOST_FILES = 500


@dataclass(frozen=True, slots=True)
class Added:
    """What became of a file: ``added``, ``new version`` or ``unchanged``, and how its passages were read."""

    name: str
    became: str
    passages: int
    outcomes: Counter[str]

    def as_data(self) -> dict[str, Any]:
        """Return it as JSON takes it."""
        return {"name": self.name, "became": self.became, "passages": self.passages, "outcomes": dict(self.outcomes)}


class Sources:
    """The documents of people."""

    def __init__(self, memory: Memory, parser: "Parser", approvals: Approvals) -> None:
        """Use a memory, a parser, and the approvals for what cannot be undone."""
        self._memory, self._parser, self._approvals = memory, parser, approvals

    async def add(self, person: Person, path: Path, zone: str) -> list[Added]:
        """Read a file, or the text, Markdown and HTML files of a folder; what has not changed is left as it is."""
        files = await asyncio.to_thread(_files, path)
        added: list[Added] = []
        for name, file in files:
            try:
                added.append(await self._add(person, file, name, zone))
            except (IncorrectRequestError, IncorrectTextError) as error:
                if len(files) == 1:
                    raise
                added.append(Added(name, f"not stored: {error}", 0, Counter()))
        return added

    async def _add(self, person: Person, path: Path, name: str, zone: str) -> Added:
        return await self.take(person, await asyncio.to_thread(read_file, path), name, zone)

    async def take(self, person: Person, text: str, name: str, zone: str) -> Added:
        """Read a text under the name of a document; what has not changed is left as it is."""
        found = list(pieces(text))
        if not found:
            message = f"{name} has no words that a reader would see. Nothing was stored."
            raise IncorrectRequestError(message)
        for piece in found:
            keepable(piece.words)
        space, digest = user(person.id), self._memory.keyed(text)
        before = await asyncio.to_thread(self.versions, person, name)
        if before and before[-1].is_whole and before[-1].digest == digest:
            return Added(name, "unchanged", 0, Counter())
        document = Document(self._memory.ids(), space, name, digest, self._memory.clock())
        await wait(self._memory.begin_document(document, person.id))
        outcomes: Counter[str] = Counter()
        count = 0
        for piece in found:
            at = self._memory.clock()
            source = Source(self._memory.ids(), document.id, space, SourceKind.DOCUMENT, "", at, zone, piece.words)
            reading = await self._parser.read(source)
            receipt = await wait(self._memory.learn_passage(document, piece.start, source, reading))
            if receipt is None:
                message = f"{name} was added again meanwhile; this older reading stopped. What the newer one read is kept."
                raise IncorrectRequestError(message)
            count += 1
            outcomes.update(d.outcome.value for d in receipt.decisions if d.outcome is not Outcome.REFUSED or d.rule.value > 1)
        await wait(self._memory.finish_document(document, person.id))
        return Added(name, "new version" if before else "added", count, outcomes)

    def has(self, person: Person, text: str) -> bool:
        """Tell whether a text is the present version of some document of a person's."""
        digest = self._memory.keyed(text)
        return any(version.is_whole and version.is_there and version.digest == digest for version in self.versions(person))

    def versions(self, person: Person, name: str | None = None) -> list[Document]:
        """Return the versions of a person's documents, or of one of them."""
        with self._memory.reading() as reads:
            return documents(reads, user(person.id), name)

    async def delete(self, person: Person, name: str) -> int:
        """Delete a document; return how many claims ended with it."""
        document = await self._named(person, name, there=True)
        return await wait(self._memory.delete_document(document.id, self._approvals.approver(person)))

    async def restore(self, person: Person, name: str) -> int:
        """Bring the last version of a deleted document back; return how many claims hold again."""
        document = await self._named(person, name, there=False)
        return await wait(self._memory.restore_document(document.id, self._approvals.approver(person)))

    async def ask_to_purge(self, person: Person, name: str) -> Item:
        """Return what destroying all versions of a document would do, as a request to approve."""
        versions = await asyncio.to_thread(self._called, person, name)
        with self._memory.reading() as reads:
            sources = tuple(source for version in versions for source in reads.passages(version.id))
        if not sources:
            message = f"There is no document {name!r} of yours. Nothing was changed; `muniment source list` shows what there is."
            raise IncorrectRequestError(message)
        return await self._approvals.request(person, Wanted(Act.ERASE, sources=sources), "")

    def _called(self, person: Person, name: str) -> list[Document]:
        """Return the versions of the one document of a path, or of the end of one; raise where there are several."""
        found = [d for d in self.versions(person) if name and d.name and (d.name == name or d.name.endswith(f"/{name}"))]
        if len({document.name for document in found}) > 1:
            message = f"Several documents end in {name!r}; give more of the path. Nothing was changed."
            raise IncorrectRequestError(message)
        return found

    async def _named(self, person: Person, name: str, *, there: bool) -> Document:
        versions = await asyncio.to_thread(self._called, person, name)
        for version in reversed(versions):
            if version.is_there is there:
                return version
        what = "there" if there else "deleted"
        message = f"No document {name!r} of yours is {what}. Nothing was changed; `muniment source list` shows what there is."
        raise IncorrectRequestError(message)


def _files(path: Path) -> list[tuple[str, Path]]:
    """Return the files that a path means, with the names of their documents; links out of a folder are not followed."""
    if not path.is_dir():
        return [(str(path), path)]
    found = sorted(file for file in path.rglob("*") if file.suffix.casefold() in SUFFIXES and file.is_file())
    files = [(str(file), file) for file in found if file.resolve().is_relative_to(path.resolve())]
    if not files or len(files) > MOST_FILES:
        message = f"{path} has {len(files)} files to read; it can be 1 to {MOST_FILES}. Nothing was stored."
        raise IncorrectRequestError(message)
    return files
