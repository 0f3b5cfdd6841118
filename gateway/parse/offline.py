"""The parser without a model: sure forms over whole clauses. It says nothing about what it does not understand."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import date

from gateway.parse import things
from gateway.parse.context import Before
from gateway.parse.forms import Part, Pattern, Tense
from gateway.parse.patterns import KIN_APPOSITION, KIN_HEAD, kin_predicate, likely
from gateway.parse.sentences import Sentence, is_greeted, lead, sentences
from gateway.parse.times import Relation, When, find_when, today, validity
from gateway.waiting import work
from memory.claim import Act, Candidate, Mention, Polarity, Reading, Source, Span, Speaker, Validity, Value
from memory.ids import Instant
from ontologies.vocab import NAME as NAMED

NAME = "offline-2"
_MOST_SENTENCES = 200
_LONGEST_SENTENCE = 240
_MOST_CLAUSES = 6
_MOST_ATTEMPTS = 1_200
_VOCATIVE = frozenset({"friend", "mate", "buddy", "son", "kid", "child", "brother", "sister", "partner"})
_LONGEST_CASUAL = 2
_JOINT = re.compile(r",?\s+(?:and|but|so|plus|while|whereas)\s+(?:also\s+|now\s+)?|,\s+|\s+[\u2013\u2014-]+\s+", re.IGNORECASE)
_TAIL = re.compile(
    r"(?:,?\s+(?:every \w+|on \w+days|once a \w+|twice a \w+|a lot|so much|very much|(?:part|full)[- ]time|remotely|"
    r"next (?:week|month|year|spring|summer|autumn|winter)|tomorrow|for the (?:first|second) time|twice|once|soon|one day|"
    r"someday|now|lately|recently|these days|nowadays|currently|at the moment|right now|"
    r"too|as well|again|by the way|btw|actually|though|"
    r"at the mo|atm|so far|for now|you know|fyi|here|together))+\Z",
    re.IGNORECASE,
)
_INDEPENDENT = re.compile(
    r"(?:i|i['\u2019]?(?:m|ve|d|ll)|my|we|our|it|it['\u2019]s|he|she|they|this|that|the|there|not)\b", re.IGNORECASE
)
# What turns a statement beside it into something else; a comment after one, such as ", so no bread", does not.
_CONDITION = re.compile(
    r"\b(?:if|unless|when|whenever|until|except|or|than|not|nor|almost|nearly|kidding|joking|wish(?:es)?|pretend|"
    r"supposedly|allegedly|hypothetically|would|could|might|apparently|obviously|clearly|mostly|kind of|sort of|kinda|sorta|ish|"
    r"half|reckon|assume|i guess|psych|gotcha|ha|nope|lies?|wrong|dreams?|per|as far as|correct|does(?:n't)?|isn't|"
    r"aren't|ain't|won't|said|says|say|love them|adore them|divorced|separated|still do)\b|[\U0001f644\U0001f643]",
    re.IGNORECASE,
)
_ELLIPTIC = re.compile(
    r"(?:(?P<did>moved|relocated|started|joined|married|sold|bought|visited|watched|adopted|got|quit|left|graduated|founded|"
    r"co-founded|travell?ed|went|flew|came|studied|worked|lived|did my)|"
    r"(?P<been>been)|(?P<am>born|working|living|staying|allergic|based|off|back|planning|fluent|currently|halfway through|"
    r"trying to|originally|married to|vegan|vegetarian)|(?P<do>can't stand|cannot stand|used to))\b",
    re.IGNORECASE,
)
_I_AM = re.compile(r"(?:i\s+am|i['\u2019]?m|it['\u2019]?s|this\s+is)\s+(?P<name>[^\W\d_]\w*(?:\s+[^\W\d_]\w*)?)\Z", re.IGNORECASE)


class OfflineParser:
    """A deterministic parser of plain English."""

    name = NAME

    async def read(self, source: Source, before: Before | None = None) -> Reading:  # noqa: ARG002 - reads each alone
        """Return the candidates and questions of a message."""
        return await work(read, source.body, source.said_at, source.zone)


@dataclass(frozen=True, slots=True)
class _Clause:
    """A clause of a sentence: its text, where it begins in the message, and who is its subject where it names none.

    ``text`` may begin with ``given`` characters that stand for what the clause leaves out; ``loose`` lets an object be words
    that are asked back, ``casual`` a name without capitals. One that
    ``heads`` its sentence may leave out "I".
    """

    text: str
    start: int
    subject: "Speaker | Mention | None" = None
    given: int = 0
    loose: bool = False
    casual: bool = False
    heads: bool = False


def read(text: str, said_at: Instant, zone: str) -> Reading:
    """Return the candidates and questions of a text said at an instant in a time zone."""
    candidates: list[Candidate] = []
    questions: list[str] = []
    every = list(sentences(text))
    cut = every[:_MOST_SENTENCES]
    reader = _Reader(said_at, zone, today(said_at, zone), greeted=is_greeted(text))
    unread = len(every) - len(cut)
    for sentence in cut:
        if sentence.act is Act.QUESTION:
            questions.append(sentence.text)
        elif len(sentence.text) <= _LONGEST_SENTENCE and sentence.act is Act.STATEMENT:
            if reader.attempts > _MOST_ATTEMPTS:
                unread += 1
                continue
            candidates += reader.candidates(sentence)
    return Reading(NAME, tuple(candidates), tuple(questions), only_asks=len(questions) == len(every), unread=unread)


@dataclass(slots=True)
class _Reader:
    """Reads the sentences of one message. ``attempts`` counts the clauses that were tried, of which a message has so many."""

    said_at: Instant
    zone: str
    day: date
    greeted: bool
    attempts: int = 0

    def candidates(self, sentence: Sentence) -> list[Candidate]:
        """Return what a sentence states, clause by clause."""
        start = lead(sentence.text)
        clause = _Clause(sentence.text[start:], sentence.span.start + start, casual=sentence.text.islower(), heads=True)
        whole = self._clause(sentence, clause)
        if whole is not None and not _says_who_only(clause.text, whole):
            return whole
        return self._joined(sentence, start) or whole or self._clause(sentence, replace(clause, loose=True)) or []

    def _joined(self, sentence: Sentence, start: int) -> list[Candidate]:
        """Return what the clauses of a sentence state."""
        joints = list(_JOINT.finditer(sentence.text, start))[: _MOST_CLAUSES - 1]
        if not joints:
            return []
        bounds = [start, *(joint.end() for joint in joints)]
        ends = [*(joint.start() for joint in joints), len(sentence.text)]
        return self._clauses(sentence, bounds, ends)

    def _clauses(self, sentence: Sentence, bounds: list[int], ends: list[int]) -> list[Candidate]:
        """Return what the longest clauses state that begin at a joint and end at one; what lies between them is left."""
        found: list[Candidate] = []
        subject: Speaker | Mention | None = None
        doubtful, position = False, 0
        while position < len(bounds):
            for last in range(len(ends) - 1, position - 1, -1):
                text = sentence.text[bounds[position] : ends[last]]
                clause = _Clause(text, sentence.span.start + bounds[position], subject, heads=position == 0)
                own = Span(
                    clause.start, clause.start + len(text)
                )  # the words that say it, unless they leave out whom it is about
                stated = self._clause(sentence if isinstance(subject, Mention) else replace(sentence, span=own), clause)
                if stated is not None and (last == position or not _says_who_only(text, stated)):
                    found += stated
                    named = stated[0].object if _says_who_only(text, stated) else stated[-1].subject
                    subject = None if isinstance(named, Value) else named
                    position = last + 1
                    break
            else:
                rest = sentence.text[bounds[position] : ends[position]]
                subject = None
                so = sentence.text[: bounds[position]].rstrip().endswith(" so")
                doubtful = doubtful or not (found or _INDEPENDENT.match(rest)) or not (so or _is_comment(rest))
                position += 1
        return [replace(c, sure=False) for c in found] if doubtful else found

    def _clause(self, sentence: Sentence, clause: _Clause) -> list[Candidate] | None:
        """Return what a clause states, or ``None`` where no form fits."""
        self.attempts += 1
        tail = _TAIL.search(clause.text)
        text = clause.text[: tail.start()] if tail else clause.text
        skipped = lead(text)
        clause = replace(clause, text=text[skipped:], start=clause.start + skipped)
        head = self._kin(sentence, clause) or self._apposition(sentence, clause)
        if head is not None:
            return head
        named = self._self_introduction(sentence, clause)
        for version in self._versions(clause):
            stated = self._match(sentence, version)
            if stated is not None:
                return stated
        return named

    def _versions(self, clause: _Clause) -> Iterator[_Clause]:
        """Yield a clause as it stands, and with the subject and verb that it takes over from the one before."""
        yield clause
        left_out = _ELLIPTIC.match(clause.text) if clause.subject is None and clause.heads else None
        if left_out is not None:
            given = "i have " if left_out["been"] else "i am " if left_out["am"] else "i "
            yield replace(clause, text=given + clause.text, start=clause.start - len(given), subject=Speaker(), given=len(given))
        if clause.subject is not None and not clause.text.casefold().startswith("like "):  # "like yoga" gives an example
            name = "i" if isinstance(clause.subject, Speaker) else clause.subject.text
            for given in (f"{name} ", f"{name} am " if name == "i" else f"{name} is "):
                yield _Clause(given + clause.text, clause.start - len(given), clause.subject, len(given))

    def _match(self, sentence: Sentence, clause: _Clause) -> list[Candidate] | None:
        when = find_when(clause.text, self.day)
        if when is not None:
            before, after = clause.text[: when.start], clause.text[when.end :]
            tail = _TAIL.search(before)
            rest = replace(clause, text=before[: tail.start()] if tail else before)
            if not before:
                rest = replace(clause, text=after, start=clause.start + when.end)
            for pattern in likely(rest.text):
                stated = self._stated(sentence, rest, pattern, when)
                if stated is not None:
                    return stated
        for pattern in likely(clause.text):
            stated = self._stated(sentence, clause, pattern, None)
            if stated is not None:
                return stated
        return None

    def _stated(self, sentence: Sentence, clause: _Clause, pattern: Pattern, when: When | None) -> list[Candidate] | None:
        found = pattern.form.fullmatch(clause.text)
        if found is None:
            return None
        subject = _subject(found, clause)
        timed = self._time(pattern, when)
        if subject is None or timed is None:
            return None
        valid, sure = timed
        candidates: list[Candidate] = []
        for part in pattern.parts:
            references = _objects(found, clause, part, pattern.tense)
            if references is None:
                return None
            # A time beside a form of two parts is that of what begins.
            ends = part.polarity is Polarity.ENDED and pattern.tense is not Tense.ENDS
            for reference, known in references:
                candidates.append(
                    Candidate(
                        subject,
                        part.predicate,
                        reference,
                        sentence.span,
                        _wording(clause, subject),
                        sentence.act,
                        part.polarity,
                        Validity() if ends else valid,
                        present=valid.to_latest is None,
                        sure=pattern.sure and sure and known,
                    )
                )
        return candidates

    def _time(self, pattern: Pattern, when: When | None) -> tuple[Validity, bool] | None:
        """Return the valid time that a form gets from a phrase, and whether the two go together surely."""
        tense = pattern.tense
        if when is None:
            return None if tense in {Tense.LASTING, Tense.PERFECT, Tense.PAST} else (Validity(), True)
        timed = validity(when, self.said_at, self.zone, begins=tense is Tense.BEGINS, happens=tense in {Tense.EVENT, Tense.ENDS})
        since, told = when.relation is Relation.SINCE, (Validity(), False)
        match tense:
            case Tense.PRESENT | Tense.PERFECT if since:
                told = (timed, True)
            case Tense.PAST:
                return None if since else (timed, True)
            case Tense.PERFECT:
                return None
            case Tense.BEGINS if when.relation is Relation.DURING:
                told = (timed, True)
            case Tense.EVENT if when.relation in {Relation.DURING, Relation.BETWEEN}:
                told = (timed, True)
            case Tense.ENDS if when.relation is Relation.DURING:
                told = (Validity(to_earliest=timed.to_earliest, to_latest=timed.to_latest, zone=self.zone), True)
            case Tense.LASTING | Tense.ENDS:
                return (timed, True) if since and tense is Tense.LASTING else None
            case _:
                pass
        return told

    def _kin(self, sentence: Sentence, clause: _Clause) -> list[Candidate] | None:
        """Return what "my sister Mara ..." states: that she is the sister, and what follows about her."""
        found = KIN_HEAD.match(clause.text)
        if found is None or found["name"][0].islower():
            return None
        name = _leading_name(found["name"])
        end = found.start("name") + len(name)
        rest = clause.text[end:]
        after = re.match(r"(?:,|\s|['\u2019]s\b)\s*(?=[\w'])", rest)
        listed = found["comma"] and re.match(r"\s+and\s+(?:i|my|our|we)\b", rest, re.IGNORECASE)  # "my girlfriend, Toby and I"
        called = found["comma"] and found["kin"].casefold() in _VOCATIVE  # "Thanks, my friend, ..."
        if not things.is_person(name) or after is None or listed or called:
            return None
        begin = clause.start + found.start("name")
        mention = Mention(name, Span(begin, begin + len(name)))
        predicate = kin_predicate(found["kin"])
        kin = Candidate(Speaker(), predicate, mention, sentence.span, f"my {found['kin']}", sentence.act)
        return [kin, *(self._about(sentence, clause, mention, end) or ())]

    def _about(self, sentence: Sentence, clause: _Clause, mention: Mention, end: int) -> list[Candidate] | None:
        """Return what the rest of a clause, from ``end`` on, states about somebody who is named before it."""
        rest = clause.text[end:]
        follows = rest.lstrip("), ")
        if not follows:
            return None
        given = mention.text if follows[0] in "'\u2019" else f"{mention.text} "
        begin = clause.start + end + rest.index(follows)
        return self._match(sentence, _Clause(given + follows, begin - len(given), mention, len(given)))

    def _apposition(self, sentence: Sentence, clause: _Clause) -> list[Candidate] | None:
        """Return what "Noor, my flatmate, ..." states: who she is, and what follows about her."""
        found = KIN_APPOSITION.match(clause.text)
        if found is None or not things.is_person(found["name"]):
            return None
        begin = clause.start + found.start("name")
        mention = Mention(found["name"], Span(begin, begin + len(found["name"])))
        kin = Candidate(Speaker(), kin_predicate(found["kin"]), mention, sentence.span, f"my {found['kin']}", sentence.act)
        return [kin, *(self._about(sentence, clause, mention, found.end()) or ())]

    def _self_introduction(self, sentence: Sentence, clause: _Clause) -> list[Candidate] | None:
        """Return the name in "I'm Teresa", which is sure after a greeting and asked about otherwise."""
        found = _I_AM.match(clause.text)
        if found is None or not found["name"][0].isupper() or clause.given:
            return None
        name = things.said_name(found["name"])
        if isinstance(name, bool):
            return None
        begin = clause.start + found.start("name")
        value = Value(name, Span(begin, begin + len(found["name"])))
        return [Candidate(Speaker(), NAMED, value, sentence.span, clause.text, sentence.act, sure=self.greeted)]


def _is_comment(rest: str) -> bool:
    """Tell whether what is said beside a statement leaves it as it is; "not in Bruges" does, "if I win" does not."""
    return _CONDITION.search(rest) is None or re.match(r"not (?:in|at|with|for|an?|the) ", rest, re.IGNORECASE) is not None


def _says_who_only(text: str, stated: list[Candidate]) -> bool:
    """Tell whether all that was read of a clause is who somebody named at its head is."""
    return len(stated) == 1 and (KIN_HEAD.match(text) or KIN_APPOSITION.match(text)) is not None


def _leading_name(words: str) -> str:
    """Return the capitalised words at the head of some."""
    kept: list[str] = []
    for part in words.split(" "):
        if not part[:1].isupper():
            break
        kept.append(part)
    return re.sub(r"['\u2019]s\Z", "", " ".join(kept))


def _subject(found: re.Match[str], clause: _Clause) -> Speaker | Mention | None:
    if "subject" not in found.groupdict():
        return Speaker()
    name = found["subject"]
    if found.start("subject") < clause.given:
        return clause.subject if isinstance(clause.subject, Mention) and clause.subject.text == name else None
    if not things.is_name(name) or name[0].islower() or name.split()[0].casefold() == "the":
        return None
    return Mention(name, _span(clause, found.start("subject"), found.end("subject")))


def _objects(found: re.Match[str], clause: _Clause, part: Part, tense: Tense) -> list[tuple[Value | Mention, bool]] | None:
    """Return the references of a part, each with whether it is surely one, or ``None`` where its words are something else."""
    casual = clause.casual and tense is not Tense.BEGINS
    words, start = found[part.group], found.start(part.group)
    if start < clause.given:
        return None
    members = things.split(words) if part.many else [(0, words)]
    references: list[tuple[Value | Mention, bool]] = []
    for offset, member in members:
        reference = _reference(member, clause, start + offset, part)
        if reference is None and casual and _casually(member, part):
            begin = start + offset
            references.append((Mention(member, _span(clause, begin, begin + len(member))), False))
            continue
        if reference is None:
            break
        references.append((reference, True))
    if len(references) == len(members):
        return references
    if clause.loose and part.loose and things.is_phrase(words):
        return [(Mention(words, _span(clause, start, start + len(words))), False)]
    return None


def _reference(words: str, clause: _Clause, start: int, part: Part) -> Value | Mention | None:
    span = _span(clause, start, start + len(words))
    read = part.read(words)
    if isinstance(read, bool):
        return Mention(words, span) if read else None
    return Value(read, span)


def _casually(words: str, part: Part) -> bool:
    """Tell whether words would be a name if whoever types without capitals had set them."""
    return len(words.split()) <= _LONGEST_CASUAL and words.islower() and part.read(words.title()) is True


def _wording(clause: _Clause, subject: Speaker | Mention) -> str:
    text = clause.text[clause.given :]
    return text if isinstance(subject, Speaker) else text.removeprefix(subject.text).strip()


def _span(clause: _Clause, start: int, end: int) -> Span:
    return Span(clause.start + start, clause.start + end)
