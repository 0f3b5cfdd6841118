"""Contradictions, as admission and people see them: what the reasoner finds false, in words, with the facts that make it so."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pyoxigraph import NamedNode, Triple

from memory.label import Integrity, Label, Space, Spaces
from memory.transact import Fact
from memory.vocabulary import Vocabulary, local_name
from ontologies.vocab import RDF_TYPE
from reasoner.compile import Program
from reasoner.delta import Clash
from reasoner.explain import ground
from reasoner.source import QuadSource

_REASONS = {
    "eq-diff1": "two things would be the same and different",
    "eq-diff2": "two things would be the same that are all different",
    "eq-diff3": "two things would be the same that are all different",
    "prp-irp": "nothing {0} itself",
    "prp-asyp": "of two, only one {0} the other",
    "prp-pdw": "no two are both {0} and {1}",
    "prp-adp": "no two are in two of these ways at once",
    "prp-fp": "there is only one {0}",
    "prp-rng": "that is no value of {0}",
    "prp-npa1": "it is known not to be so",
    "prp-npa2": "it is known not to be so",
    "cls-nothing2": "there is no such thing",
    "cls-com": "no {0} is a {1}",
    "cax-dw": "no {0} is a {1}",
    "cax-adc": "no {0} is a {1}",
}


@dataclass(frozen=True, slots=True)
class Contradiction:
    """A clash with the facts behind it, its label, and why it is one, in words of the vocabulary alone."""

    facts: tuple[Fact, ...]
    label: Label
    reason: str

    @property
    def proof(self) -> tuple[Triple, ...]:
        """The facts as triples."""
        return tuple(fact.triple for fact in self.facts)


class ContradictedError(Exception):
    """Ends an entry so that it is written again with what was found: the place of a candidate, and its contradiction."""

    def __init__(self, ordinal: int, contradiction: Contradiction) -> None:
        """Name the candidate and what it contradicts."""
        super().__init__(contradiction.reason)
        self.ordinal, self.contradiction = ordinal, contradiction


def contradictions(
    program: Program, order: Spaces, after: QuadSource[Label], clashes: Sequence[Clash[Label]], vocabulary: Vocabulary
) -> Iterator[Contradiction]:
    """Yield clashes among what is trusted with the facts behind each; ``after`` is the source as it is once they are made."""
    for clash in clashes:
        if clash.label.integrity is Integrity.TRUSTED:
            leaves = ground(program, order, after, clash)
            facts = tuple(Fact(leaf.triple, leaf.label) for leaf in leaves)
            yield Contradiction(facts, clash.label, _reason(clash, vocabulary))


def is_seen_from(order: Spaces, contradiction: Contradiction, space: Space) -> bool:
    """Tell whether who speaks or decides in a space may know of a contradiction: it lies in that space or a wider one."""
    return order.below(contradiction.label.space, space)


def _reason(clash: Clash[Label], vocabulary: Vocabulary) -> str:
    words: list[str] = []
    for atom in clash.rule.body:
        word = atom.object if atom.predicate == RDF_TYPE else atom.predicate
        if isinstance(word, NamedNode):
            words.append(_word(vocabulary, word, is_class=atom.predicate == RDF_TYPE))
    wording = _REASONS.get(clash.rule.name, "it cannot be so with what is known")
    return f"contradicts what is known: {wording.format(*words, '', '')}"


def _word(vocabulary: Vocabulary, word: NamedNode, *, is_class: bool) -> str:
    if is_class:
        return vocabulary.class_labels.get(word, local_name(word))
    property_ = vocabulary[word]
    return property_.verb or property_.noun or property_.label
