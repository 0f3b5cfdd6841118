"""Acts on a memory that is killed: a child remembers, retracts, erases, merges, deletes and undoes; its parent kills it.

What the child said it had done must be so in the end; what it was doing may or may not be. Run as a module, this is the child.
"""

import json
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bootstrap.figures import progress
from eval.points import POINTS, arm
from gateway.parse.offline import read
from gateway.tables import TABLES
from memory.backup import bring_back
from memory.claim import Source, SourceKind
from memory.documents import Document
from memory.errors import MunimentMemoryError
from memory.forget import Act, Approver, Wanted
from memory.ids import now, uuid7
from memory.label import Integrity, user
from memory.store import Memory
from memory.vocabulary import Vocabulary
from ontologies.files import vocabulary

ANN = "00000000-0000-7000-8000-0000000000a1"
_LONGEST = 1.2
_PATIENCE = 4.0
"""Seconds in which a child has to come to the point at which it is killed."""
_ME = Approver(ANN, is_owner=True)


@dataclass(slots=True)
class Acts:
    """What children said they had done: values that were told, taken back and erased, and documents that stand."""

    told: set[str] = field(default_factory=set[str])
    retracted: set[str] = field(default_factory=set[str])
    erased: set[str] = field(default_factory=set[str])
    touched: set[str] = field(default_factory=set[str])
    counts: dict[str, int] = field(default_factory=dict[str, int])
    kills: int = 0
    reached: set[str] = field(default_factory=set[str])

    def take(self, line: str) -> None:
        """Note a line of a child: what it begins, and what it has done."""
        with suppress(ValueError):
            given = json.loads(line)
            kind, value = given["act"], given["value"]
            if given["done"]:
                self.counts[kind] = self.counts.get(kind, 0) + 1
                {"tell": self.told, "retract": self.retracted, "erase": self.erased}.get(kind, set[str]()).add(value)
            elif kind != "tell":
                self.touched.add(value)


def torment_acts(data: Path, kills: int, chance: random.Random) -> Acts:
    """Kill children on a data directory that often; return what they had done."""
    acts = Acts()
    while acts.kills < kills:
        progress(f"acts: kill {acts.kills + 1} of {kills}")
        command = [sys.executable, "-m", "eval.acts", str(data), str(chance.randrange(1 << 30))]
        point = "" if acts.kills % 2 else chance.choice(sorted(POINTS))
        if point:
            command += [point, str(chance.randrange(1, POINTS[point] + 1)), chance.choice(("before", "after"))]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)  # noqa: S603
        if process.stdout is None:
            message = "the child has no output"
            raise RuntimeError(message)
        acts.take(process.stdout.readline())  # it is up
        if point:
            with suppress(subprocess.TimeoutExpired):
                process.wait(_PATIENCE)
                acts.reached.add(point)
        else:
            time.sleep(chance.random() * _LONGEST)
        process.kill()
        acts.kills += 1
        for line in process.stdout:
            acts.take(line)
        process.stdout.close()
        if process.wait() != -signal.SIGKILL:
            message = f"a child ended by itself, which was to be killed at {point or 'some instant'}; {command} says why"
            raise RuntimeError(message)
    progress("")
    return acts


def judge_acts(data: Path, acts: Acts) -> dict[str, int]:
    """Return what is wrong in the end."""
    memory = _open(data)
    memory.finish_erasures().result()
    verified = memory.verify().result()
    clearance = memory.spaces.clearance(user(ANN), integrity=Integrity.QUARANTINED)
    with memory.reading() as reads:
        claims = [c for thing in reads.subjects(clearance) for c in reads.claims(clearance, subject=thing)]
        words = {word for source, _ in reads.sources(clearance) for word in source.body.replace(".", " ").split()}
    held = {str(claim.object.value) for claim in claims}
    memory.close()
    again = _open(data)
    again.close()
    left = sorted((data / "run").glob("erasure-*"))
    stays = acts.told - acts.touched - acts.erased - acts.retracted
    return {
        "told values lost": len(stays - held),
        "retracted values believed": len(acts.retracted & held),
        "erased values found": len(acts.erased & (words | held)) + len(left),
        "differences between graph and ledger": verified["graph_differences"] + verified["claims_without_evidence"],
    }


def _open(data: Path) -> Memory:
    return Memory(data, Vocabulary(vocabulary()), tables=TABLES)


class _Child:
    """Does one act after another, and says so."""

    def __init__(self, data: Path, seed: int) -> None:
        self._data = data
        self._memory = _open(data)
        self._chance = random.Random(seed)
        self._seed = seed

    def run(self) -> None:
        self._say("up", "", done=True)
        number = 0
        while True:
            number += 1
            act = self._chance.choices(
                (
                    self._tell,
                    self._retract,
                    self._erase,
                    self._merge,
                    self._document,
                    self._undo,
                    self._back_up,
                    self._rebuild,
                ),
                (8, 2, 2, 1, 1, 1, 1, 1),
            )[0]
            with suppress(MunimentMemoryError):
                act(f"v{self._seed:x}n{number}")

    def _say(self, act: str, value: str, *, done: bool) -> None:
        print(json.dumps({"act": act, "value": value, "done": done}), flush=True)

    def _learn(self, text: str) -> Source:
        source = Source(uuid7(), "dm", user(ANN), SourceKind.MESSAGE, ANN, now(), "UTC", text)
        self._memory.learn(source, read(text, source.said_at, "UTC"), is_owner=True).result()
        return source

    def _tell(self, value: str) -> None:
        self._learn(f"I like {value}.")
        self._say("tell", value, done=True)

    def _undo(self, value: str) -> None:
        self._say("undo", value, done=False)
        source = self._learn(f"I like {value}.")
        self._memory.undo(source, ANN).result()
        self._say("undo", value, done=True)

    def _picked(self) -> tuple[str, str] | None:
        """Return the id and the value of a claim that stands."""
        clearance = self._memory.spaces.clearance(user(ANN))
        with self._memory.reading() as reads:
            claims = [c for thing in reads.subjects(clearance) for c in reads.claims(clearance, subject=thing)]
            liked = [(c.id, reads.names(clearance, c.object)[-1]) for c in claims if c.predicate.value.endswith("likes")]  # type: ignore[arg-type]
        return self._chance.choice(liked) if liked else None

    def _retract(self, _value: str) -> None:
        picked = self._picked()
        if picked is not None:
            self._act("retract", picked)

    def _erase(self, _value: str) -> None:
        picked = self._picked()
        if picked is not None:
            self._act("erase", picked)

    def _act(self, kind: str, picked: tuple[str, str]) -> None:
        claim, value = picked
        self._say(kind, value, done=False)
        wanted = Wanted(Act(kind), (claim,))
        shown = self._memory.preview(wanted, _ME).digest
        if kind == "retract":
            self._memory.retract(wanted, shown, _ME).result()
        else:
            self._memory.erase(wanted, shown, _ME).result()
            self._memory.finish_erasures().result()
        self._say(kind, value, done=True)

    def _merge(self, value: str) -> None:
        self._learn(f"Kat{value} lives in Oslo.")
        self._learn(f"Kath{value} works at Acme.")
        clearance = self._memory.spaces.clearance(user(ANN))
        with self._memory.reading() as reads:
            first, second = (reads.named(clearance, f"{name}{value}")[0].entity for name in ("kat", "kath"))
        plan = self._memory.moving(first, second, _ME)
        merged = self._memory.merge(first, second, plan.digest, _ME).result()
        self._say("merge", value, done=True)
        self._memory.unmerge(merged, _ME).result()
        self._say("unmerge", value, done=True)

    def _back_up(self, value: str) -> None:
        """Write a backup, bring it back elsewhere with the kit of now, and look whether it is sound."""
        with tempfile.TemporaryDirectory(dir=self._data.parent) as temporary:
            target = Path(temporary) / "backup"
            self._memory.back_up(target).result()
            bring_back(target, self._memory.kit(), Path(temporary) / "again")
            again = _open(Path(temporary) / "again")
            verified = again.verify().result()
            again.close()
        if not verified["graph_differences"]:
            self._say("backup", value, done=True)

    def _rebuild(self, value: str) -> None:
        """Lose the graph, and open again."""
        self._memory.close()
        shutil.rmtree(self._data / "graph")
        self._memory = _open(self._data)
        self._say("rebuild", value, done=True)

    def _document(self, value: str) -> None:
        document = Document(uuid7(), user(ANN), f"{value}.md", "d", now())
        self._memory.begin_document(document, ANN).result()
        source = Source(uuid7(), document.id, user(ANN), SourceKind.DOCUMENT, "", now(), "UTC", f"Bo lives in Town{value}.")
        reading: Any = read(source.body, source.said_at, "UTC")
        self._memory.learn_passage(document, 0, source, reading).result()
        self._memory.delete_document(document.id, _ME).result()
        self._memory.restore_document(document.id, _ME).result()
        self._say("document", value, done=True)


if __name__ == "__main__":
    if len(sys.argv) > 3:  # noqa: PLR2004
        arm(sys.argv[3], int(sys.argv[4]), after=sys.argv[5] == "after")
    _Child(Path(sys.argv[1]), int(sys.argv[2])).run()
