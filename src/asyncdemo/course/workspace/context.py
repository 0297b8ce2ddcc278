"""Where a learner is: which course, which workspace, and which folder keeps the progress.

A workspace may have been made by somebody else, and the checks of a course are code. So which workspaces
are the user's own, and of which course, is remembered where ``start`` was given (``remember``).
Not for: what is in them (``catalog``, ``workspace``, ``progress``).
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, NamedTuple

from asyncdemo.course.content.catalog import Course, find_course, load_course
from asyncdemo.course.workspace import revisions
from asyncdemo.course.workspace.progress import Progress, read_first_format
from asyncdemo.course.workspace.workspace import Workspace, find, load
from asyncdemo.errors import CourseError, UsageError, WorkspaceError

__all__ = [
    "Place",
    "current_folder",
    "is_known",
    "latest",
    "locate",
    "need_known",
    "remember",
    "resolved",
    "state_folder",
    "state_progress",
    "surrounding",
]

_FORMAT: Final = "asyncdemo.workspaces/1"
_NAME: Final = "workspaces"
_MOST: Final = 200
"""Workspaces that are remembered."""


@dataclass(frozen=True, slots=True)
class Place:
    """progress: None where none is kept: in a course from elsewhere that has no workspace."""

    course: Course
    workspace: Workspace | None
    progress: Progress | None


def locate(course_folder: Path | None = None) -> Place:
    """The workspace that the current folder is in, or else the latest one of the course.

    course_folder: a course from elsewhere. A surrounding workspace that the user started for another course
    then does not count; one that somebody else made is held against the course that is given.
    If not given: the course of the surrounding workspace, or else the one that comes along.
    Raises CourseError, MissingError, UsageError, WorkspaceError.
    """
    workspace = surrounding()
    if course_folder is None:
        if workspace is None:
            workspace = _remembered(None)
        else:
            need_known(workspace)
        return _place(workspace, None)
    wanted = resolved(course_folder)
    if workspace is None or (workspace.course != wanted and is_known(workspace)):
        workspace = _remembered(wanted)
    else:
        workspace = replace(workspace, course=wanted)
    return _place(workspace, wanted)


def latest() -> tuple[Place, str]:
    """As ``locate``, but outside of any workspace it is the latest one of whatever course.

    Also a line about the latest of all, if its course cannot be read, and another is taken for that.
    """
    workspace = surrounding()
    if workspace is not None:
        need_known(workspace)
        return _place(workspace, None), ""
    note = ""
    for workspace in _known_workspaces():
        try:
            return _place(workspace, None), note
        except CourseError as error:
            note = note or f"The workspace {workspace.folder} is passed over: {error}"
    return _place(None, None), note


def remember(workspace: Workspace) -> None:
    """From now on this is the latest workspace of its course, and known to be of it. Raises OSError."""
    ours = _known_from(workspace)

    def changed(data: revisions.Data | None) -> revisions.Data:
        others = [known for known in _read(data) if known.folder != ours.folder]
        return {
            "format": _FORMAT,
            "workspaces": [
                {"folder": str(known.folder), "course": None if known.course is None else str(known.course)}
                for known in (ours, *others)[:_MOST]
            ],
        }

    revisions.update(state_folder(), _NAME, changed)


def need_known(workspace: Workspace) -> None:
    """Raises WorkspaceError if it names a course from elsewhere for which this user did not start it."""
    if workspace.course is None or is_known(workspace):
        return
    folder, course = shlex.quote(str(workspace.folder)), shlex.quote(str(workspace.course))
    if not course.isprintable():  # it may have been chosen to look like something else
        course = repr(course)
    raise WorkspaceError(
        f"{workspace.folder}: this workspace names the course {course}, and you did not start it for that. "
        "The checks of a course are code that would run here.\n"
        f"If you trust that course: asyncdemo start {folder} --course {course}\n"
        "To check the exercises by a course of your own: asyncdemo check --all --course DIR"
    )


def is_known(workspace: Workspace) -> bool:
    """Whether this user started it, for the course that it names."""
    return _known_from(workspace) in _known()


def surrounding() -> Workspace | None:
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


def state_folder(environment: Mapping[str, str] = os.environ) -> Path:
    """Where the system keeps such state: $XDG_STATE_HOME."""
    named = environment.get("XDG_STATE_HOME")
    return (Path(named) if named else Path.home() / ".local" / "state") / "asyncdemo"


def state_progress(course: Course) -> Progress:
    """The records of who has no workspace."""
    folder = state_folder()
    return Progress(folder / "progress", course.renamed, read_first_format(folder / "progress.json"))


def _place(workspace: Workspace | None, course_folder: Path | None) -> Place:
    course = load_course(find_course(workspace.course if workspace else course_folder))
    if workspace is not None:
        workspace = workspace.renamed(course.renamed)
        return Place(course, workspace, Progress(workspace.progress_folder, course.renamed))
    return Place(course, None, state_progress(course) if course_folder is None else None)


class _Known(NamedTuple):
    """A workspace that this user started, and for which course."""

    folder: Path
    course: Path | None


def _known_from(workspace: Workspace) -> _Known:
    return _Known(workspace.folder.resolve(), workspace.course)


def _remembered(course: Path | None) -> Workspace | None:
    return next((item for item in _known_workspaces() if item.course == course), None)


def _known_workspaces() -> Iterator[Workspace]:
    """Latest first, those that are still there, and still of the course that they were started for."""
    for known in _known():
        try:
            workspace = load(known.folder)
        except WorkspaceError:
            continue  # moved, removed or not mounted
        if workspace.course == known.course:
            yield workspace


def _known() -> list[_Known]:
    """Latest first; a list that cannot be read is no loss."""
    try:
        return _read(revisions.newest(state_folder(), _NAME))
    except OSError:
        return []


def _read(data: revisions.Data | None) -> list[_Known]:
    found = []
    items = (data or {}).get("workspaces")
    for item in items if isinstance(items, list) else []:
        match item:
            case {"folder": str(folder), "course": None}:
                found.append(_Known(Path(folder), None))
            case {"folder": str(folder), "course": str(course)}:
                found.append(_Known(Path(folder), Path(course)))
    return found
