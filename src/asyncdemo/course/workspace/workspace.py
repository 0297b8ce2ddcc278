"""A learner's folder: where the copy of each exercise is, and which texts were given for it.

A file is edited if it is none of the texts that were ever given for it. ``.asyncdemo/workspace.json`` has
those.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Final

from asyncdemo.bounded import read_bytes
from asyncdemo.course.content.catalog import Heading
from asyncdemo.course.workspace import files
from asyncdemo.errors import WorkspaceError

FORMAT: Final = "asyncdemo.workspace/1"
_OWN: Final = ".asyncdemo"
_MANIFEST: Final = "workspace.json"
MANIFEST_PLACE: Final = f"{_OWN}/{_MANIFEST}"
MOST_BYTES: Final = 4_000_000
"""The largest file of a workspace that is read."""


class FileState(StrEnum):
    MISSING = "missing"
    AS_GIVEN = "as given"
    EDITED = "edited"


@dataclass(frozen=True, slots=True)
class Entry:
    """An exercise's file. Texts are SHA-256 hashes, regardless of line endings.

    ``file`` is relative to the workspace, with slashes. ``base`` is the text last given, ``given`` has them
    all.
    """

    file: str
    base: str
    given: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Workspace:
    """A workspace. ``course`` is its folder, None for the built-in one.

    ``entries`` maps lesson ids to files.
    """

    folder: Path
    course: Path | None = None
    entries: Mapping[str, Entry] = field(default_factory=dict)

    @property
    def own_folder(self) -> Path:
        return self.folder / _OWN

    @property
    def manifest(self) -> Path:
        return self.own_folder / _MANIFEST

    def file(self, lesson: Heading) -> Path:
        """Return where the lesson's exercise is, or would be. A moved file is found by the lesson's id."""
        entry = self.entries.get(lesson.id)
        file = self.folder / (entry.file if entry else place_of(lesson))
        if not os.path.exists(file):  # Path.exists raises an error without permission
            for moved in sorted(
                [*self.folder.glob(f"*-{lesson.id}.py"), *self.folder.glob(f"*/*-{lesson.id}.py")]
            ):
                number = moved.name.removesuffix(f"-{lesson.id}.py")
                if number.isdecimal() and not leads_out(self.folder, moved):
                    return moved
        return file

    def state(self, lesson: Heading) -> FileState:
        """Raises WorkspaceError."""
        with explain_errors(self.folder):
            try:
                text = text_hash(read_bytes(self.file(lesson), MOST_BYTES))
            except FileNotFoundError:
                return FileState.MISSING
        return FileState.AS_GIVEN if self.was_given(lesson, text) else FileState.EDITED

    def was_given(self, lesson: Heading, text: str) -> bool:
        """Return whether this, a hash, is one of the texts given for the lesson."""
        entry = self.entries.get(lesson.id)
        return entry is not None and text in entry.given


def has_exercise(lesson: Heading) -> bool:
    return (lesson.folder / "exercise.py").is_file()


def place_of(lesson: Heading) -> str:
    """Return where the exercise is in a workspace, unless it was put elsewhere."""
    place = lesson.folder.resolve()
    return f"{place.parent.name}/{place.name}.py"


def earlier_progress(folder: Path) -> Path:
    """Return where a workspace of an earlier asyncdemo has its own progress."""
    return folder / _OWN / "progress.sqlite3"


def find(folder: Path) -> Workspace | None:
    """Return the workspace around the folder. Raises WorkspaceError if it can't be read."""
    for parent in (folder, *folder.parents):
        if os.path.isfile(parent / _OWN / _MANIFEST):  # Path.is_file raises an error without permission
            return load(parent)
    return None


def load(folder: Path) -> Workspace:
    """Raises WorkspaceError."""
    with explain_errors(folder):
        text = read_bytes(folder / _OWN / _MANIFEST, MOST_BYTES)
    return parse(folder, text)


def parse(folder: Path, text: bytes) -> Workspace:
    """Return the workspace that its manifest's text describes. Raises WorkspaceError."""
    file = folder / _OWN / _MANIFEST
    fix = f"Remove it and run `asyncdemo start {folder}`: your files and progress are kept."
    try:
        data = json.loads(text)
        if data["format"] != FORMAT:
            raise WorkspaceError(
                f"{file}: has the format of a newer asyncdemo ({data['format']}). Upgrade asyncdemo."
            )
        course = None if data["course"] is None else Path(data["course"])
        entries = {
            name: Entry(str(entry["file"]), str(entry["base"]), tuple(map(str, entry["given"])))
            for name, entry in data["exercises"].items()
        }
        # Somebody else may have made the workspace, and must not choose what is run or replaced here.
        if course is not None and not course.is_absolute():
            raise WorkspaceError(f"{file}: the course must be an absolute path, not {str(course)!r}. {fix}")
        for entry in entries.values():
            place = folder / entry.file
            if ".." in place.parts or not place.is_relative_to(folder):
                raise WorkspaceError(f"{file}: {entry.file!r} points outside the workspace. {fix}")
            if leads_out(folder, place):
                raise WorkspaceError(f"{place}: is behind a link that leads out of the workspace. Remove it.")
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise WorkspaceError(f"{file}: is damaged. {fix}") from None
    return Workspace(folder, course, entries)


@contextmanager
def explain_errors(folder: Path) -> Iterator[None]:
    """Turn system errors into one line about the workspace."""
    try:
        yield
    except OSError as error:
        place = Path(error.filename or folder)
        if place.suffix == ".draft":  # a name that means nothing to users
            place = place.parent
        raise WorkspaceError(
            f"{place}: {error.strerror or error}. None of your files were changed."
        ) from None


def write(workspace: Workspace) -> None:
    data = {
        "format": FORMAT,
        "course": None if workspace.course is None else str(workspace.course),
        "exercises": {
            name: {"file": entry.file, "base": entry.base, "given": list(entry.given)}
            for name, entry in workspace.entries.items()
        },
    }
    files.replace(workspace.manifest, json.dumps(data, indent=1).encode())


def leads_out(folder: Path, file: Path) -> bool:
    """Return whether the file is elsewhere, also through links. Raises ValueError if it can't be a path."""
    if ".." in file.parts:
        return True
    try:
        return not file.resolve().is_relative_to(folder.resolve())
    except (OSError, RuntimeError):  # a cycle of links
        return True


def text_hash(text: bytes) -> str:
    return hashlib.sha256(text.replace(b"\r\n", b"\n")).hexdigest()
