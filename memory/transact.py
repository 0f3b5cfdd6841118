"""Decisions -> exact rows and quads. Pure: ids and instants are arguments."""

from collections.abc import Sequence
from dataclasses import dataclass

from pyoxigraph import Literal, NamedNode, Quad, Triple

from memory import axes
from memory.claim import Claim, Proposal, Source, Span, Validity
from memory.ids import CLAIM, SOURCE, Instant
from memory.label import Label, Layer, graph_name
from memory.tables import Row
from memory.text import name_key
from ontologies.vocab import EVIDENCE, RDF_OBJECT, RDF_PREDICATE, RDF_SUBJECT, VALID_TIME


@dataclass(frozen=True, slots=True)
class Fact:
    """A triple under a label, as projected."""

    triple: Triple
    label: Label


def new_claim(table: str, proposal: Proposal, version: str, claim: str, at: Instant, source: str, *, naming: bool) -> Row:
    """Return the row of a claim's first version."""
    return Row(
        table,
        {
            "version": version,
            "claim": claim,
            "source": source,
            "label": str(proposal.label),
            "subject": str(proposal.subject),
            "predicate": str(proposal.predicate),
            "object": str(proposal.object),
            "name_key": name_key(proposal.object.value) if naming else None,
            **bounds(proposal.validity),
            "speaker": proposal.speaker,
            "wording": proposal.candidate.wording,
            "transaction_from": at,
        },
    )


def next_version(row: dict[str, str | int | None], version: str, validity: Validity, at: Instant) -> Row:
    """Return a claim's row again as a new version with another valid time."""
    kept = {name: value for name, value in row.items() if name != "entry"}
    return Row("live_claim", {**kept, "version": version, **bounds(validity), "transaction_from": at})


def source_row(source: Source) -> Row:
    """Return the row of a source."""
    values = {
        "id": source.id,
        "conversation": source.conversation,
        "space": str(source.space),
        "kind": source.kind.value,
        "speaker": source.speaker,
        "said_at": source.said_at,
        "zone": source.zone,
        "body": source.body,
    }
    return Row("source", values)


def evidence(claim: str, source: str, span: Span, wording: str) -> Row:
    """Return the row of a piece of evidence."""
    values = {"claim": claim, "source": source, "span_start": span.start, "span_end": span.end, "wording": wording}
    return Row("evidence", values)


def bounds(validity: Validity) -> dict[str, Instant | str | None]:
    """Return the columns of a valid time."""
    return {
        "from_earliest": validity.from_earliest,
        "from_latest": validity.from_latest,
        "to_earliest": validity.to_earliest,
        "to_latest": validity.to_latest,
        "known_from": validity.known_from,
        "valid_zone": validity.zone,
    }


def claim_quads(claim: Claim, source: str) -> tuple[Quad, ...]:
    """Return the five quads of a live claim: a plain RDF 1.1 node that RDF 1.1 tools can read."""
    node, graph = NamedNode(CLAIM + claim.id), graph_name(Layer.CLAIMS, claim.label)
    return (
        Quad(node, RDF_SUBJECT, claim.subject, graph),
        Quad(node, RDF_PREDICATE, claim.predicate, graph),
        Quad(node, RDF_OBJECT, claim.object, graph),
        Quad(node, VALID_TIME, Literal(axes.edtf(claim.validity)), graph),
        Quad(node, EVIDENCE, NamedNode(SOURCE + source), graph),
    )


def fact_of(claim: Claim) -> Fact:
    """Return the triple that a claim projects while it holds."""
    return Fact(Triple(claim.subject, claim.predicate, claim.object), claim.label)


def quad_of(fact: Fact, layer: Layer) -> Quad:
    """Return a labelled triple as a quad of its graph."""
    return Quad(*fact.triple, graph_name(layer, fact.label))  # type: ignore[arg-type]


def net(steps: Sequence[tuple[Sequence[Quad], Sequence[Quad]]]) -> tuple[list[Quad], list[Quad]]:
    """Return the quads to remove and to add that have the effect of the steps, each (removed, added), in order."""
    last: dict[Quad, bool] = {}
    for removed, added in steps:
        last.update(dict.fromkeys(removed, False))
        last.update(dict.fromkeys(added, True))
    return [quad for quad, stays in last.items() if not stays], [quad for quad, stays in last.items() if stays]
