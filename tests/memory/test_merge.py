"""Entities: one name over many messages, names that look alike, and merges that can be taken back."""

import pytest
from pyoxigraph import NamedNode

from memory.claim import Claim, Outcome, Rule
from memory.errors import ChangedSinceShownError, NotYoursError, UnknownThingError
from memory.label import team
from memory.remember import MOST_ALIKE
from memory.text import alike_form
from tests.conftest import ANN, BOB, Desk


def _standing(desk: Desk) -> list[tuple[object, ...]]:
    """Return the claim set, without versions and instants."""
    clearance = desk.clearance()
    with desk.memory.reading() as reads:
        claims = [c for s in reads.subjects(clearance) for c in reads.claims(clearance, subject=s)]
        claims += [c for s in reads.subjects(clearance) for c in reads.claims(clearance, subject=s, negative=True)]

    def told(c: Claim) -> tuple[object, ...]:
        return (c.id, str(c.subject), str(c.predicate), str(c.object), str(c.label), c.validity, c.speaker, c.wording)

    return sorted(map(told, claims), key=str)


def _merge(desk: Desk, first: NamedNode, second: NamedNode, by: str = ANN, *, owner: bool = True) -> str:
    approver = desk.approver(by, owner=owner)
    shown = desk.memory.moving(first, second, approver)
    return desk.memory.merge(first, second, shown.digest, approver).result()


@pytest.mark.requirement("merge")
def test_one_name_over_many_sessions_is_one_entity(desk: Desk) -> None:
    for text in ("I work at DGIA.", "Mara works at dgia.", "Tom works at DGIA.", "Bo works at  DGIA"):
        desk.say(text)
        desk.reopen()
    with desk.memory.reading() as reads:
        assert len({bearer.entity for bearer in reads.named(desk.clearance(), "dgia")}) == 1
        assert reads.doubts(desk.clearance()) == []


@pytest.mark.requirement("merge", "T28")
@pytest.mark.parametrize(
    ("one", "other", "alike"),
    [
        ("Anna Li (Oslo)", "Anna Li (Lima)", True),
        ("Anna Li", "Anna Li (Lima)", True),
        ("ASR1603", "ASR1605", True),
        ("Anna Li", "Anna Lo", False),
        ("Mara", "Tom", False),
    ],
)
def test_names_that_look_alike_stay_apart_and_are_asked_about(one: str, other: str, *, alike: bool, desk: Desk) -> None:
    assert (alike_form(one) == alike_form(other)) is alike
    for name in (one, other):
        desk.say(f"{name} works at Acme.")
    with desk.memory.reading() as reads:
        assert (
            reads.named(desk.clearance(), one.casefold())[0].entity != reads.named(desk.clearance(), other.casefold())[0].entity
        )
        doubts = reads.doubts(desk.clearance())
    assert len(doubts) == int(alike)
    for doubt in doubts:
        with pytest.raises(UnknownThingError):
            desk.memory.keep_apart(doubt.id, desk.approver(BOB)).result()
        desk.memory.keep_apart(doubt.id, desk.approver()).result()
    with desk.memory.reading() as reads:
        assert reads.doubts(desk.clearance()) == []


@pytest.mark.requirement("merge", "T28", "I7")
def test_a_merge_and_its_taking_back_leave_the_claims_as_they_were(desk: Desk) -> None:
    for text in (
        "Katrin lives in Oslo.",
        "Katrin likes tea.",
        "Kathrin works at Acme.",
        "Kathrin doesn't like rain.",
        "My sister is Kathrin.",
    ):
        desk.say(text)
    before, then = _standing(desk), desk.now
    first, second = desk.entity("Katrin"), desk.entity("Kathrin")
    id_ = _merge(desk, second, first)
    assert desk.entity("Katrin") == desk.entity("Kathrin") == min(first, second, key=lambda e: e.value)
    assert desk.objects("worksAt", subject=desk.entity("Katrin")) == ["Acme"]
    assert desk.objects("sister") == ["Kathrin"]
    desk.sound()
    with desk.memory.reading(then) as reads:
        assert reads.named(desk.clearance(), "katrin")[0].entity != reads.named(desk.clearance(), "kathrin")[0].entity
    with desk.memory.reading() as reads:
        assert [merge[0] for merge in reads.merges(ANN)] == [id_]
    desk.memory.unmerge(id_, desk.approver()).result()
    assert _standing(desk) == before
    desk.sound()
    with pytest.raises(UnknownThingError, match="no such merge"):
        desk.memory.unmerge(id_, desk.approver()).result()
    desk.reopen()
    desk.sound()


@pytest.mark.requirement("merge")
def test_what_was_corrected_since_a_merge_goes_back_corrected(desk: Desk) -> None:
    desk.say("Katrin lives in Oslo.")
    desk.say("Kathrin works at Acme.")
    id_ = _merge(desk, desk.entity("Katrin"), desk.entity("Kathrin"))
    desk.say("Kathrin no longer works at Acme.")
    desk.say("Kathrin lives in Lima.")
    desk.memory.unmerge(id_, desk.approver()).result()
    assert desk.objects("worksAt", subject=desk.entity("Kathrin")) == []
    assert desk.objects("livesIn", subject=desk.entity("Katrin")) == ["Lima"]
    desk.sound()


@pytest.mark.requirement("merge", "approval", "I8")
def test_a_merge_is_of_what_was_shown_and_of_what_is_ones_own(desk: Desk) -> None:
    desk.say("Lyon is a city in France.")
    desk.say("Lugdunum is a city in France.")
    lyon, lugdunum = desk.entity("Lyon"), desk.entity("Lugdunum")
    with pytest.raises(NotYoursError):
        desk.memory.moving(lyon, lugdunum, desk.approver(BOB, owner=False))
    shown = desk.memory.moving(lyon, lugdunum, desk.approver())
    desk.say("I visited Lugdunum.")
    desk.say("I visited Lyon.")
    with pytest.raises(ChangedSinceShownError):
        desk.memory.merge(lyon, lugdunum, shown.digest, desk.approver()).result()
    with pytest.raises(UnknownThingError):
        desk.memory.moving(lyon, lyon, desk.approver())


@pytest.mark.requirement("merge", "I2")
def test_a_merge_in_one_space_moves_nothing_in_another(desk: Desk) -> None:
    group = team("00000000-0000-7000-8000-0000000000c3")
    for person in (ANN, BOB):
        desk.memory.set_member(group.id, person, ANN, present=True).result()
    desk.say("Katrin works at Acme.", space=group)
    desk.say("Kathrin lives in Oslo.", by=BOB, owner=False)
    before = desk.objects("worksAt", subject=desk.entity("Katrin"))
    kathrin, katrin = desk.entity("Kathrin", BOB), desk.entity("Katrin", BOB)
    _merge(desk, kathrin, katrin, BOB, owner=False)
    assert desk.objects("worksAt", subject=desk.entity("Katrin")) == before
    assert desk.objects("livesIn", BOB, subject=desk.entity("Katrin", BOB)) == ["Oslo"]
    desk.sound()


@pytest.mark.requirement("merge", "I3")
def test_a_refusal_follows_a_merge(desk: Desk) -> None:
    desk.say("Kathrin lives in Lima.")
    with desk.memory.reading() as reads:
        claims = reads.claims(desk.clearance(), subject=desk.entity("Kathrin"))
    desk.say("Kathrin works at Acme.")
    desk.retract(next(claim.id for claim in claims if claim.wording != "name"))
    desk.say("Katrin works at Acme.")
    _merge(desk, desk.entity("Katrin"), desk.entity("Kathrin"))
    decided = desk.say("Katrin lives in Lima.")[1].decisions[0]
    assert (decided.outcome, decided.rule) == (Outcome.HELD, Rule.REFUSED_BEFORE)


@pytest.mark.requirement("entities")
def test_nobody_is_asked_about_each_pair_of_a_series(desk: Desk) -> None:
    for number in range(1, 41):
        desk.say(f"Bo{1000 + number} lives in Oslo.")
    with desk.memory.reading() as reads:
        assert 0 < len(reads.doubts(desk.clearance())) <= sum(range(MOST_ALIKE + 1))
