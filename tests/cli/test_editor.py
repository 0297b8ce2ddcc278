"""Which program $VISUAL and $EDITOR name, and what it is started with."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from asyncdemo.cli.editor import edit, editor_command
from asyncdemo.errors import UsageError


@pytest.mark.parametrize(
    ("typed", "words"),
    [
        ("nano", ["nano"]),
        ("code --wait", ["code", "--wait"]),
        ("'/opt/my editor/ed' -n", ["/opt/my editor/ed", "-n"]),
        (r"/opt/my\ editor/ed", ["/opt/my editor/ed"]),
        ('vim -c "set nu"', ["vim", "-c", "set nu"]),
    ],
)
def test_a_command_is_split_as_a_posix_shell_does(typed: str, words: list[str]) -> None:
    assert editor_command({"EDITOR": typed}) == words


def test_a_quote_that_is_not_closed_makes_no_sense() -> None:
    with pytest.raises(UsageError, match="No closing quotation"):
        editor_command({"EDITOR": '"gvim --nofork'})


def test_visual_comes_before_editor() -> None:
    assert editor_command({"VISUAL": "one", "EDITOR": "two"}) == ["one"]
    assert editor_command({"VISUAL": " ", "EDITOR": "two -x"}) == ["two", "-x"]


@pytest.mark.parametrize("environment", [{}, {"EDITOR": " "}, {"EDITOR": '"ed'}])
def test_without_an_editor_the_error_says_so(environment: dict[str, str]) -> None:
    with pytest.raises(UsageError, match="editor"):
        editor_command(environment)


@pytest.mark.parametrize("program", ["", "no-such-editor"])
def test_an_editor_that_is_not_there_is_named(program: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=f"{program!r} cannot be started"):
        edit([program], tmp_path / "file", lambda: False)


def test_it_is_waited_for_and_ended_when_it_must(tmp_path: Path) -> None:
    file = tmp_path / "with a space.py"
    edit([sys.executable, "-c", "import sys; open(sys.argv[1], 'w').write('edited')"], file, lambda: False)
    assert file.read_text() == "edited"
    edit([sys.executable, "-c", "import time; time.sleep(600)"], file, lambda: True)
