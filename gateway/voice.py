"""Facts, claims and proofs in words for one reader: names that the reader may see, who said it, and when."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from zoneinfo import ZoneInfo

from pyoxigraph import Literal, NamedNode, Triple

from gateway.parse.dates import in_words
from gateway.people import Person
from memory import axes
from memory.claim import Candidate, Claim, Evidence, Mention, Polarity, Speaker, Term, Validity, Value
from memory.entities import person as entity_of
from memory.ids import ENTITY, Instant, known_zone, to_datetime
from memory.label import Clearance, Label
from memory.read import Reads
from memory.recall import Query
from memory.store import Memory
from memory.text import name_key
from memory.words import YOU, sentence
from ontologies.vocab import RDF_TYPE, RELATED
from reasoner.explain import Proof

_MOST_SAID = 2
_FIRST_PERSON = frozenset({"i", "me", "my", "mine", "myself"})


@dataclass(slots=True)
class Voice:
    """Speaks to one person in one conversation; ``used`` collects the labels of all it told, ``told`` the claims and sources."""

    memory: Memory
    reads: Reads
    clearance: Clearance
    listener: Person
    people: dict[str, Person]
    zone: str
    used: list[Label] = field(default_factory=list[Label])
    told: dict[str, None] = field(default_factory=dict[str, None])
    _names: dict[Term, str] = field(default_factory=dict[Term, str])

    def name(self, thing: Term) -> str:
        """Return what the reader may call a thing: you, its latest visible name, or a plain word."""
        if isinstance(thing, Literal):
            return in_words(thing)
        if thing == entity_of(self.listener.id):
            return YOU
        if thing not in self._names:
            self._names[thing] = self._named(thing)
        return self._names[thing]

    def _named(self, thing: NamedNode) -> str:
        names = self.reads.names(self.clearance, thing)
        if names:
            return names[-1]
        known = self.people.get(thing.value.removeprefix(ENTITY))
        if known is not None and known.display_name:
            return known.display_name
        return self.memory.vocabulary.class_labels.get(thing, "someone or something without a name")

    def triple(self, triple: Triple) -> str:
        """Return a triple in words, without a full stop."""
        subject, predicate, object_ = triple
        property_ = self.memory.vocabulary[predicate]
        words = self.name(object_)  # type: ignore[arg-type]
        if predicate == RDF_TYPE:
            words = f"{'an' if words[:1] in 'aeiou' else 'a'} {words}"
            return f"{self._subject(subject)} {'are' if self._is_you(subject) else 'is'} {words}"
        return sentence(property_, self.name(subject), words)  # type: ignore[arg-type]

    def candidate(self, candidate: Candidate) -> str:
        """Return what a candidate says to its speaker, who is the listener, in the middle of a sentence."""
        subject, object_ = (YOU if isinstance(r, Speaker) else self._spoken(r) for r in (candidate.subject, candidate.object))
        words = sentence(self.memory.vocabulary[candidate.predicate or RELATED], subject, object_)
        words = words[0].lower() + words[1:] if subject == YOU else words
        held = {Polarity.HOLDS: words, Polarity.ENDED: f"{words} no longer", Polarity.NEGATED: f"it is not so that {words}"}
        return held[candidate.polarity]

    def companions(self) -> list[Person]:
        """Return the other people who share a team with the listener that the reader may see."""
        order = self.memory.spaces
        spaces = {label.space for label in self.clearance.labels if label.space.kind == "team"}
        ids = frozenset[str]().union(*map(order.members_of, spaces)) - {self.listener.id}
        return [person for id_ in sorted(ids) if (person := self.people.get(id_)) is not None and person.display_name]

    def who(self, speaker: str) -> str:
        """Return who said something."""
        if speaker == self.listener.id:
            return YOU
        known = self.people.get(speaker)
        if known is None:
            return "somebody"
        return known.display_name or f"the {known.role}"

    def query(self, question: str, *, history: bool = False) -> Query:
        """Return the question for recall, with the people that it names: the listener by "I", others by their display names."""
        words = set(re.findall(r"\w+", name_key(question.replace("'s", " ").replace("\u2019s", " "))))
        named = {p.id for p in self.people.values() if p.display_name and set(name_key(p.display_name).split()) <= words}
        if words & _FIRST_PERSON:
            named.add(self.listener.id)
        return Query(question, frozenset(named), self.memory.clock(), history)

    def day(self, instant: Instant) -> str:
        """Return a day in the listener's zone."""
        moment = to_datetime(instant).astimezone(ZoneInfo(known_zone(self.zone)))
        return f"{moment.day} {moment:%B %Y}"

    def holds(self, validity: Validity) -> str:
        """Return when something holds, in words and as EDTF."""
        start, _, end = axes.edtf(validity).partition("/")
        since = f"since {start}" if start else "nobody said since when"
        until = "still holds" if validity.to_latest is None else f"held until {end}" if end else "has ended, nobody said when"
        return f"{until}, {since} ({start}/{end})"

    def said(self, evidence: Iterable[Evidence]) -> str:
        """Return who said it and when, from the evidence that the reader may see."""
        pieces = list(dict.fromkeys(f"{self.who(e.speaker)} said so on {self.day(e.said_at)}" for e in evidence))
        if len(pieces) > _MOST_SAID:
            pieces = [pieces[0], f"and again until {pieces[-1].split(' on ', 1)[1]}"]
        return "; ".join(pieces)

    def claim(self, claim: Claim) -> str:
        """Return a claim with its evidence."""
        self.used.append(claim.label)
        self.told[claim.id] = None
        words = self.triple(Triple(claim.subject, claim.predicate, claim.object))
        said = self.said(self.reads.evidence(self.clearance, claim.id))
        return f"{words} ({said})." if said else f"{words}."

    def fact(self, triple: Triple, label: Label, *, inferred: bool) -> str:
        """Return a fact with who said it, or an inference with its reasons."""
        self.used.append(label)
        if inferred:
            proof = self.memory.proof(self.reads, triple, label)
            if proof is None:
                return f"{self.triple(triple)} (inferred)."
            premise = proof.premises[0].statement
            if proof.rule is not None and proof.rule.name == "prp-spo1" and not premise.inferred:
                return self.fact(premise.triple, premise.label, inferred=False)
            return f"{self.triple(triple)} (inferred, because {' and '.join(self.leaves(proof))})."
        words = self.triple(triple)
        said = self.said(self.evidence_of(triple))
        return f"{words} ({said})." if said else f"{words}."

    def leaves(self, proof: Proof[Label]) -> list[str]:
        """Return the facts of a proof in words, each with who said it."""
        words: list[str] = []
        for statement in proof.leaves():
            fact = statement.triple
            self.used.append(statement.label)
            said = self.said(self.evidence_of(fact))
            text = self.triple(fact)
            text = text[0].lower() + text[1:] if text.startswith(("You ", "Your ")) else text
            words.append(f"{text} ({said})" if said else text)
        return words

    def evidence_of(self, triple: Triple) -> list[Evidence]:
        """Return the evidence of the claims that say a triple, oldest first."""
        subject, predicate, object_ = triple
        claims = self.reads.claims(
            self.clearance,
            subject=subject,  # type: ignore[arg-type]
            predicates=(predicate,),
            object_=object_,  # type: ignore[arg-type]
        )
        self.told.update({claim.id: None for claim in claims})
        found = [e for claim in claims for e in self.reads.evidence(self.clearance, claim.id)]
        return sorted(dict.fromkeys(found), key=lambda e: (e.said_at, e.source))

    def _subject(self, thing: NamedNode) -> str:  # type: ignore[override]
        return "You" if self._is_you(thing) else self.name(thing)

    def _spoken(self, reference: Mention | Value) -> str:
        return reference.text if isinstance(reference, Mention) else self.name(reference.term)

    def _is_you(self, thing: object) -> bool:
        return thing == entity_of(self.listener.id)
