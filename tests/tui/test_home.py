"""Home: which lessons there are, what is done, what each asks, and the way into one."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from textual import events
from textual.pilot import Pilot
from textual.widgets import OptionList

from asyncdemo.errors import EXIT_OK
from asyncdemo.tui.app import Application
from asyncdemo.tui.home import HomeScreen
from tests.support.small_course import MENDED
from tests.tui.learner import Learner, shown, until

SIZES = [(80, 24), (160, 48)]


@pytest.fixture
def learner(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Learner:
    return Learner(tmp_path, monkeypatch)


def at_home(
    learner: Learner, use: Callable[[Pilot[int]], Awaitable[None]], size: tuple[int, int]
) -> int | None:
    application = Application(learner.context, lambda: HomeScreen("A note."))

    async def run() -> None:
        async with application.run_test(size=size) as pilot:
            await use(pilot)

    asyncio.run(run())
    return application.return_value


@pytest.mark.parametrize("size", SIZES)
def test_it_shows_all_lessons_and_the_cursor_is_where_one_left_off(
    learner: Learner, size: tuple[int, int]
) -> None:
    progress = learner.context.progress
    assert progress is not None
    progress.update("tea", lambda record: record.after_run().after_check(True, "2026-01-01"))

    async def use(pilot: Pilot[int]) -> None:
        words = [
            "Drinks: 1 of 3 lessons run, 1 of 2 exercises passed.",
            "1 Tea 10 min ✓ run ✓ exercise",
            "3 Water 30 min",
            "Which coffees?",
            "A note.",
            "Open",
            "? Keys",
        ]
        await until(pilot, lambda: all(word in shown(pilot.app.screen) for word in words))
        text = shown(pilot.app.screen)
        assert "About coffee." not in text  # its point would give the answer away
        await pilot.press("up")
        await until(pilot, lambda: "The point: About tea." in shown(pilot.app.screen))
        await pilot.press("q")

    assert at_home(learner, use, size) == EXIT_OK


def test_a_filter_looks_at_titles_and_questions(learner: Learner) -> None:
    async def use(pilot: Pilot[int]) -> None:
        await pilot.press("slash", *"coffees")
        await until(pilot, lambda: "Tea" not in shown(pilot.app.screen))
        assert "2 Coffee" in shown(pilot.app.screen)
        await pilot.press("q")  # is a letter here
        await until(pilot, lambda: "Nothing fits." in shown(pilot.app.screen))
        await pilot.press("escape")
        await until(pilot, lambda: "1 Tea" in shown(pilot.app.screen))
        await pilot.press("slash", *"coff", "enter")
        await until(pilot, lambda: "1 Question" in shown(pilot.app.screen))

    at_home(learner, use, (80, 24))


def test_digits_lead_to_the_lesson_with_that_number(learner: Learner) -> None:
    async def use(pilot: Pilot[int]) -> None:
        await until(pilot, lambda: "1 Tea" in shown(pilot.app.screen))
        await pilot.press("3", "enter")
        await until(
            pilot, lambda: "Water" in shown(pilot.app.screen) and "1 Tea" not in shown(pilot.app.screen)
        )

    at_home(learner, use, (80, 24))


def test_the_command_palette_has_what_the_keys_do(learner: Learner) -> None:
    async def use(pilot: Pilot[int]) -> None:
        await until(pilot, lambda: "1 Tea" in shown(pilot.app.screen))
        await pilot.press("enter")
        await until(pilot, lambda: "1 Question" in shown(pilot.app.screen))
        await pilot.press("ctrl+p", *"code", "enter")
        await until(pilot, lambda: "Other program" in shown(pilot.app.screen))

    at_home(learner, use, (80, 24))


def test_keys_that_come_before_the_list_is_there_do_not_filter_it(learner: Learner) -> None:
    async def use(pilot: Pilot[int]) -> None:
        home = HomeScreen()
        pilot.app.push_screen(home)
        while not isinstance(home.focused, OptionList):
            pilot.app.post_message(events.Key("z", "z"))
            await asyncio.sleep(0)
        await pilot.pause()
        assert "1 Tea" in shown(home)

    at_home(learner, use, (80, 24))


def test_from_a_lesson_that_passed_to_the_next_and_back_to_where_both_are_seen(learner: Learner) -> None:
    learner.tea.write_text(MENDED)

    async def use(pilot: Pilot[int]) -> None:
        await until(pilot, lambda: "1 Tea" in shown(pilot.app.screen))
        await pilot.press("enter")
        await until(pilot, lambda: "1 Question" in shown(pilot.app.screen))
        place = shown(pilot.app.screen).split(" Exercise")[0][-1]
        await pilot.press(place)
        await until(pilot, lambda: "n Next lesson" in shown(pilot.app.screen))
        assert "Passed" in shown(pilot.app.screen)
        await pilot.press("n")
        await until(pilot, lambda: "Why?" in shown(pilot.app.screen))
        await pilot.press("q")
        await until(pilot, lambda: "1 of 2 exercises passed" in shown(pilot.app.screen))

    at_home(learner, use, (80, 24))
