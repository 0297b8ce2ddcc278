"""Writes pictures of the screens as SVG: a learner's way through the first lesson, with real runs.

    python scripts/screens.py FOLDER

Not for: recorded runs, which ``asyncdemo export --to svg`` draws.
"""

from __future__ import annotations

import asyncio
import os
import re
import shutil
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Final

from textual.pilot import Pilot

from asyncdemo.course.content import knobs
from asyncdemo.course.content.lesson import load_lesson
from asyncdemo.course.workspace.context import CourseContext, locate
from asyncdemo.course.workspace.starting import start_workspace
from asyncdemo.recording.runner import Options, Stdout, Target
from asyncdemo.serving import Job
from asyncdemo.tui.app import Application, LearnerScreen
from asyncdemo.tui.home import HomeScreen
from asyncdemo.tui.lesson.screen import LessonScreen
from asyncdemo.tui.present.lecture import Lecture, Stage
from asyncdemo.tui.present.screen import PresentScreen
from asyncdemo.tui.viewer import ViewerScreen

_LESSON: Final = "two-sleeps"
_SIZE: Final = (100, 30)
_PATIENCE_S: Final = 60
_FONTS: Final = re.compile(r"@font-face\s*\{.*?\}\s*", re.DOTALL)


class Photographer:
    """Waits until a screen says something, and writes down how it looks."""

    def __init__(self, pilot: Pilot[int], folder: Path) -> None:
        self.pilot, self._folder = pilot, folder

    async def sees(self, *words: str) -> None:
        async with asyncio.timeout(_PATIENCE_S):
            while not all(word in self._text() for word in words):
                await self.pilot.pause(0.05)

    async def take(self, name: str, *words: str) -> None:
        """A picture, once all of the words are on the screen."""
        await self.sees(*words)
        await self.pilot.pause(0.2)
        # The pictures of Rich load their font from another host.
        picture = _FONTS.sub("", self.pilot.app.export_screenshot(title="asyncdemo", simplify=True))
        (self._folder / f"{name}.svg").write_text(picture, encoding="utf-8")

    async def press(self, *keys: str) -> None:
        for key in keys:
            await self.pilot.press(key)
            await self.pilot.pause()

    def _text(self) -> str:
        strips = self.pilot.app.screen._compositor.render_strips(self.pilot.app.size)
        return " ".join(" ".join(strip.text for strip in strips).split())


async def _use(
    context: CourseContext,
    first: Callable[[], LearnerScreen],
    folder: Path,
    walk: Callable[[Photographer], object],
) -> None:
    application = Application(context, first)
    async with application.run_test(size=_SIZE) as pilot:
        await pilot.pause()
        walked = walk(Photographer(pilot, folder))
        assert asyncio.iscoroutine(walked)
        await walked


async def _learn(folder: Path, context: CourseContext) -> None:
    """From home to a passed exercise."""
    heading = next(lesson for lesson in context.course.lessons if lesson.id == _LESSON)
    workspace = context.workspace
    assert workspace is not None
    exercise = workspace.folder / heading.folder.parent.name / f"{heading.folder.name}.py"

    async def walk(camera: Photographer) -> None:
        await camera.take("home", "Two sleeps")
        await camera.press("enter")
        await camera.take("question", "1 Question", "Enter")
        await camera.press("2", "3", "enter")
        await camera.take("predict", "Question 2 of 4, 1 answered")
        await camera.press("3", "enter", "1", "0", "enter")
        application = camera.pilot.app
        assert isinstance(application.screen, LessonScreen)
        application.screen.go_to("run")  # a digit is an answer here
        await camera.press("enter")
        session = application.screen.session
        async with asyncio.timeout(_PATIENCE_S):
            while session.latest is None:
                await camera.pilot.pause(0.05)
        await camera.press("4")
        await camera.take("result", "awaited")
        await camera.press("v")
        async with asyncio.timeout(_PATIENCE_S):
            while not isinstance(application.screen, ViewerScreen):
                await camera.pilot.pause(0.05)
        await camera.take("viewer", "awaited")
        await camera.press("q", "6")
        await camera.take("failed", "Not passed yet")
        shutil.copy(heading.folder / "solution.py", exercise)
        await camera.take("passed", "Passed")

    await _use(context, HomeScreen, folder, walk)


async def _teach(folder: Path, context: CourseContext) -> None:
    """The answer to a question, in front of a class."""
    heading = next(lesson for lesson in context.course.lessons if lesson.id == _LESSON)
    lesson = load_lesson(heading.folder)
    lecture = Lecture(lesson, lesson.variants, lesson.predictions, knobs.values(lesson, {}), {})
    jobs = [
        Job(Target(str(variant.path)), Options(name=variant.name, lanes=lesson.lanes, stdout=Stdout.CAPTURE))
        for variant in lesson.variants
    ]
    last = max(place for place, step in enumerate(lecture.steps) if step.stage is Stage.TIMELINE)
    screen = PresentScreen(lecture, lambda _wanted: jobs, lesson.race, last)  # which runs them before

    async def walk(camera: Photographer) -> None:
        async with asyncio.timeout(_PATIENCE_S):
            while not lecture.runs:
                await camera.pilot.pause(0.05)
        await camera.take("present", lesson.variants[-1].name)

    await _use(context, lambda: screen, folder, walk)


def main() -> None:
    folder = Path(sys.argv[1]).resolve()
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as home:
        os.environ.update(HOME=home, XDG_STATE_HOME=home, XDG_CONFIG_HOME=home, XDG_DATA_HOME=home)
        os.chdir(home)
        context = start_workspace(Path(home, "exercises")).context
        asyncio.run(_learn(folder, context))
        asyncio.run(_teach(folder, locate(None)))


if __name__ == "__main__":
    main()
