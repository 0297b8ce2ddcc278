"""A learner with the small course, for tests of the screens."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest
from textual.app import App
from textual.pilot import Pilot
from textual.widget import Widget

from asyncdemo.course.content.catalog import Heading
from asyncdemo.course.workspace.context import CourseContext, locate
from asyncdemo.course.workspace.progress import Record
from asyncdemo.course.workspace.starting import start_workspace
from tests.support.small_course import make_course

_PATIENCE_S = 60


class Learner:
    """In a folder of their own, with a workspace of the small course if they have ``started``."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch, *, started: bool = True) -> None:
        monkeypatch.chdir(folder)
        self.course = make_course(folder / "course")
        self.folder = folder / "mine"
        if started:
            start_workspace(self.folder, self.course)
            monkeypatch.chdir(self.folder)
        self.tea = self.folder / "01-hot" / "01-tea.py"
        self.coffee = self.folder / "01-hot" / "02-coffee.py"

    @property
    def context(self) -> CourseContext:
        return locate(self.course)

    def lesson(self, lesson_id: str) -> Heading:
        return next(lesson for lesson in self.context.course.lessons if lesson.id == lesson_id)

    def record(self, lesson_id: str) -> Record:
        return self.context.record(lesson_id)


def shown(root: Widget | App[int]) -> str:
    """What one sees of it, without line breaks."""
    lines = root.screen._compositor.render_strips()
    return " ".join(" ".join(strip.text for strip in lines).split())


async def until(pilot: Pilot[int], met: Callable[[], bool]) -> None:
    """Waits; what is seen is in the error if it never is."""
    try:
        async with asyncio.timeout(_PATIENCE_S):
            while not met():
                await pilot.pause(0.05)
    except TimeoutError:
        raise AssertionError(shown(pilot.app.screen)) from None


class User:
    """In front of the screen: presses keys, and sees what is there."""

    def __init__(self, pilot: Pilot[int]) -> None:
        self.pilot, self.app = pilot, pilot.app

    async def sees(self, *words: str) -> None:
        await until(self.pilot, lambda: all(word in shown(self.app) for word in words))

    async def press(self, *keys: str) -> None:
        for key in keys:
            await self.pilot.press(key)
            await self.pilot.pause()

    async def presses(self, key: str, *words: str) -> None:
        """And then sees these words."""
        await self.pilot.press(key)
        await self.sees(*words)
