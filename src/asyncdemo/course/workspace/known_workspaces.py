"""The workspaces that this user started, and the course of each.

Somebody else may have made a workspace, and the checks of a course are code. So the course that a workspace
names is used only if this user started the workspace for it.
Not here: which workspace counts in the current folder (see ``context``).
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from asyncdemo.course.workspace.database import reading, writing
from asyncdemo.course.workspace.files import state_folder
from asyncdemo.course.workspace.workspace import Workspace, load
from asyncdemo.errors import WorkspaceError

_TABLES: Final = "CREATE TABLE workspaces (place INTEGER PRIMARY KEY, folder BLOB UNIQUE, course BLOB)"
"""The latest has the highest place. Paths are bytes, because not every name is text; course may be NULL."""


def remember(workspace: Workspace) -> None:
    """Make it the latest workspace of its course, and known as such. Raises WorkspaceError."""
    with writing(_file(), _TABLES) as database:
        folder, course = _key(workspace)
        database.execute("DELETE FROM workspaces WHERE folder = ?", (folder,))
        database.execute("INSERT INTO workspaces (folder, course) VALUES (?, ?)", (folder, course))


def need_known(workspace: Workspace) -> None:
    """Raises WorkspaceError if it names an external course that this user did not start it for."""
    if workspace.course is None or is_known(workspace):
        return
    folder, course = shlex.quote(str(workspace.folder)), shlex.quote(str(workspace.course))
    if not course.isprintable():  # it may be made to look like something else
        course = repr(course)
    raise WorkspaceError(
        f"{workspace.folder}: this workspace names the course {course}, and you did not start it for that. "
        "The checks of a course are code that would run here.\n"
        f"If you trust that course: asyncdemo start {folder} --course {course}\n"
        "To check the exercises by a course of your own: asyncdemo check --all --course DIR"
    )


def is_known(workspace: Workspace) -> bool:
    """Return whether this user started it for the course that it names."""
    return _key(workspace) in _rows()


def known_workspaces() -> Iterator[Workspace]:
    """Yield the workspaces that still exist, with the course they were started for, the latest first."""
    for folder, course in _rows():
        try:
            workspace = load(Path(os.fsdecode(folder)))
        except WorkspaceError:
            continue  # moved, removed or not mounted
        if _key(workspace)[1] == course:
            yield workspace


def _rows() -> list[tuple[bytes, bytes | None]]:
    """Return (folder, course) of each, the latest first."""
    with reading(_file()) as database:
        if database is None:
            return []
        return database.execute("SELECT folder, course FROM workspaces ORDER BY place DESC").fetchall()


def _key(workspace: Workspace) -> tuple[bytes, bytes | None]:
    course = workspace.course
    return os.fsencode(workspace.folder.resolve()), None if course is None else os.fsencode(course)


def _file() -> Path:
    return state_folder() / "workspaces.sqlite3"
