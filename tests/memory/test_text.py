import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.errors import IncorrectTextError
from memory.text import LONGEST_SOURCE, keepable, name_key, query_terms, terms, visible

pytestmark = pytest.mark.requirement("text")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "empty"),
        (" \n\t", "empty"),
        ("x" * (LONGEST_SOURCE + 1), "100,001 characters"),
        ("a\x00b", "U+0000 at position 2"),
        ("ok \ud800", "U+D800"),
        ("\udcff", "U+DCFF"),
        ("\uffff", "U+FFFF"),
    ],
)
def test_what_cannot_be_kept_is_refused_with_what_to_do(text: str, told: str) -> None:
    with pytest.raises(IncorrectTextError, match="Nothing was stored") as error:
        keepable(text)
    assert told in str(error.value)


@pytest.mark.parametrize("text", ["\u202eabc", "a\u200db", "x" * LONGEST_SOURCE, "\U0001f600", "a\u0301"])
def test_everything_else_is_kept_as_it_is(text: str) -> None:
    assert keepable(text) == text


@pytest.mark.requirement("entities")
@pytest.mark.parametrize("other", ["oslo", "OSLO", " Oslo ", "\uff2fslo", "O\u200bslo", "\u202eOslo", "O\u00adslo"])
def test_a_name_in_another_writing_has_the_same_key(other: str) -> None:
    assert name_key(other) == name_key("Oslo")


@pytest.mark.requirement("entities")
def test_composed_and_decomposed_names_are_one_and_others_differ() -> None:
    assert name_key("Jose\u0301") == name_key("Jos\u00e9")
    assert name_key("ASR1603") != name_key("ASR1605")


@given(st.text())
def test_a_key_is_its_own_key(text: str) -> None:
    assert name_key(name_key(text)) == name_key(text)


@given(st.text())
def test_no_query_term_is_empty_and_none_comes_twice(text: str) -> None:
    terms = query_terms(text)
    assert all(terms)
    assert len(set(terms)) == len(terms)


def test_runs_of_cjk_are_indexed_in_pairs() -> None:
    assert terms("\u6211\u4f4f\u5728") == ["\u6211\u4f4f", "\u4f4f\u5728"]
    assert terms("\u6211") == ["\u6211"]
    assert visible("a\u200bb") == "ab"
