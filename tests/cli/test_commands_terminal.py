"""Commands on a terminal: what is asked, what is drawn, and that the terminal is left as it was."""

from __future__ import annotations

import os
import re
import signal
import time
import uuid
from pathlib import Path

import psutil
import pytest

from asyncdemo.store import save
from tests.cli.commands import in_process
from tests.cli.terminals import Terminal
from tests.hostile.traced import MARK, nothing_left
from tests.support.runs import Story

pytestmark = pytest.mark.slow

QUICK = ("two-sleeps", "--set", "BREWS=3", "--set", "BREW_S=0.05")
CONTROL = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
SCREEN_LEFT = "\x1b[?1049l"
CURSOR_HIDDEN, CURSOR_SHOWN = "\x1b[?25l", "\x1b[?25h"


def test_text_mode_asks_predictions_before_and_compares_after() -> None:
    with Terminal("run", *QUICK, "--plain") as terminal:
        terminal.wait_for("s> ")
        terminal.type("soon\n")
        terminal.wait_for("Not understood: type a number (s)")
        terminal.type("150 ms\n")
        terminal.wait_for("2. awaited")
        terminal.wait_for("s> ")
        terminal.type("\n")
        terminal.wait_for("brews> ")
        terminal.type("1\n")
        terminal.wait_for("3) awaited")
        terminal.wait_for("> ")
        terminal.type("3 2 1\n")
        assert terminal.end() == 0
        report = terminal.text[terminal.text.index("What you predicted, and what happened") :]
        assert "You said 0.150 s; it was 0." in report
        assert "You said 1 brew; it was 3 brews." in report
        assert "You said awaited, threaded, blocking; it was " in report
        assert report.count("You said") == 3
        assert "No." in report
    assert "of 3 predictions right" in in_process("list").out


def test_words_are_wrapped_between_words() -> None:
    for arguments in (["--plain"], ["list"], ["doctor"], ["run", "two", "--plain"]):
        with Terminal(*arguments, COLUMNS="50") as terminal:
            if arguments[:1] == ["run"]:
                terminal.wait_for("Predict first")
                terminal.wait_for("s> ")
                terminal.type("1,5\n")
                terminal.wait_for("To skip, press Enter")
                continue
            terminal.end()
            lines = CONTROL.sub("", terminal.text).replace("\r\n", "\n").split("\n")
            # A word may be longer than a line, and a command is for copying.
            long = [line for line in lines if len(line) > 50 and len(line.split()) > 1 and "fix:" not in line]
            assert not long


@pytest.mark.parametrize(("key", "code"), [("\x04", 0), ("\x03", 130)])
def test_ctrl_d_skips_all_questions_and_ctrl_c_ends_the_command(key: str, code: int) -> None:
    with Terminal("run", *QUICK, "--plain") as terminal:
        terminal.wait_for("s> ")
        time.sleep(0.3)  # between its prompt and its read, Python's input() does not notice a signal
        terminal.type(key)
        assert terminal.end() == code
        assert "Traceback" not in terminal.text and "You said" not in terminal.text
        assert ("What happened" in terminal.text) is (code == 0)


def test_lesson_is_a_screen_and_leaves_a_few_lines_at_the_prompt(tmp_path: Path) -> None:
    with Terminal("run", *QUICK, "--save", tmp_path, size=(80, 24)) as terminal:
        terminal.wait_to_see("Question ")
        terminal.type("3")
        terminal.wait_to_see("Enter runs 3 programs")
        terminal.type("\r")
        terminal.wait_to_see("Done.")
        terminal.resize(120, 36)
        terminal.type("\r")
        terminal.wait_to_see("Answer: ")
        terminal.wait_to_see("at most 3 at the same time")
        terminal.type("q")
        assert terminal.end() == 0
        assert terminal.shows_keys()
        left = terminal.text[terminal.text.rindex(SCREEN_LEFT) :]
        assert "Lesson 1: Two sleeps" in left
        assert left.count("at the same time") == 3
        assert len(left.splitlines()) < 12
    assert len(list(tmp_path.glob("*.jsonl"))) == 3


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_kill_puts_the_terminal_back_and_loses_no_answer(number: int) -> None:
    mark = uuid.uuid4().hex
    with nothing_left(mark), Terminal("run", "two-sleeps", "--set", "BREW_S=2", **{MARK: mark}) as terminal:  # type: ignore[arg-type]
        terminal.wait_to_see("Question ")
        terminal.type("\r")
        terminal.wait_to_see("Question 1 of 4")
        terminal.type("7")
        terminal.wait_to_see("1 answered")
        terminal.type("n\r")
        terminal.wait_to_see("brew(1)")
        os.kill(terminal.pid, number)
        assert terminal.end() == 130
        assert terminal.shows_keys()
    with Terminal("run", "two-sleeps", "--set", "BREW_S=2") as terminal:
        terminal.wait_to_see("Question ")
        terminal.type("\r")
        terminal.wait_to_see("1 answered")


@pytest.mark.parametrize(
    ("options", "words"),
    [("--no-predict --plain", "awaited: time "), ("--no-predict", "awaited: time "), ("--json", '"awaited"')],
)
def test_words_and_json_have_no_control_codes_and_ask_nothing(options: str, words: str) -> None:
    term = os.environ["TERM"] if "--plain" in options else "dumb"
    with Terminal("run", *QUICK, *options.split(), TERM=term) as terminal:
        assert terminal.end() == 0
        assert "\x1b" not in terminal.text
        assert "Predict first" not in terminal.text
        assert words in terminal.text


def test_what_a_script_wrote_stands_apart_from_the_report(tmp_path: Path) -> None:
    script = tmp_path / "talks.py"
    script.write_text("import sys\nprint('to you \\x1b[31mred')\nprint('and more', file=sys.stderr)\n")
    with Terminal("trace", script) as terminal:
        assert terminal.end() == 0
        wrote = terminal.text[terminal.text.index("talks.py wrote") :]
        assert "  to you red" in wrote
        assert wrote.index("and more") < wrote.index("finished")


def test_a_recording_is_looked_at_on_a_screen_and_left_with_q(tmp_path: Path) -> None:
    assert in_process("run", *QUICK, "--save", tmp_path, "--json").code == 0
    with Terminal("show", *sorted(tmp_path.glob("*.jsonl"))) as terminal:
        terminal.wait_to_see("Zoom")
        terminal.type("q")
        assert terminal.end() == 0
        assert terminal.text.rindex(CURSOR_SHOWN) > terminal.text.rindex(CURSOR_HIDDEN)
        assert terminal.shows_keys()


@pytest.fixture
def recordings(tmp_path: Path) -> list[Path]:
    run = Story()
    run.task("brew").sleeps(100).returns()
    files = [tmp_path / "one.jsonl", tmp_path / "two.jsonl"]
    for file in files:
        save(run.run(), file)
    return files


def test_keys_in_another_encoding_are_dropped(recordings: list[Path]) -> None:
    with Terminal("show", *recordings) as terminal:
        terminal.wait_to_see("Zoom")
        terminal.type("\udcff")
        time.sleep(0.5)  # the next key comes in another block
        terminal.type("q")
        assert terminal.end() == 0
        assert "Traceback" not in terminal.text


@pytest.mark.parametrize("stop", [signal.SIGSTOP, signal.SIGTSTP])
def test_stopped_screen_goes_on_and_can_be_left(recordings: list[Path], stop: signal.Signals) -> None:
    with Terminal("show", *recordings) as terminal:
        terminal.wait_for("Zoom")
        os.kill(terminal.pid, stop)
        terminal.wait_until(lambda: psutil.Process(terminal.pid).status() == psutil.STATUS_STOPPED)
        for _ in range(3):
            os.kill(terminal.pid, signal.SIGCONT)
        terminal.wait_for("Zoom")
        terminal.type("q")
        assert terminal.end() == 0
        assert terminal.shows_keys()
        assert "Traceback" not in terminal.text
