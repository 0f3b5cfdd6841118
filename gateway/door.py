"""Who is let in, and where: the one place that decides about a message before anything of it is kept.

A private chat is its person's; a stranger there gets a code and nothing else. A group is let in by the owner, with /allow in it;
from then on it is a team of those of its people who are known, and what others say to the assistant in it is kept apart.
"""

from collections import defaultdict, deque
from dataclasses import dataclass
from typing import TypeAlias

from channels.message import Inbound, Membership, Moved, Ousted
from gateway.inbox import Inbox
from gateway.pairing import Pairing
from gateway.people import Conversation, People, Person
from gateway.waiting import wait
from memory.ids import Instant
from memory.label import team
from memory.store import Memory
from memory.tables import Row

ALLOW, CLOSE = "/allow", "/close"
"""What the owner says in a group to let it in, or to close it again."""

MOST_OVERHEARD = 50
"""Messages of strangers that are kept of a group within ``_WINDOW``."""

MOST_TOLD = 10_000
"""Strangers of groups who are known to have been told how to be let in."""

OLDEST: Instant = 30 * 86_400 * 1_000_000
NEWEST: Instant = 86_400 * 1_000_000
"""Microseconds before and after now from which a platform's message can be."""

_WINDOW: Instant = 3_600 * 1_000_000
_WRONG_TIME = "That message says that it is of a time that it cannot be from. Nothing of it was kept; send it anew."
_BLOCKED = "The owner lets you in no longer. Nothing was kept or told."
_NOT_HERE = "I keep nothing of this group. Send /allow here, and I remember for its people what they say to me."
_STRANGER = "I answer those whom I know. Write to me in private to be let in; what you say to me here is kept apart until then."


@dataclass(frozen=True, slots=True)
class LetIn:
    """The message of somebody known, and the conversation it belongs to."""

    person: Person
    conversation: Conversation


@dataclass(frozen=True, slots=True)
class Overheard:
    """The message of a stranger in a group that is let in; ``words`` are for the stranger, the first time."""

    conversation: Conversation
    words: str


@dataclass(frozen=True, slots=True)
class Closed:
    """A message of which nothing is kept; ``words`` say why, or are empty."""

    words: str


Entry: TypeAlias = LetIn | Overheard | Closed


class Door:
    """Decides who is let in, and keeps which groups are: what is remembered of one that is closed stays with its people."""

    def __init__(self, memory: Memory, people: People, inbox: Inbox) -> None:
        """Use the gateway's rows in a memory."""
        self._memory, self._people, self._inbox = memory, people, inbox
        self.pairing = Pairing(memory.clock)
        self._told: dict[tuple[str, str, str], None] = {}
        self._overheard: defaultdict[tuple[str, str], deque[Instant]] = defaultdict(lambda: deque(maxlen=MOST_OVERHEARD))

    async def open(self, inbound: Inbound, *, greets: bool) -> Entry:
        """Return as whom, and where, a message is taken; ``greets`` tells that a stranger of the channel may get a code.

        Raises ``IncorrectRequestError`` for somebody else's chat.
        """
        person = self._people.identify(inbound.sender)
        if person is not None and person.is_blocked:
            return Closed("" if greets else _BLOCKED)
        if person is None and not inbound.group:
            return Closed(self.pairing.greet(inbound) if greets else "")
        now = self._memory.clock()
        if greets and not now - OLDEST <= inbound.sent_at <= now + NEWEST:
            return Closed("" if inbound.group else _WRONG_TIME)
        if inbound.group:
            return await self._in_group(inbound, person)
        assert person is not None
        return LetIn(person, await self._people.conversation(inbound, person))

    def is_open(self, group: Conversation | None) -> bool:
        """Tell whether a group is let in."""
        if group is None:
            return False
        found = self._memory.rows("SELECT is_open FROM door WHERE team = ? ORDER BY entry DESC LIMIT 1", (group.space.id,))
        return bool(found and found[0][0])

    async def note(self, channel: str, change: Membership | Moved | Ousted) -> None:
        """Follow who is in a group that is let in, and its id."""
        group = self._people.chat(channel, change.group)
        if group is None:
            return
        if isinstance(change, Moved):
            await self._people.open_chat(channel, change.to, group.space, "assistant")
            return
        if isinstance(change, Ousted):
            if self.is_open(group):
                await self._set_open(group, "assistant", is_open=False)
            return
        person = self._people.identify(change.sender)
        may_come = person is not None and not person.is_blocked and self.is_open(group)
        if person is not None and (may_come or not change.present):
            await self._people.set_member(group, person, present=change.present)

    async def _in_group(self, inbound: Inbound, person: Person | None) -> Entry:
        channel = inbound.sender.channel
        if not inbound.addressed and not (inbound.replaces and self._inbox.has(channel, inbound.chat, inbound.replaces)):
            return Closed("")
        known = self._people.chat(channel, inbound.group)
        said = inbound.text.strip().casefold()
        decides = person is not None and person.is_owner and not inbound.forwarded
        if not self.is_open(known) and not (decides and said == ALLOW):
            return Closed(_NOT_HERE if decides else "")
        author = "assistant" if person is None else person.id
        group = known or await self._people.open_chat(channel, inbound.group, team(self._memory.ids()), author)
        if person is None:
            return self._stranger(inbound, group)
        here = group
        if inbound.chat != inbound.group:
            topic = self._people.chat(channel, inbound.chat)
            here = topic or await self._people.open_chat(channel, inbound.chat, group.space, author)
        if decides and said in {ALLOW, CLOSE}:  # now, so that what is said next finds it so
            await self._set_open(group, person.id, is_open=said == ALLOW)
        await self._people.set_member(group, person, present=True)
        return LetIn(person, here)

    async def _set_open(self, group: Conversation, author: str, *, is_open: bool) -> None:
        values = {"id": self._memory.ids(), "team": group.space.id, "is_open": int(is_open)}
        await wait(self._memory.record("door", author, (Row("door", values),)))

    def _stranger(self, inbound: Inbound, here: Conversation) -> Entry:
        channel, now = inbound.sender.channel, self._memory.clock()
        kept = self._overheard[channel, inbound.group]
        while kept and kept[0] < now - _WINDOW:
            kept.popleft()
        if len(kept) >= MOST_OVERHEARD:
            return Closed("")
        kept.append(now)
        who = channel, inbound.group, inbound.sender.platform_id
        words = "" if who in self._told else _STRANGER
        self._told[who] = None
        if len(self._told) > MOST_TOLD:
            self._told.pop(next(iter(self._told)))
        return Overheard(here, words)
