"""Mention -> entity. Names are facts, so a name resolves within what the speaker may see in this conversation.

A name is matched by its exact key. Of several bearers of the right class the one whose name is already known at the target
label is taken, then the earliest; telling them apart is left to a person.
"""

from dataclasses import dataclass

from pyoxigraph import NamedNode

from memory.claim import Mention
from memory.ids import ENTITY, Ids
from memory.label import Clearance, Label, Spaces
from memory.read import Reads
from memory.rows import Named
from memory.text import name_key
from memory.vocabulary import Vocabulary


@dataclass(frozen=True, slots=True)
class Resolved:
    """An entity, and the claim of the target's own space that names it so; ``None`` where one has still to be made.

    A name in a wider circle is not enough: what is said here would be evidence there that nobody there can see.
    """

    entity: NamedNode
    naming: str | None


@dataclass(frozen=True, slots=True)
class Resolver:
    """What resolving needs: who may see what, the names, and ids for new entities."""

    reads: Reads
    order: Spaces
    vocabulary: Vocabulary
    ids: Ids

    def resolve(self, mention: Mention, wanted: NamedNode | None, clearance: Clearance, target: Label) -> Resolved:
        """Return the entity that a mention means for a speaker; a new one where none of the right class bears the name."""
        bearers = [
            bearer
            for bearer in self.reads.named(clearance, name_key(mention.text))
            if self.vocabulary.compatible(self.reads.types(clearance, bearer.entity), wanted)
        ]
        if not bearers:
            return Resolved(NamedNode(ENTITY + self.ids()), None)

        def is_here(bearer: Named) -> bool:
            return bearer.label.space == target.space and self.order.leq(bearer.label, target)

        best = min(bearers, key=lambda b: (not is_here(b), not self.order.leq(b.label, target), b.entity.value))
        return Resolved(best.entity, best.claim if is_here(best) else None)


def person(id_: str) -> NamedNode:
    """Return the entity of a person."""
    return NamedNode(ENTITY + id_)
