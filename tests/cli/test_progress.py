"""Progress, as ``list``, ``start`` and the bare command know it, wherever one works."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from asyncdemo.course.workspace.files import state_folder
from asyncdemo.course.workspace.progress import Progress, Record, personal_progress
from tests.cli.commands import in_process
from tests.cli.desk import Desk
from tests.support.small_course import COURSE_TITLE, FIXED, spoil_progress


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


def test_list_adds_up_the_minutes_and_tells_what_has_passed(desk: Desk) -> None:
    desk.tea.write_text(FIXED)
    desk("check", "--all")
    desk("run", "tea")
    out = desk("list").out
    assert "1  Hot, 60 min" in out
    assert "In all: 3 lessons, 60 min; 1 run, 1 of 2 exercises passed." in out
    assert "run once, exercise passed" in out
    assert "exercise not passed" not in out  # nobody has touched that one
    desk("check", "coffee")
    assert "exercise not passed, 1 try" in desk("list").out
    data = desk("list", "--json").data
    assert (data["minutes"], data["modules"][0]["minutes"]) == (60, 60)
    tea, coffee, water = data["modules"][0]["lessons"]
    assert tea["progress"]["passed"]
    assert coffee["progress"]["passed"] is None
    assert (coffee["exercise"], water["exercise"], water["progress"]) == (True, False, None)


def test_the_bare_command_resumes_from_anywhere(desk: Desk, tmp_path: Path) -> None:
    desk("run", "tea")
    done = in_process(cwd=tmp_path)
    assert done.code == 0
    assert str(desk.folder) in done.out
    assert "asyncdemo check tea" in done.out
    assert str(Path("mine", "01-hot", "01-tea.py")) in done.out
    assert "asyncdemo run coffee" in done.out
    desk.tea.write_text(FIXED)
    desk("check", "tea")
    assert "asyncdemo run coffee" in in_process(cwd=tmp_path).out
    shutil.rmtree(desk.course)
    done = in_process(cwd=tmp_path)
    assert done.code == 0
    words = " ".join(done.out.split())
    assert f"Ignoring the workspace {desk.folder}: {desk.course}: is not a course" in words
    assert "asyncdemo run two-sleeps" in words


def test_progress_before_a_workspace_counts_in_it(tmp_path: Path) -> None:
    personal_progress("").update("two-sleeps", lambda _: Record(runs=2, asked=4, right=3))
    assert "hint 1 of 3" in in_process("hint", "two-sleeps", cwd=tmp_path).out
    for _ in range(2):
        assert in_process("start", cwd=tmp_path).code == 0
    folder = tmp_path / "asyncdemo-exercises"
    assert "run 2 times, 3 of 4 predictions right" in in_process("list", cwd=folder).out
    assert "hint 2 of 3" in in_process("hint", "two-sleeps", cwd=folder).out
    assert "hint 3 of 3" in in_process("hint", "two-sleeps", cwd=tmp_path).out
    assert [file.name for file in (folder / ".asyncdemo").iterdir()] == ["workspace.json"]


def test_second_workspace_names_the_first_and_what_passed(desk: Desk, tmp_path: Path) -> None:
    desk.tea.write_text(FIXED)
    assert desk("check", "tea").code == 0
    second = tmp_path / "second"
    done = in_process("start", second, "--course", desk.course, cwd=tmp_path)
    words = " ".join(done.out.split())
    assert f"You also have {desk.folder}. Its files stay as they are." in words
    assert "1 of 2 exercises passed" in words
    assert "1 of 2 exercises passed" in in_process("list", cwd=second).out
    assert "1 of 2 exercises passed" in desk("list").out
    assert "Exercise 2, Coffee" in in_process("check", cwd=second).out
    assert in_process("reset", "tea", "--yes", cwd=desk.folder).code == 0
    assert desk.record("tea").passed
    again = in_process("start", second, "--course", desk.course, cwd=tmp_path)
    assert "You also have" not in again.out


def earlier_store(folder: Path) -> Progress:
    """Return the store that an earlier asyncdemo kept in a workspace, with a pass of tea."""
    store = Progress(folder / ".asyncdemo" / "progress.sqlite3")
    store.update("tea", lambda _: Record(runs=2, checks=1, passed="2026-01-01"))
    return store


def test_earlier_workspaces_are_read_in_wherever_one_works(desk: Desk, tmp_path: Path) -> None:
    earlier_store(desk.folder)
    second = tmp_path / "second"
    done = in_process("start", second, "--course", desk.course, cwd=tmp_path)
    assert "1 of 2 exercises passed" in done.out
    for _ in range(2):
        assert "run 2 times" in in_process("list", cwd=second).out
    assert desk.record("tea") == Record(runs=2, checks=1, passed="2026-01-01")


def test_store_in_a_workspace_of_somebody_else_is_left_alone(desk: Desk, tmp_path: Path) -> None:
    earlier_store(desk.folder)
    copy = tmp_path / "copy"
    desk.folder.rename(copy)
    assert "0 of 2 exercises passed" in in_process("list", "--course", desk.course, cwd=copy).out
    assert in_process("start", copy, "--course", desk.course, cwd=tmp_path).code == 0
    assert "1 of 2 exercises passed" in in_process("list", cwd=copy).out


def test_damaged_earlier_store_is_one_line_and_hides_no_other(desk: Desk, tmp_path: Path) -> None:
    second = tmp_path / "second"
    in_process("start", second, "--course", desk.course, cwd=tmp_path)
    damaged = earlier_store(desk.folder).file
    damaged.write_text("no database")
    earlier_store(second)
    done = desk("list")
    assert (done.code, done.err.count("\n")) == (0, 1)
    assert str(damaged) in done.err and "could not be added to yours" in done.err
    assert "1 of 2 exercises passed" in done.out


def test_grading_neither_reads_nor_writes_any_progress(desk: Desk, tmp_path: Path) -> None:
    desk.tea.write_text(FIXED)
    store = earlier_store(desk.folder).file
    before = store.read_bytes()
    spoil_progress()
    done = desk("check", "--all", "--handed-in", desk.folder, "--course", desk.course)
    assert (done.code, done.err) == (1, "")
    assert "mine: 1 passed, 1 untouched" in done.out
    assert store.read_bytes() == before
    assert (state_folder() / "progress.sqlite3").read_text() == "no database"


def _as_file(state: Path) -> None:
    state.unlink() if state.is_file() else shutil.rmtree(state)
    state.write_text("")


def _newer(state: Path) -> None:
    with closing(sqlite3.connect(personal_progress("").file)) as database:
        database.execute("PRAGMA user_version = 99")


def _nulls(state: Path) -> None:
    with closing(sqlite3.connect(personal_progress("").file)) as database:
        database.execute("UPDATE lessons SET runs = NULL")
        database.commit()


def _folder(state: Path) -> None:
    file = personal_progress("").file
    file.unlink()
    file.mkdir()


@pytest.mark.parametrize(
    ("harm", "words"),
    [
        (lambda _: spoil_progress(), "file is not a database"),
        (_newer, "newer asyncdemo"),
        (_nulls, "is damaged"),
        (_folder, "unable to open database file"),
        (_as_file, "File exists"),
    ],
)
def test_verdict_survives_a_progress_that_cannot_be_used(
    desk: Desk, harm: Callable[[Path], None], words: str
) -> None:
    personal_progress(COURSE_TITLE).update("tea", Record.after_run)
    harm(state_folder())
    desk.tea.write_text(FIXED)
    for exercise, code in (("tea", 0), ("coffee", 1)):
        done = desk("check", exercise, "--course", desk.course)
        assert done.code == code
        assert "Passed." in done.out or "Not passed yet." in done.out
        assert done.err.count("\n") == 1 and words in done.err
    assert desk("list", "--course", desk.course).code == 0
    hint, solution = (desk(command, "--course", desk.course) for command in ("hint", "solution"))
    for done in (hint, solution):
        assert (done.code, done.err.count("\n")) == (0, 1), done.err
    assert "asyncio.gather" in solution.out, "nobody could ask twice"


def test_locked_progress_keeps_the_verdict(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("asyncdemo.course.workspace.database._BUSY_S", 0.05)
    personal_progress(COURSE_TITLE).update("tea", Record.after_run)
    desk.tea.write_text(FIXED)
    with closing(sqlite3.connect(personal_progress("").file, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        done = desk("check", "tea")
    assert done.code == 0
    assert "Passed." in done.out
    assert done.err.count("\n") == 1
    assert "Your progress could not be saved: " in done.err and "another program is using it" in done.err
