"""Where a learner is: which course, which workspace, and which folder keeps the progress.

Not for: what is in them (``catalog``, ``workspace``, ``progress``).
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from asyncdemo.course import files
from asyncdemo.course.catalog import Course, find_course, load_course
from asyncdemo.course.progress import Progress, read_first_format
from asyncdemo.course.workspace import Workspace, find, load
from asyncdemo.errors import WorkspaceError

__all__ = ["Place", "latest", "locate", "remember", "state_folder", "state_progress"]

_FORMAT: Final = "asyncdemo.workspaces/1"


@dataclass(frozen=True, slots=True)
class Place:
    """progress: None where none is kept: in a course from elsewhere that has no workspace."""

    course: Course
    workspace: Workspace | None
    progress: Progress | None


def locate(course_folder: Path | None = None) -> Place:
    """The workspace that the current folder is in, or else the latest one of the course.

    course_folder: a course from elsewhere; a workspace of another course then does not count. If not given:
    the course of the surrounding workspace, or else the one that comes along.
    Raises CourseError, MissingError, WorkspaceError.
    """
    wanted = None if course_folder is None else course_folder.resolve()
    workspace = _surrounding()
    if workspace is None or (wanted is not None and workspace.course != wanted):
        workspace = _remembered(wanted)
    return _place(workspace, wanted)


def latest() -> Place:
    """As ``locate``, but outside of any workspace it is the latest one of whatever course."""
    workspace = _surrounding()
    if workspace is None:
        workspace = next(iter(_known_workspaces(state_folder())), None)
    return _place(workspace, None)


def remember(workspace: Workspace) -> None:
    """From now on this is the latest workspace of its course. Raises OSError."""
    folder = state_folder()
    folder.mkdir(parents=True, exist_ok=True)
    others = [other for other in _known_workspaces(folder) if other.course != workspace.course]
    data = {
        "format": _FORMAT,
        "workspaces": [
            {"folder": str(item.folder), "course": None if item.course is None else str(item.course)}
            for item in (workspace, *others)
        ],
    }
    files.replace(folder / "workspaces.json", json.dumps(data, indent=1).encode())


def state_folder(environment: Mapping[str, str] = os.environ) -> Path:
    """Where the system keeps such state: $XDG_STATE_HOME, on Windows %LOCALAPPDATA%."""
    named = environment.get("LOCALAPPDATA" if sys.platform == "win32" else "XDG_STATE_HOME")
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


def _surrounding() -> Workspace | None:
    try:
        folder = Path.cwd()
    except FileNotFoundError:  # somebody removed it
        return None
    return find(folder)


def _remembered(course: Path | None) -> Workspace | None:
    return next((item for item in _known_workspaces(state_folder()) if item.course == course), None)


def _known_workspaces(state: Path) -> list[Workspace]:
    """Latest first, those that are still there; a list that cannot be read is no loss."""
    try:
        data = json.loads((state / "workspaces.json").read_bytes())
        folders = [Path(item["folder"]) for item in data["workspaces"]]
    except (OSError, ValueError, KeyError, TypeError):
        return []
    found = []
    for folder in folders:
        try:
            found.append(load(folder))
        except WorkspaceError:
            continue  # moved, removed or not mounted
    return found
