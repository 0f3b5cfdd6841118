"""Questions in plain English -> queries over the vocabulary. The forms come from the vocabulary's own annotations."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

from pyoxigraph import NamedNode

from memory.vocabulary import Property, Vocabulary
from memory.words import second_person
from ontologies.vocab import MUNIMENT, NAME, RDF_TYPE, RELATED, term


@dataclass(frozen=True, slots=True)
class Objects:
    """What stands to a subject in a predicate; ``wanted`` is the class of the answer where the question names one."""

    subject: str
    predicate: NamedNode
    wanted: NamedNode | None = None


@dataclass(frozen=True, slots=True)
class Subjects:
    """Who or what has an object under a predicate."""

    predicate: NamedNode
    object: str


@dataclass(frozen=True, slots=True)
class Check:
    """Whether a triple is known."""

    subject: str
    predicate: NamedNode
    object: str


@dataclass(frozen=True, slots=True)
class About:
    """Everything known about a thing."""

    subject: str


Query: TypeAlias = Objects | Subjects | Check | About

ME = "i"
_FIRST_PERSON = frozenset({"i", "me", "myself", "my", "us", "we"})
_S = r"(?P<s>[^?]+?)"
_O = r"(?P<o>[^?]+?)"
_ABOUT = tuple(
    re.compile(form, re.IGNORECASE)
    for form in (
        rf"what (?:do you|else do you) (?:know|remember) about {_S}",
        rf"what have i told you about {_S}",
        rf"tell me (?:all |everything )?about {_S}",
        rf"(?:who|what) (?:is|are|was|am) {_S}",
    )
)
_PREFIX = re.compile(r"(?:(?:please )?(?:tell me|do you (?:know|remember)|can you tell me)[,:]? )", re.IGNORECASE)
_AUXILIARIES = (
    (r"\bdoes {s}", rf"(?:does|do|did) {_S}"),
    (r"\bdid {s}", rf"(?:does|do|did) {_S}"),
    (r"\bis {s}'s", rf"(?:is|are|was|were) {_S}(?:'s|'|\u2019s|\u2019)"),
    (r"\bis {s}", rf"(?:is|are|am|was|were) {_S}"),
    (r"\bwas {s}", rf"(?:is|are|am|was|were) {_S}"),
    (r"\bhas {s}", rf"(?:has|have) {_S}"),
    (r"\bare {s}'s", rf"(?:is|are) {_S}(?:'s|'|\u2019s|\u2019)"),
)


class Questions:
    """The question forms of a vocabulary."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        """Compile the forms; explicit ones are tried before those made from nouns and verbs."""
        self._vocabulary = vocabulary
        self._compile()

    def _compile(self) -> None:
        vocabulary = self._vocabulary
        self._triples = vocabulary.triples
        self._nouns = {p.noun.casefold(): p.iri for p in vocabulary.properties.values() if p.noun}
        self._forms = [*_explicit(vocabulary), *_made(vocabulary)]

    def read(self, question: str) -> Query | None:
        """Return the query of a question, or ``None`` where no form fits."""
        if self._triples is not self._vocabulary.triples:  # words were adopted or withdrawn
            self._compile()
        text = " ".join(question.strip().rstrip("?\uff1f. !").split())
        asked = _PREFIX.match(text)
        text = _my(text[asked.end() :] if asked and not _ABOUT[2].fullmatch(text) else text)
        if text.casefold() == "who am i":
            return Objects(ME, NAME)
        for form, kind, predicate, wanted in self._forms:
            found = form.fullmatch(text)
            if found:
                return _query(kind, predicate, wanted, found.groupdict())
        for form in _ABOUT:
            found = form.fullmatch(text)
            if found:
                return About(found["s"])
        return None

    def noun(self, words: str) -> NamedNode | None:
        """Return the predicate that a noun names, such as ``sister``."""
        return self._nouns.get(words.casefold())


def is_speaker(words: str) -> bool:
    """Tell whether words mean the one who speaks."""
    return words.casefold() in _FIRST_PERSON


def possessed(words: str) -> tuple[str, str] | None:
    """Split ``Mara's sister`` into owner and noun; ``None`` where the words are no possessive."""
    found = re.fullmatch(r"(.+?)(?:'s|\u2019s|(?<=s)'|(?<=s)\u2019) (.+)", words)
    return (found[1], found[2]) if found else None


def _my(text: str) -> str:
    """Return the text with ``my`` as a possessive like any other."""
    return re.sub(r"\bmy\b", "I's", text, flags=re.IGNORECASE)


def _explicit(vocabulary: Vocabulary) -> Iterator[tuple[re.Pattern[str], type[Query], NamedNode, NamedNode | None]]:
    asked = [(question, p) for p in vocabulary.properties.values() for question in p.questions]
    for question, property_ in sorted(asked, key=lambda pair: -len(pair[0])):  # the more specific form first
        text, _, wanted = question.partition("@")
        kind = Objects if "{o}" not in text else Check if "{s}" in text else Subjects
        if kind is Subjects or "{s}" in text:
            form = _subject_form(text).replace("{o}", _O)
            yield _compile(form), kind, property_.iri, term(wanted) if wanted else None


def _made(vocabulary: Vocabulary) -> Iterator[tuple[re.Pattern[str], type[Query], NamedNode, NamedNode | None]]:
    for property_ in vocabulary.properties.values():
        if property_.noun:
            words = "|".join(map(re.escape, (property_.noun, _plural(property_.noun))))
            form = _subject_form(f"(?:what|who|when|which)(?: is|'s|\u2019s| are| was) {{s}}'s (?:{words})")
            yield _compile(form), Objects, property_.iri, None
    for property_ in vocabulary.properties.values():
        if property_.verb and property_.iri not in (RELATED, RDF_TYPE):
            yield from _verb_forms(property_, property_.verb)


def _plural(noun: str) -> str:
    """Return a noun for several: not all take an s, as ``children``, ``wives``, ``aunts or uncles``."""
    endings = {"child": "children", "wife": "wives"}
    several = [next((word.removesuffix(one) + many for one, many in endings.items() if word.endswith(one)), f"{word}s")
               for word in noun.split(" or ")]  # fmt: skip
    return " or ".join(several)


def _verb_forms(property_: Property, verb: str) -> Iterator[tuple[re.Pattern[str], type[Query], NamedNode, NamedNode | None]]:
    base = re.escape(second_person(verb))
    yield _compile(f"(?:who|what|which \\w+)(?: else)? (?:{re.escape(verb)}|{base}) {_O}"), Subjects, property_.iri, None
    head, _, rest = verb.partition(" ")
    if head in {"is", "was"} and rest:
        yield _compile(f"(?:is|am|are|was|were) {_S} {re.escape(rest)} {_O}"), Check, property_.iri, None
        yield _compile(f"(?:what|who|which \\w+) (?:is|am|are|was|were) {_S} {re.escape(rest)}"), Objects, property_.iri, None
    else:
        yield _compile(f"(?:does|do|did) {_S} {base} {_O}"), Check, property_.iri, None
        yield _compile(f"(?:what|who|which \\w+) (?:does|do|did) {_S} {base}"), Objects, property_.iri, None


def _subject_form(text: str) -> str:
    for plain, form in _AUXILIARIES:
        replaced, count = re.subn(plain, lambda _match, f=form: f, text, count=1)
        if count:
            return replaced
    return text.replace("{s}'s", f"{_S}(?:'s|'|\u2019s|\u2019)").replace("{s}", _S)


def _compile(form: str) -> re.Pattern[str]:
    return re.compile(form, re.IGNORECASE)


def _query(kind: type[Query], predicate: NamedNode, wanted: NamedNode | None, groups: dict[str, str]) -> Query:
    if kind is Subjects:
        return Subjects(predicate, groups["o"])
    if kind is Check:
        return Check(groups["s"], predicate, groups["o"])
    return Objects(groups["s"], predicate, wanted)


def class_word(wanted: NamedNode) -> str:
    """Return the plain word of a class, such as ``country``."""
    return wanted.value.removeprefix(MUNIMENT).lower()
