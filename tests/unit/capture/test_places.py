"""The lines that a run names: that of a jump to a loop's start, and the one that made a task."""

from __future__ import annotations

import dis
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from asyncdemo.analysis.diagnose import diagnose
from asyncdemo.capture.recorder import line_of
from asyncdemo.model import TrackKind
from tests.support.truth import recorded


def count(n: int) -> int:
    found = 0
    for i in range(n):
        if i % 7 == 0:  # noqa: SIM102 - the jump of this one has no line on 3.11
            if i % 3 == 0:
                found += 1
    return found


def test_jump_without_a_line_is_at_its_loop() -> None:
    code = count.__code__
    jumps = [one for one in dis.get_instructions(code) if one.opname.startswith("JUMP_BACKWARD")]
    assert jumps
    for jump in jumps:
        frame: Any = SimpleNamespace(f_code=code, f_lineno=None, f_lasti=jump.offset)
        assert line_of(frame) == code.co_firstlineno + 2


MADE = {
    "a callback": ("loop.call_soon(start)", "start"),
    "a callback of a task": ("task.add_done_callback(start)", "start"),
    "its own coroutine": ("keep(loop.create_task(work()))", "main"),
    "a group": ("async with asyncio.TaskGroup() as group: group.create_task(work())", "main"),
    "gather": ("await asyncio.gather(work())", "main"),
    "a thread": ("threading.Thread(target=send).start()", None),
    "a server": ("await connect()", None),
}


@pytest.mark.parametrize(("line", "made_in"), MADE.values(), ids=MADE)
def test_task_is_made_by_the_line_that_led_to_it(line: str, made_in: str | None, tmp_path: Path) -> None:
    script = f"""
import asyncio, threading

kept = []
keep = kept.append

async def work(*streams):
    await asyncio.sleep(0.01)

def start(*_):
    keep(asyncio.get_running_loop().create_task(work()))

async def connect():
    server = await asyncio.start_server(work, "127.0.0.1", 0)
    kept.append(await asyncio.open_connection(*server.sockets[0].getsockname()))

async def main():
    loop = asyncio.get_running_loop()
    task = loop.create_task(asyncio.sleep(0))

    def send():
        asyncio.run_coroutine_threadsafe(work(), loop)

    {line}
    await asyncio.sleep(0.1)

asyncio.run(main())
"""
    tracks = recorded(tmp_path, script).run.tracks
    made = [one.created_at for one in tracks if one.kind is TrackKind.TASK and one.function == "work"]
    assert [site and site.function for site in made] == [made_in]


def test_import_that_holds_the_loop_is_called_one(tmp_path: Path) -> None:
    (tmp_path / "slow_to_import.py").write_text("for _ in range(6_000_000):\n    pass\n")
    script = """
import asyncio

async def main():
    import slow_to_import

asyncio.run(main())
"""
    (found,) = [one for one in diagnose(recorded(tmp_path, script).run) if one.kind == "blocks-the-loop"]
    assert found.message.startswith("An import held the event loop")
    assert "at the top of the file" in found.advice
