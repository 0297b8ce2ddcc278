"""Home: which lessons there are, what is done, what each asks, and the way into one."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from textual import events
from textual.widgets import OptionList

from asyncdemo.errors import EXIT_OK
from asyncdemo.tui.app import Application
from asyncdemo.tui.home import HomeScreen
from asyncdemo.tui.lesson.session import LessonSession, last_run, summary
from tests.support.small_course import FIXED
from tests.tui.learner import Learner, User, shown, until

pytestmark = pytest.mark.anyio


@pytest.fixture
def learner(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Learner:
    return Learner(tmp_path, monkeypatch)


@pytest.mark.parametrize("size", [(80, 24), (160, 48)])
async def test_it_shows_all_lessons_and_what_is_chosen(learner: Learner, size: tuple[int, int]) -> None:
    learner.context.remember("tea", lambda record: record.after_run().after_check(True, "2026-01-01"))

    async with Application(learner.context, lambda: HomeScreen("A note.")).run_test(size=size) as pilot:
        user = User(pilot)
        await user.sees(
            "Drinks: 1 of 3 lessons run, 1 of 2 exercises passed.",
            "1 Tea 10 min ✓ run ✓ exercise",
            "3 Water 30 min",
            "Which coffees?",  # the cursor is where one left off
            *("A note.", "Open", "? Keys"),
        )
        assert "About coffee." not in shown(pilot.app)  # its point would give the answer away
        await pilot.press("up")
        await user.sees("The point: About tea.")
        await pilot.press("slash", *"coffees")
        await until(pilot, lambda: "Tea" not in shown(pilot.app))
        assert "2 Coffee" in shown(pilot.app)
        await pilot.press("q")  # is a letter here
        await user.sees("No lesson matches.")
        await pilot.press("escape")
        await user.sees("1 Tea")
        await pilot.press("slash", *"coff", "enter")
        await user.sees("1 Question", "Coffee")
        await pilot.press("q", "escape", "3", "enter")  # digits lead to the lesson with that number
        await user.sees("1 Question", "Water")
        await pilot.press("ctrl+p", *"code", "enter")  # the palette has what the keys do
        await user.sees("Other program")
        await pilot.press("q", "q", "q")
    assert pilot.app.return_value == EXIT_OK


async def test_keys_pressed_before_the_list_appears_do_not_filter_it(learner: Learner) -> None:
    async with Application(learner.context, HomeScreen).run_test(size=(80, 24)) as pilot:
        home = HomeScreen()
        pilot.app.push_screen(home)
        while not isinstance(home.focused, OptionList):
            pilot.app.post_message(events.Key("z", "z"))
            await asyncio.sleep(0)
        await pilot.pause()
        assert "1 Tea" in shown(home)


async def test_lesson_that_needs_packages_says_so_before_it_opens(learner: Learner) -> None:
    manifest = learner.lesson("tea").folder / "lesson.toml"
    manifest.write_text('packages = ["no-such-kettle"]\n' + manifest.read_text())

    async with Application(learner.context, HomeScreen).run_test(size=(80, 24)) as pilot:
        await User(pilot).sees("Needs no-such-kettle. To install what the lessons need:")


async def test_leaving_tells_of_the_last_lesson_that_was_run(learner: Learner) -> None:
    opened = LessonSession(learner.context, learner.lesson("tea").folder)
    assert not list(summary(opened)), "nothing happened"
    opened.following = LessonSession(learner.context, learner.lesson("coffee").folder)
    assert last_run(opened) is opened
    opened.following.ended({}, opened.following.variants, (), (), interrupted=True)
    assert next(summary(last_run(opened))) == "Lesson 2: Coffee"


async def test_passed_lesson_leads_to_the_next_and_back_to_the_list(
    learner: Learner,
) -> None:
    learner.tea.write_text(FIXED)

    async with Application(learner.context, HomeScreen).run_test(size=(80, 24)) as pilot:
        user = User(pilot)
        await user.sees("1 Tea")
        await user.presses("enter", "1 Question")
        place = shown(pilot.app).split(" Exercise")[0][-1]
        await user.presses(place, "n Next", "Passed")
        await user.presses("n", "Why?")
        await user.presses("q", "1 of 2 exercises passed")
