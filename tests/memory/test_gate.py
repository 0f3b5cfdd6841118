import threading

import pytest

from memory.gate import Gate
from memory.writer import MOST_TOGETHER, Job, Writer

pytestmark = pytest.mark.requirement("writers")
PATIENCE = 10


def test_a_publication_waits_for_readers_and_readers_for_it() -> None:
    gate, order = Gate(), list[str]()
    publishing, publish_now = threading.Event(), threading.Event()

    def publish() -> None:
        publishing.set()
        with gate.publishing():
            order.append("published")
            publish_now.wait(PATIENCE)

    with gate.reading(), gate.reading():
        thread = threading.Thread(target=publish)
        thread.start()
        publishing.wait(PATIENCE)
        order.append("read")
    publish_now.set()
    thread.join(PATIENCE)
    with gate.reading():
        order.append("read again")
    assert order == ["read", "published", "read again"]


def test_jobs_that_wait_together_are_committed_together_in_order() -> None:
    batches: list[list[int]] = []
    first_runs, go = threading.Event(), threading.Event()

    def commit(jobs: list[Job]) -> None:
        batches.append([job.run() for job in jobs])
        for job, result in zip(jobs, batches[-1], strict=True):
            job.done.set_result(result)
        first_runs.set()
        go.wait(PATIENCE)

    writer = Writer(commit)
    futures = [writer.submit(lambda: 0)]
    first_runs.wait(PATIENCE)
    futures += [writer.submit(lambda n=n: n) for n in range(1, MOST_TOGETHER + 3)]
    go.set()
    assert [future.result(PATIENCE) for future in futures] == list(range(MOST_TOGETHER + 3))
    writer.close()
    assert [len(batch) for batch in batches] == [1, MOST_TOGETHER, 2]
