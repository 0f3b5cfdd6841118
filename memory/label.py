"""Security labels, their order, and the graph names that carry them.

A label is space x sensitivity x integrity. Spaces are ordered worldview < a team < its members, so the order depends on who
is in which team and is a value of its own, ``Spaces``. What a reader may see is a ``Clearance``: all labels below one.
"""

import itertools
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum, StrEnum
from functools import lru_cache
from typing import NamedTuple

from pyoxigraph import NamedNode

from memory.errors import IncorrectLabelError


class Sensitivity(IntEnum):
    """How far a thing may travel; a model or a channel declares up to which it may see."""

    PUBLIC = 0
    INTERNAL = 1
    SENSITIVE = 2
    SECRET = 3

    __hash__ = int.__hash__


class Integrity(IntEnum):
    """Whether somebody who may be believed said it."""

    TRUSTED = 0
    QUARANTINED = 1

    __hash__ = int.__hash__


class Layer(StrEnum):
    """The kinds of labelled graph."""

    FACTS = "facts"
    INFERRED = "inferred"
    CLAIMS = "claims"


class Space(NamedTuple):
    """Whose memory: ``worldview``, ``team`` or ``user``; the latter two with a UUID in its lower-case form."""

    kind: str
    id: str = ""

    def __str__(self) -> str:
        """Return the form used in graph names: ``worldview``, ``team:<uuid>`` or ``user:<uuid>``."""
        return f"{self.kind}:{self.id}" if self.id else self.kind


WORLDVIEW = Space("worldview")


def user(person: str) -> Space:
    """Return the space of a person."""
    return Space("user", person)


def team(id_: str) -> Space:
    """Return the space of a team."""
    return Space("team", id_)


class Label(NamedTuple):
    """Space, sensitivity and integrity of a claim, a source, a fact or an inference."""

    space: Space
    sensitivity: Sensitivity = Sensitivity.INTERNAL
    integrity: Integrity = Integrity.TRUSTED

    def __str__(self) -> str:
        """Return ``<space>:<sensitivity>[:quarantined]``."""
        return _write_label(self)


_UUID = r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"
_LABEL = re.compile(
    rf"(?:(?P<world>worldview)|(?P<kind>team|user):(?P<id>{_UUID}))"
    r":(?P<sensitivity>public|internal|sensitive|secret)(?P<quarantined>:quarantined)?"
)
_SPACE = re.compile(rf"worldview|(?:team|user):{_UUID}")
_GRAPH = re.compile(r"urn:muniment:(?P<layer>facts|inferred|claims):(?P<label>.+)", re.DOTALL)


def parse_space(text: str) -> Space:
    """Return the space written as ``text``; raise ``IncorrectLabelError`` for anything else."""
    if not _SPACE.fullmatch(text):
        message = f"not a space: {text!r}"
        raise IncorrectLabelError(message)
    return Space(*text.split(":"))


@lru_cache(maxsize=65_536)
def _write_label(label: Label) -> str:
    quarantined = ":quarantined" if label.integrity else ""
    return f"{label.space}:{label.sensitivity.name.lower()}{quarantined}"


@lru_cache(maxsize=65_536)
def parse_label(text: str) -> Label:
    """Return the label written as ``text``; raise ``IncorrectLabelError`` for anything else."""
    found = _LABEL.fullmatch(text)
    if not found:
        message = f"not a label: {text!r}"
        raise IncorrectLabelError(message)
    space = WORLDVIEW if found["world"] else Space(found["kind"], found["id"])
    integrity = Integrity.QUARANTINED if found["quarantined"] else Integrity.TRUSTED
    return Label(space, Sensitivity[found["sensitivity"].upper()], integrity)


@lru_cache(maxsize=65_536)
def graph_name(layer: Layer, label: Label) -> NamedNode:
    """Return the name of the graph that holds a layer of a label."""
    return NamedNode(f"urn:muniment:{layer.value}:{label}")


def parse_graph_name(name: NamedNode) -> tuple[Layer, Label] | None:
    """Return layer and label of a graph name; ``None`` for a graph that carries no label, such as ``meta``."""
    found = _GRAPH.fullmatch(name.value)
    if not found:
        return None
    try:
        return Layer(found["layer"]), parse_label(found["label"])
    except IncorrectLabelError:
        return None


@dataclass(frozen=True, slots=True)
class Clearance:
    """The labels that a reader may see in a conversation: everything at or below ``top``."""

    top: Label
    labels: frozenset[Label]

    def __contains__(self, label: Label) -> bool:
        """Tell whether the reader may see a label."""
        return label in self.labels

    def graphs(self, *layers: Layer) -> list[NamedNode]:
        """Return the names of the graphs that hold layers of what the reader may see."""
        return [graph_name(layer, label) for layer in layers for label in sorted(self.labels)]

    def strings(self) -> list[str]:
        """Return the labels in writing, sorted."""
        return sorted(map(str, self.labels))


@dataclass(frozen=True)
class Spaces:
    """Who is in which team, and the order of labels that follows from it; a ``LabelOrder`` for the reasoner."""

    members: Mapping[str, frozenset[str]] = field(default_factory=dict[str, frozenset[str]])
    _joins: dict[tuple[Space, Space], tuple[Space, ...]] = field(
        default_factory=dict[tuple[Space, Space], tuple[Space, ...]], compare=False, repr=False
    )
    _clearances: dict[Label, Clearance] = field(default_factory=dict[Label, Clearance], compare=False, repr=False)

    def below(self, lower: Space, upper: Space) -> bool:
        """Tell whether whoever sees ``upper`` sees ``lower``."""
        if lower == upper or lower.kind == "worldview":
            return True
        return lower.kind == "team" and upper.kind == "user" and upper.id in self.members.get(lower.id, ())

    def leq(self, lower: Label, upper: Label, /) -> bool:
        """Tell whether whoever sees ``upper`` sees ``lower``."""
        return (
            lower.sensitivity <= upper.sensitivity and lower.integrity <= upper.integrity and self.below(lower.space, upper.space)
        )

    def join(self, left: Label, right: Label, /) -> Sequence[Label]:
        """Return the minimal labels above both; none where nobody may see both.

        Two teams have one such label for each person who is in both.
        """
        if left == right:
            return (left,)
        sensitivity = max(left.sensitivity, right.sensitivity)
        integrity = max(left.integrity, right.integrity)
        return tuple(Label(space, sensitivity, integrity) for space in self.join_spaces(left.space, right.space))

    def join_spaces(self, left: Space, right: Space) -> tuple[Space, ...]:
        """Return the minimal spaces above both."""
        if self.below(left, right):
            return (right,)
        if self.below(right, left):
            return (left,)
        known = self._joins.get((left, right))
        if known is None:
            both = self.members.get(left.id, frozenset[str]()) & self.members.get(right.id, frozenset[str]())
            shared = both if left.kind == right.kind == "team" else ()
            known = self._joins[left, right] = tuple(user(person) for person in sorted(shared))
        return known

    def clearance(
        self,
        space: Space,
        sensitivity: Sensitivity = Sensitivity.SECRET,
        integrity: Integrity = Integrity.TRUSTED,
    ) -> Clearance:
        """Return everything at or below a label: for a person their teams and the worldview too."""
        top = Label(space, sensitivity, integrity)
        known = self._clearances.get(top)
        if known is None:
            known = self._clearances[top] = self._below(top)
        return known

    def _below(self, top: Label) -> Clearance:
        space, sensitivity, integrity = top
        below = [WORLDVIEW, space]
        if space.kind == "user":
            below += [team(id_) for id_, people in self.members.items() if space.id in people]
        labels = frozenset(
            Label(s, Sensitivity(level), Integrity(taint))
            for s, level, taint in itertools.product(below, range(sensitivity + 1), range(integrity + 1))
        )
        return Clearance(top, labels)

    def members_of(self, space: Space) -> frozenset[str]:
        """Return the people of a team, or the one person whose space it is; nobody for the worldview."""
        return self.members.get(space.id, frozenset()) if space.kind == "team" else frozenset({space.id} - {""})

    def with_member(self, team_id: str, person: str, *, present: bool) -> "Spaces":
        """Return the order after a person joined or left a team."""
        people = self.members.get(team_id, frozenset())
        people = people | {person} if present else people - {person}
        return Spaces({**self.members, team_id: people})
