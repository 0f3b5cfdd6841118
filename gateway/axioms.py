"""Axioms of an instance's own, as the owner is asked about them: what they say, what would follow, what would be false."""

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass

from gateway.voice import Voice
from memory.ontology import ADOPTED, Addition, Trial

ACT = "axioms"
_MOST = 12


@dataclass(frozen=True, slots=True)
class Adopting:
    """Axioms that somebody wants to be ``adopted`` or ``withdrawn``, by their id."""

    axioms: str
    kind: str

    def as_json(self) -> str:
        """Return it in writing."""
        return json.dumps({"act": ACT, "axioms": self.axioms, "kind": self.kind})


def digest_of(addition: Addition, trial: Trial) -> str:
    """Return a digest of what the owner is asked: which axioms, what they are now, and what would be false."""
    asked = [addition.id, addition.state, sorted(contradiction.reason for contradiction in trial.contradictions)]
    return hashlib.sha256(json.dumps(asked).encode()).hexdigest()


def lines_of(addition: Addition, trial: Trial, voice: Voice) -> Iterator[str]:
    """Yield what adopting axioms, or withdrawing them, would do, a line each."""
    yield f"{'withdraw' if addition.state == ADOPTED else 'adopt'}, proposed by {voice.who(addition.person)}:"
    yield from (f"    {line}" for line in addition.turtle.splitlines() if line.strip())
    for word, changes in (("would follow", trial.come), ("would follow no more", trial.go)):
        for triple, label in changes[:_MOST]:
            voice.used.append(label)
            yield f"{word}: {voice.triple(triple)}"
        if len(changes) > _MOST:
            yield f"and {len(changes) - _MOST} more that {word}"
    if not trial.come and not trial.go:
        yield "nothing that you may see would follow from it now"
    yield from dict.fromkeys(f"would be false: {contradiction.reason}" for contradiction in trial.contradictions)
