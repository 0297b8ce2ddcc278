"""Where a learner is: which course, which workspace, and which folder keeps the progress.

Not for: what is in them (``catalog``, ``workspace``, ``progress``), or whose they are (``known_workspaces``).
"""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from pathlib import Path

from asyncdemo.course.content.catalog import Course, find_course, load_course
from asyncdemo.course.workspace.files import state_folder
from asyncdemo.course.workspace.known_workspaces import is_known, known_workspaces, need_known
from asyncdemo.course.workspace.progress import Progress
from asyncdemo.course.workspace.workspace import Workspace, find
from asyncdemo.errors import CourseError, UsageError


@dataclass(frozen=True, slots=True)
class CourseContext:
    """progress: None where none is kept: in a course from elsewhere that has no workspace."""

    course: Course
    workspace: Workspace | None
    progress: Progress | None


def locate(course_folder: Path | None = None) -> CourseContext:
    """The workspace that the current folder is in, or else the latest one of the course.

    course_folder: a course from elsewhere. A surrounding workspace that the user started for another course
    then does not count; one that somebody else made is held against the course that is given.
    If not given: the course of the surrounding workspace, or else the one that comes along.
    Raises CourseError, MissingError, UsageError, WorkspaceError.
    """
    workspace = surrounding_workspace()
    if course_folder is None:
        if workspace is None:
            workspace = _remembered(None)
        else:
            need_known(workspace)
        return _context(workspace, None)
    wanted = resolved(course_folder)
    if workspace is None or (workspace.course != wanted and is_known(workspace)):
        workspace = _remembered(wanted)
    else:
        workspace = replace(workspace, course=wanted)
    return _context(workspace, wanted)


def latest() -> tuple[CourseContext, str]:
    """As ``locate``, but outside of any workspace it is the latest one of whatever course.

    Also a line about the latest of all, if its course cannot be read, and another is taken for that.
    """
    workspace = surrounding_workspace()
    if workspace is not None:
        need_known(workspace)
        return _context(workspace, None), ""
    note = ""
    for workspace in known_workspaces():
        try:
            return _context(workspace, None), note
        except CourseError as error:
            note = note or f"The workspace {workspace.folder} is passed over: {error}"
    return _context(None, None), note


def surrounding_workspace() -> Workspace | None:
    """The workspace that the current folder is in; whose it is has yet to be asked. Raises WorkspaceError."""
    folder = current_folder()
    return None if folder is None else find(folder)


def current_folder() -> Path | None:
    """None if somebody removed it."""
    try:
        return Path.cwd()
    except FileNotFoundError:
        return None


def resolved(path: Path) -> Path:
    """Raises UsageError if it is relative to a folder that somebody removed."""
    if not path.is_absolute() and current_folder() is None:
        raise UsageError(f"{path}: the current folder was removed. Change to one that is there.")
    return path.resolve()


def shown_path(path: Path) -> str:
    """As one would type it here: relative where that is shorter."""
    try:
        relative = os.path.relpath(path)
    except (OSError, ValueError):  # no current folder, or another drive
        return str(path)
    return min(relative, str(path), key=len)


def state_progress(course: Course) -> Progress:
    """The records of who has no workspace."""
    return Progress(state_folder() / "progress.sqlite3", course.renamed)


def _context(workspace: Workspace | None, course_folder: Path | None) -> CourseContext:
    course = load_course(find_course(workspace.course if workspace else course_folder))
    if workspace is not None:
        workspace = workspace.renamed(course.renamed)
        return CourseContext(course, workspace, Progress(workspace.progress_file, course.renamed))
    return CourseContext(course, None, state_progress(course) if course_folder is None else None)


def _remembered(course: Path | None) -> Workspace | None:
    return next((item for item in known_workspaces() if item.course == course), None)
