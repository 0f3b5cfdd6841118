"""The admission table, row by row."""

from dataclasses import replace

import pytest
from pyoxigraph import Literal, NamedNode, Triple

from memory import admit as admission
from memory.admit import Admit, Assert, Audience, Correct, Corroborate, Deny, Hold, Refuse, View
from memory.claim import (
    Act,
    Candidate,
    Claim,
    Mark,
    Mention,
    Polarity,
    Proposal,
    Rule,
    Source,
    SourceKind,
    Span,
    Speaker,
    Validity,
    Value,
)
from memory.label import WORLDVIEW, Integrity, Label, Sensitivity, team, user
from memory.vocabulary import Vocabulary
from ontologies.vocab import RELATED, term
from tests.conftest import ANN, BOB, MINUTE, START

TEXT = "I live in Oslo"
OSLO, LIMA, ME = NamedNode("urn:e:oslo"), NamedNode("urn:e:lima"), NamedNode("urn:e:me")
MINE = Label(user(ANN))


def candidate(**changes: object) -> Candidate:
    made = Candidate(Speaker(), term("livesIn"), Mention("Oslo", Span(10, 14)), Span(0, 14), "live in")
    return replace(made, **changes)  # type: ignore[arg-type]


def proposal(object_: NamedNode = OSLO, predicate: str = "livesIn", said_at: int = START, speaker: str = ANN,
             label: Label = MINE, **changes: object) -> Proposal:  # fmt: skip
    iri = RELATED if predicate == "related" else term(predicate)
    return Proposal(candidate(predicate=iri, **changes), ME, iri, object_, label, Validity(), speaker, said_at)


def claim(object_: NamedNode = OSLO, predicate: str = "livesIn", said_at: int = START - MINUTE, speaker: str = ANN,
          label: Label = MINE, validity: Validity | None = None) -> Claim:  # fmt: skip
    known = validity or Validity(None, said_at)
    return Claim("v1", "c1", ME, term(predicate), object_, label, known, speaker, "w", said_at, 1, said_at)


def view(words: Vocabulary, *believed: Claim, denied: tuple[Claim, ...] = (), **rest: object) -> View:
    return replace(View(words, believed, denied, now=START), **rest)  # type: ignore[arg-type]


def source(kind: SourceKind = SourceKind.MESSAGE, speaker: str = ANN, body: str = TEXT) -> Source:
    return Source("s", "dm", user(ANN), kind, speaker, START, "UTC", body)


@pytest.mark.requirement("row-1")
@pytest.mark.parametrize("act", [act for act in Act if act is not Act.STATEMENT])
def test_what_states_nothing_admits_nothing(act: Act) -> None:
    assert admission.screen(candidate(act=act), TEXT, speaker=ANN) == Refuse(Rule.NOT_STATED, f"not a statement: {act.value}")


@pytest.mark.requirement("row-2", "I1")
@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"span": Span(0, 0)}, "no source span"),
        ({"span": Span(-1, 3)}, "no source span"),
        ({"span": Span(0, 99)}, "no source span"),
        ({"object": Mention("Oslo", Span(10, 10))}, "not named in the span"),
        ({"span": Span(0, 6)}, "not named in the span"),
        ({"object": Mention("Lima", Span(10, 14))}, "not the words of the span"),
        ({"subject": Mention("Mara", Span(0, 4))}, "not the words of the span"),
        ({"object": Value(Literal("Oslo"), Span(20, 24))}, "not named in the span"),
    ],
)
def test_what_the_span_does_not_support_is_refused(changes: dict[str, object], reason: str) -> None:
    assert admission.screen(candidate(**changes), TEXT, speaker=ANN) == Refuse(Rule.UNSUPPORTED, reason)


@pytest.mark.requirement("row-2")
def test_what_is_half_understood_is_asked_back_and_what_is_supported_goes_on() -> None:
    assert isinstance(admission.screen(candidate(sure=False), TEXT, speaker=ANN), Hold)
    assert admission.screen(candidate(), TEXT, speaker=ANN) is None
    assert admission.screen(candidate(), TEXT, speaker="") == Refuse(Rule.UNSUPPORTED, "nobody known says it")


@pytest.mark.requirement("row-11")
def test_a_value_refused_before_waits_for_the_person_and_is_refused_to_others(words: Vocabulary) -> None:
    refused = view(words, refusal="you said no in May")
    assert isinstance(admission.admit(proposal(), refused), Hold)
    tool = Label(user(ANN), integrity=Integrity.QUARANTINED)
    decision = admission.admit(proposal(label=tool), refused)
    assert decision == Refuse(Rule.REFUSED_BEFORE, "refused before: you said no in May")


@pytest.mark.requirement("row-4", "I8")
@pytest.mark.parametrize("kind", [SourceKind.DOCUMENT, SourceKind.FORWARD, SourceKind.TOOL, SourceKind.ASSISTANT])
def test_what_no_person_said_here_is_quarantined_and_replaces_nothing(kind: SourceKind, words: Vocabulary) -> None:
    label = admission.route(candidate(), Audience(source(kind), is_owner=True), words)
    assert label == Label(user(ANN), Sensitivity.INTERNAL, Integrity.QUARANTINED)
    assert admission.admit(proposal(LIMA, label=label), view(words, claim())) == Admit(
        Rule.NOT_BY_A_PERSON, (Assert(),), "not said by a person here: quarantined"
    )
    assert admission.route(candidate(), Audience(source(speaker="")), words).integrity is Integrity.QUARANTINED


@pytest.mark.requirement("row-5")
def test_no_longer_ends_what_matches_and_only_that(words: Vocabulary) -> None:
    decision = admission.admit(proposal(polarity=Polarity.ENDED), view(words, claim(), claim(LIMA)))
    assert isinstance(decision, Admit)
    (effect,) = decision.effects
    assert isinstance(effect, Correct)
    assert effect.claim.object == OSLO
    assert (effect.validity.to_earliest, effect.validity.to_latest) == (START - MINUTE, START)


@pytest.mark.requirement("row-4", "row-5", "I8")
def test_what_no_person_said_here_ends_nothing_trusted(words: Vocabulary) -> None:
    label = Label(user(ANN), integrity=Integrity.QUARANTINED)
    decision = admission.admit(proposal(polarity=Polarity.ENDED, label=label), view(words, claim()))
    assert decision == Admit(Rule.ENDED, (Deny(),), "nothing to end: kept as a negative")


@pytest.mark.requirement("row-8")
def test_an_older_message_ends_no_newer_claim(words: Vocabulary) -> None:
    late = proposal(polarity=Polarity.ENDED, said_at=START - 2 * MINUTE)
    assert isinstance(admission.admit(late, view(words, claim())), Hold)


@pytest.mark.requirement("row-5")
def test_with_nothing_to_end_it_is_a_negative_claim_and_the_same_again_more_evidence(words: Vocabulary) -> None:
    decision = admission.admit(proposal(polarity=Polarity.NEGATED), view(words))
    assert decision == Admit(Rule.ENDED, (Deny(),), "nothing to end: kept as a negative")
    again = admission.admit(proposal(polarity=Polarity.NEGATED), view(words, denied=(claim(),)))
    assert again == Admit(Rule.KNOWN, (Corroborate(claim()),), "already denied: more evidence")


@pytest.mark.requirement("row-6")
def test_the_same_again_is_more_evidence(words: Vocabulary) -> None:
    assert admission.admit(proposal(), view(words, claim())) == Admit(
        Rule.KNOWN, (Corroborate(claim()),), "already believed: more evidence"
    )


@pytest.mark.requirement("row-6")
def test_what_ended_and_holds_again_is_a_new_claim_unless_the_message_is_older(words: Vocabulary) -> None:
    ended = claim(validity=Validity(None, START - 9 * MINUTE, START - 5 * MINUTE, START - 4 * MINUTE))
    assert admission.admit(proposal(), view(words, ended)) == Admit(Rule.NEW, (Assert(),), "new")
    older = admission.admit(proposal(said_at=START - 8 * MINUTE), view(words, ended))
    assert isinstance(older, Admit)
    assert older.effects == (Corroborate(ended),)


@pytest.mark.requirement("row-7")
def test_a_newer_value_by_the_same_speaker_supersedes_with_an_end_between_the_two(words: Vocabulary) -> None:
    decision = admission.admit(proposal(LIMA), view(words, claim()))
    assert isinstance(decision, Admit)
    assert decision.rule is Rule.REPLACES
    closing, opening = decision.effects
    assert isinstance(closing, Correct)
    assert isinstance(opening, Assert)
    assert (closing.validity.to_earliest, closing.validity.to_latest) == (START - MINUTE, START)


@pytest.mark.requirement("row-7")
def test_the_opposite_supersedes_for_the_same_thing_alone(words: Vocabulary) -> None:
    liked = claim(OSLO, "likes")
    decision = admission.admit(proposal(OSLO, "dislikes"), view(words, liked))
    assert isinstance(decision, Admit)
    assert decision.rule is Rule.REPLACES
    assert admission.admit(proposal(LIMA, "dislikes"), view(words, liked)) == Admit(Rule.NEW, (Assert(),), "new")


@pytest.mark.requirement("row-7")
def test_a_predicate_with_many_values_replaces_nothing(words: Vocabulary) -> None:
    assert admission.admit(proposal(LIMA, "speaks"), view(words, claim(OSLO, "speaks"))) == Admit(Rule.NEW, (Assert(),), "new")


@pytest.mark.requirement("row-8", "row-7")
@pytest.mark.parametrize(
    "late",
    [
        proposal(LIMA, speaker=BOB),
        proposal(LIMA, said_at=START - 2 * MINUTE),
        proposal(LIMA, present=False),
        proposal(LIMA, label=Label(team(BOB))),
        proposal(polarity=Polarity.ENDED, speaker=BOB),
    ],
)
def test_another_speaker_or_unclear_timing_waits_for_a_person(late: Proposal, words: Vocabulary) -> None:
    label = late.label
    decision = admission.admit(late, view(words, claim() if label == MINE else claim(label=Label(WORLDVIEW))))
    assert isinstance(decision, Hold)
    assert decision.rule is Rule.CONFLICT
    assert decision.against


@pytest.mark.requirement("row-11")
def test_a_contradiction_waits_with_its_proof(words: Vocabulary) -> None:
    proof = (Triple(ME, term("livesIn"), OSLO),)
    decision = admission.admit(proposal(), view(words, contradiction=proof))
    assert decision == Hold(Rule.CONTRADICTION, "contradicts what is known", proof=proof)


@pytest.mark.requirement("row-10")
def test_a_predicate_without_a_word_is_kept_as_related_with_its_wording(words: Vocabulary) -> None:
    decision = admission.admit(proposal(predicate="related", wording="knits for"), view(words))
    assert decision == Admit(Rule.NO_WORD, (Assert(),), "no word in the vocabulary for 'knits for'")


@pytest.mark.requirement("row-11")
def test_anything_else_is_admitted(words: Vocabulary) -> None:
    assert admission.admit(proposal(), view(words)) == Admit(Rule.NEW, (Assert(),), "new")


@pytest.mark.requirement("routing")
def test_only_the_owners_impersonal_or_shared_word_reaches_the_worldview(words: Vocabulary) -> None:
    mention = Mention("Oslo", Span(10, 14))
    place = candidate(subject=mention, predicate=term("partOf"))
    mine, owner = Audience(source()), Audience(source(), is_owner=True)
    assert admission.route(place, owner, words).space == WORLDVIEW
    assert admission.route(place, mine, words).space == user(ANN)
    assert admission.route(candidate(), owner, words).space == user(ANN)
    shared, hidden = source(body=f"/share {TEXT}"), source(body=f"/private {TEXT}")
    assert admission.route(candidate(), Audience(shared, is_owner=True), words).space == WORLDVIEW
    assert admission.route(candidate(), Audience(shared), words).space == user(ANN)
    health = candidate(predicate=term("allergicTo"))
    assert admission.route(health, Audience(shared, is_owner=True), words) == Label(WORLDVIEW, Sensitivity.SENSITIVE)
    wanted = replace(proposal(), mark=Mark.SHARE)
    assert isinstance(admission.admit(wanted, view(words)), Hold)
    assert admission.route(place, Audience(hidden, is_owner=True), words) == Label(user(ANN), Sensitivity.SECRET)


@pytest.mark.requirement("sensitivity")
@pytest.mark.parametrize(
    ("body", "predicate", "wanted"),
    [
        (TEXT, "livesIn", Sensitivity.INTERNAL),
        (TEXT, "partOf", Sensitivity.PUBLIC),
        (TEXT, "allergicTo", Sensitivity.SENSITIVE),
        (TEXT, "password", Sensitivity.SECRET),
        (f"/private {TEXT}", "livesIn", Sensitivity.SECRET),
        ("my therapist", "livesIn", Sensitivity.SENSITIVE),
        ("my password", "livesIn", Sensitivity.SECRET),
    ],
)
def test_the_sensitivity_is_the_highest_that_anything_calls_for(
    body: str, predicate: str, wanted: Sensitivity, words: Vocabulary
) -> None:
    audience = Audience(source(body=body))
    asked = candidate(predicate=term(predicate), span=Span(0, len(body)))
    assert admission.route(asked, audience, words).sensitivity is wanted


@pytest.mark.requirement("sensitivity")
def test_a_source_is_as_sensitive_as_its_claims_and_words_and_unread_sensitive() -> None:
    assert admission.unread_label(source()).sensitivity is Sensitivity.SENSITIVE
    assert admission.unread_label(source(body="my password")).sensitivity is Sensitivity.SECRET
    read = admission.source_label
    assert read(source(), []).sensitivity is Sensitivity.INTERNAL
    assert read(source(), [Label(WORLDVIEW, Sensitivity.SENSITIVE)]) == Label(user(ANN), Sensitivity.SENSITIVE)
    assert read(source(body="/private x"), []).sensitivity is Sensitivity.SECRET
    assert read(source(body="my IBAN"), []).sensitivity is Sensitivity.SECRET
