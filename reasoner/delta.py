"""What follows from an addition; what falls with a removal; what changes when people join or leave.

Semi-naive addition, and removal by deleting with re-derivation, each per triple *and* label. A conclusion carries the
minimal upper bounds of its premises' labels, and a statement that a lower label covers is not kept twice. Joins match a thing
under each of its names (``reasoner.equality``). The law: after any sequence of changes every reader sees exactly the closure of
the facts that reader may see.
"""

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Generic

from pyoxigraph import NamedNode, Triple

from ontologies.vocab import OWL_SAME_AS
from reasoner.compile import Program, Trigger
from reasoner.equality import Equated
from reasoner.rule import Atom, Binding, Rule, bind, conclude, fill, holds
from reasoner.source import Index, L, Labelled, LabelOrder, QuadSource, Statement, Term


@dataclass(frozen=True, slots=True)
class Clash(Generic[L]):
    """What is found false: the rule, the statements that it needs, and a label at which they are seen together."""

    rule: Rule
    premises: tuple[Statement[L], ...]
    label: L


@dataclass(frozen=True, slots=True)
class Delta(Generic[L]):
    """Inferred statements to insert and to remove, disjoint; and what the change makes false."""

    added: frozenset[Labelled[L]]
    removed: frozenset[Labelled[L]]
    clashes: tuple[Clash[L], ...] = ()


class Overlay(Generic[L]):
    """A source as it will be once a change is applied; itself a ``QuadSource``."""

    def __init__(self, source: QuadSource[L]) -> None:
        """Start equal to the source."""
        self._source = source
        self._new: Index[L] = Index()
        self._gone: set[Statement[L]] = set()
        self._known: dict[Triple, set[tuple[L, bool]]] = {}

    def statements(self, subject: Term | None, predicate: NamedNode | None, object_: Term | None, /) -> Iterator[Statement[L]]:
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

    def new(self) -> Iterator[Statement[L]]:
        """Yield what stands in the overlay and not in its source."""
        return iter(self._new)

    def delta(self, clashes: tuple[Clash[L], ...] = ()) -> Delta[L]:
        """Return the inferred statements in which the overlay differs from its source."""
        return Delta(
            frozenset((triple, label) for triple, label, inferred in self._new if inferred),
            frozenset((triple, label) for triple, label, inferred in self._gone if inferred),
            clashes,
        )


class _Fresh(Overlay[L]):
    """An overlay over nothing, without the memory of what a source holds."""

    def __init__(self) -> None:
        super().__init__(Index[L]())
        self._nothing: set[tuple[L, bool]] = set()

    def statements(self, subject: Term | None, predicate: NamedNode | None, object_: Term | None, /) -> Iterator[Statement[L]]:
        return iter(self._new.statements(subject, predicate, object_))

    def labels(self, triple: Triple) -> set[tuple[L, bool]]:
        return self._new.labels(triple) or self._nothing

    def insert(self, triple: Triple, label: L, *, inferred: bool) -> None:
        self._new.add(triple, label, inferred=inferred)

    def drop(self, triple: Triple, label: L, *, inferred: bool) -> None:
        self._new.discard(triple, label, inferred=inferred)


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
    """Return what changes among the inferences when some facts go and others come, in one step, and what is false then."""
    gone, new = list(dict.fromkeys(gone)), list(dict.fromkeys(new))
    run = _Run(program, order, Overlay(source))
    if gone:
        doomed, touched = _over_delete(program, order, source, gone, lambda _: True)
        for triple, label in gone:
            run.drop(triple, label, inferred=False)
        for triple, label in doomed:
            run.drop(triple, label, inferred=True)
        run.learn(run.rederive(touched))
    run.state(new)
    return run.overlay.delta(tuple(run.clashes(run.overlay.new())) if new else ())


def closed(program: Program, order: LabelOrder[L], facts: Iterable[Labelled[L]]) -> frozenset[Labelled[L]]:
    """Return the inferences of facts alone, without looking for what is false among them."""
    run = _Run(program, order, _Fresh[L]())
    run.state(dict.fromkeys(facts))
    return run.overlay.delta().added


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
    run = _Run(program, after, Overlay(source))
    doomed, touched = _over_delete(program, before, source, moved, affected)
    for triple, label in doomed:
        run.drop(triple, label, inferred=True)
    agenda = run.rederive(touched)
    for triple, label in moved:
        run.drop_covered(triple, label)
    run.learn([*moved, *agenda])
    return run.overlay.delta()


def clashes(
    program: Program, order: LabelOrder[L], source: QuadSource[L], statements: Iterable[Statement[L]]
) -> Iterator[Clash[L]]:
    """Yield what is false because of any of some statements of the source, each way to see it once."""
    return _Run(program, order, Overlay(source)).clashes(statements)


def derivations(
    rule: Rule, order: LabelOrder[L], view: Equated[L], triple: Triple
) -> Iterator[tuple[tuple[Statement[L], ...], L]]:
    """Yield each way in which a rule concludes the triple from the source: the premises and a label of the conclusion."""
    if rule.head is None:
        return
    binding = bind(rule.head, triple, (None,) * rule.variables)
    if binding is not None:
        for found, premises, label in _join(rule.body, order, view, binding, None):
            if label is not None and conclude(rule.head, found) == triple and holds(rule.guards, found):
                yield premises, label


class _Run(Generic[L]):
    """A change in the making: the overlay that it makes, read with all names of things."""

    def __init__(self, program: Program, order: LabelOrder[L], overlay: Overlay[L]) -> None:
        self.program, self.order, self.overlay = program, order, overlay
        self.view: Equated[L] = Equated(overlay, order)

    def insert(self, triple: Triple, label: L, *, inferred: bool) -> None:
        self.overlay.insert(triple, label, inferred=inferred)
        if triple.predicate == OWL_SAME_AS:
            self.view.forget()

    def drop(self, triple: Triple, label: L, *, inferred: bool) -> None:
        self.overlay.drop(triple, label, inferred=inferred)
        if triple.predicate == OWL_SAME_AS:
            self.view.forget()

    def state(self, facts: Iterable[Labelled[L]]) -> None:
        """Let facts stand, and infer all that follows from them."""
        agenda: list[Labelled[L]] = []
        for triple, label in facts:
            fresh = not self.is_covered(triple, label)
            self.insert(triple, label, inferred=False)
            self.drop_covered(triple, label)
            if fresh:
                agenda.append((triple, label))
        self.learn(agenda)

    def learn(self, agenda: Iterable[Labelled[L]]) -> None:
        """Infer all that follows from statements that stand, and from what follows."""
        queue = deque(agenda)
        while queue:
            triple, label = queue.popleft()
            for conclusion, bound in list(_consequences(self.program, self.order, self.view, triple, label)):
                if self._infer(conclusion, bound):
                    queue.append((conclusion, bound))

    def rederive(self, triples: Mapping[Triple, list[L]]) -> list[Labelled[L]]:
        """Put back what still follows in one step, and return it for the forward run that finds the rest.

        With each triple come the labels at which it stood, and none where it may stand anew: once it stands at those again,
        nothing lower can be found.
        """
        back: list[Labelled[L]] = []
        for triple, stood in triples.items():
            for label in self._still_derived(triple):
                if self._infer(triple, label):
                    back.append((triple, label))
                    if stood and all(self.is_covered(triple, before) for before in stood):
                        break
        return back

    def _still_derived(self, triple: Triple) -> Iterator[L]:
        for rule in self.program.concluding(triple):
            for _, label in derivations(rule, self.order, self.view, triple):
                yield label

    def _infer(self, triple: Triple, label: L) -> bool:
        if self.is_covered(triple, label):
            return False
        self.insert(triple, label, inferred=True)
        self.drop_covered(triple, label)
        return True

    def is_covered(self, triple: Triple, label: L) -> bool:
        """Tell whether a triple stands at a lower label, or at this one, under any of its names."""
        leq = self.order.leq
        if self.view.is_plain:
            return any(known == label or leq(known, label) for known, _ in self.overlay.labels(triple))
        return any(leq(statement.label, label) for statement in self.view.statements(*triple))  # type: ignore[arg-type]

    def drop_covered(self, triple: Triple, label: L) -> None:
        """Drop the inferences of a triple that the statement under ``label`` covers, itself apart."""
        labels = self.overlay.labels(triple)
        if len(labels) == 1:  # itself alone
            return
        own = (label, True)
        asserted = (label, False) in labels
        for known, inferred in list(labels):
            if inferred and self.order.leq(label, known) and ((known, inferred) != own or asserted):
                self.drop(triple, known, inferred=True)

    def clashes(self, statements: Iterable[Statement[L]]) -> Iterator[Clash[L]]:
        """Yield what is false because of some of the statements that stand."""
        seen: set[tuple[Rule, frozenset[Triple], L]] = set()
        for statement in list(statements):
            for clash in self._clashes_with(statement):
                key = (clash.rule, frozenset(premise.triple for premise in clash.premises), clash.label)
                if key not in seen:
                    seen.add(key)
                    yield clash

    def _clashes_with(self, statement: Statement[L]) -> Iterator[Clash[L]]:
        reading = [statement]
        if statement.triple.predicate == OWL_SAME_AS and not self.view.is_plain:  # what was said of two is said of one
            reading += _of_one(self.view, statement.triple, statement.label)
        for one in reading:
            for trigger in self.program.clashes(one.triple):
                for binding, label, names in _matches(trigger, self.view, one.triple, one.label):
                    for found, premises, bound in _join(trigger.rest, self.order, self.view, binding, label):
                        if bound is not None and holds(trigger.rule.guards, found):
                            yield Clash(trigger.rule, (one, *names, *premises), bound)


def _consequences(program: Program, order: LabelOrder[L], view: Equated[L], triple: Triple, label: L) -> Iterator[Labelled[L]]:
    """Yield what follows in one step with a statement as a premise, or with an equality that it tells."""
    readings: Iterable[Labelled[L]] = ((triple, label),)
    if triple.predicate == OWL_SAME_AS:
        readings = [(triple, label), *((s.triple, s.label) for s in _of_one(view, triple, label))]
    for one, at in readings:
        for trigger in program.triggers(one):
            if trigger.direct is not None:
                left, predicate, right = trigger.direct
                subject = one[left] if isinstance(left, int) else left
                if isinstance(subject, NamedNode):
                    yield Triple(subject, predicate, one[right] if isinstance(right, int) else right), at  # type: ignore[arg-type]
                continue
            head = trigger.rule.head
            for binding, bound, _ in _matches(trigger, view, one, at):
                for found, _, joined in _join(trigger.rest, order, view, binding, bound):
                    conclusion = None if head is None or not holds(trigger.rule.guards, found) else conclude(head, found)
                    if conclusion is not None and joined is not None:
                        yield conclusion, joined


def _of_one(view: Equated[L], equality: Triple, label: L) -> Iterator[Statement[L]]:
    """Yield what is said of the two that an equality makes one, at the labels at which it is seen together with it."""
    found: dict[Triple, list[L]] = {}
    for statement in view.about(equality.subject):  # type: ignore[arg-type]
        if statement.triple.predicate != OWL_SAME_AS:
            for bound in view.joined(statement.label, label):
                view.keep_lowest(found.setdefault(statement.triple, []), bound)
    for triple, labels in found.items():
        yield from (Statement(triple, bound, inferred=True) for bound in labels)


def _matches(
    trigger: Trigger, view: Equated[L], triple: Triple, label: L
) -> Iterator[tuple[Binding, L, tuple[Statement[L], ...]]]:
    """Yield the ways in which a triple stands in a rule's atom, with the label of each and the equalities that it needs."""
    free: Binding = (None,) * trigger.rule.variables
    if view.is_plain or not trigger.asks_for_names:
        binding = bind(trigger.atom, triple, free)
        if binding is not None:
            yield binding, label, ()
        return
    for variant, low, high in view.variants(triple):
        binding = bind(trigger.atom, variant, free)
        if binding is not None:
            for bound in view.joined(label, low, high):
                yield binding, bound, tuple(_equalities(triple, variant, low, high))


def _equalities(triple: Triple, variant: Triple, low: L | None, high: L | None) -> Iterator[Statement[L]]:
    for one, other, label in ((triple.subject, variant.subject, low), (triple.object, variant.object, high)):
        if label is not None:
            yield Statement(Triple(one, OWL_SAME_AS, other), label, inferred=True)  # type: ignore[arg-type]


def _join(
    atoms: tuple[Atom, ...], order: LabelOrder[L], view: Equated[L], binding: Binding, label: L | None
) -> Iterator[tuple[Binding, tuple[Statement[L], ...], L | None]]:
    """Yield every way to match the atoms, with the premises and a minimal upper bound of their labels and ``label``."""
    if not atoms:
        yield binding, (), label
        return
    atom, rest = _next_atom(atoms, binding)
    for statement in view.statements(fill(atom.subject, binding), atom.predicate, fill(atom.object, binding)):
        extended = bind(atom, statement.triple, binding)
        if extended is None:
            continue
        for bound in (statement.label,) if label is None else order.join(label, statement.label):
            for found, premises, joined in _join(rest, order, view, extended, bound):
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


def _over_delete(
    program: Program,
    order: LabelOrder[L],
    source: QuadSource[L],
    seeds: Iterable[Labelled[L]],
    affected: Callable[[L], bool],
) -> tuple[dict[Labelled[L], None], dict[Triple, list[L]]]:
    """Return every inference that some derivation from the seeds reaches, in the source *as it was*, and what may follow anew.

    What may follow anew are the seeds and those inferences, with the labels at which they stood; under all their names, and
    then without labels, where one name may have stood for another.
    """
    as_it_was = Overlay(source)  # for its memory of labels; nothing is changed in it
    view: Equated[L] = Equated(as_it_was, order)
    doomed: dict[Labelled[L], None] = {}
    touched: dict[Triple, list[L]] = {}
    queue = deque(seeds)
    while queue:
        triple, label = queue.popleft()
        if view.is_plain:
            touched.setdefault(triple, []).append(label)
        else:
            touched.update((variant, []) for variant, _, _ in view.variants(triple))
            if triple.predicate == OWL_SAME_AS:
                told = (statement.triple for statement in view.about(triple.subject))  # type: ignore[arg-type]
                touched.update((variant, []) for one in told for variant, _, _ in view.variants(one))
        for conclusion, bound in _consequences(program, order, view, triple, label):
            if not affected(bound):
                continue
            for variant, _, _ in view.variants(conclusion):
                for known, inferred in as_it_was.labels(variant):
                    if inferred and order.leq(bound, known) and (variant, known) not in doomed:
                        doomed[variant, known] = None
                        queue.append((variant, known))
    return doomed, touched
