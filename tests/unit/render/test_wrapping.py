"""Wrapping, cutting and padding, of any text to any width: they end, lose nothing, and fit."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from types import FrameType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as some
from rich.cells import cell_len
from rich.segment import Segment

from asyncdemo.cli.terminal import wrap as cli_wrap
from asyncdemo.cli.terminal import wrap_for
from asyncdemo.model.verdict import Verdict
from asyncdemo.render.terminal.draw import Line, hanging, prose, title_line
from asyncdemo.render.terminal.output import Tail
from asyncdemo.render.terminal.panel import LivePanel
from asyncdemo.render.terminal.slide_blocks import Answer, Code, Figures, Program, Row, Words, block_lines
from asyncdemo.render.terminal.theme import UNICODE
from asyncdemo.render.terminal.verdict import newest_lines, verdict_lines, verdict_to_fit
from asyncdemo.render.words import fit, fit_label
from asyncdemo.render.wrapping import break_code, code_parts, wrap, wrap_output
from asyncdemo.safe_text import cell, clean, clean_lines
from asyncdemo.tui.exercise.pages import Changes
from asyncdemo.tui.lesson.programs import _wrapped

LETTERS = "ab(. \t\n\r\x1b\x07\u202e\u200d\ufe0f\u0301\ud800日本é❤=-`/"
texts = some.one_of(
    some.text(alphabet=LETTERS, max_size=120),
    some.builds(lambda indent, word: " " * indent + word, some.integers(0, 250), some.text(LETTERS)),
    some.builds(lambda letter, times: letter * times, some.sampled_from(LETTERS), some.integers(0, 300)),
)
widths = some.integers(1, 200)
_STEPS = 300_000
"""Lines of Python for a text of some hundred letters; each of the functions takes a tenth of them."""


@contextmanager
def bounded_steps() -> Iterator[None]:
    """Fail instead of going on for ever."""
    left = _STEPS

    def count(frame: FrameType, event: str, argument: Any) -> Any:
        nonlocal left
        left -= 1
        if left < 0:
            raise AssertionError(f"it does not end: {frame.f_code.co_name}, line {frame.f_lineno}")
        return count

    before = sys.gettrace()
    sys.settrace(count)
    try:
        yield
    finally:
        sys.settrace(before)


def widest(lines: list[Line]) -> int:
    return max(map(Segment.get_line_length, lines), default=0)


@given(texts, widths, texts, texts, some.booleans())
def test_wrapped_lines_fit_and_lose_no_word(
    text: str, width: int, first: str, rest: str, cut_words: bool
) -> None:
    text, first, rest = clean(text), clean(first), clean(rest)
    with bounded_steps():
        lines = wrap(text, width, first, rest, cut_words=cut_words)
    if cut_words:
        assert all(cell_len(line) <= max(width, 2) for line in lines)
    assert len(lines) <= cell_len(text) + 1
    with bounded_steps():
        bare = wrap(text, width, cut_words=cut_words)
    assert "".join("".join(bare).split()) == "".join(text.split())


@given(texts, widths, some.integers(1, 5))
def test_wrapped_output_fits_in_width_and_lines(text: str, width: int, most: int) -> None:
    for line in clean_lines(text).split("\n"):
        with bounded_steps():
            lines = wrap_output(line, width, most)
        assert len(lines) <= most
        assert all(cell_len(part) <= max(width, 2) for part in lines)


@given(texts, widths)
def test_broken_code_fits_and_loses_nothing(text: str, width: int) -> None:
    line = clean(text)
    with bounded_steps():
        parts, _ = code_parts(line, width)
        lines = break_code(line, width)
    assert "".join(parts) == line
    assert all(cell_len(part) <= max(width, 2) for part in lines)


@given(texts, widths, some.booleans())
def test_fitted_text_has_the_width(text: str, width: int, pad: bool) -> None:
    text = clean(text)
    with bounded_steps():
        fitted, label = fit(text, width, pad=pad), fit_label(text, width, pad=pad)
    assert cell_len(fitted) <= width and cell_len(label) <= width
    assert not pad or cell_len(fitted) == cell_len(label) == width


@given(texts, texts, texts, widths, some.integers(1, 50))
def test_verdict_ends_and_fits(held: str, message: str, output: str, width: int, height: int) -> None:
    verdict = Verdict((held,), {}, output, message, repeat="asyncdemo check two-sleeps --seed 4012")
    with bounded_steps():
        lines = list(verdict_lines(verdict, UNICODE, width))
        assert verdict_to_fit(verdict, UNICODE, width, height)
    # A mark of two cells is in front of its sentences.
    assert widest(lines) <= max(width, 4)


def test_output_with_an_indentation_of_the_width_ends() -> None:
    verdict = Verdict((), {}, " " * 90 + "x\n" + " " * 76 + "^^^^", "It failed.")
    with bounded_steps():
        lines = list(verdict_lines(verdict, UNICODE, 80))
    assert ["".join(part.text for part in line).strip() for line in lines[-2:]] == ["x", "^^^^"]


@given(texts, texts, widths)
def test_changes_end_and_fit(before: str, after: str, width: int) -> None:
    from rich.console import Console

    console = Console(width=width, color_system=None)
    with bounded_steps():
        changes = Changes(clean_lines(before), [("changed", clean_lines(after))])
        lines = list(Segment.split_lines(changes.__rich_console__(console, console.options)))  # type: ignore[arg-type]
    assert widest(lines[1:]) <= max(width, 9)  # the number, and two cells


@given(texts, texts, widths, widths)
def test_titles_and_lines_with_marks_fit(name: str, status: str, width: int, height: int) -> None:
    with bounded_steps():
        assert Segment.get_line_length(title_line(name, clean(status), UNICODE, width)) <= width
        list(hanging("* ", prose(wrap(clean(name), width))))


@given(texts, texts, widths, some.integers(-1, 30))
def test_live_output_and_warnings_fit(name: str, text: str, width: int, height: int) -> None:
    panel = LivePanel(name)
    panel.output("stdout", text)
    with bounded_steps():
        lines = panel.output_lines(UNICODE, width, height)
        assert len(lines) <= max(height, 0)
        assert widest(lines) <= max(width, 3)
        tail = Tail(5)
        tail.add("stderr", text)
        assert all(line.text.isprintable() for line in tail.last(5))


@pytest.mark.parametrize(
    "block",
    [
        lambda text: Words(text, mark="-"),
        Code,
        lambda text: Row(text, text),
        lambda text: Answer(1, text, 2, 3),
        lambda text: Program(text, tuple(text.split("\n"))),
        lambda text: Figures(((text, text),)),
    ],
)
@given(text=texts, width=widths)
def test_blocks_of_slides_end(block: Callable[[str], Any], text: str, width: int) -> None:
    with bounded_steps():
        block_lines(block(clean_lines(text)), UNICODE, width, 1, 0)


@given(texts, widths, some.booleans())
def test_wrapped_listings_fit(text: str, width: int, each: bool) -> None:
    line = [Segment("  1 "), Segment("| "), Segment(clean(text))]
    with bounded_steps():
        lines = _wrapped(line, width, each)
    assert widest(lines) <= max(width, 8) + 2


@given(texts, texts, texts)
def test_printed_sentences_end(text: str, first: str, rest: str) -> None:
    with bounded_steps():
        cli_wrap(clean(text), clean(first), clean(rest))
        wrap_for(Terminal(), clean_lines(text))


class Terminal:
    def isatty(self) -> bool:
        return True


@given(texts)
def test_cleaned_text_is_safe_and_short(text: str) -> None:
    assert clean(text).isprintable()
    assert clean(clean(text)) == clean(text)
    assert all(char.isprintable() or char == "\n" for char in clean_lines(text))
    assert not cell(text).startswith(("=", "+", "-", "@"))
    assert all(line.isprintable() for line in newest_lines(text))


def test_very_long_text_is_cut() -> None:
    assert len(clean("\u202e" * 10_000_000)) < 50_000
    assert clean("x" * 5_000).endswith("x... (5,000 characters)")
    verdict = Verdict(("y" * 10_000_000,), {}, "z" * 10_000_000, "\x1b" * 10_000_000)
    assert len(verdict.held[0]) + len(verdict.message or "") < 100_000
    assert len(replace(verdict, output="").held[0]) == len(verdict.held[0])
    assert sum(map(len, newest_lines("w" * 10_000_000))) < 10_000
