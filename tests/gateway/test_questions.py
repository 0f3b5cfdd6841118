import pytest

from gateway.questions import About, Check, Objects, Query, Questions, Subjects, possessed
from memory.vocabulary import Vocabulary
from ontologies.vocab import NAME, term

pytestmark = pytest.mark.requirement("offline")


@pytest.fixture(scope="session")
def questions(words: Vocabulary) -> Questions:
    return Questions(words)


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("Where do I live?", Objects("I", term("livesIn"))),
        ("where does Mara live", Objects("Mara", term("livesIn"))),
        ("Where does my sister live?", Objects("I's sister", term("livesIn"))),
        ("Which country does Mara live in?", Objects("Mara", term("residesWithin"), term("Country"))),
        ("Who works at Airbus?", Subjects(term("worksAt"), "Airbus")),
        ("Who lives in France?", Subjects(term("residesWithin"), "France")),
        ("Does Mara live in Lyon?", Check("Mara", term("residesWithin"), "Lyon")),
        ("Am I allergic to nuts?", Check("I", term("allergicTo"), "nuts")),
        ("Do I like jazz?", Check("I", term("likes"), "jazz")),
        ("Is Mara married to Tom?", Check("Mara", term("spouse"), "Tom")),
        ("What is my name?", Objects("I", NAME)),
        ("Who am I?", Objects("i", NAME)),
        ("When is Mara's birthday?", Objects("Mara", term("birthday"))),
        ("Who is my sister?", Objects("I", term("sister"))),
        ("What do you know about Mara?", About("Mara")),
        ("Tell me about Mara", About("Mara")),
        ("Do you remember where I live?", None),
        ("Do you know where does Mara live?", Objects("Mara", term("livesIn"))),
        ("What languages do I speak?", Objects("I", term("speaks"))),
        ("Who wrote Emma?", Objects("Emma", term("author"))),
        ("Is it raining?", None),
    ],
)
def test_plain_questions_are_understood(text: str, query: Query | None, questions: Questions) -> None:
    assert questions.read(text) == query


def test_possessives_are_split() -> None:
    assert possessed("Mara's sister") == ("Mara", "sister")
    assert possessed("Jonas' best friend") == ("Jonas", "best friend")
    assert possessed("Mara") is None
