"""A lesson in front of a class, by its keys, on a small window and a large one."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace

import pytest
from textual.pilot import Pilot
from textual.widgets import Footer, Input, Static
from textual.widgets._footer import FooterKey

from asyncdemo.course.content import knobs
from asyncdemo.course.content.lesson import load_lesson
from asyncdemo.course.workspace.context import locate
from asyncdemo.errors import EXIT_OK, ServiceError
from asyncdemo.recording.runner import Options, Stdout, Target
from asyncdemo.serving import Job
from asyncdemo.tui.app import Application
from asyncdemo.tui.drawing import Drawing
from asyncdemo.tui.present.lecture import Lecture, Stage
from asyncdemo.tui.present.screen import PresentScreen
from tests.cli.commands import ROOT
from tests.tui.learner import until

pytestmark = pytest.mark.anyio
SIZES = [(80, 24), (160, 48)]
LESSON = load_lesson(next(ROOT.glob("lessons/*/*-two-sleeps")))
QUICK = {"BREWS": "3", "BREW_S": "0.02"}


def make_jobs(settings: dict[str, str] = QUICK) -> Sequence[Job]:
    return [
        Job(
            Target(str(variant.path)),
            Options(name=variant.name, lanes=LESSON.lanes, knobs=settings, stdout=Stdout.CAPTURE),
        )
        for variant in LESSON.variants
    ]


@asynccontextmanager
async def present(
    start: str = "title", size: tuple[int, int] = (80, 24), jobs: Callable[[], Sequence[Job]] = make_jobs
) -> AsyncIterator[tuple[Pilot[int], PresentScreen]]:
    lecture = Lecture(LESSON, LESSON.variants, LESSON.predictions, knobs.values(LESSON, QUICK), {})
    screen = PresentScreen(lecture, lambda _wanted: jobs(), LESSON.race, lecture.find(start))
    async with Application(locate(None), lambda: screen).run_test(size=size) as pilot:
        await pilot.pause()
        yield pilot, screen


def shown(screen: PresentScreen) -> list[str]:
    drawing = screen.query_one(Drawing)
    return [drawing.render_line(y).text.rstrip() for y in range(drawing.size.height)]


def where(screen: PresentScreen) -> str:
    return str(screen.query_one("#where", Static).render())


def keys(screen: PresentScreen) -> set[str]:
    return {key.description for key in screen.query_one(Footer).query(FooterKey)}


async def run_through(pilot: Pilot[int], screen: PresentScreen) -> None:
    """From the step before the run on."""
    await until(pilot, lambda: "run" in where(screen))
    await pilot.press("space")
    await until(pilot, lambda: bool(screen.lecture.runs))
    await pilot.pause()


@pytest.mark.parametrize("size", SIZES)
async def test_a_lesson_from_its_title_to_its_last_answer(size: tuple[int, int]) -> None:
    seen: list[str] = []

    async with present(size=size) as (pilot, screen):
        steps = screen.lecture.steps
        first_question = 1 + [step.stage for step in steps].index(Stage.PREDICT)
        while True:
            await pilot.pause()
            number = int(where(screen).split()[0])
            if steps[number - 1].stage is Stage.PREDICT and number == first_question:
                await pilot.press("a", "3", "enter")
                await until(pilot, lambda: "Vote" in keys(screen))
            assert screen.query_one(Footer).max_scroll_x == 0, "all keys of a step are in the footer"
            seen.append(f"{steps[number - 1].stage} {' '.join(shown(screen))}")
            if number == len(steps):
                break
            if steps[number - 1].stage is Stage.RUN:
                await run_through(pilot, screen)
            await pilot.press("space")
    stages = list(dict.fromkeys(text.partition(" ")[0] for text in seen))
    assert stages == [
        *("title", "question", "code", "predict", "run", "reveal", "timeline", "findings"),
        *("key", "one", "answer"),
    ]
    assert "Three seconds, a staircase." in seen[-1]
    assert not any("learners get wrong" in text for text in seen)


async def test_digits_count_hands_and_counts_return_at_the_reveal() -> None:
    async with present(start="predict") as (pilot, screen):

        async def press(*pressed: str) -> str:
            await pilot.press(*pressed)
            await pilot.pause()
            return "\n".join(shown(screen))

        text = await press("c")  # to the code, and back
        assert "time.sleep(BREW_S)" in text and "BREWS = " not in text
        await press("c")
        assert "predict" in where(screen)
        await press("a", *"soon", "enter")
        assert "Not understood: type a number (s), in digits. Esc drops it.\n" in where(screen)
        assert screen.query_one(Input).value == "soon"
        assert "1) 0.06 s" in await press("escape", "a", *"0.06 s", "enter")
        assert "Not understood" not in where(screen)
        assert "2) 3 s" in await press("a", *"3 s", "enter")
        assert "3)" not in await press("a", *"3.00", "enter"), "it is the same answer"
        assert "2) 3 s" not in await press("2", "minus", "minus")  # nobody is for it
        await press("a", *"0.02 s", "enter")
        await press("1", "1", "1", "exclamation_mark", "2", "2", "2", "2", "at")
        assert [line.split()[-2] for line in shown(screen) if " s  " in line] == ["2", "3"]
        assert "hands: 5" in where(screen)
        assert "> 6) awaited, threaded, blocking" in await press("space", "space", "space", "6")
        await press("space")
        await run_through(pilot, screen)
        await press("space")
        first, second = [line.split() for line in shown(screen) if ") 0.0" in line]
        assert (first[-2], second[-2]) == ("2", "3")
        assert second[0] == "✗"


@pytest.mark.parametrize("size", SIZES)
async def test_each_row_is_one_lane_and_surplus_lanes_share_the_last(
    size: tuple[int, int],
) -> None:
    asked = [{"BREWS": "10", "BREW_S": "0.02"}, {"BREWS": "100", "BREW_S": "0.005"}]
    made: list[int] = []

    def jobs() -> Sequence[Job]:
        made.append(1)
        return make_jobs(asked[len(made) - 1])

    async with present(start="run", size=size, jobs=jobs) as (pilot, screen):
        await run_through(pilot, screen)
        text = "\n".join(shown(screen))
        assert [text.count(f"brew({n})") for n in range(1, 11)] == [3] * 10
        await pilot.press("space", "b", "b", "space")  # runs nothing again
        await pilot.pause()
        assert "brew(3)" in "".join(shown(screen))
        assert len(made) == 1
        await pilot.press("r")
        await until(pilot, lambda: len(made) == 2 and "Next" in keys(screen))
        assert any(re.match(r"brew\(\d+[-…]1?00\) ", line) for line in shown(screen))


async def test_all_timelines_have_one_scale_and_z_looks_closer() -> None:
    def widths(screen: PresentScreen) -> int:
        return max(len(line) for line in shown(screen) if line.startswith("brew"))

    async with present(start="timeline", jobs=lambda: make_jobs({"BREW_S": "0.1"})) as (pilot, screen):
        await until(pilot, lambda: "timeline" in where(screen))  # the programs run first
        longest = widths(screen)
        await pilot.press("space", "space", "space", "space")
        await pilot.pause()
        assert widths(screen) <= longest / 2
        await pilot.press("z")
        await pilot.pause()
        assert widths(screen) > longest * 0.9


async def test_ctrl_c_ends_the_run_and_keeps_the_slide() -> None:
    slow = {"BREWS": "100", "BREW_S": "1"}

    async with present(start="run", jobs=lambda: make_jobs(slow)) as (pilot, screen):
        await pilot.press("space")
        await until(pilot, lambda: "brew(1)" in "".join(shown(screen)))
        assert "Next" not in keys(screen)  # keys pressed meanwhile skip nothing
        await pilot.press("ctrl+c")
        await until(pilot, lambda: "Ended early" in where(screen))
        assert "brew(1)" in "".join(shown(screen))
        await pilot.press("space")
        await pilot.pause()
        assert "r runs the programs" in "".join(shown(screen))


async def test_a_run_that_cannot_begin_says_why_on_its_slide() -> None:
    def jobs() -> Sequence[Job]:
        raise ServiceError("No Redis here.")

    async with present(start="run", jobs=jobs) as (pilot, screen):
        await pilot.press("space")
        await until(pilot, lambda: "No Redis here." in "".join(shown(screen)))


async def test_timer_counts_minutes_down_and_quitting_asks_once() -> None:
    async with present() as (pilot, screen):
        await pilot.press("t", "t")
        await pilot.pause()
        assert "timer 2:00" in where(screen) or "timer 1:59" in where(screen)
        await pilot.press("T", "q")
        await pilot.pause()
        assert "timer" not in where(screen)
        assert f"of {LESSON.minutes} min" in where(screen)
        assert pilot.app.return_value is None
        await pilot.press("q")
    assert pilot.app.return_value == EXIT_OK


async def test_a_program_that_does_not_end_as_it_should_is_not_judged() -> None:
    def jobs() -> Sequence[Job]:
        first, *others = make_jobs()
        late = replace(first.options, knobs={"BREWS": "100", "BREW_S": "1"}, timeout_s=0.5)
        return [replace(first, options=late), *others]

    async with present(start="reveal", jobs=jobs) as (pilot, screen):
        await until(pilot, lambda: "Not judged, because blocking" in "".join(shown(screen)))
