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
from memory.text import name_key
from memory.vocabulary import Vocabulary


@dataclass(frozen=True, slots=True)
class Resolved:
    """An entity, and whether its name still has to be stated under the target label."""

    entity: NamedNode
    unnamed: bool


@dataclass(frozen=True, slots=True)
class Resolver:
    """What resolving needs: who may see what, the names, and ids for new entities."""

    reads: Reads
    order: Spaces
    vocabulary: Vocabulary
    ids: Ids

    def resolve(self, mention: Mention, wanted: NamedNode | None, clearance: Clearance, target: Label) -> Resolved:
        """Return the entity that a mention means for a speaker; a new one where none of the right class bears the name."""
        best: tuple[bool, str] | None = None
        for entity, label in self.reads.named(clearance, name_key(mention.text)):
            if self.vocabulary.compatible(self.reads.types(clearance, entity), wanted):
                found = (not self.order.leq(label, target), entity.value)
                best = found if best is None else min(best, found)
        if best is None:
            return Resolved(NamedNode(ENTITY + self.ids()), unnamed=True)
        return Resolved(NamedNode(best[1]), unnamed=best[0])


def person(id_: str) -> NamedNode:
    """Return the entity of a person."""
    return NamedNode(ENTITY + id_)
