"""Merging two entities that are one, and taking a merge back; inside the writer's transaction.

A merge closes the live versions that speak of one entity and opens the same ones about the other, so it rewinds on the
transaction clock by itself. Taking it back writes each moved claim again about the entity it was about, as it stands now.
Only claims of spaces that the approver decides about move. No ``owl:sameAs`` is stated: that is for identity across spaces, and
would equate what others say of either.
"""

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass

from pyoxigraph import NamedNode

from memory.claim import Term
from memory.errors import IncorrectChoiceError, NotYoursError, UnknownThingError
from memory.forget import Approver, decides
from memory.ids import ENTITY
from memory.label import Clearance, Integrity, Spaces, user
from memory.read import Reads
from memory.refusal import Subject
from memory.remember import Rememberer
from memory.rows import Standing
from memory.tables import Row
from ontologies.vocab import OWL_SAME_AS

MERGED, UNMERGED = "merged", "unmerged"


@dataclass(frozen=True, slots=True)
class Moving:
    """What a merge would do: which entity stays, which goes, and the claims that move."""

    kept: NamedNode
    gone: NamedNode
    claims: tuple[Standing, ...]

    @property
    def digest(self) -> str:
        """A digest of what was shown, over ids alone."""
        shown = [self.kept.value, self.gone.value, sorted(standing.claim.version for standing in self.claims)]
        return hashlib.sha256(json.dumps(shown).encode()).hexdigest()


def moving(reads: Reads, order: Spaces, first: NamedNode, second: NamedNode, approver: Approver) -> Moving:
    """Return what merging two entities would do; what others decide about must not have to move.

    Raises ``UnknownThingError`` where one of them is nothing to the approver, and ``NotYoursError`` where both are spoken of
    in spaces that are not the approver's to decide about.
    """
    seen = order.clearance(user(approver.person), integrity=Integrity.QUARANTINED)
    about = {thing: [s for s in reads.standing(seen, thing=thing) if s.table != "closed_claim"] for thing in (first, second)}
    if first == second or not all(about.values()):
        message = "There are no two things there to merge. Nothing was changed."
        raise UnknownThingError(message)

    def is_fixed(thing: NamedNode) -> bool:
        """Tell whether a thing cannot go: it is somebody's own entity, or others decide about what is said of it."""
        others = any(not decides(order, approver, standing.claim.label.space) for standing in about[thing])
        return others or reads.speaks(thing.value.removeprefix(ENTITY))

    kept, gone = sorted((first, second), key=lambda thing: (not is_fixed(thing), thing.value))
    if is_fixed(gone):
        message = "Others speak of both, so they are not yours to merge. Nothing was changed; ask the owner."
        raise NotYoursError(message)
    if any({s.claim.subject, s.claim.object} == {kept, gone} and s.claim.predicate == OWL_SAME_AS for s in about[gone]):
        message = (
            "They are said to be the same, so what is said of one is answered of the other. Nothing was changed; take that"
            " statement back first if their statements are to move."
        )
        raise IncorrectChoiceError(message)
    if any({s.claim.subject, s.claim.object} == {kept, gone} for s in about[gone]):
        message = "One of them is said to stand to the other, so they are two. Nothing was changed; take that back first."
        raise IncorrectChoiceError(message)
    return Moving(kept, gone, tuple(about[gone]))


def merge(rememberer: Rememberer, plan: Moving, id_: str, approver: Approver) -> None:
    """Let every claim about the entity that goes be one about the entity that stays."""
    values = {"id": id_, "person": approver.person, "kept": plan.kept.value, "gone": plan.gone.value}
    rememberer.transaction.insert(Row("merge", values))
    _refuse_return(rememberer, plan, approver)
    for standing in plan.claims:
        _move(rememberer, standing, MERGED, {str(plan.gone): str(plan.kept)})


def _refuse_return(rememberer: Rememberer, plan: Moving, approver: Approver) -> None:
    """Raise ``IncorrectChoiceError`` where a claim that moves would say of the other what was refused of it."""
    seen = rememberer.order.clearance(user(approver.person), integrity=Integrity.QUARANTINED)
    both = tuple(dict.fromkeys([*rememberer.keys_of(seen, plan.kept), *rememberer.keys_of(seen, plan.gone)]))

    def keys(term: Term) -> tuple[str, ...]:
        return both if term in (plan.kept, plan.gone) else rememberer.keys_of(seen, term)

    kept = [s for s in rememberer.reads.standing(seen, thing=plan.kept) if s.table != "closed_claim"]
    for standing in (*plan.claims, *kept):
        claim = standing.claim
        about = Subject(keys(claim.subject), claim.predicate, keys(claim.object))
        if rememberer.refusals.find((claim.label.space,), about) is not None:
            message = (
                "That would bring back what was refused of one of them. Nothing was changed; take that statement back first."
            )
            raise IncorrectChoiceError(message)


def unmerge(rememberer: Rememberer, id_: str, approver: Approver) -> int:
    """Let what a merge had moved be about its own entity again; return how many claims that were.

    Raises ``UnknownThingError`` where there is no such merge of the approver's, or it was taken back.
    """
    execute = rememberer.transaction.execute
    row = execute(
        "SELECT m.entry, m.kept, m.gone FROM merge m WHERE m.id = ? AND m.person = ?"
        " AND NOT EXISTS (SELECT 1 FROM unmerged u WHERE u.merge = m.id)",
        (id_, approver.person),
    ).fetchone()
    if row is None:
        message = "There is no such merge of yours to take back. Nothing was changed."
        raise UnknownThingError(message)
    entry, kept, gone = row
    seen = rememberer.order.clearance(user(approver.person), integrity=Integrity.QUARANTINED)
    rememberer.transaction.insert(Row("unmerged", {"merge": id_}))
    moved = 0
    for was, now in _moved(rememberer.reads, seen, NamedNode(gone), entry):
        pairs = {"subject": (was.claim.subject, now.claim.subject), "object": (was.claim.object, now.claim.object)}
        back = frozenset(column for column, (before, _) in pairs.items() if before == NamedNode(gone))
        if not decides(rememberer.order, approver, now.claim.label.space):
            message = "Some of it is no longer yours to decide about. Nothing was changed; ask the owner."
            raise NotYoursError(message)
        if any(pairs[column][1] != NamedNode(kept) for column in back):
            message = "A later merge has moved that on. Nothing was changed; take the later one back first."
            raise IncorrectChoiceError(message)
        _move(rememberer, now, UNMERGED, {f"<{kept}>": f"<{gone}>"}, only=back)
        moved += 1
    return moved


def _moved(reads: Reads, seen: Clearance, gone: NamedNode, entry: int) -> Iterator[tuple[Standing, Standing]]:
    """Yield the versions that a merge closed, each with the version of its claim that stands now."""
    for was in reads.closed_about(gone, entry):
        now = [s for s in reads.standing(seen, claims=[was.claim.id]) if s.table != "closed_claim"]
        if now:
            yield was, now[0]


def _move(
    rememberer: Rememberer,
    standing: Standing,
    reason: str,
    names: dict[str, str],
    only: frozenset[str] = frozenset({"subject", "object"}),
) -> None:
    row = rememberer.row(standing.claim.version, standing.table)
    rememberer.close(standing.claim.version, reason, standing.table)
    moved = {column: names.get(str(row[column]), row[column]) for column in only}
    rememberer.reopen(standing.table, {**row, **moved})
