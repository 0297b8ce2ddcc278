"""Which waits are for something outside the process: only those may come one after another needlessly."""

from __future__ import annotations

import pytest

from asyncdemo.analysis.reasons import find_reason


@pytest.mark.parametrize("service", ["redis", "s3", "sql", "kafka", "sleep", "net.read"])
def test_wait_for_a_service_is_outside_the_process(service: str) -> None:
    assert find_reason(service).outside


@pytest.mark.parametrize(
    "reason", ["", "lock", "semaphore", "connection pool", "event", "task", "gather", "greenlet", "import"]
)
def test_wait_for_others_in_the_process_is_not_outside(reason: str) -> None:
    assert not find_reason(reason).outside
