"""Gives a learner the exercises to edit, and never writes over what they have edited.

What is to be given is noted in ``.asyncdemo/workspace.json`` before the files are written, so a file that was
put there is known as such even if the program is killed right after.
Not for: which file belongs to which exercise (``workspace``), or judging it.
"""

from __future__ import annotations

import os
from collections.abc import Collection
from contextlib import suppress
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path

from asyncdemo.course.content.catalog import Course, Heading
from asyncdemo.course.workspace import files
from asyncdemo.course.workspace.workspace import (
    Entry,
    FileState,
    Workspace,
    explained,
    has_exercise,
    leads_out,
    load,
    text_hash,
    write,
)
from asyncdemo.errors import WorkspaceError


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
class Given:
    lesson_id: str
    file: Path
    happened: Happened


def fill(folder: Path, course: Course, course_folder: Path | None) -> tuple[Workspace, list[Given]]:
    """Makes the workspace, or brings it up to date with the course; says what became of each file.

    Raises WorkspaceError; then the same call later goes on where this one stopped.
    """
    with explained(folder):
        Workspace(folder).own_folder.mkdir(parents=True, exist_ok=True)
        known = Workspace(folder).manifest.is_file()
    before = load(folder).renamed(course.renamed) if known else Workspace(folder)
    before = replace(before, course=course_folder)
    lessons = [lesson for lesson in course.lessons if has_exercise(lesson)]
    with explained(folder):
        planned = [_plan(before, lesson) for lesson in lessons]
        entries = {**before.entries, **{given.lesson_id: entry for given, entry in planned}}
        workspace = replace(before, entries=entries)
        files.sweep(workspace.own_folder)
        write(workspace)
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
        write(workspace)
        if state is FileState.MISSING:
            _put(workspace, given.file, text)
            return None
        if state is FileState.AS_GIVEN:
            _update(workspace, given, entry, text)
            return None
        return _exchange(workspace, given.file, text, given.file.parent)


def _plan(workspace: Workspace, lesson: Heading) -> tuple[Given, Entry]:
    """What is to be done with the lesson's file, and its entry after that."""
    file, text = workspace.file(lesson), _text(lesson)
    _refuse_leading_out(workspace, file)
    entry = workspace.entries.get(lesson.id)
    given = Given(lesson.id, file, Happened.UNCHANGED)
    if not file.exists():
        happened = Happened.AGAIN if entry else Happened.NEW
        return replace(given, happened=happened), _offered(workspace, given, text, base=text)
    content = text_hash(file.read_bytes())
    if content == text_hash(text):
        return given, _offered(workspace, given, text, base=text)
    if entry is None:  # the map was lost, or the file was there before the workspace
        return replace(given, happened=Happened.KEPT), Entry(_relative(workspace, file), text_hash(text), ())
    if content in entry.given:
        return replace(given, happened=Happened.UPDATED), _offered(workspace, given, text, base=text)
    if entry.base != text_hash(text):
        return replace(given, happened=Happened.KEPT), replace(entry, file=_relative(workspace, file))
    return given, replace(entry, file=_relative(workspace, file))


def _offered(workspace: Workspace, given: Given, text: bytes, *, base: bytes) -> Entry:
    entry = workspace.entries.get(given.lesson_id)
    texts = entry.given if entry else ()
    return Entry(
        _relative(workspace, given.file), text_hash(base), tuple(dict.fromkeys((*texts, text_hash(text))))
    )


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
        files.publish(files.draft(workspace.own_folder, text), file)
    except FileExistsError:
        return False
    return True


def _update(workspace: Workspace, given: Given, entry: Entry, text: bytes) -> bool:
    """Replaces a file that is as given. False if it was edited in this very moment: then it stays."""
    aside = _exchange(workspace, given.file, text, workspace.own_folder, entry.given)
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
    draft = files.draft(workspace.own_folder, text)  # what takes room comes before anything is moved
    try:
        aside = _set_aside(file, kept_in)
        try:
            unwanted = only is not None and text_hash(aside.read_bytes()) not in only
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


def _refuse_leading_out(workspace: Workspace, file: Path) -> None:
    if leads_out(workspace.folder, file):
        raise WorkspaceError(f"{file}: leads out of the workspace. Remove the link. Nothing was changed.")


def _relative(workspace: Workspace, file: Path) -> str:
    return file.relative_to(workspace.folder).as_posix()


def _text(lesson: Heading) -> bytes:
    return (lesson.folder / "exercise.py").read_bytes()
