"""Which stretch of time the viewer shows, and at which time its cursor stands.

Times count from the first row's open. Not for: rows, drawing (``run_rows``).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from asyncdemo.render.timeline.window import Window

_LEAST_NS: Final = 50_000
"""As far as one can zoom in."""


@dataclass
class TimeView:
    """scale_ns: where the axis of all runs ends. until_ns: what comes later is not drawn yet."""

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
        """Below 1: in. What is at the cursor stays where it is."""
        length = round(min(max(self.length_ns * factor, _LEAST_NS), self.scale_ns))
        share = (self.at_ns - self.start_ns) / self.length_ns
        self.length_ns = length
        self._start_at(self.at_ns - round(share * length))

    def pan(self, share: float) -> None:
        """By that share of what is visible; the cursor goes along."""
        by = round(share * self.length_ns)
        self._start_at(self.start_ns + by)
        self.at_ns = min(max(self.at_ns + by, self.start_ns), self.start_ns + self.length_ns - 1)

    def move_to(self, at_ns: int) -> None:
        """The cursor; what is visible follows it."""
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
