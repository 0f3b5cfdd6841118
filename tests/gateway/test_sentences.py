"""The labelled sentences hold their bars, and sentences on which a parser goes wrong stay right."""

import pytest

from eval.offline import score, sentences
from gateway.parse import offline
from memory.claim import Act, Speaker
from tests.conftest import START

pytestmark = pytest.mark.requirement("offline", "row-1", "row-2")


def stored(text: str) -> list[str]:
    """Return what is surely read in a text."""
    lines: list[str] = []
    for c in offline.read(text, START, "Europe/Paris").candidates:
        if c.sure and c.act is Act.STATEMENT and c.predicate is not None:
            subject = "me" if isinstance(c.subject, Speaker) else c.subject.text
            object_ = "me" if isinstance(c.object, Speaker) else c.object.span.of(text)
            ended = "" if c.polarity.value == "holds" else f"{c.polarity.value} "
            lines.append(f"{subject} {ended}{c.predicate.value.rsplit('#', 1)[-1]} {object_}")
    return lines


def test_the_bars_of_the_labelled_sentences_hold() -> None:
    tuned, blind, traps = (score(sentences(name)) for name in ("tuned", "blind", "traps"))
    assert traps.stored == 0
    assert tuned.precision >= 0.95
    assert tuned.recall >= 0.80
    assert blind.precision >= 0.85


@pytest.mark.parametrize(
    "text",
    [
        "Bob: I live in Oslo.", "Not true: I live in Oslo.", "Message from Bob: I live in Oslo.", "Don't eat yellow snow.",
        "Love Mara", "Reading Rainbow", "I live in Lyon... NOT", "I live in Lyon - in my dreams.",
        "Mara lives in Oslo. That's a lie.", "Mara lives in Oslo, psych!", "Mara lives in Oslo, I reckon.",
        "Tom is vegan, apparently.", "I'm vegan, mostly.", "My wife was Mara.", "My manager was Anna until June.",
        "I moved to Lyon in 2030.", "I have lived in Lyon for 300 years.", "I moved to Android",
        "I moved from Gmail to Proton", "I left Tom.", "I work with Python", "I'm a partner in crime", "My wife is Angry",
        "My dog is Lost", "Coffee is my friend", "I was in Tears", "I want to see Mara", "I got into Harvard",
        "I can't have children", "I'm allergic to Tom", "I have a seasonal allergy", "I have an MRI", "I bought a lie",
        "Home is Mara.", "I sold my car to Tom.", "I speak Python", "Call me on 12/12/2026.", "I'm a doctor, apparently.",
        "I work at Google as of Monday.", "I love taxes \U0001f644", "I live in Slack", "I visited Mum", "I take magazine",
        "I own a mistake", "I drive a hard bargain", "I play the market", "My address is not 5 Rue X.",
        "It is a lie that I live in Oslo", "I have worked at Acme.", "Tom lived in Oslo.",
        "My girlfriend, Toby and I are going camping.", "My salary is 5 peanuts", "He lives in Oslo and likes tea.",
    ],
)  # fmt: skip
def test_what_would_be_wrong_is_not_stored(text: str) -> None:
    assert stored(text) == []


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("I love Paris and I hate London.", ["me likes Paris", "me dislikes London"]),
        ("I love cats and Tom hates dogs.", ["me likes cats", "Tom dislikes dogs"]),
        ("I'm a doctor, not a bricklayer.", ["me jobTitle doctor"]),
        ("Thanks, my friend, I love pizza.", ["me likes pizza"]),
        ("Came back from Oslo.", ["me visited Oslo"]),
        ("Tom and I are married.", ["me spouse Tom"]),
        ("I don't like cats anymore.", ["me ended likes cats"]),
        ("I enjoy movies, they're a great escape and get my imagination going.", ["me likes movies"]),
        ("We offer a bunch, like yoga and circuit training.", []),
        ("I love mac and cheese.", ["me likes mac and cheese"]),
        ("Desmond's married to Ida.", ["Desmond spouse Ida"]),
    ],
)
def test_clauses_and_lists_are_kept_apart(text: str, told: list[str]) -> None:
    assert stored(text) == told


@pytest.mark.parametrize(
    "text",
    [
        ("Tom is my brother and " * 10 + ". ") * 450,
        "Tom and " * 12_500,
        "a, " * 33_000,
        "I love " + "very " * 19_000,
        "my brother and my sister and my friend and my child and " * 1_700,
    ],
    ids=["clauses", "names", "commas", "one sentence", "kin"],
)
def test_a_message_has_its_limit_and_says_what_was_left(text: str) -> None:
    reading = offline.read(text, START, "UTC")
    assert len(reading.candidates) < 2_000
    assert reading.unread or len(reading.candidates) < 20
