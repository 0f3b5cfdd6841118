import pytest
from pyoxigraph import NamedNode, RdfFormat, parse

from gateway.questions import Check, Objects, Questions, Subjects
from memory.label import Sensitivity
from memory.shapes import conforms
from memory.vocabulary import Vocabulary
from ontologies.files import SHAPES, VOCABULARY, vocabulary
from ontologies.vocab import MUNIMENT, RDFS_DOMAIN, RDFS_RANGE, SKOS, term

pytestmark = pytest.mark.requirement("vocabulary")


def test_the_vocabulary_keeps_its_shapes() -> None:
    assert conforms(VOCABULARY.read_bytes(), SHAPES) == ""


@pytest.mark.parametrize(
    "broken",
    [
        ':p a owl:ObjectProperty ; rdfs:label "p" ; :verb "ps" .',
        ':p a owl:ObjectProperty ; rdfs:label "p" ; :verb "ps" ; :noun "p" ; :temporalKind "state" .',
        ':p a owl:ObjectProperty ; rdfs:label "p" ; :verb "ps" ; :temporalKind "forever" .',
        ":C a owl:Class .",
        (
            '<urn:muniment:claim:1> rdf:subject <urn:a> ; rdf:predicate <urn:p> ; :validTime "/.." ;'
            " :evidence <urn:muniment:source:1> ."
        ),
        '<urn:muniment:entity:1> :name "" .',
        '<urn:other:1> :name "Ana" .',
        "<urn:muniment:entity:1> :birthday 5 .",
    ],
)
def test_the_shapes_find_what_is_broken(broken: str) -> None:
    prefixes = (
        f"@prefix : <{MUNIMENT}> . @prefix owl: <http://www.w3.org/2002/07/owl#> ."
        " @prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> ."
    )
    assert conforms((prefixes + broken).encode(), SHAPES)


def test_every_domain_and_range_is_a_class_with_a_label(words: Vocabulary) -> None:
    for triple in vocabulary():
        if triple.predicate in (RDFS_DOMAIN, RDFS_RANGE) and str(triple.object).startswith(f"<{MUNIMENT}"):
            assert triple.object in words.class_labels, triple


def test_it_covers_what_an_assistant_is_told(words: Vocabulary) -> None:
    assert 100 <= len(words.properties) <= 150
    for name in ("sister", "email", "livesIn", "worksAt", "studies", "allergicTo", "likes", "owns", "hasPet", "partOf",
                 "basedIn", "attends", "hasTask", "hasRoutine"):  # fmt: skip
        assert term(name) in words
    mapped = {str(t.object) for t in vocabulary() if t.predicate == NamedNode(SKOS + "closeMatch")}
    for other in ("https://schema.org/", "http://xmlns.com/foaf/0.1/", "http://www.w3.org/ns/prov#", SKOS):
        assert any(iri.startswith(f"<{other}") for iri in mapped), other


@pytest.mark.requirement("sensitivity")
def test_health_is_sensitive_and_credentials_are_secret(words: Vocabulary) -> None:
    for name in ("allergicTo", "hasCondition", "takesMedication", "treatedBy", "followsDiet", "bloodType"):
        assert words[term(name)].sensitivity is Sensitivity.SENSITIVE
    for name in ("password", "pin", "identityNumber", "bankAccount"):
        assert words[term(name)].sensitivity is Sensitivity.SECRET


def test_admission_annotations_are_read(words: Vocabulary) -> None:
    lives, likes = words[term("livesIn")], words[term("likes")]
    assert (lives.single_valued, lives.temporal_kind, lives.impersonal) == (True, "state", False)
    assert (likes.opposes, words[term("dislikes")].opposes) == (term("dislikes"), term("likes"))
    assert words[term("partOf")].impersonal
    assert words[term("visited")].temporal_kind == "event"
    unknown = words[NamedNode("https://example.org/vocab/knits")]
    assert (unknown.label, unknown.sensitivity, unknown.single_valued) == ("knits", Sensitivity.INTERNAL, False)
    assert term("nickname") in words.naming


def test_classes_exclude_each_other_as_the_axioms_say(words: Vocabulary) -> None:
    assert words.compatible([term("Woman")], term("Person"))
    assert words.compatible([], term("Place"))
    assert words.compatible([term("Person")], None)
    assert not words.compatible([term("Woman")], term("Place"))
    assert not words.compatible([term("City")], term("Country"))
    assert not words.compatible([term("Man")], term("Woman"))


def test_every_question_of_the_vocabulary_is_understood_as_its_property(words: Vocabulary) -> None:
    questions = Questions(words)
    for property_ in words.properties.values():
        for form in property_.questions:
            text, _, wanted = form.partition("@")
            query = questions.read(text.replace("{s}", "Mara").replace("{o}", "Lyon") + "?")
            assert isinstance(query, Objects | Subjects | Check), form
            assert query.predicate == property_.iri, form
            if wanted:
                assert isinstance(query, Objects)
                assert query.wanted == term(wanted)


def test_the_files_are_turtle() -> None:
    assert list(parse(path=str(SHAPES), format=RdfFormat.TURTLE))
