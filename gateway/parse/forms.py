"""Sentence forms: written once for both persons, with what their parts state and the words that they cannot do without.

``{BE}``, ``{HAVE}``, ``{DO}`` and ``{s}`` stand for ``am``/``is``, ``have``/``has``, ``do``/``does`` and the ending of the third
person, ``SUBJECT`` for a name, ``OBJECT`` for the words of an object. Holds no English but that.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

from pyoxigraph import Literal, NamedNode

from memory.claim import Polarity
from ontologies.vocab import term

Reader: TypeAlias = Callable[[str], Literal | NamedNode | bool]
"""Reads the words of an object: a value, ``True`` where they name a thing, and ``False`` where they are something else."""


class Tense(StrEnum):
    """How a form lies to a time that is told beside it; one that is ``LASTING`` says nothing without one."""

    PRESENT = "present"
    PERFECT = "perfect"
    LASTING = "lasting"
    PAST = "past"
    BEGINS = "begins"
    EVENT = "event"
    ENDS = "ends"


@dataclass(frozen=True, slots=True)
class Part:
    """One object of a form: the group that holds it, what it states, and how its words are read.

    ``many`` lets it be a list; ``loose`` lets words that cannot be read so be asked back.
    """

    group: str
    predicate: NamedNode
    read: Reader
    polarity: Polarity = Polarity.HOLDS
    many: bool = False
    loose: bool = False


@dataclass(frozen=True, slots=True)
class Pattern:
    """A sentence form with the group ``subject`` (absent: the speaker) and its parts.

    A clause in small letters that it matches has one of ``hints`` in it, unless there are none, and begins with one of ``heads``.
    """

    form: re.Pattern[str]
    parts: tuple[Part, ...]
    hints: frozenset[str]
    heads: tuple[str, ...]
    tense: Tense = Tense.PRESENT
    sure: bool = True


_WORD = r"[^\W\d_](?:[\w.-]|['\u2019](?!s\b))*"
NAME_WORDS = rf"{_WORD}(?: {_WORD}){{0,2}}?(?: \({_WORD}(?: {_WORD})?\))?"
"""A name, with what tells its bearer from another in brackets: "Anna Li (Oslo)"."""
_SUBJECT = rf"(?P<subject>{NAME_WORDS})"
_WORDS = r"[\w(@+][^;:!?]*?"
VALUE_WORDS = r"(?P<object>[\w(@+]\S*(?: [\d()/-]+)*)"
_ADVERBS = "(?: (?:currently|now|still|really|also|just|recently|finally|actually|absolutely|officially|both|always))*"
_FIRST = {
    "BE": "(?: am|'?m| are|'re)",
    "HAVE": "(?: have|'?ve)",
    "DO": " do(?: not|n't)",
    "s": "",
    "es": "",
    "WAS": " (?:was|were)",
}
_THIRD = {"BE": "(?: is|'s)", "HAVE": "(?: has|'s)", "DO": " does(?: not|n't)", "s": "s", "es": "es", "WAS": " was"}


_HEADS = {"my": ("my",), "(?:my|our)": ("my", "our"), "(?:i|we)": ("i", "we"), "i ": ("i",), "i{": ("i",), "i(": ("i",)}


def _compile(form: str, **words: str) -> re.Pattern[str]:
    for name, regex in words.items():
        form = form.replace(f"{{{name}}}", regex)
    body = form.replace("{adv}", _ADVERBS).replace("'", "['\u2019]").replace("SUBJECT", _SUBJECT)
    for number in ("3", "2", ""):
        body = body.replace(f"OBJECT{number}", f"(?P<object{number}>{_WORDS})")
    return re.compile(body.replace(" ", r"\s+"), re.IGNORECASE)


def both(form: str, *parts: Part, tense: Tense = Tense.PRESENT, sure: bool = True) -> Iterator[Pattern]:
    """Yield a form for the speaker and for a named person."""
    yield Pattern(_compile(f"(?:i|we){form}", **_FIRST), parts, _hints(form), ("i", "we"), tense, sure)
    yield Pattern(_compile(f"SUBJECT{form}", **_THIRD), parts, _hints(form), ("",), tense, sure)


def one(form: str, *parts: Part, tense: Tense = Tense.PRESENT, sure: bool = True) -> Pattern:
    """Return a form of the first person, or of whatever it begins with."""
    head = next((words for words in _HEADS if form.startswith(words)), "")
    return Pattern(_compile(form, **_FIRST), parts, _hints(form), _HEADS.get(head, ("",)), tense, sure)


def _hints(form: str) -> frozenset[str]:
    """Return words of which every match of a form has one: its longest plain word, or one of each alternative of a group."""
    plain = re.sub(r"\{\w+\}|SUBJECT|OBJECT\d?|\[[^]]*\]\S*|\\\w\S*|\.\W*", "\0", form)
    found: list[frozenset[str]] = []
    for group, optional in _top_groups(plain):
        words = [_longest_run(alternative) for alternative in _alternatives(group)]
        if not optional and all(len(word) > 1 for word in words):
            found.append(frozenset(words))
    outside = re.sub(r"\(\0*\)[?*]?", "\0", _without_groups(plain))
    words = [word for word in re.findall(r"[a-z]{2,}(?![a-z]*\?)", outside) if word not in {"my", "is"}]
    if words:
        found.append(frozenset({max(words, key=len)}))
    return min(found, key=lambda hints: (len(hints), -min(map(len, hints))), default=frozenset[str]())


def _top_groups(form: str) -> Iterator[tuple[str, bool]]:
    """Yield the content of each group that lies in no other, and whether it may be left out."""
    depth = start = 0
    for place, letter in enumerate(form):
        if letter == "(":
            depth += 1
            start = place if depth == 1 else start
        elif letter == ")":
            depth -= 1
            if depth == 0:
                yield re.sub(r"\A\?(?::|P<\w+>)", "", form[start + 1 : place]), form[place + 1 : place + 2] in {"?", "*"}


def _alternatives(group: str) -> list[str]:
    return _without_groups(group).split("|")


def _without_groups(form: str) -> str:
    """Return a form with every group that lies in no other left out."""
    kept, depth = "", 0
    for letter in form:
        depth += letter == "("
        kept += letter if depth == 0 else "\0" if letter == "(" and depth == 1 else ""
        depth -= letter == ")"
    return kept


def _longest_run(words: str) -> str:
    return max(re.findall(r"[a-z]+(?!\?)", re.sub(r"[a-z]\?", "\0", words)), key=len, default="")


def part(
    predicate: str, read: Reader, group: str = "object", *, ended: bool = False, many: bool = False, loose: bool = False
) -> Part:
    """Return a part that states a predicate of the vocabulary, or with ``ended`` that it no longer holds."""
    polarity = Polarity.ENDED if ended else Polarity.HOLDS
    return Part(group, term(predicate), read, polarity, many, loose)


def denied(predicate: str, read: Reader, *, loose: bool = False) -> Part:
    """Return a part that denies a predicate."""
    return Part("object", term(predicate), read, Polarity.NEGATED, many=False, loose=loose)
