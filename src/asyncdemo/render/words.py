"""The words of every view: durations, counts, sizes, endings.

Kept in one place so that the terminal, the plain text and the files agree.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from operator import eq
from pathlib import PurePath

from rich.cells import cell_len, set_cell_size

from asyncdemo.model import Clock, Outcome, Run, RunOutcome, Site
from asyncdemo.safe_text import clean

OUTCOME_WORDS = {
    Outcome.RETURNED: "returned",
    Outcome.RAISED: "raised",
    Outcome.CANCELLED: "cancelled",
    Outcome.OPEN: "still open at the end",
}

RUN_OUTCOME_WORDS = {
    RunOutcome.OK: "finished",
    RunOutcome.FAILED: "failed",
    RunOutcome.TIMEOUT: "stopped: out of time",
    RunOutcome.INTERRUPTED: "interrupted",
}


_SIZES = (("GB", 10**9), ("MB", 10**6), ("kB", 10**3))
_UNITS = (("s", 1_000_000_000), ("ms", 1_000_000), ("us", 1_000), ("ns", 1))
_LEAST_LABEL = 7
_NUMBERED = re.compile(r"(.*?)(?<![\d.])(\d{1,15})([^\d.]*)")
"""A name with its last number, unless that is part of a fraction or too long to count with."""
_LAST_NUMBER = re.compile(r" [\d-]+$|\([\d-]+\)$")
_ROUNDING = 1e-6
"""The maximum error of sums of fractions."""
_MINUTES_NS = 600_000_000_000
_SHOWN = (
    (995_000, 10_000, "ms", 1_000_000, 2),
    (9_950_000, 100_000, "ms", 1_000_000, 1),
    (999_500_000, 1_000_000, "ms", 1_000_000, 0),
    (9_995_000_000, 10_000_000, "s", 1_000_000_000, 2),
    (99_950_000_000, 100_000_000, "s", 1_000_000_000, 1),
    (_MINUTES_NS, 1_000_000_000, "s", 1_000_000_000, 0),
)
"""(below this, ``duration`` shows this digit last: in this unit, of this size, with these decimals)."""


def duration(ns: int | float) -> str:
    """Return at most three significant figures, in the usual unit: "1.23 s", "120 ms"."""
    if ns < 0:
        return "-" + duration(-ns)
    if ns == 0:
        return "0 s"
    if ns < 10_000:
        return "<0.01 ms"
    for below, _, unit, unit_ns, decimals in _SHOWN:
        if ns < below:
            return f"{ns / unit_ns:.{decimals}f} {unit}"
    seconds = ns / 1e9
    minutes = int(seconds // 60)
    return f"{minutes:,} min {int(seconds - 60 * minutes):02d} s"


def moment(ns: int, step_ns: int) -> str:
    """Return a mark's label on an axis with marks every ``step_ns``, precise enough to tell them apart."""
    if ns == 0 or ns >= _MINUTES_NS or (ns >= 10_000 and step_ns % _shown_to(ns) == 0):
        return duration(ns)
    unit, size = next((unit, size) for unit, size in _UNITS if ns >= size)
    decimals = 0
    while step_ns * 10**decimals % size:
        decimals += 1
    return f"{ns / size:.{decimals}f} {unit}"


def _shown_to(ns: int) -> int:
    """Return the last digit of a time that ``duration`` shows."""
    return next(digit for below, digit, *_ in _SHOWN if ns < below)


def number(value: int | float) -> str:
    """Return a count or an average: "9,980", "3.3", "0.25"."""
    if isinstance(value, int) or value == int(value) or value >= 100:
        return f"{round(value):,}"
    return f"{value:.1f}" if value >= 10 else f"{value:.2g}"


def end_words(outcome: str, noun: str = "lane") -> str:
    """Return how a row ended: a request fails rather than raises."""
    if noun == "request" and outcome == Outcome.RAISED:
        return "failed"
    return OUTCOME_WORDS[Outcome(outcome)]


def size(n_bytes: int) -> str:
    """Return an amount of memory: "850 kB", "61 MB", "1.24 GB"; a kilobyte is 1,000 bytes."""
    if n_bytes < 0:
        return "-" + size(-n_bytes)
    for unit, unit_bytes in _SIZES:
        # Compare as rounding would show it: 999.6 MB is 1.00 GB.
        if n_bytes >= 0.9995 * unit_bytes:
            value = n_bytes / unit_bytes
            digits = 0 if value >= 99.5 or unit == "kB" else 1 if value >= 9.95 or unit == "MB" else 2
            return f"{value:,.{digits}f} {unit}"
    return f"{n_bytes} B"


def count(n: int, noun: str, plural: str = "") -> str:
    return f"{n:,} {noun if n == 1 else plural or noun + 's'}"


def whole(average: float) -> int:
    """Return a minimum for the number of lanes at some moment, given the average over some time."""
    return max(math.ceil(average - _ROUNDING), 1) if average > 0 else 0


def ratio(numerator: float, denominator: float) -> str:
    """Return "10.0x", or "" for a division by zero."""
    if denominator <= 0:
        return ""
    value = numerator / denominator
    if value >= 100:
        return f"{value:,.0f}x"
    return f"{value:.1f}x" if value >= 9.95 else f"{value:.2f}x"


def place(site: Site | None, called_from: Site | None = None, *, full: bool = False) -> str:
    """Return "app.py:12 in pour, called from main.py:3"; "" if unknown."""
    if site is None:
        return "" if called_from is None else place(called_from, full=full)
    words = f"{_file(site, full=full)}:{site.line}"
    if site.function and site.function != "<module>":
        words += f" in {clean(site.function)}"
    if called_from is not None and (called_from.file, called_from.line) != (site.file, site.line):
        words += f", called from {_file(called_from, full=full)}:{called_from.line}"
    return words


def folded_label(names: Sequence[str], size: int) -> str:
    """Return what a row of several lanes holds: "brew(2-6)", "60 x attempt" or "4 rows"."""
    first, last = (_NUMBERED.fullmatch(names[at]) if names else None for at in (0, -1))
    if first and last and len(names) == size:
        before, low, after = first.groups()
        span = range(int(low), int(last[2]) + 1)
        if len(span) == size and all(map(eq, names, (f"{before}{n}{after}" for n in span))):
            return f"{before}{low}-{last[2]}{after}"
    stems = map(_stem, names)
    stem = next(stems, "")
    alike = stem and len(names) == size and all(other == stem for other in stems)
    return f"{size:,} x {stem}" if alike else count(size, "row")


def _stem(name: str) -> str:
    numbered = _NUMBERED.fullmatch(name)
    return numbered[1].rstrip(" (") if numbered else name


def title(run: Run) -> str:
    return clean(run.name) or clean(PurePath(run.script).name) or "run"


def ending(run: Run) -> str:
    """Return how the run ended, in a few words."""
    words = RUN_OUTCOME_WORDS[run.outcome]
    if run.outcome is RunOutcome.FAILED and run.exit_code is not None:
        words += f" with exit code {run.exit_code}"
    return words


def status(run: Run) -> str:
    """Return how the run ended, and after which time."""
    return f"{ending(run)} (virtual time)" if run.clock is Clock.VIRTUAL else ending(run)


def join(parts: Sequence[str]) -> str:
    """Return "a", "a and b", "a, b and c"."""
    return " and ".join(filter(None, (", ".join(parts[:-1]), *parts[-1:])))


def fit(text: str, width: int, ellipsis: str = "…", *, pad: bool = False) -> str:
    """Return at most ``width`` terminal cells (wide characters take two); exactly that many if ``pad``."""
    if width <= 0:
        return ""
    if cell_len(text) > width:
        text = set_cell_size(text, max(width - cell_len(ellipsis), 0)).rstrip() + ellipsis[:width]
    return set_cell_size(text, width) if pad else text


def fit_label(text: str, width: int, ellipsis: str = "…", *, pad: bool = False) -> str:
    """Do as ``fit``, but omit the middle: the end of the arguments distinguishes rows, too.

    Of "POST /images 12" and "brew(12)", all of the number remains, and nothing else of the end.
    """
    if cell_len(text) <= width or width < _LEAST_LABEL:
        return fit(text, width, ellipsis, pad=pad)
    number = _LAST_NUMBER.search(text)
    tail = number[0] if number and len(number[0]) <= width // 2 else ""
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
