"""The two clocks: recall as of an instant, and claims that enter and leave the facts by themselves."""

import random
from dataclasses import replace

import pytest
from pyoxigraph import NamedNode

from gateway.parse.offline import read
from memory import axes
from memory.claim import Reading, Validity
from memory.entities import person as entity_of
from memory.forget import Act, Wanted
from memory.recall import Query, recall
from ontologies.vocab import term
from tests.conftest import ANN, BOB, MINUTE, Desk


def _recalled(desk: Desk, question: str, as_of: int | None, *, at: int = 0, history: bool = False) -> list[str]:
    with desk.memory.reading(as_of) as reads:
        query = Query(question, frozenset({ANN}), at, history=history)
        items = recall(reads, desk.words, query, desk.clearance(), 600).items
    return [str(i.claim.version if i.claim else i.source.id if i.source else i.inference) for i in items]


@pytest.mark.requirement("as-of", "I7")
def test_recall_as_of_an_instant_never_changes_later(desk: Desk) -> None:
    chance = random.Random(8)
    seen: dict[int, list[str]] = {}
    sources = [desk.say("I live in Town0 and I like tea.")[0]]
    for _ in range(30):
        draw = chance.random()
        town = f"Town{chance.randrange(5)}"
        if draw < 0.15:
            desk.memory.undo(sources.pop(chance.randrange(len(sources))), ANN).result() if len(sources) > 1 else None
        elif draw < 0.25:
            with desk.memory.reading() as reads:
                claims = reads.claims(desk.clearance(), subject=entity_of(ANN))
            desk.retract(chance.choice(claims).id) if claims else None
        elif draw < 0.35:  # an old message that comes late
            source = desk.source(f"I visited {town}.", at=desk.now - 30 * MINUTE)
            desk.memory.learn(source, read(source.body, source.said_at, source.zone), is_owner=True).result()
        else:
            form = chance.choice(("I live in {}.", "I like {}.", "I no longer like {}.", "Mara lives in {}.", "{} is nice, no?"))
            sources.append(desk.say(form.format(town))[0])
        for then, found in seen.items():
            assert _recalled(desk, "Where do I live? Town1 Town2 like", then) == found
        seen[desk.now] = _recalled(desk, "Where do I live? Town1 Town2 like", desk.now)
    assert len({tuple(found) for found in seen.values()}) > 10


@pytest.mark.requirement("as-of", "D03", "I4")
def test_what_was_erased_is_in_no_instant(desk: Desk) -> None:
    desk.say("I like tea.")
    desk.say("I live in Quuxtown.")
    then = desk.now
    desk.say("I live in Oslo.")
    desk.erase(Wanted(Act.ERASE, (desk.claim("livesIn", "Oslo"),)))
    with desk.memory.reading() as reads:
        old = next(c for c in reads.claims(desk.clearance(), subject=entity_of(ANN)) if c.predicate.value.endswith("livesIn"))
    assert _recalled(desk, "Quuxtown", then)
    desk.erase(Wanted(Act.ERASE, (old.id,)))
    for instant in range(desk.now - 10 * MINUTE, desk.now + MINUTE, MINUTE):
        with desk.memory.reading(instant) as reads:
            objects = [c.object for c in reads.claims(desk.clearance(), subject=entity_of(ANN))]
            bodies = " ".join(source.body for source, _ in reads.sources(desk.clearance()))
        assert old.object not in objects
        assert "Quux" not in bodies


@pytest.mark.requirement("as-of", "I2")
def test_rights_are_todays_whenever_the_instant_is(desk: Desk) -> None:
    desk.say("I live in Oslo.")
    then = desk.now
    with desk.memory.reading(then) as reads:
        assert reads.claims(desk.clearance(BOB), subject=entity_of(ANN)) == []
        assert reads.named(desk.clearance(BOB), "oslo") == []


@pytest.mark.requirement("valid-at")
def test_recall_at_a_valid_time_tells_what_held_then(desk: Desk) -> None:
    desk.say("I lived in Rome from 2010 until 2014. I have lived in Oslo since 2019.")

    def homes(year: int) -> set[str]:
        at = (year - 1970) * 31_556_952_000_000
        with desk.memory.reading() as reads:
            items = recall(reads, desk.words, Query("Where do I live?", frozenset({ANN}), at), desk.clearance(), 600).items
            claims = [item.claim for item in items if item.claim and item.claim.predicate.value.endswith("livesIn")]
            return {reads.names(desk.clearance(), claim.object)[-1] for claim in claims}  # type: ignore[arg-type]

    assert homes(2012) == {"Rome"}
    assert homes(2016) == set()
    assert homes(2021) == {"Oslo"}


@pytest.mark.requirement("ticks")
def test_a_claim_enters_and_leaves_the_facts_by_itself(desk: Desk) -> None:
    start, end = desk.now + 60 * MINUTE, desk.now + 120 * MINUTE
    source = desk.source("I live in Lima.")
    (candidate,) = read(source.body, source.said_at, source.zone).candidates
    validity = Validity(start, start, end, end, known_from=source.said_at)
    reading = Reading("t", (replace(candidate, validity=validity),))
    desk.memory.learn(source, reading, is_owner=True).result()
    assert desk.objects("livesIn") == []
    assert desk.memory.next_due() == start
    desk.now = start
    assert desk.memory.tick().result() == 1
    assert desk.objects("livesIn") == ["Lima"]
    assert desk.objects("residesWithin") == ["Lima"]
    desk.sound()
    desk.now = end + MINUTE
    desk.reopen()  # nobody looked when it ended
    desk.sound()
    assert desk.objects("livesIn") == []
    assert desk.memory.next_due() is None
    assert desk.memory.tick().result() == 0


@pytest.mark.requirement("ticks")
def test_the_next_change_is_the_first_instant_at_which_holding_differs() -> None:
    chance = random.Random(4)
    for _ in range(500):
        bounds = [chance.choice([None, *range(1, 12)]) for _ in range(4)]
        start = sorted(b for b in bounds[:2] if b is not None)
        stop = sorted(b for b in bounds[2:] if b is not None)
        validity = Validity(
            start[0] if len(start) > 1 else None, start[-1] if start else None,
            stop[0] if len(stop) > 1 else None, stop[-1] if stop else None,
        )  # fmt: skip
        for kind in ("state", axes.EVENT, axes.TRAIT):
            at = chance.randrange(12)
            now = axes.holds_at(validity, kind, at)
            expected = next((t for t in range(at + 1, 20) if axes.holds_at(validity, kind, t) != now), None)
            assert axes.next_change(validity, kind, at) == expected


@pytest.mark.requirement("as-of", "valid-at", "explain")
def test_what_followed_then_is_concluded_from_what_the_reader_may_see_of_then(desk: Desk) -> None:
    desk.say("I live in Lyon.")
    before = desk.now
    desk.say("Lyon is a city in Auvergne.")
    desk.say("Auvergne is a region in France.")
    during = desk.now
    desk.say("I live in Oslo.")

    def within(as_of: int | None, valid_at: int | None = None, by: str = ANN) -> set[str]:
        clearance = desk.clearance(by)
        with desk.memory.reading(as_of, valid_at) as reads:
            found = reads.statements(clearance, entity_of(ANN), term("residesWithin"), None)
            inferred = [s.triple.object for s in found if s.inferred]
            names = {reads.names(clearance, o)[-1] for o in inferred if isinstance(o, NamedNode)}
            for statement in reads.statements(clearance, entity_of(ANN), term("residesWithin"), None):
                proof = desk.memory.proof(reads, statement.triple, clearance.top)
                assert proof is not None
                assert all(not leaf.inferred for leaf in proof.leaves())
        return names

    assert within(before) == {"Lyon"}
    assert within(during) == {"Lyon", "Auvergne", "France"}
    assert within(None) == {"Oslo"}
    assert within(None, during) == set()  # it ended somewhere before: not known to hold
    assert within(during, during) == {"Lyon", "Auvergne", "France"}
    assert within(during, None, BOB) == set()


@pytest.mark.requirement("as-of")
def test_more_than_can_be_closed_is_told_and_not_half_concluded(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    desk.say("I live in Lyon.")
    desk.say("Lyon is a city in Auvergne.")
    monkeypatch.setattr("memory.past.MOST_CLOSED", 2)
    with desk.memory.reading(desk.now) as reads:
        found = list(reads.statements(desk.clearance(), entity_of(ANN), term("residesWithin"), None))
        assert found == []
        assert "is not shown" in reads.shortcoming
