"""Who has not ended when a run is stopped, and what calls return, as the traced process tells it."""

from __future__ import annotations

import asyncio
import gc
import signal
import textwrap
from collections import OrderedDict, defaultdict, deque
from pathlib import Path
from typing import Any

import pytest

from asyncdemo.capture.blocking import stuck, wake_sources
from asyncdemo.model import MOST_STUCK, Run, RunOutcome, State
from asyncdemo.recording.runner import Options, Target, record


def run(folder: Path, source: str, **options: object) -> Run:
    script = folder / "app.py"
    script.write_text(textwrap.dedent(source), encoding="utf-8")
    return record(Target(str(script)), Options(**options))  # type: ignore[arg-type]


def lines_of(run: Run) -> list[tuple[str, int, State]]:
    """(function, line, state) of everybody who had not ended."""
    return [(one.function, one.site.line if one.site else 0, one.state) for one in run.stuck]


def test_spinning_task_and_thread_are_distinguished_from_waiters(tmp_path: Path) -> None:
    source = """
    import asyncio, threading

    def idle(never: threading.Event) -> None:
        never.wait()

    async def other() -> None:
        await asyncio.sleep(1000)

    async def main() -> None:
        threading.Thread(target=idle, args=(threading.Event(),), daemon=True).start()
        task = asyncio.create_task(other())
        await asyncio.sleep(0)
        late = asyncio.create_task(other())
        while True:
            pass

    asyncio.run(main())
    """
    spinning = run(tmp_path, source, timeout_s=1.0)
    tasks, threads = lines_of(spinning)[:3], lines_of(spinning)[3:]
    assert [(function, state) for function, _, state in tasks] == [
        ("main", State.RUNNING),
        ("other", State.WAITING),
        ("other", State.READY),
    ]
    assert tasks[0][1] in (15, 16)
    assert spinning.stuck[1].source == "await asyncio.sleep(1000)"
    assert tasks[2][1] == 0  # it has not begun
    assert threads == [("idle", 5, State.WAITING)]


def test_unresponsive_process_is_stopped(tmp_path: Path) -> None:
    source = """
    import os, signal

    os.kill(os.getpid(), signal.SIGSTOP)
    """
    stopped = run(tmp_path, source, timeout_s=0.5)
    assert stopped.outcome is RunOutcome.TIMEOUT
    assert stopped.stuck == ()


RESULTS = """
    import asyncio

    class Odd(list): ...

    async def brew(n: int) -> object:
        def inner() -> int:
            return 7
        await asyncio.sleep(0)
        if n == 0:
            return {"a": (1, 2.5, None, b"x")}
        if n == 1:
            return Odd([1])
        if n == 2:
            return inner()
        if n == 3:
            raise ValueError("no cup")
        if n == 4:
            try:
                return "first"
            finally:
                return "last"

    async def main() -> None:
        await asyncio.gather(*(brew(n) for n in range(6)), return_exceptions=True)

    asyncio.run(main())
    """


def test_calls_tell_what_they_return_if_it_is_plain(tmp_path: Path) -> None:
    brewed = run(tmp_path, RESULTS, lanes=("brew",), results=True)
    assert {lane.name: lane.result for lane in brewed.lanes} == {
        "brew(0)": "{'a': (1, 2.5, None, b'x')}",
        "brew(1)": None,  # its own list kind: its repr would be the script's code
        "brew(2)": "7",
        "brew(3)": None,
        "brew(4)": "'last'",
        "brew(5)": None,
    }
    assert {lane.result for lane in run(tmp_path, RESULTS, lanes=("brew",)).lanes} == {None}


@pytest.mark.anyio
async def test_to_find_who_could_cancel_whom_takes_bounded_work(monkeypatch: pytest.MonkeyPatch) -> None:
    class Own(list[object]):
        def __len__(self) -> int:
            raise AssertionError("the script's own code")

    async def waits(*variables: object) -> None:
        await asyncio.Event().wait()

    def looks(at: Any) -> list[Any]:
        found = really(at)
        looked.extend(found)
        return found

    looked: list[object] = []
    really = gc.get_referents
    monkeypatch.setattr(gc, "get_referents", looks)
    many = range(5_000)
    large = (deque(many), Own(many), defaultdict(int, dict.fromkeys(many)), OrderedDict.fromkeys(many))
    target = asyncio.create_task(asyncio.sleep(100))
    shared = [target, *([one] for one in range(900))]
    coroutines = [waits(shared, *large) for _ in range(100)]
    references = stuck._References({id(target): 7})
    assert {references.of(one) for one in coroutines} == {(7,)}
    assert len(looked) < 6_000  # what they share, once
    coroutines += [waits([[one] for one in range(900)]) for _ in range(100)]
    assert [references.of(one) for one in coroutines][-1] == (7,), "one not looked at may refer to any"
    assert len(looked) < stuck._MOST_OBJECTS + 1_000
    for coroutine in coroutines:
        coroutine.close()
    target.cancel()


def test_scripts_handler_may_be_named_like_asyncios(monkeypatch: pytest.MonkeyPatch) -> None:
    def _on_sigint(*_: object) -> None: ...

    def handles(handler: object) -> bool:
        monkeypatch.setattr(signal, "getsignal", lambda _: handler)
        return wake_sources.handles_signals()

    runner: Any = asyncio.Runner()
    assert (handles(_on_sigint), handles(runner._on_sigint)) == (True, False)


def test_the_analysis_knows_how_many_are_reported() -> None:
    assert stuck.MOST == MOST_STUCK
