"""Gives learners the exercises to edit, and never overwrites their edits.

Each text is recorded in ``.asyncdemo/workspace.json`` before its file is written, so the file is recognized
even if the program is killed right after.
"""

from __future__ import annotations

import os
from collections.abc import Collection
from contextlib import suppress
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path

from asyncdemo.bounded import read_bytes
from asyncdemo.course.content.catalog import Course, Heading
from asyncdemo.course.workspace import files
from asyncdemo.course.workspace.workspace import (
    MOST_BYTES,
    Entry,
    FileState,
    Workspace,
    explain_errors,
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
    """It existed before, but was gone."""
    UNCHANGED = "unchanged"
    UPDATED = "updated"
    """It was unedited, and now has the exercise's newer text."""
    KEPT = "kept"
    """It is edited, and the exercise has a newer text, which ``reset`` would use."""
    GONE = "gone"
    """The course no longer has this exercise; the file stays."""


@dataclass(frozen=True, slots=True)
class Given:
    lesson_id: str
    file: Path
    happened: Happened


def fill(folder: Path, course: Course, course_folder: Path | None) -> tuple[Workspace, list[Given]]:
    """Create the workspace, or update it to the course. Also returns what happened to each file.

    Raises WorkspaceError. A later call then continues where this one stopped.
    """
    with explain_errors(folder):
        Workspace(folder).own_folder.mkdir(parents=True, exist_ok=True)
        known = Workspace(folder).manifest.is_file()
    before = replace(load(folder) if known else Workspace(folder), course=course_folder)
    lessons = [lesson for lesson in course.lessons if has_exercise(lesson)]
    with explain_errors(folder):
        planned = {lesson.id: _plan(before, lesson) for lesson in lessons}
        entries = {**before.entries, **{name: entry for name, (_, entry) in planned.items()}}
        workspace = replace(before, entries=entries)
        files.sweep(workspace.own_folder)
        write(workspace)
        given = [_carry_out(workspace, lesson, planned[lesson.id][0]) for lesson in lessons]
    ids = {lesson.id for lesson in course.lessons}
    gone = [
        Given(name, folder / entry.file, Happened.GONE) for name, entry in entries.items() if name not in ids
    ]
    return workspace, given + [left for left in gone if left.file.exists()]


def reset(workspace: Workspace, lesson: Heading) -> Path | None:
    """Restore the exercise to the course's current text. Returns where the edited text is kept.

    ``workspace`` says which one; its file is read again, so that newer entries are not lost.
    Raises WorkspaceError.
    """
    workspace = load(workspace.folder)
    with explain_errors(workspace.folder):
        file, text = _place(workspace, lesson), _text(lesson)
        state = workspace.state(lesson)
        entry = _offered(workspace, lesson, file, text)
        workspace = replace(workspace, entries={**workspace.entries, lesson.id: entry})
        write(workspace)
        if state is FileState.MISSING:
            _put(workspace, file, text)
            return None
        if state is FileState.AS_GIVEN:
            _update(workspace, file, entry, text)
            return None
        return _exchange(workspace, file, text, file.parent)


def _plan(workspace: Workspace, lesson: Heading) -> tuple[Happened, Entry]:
    """Return what will happen to the lesson's file, and its entry afterwards."""
    file, text = _place(workspace, lesson), _text(lesson)
    known, offered = workspace.entries.get(lesson.id), _offered(workspace, lesson, file, text)
    if not file.exists():
        return (Happened.AGAIN if known else Happened.NEW), offered
    content = text_hash(read_bytes(file, MOST_BYTES))
    if content == offered.base:
        return Happened.UNCHANGED, offered
    if known is None:  # the map was lost, or the file is older than the workspace
        return Happened.KEPT, replace(offered, given=())
    if content in known.given:
        return Happened.UPDATED, offered
    happened = Happened.UNCHANGED if known.base == offered.base else Happened.KEPT
    return happened, replace(known, file=offered.file)


def _offered(workspace: Workspace, lesson: Heading, file: Path, text: bytes) -> Entry:
    entry, base = workspace.entries.get(lesson.id), text_hash(text)
    texts = entry.given if entry else ()
    return Entry(file.relative_to(workspace.folder).as_posix(), base, tuple(dict.fromkeys((*texts, base))))


def _carry_out(workspace: Workspace, lesson: Heading, happened: Happened) -> Given:
    file, text = workspace.file(lesson), _text(lesson)
    if happened in (Happened.NEW, Happened.AGAIN):
        _put(workspace, file, text)
    elif happened is Happened.UPDATED and not _update(workspace, file, workspace.entries[lesson.id], text):
        happened = Happened.KEPT
    return Given(lesson.id, file, happened)


def _put(workspace: Workspace, file: Path, text: bytes) -> bool:
    """Write a file that does not exist. Returns False if another process created it first: that one stays."""
    file.parent.mkdir(parents=True, exist_ok=True)
    try:
        files.publish(files.draft(workspace.own_folder, text), file)
    except FileExistsError:
        return False
    return True


def _update(workspace: Workspace, file: Path, entry: Entry, text: bytes) -> bool:
    """Replace an unedited file. Returns False if it was edited in the meantime: then it stays."""
    aside = _exchange(workspace, file, text, workspace.own_folder, entry.given)
    if aside is not None:
        files.discard(aside)
    return aside is not None


def _exchange(
    workspace: Workspace, file: Path, text: bytes, kept_in: Path, only: Collection[str] | None = None
) -> Path | None:
    """Move a file aside and put a text in its place. Returns where the old one is now.

    With ``only``, replaces just texts with these hashes; any other stays, and the result is None.
    Raises OSError if the file is in its old place, WorkspaceError with the new place if not.
    """
    draft = files.draft(workspace.own_folder, text)  # first the part that needs disk space
    try:
        aside = _set_aside(file, kept_in)
        try:
            unwanted = only is not None and text_hash(read_bytes(aside, MOST_BYTES)) not in only
            if not unwanted:
                with suppress(FileExistsError):  # another process created it first: that one stays
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
    """Move a file back, unless there is a new one. Raises WorkspaceError if it isn't moved."""
    try:
        there = os.path.lexists(file) and os.path.getsize(file)  # an empty one is our own, unfinished
        if not there:
            os.replace(aside, file)
    except OSError:
        there = True
    if there:
        raise WorkspaceError(f"{file}: {why}. Its old contents are now in {aside}.") from None


def _set_aside(file: Path, folder: Path) -> Path:
    """Move a file to an unused name: FILE.bak, FILE.2.bak, ..."""
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


def _place(workspace: Workspace, lesson: Heading) -> Path:
    file = workspace.file(lesson)
    if leads_out(workspace.folder, file):
        raise WorkspaceError(f"{file}: points outside the workspace. Remove the link. Nothing was changed.")
    return file


def _text(lesson: Heading) -> bytes:
    return (lesson.folder / "exercise.py").read_bytes()
