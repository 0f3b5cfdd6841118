"""The turn through the shipped service: strangers, cut-off turns, and errors in words."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from pathlib import Path

import pytest
from pyoxigraph import Quad

from bootstrap.wiring import local_zone, open_service
from channels.message import Inbound, Outbound, Sender
from gateway.answer import Asked, Reply
from gateway.inspect import Look
from gateway.parse.context import Before
from gateway.service import TERMINAL, Said, Service
from memory.claim import Reading, Source
from memory.errors import StorageUnavailableError
from memory.graph import Graph
from memory.ids import now
from memory.ledger import Ledger

pytestmark = pytest.mark.requirement("turn")


def with_service(data: Path, work: Callable[[Service], Awaitable[object]]) -> object:
    async def run() -> object:
        service = open_service(data)
        await service.start()
        try:
            return await work(service)
        finally:
            await service.stop()

    return asyncio.run(run())


def said(text: str, id_: str = "", chat: str = "owner", speaker: str = "") -> Said:
    return Said(speaker, chat, id_ or text, text, now(), "Europe/Paris")


def test_a_stranger_gets_nothing_and_leaves_nothing(tmp_path: Path) -> None:
    async def work(service: Service) -> None:
        head = service.memory.head()
        heard: list[Outbound] = []
        service.terminal.listen("x", heard.append)
        await service.terminal.send(Inbound(Sender(TERMINAL, "nobody", "Ann"), "x", "1", "I live in Oslo.", now()))
        assert heard == []
        assert service.memory.head() == head

    with_service(tmp_path, work)


@pytest.mark.requirement("I5")
def test_a_turn_that_was_cut_off_is_finished_once_at_the_next_start(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def cut(service: Service) -> None:
        async def stop(_: Asked, _on_text: object = None) -> Reply:
            raise asyncio.CancelledError

        with monkeypatch.context() as patch:
            patch.setattr(service.offline, "answer", stop)
            with pytest.raises(asyncio.CancelledError):
                await service.say(said("I live in Oslo.", "m1"))
        assert (await service.status())["unfinished turns"] == 1

    async def after(service: Service) -> None:
        assert (await service.status())["unfinished turns"] == 0
        (reply,) = await service.waiting("", "owner")
        assert reply.again
        assert "Oslo" in reply.text
        assert await service.waiting("", "owner") == []
        (again,) = await service.say(said("I live in Oslo.", "m1"))
        assert (again.again, again.text) == (True, reply.text)
        assert (await service.doctor())[1]["ok"]

    with_service(tmp_path, cut)
    with_service(tmp_path, after)


@pytest.mark.requirement("text")
@pytest.mark.parametrize(
    ("text", "told"),
    [("", "empty"), ("x" * 1_000_000, "1,000,000 characters"), ("a\x00b", "U+0000"), ("\ud83d", "U+D83D"), (" ", "empty")],
)
def test_what_cannot_be_kept_is_told_and_the_chat_goes_on(text: str, told: str, tmp_path: Path) -> None:
    async def work(service: Service) -> None:
        (reply,) = await service.say(said(text, "bad"))
        assert told in reply.text
        assert "Nothing was stored" in reply.text
        (reply,) = await service.say(said("I live in Oslo."))
        assert "Oslo" in reply.text

    with_service(tmp_path, work)


@pytest.mark.requirement("text")
def test_bidi_text_is_kept_as_it_is_and_found_without_its_marks(tmp_path: Path) -> None:
    async def work(service: Service) -> None:
        await service.say(said("I live in \u202eOslo\u202c."))
        page = await service.look(Look("search", "Oslo"), "")
        assert [item["text"] for item in page.data] == ["I live in \u202eOslo\u202c."]

    with_service(tmp_path, work)


@pytest.mark.requirement("full-disk")
def test_a_turn_that_cannot_be_stored_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def work(service: Service) -> None:
        await service.say(said("I live in Oslo."))

        def full(_: object) -> None:
            msg = "no room: all that was stored before is kept"
            raise StorageUnavailableError(msg)

        with monkeypatch.context() as patch:
            patch.setattr(Ledger, "commit", full)
            (reply,) = await service.say(said("I live in Lima."))
        assert "kept" in reply.text
        (reply,) = await service.say(said("Where do I live?"))
        assert "Oslo" in reply.text

    with_service(tmp_path, work)


@pytest.mark.requirement("full-disk", "redo")
def test_while_the_graph_is_down_readers_are_told_and_messages_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def work(service: Service) -> None:
        apply = Graph.apply

        def dead(self: Graph, *_: object) -> None:
            self._store = None  # pyright: ignore[reportPrivateUsage]
            message = "no room"
            raise StorageUnavailableError(message)

        def dying(self: Graph, seq: int, removed: Iterable[Quad], added: Iterable[Quad]) -> None:
            (dead if added else apply)(self, seq, removed, added)

        with monkeypatch.context() as patch:
            patch.setattr(Graph, "apply", dying)
            patch.setattr(Graph, "reopen", dead)
            (reply,) = await service.say(said("I live in Oslo.", "m1"))
        assert "no room" in reply.text
        replies = await service.say(said("Where do I live?", "m2"))
        assert [("Oslo" in reply.text, reply.in_reply_to != "") for reply in replies] == [(True, True)] * 2
        assert (await service.doctor())[1]["ok"]

    with_service(tmp_path, work)


@pytest.mark.requirement("I2")
def test_members_have_their_own_memory(tmp_path: Path) -> None:
    async def work(service: Service) -> None:
        await service.say(said("I live in Oslo."))
        await service.say(said("I live in Lima.", speaker="Bea", chat="Bea"))
        (reply,) = await service.say(said("Where do I live?", speaker="Bea", chat="Bea"))
        assert "Lima" in reply.text
        assert "Oslo" not in reply.text
        for page in ("show", "why", "history", "search"):
            assert "Oslo" not in str(await service.look(Look(page, "Oslo"), "Bea"))
        assert [p["name"] for p in (await service.status())["people"]] == ["", "Bea"]

    with_service(tmp_path, work)


def test_first_contact_says_that_it_remembers(tmp_path: Path) -> None:
    async def work(service: Service) -> None:
        (first,) = await service.say(said("Hello"))
        (second,) = await service.say(said("Hello again"))
        assert "I remember what you tell me" in first.text
        assert "/undo" in first.text
        assert "I remember what you tell me" not in second.text

    with_service(tmp_path, work)


@pytest.mark.requirement("terminal")
def test_commands_answer_and_unknown_ones_say_so(tmp_path: Path) -> None:
    async def work(service: Service) -> list[str]:
        texts = ["/help", "/whoami", "/undo", "/memory", "/foo", "I live in Oslo.", "/memory", "/why", "/undo", "/why"]
        return [(await service.say(said(text, f"{n}")))[0].text for n, text in enumerate(texts)]

    replies = with_service(tmp_path, work)
    assert isinstance(replies, list)
    told = [str(reply) for reply in replies]  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
    for reply, words in zip(
        told,
        ["/undo - take back", "You are the owner", "nothing of yours", "remember nothing", "do not know the command /foo",
         "you live in Oslo", "You live in Oslo (you said so on", "decided by row 11", "Undone", "remember nothing"],
        strict=True,
    ):  # fmt: skip
        assert words in reply


@pytest.mark.requirement("settings")
def test_the_zone_is_the_configured_one_or_the_machines(monkeypatch: pytest.MonkeyPatch) -> None:
    assert local_zone("Asia/Tokyo") == "Asia/Tokyo"
    monkeypatch.setenv("TZ", ":Europe/Rome")
    assert local_zone("") == "Europe/Rome"
    monkeypatch.delenv("TZ")
    assert local_zone("")


@pytest.mark.requirement("I5")
def test_a_fault_in_one_message_ends_its_turn_and_no_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def work(service: Service) -> None:
        async def fail(_: Asked) -> Reply:
            raise RecursionError

        with monkeypatch.context() as patch:
            patch.setattr(service.offline, "answer", fail)
            (reply,) = await service.say(said("I live in Oslo.", "m1"))
        assert "Something went wrong in me" in reply.text
        (reply,) = await service.say(said("Where do I live?", "m2"))
        assert "Oslo" in reply.text
        assert (await service.status())["unfinished turns"] == 0

    with_service(tmp_path, work)


@pytest.mark.requirement("offline")
def test_long_and_odd_messages_are_answered(tmp_path: Path) -> None:
    async def work(service: Service) -> None:
        told = ""
        for number, text in enumerate(
            [f"Tell me about {'the ' * 9_000}cat.", "My birthday is 3 \u017fep.", "Who is Mara? " * 300, "I like tea. " * 1_500]
        ):
            (reply,) = await service.say(said(text, f"m{number}"))
            assert "Something went wrong" not in reply.text
            told = reply.text
        assert "unread" in told

    with_service(tmp_path, work)


class _Listening:
    """A parser that finds nothing, and keeps what words may refer to."""

    def __init__(self) -> None:
        self.before: list[str] = []

    async def read(self, source: Source, before: Before | None = None) -> Reading:  # noqa: ARG002 - the protocol's
        """Keep what comes before."""
        self.before.append("" if before is None else before.text)
        return Reading("listening", ())


def test_words_refer_to_the_message_that_they_were_written_under(tmp_path: Path) -> None:
    parser = _Listening()

    async def go() -> None:
        service = open_service(tmp_path / "data", parser=parser)
        await service.start()
        service.terminal.listen("owner/r", lambda _: None)
        said = [("1", "My brother is Tom.", ""), ("2", "The weather is fine.", ""), ("3", "He lives in Oslo.", "1")]
        for id_, text, under in [*said, ("4", "He does.", "9")]:
            inbound = Inbound(Sender("cli", "owner"), "owner/r", id_, text, service.memory.clock(), "UTC", answers=under)
            await service.terminal.send(inbound)
        await service.stop()

    asyncio.run(go())
    assert parser.before[2] == "My brother is Tom."
    assert "The weather is fine." in parser.before[1] or "My brother is Tom." in parser.before[1]
    assert "He lives in Oslo." in parser.before[3]
