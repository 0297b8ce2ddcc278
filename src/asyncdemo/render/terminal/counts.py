"""Counts of holders and waiters of each resource, and of open rows, as bars below the rows of a window.

Not here: pools with their connections, memory (see ``sections``).
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Self

from rich.segment import Segment

from asyncdemo.model import Resource, Run
from asyncdemo.render.terminal.draw import Line, text_line
from asyncdemo.render.terminal.theme import DIM, Theme
from asyncdemo.render.timeline.curves import Level, levels, resource_levels
from asyncdemo.render.timeline.grid import Shade
from asyncdemo.render.timeline.layout import open_ns
from asyncdemo.render.timeline.window import Window
from asyncdemo.render.words import clean, fit, place

_SHADES: Final = {"held": Shade.HELD, "queued": Shade.QUEUED, "length": Shade.HELD}


@dataclass(frozen=True, slots=True)
class Counted:
    """One line of bars.

    ``heading`` is above it if it is its resource's first. From each of ``times`` on, ``values`` has the
    count.
    """

    heading: str
    label: str
    shade: Shade
    times: Sequence[int]
    values: Sequence[int]
    most: int

    @classmethod
    def of(cls, heading: str, label: str, shade: Shade, changes: Sequence[Level], zero: int) -> Self:
        """Create a line. ``changes`` use the run's clock; ``zero`` is when the first row opened."""
        values = [level for _, level in changes]
        return cls(heading, label, shade, [at - zero for at, _ in changes], values, max(values, default=0))


def counted(run: Run) -> tuple[Counted, ...]:
    """Return open rows, then every resource that was used. Times count from the first row's open."""
    zero = open_ns(run)
    found = [Counted.of("", "open", Shade.RUNNING, list(levels(run.rows)), zero)]
    for resource, series in resource_levels(run):
        if resource.site is not None and resource.site.installed and "queued" not in series:
            continue  # a library's internal resource, and nothing had to wait for it
        heading = _heading(resource)
        for what, changes in series.items():
            found.append(Counted.of(heading, what, _SHADES[what], changes, zero))
            heading = ""
    return tuple(found)


def count_label(one: Counted, theme: Theme) -> str:
    """Return its name and the value of a full bar."""
    return f" {one.label} {theme.bars[-1]}{one.most:,}"


def count_lines(counts: Sequence[Counted], window: Window, theme: Theme, gutter: int) -> Iterator[Line]:
    for one in counts:
        if one.heading:
            yield text_line(fit(one.heading, gutter + window.columns, theme.ellipsis), DIM)
        values = _values(one, window)
        yield [
            Segment(fit(count_label(one, theme), gutter - 1, theme.ellipsis, pad=True) + " ", DIM),
            Segment("".join(theme.bar(value, one.most) for value in values), theme.shade_style(one.shade)),
        ]


def _values(one: Counted, window: Window) -> Iterator[int]:
    """Yield the maximum in each column. A level holds until the next one; before the first, it is 0."""
    for start_ns in range(window.start_ns, window.end_ns, window.column_ns):
        first = max(bisect_right(one.times, start_ns) - 1, 0)
        after = bisect_left(one.times, start_ns + window.column_ns)
        yield max(one.values[first:after], default=0)


def _heading(resource: Resource) -> str:
    name = f"{clean(resource.name)} {resource.kind} {clean(resource.label)}".strip()
    limit = "no limit" if resource.limit is None else f"limit {resource.limit:,}"
    where = place(resource.site)
    return f"{name}: {limit}" + (f", made at {where}" if where else "")
