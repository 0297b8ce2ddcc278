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
from asyncdemo.course.workspace.starting import start_workspace
from asyncdemo.course.workspace.workspace import FileState, Workspace, find, load
from asyncdemo.errors import AsyncdemoError, WorkspaceError
from tests.cli.commands import environment
from tests.support.small_course import BROKEN, FIXED, add_lesson, make_course, set_lessons

NEWER = BROKEN.replace("Let both", "Please let both")


class Learner:
    """A course that a test may change, and the workspace of a learner of it."""

    def __init__(self, tmp_path: Path) -> None:
        self.course = make_course(tmp_path / "course")
        self.folder = tmp_path / "mine"
        self.tea = self.folder / "01-hot/01-tea.py"

    def start(self, course: Path | None = None) -> dict[str, Happened]:
        """Fills the workspace from the course as it is now; id -> what happened."""
        _, given = fill(self.folder, load_course(self.course), course)
        return {item.lesson_id: item.happened for item in given}

    def reset(self, lesson_id: str = "tea") -> Path | None:
        return reset(load(self.folder), self.lesson(lesson_id))

    def lesson(self, lesson_id: str = "tea") -> Heading:
        return next(lesson for lesson in load_course(self.course).lessons if lesson.id == lesson_id)

    def publish(self, text: str, *lesson_ids: str) -> None:
        """The course's exercises have this text from now on."""
        for lesson_id in lesson_ids or ("tea",):
            (self.lesson(lesson_id).folder / "exercise.py").write_text(text)

    def texts(self) -> dict[str, str]:
        """Every file of the learner's."""
        return {
            path.relative_to(self.folder).as_posix(): path.read_text()
            for path in self.folder.rglob("*")
            if path.is_file() and ".asyncdemo" not in path.parts
        }

    def change_map(self, change: Callable[[Any], object]) -> None:
        file = self.folder / ".asyncdemo" / "workspace.json"
        data = json.loads(file.read_text())
        change(data)
        file.write_text(json.dumps(data))


@pytest.fixture
def new(tmp_path: Path) -> Learner:
    return Learner(tmp_path)


@pytest.fixture
def mine(new: Learner) -> Learner:
    """With a workspace."""
    new.start()
    return new


def test_every_exercise_is_copied_under_its_module_number_and_id(new: Learner) -> None:
    assert new.start() == {"tea": Happened.NEW, "coffee": Happened.NEW}
    assert new.texts() == {"01-hot/01-tea.py": BROKEN, "01-hot/02-coffee.py": BROKEN}
    assert load(new.folder).state(new.lesson()) is FileState.AS_GIVEN
    assert not list((new.folder / ".asyncdemo").glob(".*"))


def test_the_map_is_plain_json(new: Learner) -> None:
    new.start(new.course)
    data = json.loads((new.folder / ".asyncdemo" / "workspace.json").read_text())
    assert data["format"] == "asyncdemo.workspace/1"
    assert data["course"] == str(new.course)
    assert data["exercises"]["tea"]["file"] == "01-hot/01-tea.py"


def test_it_is_found_from_any_folder_in_it(mine: Learner) -> None:
    for inside in (mine.folder, mine.folder / "01-hot"):
        found = find(inside)
        assert found is not None
        assert found.folder == mine.folder
    assert find(mine.folder.parent) is None


def test_starting_again_changes_nothing(mine: Learner) -> None:
    mine.tea.write_text(FIXED)
    before = mine.texts()
    assert set(mine.start().values()) == {Happened.UNCHANGED}
    assert mine.texts() == before
    assert load(mine.folder).state(mine.lesson()) is FileState.EDITED


def test_a_newer_text_replaces_only_what_is_not_edited(mine: Learner) -> None:
    mine.tea.write_text(FIXED)
    mine.publish(NEWER, "tea", "coffee")
    assert mine.start() == {"tea": Happened.KEPT, "coffee": Happened.UPDATED}
    assert mine.texts() == {"01-hot/01-tea.py": FIXED, "01-hot/02-coffee.py": NEWER}
    assert not list((mine.folder / ".asyncdemo").glob("*.bak"))
    assert mine.start()["tea"] is Happened.KEPT, "it is mentioned until it is taken"
    mine.reset()
    assert mine.start()["tea"] is Happened.UNCHANGED


def test_an_edit_that_was_taken_back_counts_as_none(mine: Learner) -> None:
    mine.tea.write_text(FIXED)
    mine.publish(NEWER)
    assert mine.start()["tea"] is Happened.KEPT
    mine.tea.write_bytes(BROKEN.replace("\n", "\r\n").encode())
    assert mine.start()["tea"] is Happened.UPDATED
    assert mine.tea.read_text() == NEWER


def test_a_removed_file_is_given_again(mine: Learner) -> None:
    mine.tea.unlink()
    assert load(mine.folder).state(mine.lesson()) is FileState.MISSING
    assert mine.start()["tea"] is Happened.AGAIN
    mine.tea.unlink()
    assert mine.reset() is None
    assert mine.tea.read_text() == BROKEN


def test_a_renumbered_lesson_keeps_its_file_where_it_is(mine: Learner) -> None:
    mine.tea.write_text(FIXED)
    mine.lesson().folder.rename(mine.lesson().folder.with_name("07-tea"))
    assert mine.start()["tea"] is Happened.UNCHANGED
    assert set(mine.texts()) == {"01-hot/01-tea.py", "01-hot/02-coffee.py"}


def test_a_file_that_the_learner_moved_is_found_by_its_id(mine: Learner) -> None:
    (mine.folder / "01-hot").rename(mine.folder / "drinks")
    (mine.folder / "drinks/01-tea.py").write_text(FIXED)
    assert set(mine.start().values()) == {Happened.UNCHANGED}
    assert set(mine.texts()) == {"drinks/01-tea.py", "drinks/02-coffee.py"}


def test_new_lessons_come_and_vanished_ones_stay(mine: Learner) -> None:
    (mine.folder / "01-hot/02-coffee.py").write_text(FIXED)
    add_lesson(mine.course, 5, "cocoa")
    set_lessons(mine.course, "tea", "water", "cocoa")
    happened = mine.start()
    assert happened == {"tea": Happened.UNCHANGED, "cocoa": Happened.NEW, "coffee": Happened.GONE}
    assert mine.texts()["01-hot/02-coffee.py"] == FIXED
    assert "coffee" in load(mine.folder).entries


def test_a_file_that_was_there_before_is_taken_for_an_edit(new: Learner) -> None:
    new.tea.parent.mkdir(parents=True)
    new.tea.write_text("mine")
    assert new.start() == {"tea": Happened.KEPT, "coffee": Happened.NEW}
    assert new.tea.read_text() == "mine"


def test_a_lost_map_costs_no_edit(mine: Learner) -> None:
    mine.tea.write_text(FIXED)
    (mine.folder / ".asyncdemo/workspace.json").unlink()
    assert mine.start() == {"tea": Happened.KEPT, "coffee": Happened.UNCHANGED}
    assert mine.tea.read_text() == FIXED
    mine.publish(NEWER, "coffee")
    assert mine.start()["coffee"] is Happened.UPDATED


@pytest.mark.parametrize(
    ("text", "words"),
    [
        *((text, "Remove it and run `asyncdemo start") for text in ("", "{", "[]")),
        ('{"format": "asyncdemo.workspace/1"}', "Remove it and run `asyncdemo start"),
        ('{"format": "asyncdemo.workspace/2"}', "newer asyncdemo"),
    ],
)
def test_a_map_that_makes_no_sense_is_named_with_what_to_do(mine: Learner, text: str, words: str) -> None:
    (mine.folder / ".asyncdemo/workspace.json").write_text(text)
    with pytest.raises(WorkspaceError, match=words):
        mine.start()


@pytest.mark.parametrize("named", ["evil", "../evil", "", "."])
def test_a_course_that_is_named_from_somewhere_is_refused(mine: Learner, named: str) -> None:
    mine.change_map(lambda data: data.update(course=named))
    with pytest.raises(WorkspaceError, match=r"the course must be an absolute path.*asyncdemo start"):
        load(mine.folder)


@pytest.mark.parametrize(
    "way", ["../victim.txt", "01-hot/../../victim.txt", "{victim}", "out/victim.txt", "tea.py"]
)
def test_a_map_that_leads_out_of_the_workspace_is_refused(mine: Learner, tmp_path: Path, way: str) -> None:
    victim = tmp_path / "victim.txt"
    victim.write_text("mine")
    (mine.folder / "out").symlink_to(tmp_path, target_is_directory=True)
    (mine.folder / "tea.py").symlink_to(victim)
    mine.change_map(lambda data: data["exercises"]["tea"].update(file=way.format(victim=victim)))
    is_link = way in ("out/victim.txt", "tea.py")
    words = "is behind a link.* Remove it" if is_link else "points outside the workspace.*asyncdemo start"
    for use in (load, find, lambda _: mine.start()):
        with pytest.raises(WorkspaceError, match=words):
            use(mine.folder)
    assert victim.read_text() == "mine"


def test_file_that_is_too_large_is_named(mine: Learner) -> None:
    os.truncate(mine.tea, 5_000_000)
    with pytest.raises(WorkspaceError, match=rf"{mine.tea}: Larger than 4 MB"):
        mine.start()


def test_workspace_in_a_link_to_itself_is_refused(mine: Learner, tmp_path: Path) -> None:
    (tmp_path / "round").symlink_to(tmp_path / "round")
    with pytest.raises(AsyncdemoError, match="round"):
        start_workspace(tmp_path / "round")


def test_circle_of_links_is_reported(mine: Learner) -> None:
    (mine.folder / "round").symlink_to(mine.folder / "round")
    mine.change_map(lambda data: data["exercises"]["tea"].update(file="round/tea.py"))
    mine.tea.unlink()
    with pytest.raises(WorkspaceError, match="round"):
        mine.start()


def test_a_folder_that_is_linked_out_is_not_written_to(mine: Learner, tmp_path: Path) -> None:
    """Also where the map says nothing of it, and where a file is looked for that was moved."""
    workspace = load(mine.folder)
    (mine.folder / "01-hot").rename(tmp_path / "elsewhere")
    outside = tmp_path / "elsewhere" / "01-tea.py"
    outside.write_text("mine")
    mine.change_map(lambda data: data["exercises"].clear())
    (mine.folder / "moved").symlink_to(tmp_path / "elsewhere", target_is_directory=True)
    assert workspace.file(mine.lesson()) == mine.tea
    (mine.folder / "moved").rename(mine.folder / "01-hot")
    for use in (mine.reset, mine.start):
        with pytest.raises(WorkspaceError, match="Remove the link"):
            use()
    assert {file.name for file in outside.parent.iterdir()} == {"01-tea.py", "02-coffee.py"}
    assert outside.read_text() == "mine"


def test_a_workspace_behind_a_link_is_one(mine: Learner, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(mine.folder, target_is_directory=True)
    assert load(tmp_path / "link").state(mine.lesson()) is FileState.AS_GIVEN


def test_reset_leaves_in_the_map_what_came_into_it_meanwhile(mine: Learner) -> None:
    before = load(mine.folder)
    add_lesson(mine.course, 5, "cocoa")
    set_lessons(mine.course, "tea", "coffee", "water", "cocoa")
    mine.start()
    reset(before, mine.lesson())
    assert set(load(mine.folder).entries) == {"tea", "coffee", "cocoa"}


def test_reset_keeps_every_edited_text(mine: Learner) -> None:
    for text in ("one", "two", "three"):
        mine.tea.write_text(text)
        backup = mine.reset()
        assert backup is not None
        assert backup.read_text() == text
        assert mine.tea.read_text() == BROKEN
    kept = {name: text for name, text in mine.texts().items() if name.endswith(".bak")}
    assert kept == {
        "01-hot/01-tea.py.bak": "one",
        "01-hot/01-tea.py.2.bak": "two",
        "01-hot/01-tea.py.3.bak": "three",
    }


def test_reset_of_an_unedited_file_takes_newer_text_and_no_copy(mine: Learner) -> None:
    mine.publish(NEWER)
    assert mine.reset() is None
    assert mine.texts() == {"01-hot/01-tea.py": NEWER, "01-hot/02-coffee.py": BROKEN}


def test_an_edit_in_the_moment_of_replacing_is_kept(mine: Learner, monkeypatch: pytest.MonkeyPatch) -> None:
    """Between the look at a file and the move: the text that was moved is looked at again."""
    mine.publish(NEWER)
    write = workspace_module.write

    def write_and_edit(workspace: Workspace) -> None:
        write(workspace)
        mine.tea.write_text("edited just now")

    monkeypatch.setattr(exercise_files, "write", write_and_edit)
    assert mine.start()["tea"] is Happened.KEPT
    assert mine.tea.read_text() == "edited just now"


def test_a_disk_that_is_full_leaves_no_half_of_a_file(mine: Learner, monkeypatch: pytest.MonkeyPatch) -> None:
    before = mine.texts()
    mine.publish(NEWER)

    def full(descriptor: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr("os.fsync", full)
        with pytest.raises(WorkspaceError, match="No space left on device"):
            mine.start()
    assert mine.texts() == before
    assert mine.start()["tea"] is Happened.UPDATED


_open = os.open
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
            if real is _open and not arguments[1] & os.O_CREAT:  # reading needs no room
                return real(*arguments, **options)
            self.calls += 1
            if self.calls == call or (stays_full and self.calls > call):
                self.happened = True
                raise OSError(errno.ENOSPC, "No space left on device")
            return real(*arguments, **options)

        return function


@pytest.mark.parametrize("links", [True, False])
@pytest.mark.parametrize("stays_full", [True, False])
@pytest.mark.parametrize("edited", [True, False])
def test_reset_on_a_full_disk_reports_what_is_left(
    new: Learner, monkeypatch: pytest.MonkeyPatch, edited: bool, stays_full: bool, links: bool
) -> None:
    text, file = "my own text" if edited else BROKEN, new.tea

    def no_links(*arguments: object) -> None:
        raise OSError(errno.EPERM, "no links here")

    messages: list[str] = []
    for call in range(1, 100):  # until it is so late that all is done
        shutil.rmtree(new.folder, ignore_errors=True)
        new.publish(BROKEN)
        new.start()
        file.write_text(text)
        new.publish(NEWER)
        with monkeypatch.context() as patch:
            if not links:
                patch.setattr("os.link", no_links)
            disk = FullDisk(patch, call, stays_full)
            try:
                backup = new.reset()
            except WorkspaceError as error:
                messages.append(str(error))
                found = {str(path): path.read_text() for path in new.folder.rglob("*") if path.is_file()}
                if "None of your files were changed" in messages[-1]:
                    assert not edited or found[str(file)] == text, messages[-1]
                    assert file.exists() and file.read_text() in (text, NEWER), messages[-1]
                else:
                    place = messages[-1].partition("Its old contents are now in ")[2].removesuffix(".")
                    assert found[place] == text, messages[-1]
                continue
        assert file.read_text() == NEWER
        assert (backup is not None and backup.read_text() == text) == edited
        if not disk.happened:
            assert len(messages) > 4
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
def test_a_kill_at_any_moment_loses_no_edit(mine: Learner) -> None:
    edits: list[str] = []
    coffee = mine.folder / "01-hot/02-coffee.py"
    for attempt in range(100):
        if attempt > 24 and len(edits) > 5:
            break
        edits.append(f"edit {attempt}\n")
        coffee.write_text(edits[-1])
        with subprocess.Popen(
            [sys.executable, "-c", RESTLESS, str(mine.course), str(mine.folder)],
            env=environment(),
            stdout=subprocess.PIPE,
        ) as process:
            assert process.stdout is not None
            process.stdout.readline()
            time.sleep(attempt * 0.002)
            process.send_signal(signal.SIGKILL)
        mine.publish(BROKEN)
        mine.start()
        assert mine.tea.read_text() == BROKEN, "it was never edited"
        found = list(mine.texts().values())
        assert all(text in found for text in edits)
        if coffee.read_text() == edits[-1]:
            edits.pop()  # the next one is written over it here, by us
    assert len(edits) > 5
