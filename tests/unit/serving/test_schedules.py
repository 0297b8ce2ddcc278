"""Scripts in many schedules: what differs is found and made small; what asyncio guarantees never differs."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from asyncdemo.analysis.schedules import Exploration, delays_of
from asyncdemo.errors import UsageError
from asyncdemo.model import RunOutcome
from asyncdemo.recording.runner import Options, Target
from asyncdemo.serving.schedules import explore

RIGHT_BY_LUCK = """\
import asyncio

balance = 0


async def pay_in(n):
    global balance
    await asyncio.sleep(n * 0.2)
    before = balance
    await asyncio.sleep(0.1)
    balance = before + n


async def main():
    await asyncio.gather(*(pay_in(n) for n in (1, 2)))


asyncio.run(main())
print(balance)
"""

Try = Callable[..., Exploration]


@pytest.fixture
def tried(tmp_path: Path) -> Try:
    def explored(source: str, count: int = 12, **options: object) -> Exploration:
        script = tmp_path / "script.py"
        script.write_text(source)
        return explore(Target(str(script)), Options(**options), count)  # type: ignore[arg-type]

    return explored


def endings(exploration: Exploration) -> set[tuple[str, ...]]:
    return {group.example.ending.lines for group in exploration.groups}


def test_right_by_luck_is_found_and_reduced_to_one_delay(tried: Try) -> None:
    found = tried(RIGHT_BY_LUCK)
    assert found.tried == 12
    assert endings(found) == {("3",), ("2",)}
    assert len(delays_of(found.differing[0].example.run)) == 1


@pytest.mark.parametrize(
    "source",
    [
        # chance is the same each time
        "import asyncio, random\nasync def main(): print(random.random())\nasyncio.run(main())\n",
        # callbacks that are ready run in the order in which they became ready
        "import asyncio\nseen = []\n"
        "async def step(n):\n"
        "    for _ in range(3):\n        seen.append(n)\n        await asyncio.sleep(0)\n"
        "async def main():\n"
        "    await asyncio.gather(asyncio.sleep(0.1), asyncio.sleep(0.2), *map(step, range(4)))\n"
        "asyncio.run(main())\nprint(seen)\n",
        # of two timers that were set one right after the other the shorter one is due first
        "import asyncio\nseen = []\n"
        "async def wait(n):\n    await asyncio.sleep(n / 100)\n    seen.append(n)\n"
        "async def main():\n    await asyncio.gather(*map(wait, range(1, 9)))\n"
        "asyncio.run(main())\nprint(seen)\n",
        # who waits for a lock gets it in turn
        "import asyncio\nseen = []\n"
        "async def turn(n, lock):\n"
        "    async with lock:\n        seen.append(n)\n        await asyncio.sleep(0.01 * (5 - n))\n"
        "async def main():\n    lock = asyncio.Lock()\n"
        "    await asyncio.gather(*(turn(n, lock) for n in range(5)))\n"
        "asyncio.run(main())\nprint(seen)\n",
    ],
    ids=["chance", "ready callbacks", "timers", "lock"],
)
def test_what_asyncio_guarantees_holds_in_every_schedule(tried: Try, source: str) -> None:
    found = tried(source, 16)
    assert not found.unexplored
    assert len(found.groups) == 1
    assert found.tried == 16


def test_the_order_of_printed_lines_is_no_outcome(tried: Try) -> None:
    source = RIGHT_BY_LUCK.replace("    balance = before + n\n", "    print(n)\n").replace(
        "print(balance)\n", ""
    )
    assert endings(tried(source)) == {("1", "2")}


def test_deadlock_in_some_schedule_is_reported_with_the_schedule(tried: Try) -> None:
    found = tried(
        "import asyncio\n"
        "async def late(lock, other, n):\n"
        "    await asyncio.sleep(n * 0.2)\n"
        "    async with lock:\n        await asyncio.sleep(0.1)\n"
        "        async with other:\n            pass\n"
        "async def main():\n    a, b = asyncio.Lock(), asyncio.Lock()\n"
        "    await asyncio.gather(late(a, b, 1), late(b, a, 2))\n"
        "asyncio.run(main())\n"
    )
    assert found.groups[0].example.ending.outcome is RunOutcome.OK
    (group,) = found.differing
    assert "deadlock" in group.example.ending.findings
    assert len(delays_of(group.example.run)) == 1


def test_exception_in_some_schedule_is_reported(tried: Try) -> None:
    found = tried(RIGHT_BY_LUCK.replace("print(balance)", "assert balance == 3, 'lost'"))
    assert [group.example.ending.error for group in found.groups] == ["", "AssertionError: lost"]


def test_a_schedule_in_which_it_never_ends_meets_the_time_limit(tried: Try) -> None:
    found = tried(RIGHT_BY_LUCK.replace("print(balance)", "while balance != 3: pass"), 40, timeout_s=0.7)
    assert found.groups[0].example.ending.outcome is RunOutcome.OK
    assert {group.example.ending.outcome for group in found.differing} == {RunOutcome.TIMEOUT}
    assert found.unexplored == "3 schedules reached the time limit, so no more were tried."


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("import asyncio\nasyncio.run(asyncio.to_thread(print))\n", "because a thread was started"),
        ("print(1)\n", "No asyncio task ran"),
        ("while True: pass\n", "does not finish even without a delay"),
    ],
)
def test_what_has_no_other_schedules_is_run_once_and_says_why(tried: Try, source: str, words: str) -> None:
    found = tried(source, timeout_s=1.0)
    assert found.tried == 1
    assert words in found.unexplored


def test_unloadable_program_says_so_and_bad_python_fails_once(tried: Try) -> None:
    with pytest.raises(UsageError, match="nobody"):
        tried("print(1)\n", lanes=("nobody",))
    found = tried("print(\n")
    assert found.tried == 1
    assert found.groups[0].example.ending.outcome is RunOutcome.FAILED


def test_interrupted_exploration_keeps_results_and_cleans_up(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(RIGHT_BY_LUCK)
    until = time.monotonic() + 2.0
    found = explore(Target(str(script)), Options(), 10_000, lambda: time.monotonic() < until)
    assert found.interrupted
    assert 1 <= found.tried < 10_000
    assert threading.active_count() == 1
