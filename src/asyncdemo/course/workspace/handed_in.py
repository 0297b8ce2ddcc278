"""Finds and reads the work in a folder of workspaces that people handed in.

A learner chooses everything in the folder. So only regular files are read, only up to a limit, and no
link is followed: the work behind one is somebody else's. Nothing is written.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Final

from asyncdemo.bounded import read_inside
from asyncdemo.course.content.catalog import Heading
from asyncdemo.course.workspace.workspace import (
    MANIFEST_PLACE,
    MOST_BYTES,
    Workspace,
    parse,
    place_of,
)
from asyncdemo.errors import UsageError, WorkspaceError

_MOST_NAMES: Final = 20_000
"""How many names in one submission are looked at to find exercises that were moved."""


@dataclass(frozen=True, slots=True)
class Submission:
    """Work that somebody handed in.

    Attributes:
        name: The name of its folder.
        workspace: The workspace; one without any exercise if there is none.
        moved: The paths in it, with slashes, at which exercises can be that are not in their places.
        trouble: Why it can't be checked; "" if it can.
    """

    name: str
    workspace: Workspace
    moved: tuple[str, ...] = ()
    trouble: str = ""

    def read(self, lesson: Heading) -> tuple[str, bytes | None]:
        """Return the path of the lesson's exercise in the workspace, and its content; None without one.

        A moved file is found by the lesson's id. Raises WorkspaceError.
        """
        if self.trouble:
            raise WorkspaceError(self.trouble)
        entry, ending = self.workspace.entries.get(lesson.id), f"-{lesson.id}.py"
        usual = entry.file if entry else place_of(lesson)
        names = ((place, place.rpartition("/")[2]) for place in self.moved)
        moved = (place for place, name in names if name.endswith(ending))
        numbered = (one for one in moved if one.rpartition("/")[2].removesuffix(ending).isdecimal())
        for place in (usual, *numbered):
            text = _read(self.workspace.folder, place)
            if text is not None:
                return place, text
        return usual, None


def find_submissions(folder: Path, lessons: Sequence[Heading]) -> list[Submission]:
    """Return the work in a folder: itself if it is a workspace, or else each folder in it, by name.

    Each is a workspace, or contains one directly; if neither, it counts as one without any exercise.
    Raises UsageError if the folder can't be read, or has nothing in it that could be work.
    """
    folder = folder.resolve()
    try:
        places = [folder] if _is_workspace(folder, lessons) else _folders_in(folder)
    except OSError as error:
        raise UsageError(f"{folder}: {error.strerror or error}.") from None
    found = [_submission(place, lessons) for place in places]
    if not any(one.trouble or _is_workspace(one.workspace.folder, lessons) for one in found):
        raise UsageError(
            f"There is no workspace in {folder}. Put the folders in it that people handed in: workspaces, as "
            "created by `asyncdemo start`, or folders that contain one directly."
        )
    return found


def _submission(place: Path, lessons: Sequence[Heading]) -> Submission:
    """Return what was handed in. If it can't be read, that is its trouble, and nobody else's."""
    if place.is_symlink():
        return Submission(place.name, Workspace(place), trouble=_link_words(place))
    try:
        places = [place, *_folders_in(place)]
    except OSError as error:
        return Submission(place.name, Workspace(place), trouble=f"{place}: {error.strerror or error}.")
    for one in places:
        if not one.is_symlink() and _is_workspace(one, lessons):
            return Submission(place.name, _load(one), tuple(sorted(islice(_scripts(one), _MOST_NAMES))))
    trouble = next((_link_words(one) for one in places if one.is_symlink()), "")
    return Submission(place.name, Workspace(place), trouble=trouble)


def _folders_in(folder: Path) -> list[Path]:
    """Return the folders, and the links that may lead to some. Raises OSError."""
    with os.scandir(folder) as entries:
        return sorted(
            Path(entry.path)
            for entry in entries
            if not entry.name.startswith(".")
            and (entry.is_dir(follow_symlinks=False) or (entry.is_symlink() and not os.path.isfile(entry)))
        )


def _is_workspace(folder: Path, lessons: Sequence[Heading]) -> bool:
    places = (MANIFEST_PLACE, *map(place_of, lessons))
    return any(os.path.lexists(folder / place) for place in places)


def _load(folder: Path) -> Workspace:
    """Without a readable ``.asyncdemo``, exercises are found by their names: archives may lose it."""
    try:
        text = _read(folder, MANIFEST_PLACE)
        return Workspace(folder) if text is None else parse(folder, text)
    except WorkspaceError:
        return Workspace(folder)


def _scripts(folder: Path) -> Iterator[str]:
    """Yield the paths of Python files in the folder and in its folders; "" for any other name."""
    try:
        inner = [one.name for one in _folders_in(folder) if not one.is_symlink()]
    except OSError:
        return
    for place in ("", *(f"{name}/" for name in inner)):
        try:
            with os.scandir(folder / place) as entries:
                yield from (f"{place}{one.name}" if one.name.endswith(".py") else "" for one in entries)
        except OSError:
            continue


def _read(folder: Path, place: str) -> bytes | None:
    """Return the content of a file, None if there is none. Raises WorkspaceError."""
    try:
        return read_inside(folder, place, MOST_BYTES)
    except FileNotFoundError:
        return None
    except OSError as error:
        if error.errno in (errno.ELOOP, errno.ENOTDIR, errno.EMLINK):
            raise WorkspaceError(_link_words(folder / place)) from None
        raise WorkspaceError(f"{folder / place}: {error.strerror or error}.") from None
    except ValueError as error:
        raise WorkspaceError(f"{folder}: {error}.") from None


def _link_words(path: Path) -> str:
    return f"{path}: is a link, or is behind one. Links are not followed, since they lead to other work."
