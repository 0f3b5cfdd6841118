"""What people prefer: the language they are answered in, and the time zone that their days are counted in."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from gateway.waiting import wait
from memory.tables import Row

if TYPE_CHECKING:
    from memory.store import Memory

LANGUAGE, ZONE = "language", "timezone"


@dataclass(frozen=True, slots=True)
class Preference:
    """A person's language, in the words in which they named it, and IANA time zone; empty where they never said."""

    language: str = ""
    zone: str = ""


class Preferences:
    """Reads and writes what people prefer; the last word holds."""

    def __init__(self, memory: "Memory") -> None:
        """Use the gateway's rows in a memory."""
        self._memory = memory
        self._known: dict[str, Preference] = {}

    def of(self, person: str) -> Preference:
        """Return what a person prefers."""
        known = self._known.get(person)
        if known is None:
            last = dict(self._memory.rows("SELECT name, value FROM preference WHERE person = ? ORDER BY entry", (person,)))
            known = self._known[person] = Preference(last.get(LANGUAGE, ""), last.get(ZONE, ""))
        return known

    async def set(self, person: str, name: str, value: str) -> None:
        """Record what a person prefers from now on."""
        values = {"id": self._memory.ids(), "person": person, "name": name, "value": value}
        await wait(self._memory.record("preference", person, (Row("preference", values),)))
        self._known.pop(person, None)
