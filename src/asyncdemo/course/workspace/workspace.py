"""The learner's own copies of the exercises, and which text each was given as.

A file is edited if it is none of the texts that were ever given for it; an edited file is never written over.
``.asyncdemo/workspace.json`` is written before the files, so a file that was put there is known as such even
if the program is killed right after. Not for: judging exercises, or progress (``progress``).
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from enum import StrEnum
from pathlib import Path
from typing import Any, Final

from asyncdemo.course.content.catalog import Course, Heading
from asyncdemo.course.workspace import files
from asyncdemo.errors import WorkspaceError

__all__ = [
    "Entry",
    "FileState",
    "Given",
    "Happened",
    "Workspace",
    "fill",
    "find",
    "has_exercise",
    "load",
    "reset",
]

FORMAT: Final = "asyncdemo.workspace/1"
_OWN: Final = ".asyncdemo"
_MANIFEST: Final = "workspace.json"


class FileState(StrEnum):
    MISSING = "missing"
    AS_GIVEN = "as given"
    EDITED = "edited"


class Happened(StrEnum):
    """What ``fill`` did with a file."""

    NEW = "new"
    AGAIN = "again"
    """It had been given before, and was gone."""
    UNCHANGED = "unchanged"
    UPDATED = "updated"
    """It was as given, and has the exercise's newer text now."""
    KEPT = "kept"
    """It is edited, and the exercise has a newer text; ``reset`` would take that."""
    GONE = "gone"
    """The course has this exercise no longer; the file stays."""


@dataclass(frozen=True, slots=True)
class Entry:
    """file: relative to the workspace, with slashes. base: the text that it was last given as.

    given: every text that it was ever given as. Texts are SHA-256 hashes, with any line ends.
    """

    file: str
    base: str
    given: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Given:
    lesson_id: str
    file: Path
    happened: Happened


@dataclass(frozen=True, slots=True)
class Workspace:
    """course: its folder, None for the one that comes along. entries: id of the lesson -> its file.

    former: id that a lesson once had -> the id under which its entry is here.
    """

    folder: Path
    course: Path | None = None
    entries: Mapping[str, Entry] = field(default_factory=dict)
    former: Mapping[str, str] = field(default_factory=dict)

    @property
    def progress_file(self) -> Path:
        return self.folder / _OWN / "progress.sqlite3"

    def file(self, lesson: Heading) -> Path:
        """Where the lesson's exercise is, or would be: a file that was moved is found by the lesson's id."""
        entry = self.entries.get(lesson.id)
        place = lesson.folder.resolve()
        file = self.folder / (entry.file if entry else f"{place.parent.name}/{place.name}.py")
        if not file.exists():
            for moved in sorted(
                [*self.folder.glob(f"*-{lesson.id}.py"), *self.folder.glob(f"*/*-{lesson.id}.py")]
            ):
                number = moved.name.removesuffix(f"-{lesson.id}.py")
                if number.isdecimal() and not _leads_out(self.folder, moved):
                    return moved
        return file

    def state(self, lesson: Heading) -> FileState:
        """Raises WorkspaceError."""
        with explained(self.folder):
            try:
                text = _hash(self.file(lesson).read_bytes())
            except FileNotFoundError:
                return FileState.MISSING
        entry = self.entries.get(lesson.id)
        return FileState.AS_GIVEN if entry and text in entry.given else FileState.EDITED

    def renamed(self, ids: Mapping[str, str]) -> Workspace:
        """With the entries under the ids that the lessons have now. ids: former id -> id."""
        entries = dict(self.entries)
        for former, current in ids.items():
            if former in entries and current not in entries:
                entries[current] = entries.pop(former)
        return replace(self, entries=entries, former=ids)


def has_exercise(lesson: Heading) -> bool:
    return (lesson.folder / "exercise.py").is_file()


def find(folder: Path) -> Workspace | None:
    """The workspace that the folder is in. Raises WorkspaceError if it is there but cannot be read."""
    for parent in (folder, *folder.parents):
        if os.path.isfile(parent / _OWN / _MANIFEST):  # Path.is_file raises where one may not look
            return load(parent)
    return None


def load(folder: Path) -> Workspace:
    """Raises WorkspaceError."""
    file = folder / _OWN / _MANIFEST
    with explained(folder):
        text = file.read_bytes()
    mend = f"Remove it and run `asyncdemo start {folder}`: your files and your progress stay."
    try:
        data = json.loads(text)
        if data["format"] != FORMAT:
            raise WorkspaceError(
                f"{file}: is in a format of a newer asyncdemo ({data['format']}). Upgrade asyncdemo."
            )
        course = None if data["course"] is None else Path(data["course"])
        entries = {name: _entry(entry) for name, entry in data["exercises"].items()}
        # It may have come from somebody else, who must not choose what is run or replaced here.
        if course is not None and not course.is_absolute():
            raise WorkspaceError(f"{file}: the course must be a whole path, not {str(course)!r}. {mend}")
        for entry in entries.values():
            if _leads_out(folder, folder / entry.file):
                raise WorkspaceError(f"{file}: {entry.file!r} leads out of the workspace. {mend}")
    except (ValueError, KeyError, TypeError, AttributeError):
        raise WorkspaceError(f"{file}: makes no sense. {mend}") from None
    return Workspace(folder, course, entries)


def fill(folder: Path, course: Course, course_folder: Path | None) -> tuple[Workspace, list[Given]]:
    """Makes the workspace, or brings it up to date with the course; says what became of each file.

    Raises WorkspaceError; then the same call later goes on where this one stopped.
    """
    with explained(folder):
        (folder / _OWN).mkdir(parents=True, exist_ok=True)
        known = (folder / _OWN / _MANIFEST).is_file()
    before = load(folder).renamed(course.renamed) if known else Workspace(folder)
    before = replace(before, course=course_folder)
    lessons = [lesson for lesson in course.lessons if has_exercise(lesson)]
    with explained(folder):
        planned = [_plan(before, lesson) for lesson in lessons]
        entries = {**before.entries, **{given.lesson_id: entry for given, entry in planned}}
        workspace = replace(before, entries=entries)
        files.sweep(folder / _OWN)
        _write(workspace)
        happened = [
            _carry_out(workspace, given, lesson) for (given, _), lesson in zip(planned, lessons, strict=True)
        ]
    ids = {lesson.id for lesson in course.lessons}
    gone = [
        Given(name, folder / entry.file, Happened.GONE) for name, entry in entries.items() if name not in ids
    ]
    return workspace, happened + [given for given in gone if given.file.exists()]


def reset(workspace: Workspace, lesson: Heading) -> Path | None:
    """Gives the exercise again as the course has it now. Returns where the edited text is kept.

    workspace: says which; what else is in the map by now stays in it.
    Raises WorkspaceError.
    """
    workspace = load(workspace.folder).renamed(workspace.former)
    with explained(workspace.folder):
        _refuse_leading_out(workspace, workspace.file(lesson))
        state = workspace.state(lesson)
        text = _text(lesson)
        given = Given(lesson.id, workspace.file(lesson), Happened.NEW)
        entry = _offered(workspace, given, text, base=text)
        workspace = replace(workspace, entries={**workspace.entries, lesson.id: entry})
        _write(workspace)
        if state is FileState.MISSING:
            _put(workspace, given.file, text)
            return None
        if state is FileState.AS_GIVEN:
            _update(workspace, given, entry, text)
            return None
        return _exchange(workspace, given.file, text, given.file.parent)


@contextmanager
def explained(folder: Path) -> Iterator[None]:
    """What the system says, as one line about the workspace."""
    try:
        yield
    except OSError as error:
        place = Path(error.filename or folder)
        if place.suffix == ".draft":  # a name that means nothing to anybody
            place = place.parent
        raise WorkspaceError(f"{place}: {error.strerror or error}. Nothing of yours was changed.") from None


def _plan(workspace: Workspace, lesson: Heading) -> tuple[Given, Entry]:
    """What is to be done with the lesson's file, and its entry after that."""
    file, text = workspace.file(lesson), _text(lesson)
    _refuse_leading_out(workspace, file)
    entry = workspace.entries.get(lesson.id)
    given = Given(lesson.id, file, Happened.UNCHANGED)
    if not file.exists():
        happened = Happened.AGAIN if entry else Happened.NEW
        return replace(given, happened=happened), _offered(workspace, given, text, base=text)
    content = _hash(file.read_bytes())
    if content == _hash(text):
        return given, _offered(workspace, given, text, base=text)
    if entry is None:  # the map was lost, or the file was there before the workspace
        return replace(given, happened=Happened.KEPT), Entry(_relative(workspace, file), _hash(text), ())
    if content in entry.given:
        return replace(given, happened=Happened.UPDATED), _offered(workspace, given, text, base=text)
    if entry.base != _hash(text):
        return replace(given, happened=Happened.KEPT), replace(entry, file=_relative(workspace, file))
    return given, replace(entry, file=_relative(workspace, file))


def _offered(workspace: Workspace, given: Given, text: bytes, *, base: bytes) -> Entry:
    entry = workspace.entries.get(given.lesson_id)
    texts = entry.given if entry else ()
    return Entry(_relative(workspace, given.file), _hash(base), tuple(dict.fromkeys((*texts, _hash(text)))))


def _carry_out(workspace: Workspace, given: Given, lesson: Heading) -> Given:
    if given.happened in (Happened.NEW, Happened.AGAIN):
        _put(workspace, given.file, _text(lesson))
    elif given.happened is Happened.UPDATED and not _update(
        workspace, given, workspace.entries[given.lesson_id], _text(lesson)
    ):
        return replace(given, happened=Happened.KEPT)
    return given


def _put(workspace: Workspace, file: Path, text: bytes) -> bool:
    """Writes a file that is not there. False if somebody else was faster: theirs stays."""
    file.parent.mkdir(parents=True, exist_ok=True)
    try:
        files.publish(files.draft(workspace.folder / _OWN, text), file)
    except FileExistsError:
        return False
    return True


def _update(workspace: Workspace, given: Given, entry: Entry, text: bytes) -> bool:
    """Replaces a file that is as given. False if it was edited in this very moment: then it stays."""
    aside = _exchange(workspace, given.file, text, workspace.folder / _OWN, entry.given)
    if aside is not None:
        files.discard(aside)
    return aside is not None


def _exchange(
    workspace: Workspace, file: Path, text: bytes, kept_in: Path, only: Collection[str] | None = None
) -> Path | None:
    """Moves a file aside and puts a text in its place. Returns where the old one is now.

    only: hashes of the texts that are replaced; any other stays, and None is returned.
    Raises OSError if the file is where it was, WorkspaceError with its new place if it is not.
    """
    draft = files.draft(workspace.folder / _OWN, text)  # what takes room comes before anything is moved
    try:
        aside = _set_aside(file, kept_in)
        try:
            unwanted = only is not None and _hash(aside.read_bytes()) not in only
            if not unwanted:
                with suppress(FileExistsError):  # somebody else was faster: theirs stays
                    files.publish(draft, file)
                return aside
        except BaseException as error:
            _put_back(aside, file, str(error))
            raise
        _put_back(aside, file, "changed just now")
        return None
    finally:
        files.discard(draft)


def _put_back(aside: Path, file: Path, why: str) -> None:
    """Raises WorkspaceError if that cannot be. What somebody has put in its place meanwhile stays."""
    try:
        there = os.path.lexists(file) and os.path.getsize(file)  # an empty one is an unfinished one of ours
        if not there:
            os.replace(aside, file)
    except OSError:
        there = True
    if there:
        raise WorkspaceError(f"{file}: {why}. What was in it is now in {aside}.") from None


def _set_aside(file: Path, folder: Path) -> Path:
    """Moves a file to a name that nobody has: FILE.bak, FILE.2.bak, ..."""
    number = 1
    while True:
        backup = folder / f"{file.name}{'' if number == 1 else f'.{number}'}.bak"
        try:
            files.reserve(backup)
        except FileExistsError:
            number += 1
            continue
        try:
            os.replace(file, backup)
        except OSError:
            files.discard(backup)
            raise
        return backup


def _write(workspace: Workspace) -> None:
    data = {
        "format": FORMAT,
        "course": None if workspace.course is None else str(workspace.course),
        "exercises": {
            name: {"file": entry.file, "base": entry.base, "given": list(entry.given)}
            for name, entry in workspace.entries.items()
        },
    }
    files.replace(workspace.folder / _OWN / _MANIFEST, json.dumps(data, indent=1).encode())


def _entry(data: Mapping[str, Any]) -> Entry:
    return Entry(str(data["file"]), str(data["base"]), tuple(map(str, data["given"])))


def _refuse_leading_out(workspace: Workspace, file: Path) -> None:
    if _leads_out(workspace.folder, file):
        raise WorkspaceError(f"{file}: leads out of the workspace. Remove the link. Nothing was changed.")


def _leads_out(folder: Path, file: Path) -> bool:
    """Whether it lies elsewhere, also by way of a link. Raises ValueError if it cannot be a path."""
    if ".." in file.parts:
        return True
    try:
        return not file.resolve().is_relative_to(folder.resolve())
    except (OSError, RuntimeError):  # links in a circle
        return True


def _relative(workspace: Workspace, file: Path) -> str:
    return file.relative_to(workspace.folder).as_posix()


def _text(lesson: Heading) -> bytes:
    return (lesson.folder / "exercise.py").read_bytes()


def _hash(text: bytes) -> str:
    return hashlib.sha256(text.replace(b"\r\n", b"\n")).hexdigest()
