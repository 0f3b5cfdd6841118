"""What rules read through: labelled statements, the source of them, and the order of labels.

Labels are opaque here: the caller supplies a partial order with joins. A statement is a triple under one label, either
asserted or inferred.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Generic, NamedTuple, Protocol, TypeAlias, TypeVar

from pyoxigraph import Literal, NamedNode, Triple

Term: TypeAlias = NamedNode | Literal
L = TypeVar("L")
Labelled: TypeAlias = tuple[Triple, L]


class Statement(NamedTuple, Generic[L]):
    """A triple under a label; ``inferred`` tells a conclusion from an assertion."""

    triple: Triple
    label: L
    inferred: bool


class QuadSource(Protocol[L]):
    """The one thing rules read through. ``None`` matches any term; without a predicate an end is given."""

    def statements(self, subject: Term | None, predicate: NamedNode | None, object_: Term | None, /) -> Iterable[Statement[L]]:
        """Return every statement, asserted or inferred, that matches the pattern."""
        ...


class LabelOrder(Protocol[L]):
    """A partial order of labels in which some pairs have no upper bound."""

    def leq(self, lower: L, upper: L, /) -> bool:
        """Tell whether whoever sees ``upper`` also sees ``lower``."""
        ...

    def join(self, left: L, right: L, /) -> Sequence[L]:
        """Return the minimal labels above both; none where nobody sees both."""
        ...


class Index(Generic[L]):
    """An in-memory ``QuadSource`` that can be added to and taken from."""

    def __init__(self) -> None:
        """Start empty."""
        self._labels: dict[Triple, set[tuple[L, bool]]] = {}
        self._by_predicate: dict[NamedNode, dict[Triple, None]] = {}
        self._by_subject: dict[tuple[Term, NamedNode], dict[Triple, None]] = {}
        self._by_object: dict[tuple[NamedNode, Term], dict[Triple, None]] = {}
        self._by_end: dict[tuple[int, Term | None], dict[Triple, None]] | None = None  # made when first asked for

    def __iter__(self) -> Iterator[Statement[L]]:
        """Yield every statement, in order of first insertion of its triple."""
        for triple, labels in self._labels.items():
            for label, inferred in labels:
                yield Statement(triple, label, inferred)

    def add(self, triple: Triple, label: L, *, inferred: bool) -> None:
        """Insert one statement; a second time is no change."""
        labels = self._labels.get(triple)
        if labels is not None:
            labels.add((label, inferred))
            return
        self._labels[triple] = {(label, inferred)}
        for table, key in self._keys(triple):
            table.setdefault(key, {})[triple] = None

    def discard(self, triple: Triple, label: L, *, inferred: bool) -> None:
        """Remove one statement if it is there."""
        labels = self._labels.get(triple)
        if labels is None:
            return
        labels.discard((label, inferred))
        if labels:
            return
        del self._labels[triple]
        for table, key in self._keys(triple):
            bucket = table[key]
            del bucket[triple]
            if not bucket:
                del table[key]

    def labels(self, triple: Triple) -> set[tuple[L, bool]]:
        """Return the labels under which a triple stands, each with whether it is inferred there; not to be changed."""
        return self._labels.get(triple) or set()

    def statements(self, subject: Term | None, predicate: NamedNode | None, object_: Term | None, /) -> Iterable[Statement[L]]:
        """Return every statement that matches; a list, so the index may change while it is read."""
        if predicate is None:
            triples: Iterable[Triple] = self._ends().get((0, subject) if subject is not None else (1, object_), ())
            if subject is not None and object_ is not None:
                triples = [triple for triple in triples if triple.object == object_]
        elif subject is not None:
            triples = self._by_subject.get((subject, predicate), ())
            if object_ is not None:
                triples = [triple for triple in triples if triple.object == object_]
        elif object_ is not None:
            triples = self._by_object.get((predicate, object_), ())
        else:
            triples = self._by_predicate.get(predicate, ())
        return [Statement(triple, label, inferred) for triple in triples for label, inferred in self._labels[triple]]

    def _keys(self, triple: Triple) -> "Iterable[tuple[dict[object, dict[Triple, None]], object]]":
        subject, predicate, object_ = triple
        return (  # type: ignore[return-value]
            (self._by_predicate, predicate),
            (self._by_subject, (subject, predicate)),
            (self._by_object, (predicate, object_)),
        ) + (() if self._by_end is None else ((self._by_end, (0, subject)), (self._by_end, (1, object_))))

    def _ends(self) -> dict[tuple[int, Term | None], dict[Triple, None]]:
        if self._by_end is None:
            self._by_end = {}
            for triple in self._labels:
                for key in ((0, triple.subject), (1, triple.object)):
                    self._by_end.setdefault(key, {})[triple] = None  # type: ignore[arg-type, index]
        return self._by_end
