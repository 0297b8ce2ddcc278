"""Watch mode: one exercise at a time on the whole screen, whichever was saved last."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType

from asyncdemo.course.content.catalog import Heading
from asyncdemo.course.judging.practice import following
from asyncdemo.tui.app import KeyFooter, LearnerScreen
from asyncdemo.tui.exercise.pane import ExercisePane


class WatchScreen(LearnerScreen):
    """Switches to whichever exercise is saved."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("n", "next", "Next")]

    def __init__(self, lesson: Heading) -> None:
        """Start with the exercise of ``lesson``."""
        super().__init__()
        self.pane = ExercisePane(lesson)

    def compose(self) -> ComposeResult:
        yield self.pane
        yield KeyFooter()

    def interrupt(self) -> bool:
        return self.pane.interrupt()

    def on_exercise_pane_other_saved(self, message: ExercisePane.OtherSaved) -> None:
        before = self.pane.lesson.id
        note = f"You saved {message.lesson.id}, so that is checked now, not {before}."
        self.pane.switch_to(message.lesson, note, saved=True)

    def action_next(self) -> None:
        left = self.pane.lesson
        lesson = following(self.pane.context, left)
        if lesson is None:
            self.notify("There is no other exercise.")
        else:
            passed = self.pane.passed
            self.pane.switch_to(
                lesson, "" if passed else f"{left.id} has not passed yet. To come back to it, press n."
            )
