"""Step 6: the exercise of the lesson.

Not here: the exercise itself (see ``tui.exercise``).
"""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType

from asyncdemo.render.terminal.theme import Theme
from asyncdemo.tui.exercise.pane import ExercisePane
from asyncdemo.tui.lesson.pane import Pane
from asyncdemo.tui.lesson.session import LessonSession


class ExerciseStep(Pane):
    """The exercise, checked from its first display on."""

    step = "exercise"
    DEFAULT_CSS = "ExerciseStep { padding: 0; }"
    BINDINGS: ClassVar[list[BindingType]] = [Binding("n", "next_lesson", "Next lesson")]

    def __init__(self, session: LessonSession, glyphs: Theme) -> None:
        super().__init__(session, glyphs)
        self.pane = ExercisePane(session.lesson)

    def compose(self) -> ComposeResult:
        yield self.pane

    def shown(self) -> None:
        self.pane.focus()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        return self.pane.passed if action == "next_lesson" else True

    def action_next_lesson(self) -> None:
        self.lesson_screen.next_lesson()
