"""``asyncdemo watch``: its log without a terminal, and its screen on a real one; nothing is left of either.

What the screen shows for which key is in ``tests/tui/exercise``.
"""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.cli.commands import asyncdemo_command, environment, in_process
from tests.cli.terminals import Terminal
from tests.hostile.traced import is_alive, marked, until
from tests.support.small_course import BROKEN, FIXED, make_course, spoil_progress

pytestmark = pytest.mark.slow

CONTROL = "\x1b"
FAILS = "should be at work at the same time"

HANGS = FIXED.replace(
    "    await asyncio.sleep(1)\n",
    "    open(f'hangs-{__import__(\"os\").getpid()}', 'w').close()\n    while True:\n        pass\n",
)
"""Leaves a file that says which process it is."""


class Log:
    """What the command writes without a terminal."""

    def __init__(self, watch: subprocess.Popen[bytes], file: Path) -> None:
        self.watch, self._file, self._seen = watch, file, 0

    @property
    def text(self) -> str:
        return self._file.read_text()

    def wait_for(self, words: str) -> None:
        """Until the words were written, after what was waited for before."""
        assert until(lambda: words in self.text[self._seen :]), self.text
        self._seen = self.text.index(words, self._seen) + len(words)


class Desk:
    """A workspace of the small course, where one exercise may hang for a second only."""

    def __init__(self, tmp_path: Path) -> None:
        self.course = make_course(tmp_path / "course")
        for manifest in self.course.glob("*/*/lesson.toml"):
            text = manifest.read_text()
            if "[exercise]" in text:
                manifest.write_text(text + "timeout_s = 2\n")
        self.folder = tmp_path / "mine"
        in_process("start", self.folder, "--course", self.course, cwd=tmp_path)
        self.tea = self.folder / "01-hot" / "01-tea.py"
        self.coffee = self.folder / "01-hot" / "02-coffee.py"
        self.scratch = tmp_path / "scratch"
        self.scratch.mkdir()
        self.mark = f"watched-{uuid.uuid4().hex}"
        """In the environment of all that the watch starts."""

    def watch(self, *arguments: str, size: tuple[int, int] = (100, 40), **variables: str) -> Terminal:
        return Terminal(
            "watch",
            *arguments,
            cwd=self.folder,
            size=size,
            **{"MARK": self.mark, "TMPDIR": str(self.scratch), "VISUAL": "", **variables},
        )

    @contextmanager
    def log(self) -> Iterator[Log]:
        """The command with its output in a file."""
        file = self.scratch.parent / "log"
        with file.open("w") as out:
            watch = subprocess.Popen(
                asyncdemo_command("watch"),
                cwd=self.folder,
                env=environment(MARK=self.mark),
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=subprocess.STDOUT,
            )
        log = Log(watch, file)
        try:
            yield log
            watch.send_signal(signal.SIGINT)
            assert watch.wait(20) == 130
        finally:
            watch.kill()
            watch.wait()
        assert "Traceback" not in log.text and CONTROL not in log.text
        assert self.nothing_is_left()

    def hanging(self) -> int:
        """The process of an exercise that hangs by now."""
        assert until(lambda: any(self.folder.glob("hangs-*")))
        pid = next(self.folder.glob("hangs-*"))
        pid.unlink()
        return int(pid.name.partition("-")[2])

    def nothing_is_left(self) -> bool:
        return until(lambda: marked(self.mark) == [])


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


# -- saves ----------------------------------------------------------------------------------------


def renamed_over(file: Path, text: str) -> None:
    draft = file.with_name("draft")
    draft.write_text(text)
    draft.replace(file)


def test_a_save_is_a_verdict_also_of_another_exercise(desk: Desk) -> None:
    with desk.log() as log:
        log.wait_for(FAILS)
        desk.tea.write_text(FIXED)
        log.wait_for("Checking 01-tea.py")
        log.wait_for("Passed. Next: exercise 2, Coffee. First run its lesson (asyncdemo run coffee).")
        desk.tea.write_text(BROKEN)
        log.wait_for("Checking 01-tea.py")
        log.wait_for("Not passed yet.")
        desk.coffee.write_text(FIXED)
        log.wait_for("You saved coffee, so that is checked now, not tea.")
        log.wait_for("Exercise 2, Coffee")
        log.wait_for("Passed. That was the last exercise: all have passed now.")
    assert "coffee has passed." in log.text


def test_save_ends_the_running_check_and_the_last_save_counts(desk: Desk) -> None:
    with desk.log() as log:
        log.wait_for(FAILS)
        desk.tea.write_text(HANGS)
        pid = desk.hanging()
        for _ in range(20):
            renamed_over(desk.tea, BROKEN)
        desk.tea.write_text(FIXED)
        log.wait_for("Passed.")
        assert until(lambda: not is_alive(pid))
        assert "time limit" not in log.text


def test_obstacle_to_a_verdict_is_reported_and_watching_goes_on(desk: Desk) -> None:
    (check,) = desk.course.glob("*/*tea/check.py")
    works = check.read_text()
    check.write_text("def check(seen):\n    {}['cups']\n")
    with desk.log() as log:
        log.wait_for("the check itself failed: KeyError: 'cups'")
        log.wait_for("There is no verdict.")
        check.write_text(works)
        desk.tea.unlink()
        log.wait_for("is missing. To restore it: asyncdemo reset tea")
        spoil_progress()
        desk.tea.write_text(FIXED)
        log.wait_for("Your progress could not be saved")
        log.wait_for("Passed.")


def test_plain_words_on_a_terminal_have_no_control_codes(desk: Desk) -> None:
    with desk.watch("--plain") as terminal:
        terminal.wait_for("press Ctrl-C.")
        terminal.wait_for(FAILS)
        desk.tea.write_text(FIXED)
        terminal.wait_for("Passed. Next")
        terminal.type("\x03")
        assert terminal.end() == 130
        assert CONTROL not in terminal.text


def test_without_a_workspace_it_says_how_to_make_one(tmp_path: Path) -> None:
    done = in_process("watch", cwd=tmp_path)
    assert done.code == 2
    assert "asyncdemo start" in done.err


# -- the screen on a real terminal ------------------------------------------------------------------


def test_resized_window_is_redrawn(desk: Desk) -> None:
    with desk.watch(size=(80, 24)) as terminal:
        terminal.wait_to_see(FAILS)
        for size in ((120, 30), (50, 20), (80, 24)):
            terminal.resize(*size)
            terminal.wait_until(
                lambda: "e Edit" in terminal.lines[-1] and any("brew(1)" in line for line in terminal.lines)
            )
        terminal.wait_until(
            lambda: terminal.lines[0].strip() == "Exercise 1, Tea: Make both at the same time."
        )


def test_editor_gets_the_original_terminal_and_its_own_ctrl_c(desk: Desk, tmp_path: Path) -> None:
    editor = tmp_path / "an editor" / "nano"
    editor.parent.mkdir()
    editor.write_text(
        f"#!/bin/sh\ntrap 'heard=1' INT\nstty -a >'{tmp_path}/modes'\necho editing $*\n"
        f"while [ -z $heard ]; do sleep 0.1; done\ncp '{tmp_path}/fixed' \"$3\"\n"
    )
    editor.chmod(editor.stat().st_mode | stat.S_IXUSR)
    (tmp_path / "fixed").write_text(FIXED)
    with desk.watch(VISUAL=f"'{editor}' --wait", EDITOR="not-this-one") as terminal:
        terminal.wait_to_see(FAILS)
        terminal.type("e")
        (line,) = (number for number, text in enumerate(BROKEN.splitlines(), 1) if "TODO" in text)
        terminal.wait_for(f"editing --wait +{line} ")
        terminal.type("\x03")
        terminal.wait_to_see("Passed")
        assert not terminal.shows_keys()
        terminal.type("q")
        assert terminal.end() == 0
    modes = (tmp_path / "modes").read_text()
    assert " icanon" in modes and " echo " in modes


@pytest.mark.parametrize(
    ("end", "code", "busy"),
    [
        ("q", 0, True),
        ("\x03", 130, False),
        (signal.SIGTERM, 130, True),
        (signal.SIGHUP, 130, False),
        (signal.SIGKILL, -signal.SIGKILL, True),
    ],
    ids=str,
)
def test_whatever_ends_it_nothing_is_left(
    desk: Desk, end: str | signal.Signals, code: int, busy: bool
) -> None:
    desk.tea.write_text(HANGS if busy else BROKEN)
    with desk.watch() as terminal:
        if busy:
            terminal.wait_to_see("Checking")
            desk.hanging()
        else:
            terminal.wait_to_see(FAILS)
            assert until(lambda: len(marked(desk.mark)) > 1)  # one is started ahead
        assert not terminal.shows_keys()
        if isinstance(end, str):
            terminal.type(end)
        else:
            os.kill(terminal.pid, end)
        assert terminal.end() == code
        if end != signal.SIGKILL:
            assert terminal.shows_keys()
            assert terminal.text.rindex("\x1b[?1049l") > terminal.text.rindex("\x1b[?1049h")
            assert "Traceback" not in terminal.text
    assert desk.nothing_is_left()
    assert not any(desk.scratch.iterdir())
