"""Watches a learner's files and checks an exercise, while the screen stays usable."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Final

from asyncdemo.course.judging.practice import Practice
from asyncdemo.course.workspace.saves import Change, Watcher
from asyncdemo.recording.runner import SpareChildren
from asyncdemo.serving import ServiceCache

_MOST_SPARES: Final = 4
_STARTING_S: Final = 0.025
"""How often to check whether processes that are started ahead are ready."""


class Checking:
    """``work`` runs until ``close``. Call everything from the same event loop.

    Attributes:
        practice: What is checked when due; None if nothing is.
        wanted: Whether the exercise is visible; if not, checks wait until it is.
    """

    def __init__(
        self, saved: Callable[[Mapping[str, Change]], None], on_change: Callable[[], object]
    ) -> None:
        """``saved`` gets the saved files. ``on_change`` is called if a check begins or something changes."""
        self.practice: Practice | None = None
        self.wanted = False
        self._report_saves, self._on_change = saved, on_change
        self._woken = asyncio.Event()
        self._stack = ExitStack()
        self._spares = self._stack.enter_context(SpareChildren())
        self._kept = self._stack.enter_context(ServiceCache())
        self._closed = False
        self._watcher: Watcher | None = None
        self._running: asyncio.Task[None] | None = None
        self._stopped = threading.Event()
        self._began_s: float | None = None

    @property
    def elapsed_s(self) -> float | None:
        """How long the current check has been running; None without one."""
        return None if self._began_s is None else time.monotonic() - self._began_s

    def switch_to(self, practice: Practice | None, files: Mapping[str, Path]) -> None:
        """Change the exercise, which ends a check of another. ``files`` are watched, of all exercises."""
        self.stop()
        self.practice = practice
        if self._watcher is not None:
            self._watcher.watch(files)
        elif files:
            self._watcher = self._stack.enter_context(Watcher(files))
            asyncio.get_running_loop().add_reader(self._watcher.fileno(), self.wake)
        self.wake()

    def forget(self, lesson_id: str) -> None:
        """Ignore the current content of its file, because we changed it."""
        if self._watcher is not None:
            self._watcher.forget(lesson_id)

    def wake(self) -> None:
        self._woken.set()

    def stop(self) -> bool:
        """Stop the current check. Returns whether there was one."""
        self._stopped.set()
        return self._began_s is not None

    async def work(self) -> None:
        while not self._closed:
            await self._pause()
            changes = {} if self._watcher is None or self._closed else self._watcher.look()
            if changes:
                self._report_saves(changes)
            await self._go_on()

    async def close(self) -> None:
        self._closed = True
        self.stop()
        self.wake()
        if self._running is not None:
            await asyncio.wait([self._running])
        if self._watcher is not None:
            asyncio.get_running_loop().remove_reader(self._watcher.fileno())
        await asyncio.to_thread(self._stack.close)  # services take a moment to stop

    async def _pause(self) -> None:
        """Wait until something happens, or it is time to look."""
        pause_s = 1.0 if self._watcher is None else self._watcher.pause_s()
        if self._running is None and self.wanted and self.practice is not None:
            ready = self._spares.fill(min(self.practice.run_count, _MOST_SPARES))
            pause_s = pause_s if ready else min(pause_s, _STARTING_S)
        try:
            async with asyncio.timeout(pause_s):
                await self._woken.wait()
        except TimeoutError:
            pass
        self._woken.clear()

    async def _go_on(self) -> None:
        practice = self.practice
        due = practice is not None and practice.due
        if self._running is not None:
            if due:
                self.stop()
            if self._running.done():
                running, self._running = self._running, None
                await running  # raise its exception
        if self._running is None and practice is not None and due and self.wanted and not self._closed:
            practice.begin()
            self._began_s, self._stopped = time.monotonic(), threading.Event()
            self._running = asyncio.create_task(self._check(practice, self._stopped))
            self._running.add_done_callback(lambda _: self.wake())
            self._on_change()

    async def _check(self, practice: Practice, stopped: threading.Event) -> None:
        def keep_going() -> bool:
            return not stopped.is_set()

        ended = await asyncio.to_thread(practice.check, self._spares, self._kept, keep_going)
        self._began_s = None
        self._report_change()
        if ended and practice.verdict is not None and practice.verdict.passed:
            await asyncio.to_thread(practice.record_before, self._kept, keep_going)
            self._report_change()

    def _report_change(self) -> None:
        if not self._closed:  # otherwise, there is nothing left to notify
            self._on_change()
