"""What the steps of a lesson have in common: their pane, and how the programs run in one."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import ClassVar, Final, Protocol, cast

from rich.segment import Segment
from rich.style import Style
from textual.containers import Vertical
from textual.widget import Widget

from asyncdemo.course.content.lesson import Variant
from asyncdemo.render.terminal.draw import Line, title_line
from asyncdemo.render.terminal.output import OutputLine
from asyncdemo.render.terminal.picture import whole_height
from asyncdemo.render.terminal.theme import DIM, Theme
from asyncdemo.render.words import count
from asyncdemo.tui.app import Application
from asyncdemo.tui.drawing import Drawing
from asyncdemo.tui.lesson.session import LessonRun, LessonSession
from asyncdemo.tui.recording import LiveRecording

_TRACEBACK_LINES: Final = 40
_ERROR: Final = Style(color="red")
_LOW: Final = 30
"""On lower screens, the picture needs the space of a second line for each program."""
_DETAILS: Final = re.compile(r"$|  |RuntimeWarning: Enable tracemalloc|.*\(most recent call first\):")
"""Lines of a warning or of stacks. In a program that finished, they would displace what it says itself."""


class Steps(Protocol):
    """What a step asks of the screen that it is on."""

    @property
    def runs(self) -> bool:
        """Whether programs are running."""

    def go_to(self, step: str) -> None:
        """Show a step, or the first if there is no such step."""

    def changed(self) -> None:
        """Update the keys and the view after a run."""


class Pane(Vertical):
    """One step. Its keys work while the focus is in it, so something in it must always be focusable.

    Attributes:
        step: Its name, which is its id on the screen.
    """

    step: ClassVar[str]
    DEFAULT_CSS = "Pane { height: 1fr; padding: 0 1; }"

    def __init__(self, session: LessonSession) -> None:
        super().__init__(id=self.step)
        self.session, self.glyphs = session, cast(Application, self.app).glyphs

    @property
    def lesson_screen(self) -> Steps:
        return cast("Steps", self.screen)

    def shown(self) -> None:
        """Take the focus and show what is new, because this is the current step now."""
        self.take_focus(self)

    def take_focus(self, widget: Widget) -> None:
        """Focus immediately, not later like ``focus``: the next key may already be pressed."""
        self.screen.set_focus(widget)


class RunningPane(Pane):
    """A step in which the programs run: shows them live, and reports the end to the session.

    Attributes:
        recording: The current recording.
        picture: Where it is drawn; subclasses decide what else it draws.
        wrote: What the programs wrote.
    """

    def __init__(self, session: LessonSession) -> None:
        super().__init__(session)
        self.recording = LiveRecording(self, self.glyphs, self._drawn)
        self.picture = Drawing(self.recording.lines)
        self.wrote = Wrote()
        self._asked: tuple[Mapping[str, str], Sequence[Variant]] = {}, ()

    def start(self, settings: Mapping[str, str], variants: Sequence[Variant]) -> None:
        """Run these variants with these settings, unless others are running."""
        if self.lesson_screen.runs:
            return
        self._asked = settings, variants
        self.recording.panels = []
        self.picture.redraw(self.recording.lines)
        self.wrote.clear()
        self.run_worker(
            self.recording.record(
                lambda: self.session.jobs(settings, variants, lambda: self.recording.wanted),
                self.session.lesson.race,
            )
        )
        self.started()
        self.refresh_bindings()

    def on_live_recording_ended(self, event: LiveRecording.Ended) -> None:
        event.stop()
        if event.error:
            self.session.failed()
            self.failed(event.error)
        else:
            self.ended(self.session.ended(*self._asked, event.runs, event.output, event.interrupted))
        self.lesson_screen.changed()

    def started(self) -> None:
        raise NotImplementedError

    def ended(self, run: LessonRun) -> None:
        raise NotImplementedError

    def failed(self, error: str) -> None:
        """Handle a run that could not start."""
        raise NotImplementedError

    def _drawn(self) -> None:
        self.picture.redraw()


class Wrote(Drawing):
    """The newest lines that each program of a run wrote; more of them if the picture leaves room.

    If some are left out, it names the key of the lesson's screen that shows all.
    """

    DEFAULT_CSS = "Wrote { height: auto; max-height: 40%; }"

    def __init__(self) -> None:
        super().__init__(self._written)
        self._output: list[Line] = []

    def clear(self) -> None:
        self._output = []
        self.redraw()

    def show(self, run: LessonRun, room: int, width: int) -> None:
        """Show the output. ``room`` and ``width`` are of the picture and this together, in cells."""
        left = (room - whole_height(run.runs, width)) // max(len(run.runs), 1)
        self._output = list(_newest(run, max(left, 1 if room < _LOW else 2)))
        written = sum(tail.total for tail in run.output)
        if len(self._output) < written:
            self._output.append([Segment(f"o shows all {written:,} lines of output", DIM)])
        self.redraw()

    def _written(self, width: int, height: int) -> list[Line]:
        """Draw the last lines, which say why a script failed. Long lines are wrapped."""
        return list(_wrapped(self._output, width))[-height:]


def whole_output(run: LessonRun, theme: Theme, width: int) -> Iterator[Line]:
    """Yield everything that each program wrote, as far as it is kept."""
    for recorded, tail in zip(run.runs, run.output, strict=False):
        lines = tail.last(tail.total + 1)
        kept = f"; these are the last {len(lines):,}" if len(lines) < tail.total else ""
        yield title_line(recorded.name, count(max(tail.total, len(lines)), "line") + kept, theme, width)
        yield from _wrapped([_output_line(line) for line in lines], width)
        yield []


def _wrapped(lines: Iterable[Line], width: int) -> Iterator[Line]:
    for line in lines:
        length = Segment.get_line_length(line)
        yield from map(list, Segment.divide(line, [*range(width, length, width), max(length, 1)]))


def _output_line(line: OutputLine, name: str = "") -> Line:
    style = _ERROR if line.stream == "stderr" else None
    return [Segment(f"{name} " if name else "", DIM), Segment(line.text, style)]


def _newest(run: LessonRun, most: int) -> Iterator[Line]:
    """Yield the newest lines of each script; if it did not finish, all that is left of its traceback."""
    for recorded, tail in zip(run.runs, run.output, strict=False):
        lines = tail.last(_TRACEBACK_LINES)
        if run.interrupted:  # Python's reaction to Ctrl-C says nothing about the script
            lines = [line for line in lines if line.stream != "stderr"][-most:]
        elif recorded.name not in run.unexpected:
            if recorded.requests:
                continue  # it has written a line for each request, like the picture
            lines = [line for line in lines if not (line.stream == "stderr" and _DETAILS.match(line.text))]
            lines = lines[-most:]
        yield from (_output_line(line, recorded.name) for line in lines)
