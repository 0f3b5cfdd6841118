"""What Telegram sends, as messages and presses; and replies as Telegram takes them. Pure: nothing here reaches the network.

https://core.telegram.org/bots/api
"""

from dataclasses import dataclass
from typing import Any

from telegram import MessageEntity, Update
from telegramify_markdown import convert, split_entities

from channels.message import Inbound, Press, Sender

NAME = "telegram"
LONGEST = 4_096
"""UTF-16 units of one message."""

_SECOND = 1_000_000
_AGAIN = "(sent again) "


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a reply as one message: its text, and what is bold, code or a link in it."""

    text: str
    entities: tuple[MessageEntity, ...] = ()


def parse(update: Update) -> Inbound | Press | None:
    """Return what a person did in a private chat; ``None`` for anything else, of groups and bots too."""
    query = update.callback_query
    if query is not None:
        chat = query.message.chat if query.message is not None else None
        if chat is None or chat.type != chat.PRIVATE or query.data is None:
            return None
        return Press(Sender(NAME, str(query.from_user.id), query.from_user.full_name), str(chat.id), query.data)
    message = update.message or update.edited_message
    if message is None or message.chat.type != message.chat.PRIVATE or message.from_user is None or message.from_user.is_bot:
        return None
    changed = update.edited_message is not None
    at = message.edit_date if changed and message.edit_date is not None else message.date
    text = message.text or message.caption
    if not text:
        return None
    return Inbound(
        sender=Sender(NAME, str(message.from_user.id), message.from_user.full_name),
        chat=str(message.chat.id),
        platform_id=f"{message.message_id}/{update.update_id}" if changed else str(message.message_id),
        text=text,
        sent_at=int(at.timestamp()) * _SECOND,
        forwarded=message.forward_origin is not None,
        replaces=str(message.message_id) if changed else "",
    )


def is_unread(update: Update) -> bool:
    """Tell whether a person sent something in a private chat that is no text, such as a voice message."""
    message = update.message
    private = message is not None and message.chat.type == message.chat.PRIVATE
    return private and message is not None and not (message.text or message.caption) and message.effective_attachment is not None


def parts(text: str, *, again: bool = False) -> list[Part]:
    """Return a reply in parts that fit, its Markdown as entities; no part ends within a code block or another entity."""
    plain, entities = convert((_AGAIN if again else "") + text, latex_escape=False)
    made: list[Part] = []
    for piece, inside in split_entities(plain, entities, LONGEST):
        if piece.strip():
            made.append(Part(piece, tuple(map(_entity, inside))))
    return made or [Part("\u2026")]


def plain_parts(text: str, *, again: bool = False) -> list[Part]:
    """Return a reply in parts that fit, as it is written."""
    return [Part(piece) for piece, _ in split_entities((_AGAIN if again else "") + text, [], LONGEST) if piece.strip()]


def _entity(one: Any) -> MessageEntity:
    return MessageEntity(one.type, one.offset, one.length, url=one.url, language=one.language)
