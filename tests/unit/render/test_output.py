"""The output of a script is shown without what it could do to a terminal."""

from __future__ import annotations

import pytest

from asyncdemo.render.terminal.output import OutputLine, Tail


def shown(text: str, lines: int = 10) -> list[str]:
    tail = Tail()
    tail.add("stdout", text)
    return [line.text for line in tail.last(lines)]


@pytest.mark.parametrize(
    ("written", "seen"),
    [
        ("\x1b[31mred\x1b[0m\n", "red"),
        ("\x1b]0;title\x07text\n", "text"),
        ("\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\\n", "link"),
        ("\x1b[2J\x1b[Hgone\n", "gone"),
        ("\x1bcreset\n", "reset"),
        ("bell\x07 and \x00 nul \x9b\n", "bell and  nul "),
        (" 10 %\r 20 %\r", " 20 %"),
        ("dos\r\n", "dos"),
        ("a\tb\n", "a   b"),
    ],
)
def test_control_codes_are_gone(written: str, seen: str) -> None:
    assert shown(written) == [seen]


def test_a_line_may_come_in_parts() -> None:
    tail = Tail()
    tail.add("stdout", "\x1b[3")
    tail.add("stdout", "1mhel")
    tail.add("stderr", "oh\n")
    tail.add("stdout", "lo\n")
    assert tail.last(5) == [OutputLine("stderr", "oh"), OutputLine("stdout", "hello")]
    assert tail.total == 2


def test_only_the_last_lines_are_kept() -> None:
    tail = Tail(lines=3)
    tail.add("stdout", "".join(f"{i}\n" for i in range(1_000)))
    assert [line.text for line in tail.last(100)] == ["997", "998", "999"]
    assert tail.total == 1_000


def test_a_line_without_end_stays_bounded() -> None:
    tail = Tail()
    for _ in range(100):
        tail.add("stdout", "x" * 100_000)
    (line,) = tail.last(5)
    assert len(line.text) <= 1_000
