"""How far a measurement is: lines that are not too many, and a picture that fits."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from rich.cells import cell_len

from asyncdemo.lab.cli.progress import Drawn, Lines
from asyncdemo.lab.harness.environments import Progress as Making
from asyncdemo.lab.harness.protocol.running import Progress, Stage
from tests.support.screens import Terminal


class Clock:
    def __init__(self) -> None:
        self.now_s = 100.0

    def __call__(self) -> float:
        return self.now_s


def measuring(done: int, step: str = "start", left_s: float | None = None) -> Progress:
    return Progress(Stage.MEASURE, 2, 7, "Sanic on uvloop", "50 clients", step, done, 21, left_s)


def test_a_line_every_few_seconds_and_one_for_each_stage(capsys: pytest.CaptureFixture[str]) -> None:
    clock = Clock()
    lines = Lines(clock)
    lines.said("starting PostgreSQL")
    for done in range(9):
        lines.making(Making("meinheld", done, 9, f"getting number {done}"))
    lines.progressed(Progress(Stage.CALIBRATE, 0, 7, "null", "", "start", 0, 1))
    lines.progressed(Progress(Stage.VERIFY, 0, 7, "Flask", "50 clients", "start", 0, 3))
    lines.progressed(Progress(Stage.VERIFY, 0, 7, "Sanic", "50 clients", "start", 1, 3))
    lines.progressed(measuring(7, left_s=None))
    lines.progressed(measuring(7, "measure"))
    clock.now_s += 1
    lines.progressed(measuring(8, left_s=130))
    clock.now_s += 10
    lines.progressed(measuring(9, left_s=130))
    out, err = capsys.readouterr()
    assert out == ""
    assert err.splitlines() == [
        "starting PostgreSQL",
        "Creating an environment for meinheld, only once: getting number 0 (0 of 9)",
        "Calibrating the load client, against a server that does nothing",
        "Checking before anything is measured: Flask, 50 clients (0 of 3 done)",
        "Round 2 of 7: Sanic on uvloop, 50 clients (7 of 21 done)",
        "Round 2 of 7: Sanic on uvloop, 50 clients (9 of 21 done, about 2 min left)",
    ]


@contextmanager
def drawn(width: int, clock: Clock, encoding: str = "utf-8") -> Iterator[tuple[Drawn, Terminal]]:
    terminal = Terminal(width, 24, encoding)
    with Drawn(terminal.console, clock) as view:
        yield view, terminal


@pytest.mark.parametrize("width", [12, 30, 80])
def test_the_picture_is_as_narrow_as_the_terminal(width: int) -> None:
    clock = Clock()
    with drawn(width, clock) as (view, terminal):
        view.progressed(measuring(7, "measure", 130))
        clock.now_s += 70
        view.tick()
    plain = re.sub(r"\x1b\[[\d;?]*[A-Za-z]", "", terminal.written).replace("\r", "\n")
    assert max(cell_len(line.rstrip()) for line in plain.splitlines()) <= width
    if width == 80:
        assert "Round 2 of 7: Sanic on uvloop, 50 clients" in plain
        assert "measuring, 70 s" in plain
        assert "7 of 21, about 2 min left" in plain and "7 of 21, about a minute left" in plain


def test_it_is_redrawn_only_now_and_then() -> None:
    clock = Clock()
    with drawn(80, clock) as (view, terminal):
        view.progressed(measuring(7, "measure"))
        before = len(terminal.written)
        view.tick()
        assert len(terminal.written) == before
        clock.now_s += 1
        view.tick()
        assert len(terminal.written) > before


def test_letters_that_the_terminal_lacks_become_escapes() -> None:
    with drawn(80, Clock(), "ascii") as (view, terminal):
        view.said("starting the café\x1b[2J")
    assert "starting the caf\\xe9\\x1b[2J" in terminal.written
