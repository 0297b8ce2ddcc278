"""Makes recordings while a screen stays usable: a live picture of them, and how they ended."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Final

from textual.message import Message
from textual.widget import Widget

from asyncdemo.errors import AsyncdemoError
from asyncdemo.model import Run
from asyncdemo.render.terminal.draw import Line
from asyncdemo.render.terminal.live import picture_lines
from asyncdemo.render.terminal.output import Tail
from asyncdemo.render.terminal.panel import LivePanel
from asyncdemo.render.terminal.theme import Theme
from asyncdemo.serving import Batch, Job

_OUTPUT_LINES: Final = 200
_FRAME_S: Final = 1 / 15
_POLL_S: Final = 0.005
"""How long to wait for events before the screen gets its turn."""


class LiveRecording:
    """Records jobs in the event loop of the application, which stays responsive.

    Attributes:
        active: Something is running, or about to.
        panels: A live panel for each job, with its rows from the moment they open.
        wanted: No stop was requested; ``make_jobs`` may check it while it waits.
    """

    @dataclass
    class Ended(Message):
        """All jobs are over.

        Attributes:
            runs: Those that began, in order.
            output: What each wrote.
            interrupted: Ctrl-C ended it.
            error: What was wrong, if it could not run.
        """

        runs: Sequence[Run]
        output: Sequence[Tail]
        interrupted: bool
        error: str

    def __init__(
        self, owner: Widget, theme: Theme, drawn: Callable[[], None], head: int | None = None
    ) -> None:
        """``owner`` gets ``Ended``; ``drawn`` is called when there is a new picture to draw.

        ``head``: how many rows of a panel never fold; by default few.
        """
        self.panels: list[LivePanel] = []
        self._owner, self._theme, self._drawn, self._head = owner, theme, drawn, head
        self.active = False
        self.wanted = False
        self._race = False
        self._batch: Batch | None = None

    def lines(self, width: int, height: int) -> list[Line]:
        if not self.panels:
            return []
        return picture_lines(self.panels, self._theme, width, height, race=self._race)

    def interrupt(self) -> bool:
        """Ask the jobs to end; the second time, kill them. Returns whether anything is running."""
        if not self.active:
            return False
        self.wanted = False
        if self._batch is not None:
            self._batch.interrupt()
        return True

    async def record(self, make_jobs: Callable[[], Sequence[Job]], race: bool) -> None:
        """Run as a worker of the owner. Cancelling it leaves nothing running.

        Args:
            make_jobs: Called in a thread, as it may have to wait for services.
            race: All jobs at the same time, else one after another.
        """
        runs: Sequence[Run] = ()
        error = ""
        interrupted = False
        self.active = self.wanted = True
        self._race = race
        try:
            jobs = await asyncio.to_thread(make_jobs)
            # Only the screen reads the keyboard.
            jobs = [replace(job, options=replace(job.options, stdin=False)) for job in jobs if self.wanted]
            self.panels = [
                LivePanel(job.name, noun="request" if job.serves else "lane", head=self._head) for job in jobs
            ]
            for panel in self.panels:
                panel.output_tail = Tail(_OUTPUT_LINES)
            self._drawn()
            with Batch(
                jobs,
                self.panels,
                race=race,
                ended=lambda place, run: self.panels[place].ended(run),
                stalled=lambda place, recording, late: self.panels[place].stalled(
                    recording.result() if recording.stands_still else None, late, recording.idle_ns
                ),
            ) as batch:
                self._batch = batch
                while await _begin(batch):
                    await self._follow(batch)
                runs = batch.runs
            interrupted = not self.wanted
        except AsyncdemoError as failure:
            error = str(failure)
        finally:
            self.active = self.wanted = False
            self._batch = None
        self._drawn()
        output = [panel.output_tail for panel in self.panels[: len(runs)]]
        self._owner.post_message(self.Ended(tuple(runs), output, interrupted, error))

    async def _follow(self, batch: Batch) -> None:
        due_s = 0.0
        while batch.poll(_POLL_S):
            if time.monotonic() >= due_s:
                due_s = time.monotonic() + _FRAME_S
                self._drawn()
            await asyncio.sleep(0)  # keys are handled now


async def _begin(batch: Batch) -> bool:
    """Begin in a thread, as it takes a moment. Nothing is closed before it is done."""
    beginning = asyncio.get_running_loop().run_in_executor(None, batch.begin)  # a task could be cancelled
    try:
        return await asyncio.shield(beginning)
    except asyncio.CancelledError:
        batch.interrupt()
        while not beginning.done():
            with suppress(asyncio.CancelledError):  # the loop cancels once more when it ends
                await asyncio.shield(beginning)
        raise
