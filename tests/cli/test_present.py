"""``run LESSON --present`` as a command: on a real terminal, without one, and what goes with what."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from asyncdemo.course.content.text import sections
from tests.cli.commands import ROOT, in_process
from tests.cli.terminals import Terminal

QUICK = ("two-sleeps", "--set", "BREWS=3", "--set", "BREW_S=0.05")
README = next(ROOT.glob("lessons/*/*-two-sleeps/README.md"))


def present(*arguments: str | Path, **variables: str) -> Terminal:
    return Terminal("run", *arguments, "--present", size=(80, 24), cwd=None, **variables)


def children_of(pid: int) -> list[int]:
    found = subprocess.run(["pgrep", "-P", str(pid)], capture_output=True, text=True, check=False)
    return [int(child) for child in found.stdout.split()]


@pytest.mark.slow
def test_ctrl_c_ends_the_run_keeps_the_slide_and_leaves_no_child() -> None:
    slow = ("two-sleeps", "--set", "BREWS=30", "--set", "BREW_S=1", "--from", "run")
    with present(*slow) as terminal:
        terminal.wait_to_see("8 of 21: run")
        terminal.type(" ")
        terminal.wait_to_see("brew(1)")
        terminal.wait_until(lambda: len(children_of(terminal.pid)) == 3)
        children = children_of(terminal.pid)
        terminal.type("\x03")
        terminal.wait_to_see("Ended early")
        assert any("brew(1)" in line for line in terminal.lines)
        terminal.type("\x03")
        terminal.wait_to_see("Press it again")
        terminal.type("q")
        assert terminal.end() == 0
        assert terminal.shows_keys()
    for child in children:
        with pytest.raises(ProcessLookupError):
            os.kill(child, 0)


def test_recordings_are_kept_and_progress_is_not(tmp_path: Path) -> None:
    state = tmp_path / "state"
    with present(
        *QUICK, "--from", "reveal", "--save", tmp_path / "runs", XDG_STATE_HOME=str(state)
    ) as terminal:
        terminal.wait_to_see("9 of 21: reveal")
        terminal.type("qq")
        assert terminal.end() == 0
    assert len(list((tmp_path / "runs").iterdir())) == 3
    assert not state.exists()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ("--present", "--present needs a terminal"),
        ("--from run", "use it with --present"),
        ("--present --plain", "leave out --plain and --json"),
        ("--present --json", "leave out --plain and --json"),
    ],
)
def test_conflicting_options_are_refused_in_one_line(options: str, words: str) -> None:
    done = in_process("run", *QUICK, *options.split())
    assert (done.code, done.out) == (2, "")
    assert done.err.count("\n") == 1
    assert words in done.err


def test_unknown_step_is_refused_before_the_screen_opens() -> None:
    with present(*QUICK, "--from", "nowhere") as terminal:
        assert terminal.end() == 2
        assert "There are: title, question, code, predict, run," in " ".join(terminal.text.split())


def test_notes_have_what_an_instructor_should_know() -> None:
    done = in_process("notes", "two-sleeps")
    assert done.code == 0
    assert "Lesson 1: Two sleeps" in done.out
    assert " ".join(sections(README)["For instructors"].replace("### ", "").split()) in " ".join(
        done.out.split()
    )
    assert "asyncdemo run two-sleeps --present" in done.out
