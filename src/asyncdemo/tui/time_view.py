"""The visible stretch of time in the viewer, and the cursor's time.

Times count from the first row's open. Not here: rows, drawing (see ``run_rows``).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from asyncdemo.render.timeline.window import Window

_LEAST_NS: Final = 50_000
"""The maximum zoom."""


@dataclass
class TimeView:
    """The axis of all runs ends at ``scale_ns``. What comes after ``until_ns`` is not drawn yet."""

    scale_ns: int
    start_ns: int = 0
    length_ns: int = 0
    at_ns: int = 0
    until_ns: int | None = None

    def __post_init__(self) -> None:
        self.show_all()

    def show_all(self) -> None:
        self.start_ns, self.length_ns = 0, self.scale_ns

    def window(self, columns: int) -> Window:
        columns = max(columns, 1)
        return Window(self.start_ns, -(-self.length_ns // columns), columns)

    def zoom(self, factor: float) -> None:
        """Zoom in if below 1. The cursor stays in its place."""
        length = round(min(max(self.length_ns * factor, _LEAST_NS), self.scale_ns))
        share = (self.at_ns - self.start_ns) / self.length_ns
        self.length_ns = length
        self._start_at(self.at_ns - round(share * length))

    def pan(self, share: float) -> None:
        """Move by a share of the visible time, with the cursor."""
        by = round(share * self.length_ns)
        self._start_at(self.start_ns + by)
        self.at_ns = min(max(self.at_ns + by, self.start_ns), self.start_ns + self.length_ns - 1)

    def move_to(self, at_ns: int) -> None:
        """Move the cursor, and scroll to it."""
        self.at_ns = min(max(at_ns, 0), self.scale_ns - 1)
        if not self.start_ns <= self.at_ns < self.start_ns + self.length_ns:
            near = self.start_ns - self.length_ns <= self.at_ns < self.start_ns + 2 * self.length_ns
            if near and self.at_ns < self.start_ns:
                self._start_at(self.at_ns)
            elif near:
                self._start_at(self.at_ns - self.length_ns + 1)
            else:
                self._start_at(self.at_ns - self.length_ns // 2)

    def _start_at(self, start_ns: int) -> None:
        self.start_ns = min(max(start_ns, 0), self.scale_ns - self.length_ns)
