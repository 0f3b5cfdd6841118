"""The Telegram channel against a Bot API server: pairing, replies, buttons, faults, restarts."""

import asyncio
import re
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from bootstrap.wiring import connect, open_service
from channels.exports import Line
from channels.message import DeliveryError, Inbound, Outbound, Press, Pressed, Sender, UncertainError, UnreachableError
from channels.telegram.client import Telegram
from channels.telegram.wire import LONGEST, marked, parts
from gateway.errors import IncorrectRequestError
from gateway.files import Transcriber
from gateway.service import Said, Service
from gateway.turn import MOST_HELD
from gateway.window import talked
from memory.label import Integrity
from memory.label import user as own
from tests.bot_server import TOKEN, BotServer, bot_server

pytestmark = pytest.mark.requirement("telegram")

ANA, BEN = 42, 43
Doing = Callable[[Service], Awaitable[None]]


@pytest.fixture
def server() -> Iterator[BotServer]:
    with bot_server() as running:
        yield running


@asynccontextmanager
async def running(
    folder: Path, server: BotServer, callback: str = "", transcriber: Transcriber | None = None
) -> AsyncGenerator[Service]:
    """Run a service that speaks through the server."""
    _configure(folder, server, callback)
    service = open_service(folder, transcriber=transcriber)
    connect(service, folder)
    await service.start()
    try:
        yield service
    finally:
        await service.stop()


def _configure(folder: Path, server: BotServer, callback: str) -> None:
    folder.mkdir(exist_ok=True)
    (folder / "token").write_text(TOKEN, encoding="utf-8")
    told = f'[channels.telegram]\ntoken_file = "{folder / "token"}"\napi_base = "{server.url}"\ncallback = "{callback}"\n'
    (folder / "muniment.toml").write_text(told, encoding="utf-8")


async def pair(service: Service, server: BotServer, user: int = ANA, speaker: str = "") -> None:
    """Let somebody in who writes to the bot, as the owner or the member of a name."""
    server.say(user, "Hello?")
    await server.until(lambda: server.texts(user))
    code = re.search(r"muniment pair (\w{8})", server.texts(user)[-1])
    assert code is not None
    assert await service.let_in(speaker, code[1].lower()) == "telegram"


def do(folder: Path, server: BotServer, doing: Doing) -> None:
    """Do something with a running service."""

    async def go() -> None:
        async with running(folder, server) as service:
            await doing(service)

    asyncio.run(go())


def test_a_stranger_gets_one_code_and_nothing_else(tmp_path: Path, server: BotServer) -> None:
    async def doing(service: Service) -> None:
        head = service.memory.head()
        for number in range(50):
            server.say(ANA, f"I live in Lima {number}.")
        for user in range(100, 110):
            server.say(user, "Let me in.")
        await server.until(lambda: len(server.texts(102)) == 1 or len(server.texts(101)) == 1)
        await asyncio.sleep(0.5)
        assert len(server.texts(ANA)) == 1
        assert sum(len(server.texts(user)) for user in range(100, 110)) == 2  # three wait at most
        assert service.memory.head() == head
        with pytest.raises(IncorrectRequestError, match="No such code"):
            await service.let_in("", "AAAAAAAA")
        for _ in range(4):
            with pytest.raises(IncorrectRequestError):
                await service.let_in("", "AAAAAAAA")
        code = re.search(r"muniment pair (\w{8})", server.texts(ANA)[0])
        assert code is not None
        with pytest.raises(IncorrectRequestError, match="Too many wrong codes"):
            await service.let_in("", code[1])

    do(tmp_path / "data", server, doing)


def test_what_is_said_there_is_remembered_with_what_is_said_elsewhere(tmp_path: Path, server: BotServer) -> None:
    async def doing(service: Service) -> None:
        await pair(service, server)
        server.say(ANA, "I live in Lyon.")
        await server.until(lambda: any("you live in Lyon" in text for text in server.texts(ANA)))
        replies = await service.say(Said("", "", "1", "Where do I live?", 1_770_000_000_000_000, "UTC"))
        assert "You live in Lyon" in replies[0].text
        await pair(service, server, BEN, "Ben")
        server.say(BEN, "Where do I live?")
        await server.until(lambda: len(server.texts(BEN)) == 2)
        assert "Lyon" not in server.texts(BEN)[-1]
        assert ("sendChatAction", str(ANA)) in [(name, str(fields.get("chat_id"))) for name, fields in server.sent]
        await server.until(lambda: not service.delivery.waiting("telegram"))
        (state,) = [one for one in service.liveness.report() if one["channel"] == "telegram"]
        assert (state["state"], state["deaf"], state["waiting"]) == ("listening", False, 0)
        commands = next(fields for name, fields in server.sent if name == "setMyCommands")
        assert "forget" in str(commands)

    do(tmp_path / "data", server, doing)


def test_a_code_sent_from_a_chat_where_one_is_known_links_the_two(tmp_path: Path, server: BotServer) -> None:
    async def doing(service: Service) -> None:
        server.say(ANA, "Hello?")
        await server.until(lambda: server.texts(ANA))
        code = re.search(r"/pair (\w{8})", server.texts(ANA)[-1])
        assert code is not None
        replies = await service.say(Said("", "", "1", f"/pair {code[1]}", 1_770_000_000_000_000, "UTC"))
        assert "I know you on telegram too" in replies[0].text
        server.say(ANA, "/whoami")
        await server.until(lambda: any("You are the owner" in text for text in server.texts(ANA)))

    do(tmp_path / "data", server, doing)


def test_a_forward_is_somebody_elses_and_commands_nothing(tmp_path: Path, server: BotServer) -> None:
    origin = {"type": "hidden_user", "date": 1_700_000_000, "sender_user_name": "Somebody"}

    async def doing(service: Service) -> None:
        await pair(service, server)
        server.say(ANA, "I live in Lyon.")
        server.say(ANA, "I live in Lima.", forward_origin=origin)
        server.say(ANA, "/forget everything about me", forward_origin=origin)
        server.say(ANA, "Where do I live?")
        await server.until(lambda: any("You live in Lyon" in text for text in server.texts(ANA)))
        assert not any("If you approve" in text for text in server.texts(ANA))
        assert not any("You live in Lima" in text for text in server.texts(ANA))

    do(tmp_path / "data", server, doing)


def test_an_approval_is_a_button_of_its_person_once(tmp_path: Path, server: BotServer) -> None:
    async def doing(service: Service) -> None:
        await pair(service, server)
        await pair(service, server, BEN, "Ben")
        server.say(ANA, "I live in Lyon.")
        server.say(ANA, "/retract I live in Lyon")
        await server.until(lambda: server.buttons(ANA))
        words, data = server.buttons(ANA)[0]
        assert words == "Approve"
        assert all(len(one.encode()) <= 64 for _, one in server.buttons(ANA))
        server.press(BEN, data)
        await server.until(lambda: any("Nothing of yours waits" in text for text in server.texts(BEN)))
        server.press(ANA, data)
        await server.until(
            lambda: any(
                "no longer believed" in text.casefold() or "taken back" in text.casefold() or "stopped" in text.casefold()
                for text in server.texts(ANA)
            )
        )
        server.press(ANA, data)
        await server.until(lambda: any("Nothing of yours waits" in text for text in server.texts(ANA)))
        server.press(99, data)
        await server.until(lambda: server.texts(99))
        assert server.texts(99) == ["I do not know you."]

    do(tmp_path / "data", server, doing)


def test_a_reply_waits_as_long_as_the_platform_says_and_comes_once(tmp_path: Path, server: BotServer) -> None:
    async def doing(service: Service) -> None:
        await pair(service, server)
        server.fail("sendMessage", 429, description="Too Many Requests: retry after 1", retry_after=1)
        server.fail("sendMessage", 502, description="Bad Gateway")
        server.say(ANA, "/whoami")
        server.say(ANA, "/help")
        await server.until(lambda: any("/memory" in text for text in server.texts(ANA)))
        told = server.texts(ANA)[1:]
        assert len(told) == 2
        assert "You are the owner" in told[0]  # the order of the chat is kept

    do(tmp_path / "data", server, doing)


def test_a_chat_that_is_closed_to_the_bot_holds_up_nobody(tmp_path: Path, server: BotServer) -> None:
    async def doing(service: Service) -> None:
        await pair(service, server)
        server.fail("sendMessage", 403, description="Forbidden: bot was blocked by the user")
        server.say(ANA, "/whoami")
        server.say(ANA, "/help")
        await server.until(lambda: any("/memory" in text for text in server.texts(ANA)))
        assert not any("You are the owner" in text for text in server.texts(ANA))

    do(tmp_path / "data", server, doing)


@pytest.mark.requirement("F21")
def test_the_same_message_again_has_one_effect_and_one_reply_also_after_a_restart(tmp_path: Path, server: BotServer) -> None:
    async def doing(service: Service) -> None:
        await pair(service, server)
        number = server.say(ANA, "I live in Lyon.")
        await server.until(lambda: len(server.texts(ANA)) == 2)
        assert "/timezone Europe/Paris and /language German" in server.texts(ANA)[1]  # asked once
        server.say(ANA, "I live in Lyon.", number)
        server.say(ANA, "/whoami")
        await server.until(lambda: len(server.texts(ANA)) == 3)

    async def after(_service: Service) -> None:
        server.say(ANA, "/whoami")
        await server.until(lambda: len(server.texts(ANA)) == 4)

    do(tmp_path / "data", server, doing)
    do(tmp_path / "data", server, after)
    assert sum("you live in Lyon" in text for text in server.texts(ANA)) == 1


def test_a_reply_that_was_not_sent_before_a_stop_is_sent_after_it(tmp_path: Path, server: BotServer) -> None:
    async def doing(service: Service) -> None:
        await pair(service, server)
        for _ in range(3):
            server.fail("sendMessage", 429, description="Too Many Requests: retry after 30", retry_after=30)
        server.say(ANA, "I live in Lyon.")
        await server.until(lambda: service.delivery.waiting("telegram"))
        await asyncio.sleep(0.3)

    async def after(_service: Service) -> None:
        await server.until(lambda: any("you live in Lyon" in text for text in server.texts(ANA)))

    do(tmp_path / "data", server, doing)
    server._emulator.faults.clear()  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]
    do(tmp_path / "data", server, after)
    assert sum("you live in Lyon" in text for text in server.texts(ANA)) == 1


def test_one_process_polls_for_a_token(tmp_path: Path, server: BotServer) -> None:
    async def go() -> None:
        async with running(tmp_path / "a", server) as first:
            await server.until(lambda: state_of(first) == "listening")
            async with running(tmp_path / "b", server) as second:
                await server.until(lambda: state_of(second) == "waiting")
                assert "another process" in next(o["detail"] for o in second.liveness.report() if o["channel"] == "telegram")

    asyncio.run(go())


@pytest.mark.requirement("F26")
def test_a_token_that_is_not_taken_brings_that_channel_down_and_no_other(tmp_path: Path, server: BotServer) -> None:
    async def doing(service: Service) -> None:
        await server.until(lambda: state_of(service) == "down")
        replies = await service.say(Said("", "", "1", "I live in Lyon.", 1_770_000_000_000_000, "UTC"))
        assert "you live in Lyon" in replies[0].text

    server.fail("getMe", 401, description="Unauthorized")
    do(tmp_path / "data", server, doing)


def test_a_changed_message_is_read_again_in_place_of_what_it_was(tmp_path: Path, server: BotServer) -> None:
    async def doing(service: Service) -> None:
        await pair(service, server)
        number = server.say(ANA, "I live in Lyon.")
        await server.until(lambda: len(server.texts(ANA)) == 2)
        server.change(ANA, number, "I live in Lima.")
        await server.until(lambda: any("you live in Lima" in text for text in server.texts(ANA)))
        assert "You changed that message" in server.texts(ANA)[-1]
        server.change(ANA, number, "I live in Oslo.")
        server.say(ANA, "Where do I live?")
        await server.until(lambda: len(server.texts(ANA)) == 5)
        assert server.texts(ANA)[-1].startswith("You live in Oslo")
        server.say(ANA, "/memory")
        await server.until(lambda: len(server.texts(ANA)) == 6)
        assert "Lyon" not in server.texts(ANA)[-1]
        assert "Lima" not in server.texts(ANA)[-1]

    do(tmp_path / "data", server, doing)


def test_what_is_no_text_is_said_not_to_be_read(tmp_path: Path, server: BotServer) -> None:
    async def doing(service: Service) -> None:
        await pair(service, server)
        server.say(ANA, voice={"file_id": "x", "file_unique_id": "y", "duration": 3})
        await server.until(lambda: any("I cannot hear" in text for text in server.texts(ANA)))

    do(tmp_path / "data", server, doing)


async def _known(service: Service, users: range) -> None:
    for user in users:
        await service.people.add("member", f"User{user}", Sender("telegram", str(user)))
    service.learn_people()


@pytest.mark.requirement("F30")
def test_a_stop_among_fifty_messages_loses_none_and_doubles_none(tmp_path: Path, server: BotServer) -> None:
    users = range(100, 150)

    async def doing(service: Service) -> None:
        await _known(service, users)
        for user in users:
            server.say(user, "I live in Lyon.")
        await server.until(lambda: sum(bool(server.texts(user)) for user in users) >= 5)

    async def after(_service: Service) -> None:
        await server.until(lambda: all(server.texts(user) for user in users), seconds=40)
        await asyncio.sleep(0.3)

    do(tmp_path / "data", server, doing)
    assert sum(bool(server.texts(user)) for user in users) < 50
    do(tmp_path / "data", server, after)
    assert {len(server.texts(user)) for user in users} == {1}
    assert all("you live in Lyon" in server.texts(user)[0] for user in users)
    assert not any("sent again" in server.texts(user)[0] for user in users)


@pytest.mark.requirement("F29")
def test_who_sends_much_keeps_nobody_else_waiting_and_is_not_all_held_in_memory(tmp_path: Path, server: BotServer) -> None:
    many, most = 4 * MOST_HELD, 0

    async def doing(service: Service) -> None:
        nonlocal most
        await _known(service, range(100, 102))
        for number in range(many):
            server.say(100, f"Town{number} is a city.")
        server.say(101, "I live in Lyon.")
        while not server.texts(101):
            most = max(most, service.turns.held())
            await asyncio.sleep(0.01)
        assert len(server.texts(100)) < many // 2
        assert most <= 2 * MOST_HELD

    async def after(service: Service) -> None:
        await server.until(lambda: len(server.texts(100)) >= many, seconds=60)
        assert service.turns.held() == 0

    do(tmp_path / "data", server, doing)
    do(tmp_path / "data", server, after)
    told = [re.sub(r"\D", "", text.split("Town", 1)[1].split(" ", 1)[0]) for text in server.texts(100) if "Town" in text]
    assert list(dict.fromkeys(map(int, told))) == list(range(many))  # in their order, whether or not one was sent again


@pytest.mark.requirement("F28")
def test_a_message_from_a_time_that_cannot_be_is_refused_and_may_come_again(tmp_path: Path, server: BotServer) -> None:
    async def doing(service: Service) -> None:
        await _known(service, range(100, 101))
        for date in (1_000_000_000, 4_000_000_000):
            server.say(100, "I live in Lima.", 7, date=date)
        await server.until(lambda: len(server.texts(100)) == 2)
        assert all("it cannot be from" in text for text in server.texts(100))
        server.say(100, "I live in Lyon.", 7)
        await server.until(lambda: len(server.texts(100)) == 3)
        assert "you live in Lyon" in server.texts(100)[-1]

    do(tmp_path / "data", server, doing)


@pytest.mark.requirement("telegram")
def test_an_update_that_cannot_be_read_keeps_no_other_from_being(tmp_path: Path, server: BotServer) -> None:
    user, chat = {"id": 100, "is_bot": False, "first_name": "Zoe"}, {"id": 100, "type": "private", "first_name": "Zoe"}
    message = {"from": user, "chat": chat, "date": 1_770_000_000}

    async def doing(service: Service) -> None:
        await _known(service, range(100, 101))
        server.update({"message": {**message, "message_id": 1, "text": "x", "date": 10**30}})
        server.update({"message": {**message, "message_id": 2, "poll": {"id": "1", "question": "?"}}})
        named = {"file_id": "f", "file_unique_id": "u", "file_name": "a.\ud800", "mime_type": "\ud800"}
        server.update({"message": {**message, "message_id": 3, "document": named}})
        server.say(100, "/whoami")
        await server.until(lambda: any("You are the member" in text for text in server.texts(100)))

    do(tmp_path / "data", server, doing)


def test_a_code_that_did_not_arrive_is_shown_to_nobody_else(tmp_path: Path, server: BotServer) -> None:
    async def doing(service: Service) -> None:
        server.fail("sendMessage", 502, description="Bad Gateway")
        server.say(200, "Hello?")
        server.say(201, "Hello?")
        await server.until(lambda: server.texts(201))
        code = re.search(r"muniment pair (\w{8})", server.texts(201)[0])
        assert code is not None
        await service.let_in("Ben", code[1])
        server.say(201, "/whoami")
        await server.until(lambda: any("You are the member called Ben" in text for text in server.texts(201)))
        server.say(200, "Hello?")  # who saw none gets another
        await server.until(lambda: server.texts(200))

    do(tmp_path / "data", server, doing)


@pytest.mark.parametrize(("answers", "error"), [(False, UnreachableError), (True, UncertainError)])
def test_only_where_nobody_was_reached_was_nothing_sent(answers: bool, error: type[DeliveryError]) -> None:  # noqa: FBT001
    async def hang_up(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readline()
        writer.close()

    async def press(_press: Press) -> Pressed:
        return Pressed("")

    async def go() -> None:
        listening = await asyncio.start_server(hang_up, "127.0.0.1", 0)
        port = listening.sockets[0].getsockname()[1]
        if not answers:
            listening.close()
            await listening.wait_closed()
        channel = Telegram(TOKEN, press, [], f"http://127.0.0.1:{port}")
        with pytest.raises(error):
            await channel.deliver(Outbound("1", "5", "2", "Hello."))
        await channel.close()
        listening.close()

    asyncio.run(go())


@pytest.mark.requirement("telegram")
def test_an_account_in_an_imported_file_is_not_let_in(tmp_path: Path, server: BotServer) -> None:
    async def doing(service: Service) -> None:
        lines = [Line("1", service.memory.clock(), "Mallory", "I live in Lima.")]
        await service.bring_in("Old chat", "", {"Mallory": "user666"}, lines, "UTC", join=False)
        server.say(666, "/whoami")
        await server.until(lambda: server.texts(666))
        assert "I do not know you yet" in server.texts(666)[0]

    do(tmp_path / "data", server, doing)


@pytest.mark.requirement("telegram")
def test_what_may_have_arrived_is_sent_again_with_a_mark_and_what_did_not_without(tmp_path: Path, server: BotServer) -> None:
    async def doing(service: Service) -> None:
        await _known(service, range(100, 101))
        server.fail("sendMessage", 500, description="Internal Server Error")
        server.say(100, "/whoami")
        await server.until(lambda: server.texts(100))
        assert server.texts(100)[-1].startswith("(sent again) You are the member")
        server.fail("sendMessage", 413, description="Request Entity Too Large")
        server.say(100, "/whoami")
        server.say(100, "/help")
        await server.until(lambda: any("/memory" in text for text in server.texts(100)))
        assert len(server.texts(100)) == 2  # what is too large holds up nothing

    do(tmp_path / "data", server, doing)


@pytest.mark.requirement("telegram")
def test_a_change_counts_from_when_its_message_was_said_and_takes_back_before_it_commands(
    tmp_path: Path, server: BotServer
) -> None:
    async def doing(service: Service) -> None:
        await _known(service, range(100, 101))
        number = server.say(100, "I live in Lyon.")
        await server.until(lambda: len(server.texts(100)) == 1)
        server.change(100, number, "I live in Lyon.")  # as Telegram tells of a preview
        server.change(100, number, "/whoami")
        await server.until(lambda: len(server.texts(100)) == 2)
        server.say(100, location={"latitude": 1.0, "longitude": 1.0})
        asked = server.say(100, "Where do I live?")
        await server.until(lambda: len(server.texts(100)) == 4)
        assert "You live in Lyon" not in server.texts(100)[-1]
        person = service.people.identify(Sender("telegram", "100"))
        assert person is not None
        with service.memory.reading() as reads:
            said = reads.source(service.memory.spaces.clearance(own(person.id)), _last(service, f"{number}/%"))
            first = reads.source(service.memory.spaces.clearance(own(person.id)), _last(service, str(number)))
            everything = service.memory.spaces.clearance(own(person.id), integrity=Integrity.QUARANTINED)
            before = talked(reads, service.memory, reads.source(everything, _last(service, str(asked))))
        assert said.said_at == first.said_at
        assert [one.text for one in before if one.role == "user"] == ["/whoami"]  # not what was changed, nor what had no words

    do(tmp_path / "data", server, doing)


def _last(service: Service, platform_id: str) -> str:
    return service.memory.rows("SELECT source FROM inbox WHERE platform_id LIKE ? ORDER BY entry DESC LIMIT 1", (platform_id,))[
        0
    ][0]


@pytest.mark.requirement("telegram")
def test_a_message_whose_accepting_was_cut_off_is_answered_when_it_comes_again(tmp_path: Path, server: BotServer) -> None:
    async def doing(service: Service) -> None:
        await _known(service, range(100, 101))
        person = service.people.identify(Sender("telegram", "100"))
        assert person is not None
        inbound = Inbound(Sender("telegram", "100"), "100", "7", "I live in Lyon.", service.memory.clock())
        await service.inbox.accept(inbound, person, await service.people.conversation(inbound, person), "UTC")
        server.say(100, "I live in Lyon.", 7)
        await server.until(lambda: any("you live in Lyon" in text for text in server.texts(100)))

    do(tmp_path / "data", server, doing)


def test_a_turn_that_was_cut_off_waits_where_its_platform_is_not_running(tmp_path: Path, server: BotServer) -> None:
    folder = tmp_path / "data"

    async def cut_off(service: Service) -> None:
        await _known(service, range(100, 101))
        person = service.people.identify(Sender("telegram", "100"))
        assert person is not None
        inbound = Inbound(Sender("telegram", "100"), "100", "1", "I live in Lyon.", service.memory.clock())
        await service.inbox.accept(inbound, person, await service.people.conversation(inbound, person), "UTC")

    async def elsewhere() -> None:
        service = open_service(folder)
        await service.start()
        assert (await service.status())["unfinished turns"] == 1
        await service.stop()

    async def after(_service: Service) -> None:
        await server.until(lambda: server.texts(100))

    do(folder, server, cut_off)
    asyncio.run(elsewhere())
    assert not server.texts(100)
    do(folder, server, after)
    assert "you live in Lyon" in server.texts(100)[0]


def test_a_draft_outlives_the_process_and_the_reply_takes_its_place(tmp_path: Path, server: BotServer) -> None:
    shown = "There is a good deal to say about that, and I begin."

    async def drafted(service: Service) -> None:
        await _known(service, range(100, 101))
        person = service.people.identify(Sender("telegram", "100"))
        assert person is not None
        inbound = Inbound(Sender("telegram", "100"), "100", "1", "I live in Lyon.", service.memory.clock())
        accepted = await service.inbox.accept(inbound, person, await service.people.conversation(inbound, person), "UTC")
        made = await service.channels["telegram"].draft("100", accepted.source.id, shown)
        await service.outbox.note_draft(accepted.source.id, made)

    async def after(_service: Service) -> None:
        await server.until(lambda: any("you live in Lyon" in text for text in server.shown(100)))

    do(tmp_path / "data", server, drafted)
    assert server.shown(100) == [shown]
    do(tmp_path / "data", server, after)
    assert len(server.shown(100)) == 1


def state_of(service: Service) -> str:
    """Return how the channel fares."""
    return next(one["state"] for one in service.liveness.report() if one["channel"] == "telegram")


@pytest.mark.parametrize(
    "text",
    [
        "plain", "**bold** and `code` and [a link](http://x.y)", "x" * 10_000, "\U0001f600" * 5_000, "_*[]()~`>#+-=|{}.!", "",
        "```py\n" + "print(1)\n" * 900 + "```", "a\n\n\n\nb",
    ],
)  # fmt: skip
def test_a_reply_is_cut_into_parts_that_telegram_takes(text: str) -> None:
    made = parts(text)
    assert made
    for part in made:
        units = len(part.text.encode("utf-16-le")) // 2
        assert 0 < units <= LONGEST
        assert all(one.offset >= 0 and one.length > 0 and one.offset + one.length <= units for one in part.entities)
        assert all(len(one.text.encode("utf-16-le")) // 2 <= LONGEST for one in marked(part))
    (bold,) = marked(parts("**x**")[0])
    assert (bold.text, bold.entities[0].offset) == ("(sent again) x", 13)
