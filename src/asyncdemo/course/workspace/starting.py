"""Starts a workspace, or updates an existing one, and remembers it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final

from asyncdemo.course.content.catalog import find_course, load_course
from asyncdemo.course.workspace.context import (
    CourseContext,
    is_known,
    known_workspaces,
    need_known,
    remember,
    resolve_path,
    shown_path,
    surrounding_workspace,
)
from asyncdemo.course.workspace.exercise_files import Given, fill
from asyncdemo.course.workspace.workspace import Workspace, find
from asyncdemo.errors import UsageError, WorkspaceError

FOLDER: Final = "asyncdemo-exercises"
"""The default folder of a new workspace, in the current folder."""


@dataclass(frozen=True, slots=True)
class Started:
    """A workspace that is ready for work.

    Attributes:
        context: Its course, the workspace, and the progress in it.
        given: What happened to each file.
        is_new: Whether it was just created.
        others: Other workspaces of the course that this user has, the latest first.
        trouble: Why it won't be found from outside; "" if it will.
    """

    context: CourseContext
    workspace: Workspace
    given: tuple[Given, ...]
    is_new: bool
    others: tuple[Workspace, ...]
    trouble: str


def start_workspace(folder: Path | None = None, course_folder: Path | None = None) -> Started:
    """Start a workspace, or update the one in the folder.

    Args:
        folder: By default, the surrounding workspace, or else ``FOLDER`` in the current folder.
        course_folder: By default, the workspace's course, or else the built-in one.

    Raises:
        AsyncdemoError: It is inside another workspace, has another course, or can't be written.
    """
    surrounding = surrounding_workspace()
    if folder is None and surrounding is not None:
        folder = surrounding.folder
    target = resolve_path(folder or Path(FOLDER))
    existing = find(target)
    if existing is not None and existing.folder != target:
        raise UsageError(
            f"{target} is inside the workspace {existing.folder}. To update that one: asyncdemo start "
            f"{shown_path(existing.folder)}"
        )
    wanted = None if course_folder is None else resolve_path(course_folder)
    if existing is not None and wanted is None:
        need_known(existing)
        wanted = existing.course
    if existing is not None and existing.course != wanted and (existing.course is None or is_known(existing)):
        course_words = f"the course {existing.course}" if existing.course else "the built-in course"
        raise UsageError(f"{target} is a workspace of {course_words}. Choose another DIR.")
    course = load_course(find_course(wanted))
    workspace, given = fill(target, course, wanted)
    others = (other for other in known_workspaces() if other.course == wanted and other.folder != target)
    trouble = ""
    try:
        remember(workspace)
    except WorkspaceError as error:
        trouble = str(error)
    context = CourseContext(course, wanted, workspace)
    return Started(context, workspace, tuple(given), existing is None, tuple(others), trouble)
