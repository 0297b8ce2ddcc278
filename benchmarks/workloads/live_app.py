"""The live picture of a lesson's step Run, of any script: draws until it ends, then writes when it did.

python live_app.py FRAMES SCRIPT ARGUMENTS
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

from textual.app import App, ComposeResult
from textual.strip import Strip

from asyncdemo.recording.runner import Options, Stdout, Target
from asyncdemo.render.terminal.draw import Line
from asyncdemo.render.terminal.theme import UNICODE
from asyncdemo.serving import Job
from asyncdemo.tui.drawing import Drawing
from asyncdemo.tui.recording import LiveRecording


class Picture(Drawing):
    """Drawn by the screen, not only asked for: that is when its first line is rendered."""

    frames_s: list[float]

    def render_line(self, y: int) -> Strip:
        if y == 0:
            self.frames_s.append(time.monotonic())
        return super().render_line(y)


class LiveApp(App[None]):
    frames_s: list[float]

    def compose(self) -> ComposeResult:
        picture = Picture(self._lines)
        picture.frames_s = self.frames_s = []
        self.recording = LiveRecording(self.screen, UNICODE, picture.redraw)
        yield picture

    def _lines(self, width: int, height: int) -> list[Line]:
        return self.recording.lines(width, height)

    def on_mount(self) -> None:
        script, *arguments = sys.argv[2:]
        job = Job(Target(script, args=tuple(arguments)), Options(stdout=Stdout.CAPTURE))
        self.run_worker(self._record(job))

    async def _record(self, job: Job) -> None:
        await self.recording.record(lambda: [job], race=False)
        Path(sys.argv[1]).write_text(json.dumps(self.frames_s), encoding="utf-8")
        self.exit()


if __name__ == "__main__":
    LiveApp().run()
