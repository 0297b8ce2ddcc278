"""Step 3, Run: all variants on one scale, and their output."""

from __future__ import annotations

from typing import ClassVar

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.widgets import Static

from asyncdemo.course.content.predictions import answer_words
from asyncdemo.render.terminal.picture import picture_of_runs
from asyncdemo.render.terminal.theme import WARNING
from asyncdemo.render.words import count, join, settings_words
from asyncdemo.services import NOUNS, choose
from asyncdemo.tui.lesson.pane import RunningPane
from asyncdemo.tui.lesson.session import LessonRun


class RunPane(RunningPane):
    """The predictions before the run, then the live picture, and at the end the scripts' output, too."""

    step = "run"
    DEFAULT_CSS = "RunPane Static { height: auto; }"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "run", "Run", key_display="Enter"),
        Binding("enter", "result", "Result", key_display="Enter"),
        Binding("r", "run_again", "Run again"),
    ]
    can_focus = True

    def compose(self) -> ComposeResult:
        yield Static(id="about", markup=False)
        yield self.picture
        yield self.wrote

    def shown(self) -> None:
        super().shown()
        if self.session.first is None and not self.lesson_screen.runs:
            self._about(self._before())

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action not in ("run", "result", "run_again"):
            return True
        return not self.lesson_screen.runs and (action == "run") == (self.session.first is None)

    def action_run(self) -> None:
        self.start(self.session.settings, self.session.variants)

    action_run_again = action_run

    def action_result(self) -> None:
        self.lesson_screen.go_to("result")

    def started(self) -> None:
        waits = [NOUNS[name] for name in self.session.lesson.services]
        words = f"Starting {join(waits)}, then the programs." if waits else "Running."
        self._about(f"{words} Ctrl-C stops it and shows what was recorded.")

    def ended(self, run: LessonRun) -> None:
        self._about(f"{run.no_verdict or 'Done.'} Enter shows the result, r runs it again.")
        self.picture.redraw(
            lambda width, height: picture_of_runs(run.runs, self.glyphs, width, height, run.figures)
        )
        self.wrote.show(run, self.size.height - 1, self.size.width)

    def failed(self, error: str) -> None:
        self._about(self._before(f"{error}\nTo try again, press Enter."))

    def _about(self, words: str | Text) -> None:
        self.query_one("#about", Static).update(words)

    def _before(self, trouble: str = "") -> Text:
        session, lesson = self.session, self.session.lesson
        if session.missing and not trouble:
            trouble = f"{session.missing}\nWhen it is installed, press Enter."
        how = (
            f" {'at the same time' if lesson.race else 'one after another'}"
            if len(session.variants) > 1
            else ""
        )
        words = Text(f"{trouble}\n", WARNING)
        if not trouble:
            words = Text(
                f"Enter runs {count(len(session.variants), 'program')}{how}: {join(session.names)}.\n"
            )
        if session.settings:
            words.append(f"With {settings_words(session.settings)}.\n")
        if lesson.services and not trouble:
            names = join([f"{NOUNS[name]} ({choose(name).words()})" for name in lesson.services])
            words.append(f"They use {names}.\n")
        if session.predictions:
            words.append("\nYour predictions (to change them, press 2)\n", style="bold")
        answers = session.answers()
        for place, prediction in enumerate(session.predictions):
            said = answer_words(prediction, answers[place]) if place in answers else "no answer"
            words.append(f"{place + 1}. {session.question(place)}\n".replace("`", ""), style="dim")
            words.append(f"   {said}\n", style="" if place in answers else "dim")
        return words
