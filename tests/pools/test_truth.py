"""What is recorded of real pools is what the program itself counted."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import pytest

from asyncdemo.analysis.diagnose import diagnose
from asyncdemo.analysis.metrics.limits import limits, most_at_once, peak
from asyncdemo.analysis.metrics.pools import PoolUse, pool_use
from asyncdemo.model import Connection, Outcome, Resource, ResourceKind, Run, State
from asyncdemo.testing.checks import Seen
from tests.pools import scripts
from tests.support.truth import Recorded, recorded

pytestmark = pytest.mark.slow

Use = tuple[int, Any, int, int, int]
"""(n, key of the connection, when it had it, before it gave it back, after)."""

USERS, LIMIT = 9, 3


def counted(recording: Recorded) -> list[Use]:
    return [tuple(use) for use in json.loads(recording.stdout.splitlines()[-1])]


def http_pools(run: Run) -> list[Resource]:
    return [one for one in run.resources if one.kind is ResourceKind.POOL and one.name == "http"]


def the_pool(run: Run, name: str) -> PoolUse:
    (use,) = [use for use in pool_use(run) if use.resource.name == name]
    return use


def number_of(run: Run, track: int, at_ns: int) -> int:
    """The n of ``use(n)`` that went on then on the track."""
    (name,) = [
        lane.name for lane in run.lanes if lane.track == track and lane.start_ns <= at_ns <= lane.end_ns
    ]
    return int(name.removeprefix("use(").removesuffix(")"))


def assert_uses_are_true(run: Run, pool: Resource, uses: list[Use]) -> None:
    """Each connection was used by the same callers in the same order, and at the times that they saw."""
    by_connection = defaultdict(list)
    for use in sorted(uses, key=lambda use: use[2]):
        by_connection[use[1]].append(use)
    known = sorted([use[0] for use in of_one] for of_one in by_connection.values())
    used = [connection for connection in pool.connections if connection.uses]
    assert sorted([number_of(run, one.track, one.end_ns) for one in c.uses] for c in used) == known
    seen = {use[0]: use for use in uses}
    for connection in used:
        for one in connection.uses:
            _, _, got_ns, before_ns, after_ns = seen[number_of(run, one.track, one.end_ns)]
            assert one.start_ns <= got_ns
            assert before_ns <= one.end_ns <= after_ns


def assert_in_order(connection: Connection) -> None:
    assert connection.ready_ns is not None
    assert connection.closed_ns is not None
    assert connection.opened_ns <= connection.ready_ns <= connection.closed_ns
    last_ns = connection.opened_ns
    for use in connection.uses:
        assert last_ns <= use.start_ns <= use.end_ns <= connection.closed_ns
        last_ns = use.end_ns


@pytest.mark.parametrize(("name", "waited_for", "script"), scripts.QUEUEING.values(), ids=scripts.QUEUEING)
def test_callers_share_few_connections(tmp_path: Path, name: str, waited_for: str, script: str) -> None:
    recording = recorded(tmp_path, script, lanes=["use"])
    run, uses = recording.run, counted(recording)
    use = the_pool(run, name)
    pool = use.resource
    assert pool.limit == LIMIT
    assert pool.site is not None
    assert pool.site.file.endswith("script.py")
    assert_uses_are_true(run, pool, uses)
    for connection in pool.connections:
        assert_in_order(connection)
    assert use.most_held == most_at_once((got, before) for _, _, got, before, _ in uses) == LIMIT
    assert use.connections == len({key for _, key, *_ in uses}) == LIMIT
    assert 0 < use.most_waiting <= USERS - LIMIT
    if "threading" not in script:  # threads may come too late to meet all the others
        assert use.most_waiting == USERS - LIMIT
    assert (use.leaked, use.refused, use.closed, use.reopened) == (0, 0, LIMIT, 0)
    assert [one.kind for one in limits(run)] == [ResourceKind.POOL]
    assert peak(run) == LIMIT
    assert_waits_are_recorded(run, pool, waited_for)
    assert "small-pool" in {finding.kind for finding in diagnose(run)}
    seen = Seen(run, functions=["use"])
    seen.pool(name).opened_and_closed_once_per_process().held_exactly(LIMIT).opened_at_most(LIMIT)
    seen.pool(name).no_task_holds_two().none_leaked()


def assert_waits_are_recorded(run: Run, pool: Resource, waited_for: str) -> None:
    """A caller queues, or waits for the service, or connects. What a busy system adds is little."""
    waits: Counter[str] = Counter()
    queued: dict[str, set[int | None]] = defaultdict(set)
    for span in (span for lane in run.lanes for span in lane.spans):
        if span.state is State.WAITING:
            waits[span.wait.reason] += span.duration_ns
        elif span.state is State.QUEUED:
            queued[span.wait.reason].add(span.wait.resource)
    assert waited_for in waits
    assert waits["outside Python"] <= 0.05 * waits.total()
    assert set(waits) <= {waited_for, "net.connect", "dns", "lock", "thread", "outside Python"}
    assert {"connection pool"} <= set(queued) <= {"connection pool", "executor", "lock"}
    assert queued["connection pool"] == {pool.index}


def test_psycopg2_closes_what_it_need_not_keep(tmp_path: Path) -> None:
    recording = recorded(tmp_path, scripts.PSYCOPG2, lanes=["use"])
    run, uses = recording.run, counted(recording)
    use = the_pool(run, "psycopg2")
    assert use.resource.limit == LIMIT
    assert use.connections == len({key for _, key, *_ in uses})
    assert use.connections > use.most_open == use.most_held
    assert use.closed == use.connections
    assert_uses_again_are_true(use.resource, uses)
    waits = {span.wait.reason for lane in run.lanes for span in lane.spans if span.state is State.WAITING}
    assert "sql" in waits
    assert waits <= {"sql", "net.connect"}


def assert_uses_again_are_true(pool: Resource, uses: list[Use]) -> None:
    """As above where each n is used more than once: the times alone."""
    recorded_uses = sorted((use.start_ns, use.end_ns) for one in pool.connections for use in one.uses)
    assert len(recorded_uses) == len(uses)
    for got_ns, before_ns, after_ns in (use[2:] for use in uses):
        assert any(start <= got_ns and before_ns <= end <= after_ns for start, end in recorded_uses)


def test_a_client_of_aiobotocore_is_a_pool_named_as_its_service(tmp_path: Path) -> None:
    recording = recorded(tmp_path, scripts.S3_TASKS, lanes=["use"])
    run = recording.run
    assert json.loads(recording.stdout.splitlines()[-1]) == [1000] * 8
    use = the_pool(run, "s3")
    assert use.resource.limit == 3
    assert use.resource.site is not None
    assert use.resource.site.function == "main"
    assert use.most_held == use.most_open == 3
    assert use.most_waiting == 5
    assert use.leaked == 0
    reasons = {span.wait.reason for lane in run.lanes for span in lane.spans}
    assert {"s3", "connection pool"} <= reasons
    assert "net.read" not in reasons
    assert http_pools(run) == []
    Seen(run, functions=["use"]).pool("s3").opened_and_closed_once_per_process().held_exactly(3)


def test_a_client_of_boto3_is_a_pool_without_a_limit(tmp_path: Path) -> None:
    recording = recorded(tmp_path, scripts.S3_THREADS, lanes=["use"])
    run = recording.run
    assert json.loads(recording.stdout.splitlines()[-1]) == [1000] * 4
    use = the_pool(run, "s3")
    assert use.resource.limit is None
    assert use.connections >= 4
    assert use.leaked == 0
    assert http_pools(run) == []
    reasons = {span.wait.reason for lane in run.lanes for span in lane.spans if span.state is State.WAITING}
    assert "s3" in reasons
    # On a busy machine a thread is off the processor for reasons that nothing in it tells.
    assert reasons - {"outside Python"} <= {"s3", "net.connect", "dns"}


def test_the_connector_of_an_aiohttp_session(tmp_path: Path) -> None:
    """The server knows by the client's port who came over which connection."""
    recording = recorded(tmp_path, scripts.HTTP_TASKS, lanes=["use"])
    run = recording.run
    use = the_pool(run, "http")
    assert use.resource.limit == LIMIT
    assert (use.connections, use.most_held, use.most_waiting) == (LIMIT, LIMIT, USERS - LIMIT)
    over_each = sorted(
        [number_of(run, one.track, one.end_ns) for one in connection.uses]
        for connection in use.resource.connections
    )
    assert over_each == json.loads(recording.stdout.splitlines()[-1])
    assert all(lane.outcome is Outcome.RETURNED for lane in run.lanes)
    reasons = {span.wait.reason for lane in run.lanes for span in lane.spans if span.state is State.WAITING}
    assert reasons <= {"net.read", "net.connect"}
