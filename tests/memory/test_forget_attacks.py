"""What attackers and ordinary words did to forgetting: erasures that end, that spare what stays, and that tell nothing."""

from dataclasses import replace

import pytest
from pyoxigraph import Literal, NamedNode

from gateway.parse.offline import read
from memory.claim import Outcome, Rule, SourceKind, Value
from memory.errors import IncorrectChoiceError, UnknownThingError
from memory.forget import Act, Wanted
from memory.label import WORLDVIEW, team
from memory.refusal import normal
from memory.tables import Row
from ontologies.vocab import XSD
from tests.conftest import ANN, BOB, Desk

GROUP = team("00000000-0000-7000-8000-0000000000c3")


def _claims(desk: Desk, subject: NamedNode, by: str = ANN) -> list[str]:
    with desk.memory.reading() as reads:
        return [c.id for c in reads.claims(desk.clearance(by), subject=subject) if c.wording != "name"]


@pytest.mark.requirement("I4", "D21")
@pytest.mark.parametrize(
    ("said", "predicate", "value", "stays"),
    [
        (["My blood type is A.", "Mara works at a bank."], "bloodType", "A", "Mara works at a bank."),
        (["I like tea.", "I like green tea."], "likes", "tea", "I like green tea."),
        (["I was born in 1980.", "I have worked at Acme since 1980."], "birthday", "1980", "I have worked at Acme since 1980."),
        (["I work at Muniment."], "worksAt", "Muniment", ""),
        (["My job is assistant.", "I like new."], "likes", "new", ""),
        (["I like friend.", "My friend is Tom."], "likes", "friend", "My friend is Tom."),
        (["I like cats.", "Mara likes cat."], "likes", "cats", "Mara likes cat."),
        (
            ["I live in Zanzibarville.", "The zanzibarvilles were big!"],
            "livesIn",
            "Zanzibarville",
            "The zanzibarvilles were big!",
        ),
        (
            ["I work at Bank of England.", "There is a bank in England!"],
            "worksAt",
            "Bank of England",
            "There is a bank in England!",
        ),
        (["My phone number is 555-1234.", "Call 555 1234!"], "phone", "555-1234", ""),
        (["I live in Source.", "I like label."], "livesIn", "Source", "I like label."),
    ],
)
def test_an_erasure_of_common_words_ends_and_spares_what_stays(
    said: list[str], predicate: str, value: str, stays: str, desk: Desk
) -> None:
    for text in said:
        desk.say(text)
    desk.erase(Wanted(Act.ERASE, (desk.claim(predicate, value),)))
    assert not stays or stays in desk.bodies()
    desk.sound()


@pytest.mark.requirement("I4")
def test_the_city_of_the_own_time_zone_can_be_erased(desk: Desk) -> None:
    source = replace(desk.source("I live in Berlin."), zone="Europe/Berlin")
    desk.memory.learn(source, read(source.body, source.said_at, source.zone), is_owner=True).result()
    desk.erase(Wanted(Act.ERASE, (desk.claim("livesIn", "Berlin"),)))
    assert desk.bodies() == ["\u2588 \u2588\u2588\u2588\u2588 \u2588\u2588 \u2588\u2588\u2588\u2588\u2588\u2588."]


@pytest.mark.requirement("I4", "D01")
def test_the_same_statement_in_other_messages_is_blanked_with_it(desk: Desk) -> None:
    for text in (
        "Mara lives in Oslo.",
        "Tom lives in Oslo.",
        "Forget that Mara lives in Oslo.",
        "Is it true that MARA LIVES IN OSLO?",
    ):
        desk.say(text)
    (home,) = _claims(desk, desk.entity("Mara"))
    desk.erase(Wanted(Act.ERASE, (home,)))
    bodies = desk.bodies()
    assert "Tom lives in Oslo." in bodies
    assert [body for body in bodies if "mara" in body.casefold() and "oslo" in body.casefold()] == []


@pytest.mark.requirement("I4")
def test_two_erasures_that_wait_together_are_both_finished(desk: Desk) -> None:
    desk.say("I live in Quuxtown.")
    desk.say("Mara visited Quuxtown.")
    for claim in (desk.claim("livesIn", "Quuxtown"), *_claims(desk, desk.entity("Mara"))):
        wanted = Wanted(Act.ERASE, (claim,))
        desk.memory.erase(wanted, desk.memory.preview(wanted, desk.approver()).digest, desk.approver()).result()
    assert len(desk.memory.finish_erasures().result()) == 2
    assert not any("Quuxtown" in body for body in desk.bodies())


@pytest.mark.requirement("I4")
def test_an_erasure_that_cannot_end_holds_no_other_up(desk: Desk) -> None:
    desk.say("I live in Zanzibarville.")
    desk.say("I like Quuxade.")
    (desk.folder / "files").mkdir()
    (desk.folder / "files" / "x").write_bytes(b"Zanzibarville")
    for predicate, value in (("livesIn", "Zanzibarville"), ("likes", "Quuxade")):
        wanted = Wanted(Act.ERASE, (desk.claim(predicate, value),))
        erased = desk.memory.erase(wanted, desk.memory.preview(wanted, desk.approver()).digest, desk.approver()).result()
    with pytest.raises(Exception, match="files/x"):
        desk.memory.finish_erasures().result()
    assert "Quuxade" not in desk.memory.receipt(erased.id)
    assert any("files/x" in note for note in desk.memory.notes())


@pytest.mark.requirement("approval", "I8")
def test_a_team_with_the_owner_in_it_is_the_owners_to_decide_about(desk: Desk) -> None:
    for person in (ANN, BOB):
        desk.memory.set_member(GROUP.id, person, ANN, present=True).result()
    desk.say("Mara likes Zoxjam.", space=GROUP)
    (liked,) = _claims(desk, desk.entity("Mara"))
    bob = replace(desk.approver(BOB, owner=False), owner=ANN)
    with pytest.raises(UnknownThingError, match="not yours"):
        desk.memory.preview(Wanted(Act.ERASE, (liked,)), bob)
    assert desk.memory.preview(Wanted(Act.ERASE, (liked,)), replace(desk.approver(), owner=ANN)).claims


@pytest.mark.requirement("I3")
def test_what_somebody_erased_about_themself_is_not_told_to_everyone(desk: Desk) -> None:
    desk.say("I live in Quuxtown.", by=BOB, owner=False)
    desk.erase(Wanted(Act.ERASE, (desk.claim("livesIn", "Quuxtown", BOB),)), BOB, owner=False)
    source = desk.source("/share I live in Quuxtown.", by=BOB)
    receipt = desk.memory.learn(source, read(source.body, source.said_at, "UTC"), is_owner=True).result()
    assert [(d.outcome, d.rule) for d in receipt.decisions] == [(Outcome.HELD, Rule.REFUSED_BEFORE)]
    with desk.memory.reading() as reads:
        assert reads.subjects(desk.memory.spaces.clearance(WORLDVIEW)) == []


@pytest.mark.requirement("I2", "I4")
def test_replies_to_others_are_blanked_and_neither_shown_nor_counted(desk: Desk) -> None:
    desk.say("Quuxtown is a city in France.")
    (told, *_) = _claims(desk, desk.entity("Quuxtown"))
    before = desk.memory.preview(Wanted(Act.ERASE, (told,)), desk.approver())
    reply = desk.source("Quuxtown is in France.", by=BOB, kind=SourceKind.ASSISTANT)
    label = desk.clearance(BOB, quarantined=True).top
    desk.memory.record("turn", "assistant", (Row("told", {"item": told, "source": reply.id}),), ((reply, label),)).result()
    after = desk.memory.preview(Wanted(Act.ERASE, (told,)), desk.approver())
    assert (after.digest, after.stretches, after.replies) == (before.digest, before.stretches, before.replies)
    desk.erase(Wanted(Act.ERASE, (told,)))
    assert not any("France" in body for body in desk.bodies(BOB))


@pytest.mark.requirement("I1", "merge")
def test_an_erasure_after_a_merge_leaves_names_their_evidence(desk: Desk) -> None:
    desk.say("ASR1603 likes tea.")
    desk.say("ASR1605 lives in Quuxtown.")
    first, second = desk.entity("ASR1603"), desk.entity("ASR1605")
    desk.memory.merge(first, second, desk.memory.moving(first, second, desk.approver()).digest, desk.approver()).result()
    home = next(c for c in _claims(desk, desk.entity("ASR1603")) if c)
    for claim in _claims(desk, desk.entity("ASR1603")):
        with desk.memory.reading() as reads:
            home = claim if reads.version(desk.clearance(), claim).predicate.value.endswith("livesIn") else home
    desk.erase(Wanted(Act.ERASE, (home,)))
    verified = desk.memory.verify().result()
    assert (verified["graph_differences"], verified["claims_without_evidence"]) == (0, 0)


@pytest.mark.requirement("I1")
def test_an_erasure_leaves_no_claim_without_evidence(desk: Desk) -> None:
    first, _ = desk.say("Mara lives in Oslo.")
    second, _ = desk.say("Mara likes tea.")
    desk.memory.undo(second, ANN).result()
    desk.erase(Wanted(Act.ERASE, sources=(first.id,)))
    assert desk.memory.verify().result()["claims_without_evidence"] == 0


@pytest.mark.requirement("I3")
def test_numbers_without_end_are_words() -> None:
    assert normal("1e99999999") == "1e99999999"
    assert normal("9" * 400) == "9" * 400


@pytest.mark.requirement("I3")
@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Z\u00fcrich", "Zurich"), ("Saint-Denis", "Saint Denis"), ("555-1234", "5551234"), ("Lima", "Li\u034fma"),
        ("Lima", "\u00abLima\u00bb"), ("+44 7700 900123", "+447700900123"), ("Lima", "L\u180eima\ufe0f"),
    ],
)  # fmt: skip
def test_more_writings_of_one_value_are_equal(one: str, other: str) -> None:
    assert normal(one) == normal(other)


@pytest.mark.requirement("I3")
@pytest.mark.parametrize(
    "writing", ["4 May 1980", "May 4, 1980", "04.05.1980", "1980-05-04Z", "4/5/1980", "1980-05-04T00:00:00Z"]
)
def test_an_erased_date_does_not_come_back_in_other_figures(writing: str, desk: Desk) -> None:
    desk.say("Mara was born on 4 May 1980.")
    (born,) = _claims(desk, desk.entity("Mara"))
    desk.erase(Wanted(Act.ERASE, (born,)))
    source = desk.source("Mara was born on 4 May 1980.")
    reading = read(source.body, source.said_at, "UTC")
    (candidate,) = reading.candidates
    spoken = candidate.object
    assert isinstance(spoken, Value)
    typed = Literal(writing, datatype=NamedNode(XSD + "dateTime")) if "T" in writing else Literal(writing)
    changed = replace(reading, candidates=(replace(candidate, object=Value(typed, spoken.span)),))
    receipt = desk.memory.learn(source, changed, is_owner=True).result()
    assert [d.rule for d in receipt.decisions] == [Rule.REFUSED_BEFORE]


@pytest.mark.requirement("merge", "I3")
def test_a_merge_that_cannot_be_is_told(desk: Desk) -> None:
    for text in ("Mara lives in Lima.", "Katrin lives in Lima.", "Katrin's sister is Kathrin."):
        desk.say(text)
    desk.retract(*_claims(desk, desk.entity("Mara")))
    desk.say("Mara likes tea.")
    mara, katrin, kathrin = (desk.entity(name) for name in ("Mara", "Katrin", "Kathrin"))
    shown = desk.memory.moving(mara, katrin, desk.approver())
    if any(s.claim.predicate.value.endswith("livesIn") for s in shown.claims):
        with pytest.raises(IncorrectChoiceError, match="refused of one"):
            desk.memory.merge(mara, katrin, shown.digest, desk.approver()).result()
    with pytest.raises(IncorrectChoiceError, match="so they are two"):
        desk.memory.moving(katrin, kathrin, desk.approver())
    desk.sound()


@pytest.mark.requirement("merge")
def test_merges_are_taken_back_in_their_order(desk: Desk) -> None:
    for text in ("Kat likes tea.", "Kath likes rain.", "Kathr likes jazz."):
        desk.say(text)
    first, second, third = (desk.entity(name) for name in ("Kat", "Kath", "Kathr"))

    def merge(one: NamedNode, other: NamedNode) -> str:
        return desk.memory.merge(one, other, desk.memory.moving(one, other, desk.approver()).digest, desk.approver()).result()

    inner, outer = merge(second, third), merge(first, second)
    with pytest.raises(IncorrectChoiceError, match="later one back first"):
        desk.memory.unmerge(inner, desk.approver()).result()
    desk.memory.unmerge(outer, desk.approver()).result()
    desk.memory.unmerge(inner, desk.approver()).result()
    assert [desk.objects("likes", subject=entity) for entity in (first, second, third)] == [["tea"], ["rain"], ["jazz"]]
    desk.sound()
