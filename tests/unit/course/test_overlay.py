"""Overlays: what takes the place of what in the solution, and what they say of themselves."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from asyncdemo.course.content.overlay import WRONG, lay_over, program_file, program_of, read_overlay
from asyncdemo.errors import CourseError

SOLUTION = '''\
"""The solution."""

import asyncio

CUPS = 4  # as many as the table has
BREW_S = 0.1
log.clear()


class Kettle:
    """Holds water."""

    litres = 2

    # Slowly.
    def fill(self) -> None:
        """Fill it."""

    def empty(self) -> None:
        """Empty it."""


@timed
async def brew(n: int) -> None:
    await asyncio.sleep(BREW_S)  # steeps


# All cups.
async def main() -> None:
    await brew(CUPS)


if __name__ == "__main__":
    asyncio.run(main())
'''


def laid(overlay: str) -> list[str]:
    """The lines of the program that are not the solution's, each after -, and those that are new, after +."""
    program = lay_over(overlay, SOLUTION).split("\n")
    solution = SOLUTION.split("\n")
    gone = [f"-{line}" for line in solution if line not in program]
    return [*gone, *(f"+{line}" for line in program if line not in solution)]


def test_nothing_of_an_empty_overlay_changes_the_solution() -> None:
    assert lay_over("", SOLUTION) == SOLUTION


@pytest.mark.parametrize(
    ("overlay", "changes"),
    [
        ('"""Another."""', ['-"""The solution."""', '+"""Another."""']),
        ("CUPS = 5", ["-CUPS = 4  # as many as the table has", "+CUPS = 5"]),
        ("log.clear(1)", ["-log.clear()", "+log.clear(1)"]),
        (
            "def brew(): ...",
            [
                "-@timed",
                "-async def brew(n: int) -> None:",
                "-    await asyncio.sleep(BREW_S)  # steeps",
                "+def brew(): ...",
            ],
        ),
        ("# None.\nasync def main() -> None:\n    await brew(CUPS)", ["-# All cups.", "+# None."]),
        ('if __name__ == "__main__":\n    main()', ["-    asyncio.run(main())", "+    main()"]),
        ("del log.clear", ["-log.clear()"]),
        (
            "del brew, CUPS",
            [
                "-CUPS = 4  # as many as the table has",
                "-@timed",
                "-async def brew(n: int) -> None:",
                "-    await asyncio.sleep(BREW_S)  # steeps",
            ],
        ),
        (
            "class Kettle:\n    def fill(self) -> None:\n        return",
            ["-    # Slowly.", '-        """Fill it."""', "+        return"],
        ),
        (
            "class Kettle(Pot):\n    del empty",
            [
                "-class Kettle:",
                "-    def empty(self) -> None:",
                '-        """Empty it."""',
                "+class Kettle(Pot):",
            ],
        ),
        (
            "class Kettle: ...",
            [
                "-class Kettle:",
                '-    """Holds water."""',
                "-    litres = 2",
                "-    # Slowly.",
                "-    def fill(self) -> None:",
                '-        """Fill it."""',
                "-    def empty(self) -> None:",
                '-        """Empty it."""',
                "+class Kettle: ...",
            ],
        ),
    ],
)
def test_a_statement_takes_the_place_of_its_namesake(overlay: str, changes: list[str]) -> None:
    assert laid(overlay) == changes


@pytest.mark.parametrize(
    ("overlay", "before", "after"),
    [
        ("import time", "import asyncio\n", "\n\nCUPS"),
        ("gate = Lock()\n\n\nasync def main() -> None:\n    ...", "# steeps\n\n\n", "\n\n\nasync def main"),
        ("def pour():\n    ...", "await brew(CUPS)\n\n\n", "\n\n\nif __name__"),
        ("class Kettle:\n    def pour(self):\n        ...", '"""Empty it."""\n\n    ', "\n\n\n@timed"),
    ],
)
def test_a_new_statement_goes_where_the_overlay_has_it(overlay: str, before: str, after: str) -> None:
    new = re.split(r"\n\n\nasync|class Kettle:\n", overlay)
    (text,) = [part.strip() for part in new if "Lock" in part or "pour" in part or "time" in part]
    assert f"{before}{text}{after}" in lay_over(overlay, SOLUTION)


@pytest.mark.parametrize(
    ("overlay", "says"),
    [
        ("del stir", "del stir: the solution has no stir"),
        ("def brew(): ...\ndef brew(): ...", "two statements of the same name"),
        ("def brew(:", "invalid syntax"),
    ],
)
def test_an_overlay_that_fits_nowhere_is_an_error(tmp_path: Path, overlay: str, says: str) -> None:
    (tmp_path / "solution.py").write_text(SOLUTION)
    (tmp_path / "brew.py").write_text(overlay)
    with pytest.raises(CourseError, match=rf"brew\.py: cannot be laid over solution\.py: .*{says}"):
        program_of(tmp_path / "brew.py", tmp_path / "solution.py")


def test_the_docstring_says_what_is_wrong(tmp_path: Path) -> None:
    file = tmp_path / "brew.py"
    file.write_text(
        '"""One cup\nonly.\n\nBreaks: All\n    cups.\nBreaks: Hot: very\nFault: 4 calls of brew\n"""\n'
    )
    overlay = read_overlay(file)
    assert (overlay.words, overlay.fault) == ("One cup only.", "4 calls of brew")
    assert overlay.breaks == ("All cups.", "Hot: very")


def test_only_a_file_of_its_folder_is_an_overlay(tmp_path: Path) -> None:
    solution = tmp_path / "solution.py"
    solution.write_text(SOLUTION)
    for folder in (WRONG, "elsewhere"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "brew.py").write_text("CUPS = 5\n")
    with program_file(tmp_path / "elsewhere" / "brew.py", solution) as file:
        assert file == tmp_path / "elsewhere" / "brew.py"
    with program_file(tmp_path / WRONG / "brew.py", solution) as file:
        assert file.name == "brew.py"
        assert file.read_text() == SOLUTION.replace("CUPS = 4  # as many as the table has", "CUPS = 5")
    assert not file.exists()
