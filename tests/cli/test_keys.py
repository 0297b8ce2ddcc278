"""Key presses have names, whichever way a terminal sends them."""

from __future__ import annotations

import os
import pty
import select
import sys
import termios
from collections.abc import Iterator

import pytest

from asyncdemo.cli.keys import CLOSED, Keys, next_key


@pytest.fixture
def keyboard(monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    """What is written to it, stdin reads."""
    keyboard, screen = pty.openpty()
    with open(screen, encoding="utf-8") as stdin:
        monkeypatch.setattr(sys, "stdin", stdin)
        yield keyboard
    os.close(keyboard)


def all_keys(typed: str) -> list[str | None]:
    keys = []
    while typed:
        key, typed = next_key(typed)
        keys.append(key)
    return keys


def test_a_printable_character_is_its_own_name() -> None:
    assert all_keys("a? ä") == ["a", "?", " ", "ä"]


def test_other_keys_are_named() -> None:
    assert all_keys("\r\n\t\x7f\x08\x04") == ["enter", "enter", "tab", "backspace", "backspace", "ctrl-d"]
    assert all_keys("\x1b[A\x1b[B\x1b[C\x1b[D") == ["up", "down", "right", "left"]
    assert all_keys("\x1bOC\x1b[1;5C\x1b[5~\x1b[6~") == ["right", "right", "page_up", "page_down"]


def test_a_key_without_a_name_is_none_and_hides_none_of_those_that_follow() -> None:
    assert all_keys("\x01\x1b[15~x") == [None, None, "x"]


def test_keys_are_read_as_they_come(keyboard: int) -> None:
    with Keys() as keys:
        assert keys.read(0) is None
        os.write(keyboard, "né\x1b[D ".encode())
        assert [keys.read(1) for _ in range(4)] == ["n", "é", "left", " "]
        assert keys.read(0) is None


def test_a_character_that_arrives_in_two_parts_is_one_key(keyboard: int) -> None:
    first, second = "é".encode()[:1], "é".encode()[1:]
    with Keys() as keys:
        os.write(keyboard, first)
        assert keys.read(0.05) is None
        os.write(keyboard, second)
        assert keys.read(1) == "é"


def test_escape_alone_is_a_key_once_nothing_follows_it(keyboard: int) -> None:
    with Keys() as keys:
        os.write(keyboard, b"\x1b")
        assert keys.read(1) == "escape"
        os.write(keyboard, b"\x1b\x1b[Cq")
        assert [keys.read(1) for _ in range(3)] == ["escape", "right", "q"]


def test_what_was_typed_before_can_be_forgotten(keyboard: int) -> None:
    with Keys() as keys:
        os.write(keyboard, b"nnn\x1b")
        keys.forget()
        os.write(keyboard, b"b")
        assert keys.read(1) == "b"


def test_the_terminal_is_left_as_it_was(keyboard: int) -> None:
    before = termios.tcgetattr(sys.stdin)
    with Keys():
        assert not termios.tcgetattr(sys.stdin)[3] & (termios.ECHO | termios.ICANON)
    assert termios.tcgetattr(sys.stdin) == before


def test_the_terminal_can_be_lent_meanwhile(keyboard: int) -> None:
    before = termios.tcgetattr(sys.stdin)
    with Keys() as keys:
        os.write(keyboard, b"x")
        assert select.select([sys.stdin], [], [], 10)[0]
        for _ in range(2):
            keys.suspend()
            assert termios.tcgetattr(sys.stdin) == before
        for _ in range(2):
            keys.resume()
            assert not termios.tcgetattr(sys.stdin)[3] & (termios.ECHO | termios.ICANON)
        assert keys.read(0) is None  # what was typed before is not for whoever comes after
        os.write(keyboard, b"n")
        assert keys.read(1) == "n"
    assert termios.tcgetattr(sys.stdin) == before


def test_a_terminal_that_is_gone_says_so(keyboard: int, monkeypatch: pytest.MonkeyPatch) -> None:
    keys = Keys()
    with open(os.devnull, encoding="utf-8") as nothing:
        monkeypatch.setattr(sys, "stdin", nothing)
        assert keys.read(1) == CLOSED
