"""What remembering a message did, in words: what was noted, asked back, held and not believed."""

from collections.abc import Iterator
from dataclasses import dataclass

from pyoxigraph import Triple

from gateway.asking import asked_back
from gateway.voice import Voice
from memory import axes
from memory.claim import Claim, Decided, Outcome, Receipt, Rule, Source
from memory.label import WORLDVIEW, Clearance


@dataclass(frozen=True, slots=True)
class Noted:
    """A claim that a message led to, with the row of admission that decided."""

    rule: Rule
    claim: Claim
    words: str


def noted(receipt: Receipt, clearance: Clearance, voice: Voice) -> Iterator[Noted]:
    """Yield the claims that a message led to, as its speaker may see them."""
    for decided in receipt.decisions:
        if decided.outcome is Outcome.ADMITTED and decided.version is not None and not receipt.undone:
            claim = voice.reads.version(clearance, decided.version)
            voice.used.append(claim.label)
            yield Noted(decided.rule, claim, voice.triple(Triple(claim.subject, claim.predicate, claim.object)))


def outcome(source: Source, receipt: Receipt, voice: Voice, *, noted_elsewhere: bool = False) -> list[str]:
    """Return what remembering a message did, a line each; without what was noted where its speaker sees that elsewhere."""
    if receipt.undone:
        return ["What I had stored from that message is undone."]
    if receipt.decisions:
        voice.used.append(voice.reads.label_of(source.id))
    every = list(noted(receipt, voice.clearance, voice))
    lines = [] if noted_elsewhere else [_noted(one, voice) for one in every]
    asked = [voice.candidate(candidate) for candidate in asked_back(source, receipt)]
    if asked:
        lines.append(f"Shall I remember that {', and that '.join(dict.fromkeys(asked))}? Say yes or no.")
    lines += [line for decided in receipt.decisions if (line := _not_taken(decided, source, asked=bool(asked)))]
    doubts = [doubt for doubt in voice.reads.doubts(voice.clearance) if doubt.source == source.id]
    lines += [f"{voice.name(d.second)} looks like {voice.name(d.first)}; /pending asks whether they are one." for d in doubts]
    if receipt.confirms and not receipt.decisions:
        lines.append("Then I leave it.")
    if receipt.unread:
        lines.append(f"I left the last {receipt.unread} sentences unread; send them in a message of their own.")
    return lines


def _noted(one: Noted, voice: Voice) -> str:
    rule, words, label = one.rule, one.words, one.claim.label
    voice.told[one.claim.id] = None
    text = words[0].lower() + words[1:] if words.startswith(("You ", "Your ")) else words
    audience = " Everyone here may know that." if label.space == WORLDVIEW else ""
    if rule is Rule.ENDED:
        return f"Noted that this does not hold now: {text}."
    if axes.is_past(one.claim.validity):
        return f"Noted, as it was: {text} ({voice.holds(one.claim.validity)}).{audience}"
    if rule is Rule.KNOWN:
        return f"I knew that: {text}. I keep it as more evidence."
    if rule is Rule.REPLACES:
        return f"Noted: {text}. That replaces what you said before; /undo takes it back.{audience}"
    return f"Noted: {text}.{audience}"


def _not_taken(decided: Decided, source: Source, *, asked: bool) -> str:
    quote = decided.span.of(source.body)
    if decided.outcome is Outcome.HELD and decided.rule is Rule.UNSUPPORTED:
        return "" if asked else f'I half understood "{quote}" and stored nothing of it.'
    if decided.outcome is Outcome.HELD:
        return f'I did not take over "{quote}": {decided.reason}. It waits for a person; what I believed before stays.'
    if decided.outcome is Outcome.REFUSED and decided.rule is not Rule.NOT_STATED:
        what = f'"{quote}"' if quote else "something that was read into your message"
        return f"I did not believe {what}: {decided.reason}."
    return ""
