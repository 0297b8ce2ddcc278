"""The screen of a lesson: question, predict, run, result, change."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from textual import events
from textual.pilot import Pilot

from asyncdemo.course.content.catalog import load_course
from asyncdemo.course.workspace.context import CourseContext
from asyncdemo.course.workspace.progress import Record
from asyncdemo.errors import EXIT_FAILED, EXIT_INTERRUPTED, EXIT_MISSING, EXIT_OK, MissingError
from asyncdemo.tui.app import Application, ReadingScreen
from asyncdemo.tui.lesson.programs import CodeScreen
from asyncdemo.tui.lesson.screen import LessonScreen, StepBar
from asyncdemo.tui.lesson.session import LessonSession, summary
from asyncdemo.tui.viewer import ViewerScreen
from tests.tui.learner import User, until
from tests.unit.course.good_course import LESSON, change, write_course

pytestmark = pytest.mark.anyio
SIZES = [(80, 24), (160, 48)]
ORDER = """
[[predictions]]
kind = "order"
question = "Which is done first?"
metric = "wall_s"
tolerance = 0.5
why = "Waits that overlap take as long as one."

[claims]
"""
CHANGE = """\
## Change it

- `asyncdemo run tea --variant quick --set CUPS=9`: nine at the same time.
"""


@pytest.fixture
def context(tmp_path: Path) -> CourseContext:
    write_course(tmp_path / "course")
    lesson = tmp_path / "course" / LESSON
    change(lesson / "lesson.toml", "\n[claims]\n", ORDER)
    before, _, after = (lesson / "README.md").read_text().partition("## Change it\n")
    (lesson / "README.md").write_text(before + CHANGE + after)
    course = load_course(tmp_path / "course")
    return CourseContext(course, None, None)


class Driven(User):
    """Of a lesson."""

    def __init__(self, session: LessonSession, pilot: Pilot[int]) -> None:
        super().__init__(pilot)
        self.session = session

    @property
    def step(self) -> str:
        return self.app.screen.query_one(StepBar).current

    @property
    def seen(self) -> str:
        strips = self.app.screen._compositor.render_strips(self.app.size)
        return "\n".join("".join(segment.text for segment in strip).rstrip() for strip in strips)

    async def run(self) -> None:
        """From wherever one is."""
        assert isinstance(self.app.screen, LessonScreen)
        self.app.screen.go_to("run")
        await self.press("enter")
        await until(self.pilot, lambda: self.session.latest is not None)
        await self.pilot.pause()


@asynccontextmanager
async def drive(
    context: CourseContext, size: tuple[int, int] = (80, 24), predict: bool = True
) -> AsyncIterator[Driven]:
    """Opens the screen, to be used."""
    session = LessonSession(context, context.course.lessons[0].folder, predict=predict)
    application = Application(context, lambda: LessonScreen(session))
    async with application.run_test(size=size) as pilot:
        await pilot.pause()
        yield Driven(session, pilot)


@pytest.mark.parametrize("size", SIZES, ids=str)
async def test_from_the_question_to_the_result_nothing_is_out_of_sight(
    context: CourseContext, size: tuple[int, int]
) -> None:
    async with drive(context, size) as driven:
        assert "1 Question" in driven.seen
        await driven.press("enter", "4", "enter")  # the question; then a number
        await driven.press("enter")  # the first choice is below the cursor
        assert driven.session.typed(1) == "1"
        await driven.press("space", "down", "space", "enter")  # the order: slow moves down
        assert driven.step == "run"
        assert "quick, slow" in driven.seen
        await driven.press("enter")
        await until(driven.pilot, lambda: driven.session.first is not None)
        await driven.pilot.pause()
        assert "slow The tea is ready" in driven.seen
        await driven.press("enter")
        lines = driven.seen.splitlines()
        for words in ("You said 4; it was 4.", "You said: one.", "You said quick, slow; it was"):
            assert sum(words in line for line in lines) == 1
        for name, peak in (("slow", 1), ("quick", 4)):
            (title,) = [line for line in lines if f"── {name} ──" in line]
            assert f"at most {peak} at the same time" in title
        assert "brew(4)" in driven.seen or "-4)" in driven.seen
        assert "waiting" in driven.seen  # the legend is the last of it
        assert driven.app.screen.max_scroll_y == 0
    assert driven.session.exit_code() == EXIT_OK
    assert driven.app.return_value is None
    record = context.record("tea")
    assert (record.runs, record.asked, record.right, record.open_answers) == (1, 3, 3, ())
    assert [(one.place, one.answer, one.happened) for one in record.predictions][:2] == [
        (1, "4", "4"),
        (2, "one", "one"),
    ]
    assert "  3 of 3 predictions right" in list(summary(driven.session))


async def test_o_shows_all_that_the_programs_wrote(context: CourseContext) -> None:
    script = context.course.lessons[0].folder / "slow.py"
    said = "".join(f"    print('pot', {number})\n" for number in range(9))
    change(script, '    print("The tea is ready")\n', said + '    print("  at last")\n')
    async with drive(context) as driven:
        await driven.run()
        assert "slow   at last" in driven.seen
        assert "pot 3" not in driven.seen
        assert "o shows all 11 lines of output" in driven.seen
        await driven.press("o")
        assert all(f"pot {number}" in driven.seen for number in range(9))
        await driven.press("q")
        assert driven.step == "run"


@pytest.mark.parametrize("width", [45, 60, 80])
async def test_footer_cuts_no_key_and_always_has_leave_and_list(context: CourseContext, width: int) -> None:
    async with drive(context, (width, 24)) as driven:
        await driven.run()
        await driven.press("enter")
        await driven.pilot.pause(0.1)
        footer = driven.seen.splitlines()[-1]
        assert footer.endswith(" q Quit ? Keys")
        assert ("c Code" in footer) == (width == 80)


async def test_an_answer_too_long_for_a_line_goes_on_below(context: CourseContext) -> None:
    long = "only one, as each is waited for before the next"
    change(context.course.lessons[0].folder / "lesson.toml", '"one" =', f'"{long}" =')

    async with drive(context) as driven:
        await driven.press("2", "enter", "enter")
        await driven.run()
        await driven.press("enter")
        words = " ".join(driven.seen.split())
        assert f"You said: {long}." in words
        assert "waiting" in words  # the legend is the last of it


async def test_lesson_reopens_where_it_was_left_with_its_answers(
    context: CourseContext,
) -> None:
    context.remember("tea", Record.after_run)  # in a pipe
    async with drive(context) as driven:
        assert driven.step == "question"
        await driven.press("2", "7", "backspace", "5")
    async with drive(context) as driven:
        assert (driven.step, driven.session.typed(0)) == ("predict", "5")
        await driven.press("backspace", "4", "enter", "enter", "enter")
    async with drive(context) as driven:
        assert driven.step == "run"
        await driven.run()
        await driven.press("2", "9")
        assert driven.session.typed(0) == "4"
        assert "you can't change this answer" in driven.seen
    async with drive(context) as driven:
        assert driven.step == "run", "its pictures are gone"
    for passed, step in ((False, "exercise"), (True, "question")):
        context.remember("tea", lambda record, passed=passed: record.after_check(passed, "2026"))  # type: ignore[misc]
        async with drive(context) as driven:
            assert driven.step == step


async def test_keys_that_come_in_a_burst_take_effect_in_their_order(context: CourseContext) -> None:
    async with drive(context) as driven:
        await driven.press("2")
        for key in ("2", "7", "backspace", "5", "enter"):
            driven.app.post_message(events.Key(key, key if key.isdigit() else None))
        await until(driven.pilot, lambda: "Question 2" in driven.seen)
        assert driven.session.typed(0) == "25"
        await driven.pilot.pause()
        assert "Type a number" not in driven.seen  # the first question's, said late


async def test_what_is_no_number_is_no_answer_and_letters_are_keys(context: CourseContext) -> None:
    async with drive(context) as driven:
        await driven.press("2")
        assert "1 Question" not in driven.seen  # where digits are an answer
        await driven.press("1", "comma", "5", "enter")
        assert "without a comma" in driven.seen
        assert driven.session.typed(0) == ""
        await driven.press("n")
        assert driven.step == "run"
        await driven.press("b", "tab")
        assert "Tab skips" in driven.seen
        await driven.press("tab", "tab")
        assert driven.step == "run"
        assert not driven.session.answers()


async def test_ctrl_c_ends_the_run_and_shows_what_came(context: CourseContext) -> None:
    folder = context.course.lessons[0].folder
    for name in ("slow", "quick"):
        change(folder / f"{name}.py", "BREW_S = 0.02", "BREW_S = 30.0")

    async with drive(context) as driven:
        await driven.press("3", "enter")
        await until(driven.pilot, lambda: "brew(1)" in driven.seen)
        await driven.press("ctrl+c")
        await until(driven.pilot, lambda: driven.session.latest is not None)
        await driven.pilot.pause()
        assert driven.app.is_running
        assert "KeyboardInterrupt" not in driven.seen
        await driven.press("4")
        assert "Interrupted: this is what was recorded until then." in driven.seen
        assert "slow" in driven.seen
        await driven.press("q")

    assert driven.app.return_value == EXIT_INTERRUPTED
    assert context.record("tea").runs == 0


@pytest.mark.parametrize("width", [80, 160])
async def test_the_programs_are_beside_the_question(context: CourseContext, width: int) -> None:
    async with drive(context, (width, 48)) as driven:
        await driven.press("2")
        assert "group.create_task(brew(n))" in driven.seen  # the question is about quick
        assert ("        await brew(n)" in driven.seen) is (width == 160)
        assert "Make two cups" not in driven.seen  # of the docstring
        (differs,) = [line for line in driven.seen.splitlines() if "create_task" in line]
        assert "│" in differs
        await driven.press("p")
        assert "        await brew(n)" in driven.seen
        await driven.press("c")
        assert isinstance(driven.app.screen, CodeScreen)
        await driven.press("escape")
        assert driven.step == "predict"


async def test_too_long_program_begins_with_the_differing_lines(context: CourseContext) -> None:
    folder, words = (
        context.course.lessons[0].folder,
        "  # a cup that is put on the stove once this one is ready",
    )
    change(folder / "slow.py", "        await brew(n)", f"        await brew(n){words * 2}")
    for name in ("slow.py", "quick.py"):
        change(folder / name, "import asyncio\n", "import asyncio\n" + "OTHER = 1\n" * 30)

    async with drive(context, (80, 24)) as driven:
        await driven.press("2")
        assert "group.create_task(brew(n))" in driven.seen
        assert "above: PgUp" in driven.seen
        await driven.press(*["pageup"] * 5)
        assert "import asyncio" in driven.seen
        assert "below: PgDn" in driven.seen
        await driven.press(*["pagedown"] * 5)
        assert "group.create_task(brew(n))" in driven.seen
    async with drive(context, (150, 48)) as driven:
        await driven.press("2")
        assert driven.seen.count("on the stove") == 2  # a long line goes on below


@pytest.mark.parametrize("size", [(80, 24), (80, 40)], ids=str)
async def test_other_settings_are_run_and_compared_with_the_first(
    context: CourseContext, size: tuple[int, int]
) -> None:
    titles_shown = {
        24: [
            ("── slow ─", "at most 1 at the same time; before "),
            ("── quick ─", "6 at the same time; before "),
        ],
        40: [
            ("slow, before", "at most 1 at"),
            ("slow, after", "at most 1 at"),
            ("quick, before", "at most 4 at"),
            ("quick, after", "at most 6 at"),
        ],
    }[size[1]]

    async with drive(context, size) as driven:
        await driven.run()
        await driven.press("5", "backspace", "9", "0", "0", "enter")
        assert "CUPS can be 1 to 100 cups" in driven.seen
        await driven.press("backspace", "backspace", "backspace", "6", "enter")
        await until(driven.pilot, lambda: driven.session.changed is not None)
        await driven.pilot.pause()
        axis, *titles = [line for line in driven.seen.splitlines() if "╷0" in line or "at most" in line]
        assert "╷0" in axis
        for title, expected in zip(titles, titles_shown, strict=True):
            assert all(words in title for words in expected)
        assert "Choose" not in driven.seen
        changed = driven.session.changed
        await driven.press("e", "tab", "enter")  # a suggestion, for one variant
        await until(driven.pilot, lambda: driven.session.changed is not changed)
        await driven.pilot.pause()
        assert "nine at the same time" in driven.seen
        assert "at most 9 at the same time" in driven.seen
        assert "slow" not in driven.seen

    assert driven.session.first is not None
    assert driven.session.first.settings == {}


async def test_longer_things_are_a_key_away(context: CourseContext) -> None:
    expected = {"w": "Each await waits for its cup.", "f": "throughput", "t": "One more question"}

    async with drive(context, (120, 60)) as driven:
        await driven.run()
        await driven.press("4")
        for key, words in expected.items():
            await driven.press(key)
            await until(driven.pilot, lambda: isinstance(driven.app.screen, ReadingScreen))
            await driven.press("end")
            await until(driven.pilot, lambda words=words: words in driven.seen)  # type: ignore[misc]
            assert "For instructors" not in driven.seen
            await driven.press("escape")
            assert driven.step == "result"
        await driven.press("v")
        assert isinstance(driven.app.screen, ViewerScreen)
        await driven.press("q")
        assert driven.step == "result"


async def test_the_text_of_a_lesson_that_was_run_earlier_needs_no_run(context: CourseContext) -> None:
    async with drive(context, (120, 60)) as driven:
        await driven.press("4", "w")
        assert driven.step == "result"

    context.remember("tea", Record.after_run)
    async with drive(context, (120, 60)) as driven:
        await driven.press("4", "w")
        assert isinstance(driven.app.screen, ReadingScreen)
        await driven.press("escape", "f")
        assert driven.step == "result"


async def test_a_variant_that_fails_says_why_and_judges_nothing(context: CourseContext) -> None:
    change(context.course.lessons[0].folder / "slow.py", "        await brew(n)", "        await brow(n)")

    async with drive(context) as driven:
        await driven.run()
        assert "NameError" in driven.seen
        await driven.press("4")
        assert "Predictions are not judged, because slow did not end as the lesson intends." in driven.seen
        assert "failed with exit code 1" in driven.seen

    assert driven.session.exit_code() == EXIT_FAILED


async def test_missing_package_is_named_with_the_installing_command(
    context: CourseContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    def need(*_: object) -> None:
        raise MissingError("tea needs kettle. Install it: pip install kettle")

    monkeypatch.setattr("asyncdemo.course.judging.lesson_jobs.need", need)

    async with drive(context) as driven:
        assert "pip install kettle" in driven.seen
        await driven.press("3", "enter")
        await driven.pilot.pause(0.1)
        assert "pip install kettle" in driven.seen
        assert "To try again, press Enter." in driven.seen
        assert "Your predictions" in driven.seen

    assert driven.session.exit_code() == EXIT_MISSING
    assert list(summary(driven.session))[1:] == ["tea needs kettle. Install it: pip install kettle"]


async def test_steps_are_clickable_and_fewer_without_questions(context: CourseContext) -> None:
    async with drive(context, predict=False) as driven:
        assert "2 Run" in driven.seen
        assert "Predict" not in driven.seen
        await driven.pilot.click(StepBar, offset=(driven.seen.index("3 Result"), 0))
        await driven.pilot.pause()
        assert driven.step == "result"
        assert "Not run since you opened this lesson" in driven.seen
        await driven.press("b", "b")
        assert driven.step == "question"
