import pytest

from memory.label import Sensitivity, user
from memory.recall import Query, mentioned, recall, tokens
from memory.terms import named, parse_term
from memory.words import second_person, sentence
from ontologies.vocab import term
from tests.conftest import ANN, BOB, Desk

pytestmark = pytest.mark.requirement("recall")


def texts(desk: Desk, question: str, by: str = ANN, budget: int = 2_000) -> list[str]:
    clearance = desk.clearance(by)
    with desk.memory.reading() as reads:
        found = recall(reads, desk.memory.vocabulary, Query(question), clearance, budget)
        return [item.source.body if item.source else item.claim.wording if item.claim else "" for item in found.items]


def test_it_finds_by_name_by_words_and_by_neighbourhood(desk: Desk) -> None:
    desk.say("Mara lives in Lyon.")
    desk.say("Mara works at Airbus.")
    desk.say("The concert yesterday was wonderful.")
    assert "works at Airbus" in texts(desk, "Tell me about Mara's home")
    assert "The concert yesterday was wonderful." in texts(desk, "How were the concerts?")
    with desk.memory.reading() as reads:
        assert list(mentioned(reads, "where does Mara live?", desk.clearance())) == [desk.entity("Mara")]


def test_it_is_cut_to_the_budget_and_abstains(desk: Desk) -> None:
    for number in range(20):
        desk.say(f"The concert number {number} was long.")
    few = texts(desk, "concert", budget=100)
    assert 0 < len(few) < 20
    assert sum(map(tokens, few)) <= 100
    assert texts(desk, "concert", budget=0) == []
    assert texts(desk, "is it?") == []
    assert texts(desk, "zebra") == []


@pytest.mark.requirement("I2")
def test_foreign_rows_change_nothing(desk: Desk) -> None:
    desk.say("Mara lives in Lyon.")
    desk.say("The concert was long.")
    before = texts(desk, "Where does Mara live after the concert?")
    for number in range(30):
        desk.say(f"Mara visited the concert in Town{number}x.", BOB, owner=False)
        desk.say("Mara lives in Bonn.", BOB, owner=False)
    assert texts(desk, "Where does Mara live after the concert?") == before


def test_what_is_no_longer_believed_is_not_recalled_as_if_it_were(desk: Desk) -> None:
    source, _ = desk.say("I love tea.")
    desk.memory.undo(source, ANN).result()
    desk.say("I live in Oslo.")
    desk.say("I live in Rome.")
    with desk.memory.reading() as reads:
        asked = Query("tea Oslo Rome", at=desk.now)
        found = recall(reads, desk.memory.vocabulary, asked, desk.clearance(), 2_000)
        assert [item.claim.wording for item in found.items if item.claim] == ["I live in Rome"]
        asked = Query("tea Oslo Rome", at=desk.now, history=True)
        found = recall(reads, desk.memory.vocabulary, asked, desk.clearance(), 2_000)
    told = {(item.claim.wording, item.believed) for item in found.items if item.claim}
    assert told == {("I live in Rome", True), ("I live in Oslo", True), ("I live in Oslo", False), ("I love tea", False)}


def test_questions_are_not_recalled(desk: Desk) -> None:
    desk.say("I live in Oslo.")
    desk.say("Where is Oslo?")
    assert "Where is Oslo?" not in texts(desk, "Oslo")


def test_chinese_is_found_by_pairs(desk: Desk) -> None:
    desk.say("\u6211\u4f4f\u5728\u676d\u5dde\u3002")
    assert texts(desk, "\u676d\u5dde") == ["\u6211\u4f4f\u5728\u676d\u5dde\u3002"]


def test_a_quote_in_a_question_is_no_query_syntax(desk: Desk) -> None:
    desk.say("The concert was long.")
    assert texts(desk, 'concert" OR NEAR(* NOT body:"') == ["The concert was long."]


@pytest.mark.requirement("sensitivity")
def test_a_lower_clearance_finds_less(desk: Desk) -> None:
    desk.say("My therapist lives nearby.")
    low = desk.memory.spaces.clearance(user(ANN), Sensitivity.INTERNAL)
    with desk.memory.reading() as reads:
        assert recall(reads, desk.memory.vocabulary, Query("therapist"), low, 500).items == ()
    assert texts(desk, "therapist")


def test_terms_read_back() -> None:
    for text in ("<urn:a>", '"x"', '"x"@en', '"1"^^<http://www.w3.org/2001/XMLSchema#integer>', '"a\\"b\\n"'):
        assert str(parse_term(text)) == text
    with pytest.raises(TypeError, match="not an IRI"):
        named('"x"')


def test_statements_are_said_in_the_second_person_too(desk: Desk) -> None:
    words = desk.memory.vocabulary
    assert sentence(words[term("livesIn")], "you", "Oslo") == "You live in Oslo"
    assert sentence(words[term("livesIn")], "Mara", "Oslo") == "Mara lives in Oslo"
    assert sentence(words[term("birthday")], "you", "4 May") == "Your birthday is 4 May"
    assert sentence(words[term("birthday")], "Jonas", "4 May") == "Jonas' birthday is 4 May"
    assert [second_person(v) for v in ("is", "was born in", "has", "studies at", "teaches", "watched", "can")] == [
        "are", "were born in", "have", "study at", "teach", "watched", "can",
    ]  # fmt: skip
