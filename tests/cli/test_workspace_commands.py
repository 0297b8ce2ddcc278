"""``start``, ``check``, ``hint``, ``solution``, ``reset``."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from asyncdemo.course.workspace.progress import Record
from tests.cli.commands import in_process, interrupted
from tests.cli.desk import Desk, endless_exercise
from tests.cli.terminals import Terminal
from tests.support.small_course import BROKEN, FIXED, make_course


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


def test_start_gives_the_exercises_and_says_what_comes_next(desk: Desk, tmp_path: Path) -> None:
    assert desk.started.code == 0
    assert "your workspace, with 2 exercises to edit" in desk.started.out
    assert "Next: asyncdemo run tea" in desk.started.out
    assert desk.tea.read_text() == desk.coffee.read_text() == BROKEN
    assert in_process("start", cwd=tmp_path).code == 0
    assert (tmp_path / "asyncdemo-exercises" / "01-loop" / "01-two-sleeps.py").is_file()


def test_start_inside_a_workspace_brings_that_up_to_date(desk: Desk) -> None:
    desk.tea.write_text(FIXED)
    desk.coffee.unlink()
    for lesson in ("01-tea", "02-coffee"):
        exercise = desk.course / "01-hot" / lesson / "exercise.py"
        exercise.write_text(BROKEN + "# newer\n")
    done = in_process("start", cwd=desk.tea.parent)
    assert done.code == 0
    words = " ".join(done.out.split())
    assert "01-hot/01-tea.py: kept, because you have edited it." in words
    assert "asyncdemo reset tea" in words
    assert "01-hot/02-coffee.py: restored" in words
    assert desk.tea.read_text() == FIXED
    assert desk.coffee.read_text() == BROKEN + "# newer\n"
    assert not (desk.folder / "asyncdemo-exercises").exists()


@pytest.mark.parametrize(
    ("folder", "code", "words"),
    [
        ("file", 2, "is a file"),
        ("file/below", 3, "Not a directory"),
        ("mine/01-hot", 2, "is inside the workspace"),
        ("mine", 2, "is a workspace of the course"),
    ],
)
def test_a_folder_that_cannot_be_a_workspace_is_named(
    desk: Desk, tmp_path: Path, folder: str, code: int, words: str
) -> None:
    (tmp_path / "file").write_text("")
    other = make_course(tmp_path / "other")
    done = in_process("start", tmp_path / folder, "--course", other)
    assert done.code == code
    assert words in done.err
    assert "Traceback" not in done.err


def test_exercises_go_from_failure_to_pass_to_next_until_the_end(desk: Desk) -> None:
    done = desk("check", "tea")
    assert done.code == 1
    for words in (
        "Exercise 1, Tea: Make both at the same time.",
        "failed: ",
        "brew(0)",
        "asyncdemo hint tea",
    ):
        assert words in done.out
    assert (desk.record("tea").checks, desk.record("tea").passed) == (1, "")
    desk.tea.write_text(FIXED)
    done = desk("check")
    assert done.code == 0
    assert "Passed." in done.out
    assert "Next: asyncdemo run coffee" in done.out
    assert desk.record("tea").passed
    assert "Exercise 2, Coffee" in desk("check").out
    for named in ("1", "01-hot/01-tea.py"):
        assert "Exercise 1, Tea" in desk("check", named).out
    desk.coffee.write_text(FIXED)
    assert desk("check", "--all").code == 0
    desk.tea.write_text(BROKEN)
    done = desk("check")
    assert done.code == 1
    assert "1 of 2 exercises passed, 1 untouched." in done.out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["check", "toe"], "Did you mean 'tea'?"),
        (["check", "water"], "water has no exercise. These have one: tea, coffee."),
        (["check", "9"], "There is no lesson 9."),
        (["check", "elsewhere.py"], "is not an exercise of the workspace"),
        (["check", "tea", "--all"], "--all checks every exercise"),
        (["check", "--file", "01-hot/01-tea.py"], "Which exercise is 01-hot/01-tea.py?"),
        (["check", "--file", "nowhere.py", "tea"], "does not exist"),
        (["check", "--timeout", "0"], "--timeout"),
        (["check", "--all", "--handed-in", "../course"], "There is no workspace in"),
        (["check", "--handed-in", ".."], "asyncdemo check --all --handed-in"),
        (["check", "--all", "--csv", "table.csv"], "Add --handed-in FOLDER"),
        (
            ["check", "--all", "--handed-in", "..", "--csv", "nowhere/t.csv"],
            "Cannot write nowhere/t.csv: No such",
        ),
        (
            ["check", "--all", "--handed-in", "..", "--junit", "01-hot/01-tea.py"],
            "is not such a table. Choose",
        ),
    ],
)
def test_wrong_use_is_answered_with_what_would_be_right(desk: Desk, arguments: list[str], words: str) -> None:
    done = desk(*arguments)
    assert (done.code, done.out) == (2, "")
    assert words in " ".join(done.err.split())


@pytest.mark.parametrize("command", ["check", "reset tea"])
def test_without_a_workspace_the_way_to_one_is_named(tmp_path: Path, command: str) -> None:
    done = in_process(*command.split(), "--course", make_course(tmp_path / "course"), cwd=tmp_path)
    assert done.code == 2
    assert "To create a folder with the exercises: asyncdemo --course course start" in done.err


def test_file_that_is_invalid_endless_or_missing_fails_in_words(desk: Desk) -> None:
    endless = FIXED.replace("await asyncio.sleep(1)", "await asyncio.Event().wait()")
    for text in ("def (:\n", "", "import nonsense_that_is_not_there\n", "\x00", endless):
        desk.tea.write_text(text)
        done = desk("check", "tea", "--timeout", "0.5" if text == endless else "10")
        assert done.code == 1
        assert "failed: " in done.out
        assert "Traceback" not in done.err
    desk.tea.unlink()
    done = desk("check", "tea")
    assert done.code == 1
    assert "asyncdemo reset tea" in done.out
    assert desk("reset", "tea").code == 0
    assert desk.tea.read_text() == BROKEN


def test_ctrl_c_ends_a_check_with_130_and_counts_no_try(desk: Desk) -> None:
    started = desk.folder / "started"
    desk.tea.write_text(endless_exercise(started))
    assert interrupted("check", "tea", cwd=desk.folder, when=started.exists).code == 130
    assert desk.record("tea") == Record()


def test_hints_come_singly_and_the_solution_on_a_second_request(desk: Desk) -> None:
    sections = [
        ("1 of 3. Where to look", "At the loop."),
        ("2 of 3. The cause", "It waits for each."),
        ("3 of 3. Nearly the answer", "`asyncio.gather`."),
    ]
    for heading, text in sections:
        out = desk("hint", "tea").out
        assert heading in out and text in out
        assert out.count("It waits for each.") == (text == "It waits for each.")
    again = desk("hint", "tea").out
    assert all(text in again for _, text in sections)
    assert "asyncdemo solution tea" in again
    assert "hint 1 of 3" in desk("hint", "coffee").out
    first = desk("solution", "tea")
    assert first.code == 0
    assert "run this again" in first.out
    assert "gather" not in first.out
    assert "gather" in desk("solution", "tea").out
    assert desk.tea.read_text() == BROKEN


def test_changes_are_listed_as_text_and_the_solutions_if_passed(desk: Desk) -> None:
    desk.tea.write_text(FIXED)
    before = desk("solution", "tea", "--changes").out
    assert "What you changed" in before and "+" in before
    assert "What the solution changes" not in before
    desk("check", "tea")
    assert "What the solution changes" in desk("solution", "tea", "--changes").out
    assert "gather" in desk("solution", "tea").out, "who passed need not ask twice"


def test_reset_without_a_terminal_needs_a_yes_and_keeps_the_text(desk: Desk) -> None:
    desk.tea.write_text("mine")
    done = desk("reset", "tea")
    assert done.code == 2
    assert "--yes" in done.err
    assert desk.tea.read_text() == "mine"
    done = desk("reset", "tea", "--yes")
    assert done.code == 0
    assert "01-tea.py.bak" in done.out
    assert desk.tea.read_text() == BROKEN
    assert desk.tea.with_name("01-tea.py.bak").read_text() == "mine"
    done = desk("reset")
    assert done.code == 0, "not edited: nothing to ask"
    assert "01-tea.py: restored" in done.out


@pytest.mark.parametrize(
    ("key", "code", "text"),
    [("y\n", 0, BROKEN), ("\n", 0, "mine"), ("\x03", 130, "mine")],
)
def test_reset_asks(desk: Desk, key: str, code: int, text: str) -> None:
    desk.tea.write_text("mine")
    with Terminal("reset", "tea", "--course", desk.course, cwd=desk.folder) as terminal:
        terminal.wait_for("[y/N]")
        time.sleep(0.3)  # between its prompt and its read, Python's input() does not notice a signal
        terminal.type(key)
        assert terminal.end() == code
        assert "Traceback" not in terminal.text
    assert desk.tea.read_text() == text


@pytest.mark.parametrize(
    ("command", "code", "words"),
    [
        ("start", 2, "asyncdemo-exercises: the current folder no longer exists"),
        ("check tea.py", 2, "tea.py: the current folder no longer exists"),
        ("", 0, ""),
        ("dev check --fast upload-gate", 0, ""),
    ],
)
def test_removed_current_folder_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str, code: int, words: str
) -> None:
    in_process("start", cwd=tmp_path)
    (tmp_path / "gone").mkdir()
    monkeypatch.chdir(tmp_path / "gone")
    (tmp_path / "gone").rmdir()
    done = in_process(*command.split())
    assert (done.code, "Traceback" in done.err) == (code, False)
    assert words in " ".join(done.err.split())


def test_a_failed_check_is_drawn(desk: Desk) -> None:
    with Terminal("check", "tea", cwd=desk.folder) as terminal:
        assert terminal.end() == 1
        assert "brew(0)" in terminal.text
        assert "\x1b[" in terminal.text
    with Terminal("check", "tea", "--plain", cwd=desk.folder) as terminal:
        assert terminal.end() == 1
        assert "\x1b" not in terminal.text


def test_workspace_moved_with_its_course_is_started_again(desk: Desk, tmp_path: Path) -> None:
    desk.tea.write_text(FIXED)
    folder, course = tmp_path / "moved", tmp_path / "drinks"
    desk.folder.rename(folder)
    desk.course.rename(course)
    assert in_process("check", "tea", cwd=folder).code == 3
    assert in_process("check", "tea", "--course", course, cwd=folder).code == 0
    assert in_process("start", folder, "--course", course, cwd=tmp_path).code == 0
    assert "1 of 2 exercises passed" in in_process("check", "--all", cwd=folder).out


def test_exercises_are_completed(desk: Desk) -> None:
    for command in ("check", "hint", "solution", "reset"):
        typed = {"COMP_WORDS": f"asyncdemo {command} ", "COMP_CWORD": "2"}
        done = in_process(cwd=desk.folder, _ASYNCDEMO_COMPLETE="bash_complete", **typed)
        assert done.out.split() == ["plain,tea", "plain,coffee"]
