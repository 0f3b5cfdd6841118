"""Erasure through the shipped path: every residue of 60 subjects is there before, and nothing of them is found after.

Each subject has canaries: a name, an alias, three towns, a birthday and a telephone number, which go into messages, replies,
questions, closed and negative claims, conflicts, refused and undone statements, retractions, imports and inferences. The
search is this module's own: every column of every table, every term of the graph, and the bytes of every file in each
encoding. Then what was erased is told again in every form that should not bring it back. In the end one erasure is timed in
a store of many facts.
"""

import asyncio
import base64
import gzip
import json
import sys
import tempfile
import time
import urllib.parse
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bootstrap.figures import Figures, options, progress
from bootstrap.logs import quiet_logs
from bootstrap.wiring import open_service
from channels.exports import Line
from gateway.parse.offline import read
from gateway.service import Said, Service
from gateway.waiting import wait
from memory._oxigraph import open_store
from memory._sqlite import Connection, open_database
from memory.claim import Candidate, Mention, Reading, Source, SourceKind, Span
from memory.ids import now, uuid7
from memory.label import Integrity, user

SUBJECTS = 60
FACTS = 100_000
LONGEST = 60.0
_PARTS = ("za", "quor", "bim", "vex", "lod", "pry", "ung", "kest", "wra", "fyl")
_CLASSES = (
    "source", "live_claim", "negative_claim", "closed_claim", "evidence", "withdrawn_evidence", "pending", "decision", "reading",
    "full text", "graph", "raw",
)  # fmt: skip
_AGAIN = (
    "{name} lives in {town}.",
    "{name} lives in  {TOWN}",
    "{NAME} lives in {town}.",
    "{look} lives in {town}.",
    "{name} lives in {lookt}.",
    "{name} moved to {town}.",
    "{name} resides in {town}.",
    "{town} is {name}'s home.",
    "{name} no longer lives in {town}.",
    "{name}'s phone number is {phone}.",
    "{name} was born on {born}.",
    "{alias} lives in {town}.",
)
_CYRILLIC = str.maketrans("aeopcxy", "\u0430\u0435\u043e\u0440\u0441\u0445\u0443")


@dataclass(frozen=True, slots=True)
class Subject:
    """The canaries of one person who is spoken of."""

    number: int

    @property
    def name(self) -> str:
        """The name."""
        return _word(self.number, "ard")

    @property
    def alias(self) -> str:
        """The alias."""
        return _word(self.number, "imo")

    def town(self, which: int) -> str:
        """Return one of the towns."""
        return _word(self.number, ("ville", "stead", "burgh")[which])

    @property
    def born(self) -> str:
        """The birthday in words."""
        return f"{1 + self.number % 27} May {1901 + self.number}"

    @property
    def birthday(self) -> str:
        """The birthday as the graph has it."""
        return f"{1901 + self.number}-05-{1 + self.number % 27:02d}"

    @property
    def phone(self) -> str:
        """The telephone number."""
        return f"0{700_000_000 + self.number * 7_919}"

    def canaries(self) -> list[str]:
        """Return all that must be found nowhere."""
        return [self.name, self.alias, *map(self.town, range(3)), self.phone, self.birthday]

    def told(self) -> list[str]:
        """Return what is said of the subject, commands among it."""
        name, (one, two, three) = self.name, map(self.town, range(3))
        return [
            f"{name} is my friend.",
            f"{name} is also called {self.alias}.",
            f"{name} lives in {one}.",
            f"{name} moved to {two}.",
            f"{name} doesn't like {one}.",
            f"{name} was born on {self.born}.",
            f"{name}'s phone number is {self.phone}.",
            f"Where does {name} live?",
            f"What do you know about {name}?",
            f"Is {two} far?",
            f"{name} visited {three}.",
            "/undo",
            f"{name} likes {three}.",
            f"/retract {name} likes {three}",
            "/approve {code}",
            f"{name} likes {three}.",
            f"I think {name} may live in {three}.",
            f"/why {name}",
            f"/private {name} fears {three}.",
        ]


@dataclass(slots=True)
class Stand:
    """A data directory and the service on it."""

    data: Path
    service: Service = field(init=False)
    code: str = ""

    async def open(self) -> None:
        """Start the service."""
        self.service = open_service(self.data)
        await self.service.start()

    async def say(self, text: str) -> str:
        """Return the reply to what the owner says; ``{code}`` stands for the last code that was shown."""
        said = Said("", "", uuid7(), text.replace("{code}", self.code), now(), "UTC")
        (reply,) = await self.service.say(said)
        if "/approve " in reply.text:
            self.code = reply.text.split("/approve ", 1)[1][:6]
        return reply.text

    async def close(self) -> None:
        """Stop the service."""
        await self.service.stop()


async def run(figures: Figures, subjects: list[Subject], facts: int) -> None:
    """Tell, look, erase, look again, tell again; then time one erasure among many facts."""
    with tempfile.TemporaryDirectory() as temporary:
        stand = Stand(Path(temporary) / "data")
        await stand.open()
        for subject in subjects:
            progress(f"telling of {subject.number + 1} of {len(subjects)}")
            await _tell(stand, subject)
        await stand.close()
        before = search(stand.data, subjects)
        for residue in _CLASSES:
            figures.put(f"control: {residue}", before[residue], "canaries found", at_least=1)
        await stand.open()
        for subject in subjects:
            progress(f"erasing {subject.number + 1} of {len(subjects)}")
            await _erase(stand, subject)
        await stand.close()
        after = search(stand.data, subjects)
        figures.put(f"residue of {len(subjects)} subjects", sum(after.values()), "canaries found", at_most=0)
        for residue, count in after.items():
            print(json.dumps({"found in": residue, "count": count}), file=sys.stderr)
        await stand.open()
        returned, tried = await _launder(stand, subjects)
        figures.put(f"returned without a person's word in {tried} attempts", returned, "claims", at_most=0)
        await _doctor(figures, stand)
        await stand.close()
        seconds = await _timed(Path(temporary) / "large", facts)
        figures.put(f"one erasure among {facts} facts", seconds, "s", at_most=LONGEST)


async def _tell(stand: Stand, subject: Subject) -> None:
    for text in subject.told():
        await stand.say(text)
    await _tell_without_a_word(stand, subject)
    at = now()
    lines = [
        Line(f"{subject.number}.1", at, "Me", f"{subject.name} works at {subject.town(0)} Ltd."),
        Line(f"{subject.number}.2", at, "Me", f"{subject.name} lives in {subject.town(2)}.", forwarded=True),
    ]
    await stand.service.bring_in(f"chat{subject.number}", "Me", {"Me": ""}, lines, "UTC", join=False)


async def _tell_without_a_word(stand: Stand, subject: Subject) -> None:
    """Let a relation be read for which the vocabulary has no word, as a model does: its wording stands in the decision."""
    owner = await stand.service.person("")
    name, town = subject.name, subject.town(1)
    text = f"{name} {town}s {town} every day."
    source = Source(uuid7(), "dm", user(owner.id), SourceKind.MESSAGE, owner.id, now(), "UTC", text)
    at = text.index(town, len(name) + 2 + len(town))
    mentions = Mention(name, Span(0, len(name))), Mention(town, Span(at, at + len(town)))
    candidate = Candidate(mentions[0], None, mentions[1], Span(0, len(text)), f"{town}s")
    await wait(stand.service.memory.learn(source, Reading("model", (candidate,)), is_owner=True))


async def _erase(stand: Stand, subject: Subject) -> None:
    item = await stand.service.ask_to_forget("", f"everything about {subject.name}", "erase")
    await stand.service.decide("", item["id"], "approve")


async def _launder(stand: Stand, subjects: list[Subject]) -> tuple[int, int]:
    """Tell of what was erased in every form; return how many live claims came of it, and how often it was tried."""
    tried = 0
    for subject in subjects:
        progress(f"telling again of {subject.number + 1} of {len(subjects)}")
        for form in _AGAIN:
            name, town = subject.name, subject.town(1)
            text = form.format(
                name=name, town=town, NAME=name.upper(), TOWN=town.upper(), look=name.translate(_CYRILLIC), phone=subject.phone,
                lookt=town.translate(_CYRILLIC), born=subject.born, alias=subject.alias,
            )  # fmt: skip
            await stand.say(text)
            tried += 1
        line = Line(f"{subject.number}.3", now(), "Me", f"{subject.name} lives in {subject.town(1)}.", forwarded=True)
        await stand.service.bring_in(f"chat{subject.number}", "Me", {"Me": ""}, [line], "UTC", join=True)
        tried += 1
    owner = await stand.service.person("")
    memory = stand.service.memory
    clearance = memory.spaces.clearance(user(owner.id), integrity=Integrity.QUARANTINED)
    with memory.reading() as reads:
        claims = [claim for thing in reads.subjects(clearance) for claim in reads.claims(clearance, subject=thing)]
        names = {claim.subject: claim.object.value.casefold() for claim in claims if claim.wording == "name"}
    canaries = {canary.casefold() for subject in subjects for canary in subject.canaries()}
    told = [claim for claim in claims if claim.wording != "name"]
    returned = sum(
        names.get(claim.subject, "") in canaries
        or str(claim.object.value).casefold() in canaries
        or names.get(claim.object, "") in canaries  # type: ignore[arg-type]
        for claim in told
    )
    return returned, tried


async def _doctor(figures: Figures, stand: Stand) -> None:
    checks = await stand.service.doctor()
    figures.put("checks of the doctor that fail", sum(not check["ok"] for check in checks), "checks", at_most=0)


async def _timed(data: Path, facts: int) -> float:
    """Return how long one erasure takes, from the approval to the receipt, among that many facts."""
    stand = Stand(data)
    await stand.open()
    owner = await stand.service.person("")
    waiting: list[Any] = []
    for number in range(facts):
        text = f"{_word(number // 20 % 1_000, 'el')} visited {_word(number % 997, 'ton')}{number // 997}."
        source = Source(uuid7(), "dm", user(owner.id), SourceKind.MESSAGE, owner.id, now(), "UTC", text)
        reading = read(text, source.said_at, "UTC")
        waiting.append(stand.service.memory.learn(source, reading, is_owner=True))
        if len(waiting) > 500:  # noqa: PLR2004 - enough for shared commits
            waiting.pop(0).result()
            progress(f"{number} of {facts} facts")
    for future in waiting:
        future.result()
    progress("one erasure")
    subject = Subject(0)
    await stand.say(f"{subject.name} lives in {subject.town(0)}.")
    begun = time.perf_counter()
    await _erase(stand, subject)
    seconds = time.perf_counter() - begun
    await stand.close()
    progress("")
    return seconds


def search(data: Path, subjects: list[Subject]) -> Counter[str]:
    """Return how many canaries are found in each kind of place; the directory must be closed."""
    found: Counter[str] = Counter()
    canaries = {canary.casefold(): canary for subject in subjects for canary in subject.canaries()}
    for place, text in _decoded(data):
        folded = text.casefold()
        if any(canary in folded for canary in canaries):
            found[place] += sum(canary in folded for canary in canaries)
    patterns = {pattern: canary for canary in canaries.values() for pattern in _encodings(canary)}
    for path in sorted(data.rglob("*")):
        if path.is_file():
            content = path.read_bytes()
            content = gzip.decompress(content) if content[:2] == b"\x1f\x8b" else content
            found["raw"] += sum(pattern in content for pattern in patterns)
    return found


def _decoded(data: Path) -> Iterator[tuple[str, str]]:
    """Yield every value of every table, and every term of the graph, with where it stands."""
    database: Connection = open_database(data / "ledger.db", read_only=True).conn
    for (table,) in database.execute("SELECT name FROM sqlite_schema WHERE type = 'table'").fetchall():
        shadow = table.endswith(("_data", "_idx", "_docsize", "_config"))
        if shadow or table.startswith(("terms_", "counts_")):
            continue  # their bytes are searched
        place = "full text" if table.startswith("text_") and table != "text_index" else table
        for row in database.execute(f'SELECT * FROM "{table}"'):  # noqa: S608 - a name from the schema
            yield from ((place, str(value)) for value in row if value is not None)
    for number in [t for (t,) in database.execute("SELECT name FROM sqlite_schema WHERE name LIKE 'terms\\_%' ESCAPE '\\'")]:
        yield from (("full text", str(term)) for (term,) in database.execute(f'SELECT DISTINCT term FROM "{number}"'))  # noqa: S608
    database.close()
    generation = (data / "graph" / "CURRENT").read_text(encoding="ascii").strip()
    store = open_store(data / "graph" / generation)
    for quad in store:
        yield from (("graph", str(part)) for part in (quad.subject, quad.predicate, quad.object))
    del store


def _encodings(text: str) -> set[bytes]:
    """Return the bytes that a text has in the encodings that a file may keep it in."""
    found: set[bytes] = set()
    for form in (text, text.casefold(), text.upper()):
        plain = form.encode()
        found |= {plain, form.encode("utf-16-le"), form.encode("utf-16-be"), plain.hex().encode(), plain.hex().upper().encode()}
        found |= {urllib.parse.quote(form).encode(), json.dumps(form)[1:-1].encode()}
        for before in range(3):
            coded = base64.b64encode(b"\0" * before + plain + b"\0" * ((-before - len(plain)) % 3))
            found.add(coded[(8 * before + 5) // 6 : 8 * (before + len(plain)) // 6])
    return found


def _word(number: int, ending: str) -> str:
    digits = [number // 100 % 10, number // 10 % 10, number % 10]
    return ("".join(_PARTS[digit] for digit in digits) + ending).capitalize()


def main() -> int:
    """Run it, and print the figures."""
    parser = options(__doc__ or "")
    parser.add_argument("--facts", type=int, default=FACTS)
    given = parser.parse_args()
    quiet_logs(verbose=False)
    figures = Figures(given.check)
    subjects = [Subject(number) for number in range(6 if given.quick else SUBJECTS)]
    asyncio.run(run(figures, subjects, 2_000 if given.quick else given.facts))
    return figures.exit_code()


if __name__ == "__main__":
    sys.exit(main())
