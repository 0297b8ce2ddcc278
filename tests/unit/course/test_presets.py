"""The runs that a lesson's text suggests."""

from __future__ import annotations

from pathlib import Path

from asyncdemo.course.content.lesson import load_lesson
from asyncdemo.course.content.presets import presets
from tests.unit.course.good_course import LESSON, write_course

TEXT = """\

## Change it

- `asyncdemo run tea --set CUPS=9 --variant quick`: nine at the same time,
  in one line.

  More about it.
- `asyncdemo run tea --set CUPS=1`: no difference.
- Copy `quick.py`, and run it with `asyncdemo trace`.
"""


def test_settings_and_variants_of_each_command_are_read(tmp_path: Path) -> None:
    write_course(tmp_path)
    readme = tmp_path / LESSON / "README.md"
    before, _, _ = readme.read_text().partition("## Change it")
    readme.write_text(before + TEXT.lstrip())
    first, second = presets(load_lesson(tmp_path / LESSON))
    assert (first.settings, first.variants, first.remark) == (
        {"CUPS": "9"},
        ("quick",),
        "nine at the same time, in one line.",
    )
    assert (second.settings, second.variants, second.remark) == ({"CUPS": "1"}, (), "no difference.")
