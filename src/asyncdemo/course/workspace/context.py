"""The current course and workspace, and this user's progress; and the workspaces that this user started.

Somebody else may have made a workspace, and the checks of a course are code. So the course that a workspace
names is used only if this user started the workspace for it.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from asyncdemo.course.content.catalog import Course, find_course, load_course
from asyncdemo.course.workspace.database import reading, writing
from asyncdemo.course.workspace.files import state_folder
from asyncdemo.course.workspace.progress import Progress, Record, personal_progress
from asyncdemo.course.workspace.workspace import Workspace, earlier_progress, find, load
from asyncdemo.errors import CourseError, UsageError, WorkspaceError
from asyncdemo.safe_text import clean

_TABLES: Final = "CREATE TABLE workspaces (place INTEGER PRIMARY KEY, folder BLOB UNIQUE, course BLOB)"
"""The latest has the highest place. Paths are bytes, because not every name is text; course may be NULL."""


@dataclass(frozen=True, slots=True)
class CourseContext:
    """The course to use. ``course_folder`` is None for the built-in one.

    Nothing here raises an error because of the progress: lessons and verdicts do without it.
    """

    course: Course
    course_folder: Path | None
    workspace: Workspace | None

    @property
    def records(self) -> dict[str, Record]:
        """All records by lesson id; none if they can't be read: ``prepare_progress`` says why."""
        try:
            return self._progress.all()
        except WorkspaceError:
            return {}

    def record(self, lesson_id: str) -> Record:
        return self.records.get(lesson_id, Record())

    def remember(self, lesson_id: str, change: Callable[[Record], Record]) -> str:
        """Change a record. Returns why that could not be stored, or ""."""
        try:
            self._progress.update(lesson_id, change)
        except WorkspaceError as error:
            return str(error)
        return ""

    def prepare_progress(self) -> str:
        """Read in what earlier workspaces have stored. Returns what can't be read, or "".

        Only workspaces count that this user started: any other may be somebody else's.
        """
        try:
            self._progress.all()
            started = _rows()
        except WorkspaceError as error:
            return f"Your progress could not be read: {error}"
        troubles = []
        for folder, course in started:
            earlier = earlier_progress(Path(os.fsdecode(folder)))
            if course == _course_key(self.course_folder) and os.path.isfile(earlier):
                try:
                    self._progress.read_in(earlier)
                except WorkspaceError as error:
                    troubles.append(f"Earlier progress could not be added to yours: {error}")
        return "\n".join(troubles)

    @property
    def _progress(self) -> Progress:
        return personal_progress("" if self.course_folder is None else self.course.title)


def locate(course_folder: Path | None = None) -> CourseContext:
    """Return the context with the workspace around the current folder, or else the latest one of the course.

    ``course_folder`` is an external course. Then a surrounding workspace that the user started for another
    course does not count, while one that somebody else made is used with the given course. By default: the
    course of the surrounding workspace, or else the built-in one.
    Raises CourseError, MissingError, UsageError, WorkspaceError.
    """
    workspace = surrounding_workspace()
    if course_folder is None:
        if workspace is None:
            workspace = _remembered(None)
        else:
            need_known(workspace)
        return _context(workspace, None)
    wanted = resolve_path(course_folder)
    if workspace is None or (workspace.course != wanted and is_known(workspace)):
        workspace = _remembered(wanted)
    else:
        workspace = replace(workspace, course=wanted)
    return _context(workspace, wanted)


def latest() -> tuple[CourseContext, str]:
    """Do as ``locate``, but outside of any workspace take the latest one of any course.

    Also return a note, if a later one was skipped because its course can't be read.
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
            note = note or f"Ignoring the workspace {workspace.folder}: {error}"
    return _context(None, None), note


def surrounding_workspace() -> Workspace | None:
    """Return the workspace around the current folder, without checking who owns it. Raises WorkspaceError."""
    folder = current_folder()
    return None if folder is None else find(folder)


def current_folder() -> Path | None:
    """Return the current folder, None if it was removed."""
    try:
        return Path.cwd()
    except FileNotFoundError:
        return None


def resolve_path(path: Path) -> Path:
    """Raises UsageError if the path is relative to a folder that was removed, or a link back to itself."""
    if not path.is_absolute() and current_folder() is None:
        raise UsageError(f"{path}: the current folder no longer exists. Change to another one.")
    try:
        return path.resolve()
    except RuntimeError:  # on Python 3.11 and 3.12, unlike any other path that leads nowhere
        raise UsageError(f"{path}: is a link that leads back to itself. Remove it.") from None


def shown_path(path: Path) -> str:
    """Return the path as one would type it here: relative if that is shorter. Safe to show."""
    try:
        relative = os.path.relpath(path)
    except (OSError, ValueError):  # no current folder, or another drive
        return clean(str(path))
    return clean(min(relative, str(path), key=len))


def _context(workspace: Workspace | None, course_folder: Path | None) -> CourseContext:
    if workspace is not None:
        course_folder = workspace.course
    return CourseContext(load_course(find_course(course_folder)), course_folder, workspace)


def _remembered(course: Path | None) -> Workspace | None:
    return next((item for item in known_workspaces() if item.course == course), None)


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
        f"{workspace.folder}: this workspace belongs to the course {course}, but you did not start it for "
        "that course. The checks of a course are code that runs on this machine.\n"
        f"If you trust that course: asyncdemo start {folder} --course {course}\n"
        "To check the exercises with your own course: asyncdemo check --all --course DIR"
    )


def is_known(workspace: Workspace) -> bool:
    """Return whether this user started it for the course that it names."""
    return _key(workspace) in _rows()


def known_workspaces() -> Iterator[Workspace]:
    """Yield the workspaces that still exist, with the course they were started for, the latest first.

    None if the list of them can't be read: ``prepare_progress`` says why.
    """
    rows: list[tuple[bytes, bytes | None]] = []
    with suppress(WorkspaceError):
        rows = _rows()
    for folder, course in rows:
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
    return os.fsencode(workspace.folder.resolve()), _course_key(workspace.course)


def _course_key(course: Path | None) -> bytes | None:
    return None if course is None else os.fsencode(course)


def _file() -> Path:
    return state_folder() / "workspaces.sqlite3"
