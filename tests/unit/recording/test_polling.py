"""Waiting for what can be read, also with more files open than ``select`` has room for."""

from __future__ import annotations

import os
import resource
import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from asyncdemo.recording.output_buffer import OutputBuffer
from asyncdemo.recording.polling import readable
from asyncdemo.recording.runner import Options, Stdout, Target, record

SELECT_HAS_ROOM_FOR = 1024
SCRIPT = """
import asyncio
async def main():
    await asyncio.sleep(0.01)
print("out", flush=True)
asyncio.run(main())
"""


@pytest.fixture
def many_open() -> Iterator[None]:
    """All descriptors that ``select`` takes are in use."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = SELECT_HAS_ROOM_FOR + 200
    if hard != resource.RLIM_INFINITY and hard < wanted:
        pytest.skip("so many files cannot be opened here")
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, wanted), hard))
    with ExitStack() as stack:
        while True:
            descriptor = os.open(os.devnull, os.O_RDONLY)
            stack.callback(os.close, descriptor)
            if descriptor > SELECT_HAS_ROOM_FOR:
                break
        yield
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


@pytest.mark.usefixtures("many_open")
def test_high_descriptors() -> None:
    here, there = socket.socketpair()
    reading, writing = os.pipe()
    both: list[int | socket.socket] = [here, reading]
    with here, there:
        assert here.fileno() > SELECT_HAS_ROOM_FOR
        assert readable(both, 0) == []
        there.send(b"x")
        assert readable(both, 5) == [here]
        os.write(writing, b"x")
        assert set(readable(both, 5)) == {here, reading}
        here.recv(1)
        os.close(writing)
        os.read(reading, 1)
        assert readable(both, 5) == [reading], "it has come to its end"
        os.close(reading)
        with pytest.raises(OSError, match="closed"):
            readable(both, 0)


def test_it_waits_as_long_as_it_was_told() -> None:
    here, there = socket.socketpair()
    with here, there:
        start_s = time.monotonic()
        assert readable([here], 0.02) == []
        assert time.monotonic() - start_s >= 0.019


@pytest.mark.usefixtures("many_open")
def test_a_recording_beside_many_open_files(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    output = OutputBuffer()
    options = Options(stdout=Stdout.CAPTURE, stdin=False, timeout_s=30)
    run = record(Target(str(script)), options, output)
    assert (run.exit_code, run.notes) == (0, ())
    assert "out" in output.stdout
    assert [lane.name for lane in run.lanes][-1] == "Task-1 main"
