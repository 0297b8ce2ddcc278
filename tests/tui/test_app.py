"""What holds on every screen: leaving, Ctrl-C, terminals without UTF-8 or colour."""

from __future__ import annotations

import pytest
from rich.segment import Segment
from rich.style import Style
from textual.app import ComposeResult
from textual.color import Color
from textual.widgets import Footer, Static

from asyncdemo.course.workspace.context import locate
from asyncdemo.errors import EXIT_INTERRUPTED, EXIT_OK
from asyncdemo.tui.app import Application, LearnerScreen
from asyncdemo.tui.filters import AsciiFilter
from asyncdemo.tui.home import HomeScreen
from asyncdemo.tui.keys_screen import KeysScreen

pytestmark = pytest.mark.anyio


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


@pytest.fixture
def application() -> Application:
    return Application(locate(None), Busy)


async def test_ctrl_c_ends_what_runs_and_then_after_a_question_the_application(
    application: Application,
) -> None:
    async with application.run_test() as pilot:
        for _ in ("ends what runs", "is asked"):
            await pilot.press("ctrl+c")
            assert application.return_value is None
        await pilot.press("ctrl+c")
    assert application.return_value == EXIT_INTERRUPTED


@pytest.mark.parametrize("closing", ["question_mark", "escape", "q"])
async def test_the_list_of_keys_opens_and_closes(application: Application, closing: str) -> None:
    async with application.run_test() as pilot:
        await pilot.press("question_mark")
        assert isinstance(application.screen, KeysScreen)
        await pilot.press(closing)
        assert not isinstance(application.screen, KeysScreen)


async def test_q_is_named_after_where_it_leads(application: Application) -> None:
    async with application.run_test() as pilot:
        for words in ("Quit", "Back"):
            bound = application.screen.active_bindings["q"]
            assert bound.binding.description == words
            application.push_screen(Busy())
            await pilot.pause()


async def test_ctrl_c_above_the_list_of_keys_ends_what_runs(application: Application) -> None:
    async with application.run_test() as pilot:
        await pilot.press("question_mark", "ctrl+c")
        assert isinstance(application.screen, Busy)
        await pilot.press("ctrl+c")
        assert application.return_value is None  # what ran has been ended, so now it asks


async def test_a_screen_may_ask_once_before_one_quits(application: Application) -> None:
    async with application.run_test() as pilot:
        await pilot.press("q")
        assert application.return_value is None
        await pilot.press("q")
    assert application.return_value == EXIT_OK


def test_without_utf_8_every_character_becomes_one_of_ascii_and_keeps_its_width() -> None:
    text = "│─┌┘█▁ é…✓ 日"
    (drawn,) = AsciiFilter().apply([Segment(text)], Color(0, 0, 0))
    assert drawn.text.isascii()
    assert drawn.cell_length == Segment(text).cell_length
    assert drawn.text.startswith("|-++#")


async def test_no_color_means_none(monkeypatch: pytest.MonkeyPatch) -> None:
    """A selection and muted text can be told all the same."""
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
