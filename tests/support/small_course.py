"""A small course to change and break: two lessons with exercises, judged in virtual time, and one without."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from asyncdemo.course.workspace.files import state_folder

COURSE_TITLE: Final = "Drinks"

BROKEN: Final = '''\
"""Let both cups be made at the same time."""

import asyncio


async def brew(n: int) -> int:
    await asyncio.sleep(1)
    return n


async def main() -> None:
    for n in range(2):  # TODO: at the same time
        await brew(n)


if __name__ == "__main__":
    asyncio.run(main())
'''

FIXED: Final = BROKEN.replace(
    """\
    for n in range(2):  # TODO: at the same time
        await brew(n)
""",
    """\
    await asyncio.gather(brew(0), brew(1))
""",
)

_CHECK: Final = '''\
"""Both cups at the same time."""

from asyncdemo.testing.checks import Seen


def check(seen: Seen) -> None:
    brews = seen.calls("brew")
    brews.happen(2)
    brews.peak_is(2)
'''

_HINTS: Final = """\
## Where to look

At the loop.

## The cause

It waits for each.

## Nearly the answer

`asyncio.gather`.
"""


def make_course(folder: Path) -> Path:
    """Lessons 1 tea and 2 coffee have the same exercise, lesson 3 water has none."""
    for number, lesson_id in ((1, "tea"), (2, "coffee"), (3, "water")):
        add_lesson(folder, number, lesson_id, exercise=lesson_id != "water")
    set_lessons(folder, "tea", "coffee", "water")
    return folder


def set_lessons(folder: Path, *ids: str) -> None:
    lessons = ", ".join(f'"{lesson_id}"' for lesson_id in ids)
    (folder / "course.toml").write_text(
        f'title = "{COURSE_TITLE}"\n[[modules]]\nnumber = 1\ntitle = "Hot"\nfolder = "01-hot"\n'
        f"lessons = [{lessons}]\n"
    )


def add_lesson(folder: Path, number: int, lesson_id: str, *, exercise: bool = True) -> Path:
    lesson = folder / "01-hot" / f"{number:02}-{lesson_id}"
    lesson.mkdir(parents=True)
    manifest = (
        f'id = "{lesson_id}"\ntitle = "{lesson_id.title()}"\nquestion = "Which {lesson_id}s?"\n'
        f'point = "About {lesson_id}."\nminutes = {number}0\n'
        'lanes = ["brew"]\n[[variants]]\nname = "only"\ntitle = "Only"\nfile = "only.py"\n'
    )
    (lesson / "only.py").write_text(FIXED)
    (lesson / "README.md").write_text("# It\n\n## The question\n\nWhy?\n\n## Change it\n\nNo.\n")
    if exercise:
        manifest += '[exercise]\ntask = "Make both at the same time."\nlanes = ["brew"]\n'
        (lesson / "exercise.py").write_text(BROKEN)
        (lesson / "solution.py").write_text(FIXED)
        (lesson / "check.py").write_text(_CHECK)
        (lesson / "hints.md").write_text(_HINTS)
    (lesson / "lesson.toml").write_text(manifest)
    return lesson


def spoil_progress() -> None:
    """Make this user's progress unreadable."""
    file = state_folder() / "progress.sqlite3"
    file.parent.mkdir(exist_ok=True)
    file.write_text("no database")
