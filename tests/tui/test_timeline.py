"""A picture of recorded runs as a widget."""

from __future__ import annotations

import asyncio

import pytest
from textual.app import App, ComposeResult

from asyncdemo.course.workspace.context import locate
from asyncdemo.render.terminal.theme import UNICODE
from asyncdemo.tui.app import Application, LearnerScreen
from asyncdemo.tui.timeline import Timeline
from asyncdemo.tui.viewer import ViewerScreen
from tests.support.runs import Story


class Picture(App[None]):
    def compose(self) -> ComposeResult:
        story = Story()
        for i in range(100):
            story.task(f"brew({i})").sleeps(100).returns()
        yield Timeline([story.run(name="first")], UNICODE)


def shown(timeline: Timeline) -> list[str]:
    return [timeline.render_line(y).text for y in range(timeline.size.height)]


@pytest.mark.parametrize("size", [(80, 24), (120, 36), (160, 48)])
def test_it_fills_its_room_and_shows_what_it_is_given(size: tuple[int, int]) -> None:
    async def use() -> None:
        app = Picture()
        async with app.run_test(size=size) as pilot:
            timeline = app.query_one(Timeline)
            assert "first" in shown(timeline)[1] + shown(timeline)[0]
            assert sum(line.strip() != "" for line in shown(timeline)) > 0.8 * size[1]
            other = Story()
            other.task("alone").sleeps(10).returns()
            timeline.show([other.run(name="second")])
            await pilot.pause()
            assert any(line.startswith("alone") for line in shown(timeline))

    asyncio.run(use())


class Result(LearnerScreen):
    """A screen with a picture on it."""

    def compose(self) -> ComposeResult:
        story = Story()
        story.task("brew").sleeps(100).returns()
        yield Timeline([story.run(name="first")], UNICODE)


@pytest.mark.parametrize("key", ["z", "enter"])
def test_a_key_opens_the_viewer_from_a_picture_and_q_comes_back(key: str) -> None:
    async def use() -> None:
        application = Application(locate(None), Result)
        async with application.run_test() as pilot:
            application.screen.query_one(Timeline).focus()
            await pilot.press(key)
            assert isinstance(application.screen, ViewerScreen)
            await pilot.press("q")
            assert isinstance(application.screen, Result)

    asyncio.run(use())
