"""Which program $VISUAL and $EDITOR name, and how it gets the line."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from asyncdemo.errors import UsageError
from asyncdemo.tui.exercise.editor import command_for, find_editor, open_in


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
    assert find_editor({"EDITOR": typed}) == words


def test_visual_comes_before_editor() -> None:
    assert find_editor({"VISUAL": "one", "EDITOR": "two"}) == ["one"]
    assert find_editor({"VISUAL": " ", "EDITOR": "two -x"}) == ["two", "-x"]


@pytest.mark.parametrize(
    ("environment", "words"),
    [({}, "VISUAL"), ({"EDITOR": " "}, "VISUAL"), ({"EDITOR": '"gvim --nofork'}, "No closing quotation")],
)
def test_without_an_editor_the_error_says_so(environment: dict[str, str], words: str) -> None:
    with pytest.raises(UsageError, match=words):
        find_editor(environment)


def test_in_the_terminal_of_vs_code_it_is_that(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "code").touch(mode=0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert find_editor({"TERM_PROGRAM": "vscode"}) == ["code"]
    assert find_editor({"TERM_PROGRAM": "vscode", "EDITOR": "nano"}) == ["nano"]


@pytest.mark.parametrize(
    ("words", "command"),
    [
        ("/usr/bin/vim -u NONE", "/usr/bin/vim -u NONE +7 a.py"),
        ("code --wait", "code --wait --goto a.py:7"),
        ("hx", "hx a.py:7"),
        ("unheard-of", "unheard-of a.py"),
    ],
)
def test_each_editor_gets_the_line_in_its_own_way(words: str, command: str) -> None:
    assert command_for(words.split(), Path("a.py"), 7) == command.split()


@pytest.mark.parametrize("program", ["", "no-such-editor"])
def test_an_editor_that_is_not_there_is_named(program: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=f"Cannot start the editor {program!r}"):
        open_in([program], tmp_path / "file")


def test_it_is_waited_for(tmp_path: Path) -> None:
    file = tmp_path / "with a space.py"
    open_in([sys.executable, "-c", "import sys; open(sys.argv[1], 'w').write('edited')"], file)
    assert file.read_text() == "edited"
