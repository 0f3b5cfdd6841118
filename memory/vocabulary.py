"""The vocabulary as admission, parsers and answerers ask about it: annotations by property, classes and what they exclude."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from pyoxigraph import NamedNode, Triple

from memory.label import Sensitivity
from ontologies.vocab import (
    IMPERSONAL,
    MUNIMENT,
    NAME,
    NOUN,
    OPPOSES,
    OWL,
    OWL_DATATYPE_PROPERTY,
    OWL_DIFFERENT_FROM,
    OWL_DISJOINT_WITH,
    OWL_MEMBERS,
    OWL_OBJECT_PROPERTY,
    OWL_SAME_AS,
    QUESTION,
    RDF_TYPE,
    RDFS_DOMAIN,
    RDFS_LABEL,
    RDFS_RANGE,
    RDFS_SUBCLASS_OF,
    RDFS_SUBPROPERTY_OF,
    RELATED,
    SENSITIVITY,
    SINGLE_VALUED,
    SKOS,
    TEMPORAL_KIND,
    USUAL_DAYS,
    VERB,
)
from reasoner.tbox import TBox

_EXAMPLE = NamedNode(SKOS + "example")
_OWL_ALL_DISJOINT = NamedNode(OWL + "AllDisjointClasses")


@dataclass(frozen=True, slots=True)
class Property:
    """What is known of a predicate. A predicate without annotations is an internal state with many values."""

    iri: NamedNode
    label: str
    verb: str | None = None
    noun: str | None = None
    single_valued: bool = False
    opposes: NamedNode | None = None
    impersonal: bool = False
    temporal_kind: str = "state"
    sensitivity: Sensitivity = Sensitivity.INTERNAL
    domain: NamedNode | None = None
    range: NamedNode | None = None
    questions: tuple[str, ...] = ()
    example: str = ""
    usual_days: int | None = None
    """How many days such a state usually lasts, where that is known."""


class Vocabulary:
    """An ontology's properties and classes, read once."""

    def __init__(self, ontology: Iterable[Triple]) -> None:
        """Index an ontology's triples."""
        triples = tuple(ontology)
        tbox = TBox.of(triples)
        self.triples = triples
        self.properties: dict[NamedNode, Property] = {}
        for kind in (OWL_OBJECT_PROPERTY, OWL_DATATYPE_PROPERTY):
            for axiom in tbox.instances(kind):
                if isinstance(axiom.subject, NamedNode):
                    self.properties[axiom.subject] = _property(tbox, axiom.subject)
        self.properties[RELATED] = Property(RELATED, "related to", verb="is related to")
        self.properties[RDF_TYPE] = Property(
            RDF_TYPE, "is a", verb="is a", impersonal=True, temporal_kind="trait", sensitivity=Sensitivity.PUBLIC
        )
        self.properties[OWL_SAME_AS] = Property(OWL_SAME_AS, "same as", verb="is the same as", temporal_kind="trait")
        self.properties[OWL_DIFFERENT_FROM] = Property(
            OWL_DIFFERENT_FROM, "different from", verb="is not the same as", temporal_kind="trait"
        )
        self._values = frozenset(axiom.subject for axiom in tbox.instances(OWL_DATATYPE_PROPERTY))
        self.class_labels = _labels(tbox)
        self._above = _ancestors(tbox, RDFS_SUBCLASS_OF)
        self._above_property = _ancestors(tbox, RDFS_SUBPROPERTY_OF)
        self.naming = frozenset({NAME}) | {p for p, above in self._above_property.items() if NAME in above}
        self._disjoint = _disjoint(tbox)
        self._compatible: dict[tuple[frozenset[NamedNode], NamedNode], bool] = {}

    def become(self, ontology: Iterable[Triple]) -> None:
        """Be the vocabulary of another ontology from now on, for whoever holds it."""
        self.__dict__.update(Vocabulary(ontology).__dict__)

    def __getitem__(self, predicate: NamedNode) -> Property:
        """Return what is known of a predicate; a bare entry with its local name for an unknown one."""
        known = self.properties.get(predicate)
        return known or Property(predicate, predicate.value.rsplit("#", 1)[-1].rsplit("/", 1)[-1])

    def __contains__(self, predicate: NamedNode) -> bool:
        """Tell whether the vocabulary has the predicate."""
        return predicate in self.properties

    def takes_values(self, predicate: NamedNode) -> bool:
        """Tell whether the objects of a predicate are values, not things."""
        return predicate in self._values

    def has_one_value(self, predicate: NamedNode) -> bool:
        """Tell whether the property, or one below it, has one value at a time."""
        below = (p for p in self.properties.values() if predicate == p.iri or predicate in self._above_property.get(p.iri, ()))
        return any(p.single_valued for p in below)

    def with_ancestors(self, class_: NamedNode) -> frozenset[NamedNode]:
        """Return a class and everything above it."""
        return self._above.get(class_, frozenset()) | {class_}

    def compatible(self, known: Iterable[NamedNode], wanted: NamedNode | None) -> bool:
        """Tell whether a thing of the known classes may also be of the wanted one."""
        if wanted is None:
            return True
        key = (frozenset(known), wanted)
        if key not in self._compatible:
            upper = self.with_ancestors(wanted)
            lower = frozenset[NamedNode]().union(*map(self.with_ancestors, key[0]))
            self._compatible[key] = not any(
                pair <= upper | lower and not pair <= upper and not pair <= lower for pair in self._disjoint
            )
        return self._compatible[key]

    def clash(self, known: Iterable[NamedNode], wanted: NamedNode) -> tuple[NamedNode, NamedNode] | None:
        """Return a class that a thing of the known classes is of and one that it would be of, which exclude each other."""
        upper = self.with_ancestors(wanted)
        lower = frozenset[NamedNode]().union(*map(self.with_ancestors, known))
        for pair in sorted(self._disjoint, key=lambda pair: sorted(map(str, pair))):
            ours, theirs = pair & lower, pair & (upper - lower)
            if ours and theirs and pair <= upper | lower:
                return min(ours, key=str), min(theirs, key=str)
        return None


def local_name(iri: NamedNode) -> str:
    """Return the short form of a vocabulary IRI, such as ``livesIn``; the whole IRI for a foreign one."""
    return iri.value.removeprefix(MUNIMENT)


def _property(tbox: TBox, iri: NamedNode) -> Property:
    def text(predicate: NamedNode) -> str | None:
        return next((o.value for o in tbox.objects(iri, predicate) if hasattr(o, "value")), None)  # type: ignore[union-attr]

    def named(predicate: NamedNode) -> NamedNode | None:
        return next((o for o in tbox.objects(iri, predicate) if isinstance(o, NamedNode)), None)

    return Property(
        iri,
        text(RDFS_LABEL) or local_name(iri),
        verb=text(VERB),
        noun=text(NOUN),
        single_valued=text(SINGLE_VALUED) == "true",
        opposes=named(OPPOSES),
        impersonal=text(IMPERSONAL) == "true",
        temporal_kind=text(TEMPORAL_KIND) or "state",
        sensitivity=Sensitivity[(text(SENSITIVITY) or "internal").upper()],
        domain=named(RDFS_DOMAIN),
        range=named(RDFS_RANGE),
        example=text(_EXAMPLE) or "",
        usual_days=None if (days := text(USUAL_DAYS)) is None else int(days),
        questions=tuple(o.value for o in tbox.objects(iri, QUESTION) if hasattr(o, "value")),  # type: ignore[union-attr]
    )


def _labels(tbox: TBox) -> dict[NamedNode, str]:
    labels: dict[NamedNode, str] = {}
    for axiom in tbox.instances(NamedNode(OWL + "Class")):
        for label in tbox.objects(axiom.subject, RDFS_LABEL):
            if isinstance(axiom.subject, NamedNode) and hasattr(label, "value"):
                labels[axiom.subject] = label.value  # type: ignore[union-attr]
    return labels


def _ancestors(tbox: TBox, predicate: NamedNode) -> dict[NamedNode, frozenset[NamedNode]]:
    direct: dict[NamedNode, set[NamedNode]] = defaultdict(set)
    for axiom in tbox.axioms(predicate):
        direct[axiom.subject].add(axiom.object)  # type: ignore[index,arg-type]
    above: dict[NamedNode, frozenset[NamedNode]] = {}
    for start in direct:
        found: set[NamedNode] = set()
        agenda = [start]
        while agenda:
            for upper in direct.get(agenda.pop(), ()):
                if upper not in found:
                    found.add(upper)
                    agenda.append(upper)
        above[start] = frozenset(found)
    return above


def _disjoint(tbox: TBox) -> frozenset[frozenset[NamedNode]]:
    pairs = {frozenset((a.subject, a.object)) for a in tbox.axioms(OWL_DISJOINT_WITH)}
    groups = [t.subject for t in tbox.typed(_OWL_ALL_DISJOINT)]
    for group in groups:
        for head in tbox.objects(group, OWL_MEMBERS):
            members = list(tbox.members(head))
            pairs |= {frozenset((a, b)) for i, a in enumerate(members) for b in members[i + 1 :]}
    return frozenset(pairs)  # type: ignore[arg-type]
