"""Home: which lessons there are, what is done, what each asks, and the way into one."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from textual import events
from textual.pilot import Pilot
from textual.widgets import OptionList

from asyncdemo.errors import EXIT_OK
from asyncdemo.tui.app import Application
from asyncdemo.tui.home import HomeScreen
from tests.support.small_course import FIXED
from tests.tui.learner import Learner, shown, until

pytestmark = pytest.mark.anyio
SIZES = [(80, 24), (160, 48)]


@pytest.fixture
def learner(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Learner:
    return Learner(tmp_path, monkeypatch)


@asynccontextmanager
async def at_home(learner: Learner, size: tuple[int, int] = (80, 24)) -> AsyncIterator[Pilot[int]]:
    async with Application(learner.context, lambda: HomeScreen("A note.")).run_test(size=size) as pilot:
        yield pilot


@pytest.mark.parametrize("size", SIZES)
async def test_it_shows_all_lessons_and_the_cursor_is_where_one_left_off(
    learner: Learner, size: tuple[int, int]
) -> None:
    progress = learner.context.progress
    assert progress is not None
    progress.update("tea", lambda record: record.after_run().after_check(True, "2026-01-01"))

    async with at_home(learner, size) as pilot:
        words = [
            "Drinks: 1 of 3 lessons run, 1 of 2 exercises passed.",
            "1 Tea 10 min ✓ run ✓ exercise",
            "3 Water 30 min",
            "Which coffees?",
            "A note.",
            "Open",
            "? Keys",
        ]
        await until(pilot, lambda: all(word in shown(pilot.app) for word in words))
        text = shown(pilot.app)
        assert "About coffee." not in text  # its point would give the answer away
        await pilot.press("up")
        await until(pilot, lambda: "The point: About tea." in shown(pilot.app))
        await pilot.press("q")
    assert pilot.app.return_value == EXIT_OK


async def test_a_filter_looks_at_titles_and_questions(learner: Learner) -> None:
    async with at_home(learner) as pilot:
        await pilot.press("slash", *"coffees")
        await until(pilot, lambda: "Tea" not in shown(pilot.app))
        assert "2 Coffee" in shown(pilot.app)
        await pilot.press("q")  # is a letter here
        await until(pilot, lambda: "No lesson matches." in shown(pilot.app))
        await pilot.press("escape")
        await until(pilot, lambda: "1 Tea" in shown(pilot.app))
        await pilot.press("slash", *"coff", "enter")
        await until(pilot, lambda: "1 Question" in shown(pilot.app))


async def test_digits_lead_to_the_lesson_with_that_number(learner: Learner) -> None:
    async with at_home(learner) as pilot:
        await until(pilot, lambda: "1 Tea" in shown(pilot.app))
        await pilot.press("3", "enter")
        await until(pilot, lambda: "Water" in shown(pilot.app) and "1 Tea" not in shown(pilot.app))


async def test_the_command_palette_has_what_the_keys_do(learner: Learner) -> None:
    async with at_home(learner) as pilot:
        await until(pilot, lambda: "1 Tea" in shown(pilot.app))
        await pilot.press("enter")
        await until(pilot, lambda: "1 Question" in shown(pilot.app))
        await pilot.press("ctrl+p", *"code", "enter")
        await until(pilot, lambda: "Other program" in shown(pilot.app))


async def test_keys_that_come_before_the_list_is_there_do_not_filter_it(learner: Learner) -> None:
    async with at_home(learner) as pilot:
        home = HomeScreen()
        pilot.app.push_screen(home)
        while not isinstance(home.focused, OptionList):
            pilot.app.post_message(events.Key("z", "z"))
            await asyncio.sleep(0)
        await pilot.pause()
        assert "1 Tea" in shown(home)


async def test_from_a_lesson_that_passed_to_the_next_and_back_to_where_both_are_seen(
    learner: Learner,
) -> None:
    learner.tea.write_text(FIXED)

    async with at_home(learner) as pilot:
        await until(pilot, lambda: "1 Tea" in shown(pilot.app))
        await pilot.press("enter")
        await until(pilot, lambda: "1 Question" in shown(pilot.app))
        place = shown(pilot.app).split(" Exercise")[0][-1]
        await pilot.press(place)
        await until(pilot, lambda: "n Next lesson" in shown(pilot.app))
        assert "Passed" in shown(pilot.app)
        await pilot.press("n")
        await until(pilot, lambda: "Why?" in shown(pilot.app))
        await pilot.press("q")
        await until(pilot, lambda: "1 of 2 exercises passed" in shown(pilot.app))
