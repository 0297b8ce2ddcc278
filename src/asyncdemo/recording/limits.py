"""The limits of a recording: its time, and if the script is confined, its memory, processes and grace."""

from __future__ import annotations

import math
import time

import psutil

from asyncdemo.recording.conclusion import time_limit_note
from asyncdemo.recording.options import Options
from asyncdemo.recording.processes import ProcessTree

_GRACE_S = 3.0
"""How long an interrupted script has to end by itself, if it's confined."""
_CENSUS_S = 0.05
"""How often to check which processes there are and how much memory they use."""
_CENSUS_SHARE = 20
"""The interval is at least this many times the duration of a check."""


class RunLimits:
    def __init__(self, options: Options) -> None:
        self._options = options
        self._memory_bytes: int = options.memory_bytes or psutil.virtual_memory().total // 2
        self.deadline: float | None = None
        self._kill_at: float | None = None
        self._kill_note = ""
        self._paused_at: float | None = None
        self._next_census = 0.0

    def restart_time(self) -> None:
        if self._options.timeout_s is not None:
            self.deadline = time.monotonic() + self._options.timeout_s

    def is_out_of_time(self, now: float) -> bool:
        return self.deadline is not None and now > self.deadline

    @property
    def time_note(self) -> str:
        return time_limit_note(self._options.timeout_s or 0.0)

    def pause(self, now: float) -> None:
        """Let no time pass until ``resume``."""
        self._paused_at = now

    def resume(self, now: float) -> float:
        """Let time pass again; return for how many seconds it did not."""
        paused_s = 0.0 if self._paused_at is None else now - self._paused_at
        self._paused_at = None
        if self.deadline is not None:
            self.deadline += paused_s
        if self._kill_at is not None:
            self._kill_at += paused_s
        return paused_s

    # -- a script that is to end ----------------------------------------------------------------

    @property
    def is_ending(self) -> bool:
        """Whether the script has been asked to end, or is about to be."""
        return self._kill_at is not None

    def let_end(self, until: float = math.inf, note: str = "") -> None:
        """Give a script that is asked to end this time; ``note`` says why it's killed then."""
        self._kill_at, self._kill_note = until, note

    def let_end_by_itself(self, now: float) -> None:
        """Give an interrupted script its grace if it's confined, else the rest of its time."""
        if self._options.confined:
            note = f"Killed: it was still running {_GRACE_S:g} s after it was interrupted."
            self.let_end(now + _GRACE_S, note)
        elif self.deadline is not None:
            self.let_end(self.deadline, self.time_note)

    def overdue_note(self, now: float) -> str | None:
        """Return why a script is killed that should have ended; None if it isn't yet."""
        return self._kill_note if self._kill_at is not None and now > self._kill_at else None

    # -- a confined script ----------------------------------------------------------------------

    def excess_note(self, now: float, process_tree: ProcessTree) -> str | None:
        """Return why a confined script is stopped: it uses too much. Looks only now and then."""
        if not self._options.confined or now <= self._next_census:
            return None
        count, note = process_tree.refresh(), None
        if process_tree.uses_more_than(self._memory_bytes):
            note = f"Stopped because it used more than {self._memory_bytes / 1e9:.1f} GB of memory."
        elif count > self._options.processes:
            note = f"Stopped because it started more than {self._options.processes} processes."
        self._next_census = now + max(_CENSUS_S, _CENSUS_SHARE * (time.monotonic() - now))
        return note
