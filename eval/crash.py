"""Kill a piped chat at random instants, again and again, and look for what was lost, doubled or torn.

Each round starts ``muniment chat --json`` on one data directory, sends the messages that were not acknowledged yet (and some
that were), and ends it with ``kill -9`` after a random number of replies and a random moment. In the end every message must
be there once, no reply twice without its mark, the chain must verify, and the graph must equal the ledger.

Half of the kills are of a process that retracts, erases, merges, undoes and handles documents (``eval.acts``); in the end a
recorded run of them is cut at instants as a power cut may leave it (``eval.power``).
"""

import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Thread
from typing import IO

from bootstrap.figures import Figures, options, progress
from eval.acts import judge_acts, torment_acts
from eval.points import POINTS
from eval.power import power_cuts
from gateway.tables import TABLES
from memory.label import parse_space
from memory.store import Memory
from memory.vocabulary import Vocabulary
from ontologies.files import vocabulary

_MOST_REPLIES = 12
_KINDS = 10
"""Coming up, telling, undoing, retracting, erasing, merging, unmerging, documents, backups, rebuilding."""
_PATIENCE = 60.0
_SENTENCES = (
    "My sister is called Mara{n}.",
    "Mara{n} lives in Lyon.",
    "I live in Town{n}.",
    "Where do I live?",
    "I love jazz{n}.",
    "I hate jazz{m}.",
    "Lyon is a city in France.",
    "/undo",
)


@dataclass(slots=True)
class Course:
    """What was sent and what came back over all rounds."""

    acknowledged: set[str] = field(default_factory=set[str])
    unmarked: Counter[str] = field(default_factory=Counter[str])
    kills: int = 0


def main() -> int:
    """Run the kills, then check the directory."""
    parser = options(__doc__ or "")
    parser.add_argument("--kills", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    kills = 20 if given.quick else given.kills
    figures = Figures(given.check)
    with tempfile.TemporaryDirectory() as temporary:
        data, chance = Path(temporary) / "data", random.Random(given.seed)
        course, sent = torment(data, kills - kills // 2, chance)
        for name, value in judge(data, course, sent).items():
            figures.put(f"{name} after {course.kills} kills", value, "count", at_most=0)
        figures.put("messages sent", len(sent), "count")
        other = Path(temporary) / "acts"
        acts = torment_acts(other, kills // 2, chance)
        for name, value in judge_acts(other, acts).items():
            figures.put(f"{name} after {acts.kills} kills of acts", value, "count", at_most=0)
        for name, value in sorted(acts.counts.items()):
            figures.put(f"acts done: {name}", value, "count", at_least=1)
        figures.put("kinds of acts done", len(acts.counts), "count", at_least=_KINDS)
        figures.put(f"points of {len(POINTS)} at which a child was killed", len(acts.reached), "count")
        cuts = 10 if given.quick else 60
        wrong, tried = power_cuts(other, acts, chance, cuts)
        figures.put(f"power cuts of {tried} that do not recover", wrong, "count", at_most=0)
        figures.put("power cuts tried", tried, "count", at_least=cuts)
    return figures.exit_code()


def torment(data: Path, kills: int, chance: random.Random) -> tuple[Course, dict[str, str]]:
    """Kill a chat on a data directory that often, then let it finish; return what came back and what was sent."""
    course, sent = Course(), dict[str, str]()
    while course.kills < kills:
        progress(f"kill {course.kills + 1} of {kills}")
        number = len(sent)
        for extra in range(chance.randrange(1, 2 * _MOST_REPLIES)):
            n = number + extra
            sent[f"m{n}"] = _SENTENCES[n % len(_SENTENCES)].format(n=n, m=n - 1)
        _round(data, course, sent, chance, survive=False)
    _round(data, course, sent, chance, survive=True)
    progress("")
    return course, sent


def judge(data: Path, course: Course, sent: dict[str, str]) -> dict[str, int]:
    """Return how many messages were lost, doubled or answered twice without a mark, and how many differences there are."""
    memory = Memory(data, Vocabulary(vocabulary()), tables=TABLES)
    inbox = Counter(row[0] for row in memory.rows("SELECT platform_id FROM inbox"))
    answered = memory.rows("SELECT i.platform_id FROM inbox i LEFT JOIN outbox o ON o.in_reply_to = i.source WHERE o.id IS NULL")
    kept = Counter(_bodies(memory))
    verified = memory.verify().result()
    memory.close()
    return {
        "acknowledged messages lost": len(course.acknowledged - set(inbox)),
        "messages sent and not kept in the end": len(set(sent) - set(inbox)),
        "messages doubled": sum((kept - Counter(sent.values())).values()),
        "messages without a reply in the end": len(answered),
        "replies sent twice without a mark": sum(count > 1 for count in course.unmarked.values()),
        "differences between graph and ledger": verified["graph_differences"],
    }


def _bodies(memory: Memory) -> list[str]:
    """Return the words of every message that is kept, however often."""
    found = memory.rows("SELECT c.space, i.source FROM inbox i JOIN conversation c ON c.id = i.conversation")
    with memory.reading() as reads:
        spaces = {space: memory.spaces.clearance(parse_space(space)) for space, _ in found}
        return [body for space, clearance in spaces.items() for body in reads.bodies(clearance, parse_space(space))]


def _round(data: Path, course: Course, sent: dict[str, str], chance: random.Random, *, survive: bool) -> None:
    command = [sys.executable, "-m", "bootstrap.cli", "chat", "--json", "--data", str(data)]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)  # noqa: S603
    repeated = [id_ for id_ in sorted(course.acknowledged) if chance.random() < 1 / (1 + len(course.acknowledged))]
    waiting = [id_ for id_ in sent if id_ not in course.acknowledged]
    stdin, stdout = process.stdin, process.stdout
    if stdin is None or stdout is None:
        message = "the chat has no pipes"
        raise RuntimeError(message)
    replies: SimpleQueue[str | None] = SimpleQueue()
    Thread(target=_write, args=(stdin, [(id_, sent[id_]) for id_ in (*repeated, *waiting)]), daemon=True).start()
    Thread(target=_read, args=(stdout, replies), daemon=True).start()
    if not survive:
        wanted = chance.randrange(_MOST_REPLIES)
        _collect(replies, course, wanted)
        time.sleep(chance.random() * (0.6 if wanted == 0 else 0.01))
        os.kill(process.pid, signal.SIGKILL)
        course.kills += 1
    _collect(replies, course, None)
    code = process.wait(_PATIENCE)
    if survive and code:
        raise RuntimeError(process.stderr.read().decode() if process.stderr else str(code))
    for pipe in (process.stdin, process.stdout, process.stderr):
        if pipe is not None:
            try:
                pipe.close()
            except BrokenPipeError:
                continue


def _write(pipe: IO[bytes], messages: list[tuple[str, str]]) -> None:
    try:
        for id_, text in messages:
            pipe.write(json.dumps({"id": id_, "text": text}).encode() + b"\n")
            pipe.flush()
        pipe.close()
    except (BrokenPipeError, ValueError):
        return


def _read(pipe: IO[bytes], replies: "SimpleQueue[str | None]") -> None:
    try:
        for line in pipe:
            replies.put(line.decode())
    except ValueError:
        pass
    replies.put(None)


def _collect(replies: "SimpleQueue[str | None]", course: Course, most: int | None) -> None:
    """Take replies until that many came, or the pipe ended."""
    taken = 0
    while most is None or taken < most:
        try:
            line = replies.get(timeout=_PATIENCE)
        except Empty as error:
            message = "the chat is stuck"
            raise RuntimeError(message) from error
        if line is None:
            replies.put(None)
            return
        try:
            reply = json.loads(line)
        except ValueError:
            continue  # the last line of a killed process may be cut
        if "id" in reply:
            taken += 1
            course.unmarked[reply["id"]] += not reply["again"]
            if "message" in reply:
                course.acknowledged.add(reply["message"])


if __name__ == "__main__":
    sys.exit(main())
