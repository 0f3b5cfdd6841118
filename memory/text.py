"""Text as it may be kept, as keys of names, and as the full-text index reads it."""

import re
import unicodedata
from collections.abc import Callable
from functools import lru_cache

import Stemmer

from memory.errors import IncorrectTextError

LONGEST_SOURCE = 100_000
"""Code points in one source; longer texts come in as documents, in passages."""

_UNKEEPABLE = re.compile("[\x00\ud800-\udfff\ufffe\uffff]")
_CJK = r"\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uac00-\ud7af"
_CJK_RUN = re.compile(f"[{_CJK}]+")
_ELISION = re.compile("['\u2019](?:s|m|re|ve|d|ll|t)\\Z")
_stem_english: Callable[[str], str] = Stemmer.Stemmer("english").stemWord  # type: ignore[attr-defined]
_QUALIFIER = re.compile(r"\s*\([^()]*\)")
_DIGIT = re.compile(r"\d")
_WORD = re.compile(r"[^\W_]+(?:['\u2019][^\W_]+)*")
# Bidirectional controls and zero-width characters change how a name looks, never which name it is.
_INVISIBLE = re.compile("[\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff\u00ad]")

STOP_WORDS = frozenset({
    "a", "about", "an", "and", "are", "as", "at", "be", "been", "but", "by", "can", "could", "did", "do", "does", "for",
    "from", "had", "has", "have", "he", "her", "him", "his", "how", "i", "in", "is", "it", "its", "me", "my", "of", "on",
    "or", "our", "she", "so", "than", "that", "the", "their", "them", "then", "there", "they", "this", "to", "us", "was",
    "we", "were", "what", "when", "where", "which", "who", "whom", "whose", "why", "will", "with", "would", "you", "your",
})  # fmt: skip


def keepable(text: str) -> str:
    """Return the text if it can be kept as it is; raise ``IncorrectTextError`` otherwise.

    Refused are NUL, lone surrogates and non-characters, which no RDF store or SQLite text can hold, and texts longer than
    ``LONGEST_SOURCE`` code points. Everything else, bidirectional controls included, is kept unchanged.
    """
    if not text.strip():
        message = "The message is empty. Nothing was stored; send some words."
        raise IncorrectTextError(message)
    if len(text) > LONGEST_SOURCE:
        message = (
            f"The message has {len(text):,} characters; at most {LONGEST_SOURCE:,} fit in one. Nothing was stored;"
            " send it in parts."
        )
        raise IncorrectTextError(message)
    bad = _UNKEEPABLE.search(text)
    if bad:
        message = (
            f"The message has a character that cannot be stored (U+{ord(bad[0]):04X} at position {bad.start() + 1})."
            " Nothing was stored; send it without that character."
        )
        raise IncorrectTextError(message)
    return text


def visible(text: str) -> str:
    """Return the text without bidirectional controls and zero-width characters."""
    return _INVISIBLE.sub("", text)


def name_key(name: str) -> str:
    """Return the form under which two writings of one name are equal: compatibility form, case folded, spaces joined."""
    folded = unicodedata.normalize("NFKC", visible(name)).casefold()
    return unicodedata.normalize("NFKC", " ".join(folded.split()))


def alike_form(name: str) -> str:
    """Return the form in which names that are easily taken for one another are equal: no brackets, and every digit alike."""
    return _DIGIT.sub("0", name_key(_QUALIFIER.sub("", name)))


def terms(text: str) -> list[str]:
    """Return a text as the full-text index takes it: stems of its words without stop words, and CJK as overlapping pairs.

    English stems (Snowball); words of other languages that look like none keep their form. An apostrophe and what follows it
    at a word's end is dropped, and so are accents of Latin letters.
    """
    plain = _CJK_RUN.sub(lambda run: f" {' '.join(_pairs(run[0]))} ", visible(unicodedata.normalize("NFKC", text)))
    words = (_ELISION.sub("", word.casefold()).replace("'", "").replace("\u2019", "") for word in _WORD.findall(plain))
    return [_stem(word) for word in words if word and word not in STOP_WORDS]


def query_terms(question: str) -> list[str]:
    """Return the terms of a question that are worth looking for, each once."""
    return list(dict.fromkeys(terms(question)))


@lru_cache(maxsize=65_536)
def _stem(word: str) -> str:
    bare = (
        "".join(ch for ch in unicodedata.normalize("NFD", word) if not unicodedata.combining(ch)) if not word.isascii() else word
    )
    return _stem_english(bare) if bare.isascii() else word


def _pairs(run: str) -> list[str]:
    return [run[i : i + 2] for i in range(len(run) - 1)] or [run]
