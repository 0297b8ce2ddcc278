"""A workspace in which commands are typed."""

from __future__ import annotations

from pathlib import Path

from asyncdemo.course.workspace.progress import Record, personal_progress
from tests.cli.commands import Done, in_process
from tests.support.small_course import COURSE_TITLE, FIXED, make_course


class Desk:
    """A workspace of the small course, and commands that are typed in it."""

    def __init__(self, tmp_path: Path) -> None:
        self.course = make_course(tmp_path / "course")
        self.folder = tmp_path / "mine"
        self.started = in_process("start", self.folder, "--course", self.course, cwd=tmp_path)
        self.tea = self.folder / "01-hot" / "01-tea.py"
        self.coffee = self.folder / "01-hot" / "02-coffee.py"

    def __call__(self, *arguments: str | Path) -> Done:
        return in_process(*arguments, cwd=self.folder)

    def record(self, lesson_id: str) -> Record:
        return personal_progress(COURSE_TITLE).of(lesson_id)


def endless_exercise(started: Path) -> str:
    """Return an exercise that makes the file when it runs, and doesn't end."""
    loop = f"    import pathlib\n    pathlib.Path({str(started)!r}).touch()\n    while True:\n        pass"
    return FIXED.replace("    asyncio.run(main())", loop)
