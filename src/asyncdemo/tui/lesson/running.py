"""A step in which the programs run: starts them, shows them live, and tells the session how they ended.

Not for: making the recordings (``tui.recording``), what a step shows besides (``run``, ``change``).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from asyncdemo.course.content.lesson import Variant
from asyncdemo.render.terminal.theme import Theme
from asyncdemo.tui.drawing import Drawing
from asyncdemo.tui.lesson.pane import Pane
from asyncdemo.tui.lesson.session import LessonRun, LessonSession
from asyncdemo.tui.recording import LiveRecording


class RunningPane(Pane):
    """A pane with a live picture.

    Attributes:
        recording: What runs.
        picture: Where it is drawn; what else it draws is for the step to say.
    """

    def __init__(self, session: LessonSession, glyphs: Theme, *, id: str) -> None:  # noqa: A002
        super().__init__(session, glyphs, id=id)
        self.recording = LiveRecording(self, glyphs, self._drawn)
        self.picture = Drawing(self.recording.lines, id=f"{id}-picture")
        self._asked: tuple[Mapping[str, str], Sequence[Variant]] = {}, ()

    def start(self, settings: Mapping[str, str], variants: Sequence[Variant]) -> None:
        """Run these variants with these settings; not while others run."""
        if self.lesson_screen.runs:
            return
        self._asked = settings, variants
        self.recording.panels = []
        self.picture.redraw(self.recording.lines)
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
        """It has been started."""

    def ended(self, run: LessonRun) -> None:
        """It is over."""

    def failed(self, error: str) -> None:
        """It could not run."""

    def _drawn(self) -> None:
        self.picture.redraw()
