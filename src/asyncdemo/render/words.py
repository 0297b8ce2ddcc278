"""The words of every view: durations, counts, sizes, endings, names made safe to show.

Kept in one place so that the terminal, the plain text and the files cannot tell different stories.
Not for: deciding which facts to tell (``facts``), colours and glyphs (``theme``).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import PurePath

from rich.cells import cell_len, set_cell_size

from asyncdemo.model import Clock, Outcome, Run, RunOutcome, Site

OUTCOME_WORDS = {
    Outcome.RETURNED: "returned",
    Outcome.RAISED: "raised",
    Outcome.CANCELLED: "cancelled",
    Outcome.OPEN: "still open at the end",
}

RUN_OUTCOME_WORDS = {
    RunOutcome.OK: "ended well",
    RunOutcome.FAILED: "failed",
    RunOutcome.TIMEOUT: "stopped: out of time",
    RunOutcome.INTERRUPTED: "interrupted",
}


_SIZES = (("GB", 10**9), ("MB", 10**6), ("kB", 10**3))
_UNITS = (("s", 1_000_000_000), ("ms", 1_000_000), ("us", 1_000), ("ns", 1))
_LEAST_LABEL = 7
_ROUNDING = 1e-6
"""What sums of fractions may be off by."""
_MINUTES_NS = 600_000_000_000
_DIGITS = (
    (995_000, 10_000),
    (9_950_000, 100_000),
    (999_500_000, 1_000_000),
    (9_995_000_000, 10_000_000),
    (99_950_000_000, 100_000_000),
    (_MINUTES_NS, 1_000_000_000),
)
"""(below this, ``duration`` shows this digit last)."""


def duration(ns: int | float) -> str:
    """Three significant figures at most, in the unit a person would say: "1.23 s", "120 ms"."""
    if ns < 0:
        return "-" + duration(-ns)
    if ns == 0:
        return "0 s"
    if ns < 10_000:
        return "<0.01 ms"
    ms = ns / 1e6
    if ms < 0.995:
        return f"{ms:.2f} ms"
    if ms < 9.95:
        return f"{ms:.1f} ms"
    if ms < 999.5:
        return f"{ms:.0f} ms"
    seconds = ms / 1e3
    if seconds < 9.995:
        return f"{seconds:.2f} s"
    if seconds < 99.95:
        return f"{seconds:.1f} s"
    if seconds < 600:
        return f"{seconds:.0f} s"
    minutes = int(seconds // 60)
    return f"{minutes:,} min {int(seconds - 60 * minutes):02d} s"


def moment(ns: int, step_ns: int) -> str:
    """A mark of an axis that has one every ``step_ns``: as ``duration``, but not rounded to its neighbour."""
    if ns == 0 or ns >= _MINUTES_NS or (ns >= 10_000 and step_ns % _shown_to(ns) == 0):
        return duration(ns)
    unit, size = next((unit, size) for unit, size in _UNITS if ns >= size)
    decimals = 0
    while step_ns * 10**decimals % size:
        decimals += 1
    return f"{ns / size:.{decimals}f} {unit}"


def _shown_to(ns: int) -> int:
    """The last digit that ``duration`` shows of a time."""
    return next(digit for below, digit in _DIGITS if ns < below)


def number(value: int | float) -> str:
    """A count or an average: "9,980", "3.3", "0.25"."""
    if isinstance(value, int) or value == int(value) or value >= 100:
        return f"{round(value):,}"
    return f"{value:.1f}" if value >= 10 else f"{value:.2g}"


def end_words(outcome: str, noun: str = "lane") -> str:
    """How a row ended: a request raises nothing, it fails."""
    if noun == "request" and outcome == Outcome.RAISED:
        return "failed"
    return OUTCOME_WORDS[Outcome(outcome)]


def size(n_bytes: int) -> str:
    """An amount of memory: "850 kB", "61 MB", "1.24 GB"; a kilobyte is 1,000 bytes."""
    if n_bytes < 0:
        return "-" + size(-n_bytes)
    for unit, unit_bytes in _SIZES:
        # As rounding would show it: 999.6 MB is 1.00 GB.
        if n_bytes >= 0.9995 * unit_bytes:
            value = n_bytes / unit_bytes
            digits = 0 if value >= 99.5 or unit == "kB" else 1 if value >= 9.95 or unit == "MB" else 2
            return f"{value:,.{digits}f} {unit}"
    return f"{n_bytes} B"


def count(n: int, noun: str, plural: str = "") -> str:
    return f"{n:,} {noun if n == 1 else plural or noun + 's'}"


def whole(average: float) -> int:
    """Of lanes that were in a state, on average over some time: so many were at some moment, at least."""
    return max(math.ceil(average - _ROUNDING), 1) if average > 0 else 0


def ratio(numerator: float, denominator: float) -> str:
    """ "10.0x", or "" where there is nothing to divide by."""
    if denominator <= 0:
        return ""
    value = numerator / denominator
    if value >= 100:
        return f"{value:,.0f}x"
    return f"{value:.1f}x" if value >= 9.95 else f"{value:.2f}x"


def place(site: Site | None, called_from: Site | None = None, *, full: bool = False) -> str:
    """ "app.py:12 in pour, called from main.py:3"; "" where nothing is known."""
    if site is None:
        return "" if called_from is None else place(called_from, full=full)
    words = f"{_file(site, full=full)}:{site.line}"
    if site.function and site.function != "<module>":
        words += f" in {clean(site.function)}"
    if called_from is not None and (called_from.file, called_from.line) != (site.file, site.line):
        words += f", called from {_file(called_from, full=full)}:{called_from.line}"
    return words


def lane_range(first: int, size: int) -> str:
    """The label of a row that stands for several of them, counted from 1."""
    return f"{first + 1:,}-{first + size:,}" if size > 1 else f"{first + 1:,}"


def title(run: Run) -> str:
    return clean(run.name) or clean(PurePath(run.script).name) or "run"


def ending(run: Run) -> str:
    """How the run ended, in a few words."""
    words = RUN_OUTCOME_WORDS[run.outcome]
    if run.outcome is RunOutcome.FAILED and run.exit_code is not None:
        words += f" with exit code {run.exit_code}"
    return words


def status(run: Run) -> str:
    """How the run ended, and in which time."""
    return f"{ending(run)} (virtual time)" if run.clock is Clock.VIRTUAL else ending(run)


def join(parts: Sequence[str]) -> str:
    """ "a", "a and b", "a, b and c"."""
    return " and ".join(filter(None, (", ".join(parts[:-1]), *parts[-1:])))


def clean(text: str) -> str:
    """Text of a script, safe to show: what could move a cursor or hide is written as an escape."""
    if text.isprintable():
        return text
    return "".join(
        char if char.isprintable() else char.encode("unicode_escape").decode("ascii") for char in text
    )


def fit(text: str, width: int, ellipsis: str = "…", *, pad: bool = False) -> str:
    """At most ``width`` terminal cells (wide characters take two); exactly that many if ``pad``."""
    if width <= 0:
        return ""
    if cell_len(text) > width:
        text = set_cell_size(text, max(width - cell_len(ellipsis), 0)).rstrip() + ellipsis[:width]
    return set_cell_size(text, width) if pad else text


def fit_label(text: str, width: int, ellipsis: str = "…", *, pad: bool = False) -> str:
    """As ``fit``, but what is left out is in the middle: the end of its arguments tells rows apart, too.

    Of a request its number stays, and nothing else of the end.
    """
    if cell_len(text) <= width or width < _LEAST_LABEL:
        return fit(text, width, ellipsis, pad=pad)
    _, space, number = text.rpartition(" ")
    tail = space + number if number.isdecimal() and len(number) < width // 2 else ""
    for char in "" if tail else reversed(text):
        if cell_len(char + tail) > width // 3:
            break
        tail = char + tail
    return fit(fit(text, width - cell_len(tail), ellipsis) + tail, width, ellipsis, pad=pad)


def _file(site: Site, *, full: bool) -> str:
    name = clean(site.file)
    return name if full else name.replace("\\", "/").rsplit("/", 1)[-1]


def settings_words(knobs: Mapping[str, object]) -> str:
    """ "CUPS = 3, HEAT_S = 0.6"."""
    return ", ".join(f"{name} = {value}" for name, value in knobs.items())
