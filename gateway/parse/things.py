"""What the words of an object can be: a name, a place, an occupation, a food, a title, a value."""

import re

from pyoxigraph import Literal

from gateway.parse.countries import is_country
from gateway.parse.lexicon import (
    CONDITION_WORDS,
    CONDITIONS,
    DEMONYMS,
    DIETS,
    FIXED_PAIRS,
    GAMES,
    LANGUAGES,
    NEVER_A_NAME,
    NEVER_IN_A_THING,
    NOT_A_PLACE,
    NOT_A_THING,
    NOT_ONE_OCCUPATION,
    OCCUPATIONS,
    SUBJECTS_OF_STUDY,
)

_JOINERS = frozenset({
    "and", "but", "because", "with", "for", "since", "until", "when", "while", "if", "or", "as", "so", "then", "that",
    "which", "who", "where", "than", "though", "although", "after", "before", "in", "to", "like", "at", "on", "from", "near",
    "by",
    "during", "about", "just", "also", "only", "where's", "isn't", "aren't", "wasn't", "don't", "is", "are", "was", "were",
    "has", "have", "had",
})  # fmt: skip
_SMALL = frozenset({
    "of", "the", "de", "da", "di", "del", "la", "le", "el", "al", "van", "von", "der", "den", "y", "bin",
})  # fmt: skip
_LONGEST_THING, _LONGEST_TITLE, _LONGEST_PHRASE = 4, 7, 8
_LONGEST_INSTRUMENT = 2
_SHORTEST_ADVERB = 6
_FEWEST_DIGITS = 5
_POINTING = frozenset(
    [
        "this",
        "that",
        "these",
        "those",
        "him",
        "her",
        "them",
        "it",
        "you",
        "me",
        "us",
        "myself",
        "yourself",
        "even",
        "more",
        "most",
        "through",
        "one",
        "ones",
        "too",
    ]
)
_IN_LONGER_NAMES = DEMONYMS | frozenset({
    "great", "good", "free", "one", "may", "april", "june", "august", "work", "home", "legal", "summer", "winter", "spring",
    "product", "design", "african", "asian", "european", "monday", "sunday", "money", "blue", "two", "three", "four", "five",
})  # fmt: skip
_NOT_A_TITLE = frozenset({"it", "that", "this", "a", "an", "his", "her", "not", "me", "one", "mum", "mom", "dad"})
_NOT_BOUGHT = frozenset(
    {"round", "lie", "coffee", "present", "ticket", "gift", "drink", "beer", "bridge", "mistake", "problem", "decision", "night"}
)
_NOT_DRIVEN = frozenset({"bargain", "bus", "truck", "taxi", "lorry", "cab", "train"})
_NOT_PLAYED = frozenset(
    {
        "market",
        "villain",
        "advocate",
        "ponies",
        "badly",
        "well",
        "fool",
        "field",
        "game",
        "victim",
        "hero",
        "part",
        "odds",
        "lottery",
    }
)
_NOT_ALLERGENS = frozenset({
    "taxes", "romance", "early mornings", "bad music", "fake", "seasonal", "child", "food", "skin", "possible nut",
    "suspected nut", "weird",
    "work", "mondays", "people", "you", "stupidity", "mornings", "exercise", "effort", "commitment", "responsibility",
    "nonsense", "bullshit", "idiots", "drama", "fun", "losing", "school", "homework", "life", "love", "change", "boredom",
    "sport", "sports", "meetings",
})  # fmt: skip
_NOT_WORK_FOR = frozenset({"myself", "free", "fun", "money", "peanuts", "a living"})
_MEDICINE = re.compile(
    r"[a-z]{3,}(?:formin|statin|pril|sartan|olol|azole|cillin|mycin|oxetine|pram|zepam|zolam|profen|cetamol|thyroxine|setron|"
    r"lukast|terol|gliptin|tidine|tadine|tirizine|pirin|sulin|raline|pranolol|dopril)",
    re.IGNORECASE,
)
_LIST = re.compile(r",\s*(?:and|or)\s+|,\s*|\s+(?:and|&|as well as|plus)\s+", re.IGNORECASE)
_ARTICLE = re.compile(r"\A(?:the|an?|my|our|some)\s+", re.IGNORECASE)


def split(words: str) -> list[tuple[int, str]]:
    """Return the members of a list with the places where they begin; the whole where it names one thing."""
    if " ".join(words.casefold().split()) in FIXED_PAIRS:
        return [(0, words)]
    members: list[tuple[int, str]] = []
    start = 0
    for joint in _LIST.finditer(words):
        members.append((start, words[start : joint.start()]))
        start = joint.end()
    return [*members, (start, words[start:])]


def is_name(words: str) -> bool:
    """Tell whether words can be the name of a person, place or organisation: few, none a joiner, and capitalised.

    Scripts without capitals pass.
    """
    parts = words.replace("(", "").replace(")", "").split()
    if not is_thing(words) or "/" in words or "&" in words or _is_no_name(parts):
        return False
    if parts[0].casefold().endswith("ly") and len(parts) > 1:
        return False  # an adverb before a name: "Apparently Tom"
    return all(not part[0].islower() or part in _SMALL for part in parts) and not parts[-1][0].islower()


def _is_no_name(parts: list[str]) -> bool:
    """Tell whether a word is there that no name has; some, such as "Great", have their place in a longer one."""
    folded = [part.casefold().rstrip(".") for part in parts]
    return any(part in NEVER_A_NAME and (len(parts) == 1 or part not in _IN_LONGER_NAMES) for part in folded)


def is_club(words: str) -> bool:
    """Tell whether words name what one joins without working there."""
    clubs = {"club", "society", "association", "choir", "orchestra", "gym", "party", "union", "league", "team", "band", "group"}
    return is_company(words) and words.casefold().split()[-1] in clubs


def is_person(words: str) -> bool:
    """Tell whether words can be the name of a person: a name that is no country and no language."""
    if not is_name(words):
        return False
    folded = words.casefold()
    known = folded in CONDITIONS or folded == "cancer" or is_country(words) or folded.split()[0] in {"the", *LANGUAGES}
    return not known


def is_colleague(words: str) -> bool:
    """Tell whether words can name whom one works with: a person, and no tool."""
    return is_person(words) and words.casefold() not in NOT_A_PLACE and words.casefold() not in {"leather", "wood", "children"}


def is_place(words: str) -> bool:
    """Tell whether words can be the name of a place, which may come after its article."""
    bare = _ARTICLE.sub("", words) if words[:1].islower() else words
    first, *rest = bare.casefold().split() or [""]
    numbered = bool(rest) and first in {"plan", "row", "team", "room", "windows", "year", "stage", "level", "gate"}
    return is_name(bare) and not numbered and not NOT_A_PLACE & {first, bare.casefold()}


def is_origin(words: str) -> bool:
    """Tell whether words name where somebody is from: a country, or a place whose name has more to it than one word."""
    short = words.isupper() and len(words) <= 3  # noqa: PLR2004 - a department, such as HR
    return is_country(words) or (is_name(words) and not short and not is_language(words))


def is_thing(words: str) -> bool:
    """Tell whether words can name a thing that is liked, owned or avoided: few, without pronouns and joiners."""
    parts = words.split()
    if not 0 < len(parts) <= _LONGEST_THING or not any(ch.isalnum() for ch in words):
        return False
    folded = [part.casefold().strip(",") for part in parts]
    if any(part in {"-", "\u2013", "\u2014"} for part in parts):
        return False
    if " ".join(folded) in FIXED_PAIRS:
        return True
    if len(parts) == 1 and folded[0].endswith("ly") and len(folded[0]) > _SHORTEST_ADVERB:
        return False
    if any(part in _JOINERS or part in NEVER_IN_A_THING for part in folded):
        return False
    return folded[0] not in NOT_A_THING and "," not in words


def is_taste(words: str) -> bool:
    """Tell whether words can name what somebody likes: a thing, and not one that is only here and now, as "the colour" is."""
    here = re.match(r"(?:all|some|one|two|his|her|its|their|your|our)\s", words) or re.match(r"the\s.*\b[a-z]\S*\Z", words)
    return is_thing(words) and here is None and not _POINTING & set(words.casefold().split())


def is_phrase(words: str) -> bool:
    """Tell whether words can be asked back as a thing: more than ``is_thing`` takes, and still no clause of its own."""
    parts = [part.casefold().strip(",") for part in words.split()]
    return 0 < len(parts) <= _LONGEST_PHRASE and parts[0] not in NOT_A_THING and not NEVER_IN_A_THING & set(parts)


def is_title(words: str) -> bool:
    """Tell whether words can be a title or the name of somebody who is known for something."""
    parts = words.split()
    if not 0 < len(parts) <= _LONGEST_TITLE or parts[0].casefold().rstrip(",") in _NOT_A_TITLE:
        return False
    return parts[0][0].isupper() and (parts[-1][0].isupper() or parts[-1][0].isdigit()) and "," not in words


def is_company(words: str) -> bool:
    """Tell whether words can name an organisation: a name, which may have an article and an ampersand."""
    bare = _ARTICLE.sub("", words).replace(" & ", " ")
    return bare.casefold() not in _NOT_WORK_FOR and is_name(bare)


def is_project(words: str) -> bool:
    """Tell whether words can name a project."""
    return is_name(words.removeprefix("project ").removesuffix(" project").removesuffix(" team"))


def is_language(words: str) -> bool:
    """Tell whether words name a language."""
    return words.casefold() in LANGUAGES


def is_demonym(words: str) -> bool:
    """Tell whether words say what nation somebody belongs to."""
    return words.casefold() in DEMONYMS and words[:1].isupper()


def is_study(words: str) -> bool:
    """Tell whether words name what is studied or taught."""
    return words.casefold() in SUBJECTS_OF_STUDY or words.casefold() in LANGUAGES


def is_game(words: str) -> bool:
    """Tell whether words name a sport or a game."""
    return words.casefold() in GAMES


def is_instrument(words: str) -> bool:
    """Tell whether words can name an instrument: one or two plain words."""
    parts = words.casefold().split()
    return is_thing(words) and len(parts) <= _LONGEST_INSTRUMENT and parts[-1] not in _NOT_PLAYED


def is_allergen(words: str) -> bool:
    """Tell whether words can name what somebody is allergic to."""
    folded = words.casefold()
    return is_thing(words) and words.islower() and folded not in _NOT_ALLERGENS and not folded.endswith("ing")


def is_food(words: str) -> bool:
    """Tell whether words can name a food: small words, none of a meal or a time."""
    folded = words.casefold()
    return is_thing(words) and not re.search(
        r"\b(?:breakfast|lunch|dinner|out|there|well|enough|properly|today|kids|alone|bite|like)\b|ing\b", folded
    )


def is_medication(words: str) -> bool:
    """Tell whether a word is made as the names of medicines are."""
    return _MEDICINE.fullmatch(words) is not None


def is_branded(words: str) -> bool:
    """Tell whether words name a thing by its make: ``red Vespa``."""
    parts = words.split()
    if len(parts) > 1 and parts[-1].isdigit():
        parts = parts[:-1]
    shouted = parts[-1].isupper() and len(parts[-1]) <= _LONGEST_TITLE
    capital = any(letter.isupper() for letter in parts[-1]) and parts[-1].isalnum() and not shouted and len(words.split()) > 1
    return is_thing(words) and capital and parts[-1].casefold() not in NEVER_A_NAME


def is_owned(words: str) -> bool:
    """Tell whether words can name something that is kept once it is bought."""
    return is_thing(words) and words.casefold().split()[-1] not in _NOT_BOUGHT


def is_driven(words: str) -> bool:
    """Tell whether words can name somebody's own vehicle."""
    return is_thing(words) and words.casefold().split()[-1] not in _NOT_DRIVEN


def is_amount(words: str) -> bool:
    """Tell whether words say an amount."""
    return re.search(r"\d[\d.,]{2,}", words) is not None and len(words.split()) <= _LONGEST_THING


def job(words: str) -> Literal | bool:
    """Return what somebody works as, said after "as"."""
    good = (
        is_thing(words)
        and not words.casefold().startswith(("of ", "intended"))
        and words.casefold()
        not in {
            "rule",
            "team",
            "unit",
            "whole",
            "result",
            "favour",
            "group",
            "well",
            "one",
        }
    )
    return good and Literal(words)


def occupation(words: str) -> Literal | bool:
    """Return an occupation by the last of its words, which has to be known as one."""
    parts = words.casefold().split()
    if not 0 < len(parts) <= _LONGEST_THING or words.casefold() in DIETS or words.casefold() in CONDITION_WORDS:
        return False
    known = parts[-1] in OCCUPATIONS and not any(part in NOT_ONE_OCCUPATION or part in _JOINERS for part in parts[:-1])
    return known and Literal(words)


def said_name(words: str) -> Literal | bool:
    """Return the name that somebody says they have; small letters pass for one or two words."""
    parts = words.split()
    if not 0 < len(parts) <= _LONGEST_THING or any(p.casefold() in NEVER_A_NAME or p.casefold() in NOT_A_THING for p in parts):
        return False
    good = is_name(words) or (len(parts) == 1 and words.isalpha() and not words.islower())
    return good and Literal(words)


def text(words: str) -> Literal | bool:
    """Return a short plain value."""
    return is_thing(words) and not words.endswith("ing") and Literal(words)


def pronouns(words: str) -> Literal | bool:
    """Return pronouns such as ``they/them``."""
    return re.fullmatch(r"\w+(?:/\w+){1,2}", words) is not None and Literal(words)


def address(words: str) -> Literal | bool:
    """Return a postal address: it has a number and a word."""
    return (
        re.search(r"\d", words) is not None
        and re.search(r"[^\W\d]{3}", words) is not None
        and not re.search(r"@|\b(?:not|away|behind|near)\b", words, re.IGNORECASE)
        and Literal(words)
    )


def email(words: str) -> Literal | bool:
    """Return an e-mail address."""
    return re.fullmatch(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+", words) is not None and Literal(words)


def phone(words: str) -> Literal | bool:
    """Return a telephone number."""
    digits = sum(ch.isdigit() for ch in words)
    if re.fullmatch(r"\d{1,2}[-/.]\d{1,2}[-/.]\d{2,4}", words):
        return False  # a date
    return re.fullmatch(r"\+?[\d ()/.-]{5,24}", words) is not None and digits >= _FEWEST_DIGITS and Literal(words)


def website(words: str) -> Literal | bool:
    """Return the address of a page."""
    return re.fullmatch(r"(?:https?://)?[\w-]+(?:\.[\w-]+)+(?:/\S*)?", words) is not None and Literal(words)


def handle(words: str) -> Literal | bool:
    """Return the name of an account."""
    return re.fullmatch(r"@?[\w.-]{2,40}", words) is not None and Literal(words)


def blood_type(words: str) -> Literal | bool:
    """Return a blood type."""
    return re.fullmatch(r"(?:A|B|AB|O)(?:[+-]| ?(?:rh )?(?:positive|negative))?", words, re.IGNORECASE) is not None and Literal(
        words
    )


def star_sign(words: str) -> Literal | bool:
    """Return a sign of the zodiac."""
    signs = {
        "aries",
        "taurus",
        "gemini",
        "cancer",
        "leo",
        "virgo",
        "libra",
        "scorpio",
        "sagittarius",
        "capricorn",
        "aquarius",
        "pisces",
    }
    return words.casefold() in signs and Literal(words)


def qualification(words: str) -> bool:
    """Tell whether words name a degree in a subject."""
    return len(words.split()) <= _LONGEST_PHRASE
