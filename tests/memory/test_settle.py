"""What a person decides about candidates that wait and about what is quarantined."""

import pytest

from gateway.parse.offline import read
from memory.admit import Admit, Hold
from memory.claim import Outcome, Rule, SourceKind
from memory.errors import IncorrectChoiceError, UnknownThingError
from memory.label import WORLDVIEW, Space, team
from memory.rows import Waiting
from memory.settle import Choice, choices
from tests.conftest import ANN, BOB, Desk

GROUP = team("00000000-0000-7000-8000-0000000000c3")


@pytest.fixture
def group(desk: Desk) -> Space:
    for person in (ANN, BOB):
        desk.memory.set_member(GROUP.id, person, ANN, present=True).result()
    return GROUP


def _conflict(desk: Desk, group: Space) -> Waiting:
    desk.say("Mara lives in Oslo.", space=group)
    receipt = desk.say("Mara lives in Lima.", by=BOB, owner=False, space=group)[1]
    assert (receipt.decisions[0].outcome, receipt.decisions[0].rule) == (Outcome.HELD, Rule.CONFLICT)
    with desk.memory.reading() as reads:
        (waiting,) = reads.waiting_anywhere()
    return waiting


def _homes(desk: Desk) -> list[str]:
    return desk.objects("livesIn", subject=desk.entity("Mara"))


@pytest.mark.requirement("settle", "row-8")
@pytest.mark.parametrize(
    ("choice", "homes"), [(Choice.REPLACE, ["Lima"]), (Choice.BOTH, ["Lima", "Oslo"]), (Choice.REJECT, ["Oslo"])]
)
def test_a_conflict_is_settled_by_a_person_in_one_of_three_ways(
    choice: Choice, homes: list[str], desk: Desk, group: Space
) -> None:
    waiting = _conflict(desk, group)
    assert choice in choices(waiting)
    settled = desk.memory.settle(waiting.id, choice, desk.approver()).result()
    assert isinstance(settled.decision, Admit) is (choice is not Choice.REJECT)
    assert _homes(desk) == homes
    desk.sound()
    with pytest.raises(UnknownThingError, match="Nothing of yours waits"):
        desk.memory.settle(waiting.id, choice, desk.approver()).result()


@pytest.mark.requirement("settle", "I8")
def test_only_who_decides_about_the_space_settles(desk: Desk, group: Space) -> None:
    waiting = _conflict(desk, group)
    stranger = "00000000-0000-7000-8000-0000000000d4"
    with pytest.raises(UnknownThingError):
        desk.memory.settle(waiting.id, Choice.REPLACE, desk.approver(stranger, owner=False)).result()
    with pytest.raises(IncorrectChoiceError, match="replace, both, reject"):
        desk.memory.settle(waiting.id, Choice.ACCEPT, desk.approver()).result()
    assert _homes(desk) == ["Oslo"]


@pytest.mark.requirement("settle", "I1")
def test_what_is_settled_rests_on_the_words_that_said_it_and_tells_who_decided(desk: Desk, group: Space) -> None:
    settled = desk.memory.settle(_conflict(desk, group).id, Choice.REPLACE, desk.approver()).result()
    assert settled.version is not None
    with desk.memory.reading() as reads:
        claim = reads.version(desk.clearance(), settled.version)
        assert claim.speaker == BOB
        assert [e.quote for e in reads.evidence(desk.clearance(), claim.id)] == ["Mara lives in Lima"]
        judge = reads.settled(settled.version)
    assert judge is not None
    assert judge[:2] == (ANN, "replace")


@pytest.mark.requirement("settle", "row-3")
def test_a_value_believed_again_still_meets_the_other_rules(desk: Desk) -> None:
    desk.say("I live in Lima.")
    desk.retract(desk.claim("livesIn", "Lima"))
    old = desk.source("I live in Lima.", at=desk.now - 3_600_000_000)
    desk.say("I live in Oslo.")
    with desk.memory.reading() as reads:
        assert reads.waiting_anywhere() == []
    desk.memory.learn(old, read(old.body, old.said_at, old.zone), is_owner=True).result()
    with desk.memory.reading() as reads:
        (waiting,) = reads.waiting_anywhere()
    settled = desk.memory.settle(waiting.id, Choice.ACCEPT, desk.approver()).result()
    assert isinstance(settled.decision, Hold)
    assert settled.decision.rule is Rule.CONFLICT
    assert desk.objects("livesIn") == ["Oslo"]
    with desk.memory.reading() as reads:
        (again,) = reads.waiting_anywhere()
    assert again.rule is Rule.CONFLICT
    desk.memory.settle(again.id, Choice.BOTH, desk.approver()).result()
    assert desk.objects("livesIn") == ["Lima", "Oslo"]
    desk.sound()


@pytest.mark.requirement("settle", "routing", "I2")
def test_a_members_proposal_is_believed_by_the_owner_from_the_shared_words_alone(desk: Desk) -> None:
    desk.say("/share Lyon is a city in France.", by=BOB, owner=False)
    with desk.memory.reading() as reads:
        waiting = reads.waiting_anywhere()
    with pytest.raises(UnknownThingError):
        desk.memory.settle(waiting[0].id, Choice.ACCEPT, desk.approver(BOB, owner=False)).result()
    for one in waiting:
        desk.memory.settle(one.id, Choice.ACCEPT, desk.approver()).result()
    seen = desk.memory.spaces.clearance(WORLDVIEW)
    with desk.memory.reading() as reads:
        lyon = reads.named(seen, "lyon")[0].entity
        claims = [c for c in reads.claims(seen, subject=lyon) if c.wording != "name"]
        assert {c.speaker for c in claims} == {BOB}
        assert all("/share" not in e.quote for c in claims for e in reads.evidence(seen, c.id))
        assert all(reads.evidence(seen, c.id) for c in claims)
    desk.sound()


@pytest.mark.requirement("settle", "row-4")
def test_a_quarantined_claim_is_promoted_as_the_promoters_own_words(desk: Desk) -> None:
    desk.say("Mara lives in Lima.", kind=SourceKind.DOCUMENT)
    assert desk.memory.verify().result()["graph_differences"] == 0
    quarantined = desk.clearance(quarantined=True)
    with desk.memory.reading() as reads:
        mara = reads.named(quarantined, "mara")[0].entity
        claim = next(c for c in reads.claims(quarantined, subject=mara) if c.wording != "name")
    settled = desk.memory.promote(claim.id, desk.approver(), "dm").result()
    assert isinstance(settled.decision, Admit)
    assert _homes(desk) == ["Lima"]
    with desk.memory.reading() as reads:
        (told,) = [c for c in reads.claims(desk.clearance(), subject=desk.entity("Mara")) if c.wording != "name"]
        assert told.speaker == ANN
    desk.sound()
    with pytest.raises(IncorrectChoiceError):
        desk.memory.promote(told.id, desk.approver(), "dm").result()


@pytest.mark.requirement("settle", "I3")
def test_a_promotion_meets_refusals_and_conflicts(desk: Desk) -> None:
    desk.say("I live in Oslo.")
    desk.say("Mara lives in Lima.", kind=SourceKind.DOCUMENT)
    quarantined = desk.clearance(quarantined=True)
    with desk.memory.reading() as reads:
        mara = reads.named(quarantined, "mara")[0].entity
        claim = next(c for c in reads.claims(quarantined, subject=mara) if c.wording != "name")
    desk.retract(claim.id)
    desk.say("Mara lives in Lima.")
    with desk.memory.reading() as reads:
        waiting = reads.waiting_anywhere()
    assert [w.rule for w in waiting] == [Rule.REFUSED_BEFORE]


@pytest.mark.requirement("row-9")
def test_what_would_be_of_two_classes_that_exclude_each_other_waits_with_its_proof(desk: Desk) -> None:
    desk.say("Mara works at Acme.")
    receipt = desk.say("Mara is a city.")[1]
    assert [(d.outcome, d.rule) for d in receipt.decisions] == [(Outcome.HELD, Rule.CONTRADICTION)]
    assert "contradicts what is known: no person is a place" in receipt.decisions[0].reason
    with desk.memory.reading() as reads:
        (waiting,) = reads.waiting_anywhere()
    assert choices(waiting) == (Choice.REJECT,)
    desk.memory.settle(waiting.id, Choice.REJECT, desk.approver()).result()
    quarantined = desk.say("Mara is a city.", kind=SourceKind.DOCUMENT)[1]
    assert [d.outcome for d in quarantined.decisions] == [Outcome.REFUSED]
    desk.sound()
