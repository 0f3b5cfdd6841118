"""What Telegram sends, as messages and presses; and replies as Telegram takes them. Pure: nothing here reaches the network.

https://core.telegram.org/bots/api
"""

import re
from dataclasses import dataclass
from typing import Any

from telegram import Chat, ChatMemberUpdated, Message, MessageEntity, Update, User
from telegramify_markdown import convert, split_entities

from channels.message import File, Happening, Inbound, Membership, Moved, Ousted, Press, Sender

NAME = "telegram"
LONGEST = 4_096
"""UTF-16 units of one message."""

LONGEST_MARKDOWN = 8_000
"""Characters of a reply whose Markdown is read; reading it takes the square of their number at worst."""

_SECOND = 1_000_000
AGAIN = "(sent again) "
"""What a reply begins with that may have arrived before."""

_GROUPS = frozenset({Chat.GROUP, Chat.SUPERGROUP})


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a reply as one message: its text, and what is bold, code or a link in it."""

    text: str
    entities: tuple[MessageEntity, ...] = ()


@dataclass(frozen=True, slots=True)
class Bot:
    """Who the bot is: its id, the name by which a group mentions it, and the commands that it knows."""

    id: int
    username: str
    commands: frozenset[str] = frozenset()


def parse(update: Update, bot: Bot) -> tuple[Happening | Press, ...]:
    """Return what people did: messages, presses of buttons in private chats, and who came into a group or left it."""
    query = update.callback_query
    if query is not None:
        chat = query.message.chat if query.message is not None else None
        if chat is None or chat.type != chat.PRIVATE or query.data is None:
            return ()
        return (Press(_sender(query.from_user), str(chat.id), query.data),)
    if update.my_chat_member is not None or update.chat_member is not None:
        return _standing(update.my_chat_member or update.chat_member, bot)
    message = update.message or update.edited_message
    if message is None or message.chat.type not in {message.chat.PRIVATE, *_GROUPS}:
        return ()
    group = str(message.chat.id) if message.chat.type in _GROUPS else ""
    changes = _changes(message, group, bot) if group else ()
    said = None if changes else _said(message, bot, update, group)
    return changes if said is None else (said,)


def _standing(change: ChatMemberUpdated | None, bot: Bot) -> tuple[Happening, ...]:
    """Return what a change of somebody's standing in a group tells of who is there."""
    if change is None or change.chat.type not in _GROUPS:
        return ()
    group, now = str(change.chat.id), change.new_chat_member
    present = now.status not in {now.LEFT, now.BANNED} and getattr(now, "is_member", True)
    if now.user.id == bot.id:
        return () if present else (Ousted(group),)
    return () if now.user.is_bot else (Membership(group, _sender(now.user), present=present),)


def _changes(message: Message, group: str, bot: Bot) -> tuple[Happening, ...]:
    """Return what a message of a group tells of the group itself."""
    if message.migrate_to_chat_id is not None:
        return (Moved(group, str(message.migrate_to_chat_id)),)
    gone = message.left_chat_member
    if gone is not None and gone.id == bot.id:
        return (Ousted(group),)
    left = [] if gone is None else [Membership(group, _sender(gone), present=False)]
    came = [Membership(group, _sender(user), present=True) for user in message.new_chat_members if not user.is_bot]
    return (*came, *left)


def _said(message: Message, bot: Bot, update: Update, group: str) -> Inbound | None:
    who, file = message.from_user, _file(message)
    text = message.text or message.caption or ""
    if who is None or who.is_bot or not (text or file):
        return None
    changed = update.edited_message is not None
    return Inbound(
        sender=_sender(who),
        chat=chat_of(message),
        platform_id=f"{message.message_id}/{update.update_id}" if changed else str(message.message_id),
        text=_without_mention(text, bot),
        sent_at=int(message.date.timestamp()) * _SECOND,
        forwarded=message.forward_origin is not None or message.via_bot is not None,  # which others can write, and change
        replaces=str(message.message_id) if changed else "",
        answers="" if message.reply_to_message is None else str(message.reply_to_message.message_id),
        group=group,
        addressed=not group or _is_for(message, text, bot),
        file=file,
    )


def chat_of(message: Message) -> str:
    """Return the chat of a message: a topic of a group is one of its own."""
    topic = f":{message.message_thread_id}" if message.is_topic_message else ""
    return f"{message.chat.id}{topic}"


def place(chat: str) -> tuple[int, int | None]:
    """Return where Telegram is to put what is for a chat: the id of its own chat, and that of a topic in it."""
    id_, _, topic = chat.partition(":")
    return int(id_), int(topic) if topic else None


def _is_for(message: Message, text: str, bot: Bot) -> bool:
    """Tell whether a message of a group is meant for the bot: it names it, answers it, or is a command of its own."""
    answered = message.reply_to_message
    if answered is not None and answered.from_user is not None and answered.from_user.id == bot.id:
        return True
    command = re.match(r"/(\w+)(?:@(\w+))?(?:\s|\Z)", text)
    if command is not None:
        return command[1].casefold() in bot.commands if command[2] is None else command[2].casefold() == bot.username.casefold()
    return re.search(rf"(?<![\w@])@{re.escape(bot.username)}(?!\w)", text, re.IGNORECASE) is not None


def _without_mention(text: str, bot: Bot) -> str:
    """Return a text without the bot's name at its beginning, its end, or after a command."""
    name = re.escape(bot.username)
    text = re.sub(rf"\A(/\w+)@{name}\b", r"\1", text, flags=re.IGNORECASE)
    return re.sub(rf"\A\s*@{name}\b[\s,:]*|[\s,]*@{name}\s*\Z", "", text, flags=re.IGNORECASE)


def _sender(user: User) -> Sender:
    return Sender(NAME, str(user.id), user.full_name)


def _file(message: Message) -> File | None:
    """Return the file of a message; of a kind that is none of ours with an empty id."""
    if message.photo:
        photo = message.photo[-1]
        return File("photo", photo.file_id, "photo.jpg", "image/jpeg", photo.file_size or 0)
    voice = message.voice  # and no other recording: who speaks in that, nobody knows
    if voice is not None:
        return File("voice", voice.file_id, "voice.ogg", voice.mime_type or "audio/ogg", voice.file_size or 0)
    if message.document is not None:
        document = message.document
        named = document.file_name or "document"
        return File("document", document.file_id, named, document.mime_type or "", document.file_size or 0)
    return File("other", "", "") if message.effective_attachment is not None else None


def parts(text: str) -> list[Part]:
    """Return a reply in parts that fit, its Markdown as entities; no part ends within a code block or another entity."""
    if len(text) > LONGEST_MARKDOWN:
        return plain_parts(text) or [Part("\u2026")]
    plain, entities = convert(text, latex_escape=False)
    made: list[Part] = []
    for piece, inside in split_entities(plain, entities, LONGEST):
        if piece.strip():
            made.append(Part(piece, tuple(map(_entity, inside))))
    return made or [Part("\u2026")]


def plain_parts(text: str) -> list[Part]:
    """Return a reply in parts that fit, as it is written."""
    return [Part(piece) for piece, _ in split_entities(text, [], LONGEST) if piece.strip()]


def marked(part: Part) -> tuple[Part, ...]:
    """Return a part with the mark of what may have arrived before; in a message of its own where there is no room for it."""
    if len((AGAIN + part.text).encode("utf-16-le")) // 2 > LONGEST:
        return Part(AGAIN.strip()), part
    moved = (
        MessageEntity(one.type, one.offset + len(AGAIN), one.length, url=one.url, language=one.language) for one in part.entities
    )
    return (Part(AGAIN + part.text, tuple(moved)),)


def _entity(one: Any) -> MessageEntity:
    return MessageEntity(one.type, one.offset, one.length, url=one.url, language=one.language)
