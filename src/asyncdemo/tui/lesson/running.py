"""A step in which the programs run: starts them, shows them live, and reports the end to the session.

Not here: making the recordings (see ``tui.recording``), what else a step shows (see ``run``, ``change``).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from asyncdemo.course.content.lesson import Variant
from asyncdemo.render.terminal.theme import Theme
from asyncdemo.tui.drawing import Drawing
from asyncdemo.tui.lesson.pane import Pane
from asyncdemo.tui.lesson.session import LessonRun, LessonSession
from asyncdemo.tui.lesson.wrote import Wrote
from asyncdemo.tui.recording import LiveRecording


class RunningPane(Pane):
    """A pane with a live picture.

    Attributes:
        recording: The current recording.
        picture: Where it is drawn; subclasses decide what else it draws.
        wrote: What the programs wrote.
    """

    def __init__(self, session: LessonSession, glyphs: Theme) -> None:
        super().__init__(session, glyphs)
        self.recording = LiveRecording(self, glyphs, self._drawn)
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
        race = self.session.lesson.race
        self.run_worker(
            self.recording.record(
                lambda: self.session.jobs(settings, variants, lambda: self.recording.wanted), race
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
        """Handle the start of a run."""

    def ended(self, run: LessonRun) -> None:
        """Handle the end of a run."""

    def failed(self, error: str) -> None:
        """Handle a run that could not start."""

    def _drawn(self) -> None:
        self.picture.redraw()
