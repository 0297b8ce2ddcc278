"""A lesson in front of a class: keys, slides, and that the terminal is left as it was."""

from __future__ import annotations

import os
import re
import signal
import subprocess
from pathlib import Path

import pytest

from asyncdemo.course.content.text import sections
from asyncdemo.render.terminal.block_text import block_letters
from tests.cli.commands import ROOT, asyncdemo
from tests.cli.terminals import Terminal

QUICK = ("two-sleeps", "--set", "BREWS=3", "--set", "BREW_S=0.05")
README = next(ROOT.glob("lessons/*/*-two-sleeps/README.md"))
STYLED = re.compile(r"\x1b\[([0-9;]*)m")
CURSOR_SHOWN, SCREEN_LEFT = "\x1b[?25h", "\x1b[?1049l"
NEXT, RIGHT, LEFT, ENTER, ESCAPE, BACKSPACE = " ", "\x1b[C", "\x1b[D", "\r", "\x1b", "\x7f"


def present(*arguments: str | Path, size: tuple[int, int] = (80, 24), **variables: str) -> Terminal:
    return Terminal("run", *(arguments or QUICK), "--present", size=size, cwd=None, **variables)


def at(terminal: Terminal, step: str) -> None:
    """Waits for the footer of a step."""
    terminal.wait_to_see(step)


def go_to(terminal: Terminal, step: str) -> None:
    """Onwards until the footer says so."""
    before = ""

    def drawn() -> bool:
        return terminal.lines[-1] != before and terminal.lines[-1].endswith("help")

    while step not in before:
        terminal.wait_until(drawn)
        before = terminal.lines[-1]
        if step not in before:
            terminal.type(NEXT)


def on_screen(terminal: Terminal) -> str:
    return " ".join(" ".join(terminal.lines).split())


def shows_large(terminal: Terminal, words: str) -> bool:
    rows = block_letters(words, 200, 0) or ["never"]
    return all(any(row in line for line in terminal.lines) for row in rows)


def parameters(text: str) -> set[str]:
    """Those of the styles that were written, colours as one."""
    return {
        part
        for style in STYLED.findall(text)
        for part in re.sub(r"[34]8;2;\d+;\d+;\d+|[34]8;5;\d+", "colour", style).split(";")
    }


def children_of(pid: int) -> list[str]:
    found = subprocess.run(["pgrep", "-P", str(pid)], capture_output=True, text=True, check=False)
    return found.stdout.split()


# the steps


def test_a_lesson_from_its_title_to_its_last_answer() -> None:
    seen = {}
    with present() as terminal:
        at(terminal, "1 of 20: title")
        assert shows_large(terminal, "Two sleeps")
        for step in ("2 of 20: question", "3 of 20: predict", "7 of 20: run"):
            go_to(terminal, step)
            seen[step] = on_screen(terminal)
        assert shows_large(terminal, "RUN")
        terminal.type(NEXT)
        at(terminal, "Space next")
        at(terminal, "ended well")
        for step in ("8 of 20: reveal", "12 of 20: timeline", "13 of 20: findings", "18 of 20: key points"):
            go_to(terminal, step)
            seen[step] = on_screen(terminal)
        go_to(terminal, "19 of 20: one more question")
        answer = "Three seconds, a staircase."
        assert "which variant of this lesson" in on_screen(terminal)
        assert answer not in on_screen(terminal)
        terminal.type(NEXT)
        at(terminal, "20 of 20: answer")
        assert answer in on_screen(terminal)
        terminal.type(NEXT)
        terminal.type("q")
        assert terminal.end() == 0
    assert "This time: BREWS = 3, BREW_S = 0.05." in seen["2 of 20: question"]
    assert "blocking: 3 brews of 0.05 s" in seen["3 of 20: predict"]
    assert "All at once" in seen["7 of 20: run"]
    assert "so the sleeps add up" in seen["8 of 20: reveal"]
    assert "The class said" not in seen["8 of 20: reveal"]
    assert "brew(3)" in seen["12 of 20: timeline"]
    assert "1 at work at once, 1 open, of 3 lanes" in seen["13 of 20: findings"]
    assert "async def alone changes nothing" in seen["18 of 20: key points"]


def test_what_an_instructor_should_know_is_never_on_the_screen() -> None:
    with present() as terminal:
        go_to(terminal, "6 of 20: predict")
        go_to(terminal, "8 of 20: reveal")
        go_to(terminal, "20 of 20: answer")
        terminal.type("q")
        assert terminal.end() == 0
        written = " ".join(STYLED.sub("", terminal.text).split())
    assert "learners get wrong" not in written
    assert "10 minutes" not in written
    assert "Who has the thread" not in written
    assert "learners get wrong" in sections(README)["For instructors"]


def test_the_answer_of_the_class_stands_next_to_what_happened() -> None:
    with present() as terminal:
        go_to(terminal, "3 of 20: predict")
        terminal.type("9")
        at(terminal, "The class says: 9_")
        terminal.type(f"{BACKSPACE}0.05 s{ENTER}")
        at(terminal, "The class says: 0.05 s")
        go_to(terminal, "4 of 20: predict")
        terminal.type("a")
        at(terminal, "Enter keeps it")
        terminal.type(f"nobody dares, q?{ENTER}")
        at(terminal, "nobody dares, q?")
        go_to(terminal, "6 of 20: predict")
        terminal.type("3")
        at(terminal, "The class says: 3_")
        terminal.type(ESCAPE)
        at(terminal, "a answer")
        assert "The class says" not in on_screen(terminal)
        go_to(terminal, "8 of 20: reveal")
        assert "The class said It was" in on_screen(terminal)
        assert shows_large(terminal, "0.0500 s")
        assert "Not so." in on_screen(terminal)
        go_to(terminal, "9 of 20: reveal")
        assert "nobody dares, q?" in on_screen(terminal)
        assert "Right." not in on_screen(terminal)
        assert "Not so." not in on_screen(terminal)
        go_to(terminal, "11 of 20: reveal")
        assert "The class said" not in on_screen(terminal)


def test_going_back_runs_nothing_again_and_r_does() -> None:
    with present() as terminal:
        go_to(terminal, "8 of 20: reveal")
        runs = terminal.text.count("not started")
        terminal.type(LEFT)
        at(terminal, "7 of 20: run")
        assert "ended well" in on_screen(terminal)
        terminal.type("b")
        at(terminal, "6 of 20: predict")
        terminal.type(RIGHT)
        at(terminal, "7 of 20: run")
        assert "ended well" in on_screen(terminal)
        assert terminal.text.count("not started") == runs
        terminal.type("n")
        at(terminal, "8 of 20: reveal")
        terminal.type("r")
        at(terminal, "7 of 20: run")
        terminal.wait_until(lambda: terminal.text.count("not started") > runs)
        at(terminal, "Space next")
        terminal.type("q")
        assert terminal.end() == 0


def test_keys_pressed_while_the_programs_run_skip_nothing() -> None:
    with present("two-sleeps", "--set", "BREWS=2", "--set", "BREW_S=0.3") as terminal:
        go_to(terminal, "7 of 20: run")
        terminal.type(NEXT)
        at(terminal, "Ctrl-C ends it")
        terminal.type(NEXT * 5)
        at(terminal, "Space next")
        assert "7 of 20: run" in on_screen(terminal)


def test_help_is_there_on_every_step_and_any_key_leaves_it() -> None:
    with present() as terminal:
        at(terminal, "1 of 20")
        terminal.type("?")
        at(terminal, "any key: back")
        assert "Page Down" in on_screen(terminal)
        terminal.type("q")
        at(terminal, "q quit")
        assert shows_large(terminal, "Two sleeps")


def test_only_the_chosen_variants_are_shown_and_asked_about() -> None:
    with present(*QUICK, "--variant", "blocking") as terminal:
        at(terminal, "1 of 10: title")
        go_to(terminal, "4 of 10: run")
        assert "threaded" not in on_screen(terminal)
        go_to(terminal, "7 of 10: findings")
        terminal.type("q")
        assert terminal.end() == 0


def test_recordings_are_kept_and_progress_is_not(tmp_path: Path) -> None:
    state = tmp_path / "state"
    with present(
        *QUICK, "--save", tmp_path / "runs", XDG_STATE_HOME=str(state), XDG_DATA_HOME=str(state)
    ) as terminal:
        go_to(terminal, "8 of 20: reveal")
        terminal.type("q")
        assert terminal.end() == 0
    assert len(list((tmp_path / "runs").iterdir())) == 3
    assert not state.exists()


# what fits, and how it looks


@pytest.mark.parametrize("size", [(80, 24), (200, 50), (40, 10)])
def test_every_screen_ends_with_its_footer(size: tuple[int, int]) -> None:
    with present(size=size) as terminal:
        go_to(terminal, "8 of 20")
        assert len(terminal.lines) == size[1]
        go_to(terminal, "20 of 20")
        terminal.type("q")
        assert terminal.end() == 0


def test_a_window_of_another_size_is_drawn_anew() -> None:
    with present(size=(120, 40)) as terminal:
        go_to(terminal, "3 of 20: predict")
        assert not shows_large(terminal, "Predict 1/4")
        terminal.resize(80, 24)
        terminal.wait_until(lambda: shows_large(terminal, "Predict 1/4"))
        assert terminal.lines[-1].lstrip().startswith("3 of 20: predict")


def test_nothing_is_dim() -> None:
    with present() as terminal:
        go_to(terminal, "8 of 20")
        go_to(terminal, "20 of 20")
        assert "colour" in parameters(terminal.text)
        assert "2" not in parameters(terminal.text)


def test_no_color_is_obeyed_and_bold_remains() -> None:
    with present(NO_COLOR="1") as terminal:
        go_to(terminal, "8 of 20")
        go_to(terminal, "13 of 20")
        assert parameters(terminal.text) <= {"0", "1", ""}
        assert "1" in parameters(terminal.text)


# the end


@pytest.mark.parametrize("moment", ["reading", "running", "typing"])
def test_ctrl_c_gives_the_terminal_back_and_leaves_no_child(moment: str) -> None:
    with present("two-sleeps", "--set", "BREWS=30", "--set", "BREW_S=1") as terminal:
        at(terminal, "1 of 20")
        assert not terminal.shows_keys()
        if moment != "reading":
            go_to(terminal, "3 of 20" if moment == "typing" else "7 of 20")
        if moment == "typing":
            terminal.type("12")
            at(terminal, "12_")
        children: list[str] = []
        if moment == "running":
            terminal.type(NEXT)
            at(terminal, "Ctrl-C ends it")
            terminal.wait_until(lambda: len(children_of(terminal.pid)) == 3)
            children = children_of(terminal.pid)
        terminal.type("\x03")
        assert terminal.end() == 130
        assert terminal.shows_keys()
        assert terminal.text.rindex(SCREEN_LEFT) > terminal.text.rindex("of 20")
        assert CURSOR_SHOWN in terminal.text[terminal.text.rindex("of 20") :]
        assert "Traceback" not in terminal.text[terminal.text.rindex(SCREEN_LEFT) :]
        for child in children:
            with pytest.raises(ProcessLookupError):
                os.kill(int(child), 0)


def test_a_signal_to_end_gives_the_terminal_back() -> None:
    with present() as terminal:
        at(terminal, "1 of 20")
        os.kill(terminal.pid, signal.SIGTERM)
        assert terminal.end() == 130
        assert terminal.shows_keys()
        assert terminal.text.rindex(SCREEN_LEFT) > terminal.text.rindex("of 20")


def test_ctrl_z_gives_the_terminal_back_until_it_goes_on() -> None:
    with present() as terminal:
        go_to(terminal, "3 of 20: predict")
        terminal.type("7")
        at(terminal, "7_")
        terminal.type("\x1a")
        terminal.wait_until(lambda: SCREEN_LEFT in terminal.text)
        os.kill(terminal.pid, signal.SIGCONT)
        terminal.wait_until(lambda: "7_" in terminal.text[terminal.text.rindex(SCREEN_LEFT) :])
        terminal.type(ENTER)
        at(terminal, "The class says: 7")
        terminal.type("q")
        assert terminal.end() == 0
        assert terminal.shows_keys()


def test_a_program_that_fails_is_not_judged() -> None:
    with present("two-sleeps", "--timeout", "0.5", "--set", "BREWS=100") as terminal:
        go_to(terminal, "8 of 20")
        assert "Not judged: blocking did not end as the lesson means it." in on_screen(terminal)
        go_to(terminal, "13 of 20")
        assert "out of time" in on_screen(terminal)
        terminal.type("q")
        assert terminal.end() == 1


# without a terminal, and what goes with what


def test_without_a_terminal_one_line_says_that_it_needs_one() -> None:
    done = asyncdemo("run", *QUICK, "--present")
    assert (done.code, done.out) == (2, "")
    assert done.err.count("\n") == 1
    assert "--present needs a terminal" in done.err


@pytest.mark.parametrize("option", ["--plain", "--json"])
def test_words_and_slides_exclude_each_other(option: str) -> None:
    with present(*QUICK, option) as terminal:
        assert terminal.end() == 2
        assert "neither --plain nor --json" in " ".join(terminal.text.split())


def test_notes_are_not_for_the_screen_that_the_class_sees() -> None:
    done = asyncdemo("run", "two-sleeps", "--present", "--notes")
    assert (done.code, done.out) == (2, "")
    assert "on another terminal" in done.err


def test_notes_are_for_the_instructor_and_run_nothing() -> None:
    done = asyncdemo("run", "two-sleeps", "--notes")
    assert done.code == 0
    assert "Lesson 1: Two sleeps" in done.out
    assert sections(README)["For instructors"] in done.out
    assert "asyncdemo run two-sleeps --present" in done.out
    assert "Running" not in done.out
