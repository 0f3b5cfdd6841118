"""Equality without copies: a thing has names, and every statement about it stands under each of them.

``owl:sameAs`` statements are edges between names, each under a label; along a path labels join. ``Equated`` is a source in which
a pattern finds what is said of a thing under any of its names, as ``eq-sym``, ``eq-trans``, ``eq-rep-s`` and ``eq-rep-o`` tell;
nothing of that is stored, so that it goes with its edge. https://www.w3.org/TR/owl2-profiles/#tab-rules-equality
"""

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from typing import Generic

from pyoxigraph import Literal, NamedNode, Triple

from ontologies.vocab import OWL_SAME_AS, RDF_TYPE
from reasoner.source import L, LabelOrder, QuadSource, Statement, Term


class Equated(Generic[L]):
    """A source as it reads when names of one thing are interchangeable; itself a ``QuadSource``.

    Where nothing is said to be the same it costs nothing: ``is_plain``.
    """

    def __init__(self, source: QuadSource[L], order: LabelOrder[L]) -> None:
        """Read a source under an order of labels."""
        self.source, self.order = source, order
        self._names: dict[Term, list[tuple[Term, L | None]]] = {}
        self.is_plain = next(iter(source.statements(None, OWL_SAME_AS, None)), None) is None

    def forget(self) -> None:
        """Look anew at what is the same: the source has changed."""
        self._names.clear()
        self.is_plain = next(iter(self.source.statements(None, OWL_SAME_AS, None)), None) is None

    def names(self, term: Term) -> Sequence[tuple[Term, L | None]]:
        """Return every name of a thing, each at its minimal labels; its own name first, at no label."""
        if self.is_plain or isinstance(term, Literal):
            return ((term, None),)
        known = self._names.get(term)
        if known is None:
            known = self._names[term] = self._found(term)
        return known

    def edges(self, term: Term) -> Iterator[tuple[Term, Statement[L]]]:
        """Yield what a name is directly said to be the same as, with the statement."""
        for statement in self.source.statements(term, OWL_SAME_AS, None):
            yield statement.triple.object, statement  # type: ignore[misc]
        for statement in self.source.statements(None, OWL_SAME_AS, term):
            yield statement.triple.subject, statement  # type: ignore[misc]

    def _found(self, term: Term) -> list[tuple[Term, L | None]]:
        best: dict[Term, list[L]] = {}
        agenda: deque[tuple[Term, L | None]] = deque([(term, None)])
        while agenda:
            at, label = agenda.popleft()
            for other, statement in self.edges(at):
                if other == term or isinstance(other, Literal):
                    continue
                for bound in self.joined(statement.label, label):
                    if self.keep_lowest(best.setdefault(other, []), bound):
                        agenda.append((other, bound))
        return [(term, None), *((name, label) for name, labels in best.items() for label in labels)]

    def keep_lowest(self, labels: list[L], label: L) -> bool:
        """Take a label among minimal ones; return whether it is one."""
        if any(self.order.leq(lower, label) for lower in labels):
            return False
        labels[:] = [upper for upper in labels if not self.order.leq(label, upper)]
        labels.append(label)
        return True

    def joined(self, label: L, *others: L | None) -> list[L]:
        """Return the minimal labels above some; ``None`` is below all."""
        labels = [label]
        for other in others:
            if other is not None:
                labels = [bound for one in labels for bound in self.order.join(one, other)]
        return labels

    def statements(self, subject: Term | None, predicate: NamedNode | None, object_: Term | None, /) -> Iterable[Statement[L]]:
        """Return what matches under any name, written with the names of the pattern."""
        if self.is_plain:
            return self.source.statements(subject, predicate, object_)
        if predicate == OWL_SAME_AS:
            return self._same(subject, object_)
        return self._renamed(subject, predicate, object_)

    def _renamed(self, subject: Term | None, predicate: NamedNode | None, object_: Term | None) -> Iterator[Statement[L]]:
        subjects = ((None, None),) if subject is None else self.names(subject)
        is_class = object_ is None or predicate == RDF_TYPE
        objects = ((object_, None),) if is_class else self.names(object_)  # type: ignore[arg-type]
        told: dict[Triple, list[L]] = {}
        for one, low in subjects:
            for other, high in objects:
                for statement in self.source.statements(one, predicate, other):
                    if low is None and high is None:  # the names of the pattern come first, so others only add to it
                        self.keep_lowest(told.setdefault(statement.triple, []), statement.label)
                        yield statement
                        continue
                    found = statement.triple
                    subject_ = found.subject if subject is None else subject
                    triple = Triple(subject_, found.predicate, found.object if object_ is None else object_)  # type: ignore[arg-type]
                    lowest = told.setdefault(triple, [])
                    for label in self.joined(statement.label, low, high):
                        if self.keep_lowest(lowest, label):
                            yield Statement(triple, label, inferred=True)

    def _same(self, subject: Term | None, object_: Term | None) -> Iterator[Statement[L]]:
        if subject is None and object_ is None:
            for statement in self.source.statements(None, OWL_SAME_AS, None):
                yield statement
                yield statement._replace(triple=Triple(statement.triple.object, OWL_SAME_AS, statement.triple.subject))  # type: ignore[arg-type]
            return
        start = subject if subject is not None else object_
        for other, label in self.names(start):  # type: ignore[arg-type]
            if label is not None and (subject is None or object_ is None or other == object_):
                ends = (start, other) if subject is not None else (other, start)
                yield Statement(Triple(ends[0], OWL_SAME_AS, ends[1]), label, inferred=True)  # type: ignore[arg-type]

    def variants(self, triple: Triple) -> Iterator[tuple[Triple, L | None, L | None]]:
        """Yield a triple under all names of its ends, with the labels at which the two are names; itself first."""
        objects = ((triple.object, None),) if triple.predicate == RDF_TYPE else self.names(triple.object)  # type: ignore[arg-type]
        for subject, low in self.names(triple.subject):  # type: ignore[arg-type]
            for object_, high in objects:
                yield Triple(subject, triple.predicate, object_), low, high  # type: ignore[arg-type]

    def about(self, term: Term) -> Iterator[Statement[L]]:
        """Yield each statement about a thing under any of its names, as it is written."""
        for name, low in self.names(term):
            for statement in (*self.source.statements(name, None, None), *self.source.statements(None, None, name)):
                for label in self.joined(statement.label, low):
                    yield statement._replace(label=label)


def normal(order: LabelOrder[L], statements: Iterable[Statement[L]], source: QuadSource[L]) -> frozenset[object]:
    """Return inferences in the one form that all sets of them with the same meaning have.

    ``source`` holds all statements, of which ``statements`` are the inferences. Each is written with the first name that a thing
    has at its label and left out where something at a lower label says the same; what is the same stands as the names of each.
    """
    view = Equated(source, order)
    if view.is_plain:
        return frozenset((triple, label) for triple, label, inferred in statements if inferred)
    found: set[object] = set()
    for triple, label, inferred in statements:
        if inferred and triple.predicate != OWL_SAME_AS and not _is_said_lower(view, triple, label):
            forms = [v for v, low, high in view.variants(triple) if all(b is None or order.leq(b, label) for b in (low, high))]
            found.add((min(forms, key=str), label))
    for statement in source.statements(None, OWL_SAME_AS, None):
        for end in (statement.triple.subject, statement.triple.object):
            found.add((end, frozenset(view.names(end))))  # type: ignore[arg-type]
    return frozenset(found)


def _is_said_lower(view: Equated[L], triple: Triple, label: L) -> bool:
    """Tell whether a triple stands under any of its names at a lower label, or is asserted there at the same."""
    for variant, low, high in view.variants(triple):
        for statement in view.source.statements(*variant):  # type: ignore[arg-type]
            for bound in view.joined(statement.label, low, high):
                if view.order.leq(bound, label) and (statement.label != label or not statement.inferred):
                    return True
    return False
