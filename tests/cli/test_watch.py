"""``asyncdemo watch``: a save is a verdict, keys do what they say, and whatever ends it nothing is left."""

from __future__ import annotations

import os
import re
import signal
import stat
import subprocess
import time
import uuid
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.commands import asyncdemo, asyncdemo_command, environment
from tests.cli.terminals import Terminal
from tests.hostile.traced import is_alive, marked, until
from tests.support.small_course import BROKEN, MENDED, make_course

pytestmark = pytest.mark.slow

CONTROL = "\x1b"
COLOUR = re.compile(r"\x1b\[[0-9;]*(?:3[0-9]|38;[25];[0-9;]+)m")
CURSOR_HIDDEN, CURSOR_SHOWN = "\x1b[?25l", "\x1b[?25h"
FAILS = "should be at work at once"
KEYS = "q quit"

HANGS = MENDED.replace(
    "    await asyncio.sleep(1)\n",
    "    open(f'hangs-{__import__(\"os\").getpid()}', 'w').close()\n    while True:\n        pass\n",
)
"""Leaves a file that says which process it is."""
STARVES = MENDED.replace("    await asyncio.sleep(1)\n", "    await asyncio.Event().wait()\n")
FORGETS = MENDED.replace(
    "    await asyncio.gather(brew(0), brew(1))\n",
    "    cups = asyncio.Queue()\n    cups.put_nowait(1)\n    await cups.get()\n    await cups.join()\n",
)
"""Takes an item and never says that it is done."""
TORN = MENDED.replace("asyncio.gather(brew(0), brew(1))", "asyncio.gather(brew(0), ")


class Desk:
    """A workspace of the small course, one exercise of which may hang for a second only."""

    def __init__(self, tmp_path: Path) -> None:
        self.course = make_course(tmp_path / "course")
        for manifest in self.course.glob("*/*/lesson.toml"):
            text = manifest.read_text()
            if "[exercise]" in text:
                manifest.write_text(text + "timeout_s = 2\n")
        self.folder = tmp_path / "mine"
        asyncdemo("start", self.folder, "--course", self.course, cwd=tmp_path)
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


def bottom(terminal: Terminal) -> str:
    return terminal.lines[-1]


# -- saves ----------------------------------------------------------------------------------------


def in_place(file: Path, text: str) -> None:
    file.write_text(text)


def renamed_over(file: Path, text: str) -> None:
    draft = file.with_name("draft")
    draft.write_text(text)
    draft.replace(file)


def deleted_and_made_anew(file: Path, text: str) -> None:
    file.unlink()
    file.write_text(text)


@pytest.mark.parametrize("options", [[], ["--poll"]])
@pytest.mark.parametrize("save", [in_place, renamed_over, deleted_and_made_anew])
def test_a_save_is_a_verdict(desk: Desk, save: Callable[[Path, str], None], options: list[str]) -> None:
    with desk.watch(*options) as terminal:
        terminal.wait_for(FAILS)
        terminal.wait_for(KEYS)
        save(desk.tea, MENDED)
        terminal.wait_for("Checking 01-tea.py")
        terminal.wait_for("Passed.")
        save(desk.tea, BROKEN)
        terminal.wait_for("Checking 01-tea.py")
        terminal.wait_for(FAILS)
        terminal.type("q")
        assert terminal.end() == 0
    assert desk.nothing_is_left()


def test_it_stays_with_an_exercise_that_passed_until_n_is_pressed(desk: Desk) -> None:
    with desk.watch() as terminal:
        terminal.wait_for(FAILS)
        desk.tea.write_text(MENDED)
        terminal.wait_to_see("Passed. Press n to go on: exercise 2, Coffee.")
        terminal.wait_to_see("You have not run its lesson yet: press r there.")
        time.sleep(0.5)
        assert terminal.text.count("Exercise 2") == 0
        terminal.type("n")
        terminal.wait_to_see("Exercise 2, Coffee")
        terminal.wait_to_see("You have not run its lesson yet: press r.")
        terminal.wait_for(FAILS)
        desk.coffee.write_text(MENDED)
        terminal.wait_to_see("that was the last exercise")
        terminal.type("q")
        terminal.end()
    records = asyncdemo("list", cwd=desk.folder).out
    assert records.count("exercise passed") == 2


def test_a_save_ends_the_check_that_is_running_and_starts_afresh(desk: Desk) -> None:
    with desk.watch() as terminal:
        terminal.wait_for(FAILS)
        desk.tea.write_text(HANGS)
        pid = desk.hanging()
        desk.tea.write_text(MENDED)
        terminal.wait_for("Passed.")
        assert until(lambda: not is_alive(pid))
        assert "time limit" not in terminal.text


def test_the_verdict_is_on_the_last_of_many_saves(desk: Desk) -> None:
    with desk.watch() as terminal:
        terminal.wait_for(FAILS)
        for _ in range(20):
            desk.tea.write_text(TORN)
            renamed_over(desk.tea, BROKEN)
        desk.tea.write_text(MENDED)
        terminal.wait_for("Passed.")
        time.sleep(0.5)
        assert any("Passed." in line for line in terminal.lines)


def test_a_save_of_another_exercise_checks_that_one_and_says_so(desk: Desk) -> None:
    with desk.watch() as terminal:
        terminal.wait_for(FAILS)
        desk.coffee.write_text(MENDED)
        terminal.wait_to_see("You saved coffee, so this is the exercise now; before it was tea.")
        terminal.wait_to_see("Exercise 2, Coffee")
        terminal.wait_to_see("Passed. Press n to go on: exercise 1, Tea.")


def test_an_exercise_that_hangs_is_ended_and_its_line_named(desk: Desk) -> None:
    line = HANGS.splitlines().index("        pass") + 1
    with desk.watch() as terminal:
        terminal.wait_for(FAILS)
        desk.tea.write_text(HANGS)
        terminal.wait_for("a run is ended after 2 s")
        terminal.wait_for("It was not over at its time limit")
        text = terminal.text[terminal.text.index("It was not over") :]
        assert f"01-tea.py:{line}" in text or f"01-tea.py:{line - 1}" in text
        pid = desk.hanging()
        assert until(lambda: not is_alive(pid))


def test_a_deadlock_names_who_waits_at_which_line(desk: Desk) -> None:
    line = STARVES.splitlines().index("    await asyncio.Event().wait()") + 1
    with desk.watch() as terminal:
        terminal.wait_for(FAILS)
        desk.tea.write_text(STARVES)
        terminal.wait_for("No task can ever go on")
        terminal.wait_for("brew (Task-2")
        terminal.wait_for(f"01-tea.py:{line}")


def test_a_forgotten_task_done_is_told_as_the_join_that_waits_for_it(desk: Desk) -> None:
    line = FORGETS.splitlines().index("    await cups.join()") + 1
    with desk.watch() as terminal:
        terminal.wait_for(FAILS)
        desk.tea.write_text(FORGETS)
        terminal.wait_for("No task can ever go on")
        terminal.wait_for(f"01-tea.py:{line}")
        terminal.wait_for("Not passed yet.")
        desk.tea.write_text(MENDED)
        terminal.wait_for("Passed.")


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        ("    {}['cups']\n", "the check itself failed: KeyError: 'cups'"),
        ("    raise CourseError('no cups')\n", "no cups"),
        ("    raise SystemExit('no cups')\n", "no cups"),
        ("    )\n", "SyntaxError"),
    ],
)
def test_a_check_that_does_not_work_is_told_in_the_place_of_a_verdict(
    desk: Desk, fault: str, words: str
) -> None:
    (check,) = desk.course.glob("*/*tea/check.py")
    works = check.read_text()
    begins = "def check(seen: Seen) -> None:\n"
    assert begins in works
    check.write_text("from asyncdemo.errors import CourseError\n" + works.replace(begins, begins + fault))
    with desk.watch("--plain", size=(100, 40)) as terminal:
        terminal.wait_for("So there is no verdict.")
        assert words in " ".join(terminal.text.split())
        assert "Not passed" not in terminal.text
        check.write_text(works)
        desk.tea.write_text(MENDED)
        terminal.wait_for("Passed.")
        terminal.type("q")
        assert terminal.end() == 0


def test_a_constant_that_the_check_sets_and_that_is_deleted_is_missed(desk: Desk) -> None:
    (manifest,) = desk.course.glob("*/*tea/lesson.toml")
    manifest.write_text(manifest.read_text() + "runs = [{}, { CUPS = 2 }]\n")
    desk.tea.write_text("CUPS = 2\n" + MENDED)
    with desk.watch() as terminal:
        terminal.wait_for("Passed.")
        desk.tea.write_text(MENDED)
        terminal.wait_for("CUPS")
        terminal.wait_for("Not passed yet.")
        desk.tea.write_text("CUPS = 2\n" + MENDED)
        terminal.wait_for("Passed.")


def test_progress_that_cannot_be_kept_is_told_and_the_watch_goes_on(desk: Desk) -> None:
    with desk.watch() as terminal:
        terminal.wait_for(FAILS)
        (desk.folder / ".asyncdemo" / "progress.sqlite3").write_text("no database")
        desk.tea.write_text(MENDED)
        terminal.wait_for("Your progress could not be kept")
        terminal.wait_for("Passed.")
        terminal.type("n")
        terminal.wait_to_see("Exercise 2, Coffee")
        terminal.type("q")
        assert terminal.end() == 0


@pytest.mark.parametrize("text", [TORN, "", "def brew(", "\0"])
def test_a_torn_file_gets_a_verdict_that_says_what_is_wrong(desk: Desk, text: str) -> None:
    words = {
        TORN: "line ",
        "": "There is no function brew",
        "def brew(": "line 1",
        "\0": "not a Python script",
    }
    with desk.watch() as terminal:
        terminal.wait_for(FAILS)
        desk.tea.write_text(text)
        terminal.wait_for(words[text])
        terminal.wait_for("Not passed yet.")
        desk.tea.write_text(MENDED)
        terminal.wait_for("Passed.")


def test_a_file_that_is_gone_is_missed_and_given_again(desk: Desk) -> None:
    with desk.watch() as terminal:
        terminal.wait_for(FAILS)
        desk.tea.unlink()
        terminal.wait_for("is not there. To get it again: press x")
        terminal.type("x")
        terminal.wait_for("as the course has it")
        terminal.wait_for(KEYS)
        terminal.type("\r")
        terminal.wait_for(FAILS)
        assert desk.tea.read_text() == BROKEN


def test_only_saves_and_passes_count_as_tries(desk: Desk) -> None:
    with desk.watch() as terminal:
        terminal.wait_for(FAILS)
        desk.tea.write_text(BROKEN + "\n")
        terminal.wait_for("Checking")
        terminal.wait_for(FAILS)
        terminal.type("q")
        terminal.end()
    assert "exercise not passed, 1 try" in asyncdemo("list", cwd=desk.folder).out


# -- keys -----------------------------------------------------------------------------------------


def test_keys_show_hints_the_list_the_timeline_and_the_solution(desk: Desk) -> None:
    with desk.watch() as terminal:
        terminal.wait_for(FAILS)
        terminal.wait_for(KEYS)
        terminal.type("h")
        terminal.wait_to_see("hint 1 of 3")
        terminal.type("h")
        terminal.wait_to_see("hint 2 of 3")
        terminal.type("l")
        terminal.wait_to_see("2 exercises")
        terminal.type("t")
        terminal.wait_to_see("if nothing had to wait")
        terminal.wait_to_see("brew(1)")
        terminal.type("s")
        terminal.wait_to_see("ask again")
        terminal.type("s")
        terminal.wait_to_see("a solution; yours may look different")
        terminal.type("?")
        terminal.wait_to_see("open the file in your editor")
        terminal.type("\r")
        terminal.wait_to_see(FAILS)
        terminal.type("j")  # means nothing
        terminal.type("q")
        assert terminal.end() == 0


def test_reset_asks_and_gives_the_exercise_again(desk: Desk) -> None:
    desk.tea.write_text(MENDED)
    with desk.watch() as terminal:
        terminal.wait_for("Passed.")
        terminal.wait_for(KEYS)
        terminal.type("x")
        terminal.wait_for("[y/N]")
        terminal.type("y\n")
        terminal.wait_for("Your text is kept")
        terminal.wait_for("enter back")
        time.sleep(0.5)
        assert any("Your text is kept" in line for line in terminal.lines)
        terminal.type("\r")
        terminal.wait_for(FAILS)
        assert desk.tea.read_text() == BROKEN


def test_ctrl_c_at_a_question_goes_back_to_the_watch(desk: Desk) -> None:
    desk.tea.write_text(MENDED)
    with desk.watch() as terminal:
        terminal.wait_for("Passed.")
        terminal.wait_for(KEYS)
        terminal.type("x")
        terminal.wait_for("[y/N]")
        time.sleep(0.3)  # between its prompt and its read, Python's input() does not notice a signal
        terminal.type("\x03")
        terminal.wait_for(KEYS)
        desk.tea.write_text(BROKEN)
        terminal.wait_for(FAILS)
        terminal.type("q")
        assert terminal.end() == 0
        assert "Traceback" not in terminal.text


def test_the_lesson_is_run_and_the_watch_goes_on(desk: Desk) -> None:
    with desk.watch() as terminal:
        terminal.wait_for("You have not run its lesson yet: press r.")
        terminal.wait_for(KEYS)
        terminal.type("r")
        terminal.wait_for("Why?")
        terminal.wait_for("if nothing had to wait")
        terminal.wait_for(KEYS)
        terminal.type("\r")
        terminal.wait_to_see(FAILS)
        assert not any("You have not run" in line for line in terminal.lines)
        desk.tea.write_text(MENDED)
        terminal.wait_for("Passed.")
    assert "run once" in asyncdemo("list", cwd=desk.folder).out


def test_the_file_is_opened_in_the_editor_and_checked_afterwards(desk: Desk, tmp_path: Path) -> None:
    editor = tmp_path / "an editor"
    editor.write_text(
        f"#!/bin/sh\nstty -a >'{tmp_path}/modes'\necho editing; cp '{tmp_path}/mended' \"$2\"\n"
    )
    editor.chmod(editor.stat().st_mode | stat.S_IXUSR)
    (tmp_path / "mended").write_text(MENDED)
    with desk.watch(VISUAL=f"'{editor}' --wait", EDITOR="not-this-one") as terminal:
        terminal.wait_for(FAILS)
        terminal.wait_for(KEYS)
        terminal.type("e")
        terminal.wait_for("editing")
        terminal.wait_for("Passed.")
        assert not terminal.shows_keys()
    modes = (tmp_path / "modes").read_text()
    assert " icanon" in modes and " echo " in modes


@pytest.mark.parametrize(
    ("editor", "words"), [("", "Neither $VISUAL nor $EDITOR is set"), ("no-such-editor", "cannot be started")]
)
def test_without_an_editor_it_says_what_to_do(desk: Desk, editor: str, words: str) -> None:
    with desk.watch(EDITOR=editor) as terminal:
        terminal.wait_for(FAILS)
        terminal.wait_for(KEYS)
        terminal.type("e")
        terminal.wait_for(words)
        terminal.wait_for(FAILS)


def test_n_ends_a_check_that_hangs_and_comes_back_later(desk: Desk) -> None:
    desk.tea.write_text(HANGS)
    with desk.watch() as terminal:
        pid = desk.hanging()
        terminal.type("n")
        terminal.wait_to_see("Exercise 2, Coffee")
        terminal.wait_to_see("tea has not passed yet; pressing n comes back to it.")
        assert until(lambda: not is_alive(pid))
        terminal.wait_to_see(FAILS)


def test_r_ends_a_check_that_hangs_and_its_report_stays_until_enter(desk: Desk) -> None:
    desk.tea.write_text(HANGS)
    with desk.watch() as terminal:
        pid = desk.hanging()
        terminal.type("r")
        terminal.wait_for("if nothing had to wait")
        terminal.wait_for("enter back")
        assert until(lambda: not is_alive(pid))
        time.sleep(0.5)
        assert any("if nothing had to wait" in line for line in terminal.lines)
        terminal.type("\r")
        terminal.wait_for("Checking 01-tea.py")
        assert is_alive(desk.hanging())


# -- the screen -----------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [(100, 40), (80, 24), (50, 20)])
def test_the_keys_stand_at_the_bottom_and_what_failed_above(desk: Desk, size: tuple[int, int]) -> None:
    with desk.watch(size=size) as terminal:
        terminal.wait_for(FAILS)
        terminal.wait_to_see("? keys")
        assert "? keys" in bottom(terminal)
        assert any("at work" in line for line in terminal.lines)
        assert size[1] < 24 or terminal.lines[0].startswith("Exercise 1, Tea")


def test_another_size_of_the_window_is_drawn_anew(desk: Desk) -> None:
    with desk.watch() as terminal:
        terminal.wait_for(FAILS)
        terminal.wait_to_see("? keys")
        for size in ((60, 20), (25, 12), (120, 30)):
            terminal.resize(*size)
            terminal.wait_until(lambda: "? keys" in bottom(terminal))
        assert terminal.lines[0].startswith("Exercise 1, Tea: Make both at once.")


def test_no_color_is_obeyed(desk: Desk) -> None:
    with desk.watch(NO_COLOR="1") as terminal:
        terminal.wait_for(FAILS)
        terminal.type("t")
        terminal.wait_for("if nothing had to wait")
        terminal.type("q")
        terminal.end()
        assert not COLOUR.search(terminal.text)
    with desk.watch() as terminal:
        terminal.wait_for(FAILS)
        terminal.wait_for(KEYS)
        assert COLOUR.search(terminal.text)


def test_plain_words_have_no_control_codes_and_keys_all_the_same(desk: Desk) -> None:
    with desk.watch("--plain") as terminal:
        terminal.wait_for(FAILS)
        terminal.wait_for(KEYS)
        desk.tea.write_text(MENDED)
        terminal.wait_for("Passed. Press n")
        terminal.wait_for(KEYS)
        terminal.type("n")
        terminal.wait_for("Exercise 2, Coffee")
        terminal.wait_for(KEYS)
        terminal.type("q")
        assert terminal.end() == 0
        assert CONTROL not in terminal.text


# -- without a terminal ---------------------------------------------------------------------------


def test_without_a_terminal_it_prints_verdicts_until_it_is_interrupted(desk: Desk, tmp_path: Path) -> None:
    log = tmp_path / "log"
    with log.open("w") as out:
        watch = subprocess.Popen(
            asyncdemo_command("watch"),
            cwd=desk.folder,
            env=environment(MARK=desk.mark),
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=subprocess.STDOUT,
        )
    try:
        assert until(lambda: "Not passed yet" in log.read_text())
        desk.tea.write_text(MENDED)
        assert until(lambda: "Passed. Next: exercise 2" in log.read_text())
        watch.send_signal(signal.SIGINT)
        assert watch.wait(60) == 130
    finally:
        watch.kill()
        watch.wait()
    text = log.read_text()
    assert CONTROL not in text and "Traceback" not in text
    assert "press" not in text
    assert text.index(FAILS) < text.index("Passed.")
    assert desk.nothing_is_left()


def test_without_a_workspace_it_says_how_to_make_one(tmp_path: Path) -> None:
    done = asyncdemo("watch", cwd=tmp_path)
    assert done.code == 2
    assert "asyncdemo start" in done.err


# -- ends -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("busy", [False, True], ids=["idle", "checking"])
@pytest.mark.parametrize(
    ("end", "code"),
    [("q", 0), ("\x03", 130), (signal.SIGTERM, 130), (signal.SIGHUP, 130), (signal.SIGKILL, -signal.SIGKILL)],
    ids=str,
)
def test_whatever_ends_it_nothing_is_left(
    desk: Desk, end: str | signal.Signals, code: int, busy: bool
) -> None:
    desk.tea.write_text(HANGS if busy else BROKEN)
    with desk.watch() as terminal:
        if busy:
            terminal.wait_for("Checking")
            desk.hanging()
        else:
            terminal.wait_for(KEYS)
            terminal.wait_for(FAILS)
            assert until(lambda: len(marked(desk.mark)) > 1)  # one is started ahead
            assert until(lambda: not any(desk.scratch.iterdir()))
        assert not terminal.shows_keys()
        if isinstance(end, str):
            terminal.type(end)
        else:
            os.kill(terminal.pid, end)
        assert terminal.end() == code
        if end != signal.SIGKILL:
            assert terminal.shows_keys()
            assert terminal.text.rindex(CURSOR_HIDDEN) < terminal.text.rindex(CURSOR_SHOWN)
            assert "tea has not passed yet" in terminal.text
            assert "Traceback" not in terminal.text
    assert desk.nothing_is_left()
    assert not any(desk.scratch.iterdir())
