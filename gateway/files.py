"""Files that come with messages: documents become sources, a voice is transcribed, a picture is kept as having been sent.

What is kept of a file is what was read in it. The bytes stay with the platform, which gives them out by the id that is kept with
the message; a file that could not be had is therefore no loss of the message.
"""

import asyncio
from dataclasses import dataclass
from pathlib import PurePath
from typing import TYPE_CHECKING, Protocol

import structlog

from channels.message import Channel, File
from gateway.errors import IncorrectRequestError
from gateway.inbox import Accepted, Inbox
from gateway.models import ModelError
from gateway.people import Person
from gateway.reading import LARGEST, decoded
from gateway.sources import Sources
from memory.claim import Mark
from memory.errors import IncorrectTextError
from memory.label import user
from memory.marks import leading_mark

if TYPE_CHECKING:
    from memory.claim import Source

log = structlog.get_logger(__name__)

LONGEST_NAME = 120


class Transcriber(Protocol):
    """Hears what is said in a recording."""

    async def transcribe(self, name: str, content: bytes) -> str:
        """Return the words; raise ``ModelError`` where there are none to be had."""
        ...


@dataclass(frozen=True, slots=True)
class Taken:
    """What was found in a file: what to say about it, and the words that were heard in it, as a source."""

    note: str
    heard: "Source | None" = None


class Files:
    """Reads the files of messages."""

    def __init__(self, inbox: Inbox, sources: Sources, transcriber: Transcriber | None) -> None:
        """Use the inbox, which keeps what was heard; the sources; and a transcriber where there is one."""
        self.inbox, self._sources, self._transcriber = inbox, sources, transcriber

    async def take(self, accepted: Accepted, person: Person, file: File, channel: Channel) -> Taken:
        """Read a file that came with an accepted message."""
        known = self.inbox.heard(accepted)
        if known is not None:
            return Taken(_heard(known.body), known)
        kept = "I keep that you sent it, and the words with it." if accepted.has_words else "I keep that you sent it."
        unread = self._why_unread(accepted, person, file)
        if unread:
            return Taken(f"{unread} {kept}")
        try:
            content = await channel.fetch(file, LARGEST)
        except OSError:
            most = LARGEST // 1_000_000
            return Taken(f"I could not get that file: it is not there any more, or larger than {most} MB. {kept}")
        if file.kind == "voice":
            return await self._hear(accepted, file, content, kept)
        return Taken(await self._add(accepted, person, file, content, kept))

    def _why_unread(self, accepted: Accepted, person: Person, file: File) -> str:
        """Return why a file is not read; empty for one that is."""
        match file.kind:
            case "photo":
                return "I cannot look at pictures yet."
            case "voice" if self._transcriber is None:
                return "I cannot hear: no model is set for it ([models.transcriber] in muniment.toml). Write it to me, please."
            case "document" if accepted.source.space != user(person.id):
                return "I read documents in a private chat alone."
            case "document" if leading_mark(accepted.source.body)[1] is Mark.PRIVATE:
                return "I keep no documents as secrets. Send it without /private, or not at all."
            case "voice" | "document":
                return ""
            case _:
                return "I cannot read that kind of thing."

    async def _hear(self, accepted: Accepted, file: File, content: bytes, kept: str) -> Taken:
        assert self._transcriber is not None
        try:
            words = (await self._transcriber.transcribe(file.name, content)).strip()
            if not words:
                return Taken(f"I heard no words in that. {kept}")
            caption = f"{accepted.source.body}\n" if accepted.has_words else ""  # first, since it may begin with a mark
            heard = await self.inbox.note_heard(accepted, caption + words)
        except (ModelError, IncorrectTextError) as error:
            return Taken(f"I could not hear that ({error}). {kept} Write it to me, or send it again later.")
        return Taken(_heard(words), heard)

    async def _add(self, accepted: Accepted, person: Person, file: File, content: bytes, kept: str) -> str:
        shown = "".join(ch for ch in file.name.replace("/", "-") if ch.isprintable())[-LONGEST_NAME:].strip() or "document"
        try:
            text = decoded(shown, content)
            if not accepted.fresh:  # what it was called is not kept, and it may have been read already
                shown = f"{file.kind}-{accepted.source.id[-8:]}{PurePath(shown).suffix}"
                if await asyncio.to_thread(self._sources.has, person, text):
                    return f"I have read that {file.kind}. What it says is kept as its words and not believed on its own."
            added = await self._sources.take(person, text, f"{accepted.conversation.channel}/{shown}", accepted.source.zone)
        except (IncorrectRequestError, IncorrectTextError) as error:
            return f"{error} {kept}"
        if added.became == "unchanged":
            return f"I have read {shown} before, and it has not changed."
        count = f"{added.passages} passage{'s' * (added.passages != 1)}"
        return f"I have read {shown}: {count}. What it says is kept as the document's words and not believed on its own."


def _heard(words: str) -> str:
    return f'I heard: "{words}"'
