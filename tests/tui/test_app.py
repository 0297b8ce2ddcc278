"""What holds on every screen: leaving, Ctrl-C, terminals without UTF-8 or colour, or that have gone away."""

from __future__ import annotations

import errno
import io
import threading

import pytest
from rich.segment import Segment
from rich.style import Style
from textual.app import ComposeResult
from textual.color import Color
from textual.css.query import NoMatches
from textual.drivers._writer_thread import MAX_QUEUED_WRITES, WriterThread
from textual.widgets import Footer, Static

from asyncdemo.course.workspace.context import locate
from asyncdemo.errors import EXIT_INTERRUPTED, EXIT_OK
from asyncdemo.tui.app import Application, KeysScreen, LearnerScreen
from asyncdemo.tui.home import HomeScreen
from asyncdemo.tui.terminal import AsciiFilter, TerminalOutput


class Busy(LearnerScreen):
    """Something runs here until it is interrupted."""

    runs = True

    def compose(self) -> ComposeResult:
        yield Static("busy")
        yield Footer()

    def interrupt(self) -> bool:
        ended, self.runs = self.runs, False
        return ended

    def ask_before_quitting(self) -> str:
        return "Quit?"


@pytest.mark.anyio
async def test_missing_widget_is_no_error_once_leaving() -> None:
    application = Application(locate(None), Busy)
    async with application.run_test():
        application.exit(EXIT_OK)
        application._handle_exception(NoMatches("gone"))
    assert application.return_code == EXIT_OK


@pytest.mark.anyio
async def test_keys_and_ctrl_c_on_every_screen() -> None:
    application = Application(locate(None), Busy)
    async with application.run_test() as pilot:
        first = application.screen
        for closing in ("question_mark", "escape", "q", "ctrl+c"):  # which also ends what runs below
            await pilot.press("question_mark")
            assert isinstance(application.screen, KeysScreen)
            await pilot.press(closing)
            assert application.screen is first
        assert isinstance(first, Busy) and not first.runs
        assert first.active_bindings["q"].binding.description == "Quit"
        application.push_screen(Busy())
        await pilot.pause()
        assert application.screen.active_bindings["q"].binding.description == "Back"
        await pilot.press("q", "q")  # it asks once
        assert application.screen is first
        assert not list(application._notifications)  # the question went with its screen
        await pilot.press("ctrl+c")
        assert application.return_value is None
        await pilot.press("ctrl+c")
    assert application.return_value == EXIT_INTERRUPTED


@pytest.mark.anyio
async def test_a_screen_may_ask_once_before_one_quits() -> None:
    application = Application(locate(None), Busy)
    async with application.run_test() as pilot:
        await pilot.press("q")
        assert application.return_value is None
        await pilot.press("q")
    assert application.return_value == EXIT_OK


def test_without_utf_8_text_is_ascii_of_the_same_width() -> None:
    text = "│─┌┘█▁ é…✓ 日"
    (drawn,) = AsciiFilter().apply([Segment(text)], Color(0, 0, 0))
    assert drawn.text.isascii()
    assert drawn.cell_length == Segment(text).cell_length
    assert drawn.text.startswith("|-++#")


@pytest.mark.anyio
async def test_no_color_means_none(monkeypatch: pytest.MonkeyPatch) -> None:
    """A selection and muted text are still distinguishable."""
    monkeypatch.setenv("NO_COLOR", "1")
    application = Application(locate(None), HomeScreen)
    styles: dict[str, Style | None] = {}

    async with application.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        for strip in application.screen._compositor.render_strips():
            styles.update((segment.text.strip(), segment.style) for segment in strip)
    shown = {words: style for words, style in styles.items() if style is not None}
    assert not [words for words, style in shown.items() if style.color or style.bgcolor]
    assert shown["1  Two sleeps"].reverse and not shown["2  Nothing ran"].reverse
    assert shown["The loop"].dim and shown["The loop"].bold


class Gone(io.StringIO):
    """What is left of a terminal whose window has been closed."""

    def write(self, text: str) -> int:
        raise OSError(errno.EIO, "Input/output error")

    def flush(self) -> None:
        raise OSError(errno.EIO, "Input/output error")


def test_output_to_a_terminal_that_has_gone_away_is_dropped() -> None:
    writer = WriterThread(TerminalOutput(Gone()))  # type: ignore[arg-type]

    def write_much() -> None:
        for _ in range(3 * MAX_QUEUED_WRITES):
            writer.write("x")
        writer.stop()

    writer.start()
    writing = threading.Thread(target=write_much, daemon=True)
    writing.start()
    writing.join(30)
    assert not writing.is_alive()
