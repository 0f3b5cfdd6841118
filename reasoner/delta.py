"""What follows from an addition; what falls with a removal; what changes when people join or leave.

Semi-naive addition, and removal by deleting with re-derivation, each per triple *and* label. A conclusion carries the
minimal upper bounds of its premises' labels, and a statement that a lower label covers is not kept twice. The law: after
any sequence of changes every reader sees exactly the closure of the facts that reader may see.
"""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Generic

from pyoxigraph import NamedNode, Triple

from reasoner.compile import Program
from reasoner.rule import Atom, Binding, Rule, bind, conclude, fill
from reasoner.source import Index, L, Labelled, LabelOrder, QuadSource, Statement, Term


@dataclass(frozen=True, slots=True)
class Delta(Generic[L]):
    """Inferred statements to insert and to remove; disjoint."""

    added: frozenset[Labelled[L]]
    removed: frozenset[Labelled[L]]


class Overlay(Generic[L]):
    """A source as it will be once a change is applied; itself a ``QuadSource``."""

    def __init__(self, source: QuadSource[L]) -> None:
        """Start equal to the source."""
        self._source = source
        self._new: Index[L] = Index()
        self._gone: set[Statement[L]] = set()
        self._known: dict[Triple, set[tuple[L, bool]]] = {}

    def statements(self, subject: Term | None, predicate: NamedNode, object_: Term | None, /) -> Iterator[Statement[L]]:
        """Yield what stands after the change so far."""
        gone = self._gone
        for statement in self._source.statements(subject, predicate, object_):
            if not gone or statement not in gone:
                yield statement
        yield from self._new.statements(subject, predicate, object_)

    def labels(self, triple: Triple) -> set[tuple[L, bool]]:
        """Return the labels of a triple, each with whether it is inferred there; read from the source once."""
        known = self._known.get(triple)
        if known is None:
            source = self._source
            if isinstance(source, Overlay):  # the entries of one commit are overlays on overlays
                known = set(source.labels(triple))  # pyright: ignore[reportUnknownMemberType, reportUnknownArgumentType]
            else:
                known = {(label, inferred) for _, label, inferred in self.statements(*triple)}  # type: ignore[arg-type]
            self._known[triple] = known
        return known

    def insert(self, triple: Triple, label: L, *, inferred: bool) -> None:
        """Let a statement stand."""
        labels = self.labels(triple)
        if (label, inferred) in labels:
            return
        labels.add((label, inferred))
        statement = Statement(triple, label, inferred)
        if statement in self._gone:
            self._gone.discard(statement)
        else:
            self._new.add(triple, label, inferred=inferred)

    def drop(self, triple: Triple, label: L, *, inferred: bool) -> None:
        """Let a statement stand no more; nothing where it did not."""
        labels = self.labels(triple)
        if (label, inferred) not in labels:
            return
        labels.discard((label, inferred))
        if (label, inferred) in set(self._new.labels(triple)):
            self._new.discard(triple, label, inferred=inferred)
        else:
            self._gone.add(Statement(triple, label, inferred))

    def delta(self) -> Delta[L]:
        """Return the inferred statements in which the overlay differs from its source."""
        return Delta(
            frozenset((triple, label) for triple, label, inferred in self._new if inferred),
            frozenset((triple, label) for triple, label, inferred in self._gone if inferred),
        )


def added(program: Program, order: LabelOrder[L], source: QuadSource[L], facts: Iterable[Labelled[L]]) -> Delta[L]:
    """Return what changes among the inferences when facts are asserted. ``source`` does not hold them yet."""
    return changed(program, order, source, gone=(), new=facts)


def removed(program: Program, order: LabelOrder[L], source: QuadSource[L], facts: Iterable[Labelled[L]]) -> Delta[L]:
    """Return what changes among the inferences when facts are withdrawn. ``source`` still holds them."""
    return changed(program, order, source, gone=facts, new=())


def changed(
    program: Program,
    order: LabelOrder[L],
    source: QuadSource[L],
    *,
    gone: Iterable[Labelled[L]],
    new: Iterable[Labelled[L]],
) -> Delta[L]:
    """Return what changes among the inferences when some facts go and others come, in one step."""
    gone, new = list(dict.fromkeys(gone)), list(dict.fromkeys(new))
    overlay = Overlay(source)
    if gone:
        doomed = _over_delete(program, order, source, gone, lambda _: True)
        for triple, label in gone:
            overlay.drop(triple, label, inferred=False)
        for triple, label in doomed:
            overlay.drop(triple, label, inferred=True)
        touched = dict.fromkeys([triple for triple, _ in gone] + [triple for triple, _ in doomed])
        _learn(program, order, overlay, _rederive(program, order, overlay, touched))
    agenda: list[Labelled[L]] = []
    for triple, label in new:
        fresh = not _covered(order, overlay, triple, label)
        overlay.insert(triple, label, inferred=False)
        _drop_covered(order, overlay, triple, label)
        if fresh:
            agenda.append((triple, label))
    _learn(program, order, overlay, agenda)
    return overlay.delta()


def reordered(
    program: Program,
    before: LabelOrder[L],
    after: LabelOrder[L],
    source: QuadSource[L],
    moved: Iterable[Labelled[L]],
    affected: Callable[[L], bool],
) -> Delta[L]:
    """Return what changes among the inferences when the order of labels changes, as when somebody joins or leaves a team.

    ``moved`` is every statement (asserted or inferred) whose label's upper bounds differ between the two orders;
    ``affected`` tells the labels at which conclusions from them can come or go.
    """
    moved = list(dict.fromkeys(moved))
    overlay = Overlay(source)
    doomed = _over_delete(program, before, source, moved, affected)
    for triple, label in doomed:
        overlay.drop(triple, label, inferred=True)
    touched = dict.fromkeys([triple for triple, _ in doomed] + [triple for triple, _ in moved])
    agenda = _rederive(program, after, overlay, touched)
    for triple, label in moved:
        _drop_covered(after, overlay, triple, label)
    _learn(program, after, overlay, [*moved, *agenda])
    return overlay.delta()


def derivations(
    rule: Rule, order: LabelOrder[L], source: QuadSource[L], triple: Triple
) -> Iterator[tuple[tuple[Statement[L], ...], L]]:
    """Yield each way in which a rule concludes the triple from the source: the premises and a label of the conclusion."""
    binding = bind(rule.head, triple, (None,) * rule.variables)
    if binding is not None:
        for found, premises, label in _join(rule.body, order, source, binding, None):
            if conclude(rule.head, found) == triple and label is not None:
                yield premises, label


def _consequences(
    program: Program, order: LabelOrder[L], source: QuadSource[L], triple: Triple, label: L
) -> Iterator[Labelled[L]]:
    for rule, position in program.triggers(triple):
        binding = bind(rule.body[position], triple, (None,) * rule.variables)
        if binding is None:
            continue
        rest = (*rule.body[:position], *rule.body[position + 1 :])
        for found, _, joined in _join(rest, order, source, binding, label):
            conclusion = conclude(rule.head, found)
            if conclusion is not None and joined is not None:
                yield conclusion, joined


def _join(
    atoms: tuple[Atom, ...], order: LabelOrder[L], source: QuadSource[L], binding: Binding, label: L | None
) -> Iterator[tuple[Binding, tuple[Statement[L], ...], L | None]]:
    """Yield every way to match the atoms, with the premises and a minimal upper bound of their labels and ``label``."""
    if not atoms:
        yield binding, (), label
        return
    atom, rest = _next_atom(atoms, binding)
    for statement in source.statements(fill(atom.subject, binding), atom.predicate, fill(atom.object, binding)):
        extended = bind(atom, statement.triple, binding)
        if extended is None:
            continue
        for bound in (statement.label,) if label is None else order.join(label, statement.label):
            for found, premises, joined in _join(rest, order, source, extended, bound):
                yield found, (statement, *premises), joined


def _next_atom(atoms: tuple[Atom, ...], binding: Binding) -> tuple[Atom, tuple[Atom, ...]]:
    """Take the atom with the most bound ends first, so that a join is anchored wherever it can be."""
    if len(atoms) == 1:
        return atoms[0], ()
    best = max(
        range(len(atoms)),
        key=lambda i: (fill(atoms[i].subject, binding) is not None) + (fill(atoms[i].object, binding) is not None),
    )
    return atoms[best], (*atoms[:best], *atoms[best + 1 :])


def _learn(program: Program, order: LabelOrder[L], overlay: Overlay[L], agenda: Iterable[Labelled[L]]) -> None:
    queue = deque(agenda)
    while queue:
        triple, label = queue.popleft()
        for conclusion, bound in list(_consequences(program, order, overlay, triple, label)):
            if _infer(order, overlay, conclusion, bound):
                queue.append((conclusion, bound))


def _infer(order: LabelOrder[L], overlay: Overlay[L], triple: Triple, label: L) -> bool:
    if _covered(order, overlay, triple, label):
        return False
    overlay.insert(triple, label, inferred=True)
    _drop_covered(order, overlay, triple, label)
    return True


def _covered(order: LabelOrder[L], overlay: Overlay[L], triple: Triple, label: L) -> bool:
    return any(order.leq(known, label) for known, _ in overlay.labels(triple))


def _drop_covered(order: LabelOrder[L], overlay: Overlay[L], triple: Triple, label: L) -> None:
    """Drop the inferences of a triple that the statement under ``label`` covers, itself apart."""
    own = (label, True)
    asserted = (label, False) in overlay.labels(triple)
    for known, inferred in list(overlay.labels(triple)):
        if inferred and order.leq(label, known) and ((known, inferred) != own or asserted):
            overlay.drop(triple, known, inferred=True)


def _over_delete(
    program: Program,
    order: LabelOrder[L],
    source: QuadSource[L],
    seeds: Iterable[Labelled[L]],
    affected: Callable[[L], bool],
) -> dict[Labelled[L], None]:
    """Return every inference that some derivation from the seeds reaches, in the source *as it was*."""
    as_it_was = Overlay(source)  # for its memory of labels; nothing is changed in it
    doomed: dict[Labelled[L], None] = {}
    queue = deque(seeds)
    while queue:
        triple, label = queue.popleft()
        for conclusion, bound in _consequences(program, order, as_it_was, triple, label):
            if not affected(bound):
                continue
            for known, inferred in as_it_was.labels(conclusion):
                if inferred and order.leq(bound, known) and (conclusion, known) not in doomed:
                    doomed[conclusion, known] = None
                    queue.append((conclusion, known))
    return doomed


def _rederive(program: Program, order: LabelOrder[L], overlay: Overlay[L], triples: Iterable[Triple]) -> list[Labelled[L]]:
    """Put back what still follows in one step, and return it for the forward run that finds the rest."""
    back: list[Labelled[L]] = []
    for triple in triples:
        for rule in program.concluding(triple):
            for _, label in list(derivations(rule, order, overlay, triple)):
                if _infer(order, overlay, triple, label):
                    back.append((triple, label))
    return back
