"""Which workspaces are known to be the user's own, and which one counts."""

from __future__ import annotations

import os
import shutil
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from asyncdemo.course.content.catalog import load_course
from asyncdemo.course.workspace.context import CourseContext, latest, locate, need_known, remember
from asyncdemo.course.workspace.exercise_files import fill
from asyncdemo.course.workspace.workspace import Workspace
from asyncdemo.errors import UsageError, WorkspaceError
from tests.support.small_course import make_course


@pytest.fixture
def course(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return make_course(tmp_path / "course")


def made(folder: Path, course: Path) -> Workspace:
    """A workspace that nobody remembers."""
    workspace, _ = fill(folder, load_course(course), course)
    return workspace


def workspace_of(context: CourseContext) -> Workspace:
    assert context.workspace is not None
    return context.workspace


def test_latest_workspace_of_a_course_counts_and_all_are_known(course: Path, tmp_path: Path) -> None:
    first, second = made(tmp_path / "first", course), made(tmp_path / "second", course)
    for workspace in (first, second, first, second):
        remember(workspace)
    assert workspace_of(locate(course)).folder == second.folder
    need_known(first)
    shutil.rmtree(second.folder)
    assert workspace_of(locate(course)).folder == first.folder


@pytest.mark.skipif(sys.platform == "darwin", reason="there names are text")
def test_a_name_that_is_no_text_is_remembered_too(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path / os.fsdecode(b"caf\xe9"), tmp_path / os.fsdecode(b"th\xe9"))
    remember(workspace)
    need_known(workspace)


def test_workspace_naming_a_course_that_never_made_it_is_refused(
    course: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    workspace = made(tmp_path / "handed in", course)
    monkeypatch.chdir(workspace.folder)
    for ask in (locate, latest):
        with pytest.raises(WorkspaceError, match="belongs to the course") as error:
            ask()
        assert f"asyncdemo start '{workspace.folder}' --course {course}\n" in str(error.value)
    remember(replace(workspace, course=tmp_path / "another"))
    with pytest.raises(WorkspaceError, match="you did not start it for that"):
        locate()
    remember(workspace)
    assert workspace_of(locate()).folder == workspace.folder


def test_the_name_of_a_course_cannot_hide_what_it_is(tmp_path: Path) -> None:
    with pytest.raises(WorkspaceError) as error:
        need_known(Workspace(tmp_path, tmp_path / "\x1b[2Jfine"))
    assert "\x1b" not in str(error.value)


@pytest.mark.parametrize("named", ["the same", "another", "none"])
def test_others_workspace_is_compared_with_the_given_course(
    course: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, named: str
) -> None:
    """Never against the grader's own workspace, however the map was changed."""
    remember(made(tmp_path / "own", course))
    courses = {"the same": course, "another": tmp_path / "evil", "none": None}
    handed_in, _ = fill(tmp_path / "ada", load_course(course), courses[named])
    monkeypatch.chdir(handed_in.folder)
    context = locate(course)
    assert workspace_of(context).folder == handed_in.folder
    assert context.course.folder == course


def test_an_own_workspace_of_another_course_does_not_count(
    course: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = make_course(tmp_path / "other")
    mine, others = made(tmp_path / "mine", course), made(tmp_path / "others", other)
    remember(mine)
    remember(others)
    monkeypatch.chdir(mine.folder)
    assert workspace_of(locate(other)).folder == others.folder
    assert workspace_of(locate()).folder == mine.folder


def test_remembered_workspace_of_another_course_is_ignored(course: Path, tmp_path: Path) -> None:
    mine = made(tmp_path / "mine", course)
    remember(mine)
    fill(mine.folder, load_course(course), tmp_path / "evil")
    assert locate(course).workspace is None
    assert latest()[0].workspace is None


def test_if_a_course_is_gone_the_workspace_before_is_the_latest(course: Path, tmp_path: Path) -> None:
    other = make_course(tmp_path / "other")
    mine, lost = made(tmp_path / "mine", course), made(tmp_path / "lost", other)
    remember(mine)
    remember(lost)
    assert latest()[1] == ""
    shutil.rmtree(other)
    context, note = latest()
    assert workspace_of(context).folder == mine.folder
    assert note.startswith(f"Ignoring the workspace {lost.folder}: {other}: is not a course")
    shutil.rmtree(course)
    context, note = latest()
    assert context.workspace is None
    assert "\n" not in note


def test_relative_course_in_a_removed_folder_is_a_clear_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "gone").mkdir()
    monkeypatch.chdir(tmp_path / "gone")
    (tmp_path / "gone").rmdir()
    assert locate().workspace is None
    with pytest.raises(UsageError, match="the current folder no longer exists"):
        locate(Path())
