"""Sure patterns of plain English statements. A pattern must match a whole sentence, so what it does not understand it leaves.

Each has a regular expression with the groups ``subject`` (absent: the speaker) and ``object``, a predicate, and what kind of
words its object must be.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from pyoxigraph import Literal, NamedNode

from gateway.parse.countries import is_country
from gateway.parse.dates import parse_date
from memory.claim import Polarity
from ontologies.vocab import RDF_TYPE, term

_NOT_A_THING = frozenset(
    [
        "it",
        "this",
        "that",
        "these",
        "those",
        "you",
        "him",
        "her",
        "them",
        "me",
        "us",
        "he",
        "she",
        "they",
        "we",
        "there",
        "here",
        "everything",
        "anything",
        "something",
        "nothing",
        "your",
        "my",
        "his",
        "its",
        "our",
        "their",
        "how",
        "when",
        "what",
        "why",
        "who",
        "which",
        "all",
        "both",
        "so",
        "to",
        "being",
        "having",
        "doing",
        "not",
        "very",
        "really",
        "too",
        "much",
        "more",
        "most",
        "hope",
        "fear",
        "peace",
        "denial",
        "hell",
        "heaven",
        "limbo",
        "hiding",
        "constant",
        "love",
        "life",
        "mind",
        "spirit",
        "touch",
        "time",
        "way",
        "lot",
        "lots",
        "kind",
        "sort",
    ]
)
# Words that make a phrase something else than a thing: quantities, denials, degrees, directions.
_NEVER_IN_A_THING = frozenset(
    [
        "no",
        "none",
        "nothing",
        "nobody",
        "someone",
        "somebody",
        "something",
        "anyone",
        "anybody",
        "anything",
        "everyone",
        "everybody",
        "everything",
        "any",
        "some",
        "almost",
        "hardly",
        "barely",
        "nearly",
        "longer",
        "less",
        "fewer",
        "sometimes",
        "often",
        "always",
        "never",
        "else",
        "third",
        "half",
        "neither",
        "nor",
        "up",
        "down",
        "out",
        "around",
        "still",
        "not",
        "yet",
        "maybe",
        "perhaps",
        "each",
        "every",
    ]
)
# Words with a capital that name no person, place or organisation.
_NEVER_A_NAME = frozenset(
    [
        "yesterday",
        "today",
        "tomorrow",
        "tonight",
        "now",
        "then",
        "later",
        "soon",
        "often",
        "always",
        "never",
        "sometimes",
        "once",
        "again",
        "back",
        "anytime",
        "whenever",
        "monday",
        "tuesday",
        "wednesday",
        "thursday",
        "friday",
        "saturday",
        "sunday",
        "january",
        "february",
        "march",
        "april",
        "may",
        "june",
        "july",
        "august",
        "september",
        "october",
        "november",
        "december",
        "spring",
        "summer",
        "autumn",
        "winter",
        "one",
        "two",
        "three",
        "four",
        "five",
        "six",
        "seven",
        "eight",
        "nine",
        "ten",
        "free",
        "fun",
        "money",
        "rule",
        "marketing",
        "sales",
        "finance",
        "engineering",
        "accounting",
        "legal",
        "operations",
        "product",
        "design",
        "management",
        "retirement",
        "english",
        "scottish",
        "irish",
        "welsh",
        "british",
        "american",
        "canadian",
        "mexican",
        "brazilian",
        "german",
        "french",
        "spanish",
        "portuguese",
        "italian",
        "greek",
        "turkish",
        "russian",
        "polish",
        "czech",
        "hungarian",
        "romanian",
        "swedish",
        "norwegian",
        "danish",
        "finnish",
        "dutch",
        "belgian",
        "swiss",
        "austrian",
        "chinese",
        "japanese",
        "korean",
        "indian",
        "pakistani",
        "thai",
        "vietnamese",
        "australian",
        "african",
        "asian",
        "european",
        "arab",
        "jewish",
        "muslim",
        "christian",
        "catholic",
        "hindu",
        "buddhist",
        "deaf",
        "blind",
        "pregnant",
        "dead",
        "alive",
        "tired",
        "sick",
        "ill",
        "happy",
        "sad",
        "busy",
        "single",
        "married",
        "divorced",
        "gay",
        "vegan",
        "vegetarian",
    ]
)
_SPEECH_NAMES = frozenset({"english", "german", "french", "spanish", "portuguese", "italian", "greek", "turkish", "russian",
    "polish", "czech", "hungarian", "romanian", "swedish", "norwegian", "danish", "finnish", "dutch", "chinese", "japanese",
    "korean", "thai", "vietnamese", "irish", "welsh"})  # fmt: skip
_JOINERS = frozenset(
    [
        "and",
        "but",
        "because",
        "with",
        "for",
        "since",
        "until",
        "when",
        "while",
        "if",
        "or",
        "as",
        "so",
        "then",
        "that",
        "which",
        "who",
        "where",
        "than",
        "though",
        "although",
        "after",
        "before",
        "in",
        "at",
        "on",
        "from",
        "near",
        "by",
        "during",
        "about",
        "just",
        "also",
        "only",
        "where's",
        "isn't",
        "aren't",
        "wasn't",
        "don't",
    ]
)
_LONGEST_THING = 4
_FEWEST_DIGITS = 5


@dataclass(frozen=True, slots=True)
class Pattern:
    """A sentence form and the predicate it states.

    ``takes`` tells which words the object may be, ``literal`` reads it where it is a value; ``casual`` lets somebody who types
    without capitals name it in one small word; what is not ``sure`` is asked back.
    """

    form: re.Pattern[str]
    predicate: NamedNode
    polarity: Polarity = Polarity.HOLDS
    takes: Callable[[str], bool] | None = None
    literal: Callable[[str], Literal | NamedNode | None] | None = None
    casual: bool = False
    sure: bool = True


def is_name(words: str) -> bool:
    """Tell whether words can be the name of a person, place or organisation: few, none a joiner, and capitalised.

    Scripts without capitals pass.
    """
    parts = words.split()
    if not is_thing(words) or "/" in words or "&" in words or any(part.casefold() in _NEVER_A_NAME for part in parts):
        return False
    if parts[0].casefold().endswith("ly") and len(parts) > 1:
        return False  # an adverb before a name: "Apparently Tom"
    small = {"of", "the", "de", "da", "di", "del", "la", "le", "el", "al", "van", "von", "der", "den", "y", "bin"}
    return all(not part[0].islower() or part in small for part in parts) and not parts[-1][0].islower()


def is_thing(words: str) -> bool:
    """Tell whether words can name a thing that is liked, owned or avoided: few, without pronouns and joiners."""
    parts = words.split()
    if not 0 < len(parts) <= _LONGEST_THING or not any(ch.isalnum() for ch in words):
        return False
    folded = [part.casefold().strip(",") for part in parts]
    if any(part in _JOINERS or part in _NEVER_IN_A_THING for part in folded):
        return False
    return folded[0] not in _NOT_A_THING and "," not in words


def is_language(words: str) -> bool:
    """Tell whether words can name a language."""
    return words.casefold() in _SPEECH_NAMES or is_name(words)


def is_company(words: str) -> bool:
    """Tell whether words can name an organisation: a name, which may have an ampersand."""
    return is_name(words.replace(" & ", " "))


def is_job(words: str) -> bool:
    """Tell whether words can name what somebody works as."""
    return is_thing(words) and words.casefold() not in {"rule", "team", "unit", "whole", "result", "favour", "group"}


_NAME = r"(?P<subject>[^\W\d_][\w'\u2019.-]*(?: [^\W\d_][\w'\u2019.-]*){0,2})"
_OBJECT = r"(?P<object>[\w(][^,;:!?]*?)"
_TAIL = r"(?: (?:now|these days|nowadays|currently|at the moment|right now|too|as well|again|today|,? ?by the way))?"
_LEAD = r"(?:(?:hi|hello|hey|well|so|ok|okay|yes|yeah|actually|also|and|btw|by the way|oh)[,!]? )*"


def _compile(form: str) -> re.Pattern[str]:
    body = form.replace("'", "['\u2019]").replace("NAME", _NAME).replace("OBJECT", _OBJECT)
    return re.compile(rf"{_LEAD}{body}{_TAIL}".replace(" ", r"\s+"), re.IGNORECASE)


def _email(words: str) -> Literal | None:
    return Literal(words) if re.fullmatch(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+", words) else None


def _phone(words: str) -> Literal | None:
    digits = sum(ch.isdigit() for ch in words)
    return Literal(words) if re.fullmatch(r"\+?[\d ()/-]{5,24}", words) and digits >= _FEWEST_DIGITS else None


def _said_name(words: str) -> Literal | None:
    return Literal(words) if is_name(words) and words[0].isalpha() else None


def _class(name: str) -> Callable[[str], NamedNode]:
    return lambda _words: term(name)


# First person and third person of one verb: "I live in Lyon", "Mara lives in Lyon".
_VERBS: tuple[tuple[str, str, str, Callable[[str], bool]], ...] = (
    ("livesIn", "(?:live|am living|'m living|reside) in", "(?:lives|is living|resides) in", is_name),
    ("livesIn", "(?:have |'ve )?(?:just )?moved to", "(?:has )?(?:just )?moved to", is_name),
    ("worksAt", "(?:work|am working|'m working) (?:at|for)", "(?:works|is working) (?:at|for)", is_company),
    ("studiesAt", "(?:study|am studying|'m studying) at", "(?:studies|is studying) at", is_name),
    ("comesFrom", "(?:come|am|'m) from", "(?:comes|is) from", is_country),
    ("birthplace", "was born in", "was born in", is_name),
    ("spouse", "(?:am|'m) married to", "is married to", is_name),
    ("speaks", "(?:can )?speak", "(?:can )?speaks?", is_language),
    ("allergicTo", "(?:am|'m) allergic to", "is allergic to", is_thing),
    ("likes", "(?:really |absolutely )?(?:like|love|enjoy|adore)",
     "(?:really |absolutely )?(?:likes|loves|enjoys|adores)", is_thing),
    ("dislikes", "(?:really |absolutely )?(?:hate|dislike|detest|can't stand|cannot stand)",
     "(?:really |absolutely )?(?:hates|dislikes|detests|can't stand|cannot stand)", is_thing),
    ("visited", "(?:have |'ve )?visited", "(?:has )?visited", is_name),
    ("owns", "own (?:a|an|the)", "owns (?:a|an|the)", is_thing),
    ("manages", "manage", "manages", is_name),
)  # fmt: skip
_NEGATED: tuple[tuple[str, str, str, Callable[[str], bool]], ...] = (
    ("livesIn", "live in", "live in", is_name),
    ("worksAt", "work (?:at|for)", "work (?:at|for)", is_name),
    ("likes", "like", "like", is_thing),
    ("speaks", "speak", "speak", is_language),
)
_CASUAL = frozenset({"livesIn"})
_KIN = [
    "mother",
    "father",
    "sister",
    "brother",
    "daughter",
    "son",
    "wife",
    "husband",
    "partner",
    "grandmother",
    "grandfather",
    "aunt",
    "uncle",
    "niece",
    "nephew",
    "cousin",
    "friend",
    "colleague",
    "neighbour",
    "flatmate",
    "sibling",
    "parent",
    "child",
]
_KIN_WORDS = {
    **{word: word for word in _KIN},
    "mum": "mother", "mom": "mother", "dad": "father", "girlfriend": "partner", "boyfriend": "partner", "grandma": "grandmother",
    "grandpa": "grandfather", "best friend": "friend", "roommate": "flatmate", "coworker": "colleague", "neighbor": "neighbour",
    "boss": "managedBy", "manager": "managedBy",
}  # fmt: skip
_VALUES: tuple[tuple[str, str, Callable[[str], Literal | None]], ...] = (
    ("email", "e-?mail(?: address)?", _email),
    ("phone", "(?:phone|mobile|telephone)(?: number)?", _phone),
    ("birthday", "birthday", parse_date),
    ("favouriteColour", "favou?rite colou?r", lambda words: Literal(words) if is_thing(words) else None),
)


def _patterns() -> Iterator[Pattern]:
    yield Pattern(_compile("my name is OBJECT"), term("name"), literal=_said_name)
    yield Pattern(_compile("(?:i am|i'm) called OBJECT"), term("name"), literal=_said_name)
    yield Pattern(_compile("(?:please )?call me OBJECT"), term("nickname"), literal=_said_name)
    for predicate, noun, read in _VALUES:
        yield Pattern(_compile(f"my {noun} is (?:on )?OBJECT"), term(predicate), literal=read)
        yield Pattern(_compile(f"NAME's {noun} is (?:on )?OBJECT"), term(predicate), literal=read)
    yield Pattern(_compile("i was born on OBJECT"), term("birthday"), literal=parse_date)
    yield Pattern(_compile("NAME was born on OBJECT"), term("birthday"), literal=parse_date)
    for word, predicate in _KIN_WORDS.items():
        yield Pattern(_compile(f"my {word}(?: is|'s)(?: called| named)? OBJECT"), term(predicate), takes=is_name)
        yield Pattern(_compile(f"my {word}'s name is OBJECT"), term(predicate), takes=is_name)
        yield Pattern(_compile(f"OBJECT is my {word}"), term(predicate), takes=is_name)
        yield Pattern(_compile(f"NAME's {word} is(?: called| named)? OBJECT"), term(predicate), takes=is_name)
        yield Pattern(_compile(f"OBJECT is NAME's {word}"), term(predicate), takes=is_name)
    animals = "(?:pet|dog|cat|bird|rabbit|hamster|horse|parrot|fish|tortoise)"
    yield Pattern(_compile(f"i have an? {animals} (?:called|named) OBJECT"), term("hasPet"), takes=is_name)
    yield Pattern(_compile(f"my {animals} is (?:called|named) OBJECT"), term("hasPet"), takes=is_name)
    yield Pattern(_compile("i work as an? OBJECT"), term("jobTitle"), literal=lambda w: Literal(w) if is_job(w) else None)
    yield Pattern(_compile("NAME works as an? OBJECT"), term("jobTitle"), literal=lambda w: Literal(w) if is_job(w) else None)
    yield Pattern(_compile("(?:i am|i'm) (?:a )?(?P<object>vegetarian|vegan|pescatarian)"), term("followsDiet"), takes=is_thing)
    for verb in ("no longer", "do not", "don't"):
        ended = Polarity.ENDED if verb == "no longer" else Polarity.NEGATED
        third = "no longer" if verb == "no longer" else "does(?: not|n't)"
        for predicate, first_words, bare, takes in _NEGATED:
            third_words = bare if third != "no longer" else bare.replace("live", "lives").replace("work", "works")
            for more, polarity in ((r" any\s*more", Polarity.ENDED), ("", ended)):
                yield Pattern(_compile(f"i {verb} {first_words} OBJECT{more}"), term(predicate), polarity, takes)
                yield Pattern(_compile(f"NAME {third} {third_words} OBJECT{more}"), term(predicate), polarity, takes)
    yield Pattern(_compile("i (?:moved out of|used to live in) OBJECT"), term("livesIn"), Polarity.ENDED, is_name)
    yield Pattern(_compile("i (?:left my job at|used to work (?:at|for)) OBJECT"), term("worksAt"), Polarity.ENDED, is_name)
    for predicate, first, third, takes in _VERBS:
        yield Pattern(
            _compile(rf"i\s*(?:{first}) OBJECT"),
            term(predicate),
            takes=takes,
            casual=predicate in _CASUAL and "moved" not in first,
        )
        yield Pattern(_compile(f"NAME (?:{third}) OBJECT"), term(predicate), takes=takes)
    city = "(?:a|the) (?:capital )?(?:city|town|village)"
    yield Pattern(_compile("NAME is the capital of OBJECT"), term("capitalOf"), takes=is_country)
    yield Pattern(_compile(f"NAME is {city} in OBJECT"), term("inCountry"), takes=is_country)
    yield Pattern(_compile("NAME is in OBJECT"), term("inCountry"), takes=is_country, sure=False)
    yield Pattern(_compile("NAME is (?:a )?part of OBJECT"), term("inCountry"), takes=is_country)
    yield Pattern(_compile(f"NAME is (?:{city} in|a region (?:of|in)) OBJECT"), term("partOf"), takes=is_name)
    yield Pattern(_compile("NAME is (?:a )?part of OBJECT"), term("partOf"), takes=is_name, sure=False)
    for kind, class_ in (("country", "Country"), ("city", "City"), ("company", "Company"), ("region", "Region")):
        yield Pattern(_compile(f"NAME is (?P<object>a {kind})"), RDF_TYPE, literal=_class(class_))
    yield Pattern(_compile("NAME is a company (?:based )?in OBJECT"), term("basedIn"), takes=is_name)
    yield Pattern(_compile("NAME is based in OBJECT"), term("basedIn"), takes=is_name, sure=False)


PATTERNS = tuple(_patterns())
NOT_A_NAME = _NOT_A_THING | frozenset(
    [
        "i",
        "the",
        "a",
        "an",
        "my",
        "your",
        "his",
        "her",
        "our",
        "their",
        "no",
        "this",
        "that",
        "today",
        "tomorrow",
        "everyone",
        "nobody",
    ]
)
