"""The screen of a lesson: a bar of steps, and the current step. The first and the last one are here, too."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Final, cast

from rich.text import Text
from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.message import Message
from textual.reactive import reactive
from textual.widget import Widget
from textual.widgets import ContentSwitcher, Input, Markdown, Static

from asyncdemo.course.content.text import sections
from asyncdemo.course.workspace.next_step import following_lesson
from asyncdemo.course.workspace.workspace import has_exercise
from asyncdemo.render.words import fit
from asyncdemo.tui.app import PICTURE_WORDS, Application, KeyFooter, LearnerScreen, ReadingScreen
from asyncdemo.tui.drawing import Drawing
from asyncdemo.tui.exercise.pane import ExercisePane
from asyncdemo.tui.lesson.change import ChangePane
from asyncdemo.tui.lesson.pane import Pane, RunningPane, whole_output
from asyncdemo.tui.lesson.predict import PredictPane
from asyncdemo.tui.lesson.programs import CodeScreen
from asyncdemo.tui.lesson.result import ResultPane
from asyncdemo.tui.lesson.run import RunPane
from asyncdemo.tui.lesson.session import LessonSession

_HIGH: Final = 30
"""Minimum height of a terminal with a line to spare."""

_MOST_STEPS: Final = 6


class QuestionPane(Pane):
    """Step 1: the text of the question, and what is missing if the lesson can't run here."""

    step = "question"
    DEFAULT_CSS = """
    QuestionPane Static { height: auto; }
    QuestionPane Markdown { margin: 0; padding: 0; max-width: 100; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "screen.step(1)", "Next", key_display="Enter"),
    ]

    def compose(self) -> ComposeResult:
        yield Static(self.session.missing, classes="bad", markup=False)
        with VerticalScroll():
            yield Markdown(sections(self.session.lesson.readme).get("The question", ""), open_links=False)

    def shown(self) -> None:
        self.take_focus(self.query_one(VerticalScroll))


class ExerciseStep(Pane):
    """Step 6: the exercise, checked from its first display on."""

    step = "exercise"
    DEFAULT_CSS = "ExerciseStep { padding: 0; }"
    BINDINGS: ClassVar[list[BindingType]] = [Binding("n", "next_lesson", "Next")]

    def __init__(self, session: LessonSession) -> None:
        super().__init__(session)
        self.pane = ExercisePane(session.lesson)

    def compose(self) -> ComposeResult:
        yield self.pane

    def shown(self) -> None:
        self.pane.focus()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        return self.pane.passed if action == "next_lesson" else True

    def action_next_lesson(self) -> None:
        """Replace this lesson by the next one that is not done."""
        context = cast(Application, self.app).context
        lesson = following_lesson(context.course, context.records, self.session.lesson.id)
        if lesson is None:
            self.notify("All other lessons are done.")
        else:
            self.session.following = LessonSession(context, lesson.folder)
            self.app.switch_screen(LessonScreen(self.session.following))


class StepBar(Widget):
    """The steps in a line; a click goes to one."""

    DEFAULT_CSS = "StepBar { height: 1; margin-bottom: 1; }"
    current: reactive[str] = reactive("")
    numbered = reactive(True)

    @dataclass
    class Chosen(Message):
        step: str

    def __init__(self, steps: list[str], title: str) -> None:
        super().__init__()
        self._steps, self._title = steps, title

    def render(self) -> Text:
        words = Text(no_wrap=True)
        for step, label in self._labels():
            words.append(f" {label} ", style="bold reverse" if step == self.current else "")
        return words.append("  " + fit(self._title, self.size.width - words.cell_len - 2, "…"), style="dim")

    def on_click(self, event: events.Click) -> None:
        left = 0
        for step, label in self._labels():
            left += len(label) + 2
            if event.x < left:
                self.post_message(self.Chosen(step))
                return

    def _labels(self) -> list[tuple[str, str]]:
        places = range(1, len(self._steps) + 1) if self.numbered else " " * len(self._steps)
        return [
            (step, f"{place} {step.capitalize()}") for place, step in zip(places, self._steps, strict=True)
        ]


class LessonScreen(LearnerScreen):
    """A lesson in steps, back and forth at any time.

    Attributes:
        session: The answers and runs.
    """

    DEFAULT_CSS = """
    LessonScreen { overflow: hidden; }
    LessonScreen #steps { height: 1fr; }
    LessonScreen.-low StepBar { margin-bottom: 0; }
    """
    VERTICAL_BREAKPOINTS = [(0, "-low"), (_HIGH, "-high")]
    words = PICTURE_WORDS
    BINDINGS: ClassVar[list[BindingType]] = [
        *(
            Binding(str(place), f"show({place})", f"Step {place}", show=False)
            for place in range(1, _MOST_STEPS + 1)
        ),
        Binding("n", "step(1)", "Step", key_display="b/n"),
        Binding("right", "step(1)", "Step", show=False),
        Binding("b,left", "step(-1)", "Step", show=False),
        Binding("c", "code", "Code"),
        Binding("o", "output", "Output of the programs", show=False),
    ]

    def __init__(self, session: LessonSession) -> None:
        """``session`` is closed with the screen."""
        super().__init__()
        self.session = session

    @property
    def steps(self) -> list[str]:
        """The steps of this lesson; it may have no questions."""
        return list(self._panes)

    @property
    def runs(self) -> bool:
        return any(pane.recording.active for pane in self.query(RunningPane))

    def compose(self) -> ComposeResult:
        session = self.session
        kinds: dict[type[Pane], object] = {
            QuestionPane: True,
            PredictPane: session.predictions,
            RunPane: True,
            ResultPane: True,
            ChangePane: session.lesson.knobs,
            ExerciseStep: has_exercise(session.lesson),
        }
        panes = [kind(session) for kind, is_there in kinds.items() if is_there]
        self._panes = {pane.step: pane for pane in panes}
        yield StepBar(self.steps, f"{session.lesson.number}. {session.lesson.title}")
        with ContentSwitcher(initial="question", id="steps"):
            yield from panes
        yield KeyFooter()

    def on_mount(self) -> None:
        self.watch(self, "focused", self._show_numbers)
        self.go_to(self.session.left_at)
        if self.session.note:
            self.notify(self.session.note, markup=False)

    def on_unmount(self) -> None:
        self.session.close()

    def _show_numbers(self, focused: Widget | None) -> None:
        """If digits are an answer, they don't lead to steps."""
        self.query_one(StepBar).numbered = not isinstance(focused, Input)

    def on_step_bar_chosen(self, event: StepBar.Chosen) -> None:
        self.go_to(event.step)

    def go_to(self, step: str) -> None:
        """Show a step, or the first if there is no such step."""
        step = step if step in self._panes else self.steps[0]
        self.query_one("#steps", ContentSwitcher).current = step
        self.query_one(StepBar).current = step
        self._panes[step].shown()
        self.refresh_bindings()

    def action_step(self, by: int) -> None:
        place = self.steps.index(self.query_one(StepBar).current) + by
        if 0 <= place < len(self.steps):
            self.go_to(self.steps[place])

    def changed(self) -> None:
        """Update the keys and the view after a run."""
        current = self.query_one(StepBar).current
        if current in ("predict", "result"):
            self._panes[current].shown()
        self.refresh_bindings()

    def action_show(self, place: int) -> None:
        if place <= len(self.steps):
            self.go_to(self.steps[place - 1])

    def action_code(self) -> None:
        self.app.push_screen(CodeScreen(self.session.variants, self.application.glyphs))

    def action_output(self) -> None:
        run, glyphs = self.session.latest, self.application.glyphs
        if run is not None:
            output = Drawing(lambda width, _: list(whole_output(run, glyphs, width)))
            self.app.push_screen(ReadingScreen("What the programs wrote", output))

    def interrupt(self) -> bool:
        runs = any(pane.recording.interrupt() for pane in self.query(RunningPane))
        return any(pane.interrupt() for pane in self.query(ExercisePane)) or runs

    def ask_before_quitting(self) -> str:
        return "The programs are running. Press the key again to stop them and leave." if self.runs else ""

    def exit_code(self) -> int:
        return self.session.exit_code()
