"""What a reader may see as one RDF dataset: facts and inferences in their graphs, and every claim version with its provenance.

Each version is a ``prov:Entity`` with its triple, its valid time as EDTF, when it was believed, who said it, and the sources
that it was derived from; a source is a ``prov:Entity`` with its words. https://www.w3.org/TR/prov-o/
"""

from collections.abc import Iterator

from pyoxigraph import Literal, NamedNode, Quad

from memory import axes
from memory.entities import person
from memory.ids import CLAIM, SOURCE, Instant, to_datetime
from memory.label import Clearance, Label, Layer, graph_name
from memory.read import Reads
from memory.rows import Version
from ontologies.vocab import MUNIMENT, PROV, RDF_OBJECT, RDF_PREDICATE, RDF_SUBJECT, RDF_TYPE, VALID_TIME, XSD

VERSION = "urn:muniment:version:"

_ENTITY, _AGENT = NamedNode(PROV + "Entity"), NamedNode(PROV + "Agent")
_VALUE = NamedNode(PROV + "value")
_GENERATED, _INVALIDATED = NamedNode(PROV + "generatedAtTime"), NamedNode(PROV + "invalidatedAtTime")
_ATTRIBUTED, _DERIVED = NamedNode(PROV + "wasAttributedTo"), NamedNode(PROV + "wasDerivedFrom")
_REVISION, _SPECIALIZATION = NamedNode(PROV + "wasRevisionOf"), NamedNode(PROV + "specializationOf")
_DATE_TIME = NamedNode(XSD + "dateTime")


def provenance(reads: Reads, clearance: Clearance) -> Iterator[Quad]:
    """Yield the quads of every claim version and source that the reader may see, each in the claims graph of its label."""
    latest: dict[str, str] = {}
    for version in reads.versions(clearance):
        yield from _version(reads, clearance, version, latest.get(version.claim.id))
        latest[version.claim.id] = version.claim.version
    for source, label in reads.sources(clearance):
        node, graph = NamedNode(SOURCE + source.id), graph_name(Layer.CLAIMS, label)
        yield Quad(node, RDF_TYPE, _ENTITY, graph)
        yield Quad(node, _VALUE, Literal(source.body), graph)
        yield Quad(node, _GENERATED, _time(source.said_at), graph)
        if source.speaker:
            yield Quad(node, _ATTRIBUTED, person(source.speaker), graph)
            yield Quad(person(source.speaker), RDF_TYPE, _AGENT, graph)


def _version(reads: Reads, clearance: Clearance, version: Version, before: str | None) -> Iterator[Quad]:
    claim = version.claim
    node, graph = NamedNode(VERSION + claim.version), _graph(claim.label)
    yield Quad(node, RDF_TYPE, _ENTITY, graph)
    yield Quad(node, _SPECIALIZATION, NamedNode(CLAIM + claim.id), graph)
    yield Quad(node, RDF_SUBJECT, claim.subject, graph)
    yield Quad(node, RDF_PREDICATE, claim.predicate, graph)
    yield Quad(node, RDF_OBJECT, claim.object, graph)
    yield Quad(node, VALID_TIME, Literal(axes.edtf(claim.validity)), graph)
    yield Quad(node, _GENERATED, _time(claim.transaction_from), graph)
    yield Quad(node, _ATTRIBUTED, person(claim.speaker), graph)
    if version.negative:
        yield Quad(node, NamedNode(MUNIMENT + "denied"), Literal("true", datatype=NamedNode(XSD + "boolean")), graph)
    if version.transaction_to is not None:
        yield Quad(node, _INVALIDATED, _time(version.transaction_to), graph)
    if before is not None:
        yield Quad(node, _REVISION, NamedNode(VERSION + before), graph)
    for evidence in reads.evidence(clearance, claim.id):
        yield Quad(node, _DERIVED, NamedNode(SOURCE + evidence.source), graph)


def _graph(label: Label) -> NamedNode:
    return graph_name(Layer.CLAIMS, label)


def _time(instant: Instant) -> Literal:
    return Literal(to_datetime(instant).isoformat().replace("+00:00", "Z"), datatype=_DATE_TIME)
