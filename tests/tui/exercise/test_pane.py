"""The exercise on a screen: verdicts on saves, hints, the solution, what was changed, reset, the editor."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from asyncdemo.course.workspace.saves import Change
from asyncdemo.errors import EXIT_OK
from asyncdemo.tui.app import Application
from asyncdemo.tui.exercise.pane import ExercisePane
from asyncdemo.tui.viewer import ViewerScreen
from asyncdemo.tui.watch import WatchScreen
from tests.support.small_course import BROKEN, FIXED, spoil_progress
from tests.tui.learner import Learner, User, shown, until

pytestmark = pytest.mark.anyio
SIZES = [(80, 24), (160, 48)]
FAILS = "should be at work at the same time"
HANGS = FIXED.replace("    await asyncio.sleep(1)\n", "    while True:\n        pass\n")


@pytest.fixture
def learner(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Learner:
    return Learner(tmp_path, monkeypatch)


@asynccontextmanager
async def watching(learner: Learner, size: tuple[int, int] = (100, 36)) -> AsyncIterator[User]:
    """The exercise of tea."""
    lesson = learner.lesson("tea")
    application = Application(learner.context, lambda: WatchScreen(lesson))
    async with application.run_test(size=size) as pilot:
        yield User(pilot)


@pytest.mark.parametrize("size", SIZES)
async def test_a_save_is_a_verdict_and_a_pass_shows_before_and_now(
    learner: Learner, size: tuple[int, int]
) -> None:
    async with watching(learner, size) as desk:
        await desk.sees(
            "Make both at the same time.", "Not passed yet", FAILS, "brew(0)", "x Reset", "q Quit", "? Keys"
        )
        learner.tea.write_text(FIXED)
        await desk.sees("Passed", "before", "now", "2.00 s", "1.00 s")
    assert learner.record("tea").passed


async def test_each_save_is_an_attempt_at_any_exercise_and_n_continues(learner: Learner) -> None:
    async with watching(learner) as desk:
        await desk.sees(FAILS)  # the first look is none
        learner.tea.write_text(BROKEN + "\n# again\n")
        await until(desk.pilot, lambda: learner.record("tea").checks == 1)
        learner.coffee.write_text(FIXED)
        await desk.sees("You saved coffee", "Exercise 2, Coffee", "Passed")
        await desk.presses("n", "Exercise 1, Tea", FAILS)
        await desk.presses("n", "tea has not passed yet. To come back to it, press n.", "Exercise 2, Coffee")


async def test_second_file_saved_at_the_same_time_is_not_checked(learner: Learner) -> None:
    async with watching(learner) as desk:
        await desk.sees(FAILS)
        desk.pilot.app.screen.query_one(ExercisePane)._saved({"tea": Change.SAVED, "coffee": Change.SAVED})
        await desk.sees("Also saved, but not checked: coffee.")


async def test_help_in_the_place_of_the_verdict_and_beside_it(learner: Learner) -> None:
    async with watching(learner) as desk:
        await desk.sees(FAILS)
        await desk.presses("h", "Hint 1 of 3: Where to look", "At the loop.", FAILS)
        await desk.presses("h", "Hint 2 of 3: The cause")
        await desk.presses("b", "Hint 1 of 3")
        await desk.presses("b", FAILS)
        await desk.presses("h", "Hint 3 of 3", "asyncio.gather")
        await desk.presses("escape", "Hint 2 of 3")
        assert learner.record("tea").hints == 3
        learner.tea.write_text(BROKEN + "\n# again\n")
        await until(desk.pilot, lambda: learner.record("tea").checks == 1)
        await desk.sees("Not passed yet", "Hint 2 of 3", FAILS)  # it stays beside a failure
        await desk.presses("s", "press s again")
        assert "yours may look different" not in shown(desk.app)
        await desk.presses("d", "+ # again")
        assert "What the solution changes" not in shown(desk.app)
        learner.tea.write_text("def brew(:\n" + "# a long file\n" * 60)  # not even Python
        await desk.sees("syntax error")
        await desk.presses("c", "tea.py", "1 def brew(:", "PgDn Down")
        await desk.presses("escape", "syntax error")
        await desk.presses("h", "Hint 1 of 3")
        learner.tea.write_text(FIXED.replace("brew(0), brew(1)", "*map(brew, range(2))"))
        await desk.sees("Passed", "before", "now", "1.00 s")  # and makes room for a pass
        await desk.presses("d", "+ await asyncio.gather(*map(brew, range(2)))", "What the solution changes")
        await desk.presses("s", "yours may look different", "asyncio.gather(brew(0), brew(1))")
        readme = learner.lesson("tea").folder / "README.md"
        readme.write_text("## Key points\n\nBoth together.\n\n## Change it\n\nNo.\n")
        await desk.presses("w", "Both together.")
        assert "No." not in shown(desk.app)


async def test_the_solution_is_shown_before_a_pass_to_who_asks_twice(learner: Learner) -> None:
    async with watching(learner) as desk:
        await desk.sees(FAILS)
        await desk.presses("s", "press s again")
        await desk.presses("s", "yours may look different", "asyncio.gather(brew(0), brew(1))")


async def test_the_picture_opens_in_the_viewer_and_q_comes_back(learner: Learner) -> None:
    async with watching(learner) as desk:
        await desk.sees(FAILS)
        await desk.pilot.press("z")
        await until(desk.pilot, lambda: isinstance(desk.app.screen, ViewerScreen))
        learner.tea.write_text(FIXED)  # the files are watched all the while
        await until(desk.pilot, lambda: bool(learner.record("tea").passed))
        await desk.presses("q", "Passed", "before", "now")
        learner.tea.write_text("async def brew(n: int) -> None: ...\n")
        await desk.sees("Not passed yet")
        await until(desk.pilot, lambda: "z Zoom" not in shown(desk.app))  # there is nothing to see


async def test_reset_confirms_a_loss_once_and_restores_missing_files(
    learner: Learner,
) -> None:
    learner.tea.write_text(FIXED)

    async with watching(learner) as desk:
        await desk.sees("Passed")
        await desk.presses("x", "press x again")
        assert learner.tea.read_text() == FIXED
        await desk.presses("x", "Your version:", FAILS)
        assert learner.tea.read_text() == BROKEN
        assert learner.tea.with_name("01-tea.py.bak").read_text() == FIXED
        learner.tea.unlink()
        await desk.sees("No verdict", "is missing. To restore it: press x")
        await desk.presses("x", FAILS)
    assert learner.tea.read_text() == BROKEN


async def test_keys_work_during_a_check_and_ctrl_c_or_a_save_ends_it(learner: Learner) -> None:
    learner.tea.write_text(HANGS)

    async with watching(learner) as desk:
        await desk.sees("Checking 01-hot/01-tea.py ...", "a run is stopped after 10 s")
        await desk.presses("h", "Hint 1 of 3")
        await desk.presses("b")
        await desk.presses("ctrl+c", "has not been checked")
        await desk.presses("enter", "Checking")
        learner.tea.write_text(FIXED)
        await desk.sees("Passed")


async def test_error_is_shown_in_place_of_a_verdict_or_beside_it(learner: Learner) -> None:
    (check,) = learner.course.glob("*/*tea/check.py")
    works = check.read_text()
    check.write_text("def check(seen):\n    {}['cups']\n")

    async with watching(learner) as desk:
        await desk.sees("No verdict", "the check itself failed: KeyError: 'cups'")
        check.write_text(works)
        spoil_progress()
        learner.tea.write_text(FIXED)
        await desk.sees("Passed", "Your progress could not be saved")


async def test_without_a_workspace_a_key_makes_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    learner = Learner(tmp_path, monkeypatch, started=False)

    async with watching(learner) as desk:
        folder = tmp_path / "asyncdemo-exercises"
        await until(desk.pilot, lambda: str(folder) in shown(desk.app).replace(" ", ""))
        await desk.presses("m", "with 2 exercises", FAILS)
        (folder / "01-hot" / "01-tea.py").write_text(FIXED)
        await desk.sees("Passed")
    assert isinstance(desk.app, Application) and desk.app.context.workspace is not None


async def test_without_an_editor_it_says_what_to_do(
    learner: Learner, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("VISUAL", "EDITOR", "TERM_PROGRAM"):
        monkeypatch.delenv(name, raising=False)

    async with watching(learner) as desk:
        await desk.sees(FAILS)
        await desk.presses("e", "Neither $VISUAL nor $EDITOR is set")
        await desk.presses("q")
    assert desk.app.return_value == EXIT_OK
