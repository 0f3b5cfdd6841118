"""Generated personal knowledge: what an owner says over years about many people, their places, work and tastes."""

import random
from collections.abc import Iterator

from gateway.parse.offline import read
from memory.claim import Reading, Source, SourceKind
from memory.ids import Instant, uuid7
from memory.label import user

_SYLLABLES = ("ka", "lo", "mi", "ra", "ten", "vor", "sal", "bri", "nu", "qua", "dor", "eth")
_LANGUAGES = ("French", "Spanish", "Arabic", "Hindi", "Portuguese", "Japanese", "Swahili", "German")
_KIN = ("sister", "brother", "friend", "colleague", "mother", "son")
SECOND = 1_000_000


class Knowledge:
    """A stream of sentences that the offline parser reads as one fact each, the same for the same seed."""

    def __init__(self, person: str, seed: int = 0, people: int = 20_000) -> None:
        """Speak as a person about this many people."""
        self._person, self._random = person, random.Random(seed)
        self._people = [self._name() for _ in range(people)]
        self._cities = [self._name() for _ in range(people // 40 + 2)]
        self._companies = [self._name() for _ in range(people // 80 + 2)]
        self._said_at: Instant = 1_500_000_000 * SECOND

    def places(self) -> Iterator[tuple[Source, Reading]]:
        """Yield what makes the cities cities: each is part of a region, and each region of a country."""
        for number, city in enumerate(self._cities):
            region = self._cities[number % 7]
            if city != region:
                yield self.said(f"{city} is a city in {region}")

    def statements(self, count: int) -> Iterator[tuple[Source, Reading]]:
        """Yield messages that state one fact each."""
        for _ in range(count):
            yield self.said(self._sentence())

    def person(self, number: int) -> str:
        """Return one of the people spoken of."""
        return self._people[number % len(self._people)]

    def place(self, number: int) -> str:
        """Return one of the places spoken of."""
        return self._cities[number % len(self._cities)]

    def said(self, text: str) -> tuple[Source, Reading]:
        """Return a message of the person with its reading."""
        self._said_at += 60 * SECOND
        source = Source(
            uuid7(), f"bench-{self._person}", user(self._person), SourceKind.MESSAGE, self._person, self._said_at, "UTC", text
        )
        return source, read(text, source.said_at, source.zone)

    def _sentence(self) -> str:
        pick = self._random
        who = pick.choice(self._people)
        match pick.randrange(6):
            case 0:
                return f"{who} lives in {pick.choice(self._cities)}"
            case 1:
                return f"{who} works at {pick.choice(self._companies)}"
            case 2:
                return f"{who} likes {self._name().lower()} {self._name().lower()}"
            case 3:
                return f"{who} speaks {pick.choice(_LANGUAGES)}"
            case 4:
                return f"{pick.choice(self._people)} is {who}'s {pick.choice(_KIN)}"
            case _:
                return f"{who} visited {pick.choice(self._cities)}"

    def _name(self) -> str:
        return "".join(self._random.choice(_SYLLABLES) for _ in range(4)).capitalize()
