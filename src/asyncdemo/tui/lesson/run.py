"""Step 3, Run: all variants on one scale, and what they write.

Not for: recording (``running``), what came out of it (``result``).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from functools import partial
from typing import ClassVar

from rich.segment import Segment
from rich.style import Style
from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.widgets import Static

from asyncdemo.course.content.predictions import answer_words
from asyncdemo.render.terminal.draw import Line
from asyncdemo.render.terminal.picture import picture_of_runs
from asyncdemo.render.terminal.theme import DIM, Theme
from asyncdemo.render.words import count, join, settings_words
from asyncdemo.services import NOUNS, choose
from asyncdemo.tui.drawing import Drawing
from asyncdemo.tui.lesson.running import RunningPane
from asyncdemo.tui.lesson.session import LessonRun, LessonSession
from asyncdemo.tui.lesson.words import figures, no_verdict

__all__ = ["RunPane"]

_TRACEBACK_LINES = 40
_ERROR = Style(color="red")
_LOW = 30
"""Lines of a screen on which the picture needs the room of a second line from each program."""
_BELOW_A_WARNING = ("  ", "RuntimeWarning: Enable tracemalloc")
"""Of a program that ended well they would take the place of the warning itself."""


class RunPane(RunningPane):
    """Before the run what was predicted, then the live picture, then what the scripts wrote, too."""

    DEFAULT_CSS = """
    RunPane Static { height: auto; }
    RunPane #wrote { height: auto; max-height: 40%; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "run", "Run", key_display="Enter"),
        Binding("enter", "result", "Result", key_display="Enter"),
        Binding("r", "run_again", "Run again"),
    ]
    can_focus = True

    def __init__(self, session: LessonSession, glyphs: Theme) -> None:
        super().__init__(session, glyphs, id="run")
        self._output: list[Line] = []

    def compose(self) -> ComposeResult:
        yield Static(id="about", markup=False)
        yield self.picture
        yield Drawing(self._written, id="wrote")

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

    def action_run_again(self) -> None:
        self.action_run()

    def action_result(self) -> None:
        self.lesson_screen.go_to("result")

    def started(self) -> None:
        waits = [NOUNS[name] for name in self.session.lesson.services]
        words = f"Starting {join(waits)}, then the programs." if waits else "Running."
        self._about(Text(f"{words} Ctrl-C ends it and shows what came."))
        self._output = []
        self.query_one("#wrote", Drawing).redraw()

    def ended(self, run: LessonRun) -> None:
        self._about(Text(f"{no_verdict(run) or 'Done.'} Enter shows the result, r runs it again."))
        self.picture.redraw(partial(_final, run, self.glyphs))
        # A server that ended as it should has written a line for each request, as the picture has.
        quiet = run.meant if self.session.lesson.load is not None else ()
        self._output = list(_output(run, quiet, 1 if self.size.height < _LOW else 2))
        self.query_one("#wrote", Drawing).redraw()

    def failed(self, error: str) -> None:
        self._about(Text(error))

    def _written(self, width: int, height: int) -> list[Line]:
        """The last lines say why a script failed. A long one goes on below."""
        return [part for line in self._output for part in _pieces(line, width)][-height:]

    def _about(self, words: Text) -> None:
        self.query_one("#about", Static).update(words)

    def _before(self) -> Text:
        session, lesson = self.session, self.session.lesson
        if session.missing:
            return Text(session.missing)
        how = "at the same time" if lesson.race else "one after another"
        words = Text(f"Enter runs {count(len(session.variants), 'program')}")
        words.append(f" {how}: " if len(session.variants) > 1 else ": ").append(f"{join(session.names)}.\n")
        if session.settings:
            words.append(f"With {settings_words(session.settings)}.\n")
        if lesson.services:
            names = join([f"{NOUNS[name]} ({choose(name).words()})" for name in lesson.services])
            words.append(f"They use {names}.\n")
        if session.predictions:
            words.append("\nYou predict (2 goes back to change it)\n", style="bold")
        answers = session.answers()
        for place, prediction in enumerate(session.predictions):
            said = answer_words(prediction, answers[place]) if place in answers else "no answer"
            words.append(f"{place + 1}. {session.question(place)}\n".replace("`", ""), style="dim")
            words.append(f"   {said}\n", style="" if place in answers else "dim")
        return words


def _final(run: LessonRun, theme: Theme, width: int, height: int) -> list[Line]:
    told = [figures(recorded, run.measured[recorded.name]) for recorded in run.runs]
    return picture_of_runs(run.runs, theme, width, height, told)


def _pieces(line: Line, width: int) -> Iterator[Line]:
    length = Segment.get_line_length(line)
    return (list(part) for part in Segment.divide(line, [*range(width, length, width), length]))


def _output(run: LessonRun, quiet: Collection[str], most: int) -> Iterator[Line]:
    """The newest lines of each script; of one that did not end well, all that is kept of its traceback."""
    for recorded, tail in zip(run.runs, run.output, strict=False):
        if recorded.name in quiet:
            continue
        lines = tail.last(_TRACEBACK_LINES)
        if recorded.name not in run.odd:
            lines = [line for line in lines if not line.text.startswith(_BELOW_A_WARNING)][-most:]
        for line in lines:
            yield [
                Segment(f"{recorded.name} ", DIM),
                Segment(line.text, _ERROR if line.stream == "stderr" else None),
            ]
