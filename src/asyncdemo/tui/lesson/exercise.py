"""Step 6: the exercise of the lesson.

Not for: the exercise itself (``tui.exercise``).
"""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType

from asyncdemo.course.content.catalog import Heading
from asyncdemo.render.terminal.theme import Theme
from asyncdemo.tui.exercise.pane import ExercisePane
from asyncdemo.tui.lesson.pane import Pane
from asyncdemo.tui.lesson.session import LessonSession


class ExerciseStep(Pane):
    """Checked from the moment it is first looked at."""

    DEFAULT_CSS = "ExerciseStep { padding: 0; }"
    BINDINGS: ClassVar[list[BindingType]] = [Binding("n", "next_lesson", "Next lesson")]

    def __init__(self, session: LessonSession, glyphs: Theme, lesson: Heading) -> None:
        super().__init__(session, glyphs, id="exercise")
        self.pane = ExercisePane(lesson)

    def compose(self) -> ComposeResult:
        yield self.pane

    def shown(self) -> None:
        self.pane.focus()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        return self.pane.passed if action == "next_lesson" else True

    def action_next_lesson(self) -> None:
        self.lesson_screen.next_lesson()
