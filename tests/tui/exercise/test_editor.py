"""Which program $VISUAL and $EDITOR name, and how it is told the line."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from asyncdemo.errors import UsageError
from asyncdemo.tui.exercise.editor import Editor, find_editor


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
    assert list(find_editor({"EDITOR": typed}).words) == words


def test_a_quote_that_is_not_closed_makes_no_sense() -> None:
    with pytest.raises(UsageError, match="No closing quotation"):
        find_editor({"EDITOR": '"gvim --nofork'})


def test_visual_comes_before_editor() -> None:
    assert find_editor({"VISUAL": "one", "EDITOR": "two"}).words == ("one",)
    assert find_editor({"VISUAL": " ", "EDITOR": "two -x"}).words == ("two", "-x")


@pytest.mark.parametrize("environment", [{}, {"EDITOR": " "}, {"EDITOR": '"ed'}])
def test_without_an_editor_the_error_says_so(environment: dict[str, str]) -> None:
    with pytest.raises(UsageError, match="editor"):
        find_editor(environment)


def test_in_the_terminal_of_vs_code_it_is_that(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "code").touch(mode=0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert find_editor({"TERM_PROGRAM": "vscode"}) == Editor(("code",))
    assert find_editor({"TERM_PROGRAM": "vscode", "EDITOR": "nano"}) == Editor(("nano",))


@pytest.mark.parametrize(
    ("words", "command"),
    [
        ("/usr/bin/vim -u NONE", "/usr/bin/vim -u NONE +7 a.py"),
        ("code --wait", "code --wait --goto a.py:7"),
        ("hx", "hx a.py:7"),
        ("unheard-of", "unheard-of a.py"),
    ],
)
def test_each_is_told_the_line_in_its_own_way(words: str, command: str) -> None:
    assert Editor(tuple(words.split())).command(Path("a.py"), 7) == command.split()


@pytest.mark.parametrize("program", ["", "no-such-editor"])
def test_an_editor_that_is_not_there_is_named(program: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=f"{program!r} cannot be started"):
        Editor((program,)).open(tmp_path / "file")


def test_it_is_waited_for(tmp_path: Path) -> None:
    file = tmp_path / "with a space.py"
    Editor((sys.executable, "-c", "import sys; open(sys.argv[1], 'w').write('edited')")).open(file)
    assert file.read_text() == "edited"
