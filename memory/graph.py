"""The projection of the ledger into RDF: apply exact quads, read statements, rebuild into a new generation.

``graph/CURRENT`` names the live generation. The graph ``meta`` holds the last applied entry and the instance, and is in no
reader's dataset.
"""

import os
import shutil
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path
from typing import IO

from pyoxigraph import Literal, NamedNode, Quad, RdfFormat

from memory._oxigraph import Store, open_store, update_text
from memory.claim import Term
from memory.errors import StorageUnavailableError
from memory.folder import sync_folder
from memory.label import Label, Layer, parse_graph_name
from ontologies.vocab import XSD_INTEGER
from reasoner.source import Statement

META = NamedNode("urn:muniment:meta")
_GRAPH = NamedNode("urn:muniment:graph")
_APPLIED = NamedNode("urn:muniment:meta:applied")
_INSTANCE = NamedNode("urn:muniment:meta:instance")
_ONTOLOGY = NamedNode("urn:muniment:meta:ontology")

MOST_MARKS = 256
"""Marks of applied entries that insertions may leave before an update takes them away."""


class Graph:
    """One open generation; a ``QuadSource`` over the graphs of facts and inferences."""

    def __init__(self, folder: Path) -> None:
        """Open the live generation in ``DATA/graph``; a new one where there is none.

        Raises ``StorageUnavailableError`` where the store does not open; ``rebuild`` then makes a new generation.
        """
        self._folder = folder
        self._names: dict[NamedNode, tuple[Layer, Label] | None] = {}
        self._used: dict[NamedNode, tuple[frozenset[NamedNode], set[NamedNode]]] = {}
        self._path = folder / (self._current() or "1")
        self._store: Store | None = open_store(self._path)
        self.applied, self._marks = self._read_marks()
        self.instance = self._told(_INSTANCE)
        self.ontology = self._told(_ONTOLOGY)

    @property
    def store(self) -> Store:
        """The open store; raises ``StorageUnavailableError`` while it is down."""
        if self._store is None:
            message = "The graph is closed after a failed write. What was accepted is in the ledger and comes back with it."
            raise StorageUnavailableError(message)
        return self._store

    @property
    def is_open(self) -> bool:
        """Tell whether the store can be read and written; a failed write closes it."""
        return self._store is not None

    def apply(self, seq: int, removed: Iterable[Quad], added: Iterable[Quad]) -> None:
        """Apply the quads of all entries up to ``seq`` in one atomic write.

        Where nothing is removed, a plain atomic insertion saves the text of an update; it leaves the older marks of what was
        applied, which the next update takes away. Raises ``StorageUnavailableError`` on a failed write; ``reopen`` and the
        ledger's redo rows then bring the graph level.
        """
        removed, added, mark = list(removed), list(added), self._mark(seq)
        if not removed and not added:
            self.applied = seq  # ``flush`` writes the mark; until then the ledger's redo rows tell as much
            return
        self._follow(removed, added)
        with self._writing():
            if removed or len(self._marks) >= MOST_MARKS:
                self.store.update(update_text((*removed, *self._marks), (*added, mark)))
                self._marks = [mark]
            else:
                self.store.extend((*added, mark))
                self._marks.append(mark)
        self.applied = seq

    def reopen(self) -> None:
        """Open the live generation again after a failed write: its old handle never recovers."""
        self._store = None
        self._used.clear()
        self._store = open_store(self._path)
        self.applied, self._marks = self._read_marks()

    @property
    def state(self) -> tuple[str, int]:
        """What the store holds: the name of its generation and the last entry that was applied."""
        return self._path.name, self.applied

    def copy_to(self, path: Path) -> None:
        """Make a store of what is committed in a new folder, by hard links; raise ``OSError`` where it cannot be."""
        self.store.backup(str(path))

    def renew(self, publishing: Callable[[], AbstractContextManager[None]]) -> None:
        """Move to a new generation that holds what stands now and no trace of what was deleted; all others are removed.

        Readers go on in the old one while it is copied, and are held off only for the exchange. Raises
        ``StorageUnavailableError`` where there is no room; the old generation then stays.
        """
        self.flush()
        used = self._generations(self._folder)
        path = self._folder / str(max(used, default=0) + 1)
        try:
            store = open_store(path)
            store.bulk_extend(self.store)
            store.flush()
            del store
        except OSError as error:
            shutil.rmtree(path, ignore_errors=True)
            message = f"The graph cannot be copied ({error}). Everything stays as it is; free some space and it is tried again."
            raise StorageUnavailableError(message) from error
        with publishing():
            self._store = None
            _replace(self._folder / "CURRENT", path.name)
            self._path = path
            self._store = open_store(path)
            self.applied, self._marks = self._read_marks()
        for number in used:
            shutil.rmtree(self._folder / str(number), ignore_errors=True)

    def is_alone(self) -> bool:
        """Tell whether no other generation is there, and none is held open by this process."""
        return self._generations(self._folder) == [int(self._path.name)] and not _is_open_elsewhere(self._folder, self._path)

    def flush(self) -> None:
        """Write what is in memory through to the files, with the mark of the last applied entry."""
        mark = self._mark(self.applied)
        with self._writing():
            if mark not in self._marks:
                self.store.update(update_text(self._marks, (mark,)))
                self._marks = [mark]
            self.store.flush()

    def close(self) -> None:
        """Close the store."""
        if self._store is not None:
            self.flush()
        self._store = None

    def statements(
        self, subject: Term | None, predicate: NamedNode | None, object_: Term | None, /
    ) -> Iterator[Statement[Label]]:
        """Yield the facts and inferences that match, under every label; for the reasoner and ``read`` alone."""
        names = self._names
        if isinstance(subject, Literal):
            return
        for quad in self.store.quads_for_pattern(subject, predicate, object_, None):
            name = quad.graph_name
            known = names[name] if name in names else self._name(name)  # type: ignore[index]
            if known is not None and known[0] is not Layer.CLAIMS:
                yield Statement(quad.triple, known[1], known[0] is Layer.INFERRED)

    def labels_of(self, object_: Literal) -> Iterator[Label]:
        """Yield the label of each quad that has a literal as its object."""
        for quad in self.store.quads_for_pattern(None, None, object_, None):
            known = self._name(quad.graph_name)  # type: ignore[arg-type]
            if known is not None:
                yield known[1]

    def quads(self) -> Iterator[tuple[Layer, Label, Quad]]:
        """Yield every labelled quad, for verification and for changes of membership."""
        for quad in self.store:
            known = self._name(quad.graph_name)  # type: ignore[arg-type]
            if known is not None:
                yield (*known, quad)

    def dump(self, file: IO[bytes]) -> None:
        """Write every quad to a file as N-Quads, marks and all."""
        self.store.dump(file, format=RdfFormat.N_QUADS)

    def properties_in(self, names: Iterable[NamedNode], properties: Iterable[NamedNode]) -> frozenset[NamedNode]:
        """Return which properties some named graphs use; what was found is followed by what is written."""
        asked, found, pattern = frozenset(properties), set[NamedNode](), self.store.quads_for_pattern
        for name in names:
            known = self._used.get(name)
            if known is None or known[0] != asked:
                there = self.store.contains_named_graph(name)
                used = {one for one in asked if there and next(iter(pattern(None, one, None, name)), None) is not None}
                known = self._used[name] = asked, used
            found |= known[1]
        return asked & found

    def _follow(self, removed: Iterable[Quad], added: Iterable[Quad]) -> None:
        """Let what is known of the properties in use be looked up anew where some may be gone, and add what comes."""
        for quad in removed:
            self._used.pop(quad.graph_name, None)  # type: ignore[arg-type]
        for quad in added:
            known = self._used.get(quad.graph_name)  # type: ignore[arg-type]
            if known is not None:
                known[1].add(quad.predicate)

    def in_graphs(self, names: Sequence[NamedNode]) -> Iterator[Quad]:
        """Yield the quads of the named graphs."""
        for name in names:
            yield from self.store.quads_for_pattern(None, None, None, name)

    @classmethod
    def rebuild(
        cls, folder: Path, quads: Iterable[Quad], seq: int, instance: str, ontology: str = "", *, keep: bool = False
    ) -> "Graph":
        """Return a new generation that holds exactly these quads, once it is the live one.

        ``ontology`` is the digest of the axioms that it was closed with. The old ones are removed unless ``keep``.
        """
        marker = folder / "CURRENT"
        folder.mkdir(parents=True, exist_ok=True)
        used = cls._generations(folder)
        name = str(max(used, default=0) + 1)
        store = open_store(folder / name)
        try:
            store.bulk_extend(quads)
            store.extend([cls._mark(seq), Quad(_GRAPH, _INSTANCE, Literal(instance), META), ontology_mark(ontology)])
            store.flush()
        except OSError as error:
            del store
            shutil.rmtree(folder / name, ignore_errors=True)
            message = (
                f"The graph cannot be rebuilt ({error}). The ledger is untouched and holds everything; free some space and"
                " start again."
            )
            raise StorageUnavailableError(message) from error
        del store
        _replace(marker, name)
        for number in () if keep else used:
            shutil.rmtree(folder / str(number), ignore_errors=True)
        return cls(folder)

    @staticmethod
    def _generations(folder: Path) -> list[int]:
        return sorted(int(path.name) for path in folder.iterdir() if _is_number(path.name))

    @contextmanager
    def _writing(self) -> Generator[None]:
        try:
            yield
        except OSError as error:
            self._store = None
            message = (
                f"The graph cannot be written ({error}). What was accepted is kept in the ledger and is applied as soon as"
                " there is room; free some space."
            )
            raise StorageUnavailableError(message) from error

    def _current(self) -> str:
        try:
            name = (self._folder / "CURRENT").read_text(encoding="ascii").strip()
        except (OSError, UnicodeDecodeError):
            return ""
        return name if _is_number(name) else ""

    def _read_marks(self) -> tuple[int, list[Quad]]:
        """Return the last applied entry, and the marks that say so; the older ones are left from insertions."""
        marks = list(self.store.quads_for_pattern(_GRAPH, _APPLIED, None, META))
        return max((int(quad.object.value) for quad in marks if isinstance(quad.object, Literal)), default=0), marks

    def _told(self, what: NamedNode) -> str:
        found = [quad.object for quad in self.store.quads_for_pattern(_GRAPH, what, None, META)]
        return found[0].value if len(found) == 1 and isinstance(found[0], Literal) else ""

    def _name(self, name: NamedNode) -> tuple[Layer, Label] | None:
        if name not in self._names:
            self._names[name] = parse_graph_name(name)
        return self._names[name]

    @staticmethod
    def _mark(seq: int) -> Quad:
        return Quad(_GRAPH, _APPLIED, Literal(str(seq), datatype=XSD_INTEGER), META)


def ontology_mark(digest: str) -> Quad:
    """Return the quad that says which axioms a graph is closed with."""
    return Quad(_GRAPH, _ONTOLOGY, Literal(digest), META)


def _is_number(name: str) -> bool:
    return name.isascii() and name.isdigit()


def _is_open_elsewhere(folder: Path, live: Path) -> bool:
    """Tell whether this process holds a file of another generation open; where the system tells."""
    held, folder, live = Path("/proc/self/fd"), folder.resolve(), live.resolve()
    if not held.exists():
        return False
    for link in held.iterdir():
        with suppress(OSError):
            target = Path(str(link.readlink()).removesuffix(" (deleted)"))
            if (
                folder in target.parents
                and live not in (target, *target.parents)
                and _is_number(target.relative_to(folder).parts[0])
            ):
                return True
    return False


def _replace(path: Path, text: str) -> None:
    """Write a small file so that after a crash it holds either the old words or the new."""
    temporary = path.with_suffix(".new")
    with temporary.open("w", encoding="utf-8") as file:
        file.write(text + "\n")
        file.flush()
        os.fsync(file.fileno())
    temporary.replace(path)
    sync_folder(path.parent)
