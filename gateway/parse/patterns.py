"""Sentence forms of plain English and what they state. A form must match a whole clause, so what it does not know it leaves.

A form is written once for both persons: ``{BE}``, ``{HAVE}``, ``{DO}`` and ``{s}`` stand for ``am``/``is``, ``have``/``has``,
``do``/``does`` and the ending of the third person, and ``SUBJECT`` for the speaker or a name. Sureness is earned by each form
and each object: what a form takes only ``loosely`` is asked back.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

from pyoxigraph import Literal, NamedNode

from gateway.parse import things
from gateway.parse.countries import is_country
from gateway.parse.dates import parse_date
from gateway.parse.lexicon import ANIMALS, BREEDS, CONDITION_WORDS, CONDITIONS, DIETS
from memory.claim import Polarity
from ontologies.vocab import RDF_TYPE, term

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
    of: str = ""


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
_NAME = rf"{_WORD}(?: {_WORD}){{0,2}}?"
_SUBJECT = rf"(?P<subject>{_NAME})"
_WORDS = r"[\w(@+][^;:!?]*?"
_VALUE = r"(?P<object>[\w(@+]\S*(?: [\d()/-]+)*)"
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


def _both(form: str, *parts: Part, tense: Tense = Tense.PRESENT, sure: bool = True) -> Iterator[Pattern]:
    """Yield a form for the speaker and for a named person."""
    yield Pattern(_compile(f"(?:i|we){form}", **_FIRST), parts, _hints(form), ("i", "we"), tense, sure)
    yield Pattern(_compile(f"SUBJECT{form}", **_THIRD), parts, _hints(form), ("",), tense, sure)


def _one(form: str, *parts: Part, tense: Tense = Tense.PRESENT, sure: bool = True) -> Pattern:
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


def _part(predicate: str, read: Reader, group: str = "object", *, ended: bool = False, many: bool = False, loose: bool = False,
          of: str = "") -> Part:  # fmt: skip
    polarity = Polarity.ENDED if ended else Polarity.HOLDS
    return Part(group, term(predicate), read, polarity, many, loose, of)


def _denied(predicate: str, read: Reader, *, loose: bool = False) -> Part:
    return Part("object", term(predicate), read, Polarity.NEGATED, many=False, loose=loose)


KIN = {
    **{word: word for word in (
        "mother", "father", "sister", "brother", "daughter", "son", "wife", "husband", "partner", "grandmother", "grandfather",
        "aunt", "uncle", "niece", "nephew", "cousin", "friend", "colleague", "neighbour", "flatmate", "sibling", "parent",
        "child", "grandparent", "grandchild",
    )},
    "mum": "mother", "mom": "mother", "mam": "mother", "mama": "mother", "dad": "father", "papa": "father",
    "girlfriend": "partner", "boyfriend": "partner", "fianc\u00e9e": "partner", "fianc\u00e9": "partner", "fiancee": "partner",
    "fiance": "partner", "grandma": "grandmother", "granny": "grandmother", "nan": "grandmother", "grandpa": "grandfather",
    "grandad": "grandfather", "granddad": "grandfather", "best friend": "friend", "mate": "friend", "buddy": "friend",
    "roommate": "flatmate", "housemate": "flatmate", "coworker": "colleague", "co-worker": "colleague", "neighbor": "neighbour",
    "boss": "managedBy", "manager": "managedBy", "supervisor": "managedBy", "line manager": "managedBy", "kid": "child",
    "auntie": "aunt", "big brother": "brother", "little brother": "brother", "older brother": "brother",
    "younger brother": "brother", "twin brother": "brother", "big sister": "sister", "little sister": "sister",
    "older sister": "sister", "younger sister": "sister", "twin sister": "sister", "oldest son": "son", "youngest son": "son",
    "oldest daughter": "daughter", "youngest daughter": "daughter", "eldest son": "son", "eldest daughter": "daughter",
}  # fmt: skip
_PLURALS = {
    "children": "child",
    "kids": "child",
    "wives": "wife",
    **{f"{word}s": p for word, p in KIN.items() if word != "child"},
}
_KIN_WORD = "|".join(sorted(map(re.escape, KIN), key=len, reverse=True))
_PET = f"(?:{'|'.join(sorted({*ANIMALS, *BREEDS}, key=len, reverse=True))})"
_COUNT = "(?:two|three|four|five|2|3|4|5|a couple of|both)"
_COLOUR = "(?:beautiful|lovely|little|big|old|young|black|white|brown|grey|gray|ginger|new|rescue|adorable|cute)"

KIN_HEAD = re.compile(
    rf"(?:my|our)\s+(?P<kin>{_KIN_WORD}|{_PET})(?P<comma>,?)\s+(?P<name>{_NAME})(?P<after>,|\s|'s\b|\u2019s\b|\Z)", re.IGNORECASE
)


KIN_APPOSITION = re.compile(
    rf"(?P<name>[^\W\d_][\w'\u2019-]*(?:\s[^\W\d_][\w'\u2019-]*)?)(?:,\s+|\s\()(?:my|our)\s+(?P<kin>{_KIN_WORD})(?:,|\))\s+(?=\w)",
    re.IGNORECASE,
)


def kin_predicate(word: str) -> NamedNode:
    """Return what a word for a relative, friend or pet states about the speaker."""
    return term(KIN.get(" ".join(word.casefold().split()), "hasPet"))


def _kin() -> Iterator[Pattern]:
    for word, predicate in KIN.items():
        part = _part(predicate, things.is_name)
        yield _one(f"(?:my )?{word}(?: is called| is named| was called| called|'s called| is|'s) OBJECT", part)
        yield _one(f"(?:my )?{word}'s name(?: is|'s) OBJECT", part)
        yield _one(f"(?:the name of my {word}|my {word}'s called) (?:is )?OBJECT", part)
        yield _one(f"OBJECT(?: is|'s) my {word}", part)
        yield _one(f"(?:this is |that's |meet )my {word},? OBJECT", part)
        yield _one(f"(?:i|we){{HAVE}}(?: got)? an? (?:\\w+ )?{word}, OBJECT", part)
        yield _one(f"OBJECT is an? (?:good |close |old |dear )?{word} of mine", part)
        yield _one(f"i{{HAVE}}(?: got)? an? (?:good |close |old )?{word} (?:called|named|whose name is) OBJECT", part)
        yield _one(f"SUBJECT's {word}(?: is|'s)(?: called| named)? OBJECT", part)
        yield _one(f"SUBJECT's {word}'s name is OBJECT", part)
        yield _one(f"OBJECT is SUBJECT's {word}", part)
        yield _one(f"SUBJECT has an? {word} (?:called|named) OBJECT", part)
    for word, predicate in _PLURALS.items():
        part = _part(predicate, things.is_name, many=True)
        yield _one(f"(?:my|our) (?:{_COUNT} )?{word} are(?: called| named)? OBJECT", part)
        yield _one(f"OBJECT are (?:my|our) (?:{_COUNT} )?{word}", part)
        yield _one(f"OBJECT are (?:good |close |old )?{word} of mine", part)
        yield _one(f"(?:i|we){{HAVE}}(?: got)? (?:{_COUNT} )?{word}(?: called| named|,) OBJECT", part)


def _pets() -> Iterator[Pattern]:
    one, many = _part("hasPet", things.is_name), _part("hasPet", things.is_name, many=True)
    yield from _both(f"{{HAVE}}(?: got)? an? (?:{_COLOUR} )*(?:\\w+ )?{_PET} (?:called|named|whose name is) OBJECT", one)
    yield from _both(f"{{HAVE}}(?: got)? an? (?:{_COLOUR} )*{_PET}, OBJECT", one)
    yield _one(f"(?:we|i) (?:named|called) (?:our|my|the) (?:{_COLOUR} )*{_PET} OBJECT", one, sure=False)
    yield from _both(f"{{HAVE}}(?: got)? {_COUNT} (?:{_COLOUR} )*{_PET}s(?: called| named|,) OBJECT", many)
    yield from _both(
        f"(?:{{HAVE}})?{{adv}} (?:got|adopted) an? (?:{_COLOUR} )*{_PET} (?:called|named) OBJECT", one, tense=Tense.BEGINS
    )
    yield _one(f"(?:my|our) (?:{_COLOUR} )*{_PET}(?: is|'s) (?:called|named) OBJECT", one)
    yield _one(f"(?:my|our) {_PET}(?: is|'s) OBJECT", one)
    yield _one(f"(?:my|our) {_PET}'s name(?: is|'s) OBJECT", one)
    yield _one(f"(?:my|our) {_PET}s are (?:called|named) OBJECT", many)
    yield _one(f"SUBJECT is an? (?:{_COLOUR} )*OBJECT", _part("breed", _among(BREEDS)))


def _who() -> Iterator[Pattern]:
    name, nickname = _part("name", things.said_name), _part("nickname", things.said_name)
    yield _one("my (?:first )?name(?: is|'s) OBJECT", name)
    yield _one("my (?:full|legal) name(?: is|'s) OBJECT", _part("fullName", things.said_name))
    yield _one("i(?: am|'?m) called OBJECT", name)
    yield _one("i(?: am|'?m) called OBJECT by (?:everyone|everybody|my friends|friends)", nickname)
    yield _one("(?:please |just |you can |feel free to )*call me OBJECT", nickname)
    yield _one("(?:my friends|friends|people|everyone|everybody|they)(?: all)? calls? me OBJECT(?: for short)?", nickname)
    yield _one("my nickname(?: is|'s) OBJECT", nickname)
    yield _one("i go by OBJECT", nickname)
    yield _one("i go by OBJECT", _part("pronouns", things.pronouns))
    yield _one("everyone calls SUBJECT OBJECT", nickname, sure=False)
    yield _one("my pronouns are OBJECT", _part("pronouns", things.pronouns))
    birthday = _part("birthday", _date)
    yield _one("my (?:birthday|bday|b-day|date of birth)(?: is|'s) (?:on )?(?:the )?OBJECT", birthday)
    yield _one("SUBJECT's (?:birthday|bday) is (?:on )?(?:the )?OBJECT", birthday)
    yield from _both("{WAS} born (?:on |in )?(?:the )?OBJECT", birthday)
    yield from _both("{WAS} born (?:on |in )?OBJECT in OBJECT2", birthday, _part("birthplace", things.is_name, "object2"))
    yield from _both(
        "{WAS} born in OBJECT (?:on|in) OBJECT2", _part("birthplace", things.is_name), _part("birthday", _date, "object2")
    )
    yield from _both("{WAS} born (?:and (?:raised|bred|grew up) )?in OBJECT", _part("birthplace", things.is_name))
    origin = _part("comesFrom", things.is_origin)
    yield _one("i{BE} (?:originally )?from OBJECT(?: originally)?", origin)
    yield _one("i (?:originally )?come from OBJECT(?: originally)?", origin)
    yield _one("SUBJECT is originally from OBJECT", origin)
    yield _one("SUBJECT (?:is|comes) from OBJECT", _part("comesFrom", is_country))
    yield _one("OBJECT here", name, sure=False)
    yield from _both("{BE} OBJECT", _part("nationality", things.is_demonym))
    yield _one("my nationality is OBJECT", _part("nationality", things.is_demonym))


def _home() -> Iterator[Pattern]:
    place = _part("livesIn", things.is_place)
    left = _part("livesIn", things.is_place, ended=True)
    yield from _both("{adv} (?:live|reside){s} in OBJECT", place)
    yield from _both("{BE}{adv} (?:living|residing) in OBJECT", place)
    yield _one("i{BE}{adv} (?:based|settled) in OBJECT", place)
    yield from _both("{HAVE}{adv} settled (?:down )?in OBJECT", place, tense=Tense.BEGINS)
    yield _one("(?:my \\w+ and i|me and my \\w+|i|we){adv} (?:live|are living) in OBJECT", place)
    yield _one(
        "(?:my \\w+ and i|me and my \\w+)(?: have)?{adv} (?:moved(?: back| over)?|relocated) to OBJECT", place, tense=Tense.BEGINS
    )
    yield from _both(" grew up in OBJECT", _part("comesFrom", things.is_place), sure=False)
    yield from _both("{HAVE}{adv} (?:been living|lived) in OBJECT (?:all my life|my whole life)", place)
    yield from _both("{HAVE}{adv} (?:been living|been based|lived) in OBJECT", place, tense=Tense.PERFECT)
    yield from _both("{HAVE}{adv} been in OBJECT", place, tense=Tense.LASTING)
    yield from _both("(?:{HAVE})?{adv} (?:moved(?: back| over)?|relocated) to OBJECT", place, tense=Tense.BEGINS)
    yield from _both(
        "(?:{HAVE})?{adv} (?:moved|relocated) from OBJECT to OBJECT2",
        _part("livesIn", things.is_place, ended=True),
        _part("livesIn", things.is_place, "object2"),
        tense=Tense.BEGINS,
    )
    yield _one("(?:home is|my home is(?: now)?|my home is in) OBJECT", _part("livesIn", things.is_place), sure=False)
    yield from _both(" lived in OBJECT", place, tense=Tense.PAST)
    yield from _both(" used to live in OBJECT", left)
    yield from _both(" (?:moved|have moved|has moved) (?:out of|away from) OBJECT", left, tense=Tense.ENDS)
    new = _part("livesIn", things.is_name, "object2")
    yield from _both(" left OBJECT for OBJECT2", _part("livesIn", is_country, ended=True), new,
                     tense=Tense.BEGINS, sure=False)  # fmt: skip
    yield from _gone("live in", "livesIn", things.is_place)
    yield from _both("{adv} live{s} with OBJECT", _part("livesWith", things.is_person, many=True))
    yield from _both("{BE}{adv} living with OBJECT", _part("livesWith", things.is_person, many=True))
    yield from _both("{BE}{adv} staying (?:at|in) OBJECT", _part("staysAt", things.is_company))
    yield _one("my (?:home |postal |street )?address is OBJECT", _part("postalAddress", things.address))


def _work() -> Iterator[Pattern]:
    at, title = _part("worksAt", things.is_company), _part("jobTitle", things.job)
    head, ended = _part("jobTitle", things.occupation), _part("worksAt", things.is_company, ended=True)
    title2, at2 = _part("jobTitle", things.job, "object2"), _part("worksAt", things.is_company, "object2")
    yield from _both("{adv} work{s} (?:at|for) OBJECT", at)
    yield from _both("{BE}{adv} (?:working (?:at|for)|employed (?:at|by)) OBJECT", at)
    yield from _both("{adv} work{s} (?:at|for) OBJECT as (?:an? |the )?OBJECT2", at, title2)
    yield from _both("{adv} work{s} as (?:an? |the )?OBJECT (?:at|for) OBJECT2", title, at2)
    yield from _both("{BE}{adv} working as an? OBJECT (?:at|for) OBJECT2", title, at2)
    yield from _both("{adv} work{s} as (?:an? )?OBJECT", title)
    yield from _both("{adv} work{s} in (?:the )?[\\w &-]+? (?:at|for) OBJECT", at)
    yield from _both(
        "{BE}{adv} (?:the )?(?P<object>C[A-Z]O|CISO|head of \\w+|director|president|founder|manager) (?:of|at) OBJECT2",
        title,
        at2,
    )
    yield from _both("(?:{HAVE} been|(?:{HAVE})?{adv} got|{WAS}){adv} promoted to OBJECT", head, tense=Tense.BEGINS)
    yield _one("(?:my )?(?:new )?(?:job|work|office) is (?:at|with) OBJECT", at)
    yield from _both("{adv} teach{es} OBJECT at OBJECT2", _part("teaches", things.is_study, many=True), at2)
    yield from _both(
        "(?:{HAVE} been|(?:{HAVE})?{adv} got|{WAS}){adv} (?:fired|laid off|let go) (?:from|by) OBJECT", ended, tense=Tense.ENDS
    )
    yield from _both("{BE}{adv} working as an? OBJECT", title)
    yield from _both("{HAVE}{adv} (?:been working|worked) (?:at|for) OBJECT", at, tense=Tense.PERFECT)
    yield from _both(" worked (?:at|for) OBJECT", at, tense=Tense.PAST)
    yield from _both(" used to work (?:at|for) OBJECT", ended)
    begun = "(?:{HAVE})?{adv} (?:started(?: working| a new job| work| a job| my new job)?|joined|begun working|began working)"
    yield from _both(f"{begun} (?:at |for |with )?OBJECT as (?:an? |the )?OBJECT2", at, title2, tense=Tense.BEGINS)
    yield from _both(f"{begun} as (?:an? |the )?OBJECT (?:at |for |with )OBJECT2", title, at2, tense=Tense.BEGINS)
    yield from _both(f"{begun} (?:at |for |with )OBJECT", at, tense=Tense.BEGINS)
    yield from _both("(?:{HAVE})?{adv} (?:got|taken|landed|accepted) a (?:new )?job (?:at|with) OBJECT", at, tense=Tense.BEGINS)
    gone = "(?:{HAVE})?{adv} (?:left|quit|resigned from)"
    yield from _both(f"{gone} (?:my|his|her) job (?:at|with) OBJECT", ended, tense=Tense.ENDS)
    yield from _both(f"{gone} OBJECT", ended, tense=Tense.ENDS, sure=False)  # a city and a person can be left too
    yield from _gone("work (?:at|for)", "worksAt", things.is_company)
    yield from _both("{BE}{adv} (?:an?|the) OBJECT(?: by (?:profession|trade|training))?", head)
    yield from _both("{BE}{adv} (?:an?|the) OBJECT (?:at|for|with) OBJECT2", head, at2)
    yield from _both("{BE}{adv} an? OBJECT in [\\w ]+", head, sure=False)
    yield from _both("{BE}{adv} working as an? OBJECT in [\\w ]+", title)
    yield _one("my job(?: title)?(?: is|'s) (?:an? )?OBJECT", head)
    yield _one("my employer is OBJECT", at)
    yield from _both("{adv} work{s} with OBJECT", _part("colleague", things.is_colleague, many=True))
    yield from _both("{adv} manage{s} OBJECT", _part("manages", things.is_person, many=True), sure=False)
    yield from _both("{adv} report{s} to OBJECT", _part("managedBy", things.is_person), sure=False)
    yield from _both("{BE} managed by OBJECT", _part("managedBy", things.is_person))
    yield from _both("{adv} lead{s} (?:the )?OBJECT", _part("leads", things.is_project))
    yield from _both("{BE}{adv} (?:leading|running) (?:the )?OBJECT", _part("leads", things.is_project), sure=False)
    yield from _both("{BE}{adv} working on OBJECT", _part("worksOn", things.is_project), sure=False)
    founded = "(?:{HAVE})?{adv} (?:founded|co-founded|cofounded|started)"
    yield from _both(f"{founded} (?:a|my own) (?:small |tech )?(?:company|business|startup|firm|agency) (?:called|named) OBJECT",
                     _part("founderOf", things.is_company), tense=Tense.EVENT)  # fmt: skip
    yield from _both("(?:{HAVE})?{adv} (?:founded|co-founded) OBJECT", _part("founderOf", things.is_company), tense=Tense.EVENT)
    yield from _both("{BE}{adv} a member of OBJECT", _part("memberOf", things.is_company))
    yield _one("i{BE}{adv} part of OBJECT", _part("memberOf", things.is_company), sure=False)
    yield from _both("(?:{HAVE})?{adv} joined OBJECT", _part("memberOf", things.is_club), tense=Tense.BEGINS)
    yield from _both("(?:{HAVE})?{adv} joined OBJECT", at, tense=Tense.BEGINS, sure=False)
    yield _one("my salary is OBJECT", _part("salary", _value(things.is_amount)))


def _family() -> Iterator[Pattern]:
    spouse = _part("spouse", things.is_person)
    yield from _both("{BE}{adv} married to OBJECT", spouse)
    yield from _both("(?:{HAVE})?{adv} (?:got married to|married) OBJECT", spouse, tense=Tense.BEGINS)
    yield from _both("{HAVE}{adv} been married to OBJECT", spouse, tense=Tense.PERFECT)
    ex = _part("partner", things.is_person, ended=True)
    yield _one("OBJECT and i(?: have)? (?:split(?: up)?|broke up|broken up|separated)", ex, tense=Tense.ENDS)
    yield _one("SUBJECT and OBJECT (?:got married|are married|tied the knot)", spouse, tense=Tense.BEGINS)
    yield _one("OBJECT and i (?:got|are|have been)(?: both)? married", spouse, tense=Tense.BEGINS)
    yield from _both("{BE}{adv} (?:dating|engaged to|in a relationship with) OBJECT", _part("partner", things.is_person))
    yield from _both("{BE}{adv} (?:good |best |close )?friends with OBJECT", _part("friend", things.is_person, many=True))


def _contact() -> Iterator[Pattern]:
    values = (
        ("email", "(?:personal |work |new |private )?e-?mail(?: address)?", things.email),
        ("phone", "(?:new |mobile |cell |tele)?(?:phone|mobile|number)(?: number)?", things.phone),
        ("website", "(?:website|homepage|blog|site)", things.website),
    )
    for predicate, noun, read in values:
        part = _part(predicate, read)
        yield _one(f"my {noun}(?: is|'s):? (?:now )?{_VALUE}", part)
        yield _one(f"SUBJECT's {noun} is:? (?:now )?{_VALUE}", part)
    reach = "(?:you can )?(?:reach|email|contact|write to|call|text|ring|phone) me (?:at|on|under)"
    yield _one(f"{reach} OBJECT", _part("email", things.email))
    yield _one(f"{reach} OBJECT", _part("phone", things.phone))
    yield _one("OBJECT is my (?:gp|doctor|dentist|therapist|physio|optician)", _part("treatedBy", things.is_person))
    yield _one(
        "my (?:gp|doctor|dentist|therapist|physio|optician)(?: is|'s)(?: called)? OBJECT", _part("treatedBy", things.is_person)
    )
    yield _one("my emergency contact is (?:my \\w+ )?OBJECT", _part("emergencyContact", things.is_person))
    yield _one("my (?:twitter|instagram|github|mastodon|telegram|discord)(?: handle| username| account)?(?: is|'s) OBJECT",
               _part("onlineAccount", things.handle))  # fmt: skip
    yield _one("my blood (?:type|group) is OBJECT", _part("bloodType", things.blood_type))
    yield _one("my star sign is OBJECT", _part("zodiacSign", things.star_sign))


def _health() -> Iterator[Pattern]:
    allergen = _part("allergicTo", things.is_allergen, many=True)
    yield from _both("{BE}{adv} (?:very |severely |highly |deathly |slightly )?allergic to OBJECT", allergen)
    yield from _both("{HAVE}(?: got)? an? (?:severe |bad |mild |serious )?allergy to OBJECT", allergen)
    yield from _both("{HAVE}(?: got)? an? (?:severe |bad |mild |serious )?OBJECT allergy", allergen)
    diet = _part("followsDiet", _among(DIETS))
    yield from _both("{BE}{adv} (?:an? )?(?:strict )?OBJECT", diet)
    yield from _both("{HAVE}{adv} been (?:an? )?OBJECT", diet, tense=Tense.PERFECT)
    yield from _both("{BE} not (?:an? )?OBJECT any(?: )?more", _part("followsDiet", _among(DIETS), ended=True))
    yield from _both("{BE} no longer (?:an? )?OBJECT", _part("followsDiet", _among(DIETS), ended=True))
    yield from _both("(?:{HAVE})?{adv} (?:became|become|gone|went|turned) (?:an? )?OBJECT", diet, tense=Tense.BEGINS)
    yield from _both("{adv} (?:eat{s}|keep{s}|follow{s} an?) OBJECT(?: diet)?", diet)
    yield from _both("{DO} eat OBJECT", _part("mustAvoid", things.is_food, many=True))
    yield from _both(" (?:can't|cannot|can not) eat OBJECT", _part("mustAvoid", things.is_food, many=True))
    yield from _both(" (?:must avoid|have to avoid|has to avoid) OBJECT", _part("mustAvoid", things.is_food, many=True))
    yield from _both("{BE}{adv} OBJECT", _part("hasCondition", _among(CONDITION_WORDS)))
    condition = _part("hasCondition", _among(CONDITIONS))
    yield from _both("{HAVE}{adv}(?: got)? OBJECT", condition)
    yield from _both("{adv} suffer{s} from OBJECT", condition)
    yield from _both("(?:{WAS}|{HAVE} been) diagnosed with OBJECT", condition, tense=Tense.BEGINS)
    medication = _part("takesMedication", things.is_medication)
    yield from _both("{adv} take{s} OBJECT(?: every day| daily| twice a day| every (?:morning|evening))?", medication)
    yield from _both("{BE}{adv} (?:taking|on) OBJECT", medication)


def _tastes() -> Iterator[Pattern]:
    liked = _part("likes", things.is_taste, many=True, loose=True)
    hated = _part("dislikes", things.is_taste, many=True, loose=True)
    yield from _both("{adv} (?:like|love|enjoy|adore){s} OBJECT", liked)
    yield from _both(" (?:can't|cannot) get enough of OBJECT", liked)
    yield from _both("{HAVE}{adv} (?:always )?(?:liked|loved|enjoyed) OBJECT", _part("likes", things.is_taste, many=True))
    yield from _both("{adv} (?:hate|dislike|detest|loathe|despise){s} OBJECT", hated)
    yield from _both(" (?:can't|cannot|can not) stand OBJECT", hated)
    yield from _both("{BE}{adv} (?:a )?(?:big|huge|massive|great) fan of OBJECT", liked)
    yield from _both("{BE}{adv} a fan of OBJECT", liked)
    yield from _both("{BE} not (?:a (?:big |huge |great )?fan of|keen on|fond of|into) OBJECT", hated)
    yield from _both("{BE}{adv} (?:very |quite |really )?(?:fond of|keen on|crazy about|mad about|obsessed with) OBJECT", liked)
    yield from _both("{BE}{adv} (?:really |very |quite )?into OBJECT", liked)
    yield from _both("(?:{HAVE})?{adv} (?:got|gotten) into OBJECT(?: lately| recently)?", liked, sure=False)
    yield from _both(" grew up speaking OBJECT(?: at home)?", _part("speaks", things.is_language, many=True))
    yield from _both("{DO} (?:like|enjoy) OBJECT any(?: )?more", _part("likes", things.is_taste, ended=True))
    yield from _both("{DO} (?:really )?like OBJECT", _denied("likes", things.is_taste, loose=True))
    yield from _both("{adv} no longer (?:like|enjoy|love){s} OBJECT", _part("likes", things.is_taste, ended=True))
    yield from _both("{adv} prefer{s} OBJECT (?:over|to) OBJECT2", _part("likes", things.is_taste))
    yield from _both("{BE}{adv} (?:very |really )?interested in OBJECT", _part("interestedIn", things.is_taste, many=True))
    favourites = (
        ("favouriteColour", "colou?r", things.text), ("favouriteFood", "(?:food|dish|meal|cuisine)", things.is_thing),
        ("favouriteBook", "(?:book|novel)", things.is_title), ("favouriteFilm", "(?:film|movie)", things.is_title),
        ("favouriteMusic", "(?:band|music|singer|musician|artist|song|album|music genre)", things.is_title),
        ("favouritePlayer", "(?:player|footballer|athlete)", things.is_title),
        ("favouritePlace", "(?:place|spot|city)", things.is_thing),
    )  # fmt: skip
    for predicate, noun, read in favourites:
        part = _part(predicate, read)
        yield _one(
            f"my (?:all[- ]time )?favou?rite {noun}(?: is|'s| has to be| must be)(?: still| now| definitely)? (?:the )?OBJECT",
            part,
        )
        yield _one(f"SUBJECT's favou?rite {noun} is (?:the )?OBJECT", part)
        yield _one(f"OBJECT is my (?:all[- ]time )?favou?rite {noun}", part)
    generic = _part("favourite", things.is_title)
    yield _one("my (?:all[- ]time )?favou?rite \\w+(?: \\w+)?(?: is|'s) (?:the )?OBJECT", generic)
    yield _one(
        "my (?:all[- ]time )?favou?rite (?:animal|season|drink|sport|game|flavou?r|dessert|fruit|vegetable|subject|snack|coffee"
        "|flower|cheese|wine|beer|genre)"
        "(?: is|'s) OBJECT",
        _part("favourite", things.is_thing),
    )
    hobby = _part("hobby", things.is_thing, many=True)
    yield _one("OBJECT(?: is|'s) (?:pretty much )?my (?:only |main |favou?rite )?hobby", hobby)
    yield _one("(?:my|one of my) (?:main |favou?rite )?hobb(?:y is|ies are|ies is) OBJECT", hobby)
    yield from _both("{BE}{adv} (?:a )?(?:keen|passionate|avid) OBJECT", _part("describedAs", things.text), sure=False)


def _learning() -> Iterator[Pattern]:
    speaks = _part("speaks", things.is_language, many=True)
    yield from _both("{adv} (?:can )?speak{s} (?:fluent |some |good |a little |a bit of )?OBJECT(?: fluently| well)?", speaks)
    yield _one("SUBJECT can speak OBJECT(?: fluently| well)?", speaks)
    yield from _both("{BE}{adv} (?:fluent|bilingual) in OBJECT", speaks)
    yield _one("my (?:native|first|mother) (?:language|tongue) is OBJECT", speaks)
    yield _one("my mother tongue is OBJECT", speaks)
    yield from _both("{BE}{adv} (?:learning|studying) (?:to (?:speak|play) )?(?:the )?OBJECT",
                     _part("learns", things.is_language, many=True))  # fmt: skip
    yield from _both("{BE}{adv} learning (?:to play )?(?:the )?OBJECT", _part("learns", things.is_thing), sure=False)
    study = _part("studies", things.is_study, many=True)
    yield from _both("{adv} (?:study|studies|major{s} in) OBJECT", study)
    yield from _both("{BE}{adv} (?:studying|majoring in|doing a degree in) OBJECT", study)
    school = _part("studiesAt", things.is_company)
    school2 = _part("studiesAt", things.is_company, "object2")
    yield from _both("{adv} (?:study|studies) OBJECT at OBJECT2", study, school2)
    yield from _both("{BE}{adv} studying OBJECT at OBJECT2", study, school2)
    yield from _both("{adv} (?:study|studies|go to school|goes to school) at OBJECT", school)
    course = "(?:PhD|doctorate|master's|masters|bachelor's|bachelors|degree|MBA|MSc|MA|BSc|BA|undergrad)"
    doing = f"{{BE}}{{adv}} (?:doing|finishing|writing|getting|pursuing) (?:my|his|her|an?) {course}"
    yield from _both(f"{doing} in OBJECT at OBJECT2", study, school2)
    yield from _both(f"{doing} in OBJECT", study)
    yield from _both(f"{doing} at OBJECT", school)
    yield from _both("{BE}{adv} an? OBJECT (?:student|major|undergrad) at OBJECT2", study, school2)
    yield from _both("{BE}{adv} an? OBJECT (?:student|major)", study)
    yield from _both("{BE}{adv} in (?:my|his|her) \\w+ year of OBJECT at OBJECT2", study, school2)
    yield from _both(
        " did (?:my|his|her) (?:undergrad|degree|masters|master's|PhD|BA|BSc|MA|MSc) at OBJECT",
        _part("alumnusOf", things.is_company),
        tense=Tense.EVENT,
    )
    yield from _both("{HAVE}{adv} been (?:studying|learning) OBJECT", _part("learns", things.is_language), tense=Tense.PERFECT)
    yield from _both("{HAVE}{adv} been learning OBJECT", _part("learns", things.is_thing), tense=Tense.PERFECT)
    yield from _both("{BE}{adv} (?:trying to learn|learning) OBJECT (?:on|with|at) [\\w ]+", _part("learns", things.is_language))
    yield from _both("{HAVE}{adv} been studying OBJECT", study, tense=Tense.PERFECT)
    yield from _both("{BE}{adv} (?:studying|a student) at OBJECT", school)
    alumnus = _part("alumnusOf", things.is_company)
    yield from _both("(?:{HAVE})?{adv} graduated from OBJECT", alumnus, tense=Tense.EVENT)
    yield from _both(" studied OBJECT at OBJECT2", _part("studies", things.is_study, ended=True),
                     _part("alumnusOf", things.is_company, "object2"), tense=Tense.ENDS)  # fmt: skip
    yield from _both(" studied at OBJECT", alumnus, tense=Tense.EVENT)
    degree = "(?:PhD|doctorate|masters?|master's(?: degree)?|bachelor's(?: degree)?|degree|diploma|MBA|BSc|MSc|BA|MA)"
    yield from _both(f"{{HAVE}}(?: got)? an? (?P<object>{degree} in [\\w ]+)", _part("holds", things.qualification))
    yield from _both("{adv} teach{es} OBJECT", _part("teaches", things.is_study, many=True))
    yield from _both("{adv} play{s} the OBJECT", _part("plays", things.is_instrument, many=True))
    yield from _both(" used to play the OBJECT", _part("plays", things.is_instrument, ended=True))
    yield from _both("{adv} play{s} OBJECT", _part("plays", things.is_game, many=True))
    yield from _both(" used to play OBJECT", _part("plays", things.is_game, ended=True))
    yield from _both("{adv} play{s} OBJECT in (?:an? |the )[\\w ]+", _part("plays", things.is_instrument))
    yield from _both("{adv} support{s} OBJECT", _part("supports", things.is_name))


def _possessions() -> Iterator[Pattern]:
    owned = _part("owns", things.is_owned)
    yield from _both("{adv} own{s} an? OBJECT", owned)
    yield from _both("(?:{HAVE})?{adv} bought (?:myself |himself |herself )?an? (?:new )?OBJECT", owned, tense=Tense.BEGINS)
    yield from _both("{HAVE}(?: got)? an? OBJECT", _part("owns", things.is_branded))
    yield from _both(
        "(?:{HAVE})?{adv} sold (?:my|our|his|her|the) OBJECT", _part("owns", things.is_thing, ended=True), tense=Tense.ENDS
    )
    yield from _both("{adv} drive{s} an? OBJECT", _part("drives", things.is_driven))
    yield from _both("{adv} drive{s} an? OBJECT (?:that|which) [\\w' ]+", _part("drives", things.is_driven))
    yield _one("my car is an? OBJECT", _part("drives", things.is_driven))


def _travels() -> Iterator[Pattern]:
    place = _part("visited", things.is_place, many=True)
    yield from _both("(?:{HAVE})?{adv} (?:visited|travelled to|traveled to|been to|toured) OBJECT", place, tense=Tense.EVENT)
    yield from _both(" (?:went|flew|took a trip|went on (?:a trip|holiday|vacation)) to OBJECT", place, tense=Tense.EVENT)
    yield from _both("(?:{WAS}|{HAVE} been) in OBJECT", place, tense=Tense.EVENT)
    yield from _both(
        "(?:{HAVE}|{BE})?{adv} (?:got back|come back|came back|returned|back) from"
        " (?:my trip to |a trip to |holiday in |vacation in )?OBJECT",
        place,
        tense=Tense.EVENT,
    )
    yield from _both(" spent (?:[\\w ]+ )?in OBJECT", place, tense=Tense.EVENT)
    wanted = _part("plansToVisit", things.is_place, many=True)
    yield from _both("{adv} (?:want{s}|plan{s}|hope{s}) to (?:visit|go to|travel to) OBJECT(?: one day| someday| soon)?", wanted)
    yield from _both("{BE}{adv} planning (?:a (?:trip|holiday|vacation) to|to (?:visit|go to|travel to)) OBJECT", wanted)
    yield from _both(
        "{BE}{adv} (?:going(?: on (?:a trip|holiday|vacation))?|flying|travell?ing|off) to OBJECT", wanted, sure=False
    )
    yield from _both("(?:{HAVE})?{adv} (?:booked|book) (?:a (?:trip|flight|holiday)|flights|tickets) to OBJECT", wanted)
    yield from _both("{BE}{adv} (?:reading|halfway through|in the middle of) OBJECT", _part("reads", things.is_title))
    yield from _both("(?:{HAVE})?{adv} watched OBJECT", _part("watched", things.is_title), tense=Tense.EVENT)


def _world() -> Iterator[Pattern]:
    city = "(?:an?|the) (?:\\w+ )?(?:city|town|village)"
    country, place = _part("inCountry", is_country), _part("partOf", things.is_name)
    yield _one("SUBJECT is the capital(?: city)? of OBJECT", _part("capitalOf", is_country))
    yield _one(f"SUBJECT is {city} in OBJECT", country)
    yield _one("SUBJECT is in OBJECT", country, sure=False)
    yield _one("SUBJECT is (?:a )?part of OBJECT", country)
    yield _one(f"SUBJECT is (?:{city} in|a region (?:of|in)) OBJECT", place)
    yield _one("SUBJECT is (?:a )?part of OBJECT", place, sure=False)
    for kind, class_ in (("country", "Country"), ("city", "City"), ("company", "Company"), ("region", "Region")):
        yield _one(f"SUBJECT is (?P<object>a {kind})", Part("object", RDF_TYPE, _class(class_)))
    yield _one("SUBJECT is a company (?:based )?in OBJECT", _part("basedIn", things.is_name))
    yield _one("SUBJECT is based in OBJECT", _part("basedIn", things.is_name), sure=False)
    yield _one("SUBJECT was written by OBJECT", _part("author", things.is_person))


def _gone(bare: str, predicate: str, read: Reader) -> Iterator[Pattern]:
    """Yield what says that something no longer is so, and what denies it."""
    ended = _part(predicate, read, ended=True)
    yield from _both(f"{{adv}} no longer {bare.replace(' ', '{s} ', 1)} OBJECT", ended)
    yield from _both(f"{{DO}} {bare} OBJECT any(?: )?more", ended)
    yield from _both(f"{{DO}} {bare} OBJECT", _denied(predicate, read))


def _date(words: str) -> Literal | bool:
    return parse_date(words) or False


def _value(check: Callable[[str], bool]) -> Reader:
    return lambda words: Literal(words) if check(words) else False


def _among(words: frozenset[str]) -> Reader:
    return lambda text: " ".join(text.casefold().replace("\u2019", "'").split()) in words


def _class(name: str) -> Reader:
    return lambda _words: term(name)


PATTERNS = tuple(
    pattern
    for group in (
        _who, _kin, _pets, _contact, _family, _home, _work, _health, _tastes, _learning, _possessions, _travels, _world,
    )
    for pattern in group()
)  # fmt: skip


def likely(clause: str) -> Iterator[Pattern]:
    """Yield the patterns that a clause may match, in order: those whose hints and heads it has."""
    small = clause.casefold().replace("\u2019", "'")
    there = {hint for hint in _ALL_HINTS if hint in small}
    return (p for p in PATTERNS if small.startswith(p.heads) and (not p.hints or not p.hints.isdisjoint(there)))


_ALL_HINTS = frozenset(hint for pattern in PATTERNS for hint in pattern.hints)
