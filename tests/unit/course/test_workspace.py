"""The learner's copies: what is given, what is replaced, and that an edited file never is."""

from __future__ import annotations

import errno
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from asyncdemo.course.content.catalog import Heading, load_course
from asyncdemo.course.workspace import exercise_files
from asyncdemo.course.workspace import workspace as workspace_module
from asyncdemo.course.workspace.exercise_files import Happened, fill, reset
from asyncdemo.course.workspace.progress import Progress
from asyncdemo.course.workspace.workspace import FileState, Workspace, find, load
from asyncdemo.errors import CourseError, WorkspaceError
from tests.cli.commands import environment
from tests.support.small_course import BROKEN, FIXED, add_lesson, make_course, set_lessons

NEWER = BROKEN.replace("Let both", "Please let both")


@pytest.fixture
def course(tmp_path: Path) -> Path:
    return make_course(tmp_path / "course")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "mine"


def started(folder: Path, course: Path) -> dict[str, Happened]:
    """Fills the workspace from the course as it is now; id -> what happened."""
    _, given = fill(folder, load_course(course), None)
    return {item.lesson_id: item.happened for item in given}


def lesson_of(course: Path, lesson_id: str) -> Heading:
    return next(lesson for lesson in load_course(course).lessons if lesson.id == lesson_id)


def exercise_of(course: Path, lesson_id: str) -> Path:
    return lesson_of(course, lesson_id).folder / "exercise.py"


def texts(folder: Path) -> dict[str, str]:
    """Every file of the learner's."""
    return {
        path.relative_to(folder).as_posix(): path.read_text()
        for path in folder.rglob("*")
        if path.is_file() and ".asyncdemo" not in path.parts
    }


def test_every_exercise_is_copied_under_its_module_number_and_id(course: Path, folder: Path) -> None:
    assert started(folder, course) == {"tea": Happened.NEW, "coffee": Happened.NEW}
    assert texts(folder) == {"01-hot/01-tea.py": BROKEN, "01-hot/02-coffee.py": BROKEN}
    workspace = load(folder)
    assert workspace.state(lesson_of(course, "tea")) is FileState.AS_GIVEN
    assert not list((folder / ".asyncdemo").glob(".*"))


def test_the_map_is_plain_json(course: Path, folder: Path) -> None:
    fill(folder, load_course(course), course)
    data = json.loads((folder / ".asyncdemo" / "workspace.json").read_text())
    assert data["format"] == "asyncdemo.workspace/1"
    assert data["course"] == str(course)
    assert data["exercises"]["tea"]["file"] == "01-hot/01-tea.py"


def test_it_is_found_from_any_folder_in_it(course: Path, folder: Path) -> None:
    started(folder, course)
    for inside in (folder, folder / "01-hot"):
        found = find(inside)
        assert found is not None
        assert found.folder == folder
    assert find(folder.parent) is None


def test_starting_again_changes_nothing(course: Path, folder: Path) -> None:
    started(folder, course)
    (folder / "01-hot/01-tea.py").write_text(FIXED)
    before = texts(folder)
    assert set(started(folder, course).values()) == {Happened.UNCHANGED}
    assert texts(folder) == before
    assert load(folder).state(lesson_of(course, "tea")) is FileState.EDITED


def test_a_newer_text_replaces_only_what_is_not_edited(course: Path, folder: Path) -> None:
    started(folder, course)
    (folder / "01-hot/01-tea.py").write_text(FIXED)
    for lesson_id in ("tea", "coffee"):
        exercise_of(course, lesson_id).write_text(NEWER)
    assert started(folder, course) == {"tea": Happened.KEPT, "coffee": Happened.UPDATED}
    assert texts(folder) == {"01-hot/01-tea.py": FIXED, "01-hot/02-coffee.py": NEWER}
    assert not list((folder / ".asyncdemo").glob("*.bak"))


def test_an_edit_that_was_taken_back_counts_as_none(course: Path, folder: Path) -> None:
    started(folder, course)
    file = folder / "01-hot/01-tea.py"
    file.write_text(FIXED)
    exercise_of(course, "tea").write_text(NEWER)
    assert started(folder, course)["tea"] is Happened.KEPT
    file.write_bytes(BROKEN.replace("\n", "\r\n").encode())
    assert started(folder, course)["tea"] is Happened.UPDATED
    assert file.read_text() == NEWER


def test_the_newer_text_of_an_edited_file_is_mentioned_until_it_is_taken(course: Path, folder: Path) -> None:
    started(folder, course)
    (folder / "01-hot/01-tea.py").write_text(FIXED)
    exercise_of(course, "tea").write_text(NEWER)
    for _ in range(2):
        assert started(folder, course)["tea"] is Happened.KEPT
    reset(load(folder), lesson_of(course, "tea"))
    assert started(folder, course)["tea"] is Happened.UNCHANGED


def test_a_removed_file_is_given_again(course: Path, folder: Path) -> None:
    started(folder, course)
    (folder / "01-hot/01-tea.py").unlink()
    assert load(folder).state(lesson_of(course, "tea")) is FileState.MISSING
    assert started(folder, course)["tea"] is Happened.AGAIN
    (folder / "01-hot/01-tea.py").unlink()
    assert reset(load(folder), lesson_of(course, "tea")) is None
    assert texts(folder)["01-hot/01-tea.py"] == BROKEN


def test_a_renumbered_lesson_keeps_its_file_where_it_is(course: Path, folder: Path) -> None:
    started(folder, course)
    (folder / "01-hot/01-tea.py").write_text(FIXED)
    lesson = lesson_of(course, "tea").folder
    lesson.rename(lesson.with_name("07-tea"))
    assert started(folder, course)["tea"] is Happened.UNCHANGED
    assert set(texts(folder)) == {"01-hot/01-tea.py", "01-hot/02-coffee.py"}


def test_a_file_that_the_learner_moved_is_found_by_its_id(course: Path, folder: Path) -> None:
    started(folder, course)
    (folder / "01-hot").rename(folder / "drinks")
    (folder / "drinks/01-tea.py").write_text(FIXED)
    assert set(started(folder, course).values()) == {Happened.UNCHANGED}
    assert set(texts(folder)) == {"drinks/01-tea.py", "drinks/02-coffee.py"}


def test_a_renamed_lesson_keeps_its_file_and_progress(course: Path, folder: Path) -> None:
    started(folder, course)
    (folder / "01-hot/01-tea.py").write_text(FIXED)
    Progress(folder / ".asyncdemo/progress.sqlite3").update(
        "tea", lambda record: record.after_check(True, "then")
    )
    shutil.rmtree(lesson_of(course, "tea").folder)
    add_lesson(course, 1, "mint-tea")
    set_lessons(course, "mint-tea", "coffee", "water", renamed='tea = "mint-tea"')
    catalogue = load_course(course)
    workspace, given = fill(folder, catalogue, None)
    assert {item.lesson_id: item.happened for item in given} == {
        "mint-tea": Happened.UNCHANGED,
        "coffee": Happened.UNCHANGED,
    }
    assert texts(folder)["01-hot/01-tea.py"] == FIXED
    assert Progress(workspace.progress_file, catalogue.renamed).of("mint-tea").passed == "then"


@pytest.mark.parametrize("renamed", ['tea = "coffee"', 'gin = "rum"', "gin = 3"])
def test_a_renaming_that_cannot_be_is_refused(course: Path, renamed: str) -> None:
    set_lessons(course, "tea", "coffee", "water", renamed=renamed)
    with pytest.raises(CourseError, match="renamed"):
        load_course(course)


def test_new_lessons_come_and_vanished_ones_stay(course: Path, folder: Path) -> None:
    started(folder, course)
    (folder / "01-hot/02-coffee.py").write_text(FIXED)
    add_lesson(course, 5, "cocoa")
    set_lessons(course, "tea", "water", "cocoa")
    assert started(folder, course) == {
        "tea": Happened.UNCHANGED,
        "cocoa": Happened.NEW,
        "coffee": Happened.GONE,
    }
    assert texts(folder)["01-hot/02-coffee.py"] == FIXED
    assert "coffee" in load(folder).entries


def test_a_file_that_was_there_before_is_taken_for_an_edit(course: Path, folder: Path) -> None:
    (folder / "01-hot").mkdir(parents=True)
    (folder / "01-hot/01-tea.py").write_text("mine")
    assert started(folder, course) == {"tea": Happened.KEPT, "coffee": Happened.NEW}
    assert texts(folder)["01-hot/01-tea.py"] == "mine"


def test_a_lost_map_costs_no_edit(course: Path, folder: Path) -> None:
    started(folder, course)
    (folder / "01-hot/01-tea.py").write_text(FIXED)
    (folder / ".asyncdemo/workspace.json").unlink()
    assert started(folder, course) == {"tea": Happened.KEPT, "coffee": Happened.UNCHANGED}
    assert texts(folder)["01-hot/01-tea.py"] == FIXED
    exercise_of(course, "coffee").write_text(NEWER)
    assert started(folder, course)["coffee"] is Happened.UPDATED


@pytest.mark.parametrize("text", ["", "{", "[]", '{"format": "asyncdemo.workspace/1"}'])
def test_a_map_that_makes_no_sense_is_named_with_what_to_do(course: Path, folder: Path, text: str) -> None:
    started(folder, course)
    (folder / ".asyncdemo/workspace.json").write_text(text)
    with pytest.raises(WorkspaceError, match="Remove it and run `asyncdemo start"):
        find(folder)


def test_a_map_of_a_newer_asyncdemo_is_left_alone(course: Path, folder: Path) -> None:
    started(folder, course)
    (folder / ".asyncdemo/workspace.json").write_text('{"format": "asyncdemo.workspace/2"}')
    with pytest.raises(WorkspaceError, match="newer asyncdemo"):
        started(folder, course)


def change_map(folder: Path, change: Callable[[Any], None]) -> None:
    file = folder / ".asyncdemo" / "workspace.json"
    data = json.loads(file.read_text())
    change(data)
    file.write_text(json.dumps(data))


@pytest.mark.parametrize("named", ["evil", "../evil", "", "."])
def test_a_course_that_is_named_from_somewhere_is_refused(course: Path, folder: Path, named: str) -> None:
    started(folder, course)
    change_map(folder, lambda data: data.update(course=named))
    with pytest.raises(WorkspaceError, match=r"the course must be a whole path.*asyncdemo start"):
        load(folder)


@pytest.mark.parametrize("way", ["up", "up and down", "whole", "linked folder", "linked file"])
def test_a_map_that_leads_out_of_the_workspace_is_refused(
    course: Path, folder: Path, tmp_path: Path, way: str
) -> None:
    started(folder, course)
    victim = tmp_path / "victim.txt"
    victim.write_text("mine")
    (folder / "out").symlink_to(tmp_path, target_is_directory=True)
    (folder / "tea.py").symlink_to(victim)
    ways = {
        "up": "../victim.txt",
        "up and down": "01-hot/../../victim.txt",
        "whole": str(victim),
        "linked folder": "out/victim.txt",
        "linked file": "tea.py",
    }
    change_map(folder, lambda data: data["exercises"]["tea"].update(file=ways[way]))
    for use in (load, find, lambda folder: fill(folder, load_course(course), None)):
        with pytest.raises(WorkspaceError, match=r"points outside the workspace.*asyncdemo start"):
            use(folder)
    assert victim.read_text() == "mine"


def test_links_in_a_circle_are_told_of(course: Path, folder: Path) -> None:
    started(folder, course)
    (folder / "round").symlink_to(folder / "round")
    change_map(folder, lambda data: data["exercises"]["tea"].update(file="round/tea.py"))
    (folder / "01-hot" / "01-tea.py").unlink()
    with pytest.raises(WorkspaceError, match="round"):
        started(folder, course)


def test_a_folder_that_is_linked_out_is_not_written_to(course: Path, folder: Path, tmp_path: Path) -> None:
    """Also where the map says nothing of it, and where a file is looked for that was moved."""
    workspace, _ = fill(folder, load_course(course), None)
    (folder / "01-hot").rename(tmp_path / "elsewhere")
    outside = tmp_path / "elsewhere" / "01-tea.py"
    outside.write_text("mine")
    change_map(folder, lambda data: data["exercises"].clear())
    (folder / "moved").symlink_to(tmp_path / "elsewhere", target_is_directory=True)
    tea = lesson_of(course, "tea")
    assert workspace.file(tea) == folder / "01-hot" / "01-tea.py"
    (folder / "moved").rename(folder / "01-hot")
    with pytest.raises(WorkspaceError, match="Remove the link"):
        reset(load(folder), tea)
    with pytest.raises(WorkspaceError, match="Remove the link"):
        started(folder, course)
    assert {file.name for file in outside.parent.iterdir()} == {"01-tea.py", "02-coffee.py"}
    assert outside.read_text() == "mine"


def test_a_workspace_behind_a_link_is_one(course: Path, folder: Path, tmp_path: Path) -> None:
    started(folder, course)
    (tmp_path / "link").symlink_to(folder, target_is_directory=True)
    assert load(tmp_path / "link").state(lesson_of(course, "tea")) is FileState.AS_GIVEN


def test_reset_leaves_in_the_map_what_came_into_it_meanwhile(course: Path, folder: Path) -> None:
    started(folder, course)
    before = load(folder)
    add_lesson(course, 5, "cocoa")
    set_lessons(course, "tea", "coffee", "water", "cocoa")
    started(folder, course)
    reset(before, lesson_of(course, "tea"))
    assert set(load(folder).entries) == {"tea", "coffee", "cocoa"}


def test_reset_of_a_renamed_lesson_leaves_one_entry(course: Path, folder: Path) -> None:
    started(folder, course)
    (folder / "01-hot/01-tea.py").write_text(FIXED)
    shutil.rmtree(lesson_of(course, "tea").folder)
    add_lesson(course, 1, "mint-tea")
    set_lessons(course, "mint-tea", "coffee", "water", renamed='tea = "mint-tea"')
    reset(load(folder).renamed(load_course(course).renamed), lesson_of(course, "mint-tea"))
    assert set(load(folder).entries) == {"mint-tea", "coffee"}
    assert texts(folder)["01-hot/01-tea.py.bak"] == FIXED


def test_reset_keeps_every_edited_text(course: Path, folder: Path) -> None:
    started(folder, course)
    file = folder / "01-hot/01-tea.py"
    kept = []
    for text in ("one", "two", "three"):
        file.write_text(text)
        backup = reset(load(folder), lesson_of(course, "tea"))
        assert backup is not None
        kept.append(backup)
        assert file.read_text() == BROKEN
    assert [path.name for path in kept] == ["01-tea.py.bak", "01-tea.py.2.bak", "01-tea.py.3.bak"]
    assert [path.read_text() for path in kept] == ["one", "two", "three"]


def test_reset_of_an_unedited_file_keeps_nothing_and_takes_the_newer_text(course: Path, folder: Path) -> None:
    started(folder, course)
    exercise_of(course, "tea").write_text(NEWER)
    assert reset(load(folder), lesson_of(course, "tea")) is None
    assert texts(folder) == {"01-hot/01-tea.py": NEWER, "01-hot/02-coffee.py": BROKEN}


def test_an_edit_in_the_moment_of_replacing_is_kept(
    course: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between the look at a file and the move: the text that was moved is looked at again."""
    started(folder, course)
    file = folder / "01-hot/01-tea.py"
    exercise_of(course, "tea").write_text(NEWER)
    write = workspace_module.write

    def write_and_edit(workspace: Workspace) -> None:
        write(workspace)
        file.write_text("edited just now")

    monkeypatch.setattr(exercise_files, "write", write_and_edit)
    assert started(folder, course)["tea"] is Happened.KEPT
    assert file.read_text() == "edited just now"


def test_a_folder_that_cannot_be_made_is_named(course: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(WorkspaceError, match="file"):
        started(tmp_path / "file" / "mine", course)


def test_a_disk_that_is_full_leaves_no_half_of_a_file(
    course: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    started(folder, course)
    before = texts(folder)
    exercise_of(course, "tea").write_text(NEWER)

    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr("os.fsync", full)
        with pytest.raises(WorkspaceError, match="No space left on device"):
            started(folder, course)
    assert texts(folder) == before
    assert started(folder, course)["tea"] is Happened.UPDATED


SYSTEM_CALLS = ["os.open", "os.fsync", "os.link", "os.replace", "os.rename", "os.mkdir", "os.unlink"]


class FullDisk:
    """From one call on, or for that one only, the system has no room left."""

    def __init__(self, patch: pytest.MonkeyPatch, call: int, stays_full: bool) -> None:
        self.calls = 0
        self.happened = False
        for name in SYSTEM_CALLS:
            patch.setattr(name, self._failing(getattr(os, name.removeprefix("os.")), call, stays_full))

    def _failing(self, real: Callable[..., Any], call: int, stays_full: bool) -> Callable[..., Any]:
        def function(*arguments: Any, **options: Any) -> Any:
            self.calls += 1
            if self.calls == call or (stays_full and self.calls > call):
                self.happened = True
                raise OSError(errno.ENOSPC, "No space left on device")
            return real(*arguments, **options)

        return function


@pytest.mark.parametrize("links", [True, False])
@pytest.mark.parametrize("stays_full", [True, False])
@pytest.mark.parametrize("edited", [True, False])
def test_what_a_full_disk_leaves_of_a_reset_is_told_as_it_is(
    course: Path, folder: Path, monkeypatch: pytest.MonkeyPatch, edited: bool, stays_full: bool, links: bool
) -> None:
    mine = "my own text" if edited else BROKEN
    file = folder / "01-hot/01-tea.py"

    def no_links(*arguments: object) -> None:
        raise OSError(errno.EPERM, "no links here")

    told: list[str] = []
    for call in range(1, 100):  # until it is so late that all is done
        shutil.rmtree(folder, ignore_errors=True)
        exercise_of(course, "tea").write_text(BROKEN)
        started(folder, course)
        file.write_text(mine)
        exercise_of(course, "tea").write_text(NEWER)
        with monkeypatch.context() as patch:
            if not links:
                patch.setattr("os.link", no_links)
            disk = FullDisk(patch, call, stays_full)
            try:
                backup = reset(load(folder), lesson_of(course, "tea"))
            except WorkspaceError as error:
                told.append(str(error))
                found = {str(path): path.read_text() for path in folder.rglob("*") if path.is_file()}
                if "None of your files were changed" in told[-1]:
                    assert not edited or found[str(file)] == mine, told[-1]
                    assert file.exists() and file.read_text() in (mine, NEWER), told[-1]
                else:
                    place = told[-1].partition("What was in it is now in ")[2].removesuffix(".")
                    assert found[place] == mine, told[-1]
                continue
        assert file.read_text() == NEWER
        assert (backup is not None and backup.read_text() == mine) == edited
        if not disk.happened:
            assert len(told) > 4
            return
    pytest.fail("it never comes to its end")


# Gives the exercise in two texts in turn, and takes back an edit of coffee after keeping it.
RESTLESS = """
import itertools, sys
from pathlib import Path
from asyncdemo.course.content.catalog import load_course
from asyncdemo.course.workspace.exercise_files import fill, reset

course, folder = Path(sys.argv[1]), Path(sys.argv[2])
tea, coffee = (course / "01-hot" / name / "exercise.py" for name in ("01-tea", "02-coffee"))
texts = [tea.read_text(), tea.read_text() + "# newer" + chr(10)]
print("ready", flush=True)
for turn in itertools.count():
    draft = tea.with_suffix(".new")
    draft.write_text(texts[turn % 2])
    draft.replace(tea)
    catalogue = load_course(course)
    workspace, _ = fill(folder, catalogue, None)
    mine = workspace.file(catalogue.lessons[1])
    if mine.read_text() != coffee.read_text():
        reset(workspace, catalogue.lessons[1])
"""


@pytest.mark.slow
def test_a_kill_at_any_moment_loses_no_edit(course: Path, folder: Path) -> None:
    started(folder, course)
    edits: list[str] = []
    for attempt in range(100):
        if attempt > 24 and len(edits) > 5:
            break
        edits.append(f"edit {attempt}\n")
        (folder / "01-hot/02-coffee.py").write_text(edits[-1])
        with subprocess.Popen(
            [sys.executable, "-c", RESTLESS, str(course), str(folder)],
            env=environment(),
            stdout=subprocess.PIPE,
        ) as process:
            assert process.stdout is not None
            process.stdout.readline()
            time.sleep(attempt * 0.002)
            process.send_signal(signal.SIGKILL)
        exercise_of(course, "tea").write_text(BROKEN)
        started(folder, course)
        assert (folder / "01-hot/01-tea.py").read_text() == BROKEN, "it was never edited"
        found = list(texts(folder).values())
        assert all(text in found for text in edits)
        if (folder / "01-hot/02-coffee.py").read_text() == edits[-1]:
            edits.pop()  # the next one is written over it here, by us
    assert len(edits) > 5
