"""Signals that are noted instead of ending a command."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from asyncdemo.cli.signals import (
    ENDING,
    ending_by_exception,
    noting_signals,
    passing_on_others,
    stopping_together,
)


def test_signals_are_noted_and_handlers_put_back() -> None:
    before = [signal.getsignal(number) for number in ENDING]
    with noting_signals() as seen:
        for number in ENDING:
            signal.raise_signal(number)
        assert seen == ENDING
    assert [signal.getsignal(number) for number in ENDING] == before


@pytest.mark.parametrize("number", ENDING)
def test_signal_breaks_off_drawing_and_is_noted(number: int) -> None:
    drawn: list[str] = []

    def draw() -> None:
        drawn.append("begun")
        signal.raise_signal(number)
        drawn.append("ended")

    with noting_signals() as seen:
        seen.draw(draw)
        assert (drawn, seen) == (["begun"], [number])
        signal.raise_signal(number)
        assert seen == [number, number]


@pytest.mark.parametrize("number", ENDING)
def test_signal_elsewhere_is_an_exception(number: int) -> None:
    with ending_by_exception(), pytest.raises(KeyboardInterrupt):
        signal.raise_signal(number)


def test_a_signal_that_we_were_started_to_ignore_stays_ignored() -> None:
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with noting_signals() as seen:
            signal.raise_signal(signal.SIGHUP)
            assert seen == []
    finally:
        signal.signal(signal.SIGHUP, before)


def test_ignored_signal_is_passed_on_while_the_script_runs() -> None:
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    sent: list[int] = []
    try:
        with passing_on_others(sent.append) as begin:
            signal.raise_signal(signal.SIGINT)
            assert sent == []
            begin()
            signal.raise_signal(signal.SIGINT)
        assert sent == [signal.SIGINT]
        assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGINT, before)


@pytest.mark.parametrize("number", [signal.SIGQUIT, signal.SIGUSR1, signal.SIGUSR2])
def test_signal_that_does_not_end_us_is_passed_on(number: signal.Signals) -> None:
    sent: list[int] = []
    before = signal.getsignal(number)
    with passing_on_others(sent.append) as begin:
        begin()
        signal.raise_signal(number)
    assert sent == [number]
    assert signal.getsignal(number) is before


STOPPED_BY_INT = """
import asyncio, os, signal
async def main():
    stop = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGINT, stop.set)
    os.mkdir("ready")
    await asyncio.wait_for(stop.wait(), 30)
    print("stopped")
asyncio.run(main())
"""
IGNORES_INT = """
import os, signal, time
print(signal.getsignal(signal.SIGINT) is signal.SIG_IGN)
os.mkdir("ready")
while not os.path.exists("sent"): time.sleep(0.02)
print("went on")
"""


@pytest.mark.parametrize(
    ("script", "words"), [(STOPPED_BY_INT, "stopped\n"), (IGNORES_INT, "True\nwent on\n")]
)
def test_shell_background_job_gets_int_as_without_us(tmp_path: Path, script: str, words: str) -> None:
    (tmp_path / "script.py").write_text(script)
    lines = [
        '"$@" & job=$!',
        "until [ -d ready ]; do sleep 0.05; done",
        "kill -INT $job; mkdir sent; wait $job; rm -r ready sent",
    ]
    command = [sys.executable, "-m", "asyncdemo", "trace", "--plain", "script.py"]
    for started in ([sys.executable, "script.py"], command):
        done = subprocess.run(
            ["sh", "-c", "\n".join(lines), "sh", *started],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert done.stdout.startswith(words)
        assert done.returncode == 0


def test_ctrl_z_stops_the_child_first_and_it_resumes_last(monkeypatch: pytest.MonkeyPatch) -> None:
    before = signal.getsignal(signal.SIGTSTP)
    sent: list[object] = []
    monkeypatch.setattr(os, "kill", lambda pid, number: sent.append((pid, number, signal.getsignal(number))))
    with stopping_together(sent.append):
        signal.raise_signal(signal.SIGTSTP)
    assert sent == [signal.SIGSTOP, (os.getpid(), signal.SIGTSTP, signal.SIG_DFL), signal.SIGCONT]
    assert signal.getsignal(signal.SIGTSTP) is before
