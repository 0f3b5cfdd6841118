"""Retraction and erasure: what goes, what stays, what comes back, and the receipt."""

import base64
import json
import random
from pathlib import Path
from urllib.parse import quote

import pytest

from gateway.tables import TABLES
from memory.claim import SourceKind, Span
from memory.entities import person as entity_of
from memory.errors import ChangedSinceShownError, UnfinishedErasureError, UnknownThingError
from memory.forget import Act, Wanted
from memory.keys import commitment, is_signed
from memory.label import team, user
from memory.recall import Query, recall
from memory.redact import BLANK, blanked, occurrences, without
from memory.residue import encodings, find_raw
from memory.store import Memory
from tests.conftest import ANN, BOB, Desk


@pytest.mark.requirement("retract")
def test_retracting_a_correction_lets_what_it_replaced_hold_again(desk: Desk) -> None:
    desk.say("I live in Oslo.")
    before = desk.objects("livesIn"), desk.objects("residesWithin")
    desk.say("I live in Lima.")
    done = desk.retract(desk.claim("livesIn", "Lima"))
    assert len(done.restored) == 1
    assert (desk.objects("livesIn"), desk.objects("residesWithin")) == before
    desk.sound()


@pytest.mark.requirement("retract")
def test_retracting_only_leaves_it_open(desk: Desk) -> None:
    desk.say("I live in Oslo.")
    desk.say("I live in Lima.")
    desk.retract(desk.claim("livesIn", "Lima"), restore=False)
    assert desk.objects("livesIn") == []
    desk.sound()


@pytest.mark.requirement("retract", "I7")
def test_what_was_believed_before_a_retraction_is_still_known_as_of_then(desk: Desk) -> None:
    desk.say("I live in Oslo.")
    then = desk.clock()
    claim = desk.claim("livesIn", "Oslo")
    desk.retract(claim)
    with desk.memory.reading(then) as reads:
        assert claim in [c.id for c in reads.claims(desk.clearance(), subject=entity_of(ANN))]
    with desk.memory.reading() as reads:
        assert claim not in [c.id for c in reads.claims(desk.clearance(), subject=entity_of(ANN))]


@pytest.mark.requirement("approval")
def test_an_approval_is_of_the_list_that_was_shown(desk: Desk) -> None:
    desk.say("I live in Oslo.")
    wanted = Wanted(Act.RETRACT, (desk.claim("livesIn", "Oslo"),))
    shown = desk.memory.preview(wanted, desk.approver())
    source, _ = desk.say("I live in Lima.")
    with pytest.raises(ChangedSinceShownError, match="Nothing was changed"):
        desk.memory.retract(wanted, shown.digest, desk.approver()).result()
    desk.memory.undo(source, ANN).result()
    desk.sound()


@pytest.mark.requirement("approval", "I8")
def test_nobody_forgets_what_somebody_else_decides_about(desk: Desk) -> None:
    desk.say("Oslo is a city in Norway.")
    desk.say("I live in Oslo.")
    home = Wanted(Act.ERASE, (desk.claim("livesIn", "Oslo"),))
    with pytest.raises(UnknownThingError):
        desk.memory.preview(home, desk.approver(BOB, owner=False))
    with desk.memory.reading() as reads:
        shared = reads.claims(desk.clearance(BOB), subject=desk.entity("Oslo", BOB))
    with pytest.raises(UnknownThingError, match="not yours"):
        desk.memory.preview(Wanted(Act.ERASE, (shared[-1].id,)), desk.approver(BOB, owner=False))


@pytest.mark.requirement("I4", "D01", "D03", "D05", "D06", "D11")
def test_after_an_erasure_the_value_is_found_nowhere(desk: Desk, tmp_path: Path) -> None:
    desk.say("I live in Zanzibarville and I like tea.")
    desk.say("Is Zanzibarville big?")
    desk.say("zanzibarville, my home!")
    desk.memory.verify().result()
    places = [tmp_path / "data"]
    assert find_raw(tmp_path, ["Zanzibarville"], places, ())  # the positive control
    erased, receipt = desk.erase(Wanted(Act.ERASE, (desk.claim("livesIn", "Zanzibarville"),)))
    assert find_raw(tmp_path, ["Zanzibarville"], places, ()) == []
    assert all("zanzibar" not in body.casefold() for body in desk.bodies())
    assert desk.objects("likes") == ["tea"]
    desk.sound()
    with desk.memory.reading() as reads:
        found = recall(reads, desk.words, Query("Zanzibarville", at=desk.now, history=True), desk.clearance(), 2_000)
        assert all(item.claim is None or "Zanzibar" not in item.claim.wording for item in found.items)
    desk.reopen()
    desk.sound()
    assert erased.id in receipt


@pytest.mark.requirement("D15", "D16")
def test_a_receipt_verifies_offline_and_tells_nothing_without_its_opening(desk: Desk) -> None:
    desk.say("I live in Zanzibarville.")
    erased, receipt = desk.erase(Wanted(Act.ERASE, (desk.claim("livesIn", "Zanzibarville"),)))
    assert is_signed(receipt)
    assert not is_signed(receipt.replace('"claims": 1', '"claims": 3'))
    assert not is_signed("no receipt")
    assert "anzibar" not in receipt
    body = json.loads(receipt)
    opened = sorted(commitment(erased.opening.nonce, text) for text in erased.opening.texts)
    assert body["commitments"] == opened
    assert commitment("00" * 32, erased.opening.texts[0]) not in body["commitments"]


@pytest.mark.requirement("I4")
def test_what_another_claim_rests_on_stays_readable_for_it(desk: Desk) -> None:
    desk.say("I live in Oslo. Mara lives in Oslo. I like tea.")
    desk.erase(Wanted(Act.ERASE, (desk.claim("livesIn", "Oslo"),)))
    (body,) = desk.bodies()
    assert body == f"{BLANK} {BLANK * 4} {BLANK * 2} {BLANK * 4}. Mara lives in Oslo. I like tea."
    assert desk.objects("livesIn", subject=desk.entity("Mara")) == ["Oslo"]
    with desk.memory.reading() as reads:
        claims = reads.claims(desk.clearance(), subject=desk.entity("Mara"))
        quotes = {e.quote for claim in claims for e in reads.evidence(desk.clearance(), claim.id)}
    assert quotes == {"Mara lives in Oslo", "Mara"}
    desk.sound()


@pytest.mark.requirement("I4", "D04", "T08")
def test_forgetting_one_of_two_sources_leaves_the_claim_and_forgetting_both_leaves_nothing(desk: Desk) -> None:
    first, _ = desk.say("Mara lives in Quuxtown.")
    second, _ = desk.say("Mara lives in Quuxtown.")
    mara = desk.entity("Mara")
    desk.erase(Wanted(Act.ERASE, sources=(first.id,)))
    assert desk.objects("livesIn", subject=mara) == ["Quuxtown"]
    desk.sound()
    desk.erase(Wanted(Act.ERASE, sources=(second.id,)))
    with desk.memory.reading() as reads:
        assert reads.standing(desk.clearance(), thing=mara) == []
        assert all(not list(reads.statements(desk.clearance(), mara, predicate, None)) for predicate in desk.words.properties)
    assert all(set(body) <= {BLANK, " "} for body in desk.bodies())
    desk.sound()


@pytest.mark.requirement("I4", "T09")
def test_everything_about_me_goes_and_others_keep_theirs(desk: Desk) -> None:
    for n in range(12):
        desk.say(f"I visited Town{n}.")
        desk.say(f"I visited Town{n}.", by=BOB, owner=False)
    before = desk.objects("visited", BOB)
    assert len(desk.objects("visited")) == len(before) == 12
    desk.erase(Wanted(Act.ERASE, whole=True))
    assert desk.objects("visited") == []
    assert desk.objects("visited", BOB) == before
    assert all(set(body) <= {BLANK, " "} for body in desk.bodies())
    desk.sound()


@pytest.mark.requirement("I4")
def test_what_a_person_erases_about_themself_goes_from_their_teams_as_well(desk: Desk) -> None:
    group = team("00000000-0000-7000-8000-0000000000c3")
    for person in (ANN, BOB):
        desk.memory.set_member(group.id, person, ANN, present=True).result()
    desk.say("I live in Quuxtown.", by=BOB, owner=False, space=group)
    desk.say("I live in Quuxtown.", by=BOB, owner=False)
    desk.erase(Wanted(Act.ERASE, whole=True), BOB, owner=False)
    with desk.memory.reading() as reads:
        texts = [source.body for source, _ in reads.sources(desk.memory.spaces.clearance(group))]
    assert all("Quuxtown" not in text for text in texts)
    desk.sound()


@pytest.mark.requirement("I4", "D17")
def test_what_waited_for_a_person_goes_with_it(desk: Desk) -> None:
    desk.say("Mara lives in Oslo.")
    group = team("00000000-0000-7000-8000-0000000000c3")
    for person in (ANN, BOB):
        desk.memory.set_member(group.id, person, ANN, present=True).result()
    desk.say("Mara lives in Lima.", space=group)
    desk.say("Mara lives in Quuxtown.", by=BOB, owner=False, space=group)
    with desk.memory.reading() as reads:
        (waiting,) = reads.waiting_anywhere()
    assert waiting.object_text == "Quuxtown"
    desk.erase(Wanted(Act.ERASE, thing=waiting.subject.value))
    with desk.memory.reading() as reads:
        assert reads.every_pending(desk.memory.spaces.clearance(user(ANN))) == []
    desk.sound()


@pytest.mark.requirement("D02", "I3")
def test_a_document_read_again_after_an_erasure_brings_nothing_back(desk: Desk) -> None:
    desk.say("Mara lives in Quuxtown.")
    desk.erase(Wanted(Act.ERASE, thing=desk.entity("Mara").value))
    receipt = desk.say("Mara lives in Quuxtown.", kind=SourceKind.DOCUMENT)[1]
    assert [d.outcome.value for d in receipt.decisions] == ["refused"]
    assert "erased" in desk.say("Mara works at Acme.")[1].decisions[0].reason


@pytest.mark.requirement("I4", "I10")
def test_random_acts_of_forgetting_keep_chain_and_graph_sound(desk: Desk) -> None:
    chance = random.Random(5)
    for round_ in range(6):
        for _ in range(4):
            town = f"Town{chance.randrange(4)}"
            desk.say(chance.choice(("I live in {}.", "Mara lives in {}.", "I like {}.", "I visited {}.")).format(town))
        with desk.memory.reading() as reads:
            claims = [c for s in reads.subjects(desk.clearance()) for c in reads.claims(desk.clearance(), subject=s)]
        claim = chance.choice(claims)
        if round_ % 2:
            desk.retract(claim.id)
        else:
            desk.erase(Wanted(Act.ERASE, (claim.id,)))
        desk.sound()
    desk.reopen()
    desk.sound()


@pytest.mark.requirement("I4")
@pytest.mark.parametrize(
    ("text", "value", "found"),
    [
        ("I live in Oslo.", "oslo", ["Oslo"]),
        ("Oslolo is no OSLO-town", "Oslo", ["OSLO"]),
        ("I live in O\u200bslo", "Oslo", ["O\u200bslo"]),
        ("I live in \u041eslo", "Oslo", ["\u041eslo"]),
        ("I live in O\u0308slo", "\u00d6slo", ["O\u0308slo"]),
        ("born 1970, 70 kg", "70", ["70"]),
        ("我住在杭州市", "杭州", ["杭州"]),
        ("New   York and New\nYork", "New York", ["New   York", "New\nYork"]),
    ],
)
def test_a_value_is_found_as_a_whole_word_in_any_writing(text: str, value: str, found: list[str]) -> None:
    assert [span.of(text) for span in occurrences(text, value)] == found


@pytest.mark.requirement("I4")
def test_blanks_keep_the_places_of_what_stays() -> None:
    text = "I live in Oslo, and Mara in Lima."
    assert blanked(text, occurrences(text, "Oslo")) == text.replace("Oslo", BLANK * 4)
    assert without([Span(0, 10), Span(5, 20)], [Span(8, 12)]) == [Span(0, 8), Span(12, 20)]


@pytest.mark.requirement("I4")
def test_the_raw_search_finds_every_encoding(tmp_path: Path) -> None:
    text = "Zanzíbar ville"
    folder = tmp_path / "x"
    folder.mkdir()
    forms = [
        text.encode(),
        text.encode("utf-16-le"),
        text.encode().hex().encode(),
        json.dumps(text).encode(),
        quote(text).encode(),
    ]
    forms += [base64.b64encode(b"x" * n + text.encode() + b"yy") for n in range(3)]
    for form in forms:
        (folder / "file").write_bytes(b"\0" * 100 + form + b"\0" * 100)
        assert find_raw(folder, [text], [folder], ()), form
    assert len(set(encodings(text))) > 20


@pytest.mark.requirement("D21", "I5")
def test_an_erasure_that_was_cut_off_is_finished_by_the_next_start(desk: Desk, tmp_path: Path) -> None:
    desk.say("I live in Zanzibarville.")
    wanted = Wanted(Act.ERASE, (desk.claim("livesIn", "Zanzibarville"),))
    shown = desk.memory.preview(wanted, desk.approver())
    erased = desk.memory.erase(wanted, shown.digest, desk.approver()).result()
    desk.reopen()
    assert desk.memory.finish_erasures().result() == []  # the start has finished it
    receipt = desk.memory.receipt(erased.id)
    assert is_signed(receipt)
    assert list((tmp_path / "data" / "run").glob("erasure-*")) == []
    assert find_raw(tmp_path, ["Zanzibarville"], [tmp_path / "data"], ()) == []
    desk.sound()


@pytest.mark.requirement("D21")
def test_an_erasure_that_never_began_leaves_no_trace_and_no_receipt(desk: Desk, tmp_path: Path) -> None:
    desk.say("I live in Zanzibarville.")
    run = tmp_path / "data" / "run"
    (run / "erasure-00000000-0000-7000-8000-00000000dead.json").write_text('{"values": ["Zanzib')
    desk.reopen()
    assert desk.memory.finish_erasures().result() == []
    assert list(run.glob("erasure-*")) == []
    assert desk.objects("livesIn") == ["Zanzibarville"]


@pytest.mark.requirement("D21", "I4")
def test_there_is_no_receipt_while_something_is_found(desk: Desk, tmp_path: Path) -> None:
    desk.say("I live in Zanzibarville.")
    left = tmp_path / "data" / "files"
    left.mkdir()
    (left / "attachment").write_bytes(b"... Zanzibarville ...")
    wanted = Wanted(Act.ERASE, (desk.claim("livesIn", "Zanzibarville"),))
    shown = desk.memory.preview(wanted, desk.approver())
    erased = desk.memory.erase(wanted, shown.digest, desk.approver()).result()
    with pytest.raises(UnfinishedErasureError, match="files/attachment"):
        desk.memory.finish_erasures().result()
    with pytest.raises(UnknownThingError):
        desk.memory.receipt(erased.id)
    (left / "attachment").unlink()
    assert len(desk.memory.finish_erasures().result()) == 1
    desk.sound()


@pytest.mark.requirement("retract", "T10")
def test_what_was_retracted_is_recalled_by_nothing_but_its_history(desk: Desk) -> None:
    for _ in range(5):
        desk.say("Gramps works at KeePass. I like tea.")
    gramps = desk.entity("Gramps")
    with desk.memory.reading() as reads:
        (claim,) = [c for c in reads.claims(desk.clearance(), subject=gramps) if c.wording != "name"]
    desk.retract(claim.id)

    def recalled(*, history: bool) -> str:
        with desk.memory.reading() as reads:
            query = Query("Where does Gramps work? KeePass?", at=desk.now, history=history)
            items = recall(reads, desk.words, query, desk.clearance(), 4_000).items
        return " ".join(i.claim.wording if i.claim else i.source.body if i.source else "" for i in items)

    assert "KeePass" not in recalled(history=False)
    assert "tea" in recalled(history=False)
    assert "KeePass" in recalled(history=True)


@pytest.mark.requirement("I4", "D21")
def test_what_is_a_part_of_a_longer_word_that_stays_holds_no_erasure_up(desk: Desk) -> None:
    desk.say("Annabelle lives in Oslo.")
    desk.say("I live in Annabel.")
    desk.say("I like tea and the Norwegian sea.")
    desk.say("My birthday is 1 May 1990.")
    desk.say("Tom was born on 1 May 1991.")
    for predicate, value in (("livesIn", "Annabel"), ("birthday", "1990-05-01")):
        desk.erase(Wanted(Act.ERASE, (desk.claim(predicate, value),)))
    assert desk.objects("livesIn", subject=desk.entity("Annabelle")) == ["Oslo"]
    assert "Tom was born on 1 May 1991." in desk.bodies()
    desk.sound()


@pytest.mark.requirement("I4")
def test_a_name_beside_an_id_is_no_trace_of_a_longer_name(desk: Desk, tmp_path: Path) -> None:
    """Rows put their columns side by side: "roomy 1" and the id 01a2... read as "roomy 10"."""
    ids = (f"01a22ce7-976b-78d9-8979-{number:012x}" for number in range(1_000))
    desk.memory.close()
    desk.memory = Memory(desk.folder, desk.words, clock=desk.clock, ids=lambda: next(ids), tables=TABLES)
    desk.say("I like Roomy 1.")
    desk.say("I like Roomy 10.")
    _, receipt = desk.erase(Wanted(Act.ERASE, (desk.claim("likes", "Roomy 10"),)))
    assert receipt
    assert desk.objects("likes") == ["Roomy 1"]
    kept = tmp_path / "kept"
    kept.write_bytes(b"..roomy 1001a22ce7-976b-78d9-8979-000000000001..")
    assert find_raw(tmp_path, ["Roomy 10"], [kept], ())  # the value itself, before an id
    kept.write_bytes(b"..roomy 101a22ce7-976b-78d9-8979-000000000001..")
    assert find_raw(tmp_path, ["Roomy 10"], [kept], ()) == []
    kept.write_bytes(b"..01a22ce7-976b-78d9-8979-0000000000ababc123 x..")
    assert find_raw(tmp_path, ["abc123"], [kept], ())
    assert find_raw(tmp_path, ["ababc123"], [kept], ()) == []
