"""What plain English states: the forms of its sentences. A form must match a whole clause, so what it does not know it leaves.

Sureness is earned by each form and each object: what a form takes only ``loosely``, or not ``sure``, is asked back.
"""

import re
from collections.abc import Callable, Iterator

from pyoxigraph import Literal, NamedNode

from gateway.parse import things
from gateway.parse.countries import is_country
from gateway.parse.dates import parse_date
from gateway.parse.forms import NAME_WORDS, VALUE_WORDS, Part, Pattern, Reader, Tense, both, denied, one, part
from gateway.parse.lexicon import ANIMALS, BREEDS, CONDITION_WORDS, CONDITIONS, DIETS
from ontologies.vocab import OWL_DIFFERENT_FROM, OWL_SAME_AS, RDF_TYPE, term

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
    rf"(?:my|our)\s+(?P<kin>{_KIN_WORD}|{_PET})(?P<comma>,?)\s+(?P<name>{NAME_WORDS})(?P<after>,|\s|'s\b|\u2019s\b|\Z)",
    re.IGNORECASE,
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
        stated = part(predicate, things.is_name)
        yield one(f"(?:my )?{word}(?: is called| is named| was called| called|'s called| is|'s) OBJECT", stated)
        yield one(f"(?:my )?{word}'s name(?: is|'s) OBJECT", stated)
        yield one(f"(?:the name of my {word}|my {word}'s called) (?:is )?OBJECT", stated)
        yield one(f"OBJECT(?: is|'s) my {word}", stated)
        yield one(f"(?:this is |that's |meet )my {word},? OBJECT", stated)
        yield one(f"(?:i|we){{HAVE}}(?: got)? an? (?:\\w+ )?{word}, OBJECT", stated)
        yield one(f"OBJECT is an? (?:good |close |old |dear )?{word} of mine", stated)
        yield one(f"i{{HAVE}}(?: got)? an? (?:good |close |old )?{word} (?:called|named|whose name is) OBJECT", stated)
        yield one(f"SUBJECT's {word}(?: is|'s)(?: called| named)? OBJECT", stated)
        over = part(predicate, things.is_name, ended=True)
        yield one(f"OBJECT(?: is|'s) no longer my {word}", over)
        yield one(f"OBJECT(?: is|'s) no longer SUBJECT's {word}", over)
        yield one(f"my {word}(?: is|'s) no longer OBJECT", over)
        yield one(f"SUBJECT's {word}(?: is|'s) no longer OBJECT", over)
        yield one(f"SUBJECT's {word}'s name is OBJECT", stated)
        yield one(f"OBJECT is SUBJECT's {word}", stated)
        yield one(f"SUBJECT has an? {word} (?:called|named) OBJECT", stated)
    for word, predicate in _PLURALS.items():
        stated = part(predicate, things.is_name, many=True)
        yield one(f"(?:my|our) (?:{_COUNT} )?{word} are(?: called| named)? OBJECT", stated)
        yield one(f"OBJECT are (?:my|our) (?:{_COUNT} )?{word}", stated)
        yield one(f"OBJECT are (?:good |close |old )?{word} of mine", stated)
        yield one(f"(?:i|we){{HAVE}}(?: got)? (?:{_COUNT} )?{word}(?: called| named|,) OBJECT", stated)


def _pets() -> Iterator[Pattern]:
    single, several = part("hasPet", things.is_name), part("hasPet", things.is_name, many=True)
    yield from both(f"{{HAVE}}(?: got)? an? (?:{_COLOUR} )*(?:\\w+ )?{_PET} (?:called|named|whose name is) OBJECT", single)
    yield from both(f"{{HAVE}}(?: got)? an? (?:{_COLOUR} )*{_PET}, OBJECT", single)
    yield one(f"(?:we|i) (?:named|called) (?:our|my|the) (?:{_COLOUR} )*{_PET} OBJECT", single, sure=False)
    yield from both(f"{{HAVE}}(?: got)? {_COUNT} (?:{_COLOUR} )*{_PET}s(?: called| named|,) OBJECT", several)
    yield from both(
        f"(?:{{HAVE}})?{{adv}} (?:got|adopted) an? (?:{_COLOUR} )*{_PET} (?:called|named) OBJECT", single, tense=Tense.BEGINS
    )
    yield one(f"(?:my|our) (?:{_COLOUR} )*{_PET}(?: is|'s) (?:called|named) OBJECT", single)
    yield one(f"(?:my|our) {_PET}(?: is|'s) OBJECT", single)
    yield one(f"(?:my|our) {_PET}'s name(?: is|'s) OBJECT", single)
    yield one(f"(?:my|our) {_PET}s are (?:called|named) OBJECT", several)
    yield one(f"SUBJECT is an? (?:{_COLOUR} )*OBJECT", part("breed", _among(BREEDS)))


def _identity() -> Iterator[Pattern]:
    same, other = Part("object", OWL_SAME_AS, things.is_name), Part("object", OWL_DIFFERENT_FROM, things.is_name)
    one_thing = "the same (?:person|place|city|town|country|company|organisation|organization|thing|one)(?: as)?"
    yield one(f"SUBJECT(?: is|'s) {one_thing} OBJECT", same)
    yield one(f"SUBJECT(?: is not|'s not| isn't|isn\u2019t) {one_thing} OBJECT", other)
    yield one("SUBJECT and OBJECT are (?:one and )?the same(?: person| place| city| company| thing)?", same)
    yield one("SUBJECT and OBJECT are (?:two )?(?:different|not the same)(?: people| persons| places| cities| companies)?", other)


def _who() -> Iterator[Pattern]:
    name, nickname = part("name", things.said_name), part("nickname", things.said_name)
    yield one("my (?:first )?name(?: is|'s) OBJECT", name)
    yield one("my (?:full|legal) name(?: is|'s) OBJECT", part("fullName", things.said_name))
    yield one("i(?: am|'?m) called OBJECT", name)
    yield one("i(?: am|'?m) called OBJECT by (?:everyone|everybody|my friends|friends)", nickname)
    yield one("(?:please |just |you can |feel free to )*call me OBJECT", nickname)
    yield one("(?:my friends|friends|people|everyone|everybody|they)(?: all)? calls? me OBJECT(?: for short)?", nickname)
    yield one("my nickname(?: is|'s) OBJECT", nickname)
    yield one("i go by OBJECT", nickname)
    yield one("i go by OBJECT", part("pronouns", things.pronouns))
    yield one("everyone calls SUBJECT OBJECT", nickname, sure=False)
    yield one("SUBJECT(?: is|'s) (?:also|sometimes) (?:called|known as) OBJECT", nickname)
    yield one("SUBJECT's nickname(?: is|'s) OBJECT", nickname)
    yield one("my pronouns are OBJECT", part("pronouns", things.pronouns))
    birthday = part("birthday", _date)
    yield one("my (?:birthday|bday|b-day|date of birth)(?: is|'s) (?:on )?(?:the )?OBJECT", birthday)
    yield one("SUBJECT's (?:birthday|bday) is (?:on )?(?:the )?OBJECT", birthday)
    yield from both("{WAS} born (?:on |in )?(?:the )?OBJECT", birthday)
    yield from both("{WAS} born (?:on |in )?OBJECT in OBJECT2", birthday, part("birthplace", things.is_name, "object2"))
    yield from both(
        "{WAS} born in OBJECT (?:on|in) OBJECT2", part("birthplace", things.is_name), part("birthday", _date, "object2")
    )
    yield from both("{WAS} born (?:and (?:raised|bred|grew up) )?in OBJECT", part("birthplace", things.is_name))
    origin = part("comesFrom", things.is_origin)
    yield one("i{BE} (?:originally )?from OBJECT(?: originally)?", origin)
    yield one("i (?:originally )?come from OBJECT(?: originally)?", origin)
    yield one("SUBJECT is originally from OBJECT", origin)
    yield one("SUBJECT (?:is|comes) from OBJECT", part("comesFrom", is_country))
    yield one("OBJECT here", name, sure=False)
    yield from both("{BE} OBJECT", part("nationality", things.is_demonym))
    yield one("my nationality is OBJECT", part("nationality", things.is_demonym))


def _home() -> Iterator[Pattern]:
    place = part("livesIn", things.is_place)
    left = part("livesIn", things.is_place, ended=True)
    yield from both("{adv} (?:live|reside){s} in OBJECT", place)
    yield from both("{BE}{adv} (?:living|residing) in OBJECT", place)
    yield one("i{BE}{adv} (?:based|settled) in OBJECT", place)
    yield from both("{HAVE}{adv} settled (?:down )?in OBJECT", place, tense=Tense.BEGINS)
    yield one("(?:my \\w+ and i|me and my \\w+|i|we){adv} (?:live|are living) in OBJECT", place)
    yield one(
        "(?:my \\w+ and i|me and my \\w+)(?: have)?{adv} (?:moved(?: back| over)?|relocated) to OBJECT", place, tense=Tense.BEGINS
    )
    yield from both(" grew up in OBJECT", part("comesFrom", things.is_place), sure=False)
    yield from both("{HAVE}{adv} (?:been living|lived) in OBJECT (?:all my life|my whole life)", place)
    yield from both("{HAVE}{adv} (?:been living|been based|lived) in OBJECT", place, tense=Tense.PERFECT)
    yield from both("{HAVE}{adv} been in OBJECT", place, tense=Tense.LASTING)
    yield from both("(?:{HAVE})?{adv} (?:moved(?: back| over)?|relocated) to OBJECT", place, tense=Tense.BEGINS)
    yield from both(
        "(?:{HAVE})?{adv} (?:moved|relocated) from OBJECT to OBJECT2",
        part("livesIn", things.is_place, ended=True),
        part("livesIn", things.is_place, "object2"),
        tense=Tense.BEGINS,
    )
    yield one("(?:home is|my home is(?: now)?|my home is in) OBJECT", part("livesIn", things.is_place), sure=False)
    yield one("OBJECT is (?:my )?home(?: for me)?", part("livesIn", things.is_place), sure=False)
    yield one("SUBJECT's home is OBJECT", part("livesIn", things.is_place), sure=False)
    yield one("OBJECT is SUBJECT's home", part("livesIn", things.is_place), sure=False)
    yield from both(" lived in OBJECT", place, tense=Tense.PAST)
    yield from both(" used to live in OBJECT", left)
    yield from both(" (?:moved|have moved|has moved) (?:out of|away from) OBJECT", left, tense=Tense.ENDS)
    new = part("livesIn", things.is_name, "object2")
    yield from both(" left OBJECT for OBJECT2", part("livesIn", is_country, ended=True), new,
                     tense=Tense.BEGINS, sure=False)  # fmt: skip
    yield from _gone("live in", "livesIn", things.is_place)
    yield from both("{adv} live{s} with OBJECT", part("livesWith", things.is_person, many=True))
    yield from both("{BE}{adv} living with OBJECT", part("livesWith", things.is_person, many=True))
    yield from both("{BE}{adv} staying (?:at|in) OBJECT", part("staysAt", things.is_company))
    yield one("my (?:home |postal |street )?address is OBJECT", part("postalAddress", things.address))


def _work() -> Iterator[Pattern]:
    at, title = part("worksAt", things.is_company), part("jobTitle", things.job)
    head, ended = part("jobTitle", things.occupation), part("worksAt", things.is_company, ended=True)
    title2, at2 = part("jobTitle", things.job, "object2"), part("worksAt", things.is_company, "object2")
    yield from both("{adv} work{s} (?:at|for) OBJECT", at)
    yield from both("{BE}{adv} (?:working (?:at|for)|employed (?:at|by)) OBJECT", at)
    yield from both("{adv} work{s} (?:at|for) OBJECT as (?:an? |the )?OBJECT2", at, title2)
    yield from both("{adv} work{s} as (?:an? |the )?OBJECT (?:at|for) OBJECT2", title, at2)
    yield from both("{BE}{adv} working as an? OBJECT (?:at|for) OBJECT2", title, at2)
    yield from both("{adv} work{s} as (?:an? )?OBJECT", title)
    yield from both("{adv} work{s} in (?:the )?[\\w &-]+? (?:at|for) OBJECT", at)
    yield from both(
        "{BE}{adv} (?:the )?(?P<object>C[A-Z]O|CISO|head of \\w+|director|president|founder|manager) (?:of|at) OBJECT2",
        title,
        at2,
    )
    yield from both("(?:{HAVE} been|(?:{HAVE})?{adv} got|{WAS}){adv} promoted to OBJECT", head, tense=Tense.BEGINS)
    yield one("(?:my )?(?:new )?(?:job|work|office) is (?:at|with) OBJECT", at)
    yield from both("{adv} teach{es} OBJECT at OBJECT2", part("teaches", things.is_study, many=True), at2)
    yield from both(
        "(?:{HAVE} been|(?:{HAVE})?{adv} got|{WAS}){adv} (?:fired|laid off|let go) (?:from|by) OBJECT", ended, tense=Tense.ENDS
    )
    yield from both("{BE}{adv} working as an? OBJECT", title)
    yield from both("{HAVE}{adv} (?:been working|worked) (?:at|for) OBJECT", at, tense=Tense.PERFECT)
    yield from both(" worked (?:at|for) OBJECT", at, tense=Tense.PAST)
    yield from both(" used to work (?:at|for) OBJECT", ended)
    begun = "(?:{HAVE})?{adv} (?:started(?: working| a new job| work| a job| my new job)?|joined|begun working|began working)"
    yield from both(f"{begun} (?:at |for |with )?OBJECT as (?:an? |the )?OBJECT2", at, title2, tense=Tense.BEGINS)
    yield from both(f"{begun} as (?:an? |the )?OBJECT (?:at |for |with )OBJECT2", title, at2, tense=Tense.BEGINS)
    yield from both(f"{begun} (?:at |for |with )OBJECT", at, tense=Tense.BEGINS)
    yield from both("(?:{HAVE})?{adv} (?:got|taken|landed|accepted) a (?:new )?job (?:at|with) OBJECT", at, tense=Tense.BEGINS)
    gone = "(?:{HAVE})?{adv} (?:left|quit|resigned from)"
    yield from both(f"{gone} (?:my|his|her) job (?:at|with) OBJECT", ended, tense=Tense.ENDS)
    yield from both(f"{gone} OBJECT", ended, tense=Tense.ENDS, sure=False)  # a city and a person can be left too
    yield from _gone("work (?:at|for)", "worksAt", things.is_company)
    yield from both("{BE}{adv} (?:an?|the) OBJECT(?: by (?:profession|trade|training))?", head)
    yield from both("{BE}{adv} (?:an?|the) OBJECT (?:at|for|with) OBJECT2", head, at2)
    yield from both("{BE}{adv} an? OBJECT in [\\w ]+", head, sure=False)
    yield from both("{BE}{adv} working as an? OBJECT in [\\w ]+", title)
    yield one("my job(?: title)?(?: is|'s) (?:an? )?OBJECT", head)
    yield one("my employer is OBJECT", at)
    yield from both("{adv} work{s} with OBJECT", part("colleague", things.is_colleague, many=True))
    yield from both("{adv} manage{s} OBJECT", part("manages", things.is_person, many=True), sure=False)
    yield from both("{adv} report{s} to OBJECT", part("managedBy", things.is_person), sure=False)
    yield from both("{BE} managed by OBJECT", part("managedBy", things.is_person))
    yield from both("{adv} lead{s} (?:the )?OBJECT", part("leads", things.is_project))
    yield from both("{BE}{adv} (?:leading|running) (?:the )?OBJECT", part("leads", things.is_project), sure=False)
    yield from both("{BE}{adv} working on OBJECT", part("worksOn", things.is_project), sure=False)
    founded = "(?:{HAVE})?{adv} (?:founded|co-founded|cofounded|started)"
    yield from both(f"{founded} (?:a|my own) (?:small |tech )?(?:company|business|startup|firm|agency) (?:called|named) OBJECT",
                     part("founderOf", things.is_company), tense=Tense.EVENT)  # fmt: skip
    yield from both("(?:{HAVE})?{adv} (?:founded|co-founded) OBJECT", part("founderOf", things.is_company), tense=Tense.EVENT)
    yield from both("{BE}{adv} a member of OBJECT", part("memberOf", things.is_company))
    yield one("i{BE}{adv} part of OBJECT", part("memberOf", things.is_company), sure=False)
    yield from both("(?:{HAVE})?{adv} joined OBJECT", part("memberOf", things.is_club), tense=Tense.BEGINS)
    yield from both("(?:{HAVE})?{adv} joined OBJECT", at, tense=Tense.BEGINS, sure=False)
    yield one("my salary is OBJECT", part("salary", _value(things.is_amount)))


def _family() -> Iterator[Pattern]:
    spouse = part("spouse", things.is_person)
    yield from both("{BE}{adv} married to OBJECT", spouse)
    yield from both("(?:{HAVE})?{adv} (?:got married to|married) OBJECT", spouse, tense=Tense.BEGINS)
    yield from both("{HAVE}{adv} been married to OBJECT", spouse, tense=Tense.PERFECT)
    ex = part("partner", things.is_person, ended=True)
    yield one("OBJECT and i(?: have)? (?:split(?: up)?|broke up|broken up|separated)", ex, tense=Tense.ENDS)
    yield one("SUBJECT and OBJECT (?:got married|are married|tied the knot)", spouse, tense=Tense.BEGINS)
    yield one("OBJECT and i (?:got|are|have been)(?: both)? married", spouse, tense=Tense.BEGINS)
    yield from both("{BE}{adv} (?:dating|engaged to|in a relationship with) OBJECT", part("partner", things.is_person))
    yield from both("{BE}{adv} (?:good |best |close )?friends with OBJECT", part("friend", things.is_person, many=True))


def _contact() -> Iterator[Pattern]:
    values = (
        ("email", "(?:personal |work |new |private )?e-?mail(?: address)?", things.email),
        ("phone", "(?:new |mobile |cell |tele)?(?:phone|mobile|number)(?: number)?", things.phone),
        ("website", "(?:website|homepage|blog|site)", things.website),
    )
    for predicate, noun, read in values:
        stated = part(predicate, read)
        yield one(f"my {noun}(?: is|'s):? (?:now )?{VALUE_WORDS}", stated)
        yield one(f"SUBJECT's {noun} is:? (?:now )?{VALUE_WORDS}", stated)
    reach = "(?:you can )?(?:reach|email|contact|write to|call|text|ring|phone) me (?:at|on|under)"
    yield one(f"{reach} OBJECT", part("email", things.email))
    yield one(f"{reach} OBJECT", part("phone", things.phone))
    yield one("OBJECT is my (?:gp|doctor|dentist|therapist|physio|optician)", part("treatedBy", things.is_person))
    yield one(
        "my (?:gp|doctor|dentist|therapist|physio|optician)(?: is|'s)(?: called)? OBJECT", part("treatedBy", things.is_person)
    )
    yield one("my emergency contact is (?:my \\w+ )?OBJECT", part("emergencyContact", things.is_person))
    yield one("my (?:twitter|instagram|github|mastodon|telegram|discord)(?: handle| username| account)?(?: is|'s) OBJECT",
               part("onlineAccount", things.handle))  # fmt: skip
    yield one("my blood (?:type|group) is OBJECT", part("bloodType", things.blood_type))
    yield one("my star sign is OBJECT", part("zodiacSign", things.star_sign))


def _health() -> Iterator[Pattern]:
    allergen = part("allergicTo", things.is_allergen, many=True)
    yield from both("{BE}{adv} (?:very |severely |highly |deathly |slightly )?allergic to OBJECT", allergen)
    yield from both("{HAVE}(?: got)? an? (?:severe |bad |mild |serious )?allergy to OBJECT", allergen)
    yield from both("{HAVE}(?: got)? an? (?:severe |bad |mild |serious )?OBJECT allergy", allergen)
    diet = part("followsDiet", _among(DIETS))
    yield from both("{BE}{adv} (?:an? )?(?:strict )?OBJECT", diet)
    yield from both("{HAVE}{adv} been (?:an? )?OBJECT", diet, tense=Tense.PERFECT)
    yield from both("{BE} not (?:an? )?OBJECT any(?: )?more", part("followsDiet", _among(DIETS), ended=True))
    yield from both("{BE} no longer (?:an? )?OBJECT", part("followsDiet", _among(DIETS), ended=True))
    yield from both("(?:{HAVE})?{adv} (?:became|become|gone|went|turned) (?:an? )?OBJECT", diet, tense=Tense.BEGINS)
    yield from both("{adv} (?:eat{s}|keep{s}|follow{s} an?) OBJECT(?: diet)?", diet)
    yield from both("{DO} eat OBJECT", part("mustAvoid", things.is_food, many=True))
    yield from both(" (?:can't|cannot|can not) eat OBJECT", part("mustAvoid", things.is_food, many=True))
    yield from both(" (?:must avoid|have to avoid|has to avoid) OBJECT", part("mustAvoid", things.is_food, many=True))
    yield from both("{BE}{adv} OBJECT", part("hasCondition", _among(CONDITION_WORDS)))
    condition = part("hasCondition", _among(CONDITIONS))
    yield from both("{HAVE}{adv}(?: got)? OBJECT", condition)
    yield from both("{adv} suffer{s} from OBJECT", condition)
    yield from both("(?:{WAS}|{HAVE} been) diagnosed with OBJECT", condition, tense=Tense.BEGINS)
    medication = part("takesMedication", things.is_medication)
    yield from both("{adv} take{s} OBJECT(?: every day| daily| twice a day| every (?:morning|evening))?", medication)
    yield from both("{BE}{adv} (?:taking|on) OBJECT", medication)


def _tastes() -> Iterator[Pattern]:
    liked = part("likes", things.is_taste, many=True, loose=True)
    hated = part("dislikes", things.is_taste, many=True, loose=True)
    yield from both("{adv} (?:like|love|enjoy|adore){s} OBJECT", liked)
    yield from both(" (?:can't|cannot) get enough of OBJECT", liked)
    yield from both("{HAVE}{adv} (?:always )?(?:liked|loved|enjoyed) OBJECT", part("likes", things.is_taste, many=True))
    yield from both("{adv} (?:hate|dislike|detest|loathe|despise){s} OBJECT", hated)
    yield from both(" (?:can't|cannot|can not) stand OBJECT", hated)
    yield from both("{BE}{adv} (?:a )?(?:big|huge|massive|great) fan of OBJECT", liked)
    yield from both("{BE}{adv} a fan of OBJECT", liked)
    yield from both("{BE} not (?:a (?:big |huge |great )?fan of|keen on|fond of|into) OBJECT", hated)
    yield from both("{BE}{adv} (?:very |quite |really )?(?:fond of|keen on|crazy about|mad about|obsessed with) OBJECT", liked)
    yield from both("{BE}{adv} (?:really |very |quite )?into OBJECT", liked)
    yield from both("(?:{HAVE})?{adv} (?:got|gotten) into OBJECT(?: lately| recently)?", liked, sure=False)
    yield from both(" grew up speaking OBJECT(?: at home)?", part("speaks", things.is_language, many=True))
    yield from both("{DO} (?:like|enjoy) OBJECT any(?: )?more", part("likes", things.is_taste, ended=True))
    yield from both("{DO} (?:really )?like OBJECT", denied("likes", things.is_taste, loose=True))
    yield from both("{adv} no longer (?:like|enjoy|love){s} OBJECT", part("likes", things.is_taste, ended=True))
    yield from both("{adv} prefer{s} OBJECT (?:over|to) OBJECT2", part("likes", things.is_taste))
    yield from both("{BE}{adv} (?:very |really )?interested in OBJECT", part("interestedIn", things.is_taste, many=True))
    favourites = (
        ("favouriteColour", "colou?r", things.text), ("favouriteFood", "(?:food|dish|meal|cuisine)", things.is_thing),
        ("favouriteBook", "(?:book|novel)", things.is_title), ("favouriteFilm", "(?:film|movie)", things.is_title),
        ("favouriteMusic", "(?:band|music|singer|musician|artist|song|album|music genre)", things.is_title),
        ("favouritePlayer", "(?:player|footballer|athlete)", things.is_title),
        ("favouritePlace", "(?:place|spot|city)", things.is_thing),
    )  # fmt: skip
    for predicate, noun, read in favourites:
        stated = part(predicate, read)
        yield one(
            f"my (?:all[- ]time )?favou?rite {noun}(?: is|'s| has to be| must be)(?: still| now| definitely)? (?:the )?OBJECT",
            stated,
        )
        yield one(f"SUBJECT's favou?rite {noun} is (?:the )?OBJECT", stated)
        yield one(f"OBJECT is my (?:all[- ]time )?favou?rite {noun}", stated)
    generic = part("favourite", things.is_title)
    yield one("my (?:all[- ]time )?favou?rite \\w+(?: \\w+)?(?: is|'s) (?:the )?OBJECT", generic)
    yield one(
        "my (?:all[- ]time )?favou?rite (?:animal|season|drink|sport|game|flavou?r|dessert|fruit|vegetable|subject|snack|coffee"
        "|flower|cheese|wine|beer|genre)"
        "(?: is|'s) OBJECT",
        part("favourite", things.is_thing),
    )
    hobby = part("hobby", things.is_thing, many=True)
    yield one("OBJECT(?: is|'s) (?:pretty much )?my (?:only |main |favou?rite )?hobby", hobby)
    yield one("(?:my|one of my) (?:main |favou?rite )?hobb(?:y is|ies are|ies is) OBJECT", hobby)
    yield from both("{BE}{adv} (?:a )?(?:keen|passionate|avid) OBJECT", part("describedAs", things.text), sure=False)


def _learning() -> Iterator[Pattern]:
    speaks = part("speaks", things.is_language, many=True)
    yield from both("{adv} (?:can )?speak{s} (?:fluent |some |good |a little |a bit of )?OBJECT(?: fluently| well)?", speaks)
    yield one("SUBJECT can speak OBJECT(?: fluently| well)?", speaks)
    yield from both("{BE}{adv} (?:fluent|bilingual) in OBJECT", speaks)
    yield one("my (?:native|first|mother) (?:language|tongue) is OBJECT", speaks)
    yield one("my mother tongue is OBJECT", speaks)
    yield from both("{BE}{adv} (?:learning|studying) (?:to (?:speak|play) )?(?:the )?OBJECT",
                     part("learns", things.is_language, many=True))  # fmt: skip
    yield from both("{BE}{adv} learning (?:to play )?(?:the )?OBJECT", part("learns", things.is_thing), sure=False)
    study = part("studies", things.is_study, many=True)
    yield from both("{adv} (?:study|studies|major{s} in) OBJECT", study)
    yield from both("{BE}{adv} (?:studying|majoring in|doing a degree in) OBJECT", study)
    school = part("studiesAt", things.is_company)
    school2 = part("studiesAt", things.is_company, "object2")
    yield from both("{adv} (?:study|studies) OBJECT at OBJECT2", study, school2)
    yield from both("{BE}{adv} studying OBJECT at OBJECT2", study, school2)
    yield from both("{adv} (?:study|studies|go to school|goes to school) at OBJECT", school)
    course = "(?:PhD|doctorate|master's|masters|bachelor's|bachelors|degree|MBA|MSc|MA|BSc|BA|undergrad)"
    doing = f"{{BE}}{{adv}} (?:doing|finishing|writing|getting|pursuing) (?:my|his|her|an?) {course}"
    yield from both(f"{doing} in OBJECT at OBJECT2", study, school2)
    yield from both(f"{doing} in OBJECT", study)
    yield from both(f"{doing} at OBJECT", school)
    yield from both("{BE}{adv} an? OBJECT (?:student|major|undergrad) at OBJECT2", study, school2)
    yield from both("{BE}{adv} an? OBJECT (?:student|major)", study)
    yield from both("{BE}{adv} in (?:my|his|her) \\w+ year of OBJECT at OBJECT2", study, school2)
    yield from both(
        " did (?:my|his|her) (?:undergrad|degree|masters|master's|PhD|BA|BSc|MA|MSc) at OBJECT",
        part("alumnusOf", things.is_company),
        tense=Tense.EVENT,
    )
    yield from both("{HAVE}{adv} been (?:studying|learning) OBJECT", part("learns", things.is_language), tense=Tense.PERFECT)
    yield from both("{HAVE}{adv} been learning OBJECT", part("learns", things.is_thing), tense=Tense.PERFECT)
    yield from both("{BE}{adv} (?:trying to learn|learning) OBJECT (?:on|with|at) [\\w ]+", part("learns", things.is_language))
    yield from both("{HAVE}{adv} been studying OBJECT", study, tense=Tense.PERFECT)
    yield from both("{BE}{adv} (?:studying|a student) at OBJECT", school)
    alumnus = part("alumnusOf", things.is_company)
    yield from both("(?:{HAVE})?{adv} graduated from OBJECT", alumnus, tense=Tense.EVENT)
    yield from both(" studied OBJECT at OBJECT2", part("studies", things.is_study, ended=True),
                     part("alumnusOf", things.is_company, "object2"), tense=Tense.ENDS)  # fmt: skip
    yield from both(" studied at OBJECT", alumnus, tense=Tense.EVENT)
    degree = "(?:PhD|doctorate|masters?|master's(?: degree)?|bachelor's(?: degree)?|degree|diploma|MBA|BSc|MSc|BA|MA)"
    yield from both(f"{{HAVE}}(?: got)? an? (?P<object>{degree} in [\\w ]+)", part("holds", things.qualification))
    yield from both("{adv} teach{es} OBJECT", part("teaches", things.is_study, many=True))
    yield from both("{adv} play{s} the OBJECT", part("plays", things.is_instrument, many=True))
    yield from both(" used to play the OBJECT", part("plays", things.is_instrument, ended=True))
    yield from both("{adv} play{s} OBJECT", part("plays", things.is_game, many=True))
    yield from both(" used to play OBJECT", part("plays", things.is_game, ended=True))
    yield from both("{adv} play{s} OBJECT in (?:an? |the )[\\w ]+", part("plays", things.is_instrument))
    yield from both("{adv} support{s} OBJECT", part("supports", things.is_name))


def _possessions() -> Iterator[Pattern]:
    owned = part("owns", things.is_owned)
    yield from both("{adv} own{s} an? OBJECT", owned)
    yield from both("(?:{HAVE})?{adv} bought (?:myself |himself |herself )?an? (?:new )?OBJECT", owned, tense=Tense.BEGINS)
    yield from both("{HAVE}(?: got)? an? OBJECT", part("owns", things.is_branded))
    yield from both(
        "(?:{HAVE})?{adv} sold (?:my|our|his|her|the) OBJECT", part("owns", things.is_thing, ended=True), tense=Tense.ENDS
    )
    yield from both("{adv} drive{s} an? OBJECT", part("drives", things.is_driven))
    yield from both("{adv} drive{s} an? OBJECT (?:that|which) [\\w' ]+", part("drives", things.is_driven))
    yield one("my car is an? OBJECT", part("drives", things.is_driven))


def _travels() -> Iterator[Pattern]:
    place = part("visited", things.is_place, many=True)
    yield from both("(?:{HAVE})?{adv} (?:visited|travelled to|traveled to|been to|toured) OBJECT", place, tense=Tense.EVENT)
    yield from both(" (?:went|flew|took a trip|went on (?:a trip|holiday|vacation)) to OBJECT", place, tense=Tense.EVENT)
    yield from both("(?:{WAS}|{HAVE} been) in OBJECT", place, tense=Tense.EVENT)
    yield from both(
        "(?:{HAVE}|{BE})?{adv} (?:got back|come back|came back|returned|back) from"
        " (?:my trip to |a trip to |holiday in |vacation in )?OBJECT",
        place,
        tense=Tense.EVENT,
    )
    yield from both(" spent (?:[\\w ]+ )?in OBJECT", place, tense=Tense.EVENT)
    wanted = part("plansToVisit", things.is_place, many=True)
    yield from both("{adv} (?:want{s}|plan{s}|hope{s}) to (?:visit|go to|travel to) OBJECT(?: one day| someday| soon)?", wanted)
    yield from both("{BE}{adv} planning (?:a (?:trip|holiday|vacation) to|to (?:visit|go to|travel to)) OBJECT", wanted)
    yield from both(
        "{BE}{adv} (?:going(?: on (?:a trip|holiday|vacation))?|flying|travell?ing|off) to OBJECT", wanted, sure=False
    )
    yield from both("(?:{HAVE})?{adv} (?:booked|book) (?:a (?:trip|flight|holiday)|flights|tickets) to OBJECT", wanted)
    yield from both("{BE}{adv} (?:reading|halfway through|in the middle of) OBJECT", part("reads", things.is_title))
    yield from both("(?:{HAVE})?{adv} watched OBJECT", part("watched", things.is_title), tense=Tense.EVENT)


def _world() -> Iterator[Pattern]:
    city = "(?:an?|the) (?:\\w+ )?(?:city|town|village)"
    country, place = part("inCountry", is_country), part("partOf", things.is_name)
    yield one("SUBJECT is the capital(?: city)? of OBJECT", part("capitalOf", is_country))
    yield one(f"SUBJECT is {city} in OBJECT", country)
    yield one("SUBJECT is in OBJECT", country, sure=False)
    yield one("SUBJECT is (?:a )?part of OBJECT", country)
    yield one(f"SUBJECT is (?:{city} in|a region (?:of|in)) OBJECT", place)
    yield one("SUBJECT is (?:a )?part of OBJECT", place, sure=False)
    for kind, class_ in (("country", "Country"), ("city", "City"), ("company", "Company"), ("region", "Region")):
        yield one(f"SUBJECT is (?P<object>a {kind})", Part("object", RDF_TYPE, _class(class_)))
    yield one("SUBJECT is a company (?:based )?in OBJECT", part("basedIn", things.is_name))
    yield one("SUBJECT is based in OBJECT", part("basedIn", things.is_name), sure=False)
    yield one("SUBJECT is a subsidiary of OBJECT", part("subsidiaryOf", things.is_name))
    yield one("SUBJECT borders OBJECT", part("borders", is_country))
    yield one("SUBJECT was written by OBJECT", part("author", things.is_person))


def _gone(bare: str, predicate: str, read: Reader) -> Iterator[Pattern]:
    """Yield what says that something no longer is so, and what denies it."""
    ended = part(predicate, read, ended=True)
    yield from both(f"{{adv}} no longer {bare.replace(' ', '{s} ', 1)} OBJECT", ended)
    yield from both(f"{{DO}} {bare} OBJECT any(?: )?more", ended)
    yield from both(f"{{DO}} {bare} OBJECT", denied(predicate, read))


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
        _identity, _who, _kin, _pets, _contact, _family, _home, _work, _health, _tastes, _learning, _possessions, _travels,
        _world,
    )
    for pattern in group()
)  # fmt: skip


def likely(clause: str) -> Iterator[Pattern]:
    """Yield the patterns that a clause may match, in order: those whose hints and heads it has."""
    small = clause.casefold().replace("\u2019", "'")
    there = {hint for hint in _ALL_HINTS if hint in small}
    return (p for p in PATTERNS if small.startswith(p.heads) and (not p.hints or not p.hints.isdisjoint(there)))


_ALL_HINTS = frozenset(hint for pattern in PATTERNS for hint in pattern.hints)
