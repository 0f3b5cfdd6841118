"""The offline parser: what it takes, what it leaves, and where its spans lie."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyoxigraph import Literal, NamedNode

from gateway.parse import offline
from gateway.parse.dates import in_words, parse_date
from gateway.parse.sentences import sentences
from memory.admit import screen
from memory.claim import Act, Mark, Mention, Reading, Speaker, Value
from memory.marks import leading_mark
from ontologies.vocab import XSD, XSD_DATE, XSD_GMONTHDAY
from tests.conftest import START

pytestmark = pytest.mark.requirement("offline", "row-1")

TAKEN = {
    "I live in Lyon.": "me livesIn Lyon",
    "I'm living in New York now": "me livesIn New York",
    "i live in OSLO": "me livesIn OSLO",
    "Mara lives in Lyon": "Mara livesIn Lyon",
    "I moved to Lima!": "me livesIn Lima",
    "I no longer live in Lima": "me livesIn Lima ended",
    "I don't live in Oslo anymore": "me livesIn Oslo ended",
    "Mara no longer works at Airbus": "Mara worksAt Airbus ended",
    "I used to live in Cork": "me livesIn Cork ended",
    "I do not like olives": "me likes olives negated",
    "My name is Ana Lind": "me name Ana Lind",
    "Call me Bo": "me nickname Bo",
    "My sister is called Mara": "me sister Mara",
    "My mum is Luz": "me mother Luz",
    "Bea is my friend": "me friend Bea",
    "Mara is Ana's sister": "Ana sister Mara",
    "Mara\u2019s brother is Kai": "Mara brother Kai",
    "My birthday is 4 May 1985": "me birthday 1985-05-04",
    "Kai was born on March 2nd": "Kai birthday --03-02",
    "I was born in Lima": "me birthplace Lima",
    "I'm allergic to nuts": "me allergicTo nuts",
    "I love Chinese food.": "me likes Chinese food",
    "I can't stand olives": "me dislikes olives",
    "I work for the Red Cross": "me worksAt the Red Cross",
    "I work as a nurse": "me jobTitle nurse",
    "I'm vegetarian": "me followsDiet vegetarian",
    "I have a dog called Rex": "me hasPet Rex",
    "My email is ana@example.org": "me email ana@example.org",
    "My phone number is 555 0100 22": "me phone 555 0100 22",
    "I speak French": "me speaks French",
    "I'm married to Noor": "me spouse Noor",
    "Lyon is a city in France": "Lyon inCountry France",
    "Toulouse is a city in Occitania": "Toulouse partOf Occitania",
    "Lima is the capital of Peru": "Lima capitalOf Peru",
    "Airbus is a company based in Toulouse": "Airbus basedIn Toulouse",
    "I work for Marks & Spencer": "me worksAt Marks & Spencer",
    "I come from Peru": "me comesFrom Peru",
    "France is a country": "France type Country",
}
LEFT = (
    "Where do I live?", "who works at Airbus", "If I live in Rome, I am happy", "Bob said I live in Oslo",
    "I might live in Rome", '"I live in Oslo"', "haha I live in Oslo", "In the novel, I live in Oslo",
    "Imagine I live in Rome", "I like that", "I love you", "He lives in Oslo",
    "My mother is a nurse", "I live in fear", "I live in hope", "I work at night",
    "I moved to tears", "My sister is tired", "Dinner is in Rome", "Thanks!", "I am in Paris", "Please call my mother",
    "I live in", "lives in Lyon", "I love how it works", "My email is secret", "My birthday is soon",
    "I live where I work", "Everyone lives in Oslo", "The dog lives in Oslo", "I live in Lyon?",
    "I hope I live in Lyon", "I wish I lived in Oslo", "I think I live in Oslo", "My name is not important",
)  # fmt: skip


WRONG = (
    "My mum's Scottish.", "My husband is English.", "My wife is German.", "My sister is Deaf.", "My son is Four.",
    "I was born in May.", "I moved to Marketing.", "i moved to tears", "Yesterday Tom moved to Rome.",
    "Apparently Tom lives in Rome.", "I like no one.", "I like none of it.", "I can't stand up.",
    "I am allergic to almost nothing.", "My favourite colour is no longer red.", "I work for Free.",
    "I work as a rule.", "I live in Paris. Not!", "Call me Tomorrow.", "I'm called Often.", "I live with Cancer.",
    "Somebody likes cake.", "I own a third of it.", "I love someone else.", "Milan is the capital of Fashion.",
    "My birthday is 0000.", "My birthday is 3 \u017fep", "I live in Paris & London.", "I live in Paris/London.",
    "I don't like any pizza.", "I like pizza sometimes.", "I like pizza less.", "Tom is from Google.",
    "Everybody likes pizza.", "Hardly Anyone speaks Latin.",
)  # fmt: skip
UNSURE = ("i live in oslo", "Tom is part of Alcoholics Anonymous.", "Clara is based in Berlin.", "Lyon is in France")


def read(text: str) -> Reading:
    return offline.read(text, START, "UTC")


def told(text: str) -> list[str]:
    lines: list[str] = []
    for c in read(text).candidates:
        if c.act is not Act.STATEMENT:
            continue
        assert c.predicate is not None
        subject = "me" if isinstance(c.subject, Speaker) else c.subject.text
        object_ = "me"
        if isinstance(c.object, Mention):
            object_ = c.object.text
        elif isinstance(c.object, Value):
            object_ = c.object.term.value.rsplit("#", 1)[-1]
        ending = "" if c.polarity.value == "holds" else f" {c.polarity.value}"
        lines.append(f"{subject} {c.predicate.value.rsplit('#', 1)[-1]} {object_}{ending}")
    return lines


@pytest.mark.parametrize(("text", "wanted"), TAKEN.items(), ids=list(TAKEN))
def test_it_takes_plain_statements_with_spans_that_support_them(text: str, wanted: str) -> None:
    assert told(text) == [wanted]
    (candidate,) = read(text).candidates
    assert screen(candidate, text, speaker="ann") is None


@pytest.mark.parametrize("text", LEFT)
def test_it_leaves_everything_else(text: str) -> None:
    assert told(text) == []


def test_it_reads_several_sentences_and_their_questions() -> None:
    reading = read("Hi! I live in Lyon. I like jazz; where do I live?\nI speak French.")
    assert [c.predicate.value.rsplit("#", 1)[-1] for c in reading.candidates if c.predicate] == ["livesIn", "likes", "speaks"]
    assert reading.questions == ("where do I live",)
    assert not reading.only_asks
    assert read("Where do I live? And who am I?").only_asks


def test_marks_say_who_may_know() -> None:
    for text, mark in (
        ("/private I live in Bath", Mark.PRIVATE),
        ("/Private: I live in Bath", Mark.PRIVATE),
        ("/share: Lyon is a city in France", Mark.SHARE),
        ("Everyone should know that Lyon is a city in France", Mark.SHARE),
        ("I live in Bath", Mark.NONE),
    ):
        start, found = leading_mark(text)
        assert found is mark
        (candidate,) = read(text).candidates
        assert candidate.span.of(text) == text[start:]


@pytest.mark.parametrize("text", WRONG)
def test_what_would_be_a_false_fact_is_left(text: str) -> None:
    assert told(text) == []


@pytest.mark.requirement("row-2")
@pytest.mark.parametrize("text", UNSURE)
def test_what_may_be_something_else_is_asked(text: str) -> None:
    (candidate,) = read(text).candidates
    assert not candidate.sure


@pytest.mark.parametrize(
    ("text", "act"),
    [
        ("Please call Mara", Act.REQUEST),
        ("Do you know Mara", Act.QUESTION),
        ("My character lives in Oslo", Act.FICTION),
        ("She said no", Act.QUOTE),
        ("I might go", Act.HYPOTHETICAL),
        ("I go", Act.STATEMENT),
        ("I go \U0001f602", Act.JOKE),
    ],
)
def test_each_sentence_does_something(text: str, act: Act) -> None:
    assert [s.act for s in sentences(text)] == [act]


@given(st.text())
def test_any_text_is_read_and_every_span_holds_its_words(text: str) -> None:
    for candidate in read(text).candidates:
        if candidate.act is Act.STATEMENT:
            assert screen(candidate, text, speaker="ann") is None or not candidate.sure
    for sentence in sentences(text):
        assert sentence.span.of(text) == sentence.text


@pytest.mark.parametrize(
    ("words", "lexical", "datatype", "shown"),
    [
        ("4 May 1985", "1985-05-04", XSD_DATE, "4 May 1985"),
        ("May 4th, 1985", "1985-05-04", XSD_DATE, "4 May 1985"),
        ("the 4th of May", None, None, ""),
        ("4th of May", "--05-04", XSD_GMONTHDAY, "4 May"),
        ("1985-05-04", "1985-05-04", XSD_DATE, "4 May 1985"),
        ("29 Feb", "--02-29", XSD_GMONTHDAY, "29 February"),
        ("1985", "1985", NamedNode(XSD + "gYear"), "1985"),
        ("31 June", None, None, ""),
        ("soon", None, None, ""),
    ],
)
def test_dates_are_read_and_shown(words: str, lexical: str | None, datatype: NamedNode | None, shown: str) -> None:
    found = parse_date(words)
    if lexical is None:
        assert found is None
    else:
        assert found == Literal(lexical, datatype=datatype)
        assert found is not None
        assert in_words(found) == shown
