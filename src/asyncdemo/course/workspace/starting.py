"""Starts a workspace, or brings the one that is there up to date, and remembers it.

Not for: each of its files (``exercise_files``), or saying what became of them (``cli.start``, ``tui``).
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final

from asyncdemo.course.content.catalog import find_course, load_course
from asyncdemo.course.workspace.context import (
    CourseContext,
    resolved,
    shown_path,
    state_progress,
    surrounding_workspace,
)
from asyncdemo.course.workspace.exercise_files import Given, fill
from asyncdemo.course.workspace.known_workspaces import is_known, need_known, remember
from asyncdemo.course.workspace.progress import Progress
from asyncdemo.course.workspace.workspace import Workspace, find
from asyncdemo.errors import UsageError, WorkspaceError

FOLDER: Final = "asyncdemo-exercises"
"""Of a workspace that was given no other, in the current folder."""


@dataclass(frozen=True, slots=True)
class Started:
    """A workspace that can be worked in.

    Attributes:
        context: Its course, the workspace, and its progress.
        given: What became of each file.
        is_new: There was none before.
        trouble: Why it will not be found from outside; empty if it will.
    """

    context: CourseContext
    workspace: Workspace
    given: tuple[Given, ...]
    is_new: bool
    trouble: str


def start_workspace(folder: Path | None = None, course_folder: Path | None = None) -> Started:
    """Start one, or bring the one in the folder up to date. What was done before is carried into it.

    Args:
        folder: If not given, the surrounding workspace, or else ``FOLDER`` in the current folder.
        course_folder: If not given, the workspace's course, or else the one that comes along.

    Raises:
        AsyncdemoError: It lies within another workspace, is one of another course, or cannot be written.
    """
    surrounding = surrounding_workspace()
    if folder is None and surrounding is not None:
        folder = surrounding.folder
    target = resolved(folder or Path(FOLDER))
    existing = find(target)
    if existing is not None and existing.folder != target:
        raise UsageError(
            f"{target} lies in the workspace {existing.folder}. "
            f"To bring that up to date: asyncdemo start {shown_path(existing.folder)}"
        )
    wanted = None if course_folder is None else resolved(course_folder)
    if existing is not None and wanted is None:
        need_known(existing)
        wanted = existing.course
    if existing is not None and existing.course != wanted and (existing.course is None or is_known(existing)):
        raise UsageError(
            f"{target} is a workspace of the course {existing.course or 'that comes along'}. "
            "Choose another DIR."
        )
    course = load_course(find_course(wanted))
    workspace, given = fill(target, course, wanted)
    progress = Progress(workspace.progress_file, course.renamed)
    if wanted is None:
        _carry(state_progress(course), progress)
    trouble = ""
    try:
        remember(workspace)
    except WorkspaceError as error:
        trouble = str(error)
    context = CourseContext(course, workspace, progress)
    return Started(context, workspace, tuple(given), existing is None, trouble)


def _carry(records: Progress, progress: Progress) -> None:
    """What was done before there was a workspace. A join, so that doing it twice changes nothing."""
    for lesson_id, record in records.all().items():
        if progress.of(lesson_id).joined(record) != progress.of(lesson_id):
            progress.update(lesson_id, lambda known, record=record: known.joined(record))  # type: ignore[misc]
