"""The rig as lines of a terminal: knobs, bounds with their arithmetic, what is measured, what was tried.

Pure: the same for a screen that is drawn again and again, and for words that are printed once.
Not for: keys, or when to draw (``cli.rig``).
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from rich.style import Style

from asyncdemo.lab.results.flags import FlagKind
from asyncdemo.lab.results.rigging import BEWARE, KNOBS, OURS, PRESETS, SIDES, Outcome, Rigging
from asyncdemo.render.terminal.draw import Line, text_line
from asyncdemo.render.terminal.theme import DIM, EMPHASIS, WARNING
from asyncdemo.render.words import fit

__all__ = ["View", "measured_lines", "result_lines", "rig_lines"]

_KEYS: Final = "up/down knob   left/right change   1-4 as in the article   space again   q quit"
_INDENT: Final = "  "
_HEADER: Final = ("workers", "sessions", "delay", "clients", "client", "bound", "measured", "winner")
_WIDTHS: Final = (8, 8, 6, 7, 9, 5, 19, 10)
_CLIENT_LIMIT: Final = (
    "The client is at its limit: what it measures is itself. Give it less to do, or take another one."
)


@dataclass(frozen=True, slots=True)
class View:
    """What is shown at a moment. chosen: the place of the knob that arrow keys change; None without keys."""

    rigging: Rigging
    chosen: int | None = None
    doing: str = ""
    now: Outcome | None = None
    tried: Sequence[Outcome] = ()
    is_pooled: bool = True
    missing: Mapping[str, str] = field(default_factory=dict)
    trouble: str = ""


def rig_lines(view: View, width: int, height: int) -> list[Line]:
    """As many lines as there is room for; the oldest of what was tried is left out first."""
    head = list(_head(view, width))
    foot = [[], text_line(fit(_KEYS, width), DIM)] if view.chosen is not None else []
    head = head[: max(height - len(foot), 0)]
    tried = list(_tried(view, width))
    room = height - len(head) - len(foot)
    if len(tried) > room:
        tried = [*tried[:2], *tried[len(tried) - room + 2 :]] if room > 2 else []
    return [*head, *tried, *foot]


def result_lines(view: View, width: int) -> list[Line]:
    """For one measurement that is printed once."""
    return list(_head(view, width))


def measured_lines(outcome: Outcome, width: int, is_pooled: bool = True) -> Iterator[Line]:
    """What came of it, and of how much of its bound."""
    for side in SIDES:
        if (per_s := outcome.per_s.get(side.name)) is None:
            continue
        bound = outcome.rigging.bound_per_s(side, is_pooled)
        share = f"   {per_s / bound:.0%} of its bound" if bound else ""
        yield text_line(fit(f"{_INDENT}{side.name:<6} {per_s:>8,.0f}/s{share}", width))
    yield from (text_line(part, EMPHASIS) for part in _wrapped(_verdict(outcome), width))
    for why in outcome.refused.values():
        yield from (text_line(part, WARNING) for part in _wrapped(why, width))
    if FlagKind.CLIENT_BUSY in outcome.refused:
        yield from (text_line(part) for part in _wrapped(_CLIENT_LIMIT, width))


def _head(view: View, width: int) -> Iterator[Line]:
    yield text_line(fit("Rig it: one job, two servers, one database", width), EMPHASIS)
    yield []
    for place, knob in enumerate(KNOBS):
        is_chosen = place == view.chosen
        value = " ".join(filter(None, (view.rigging.value(knob), knob.unit)))
        if knob.name == "sessions" and view.rigging.configuration.per_worker:
            value += " for each worker"
        if not knob.steps and view.rigging.client in BEWARE:
            value += ", a client to beware of"
        text = f"{'>' if is_chosen else ' '} {knob.title:<18} {f'< {value} >' if is_chosen else f'  {value}'}"
        yield text_line(fit(text, width), EMPHASIS if is_chosen else None)
    yield []
    yield text_line(fit("The bound: what waiting alone allows", width), EMPHASIS)
    yield from _bounds(view, width)
    yield []
    yield text_line(fit(f"Measured{f': {view.doing}' if view.doing else ''}", width), EMPHASIS)
    if view.trouble:
        yield from (text_line(part, WARNING) for part in _wrapped(view.trouble, width))
    elif view.now is not None:
        yield from measured_lines(view.now, width, view.is_pooled)
    elif not view.doing:
        yield text_line(fit(f"{_INDENT}nothing yet", width))
    for name, words in view.missing.items():
        yield from (text_line(part, DIM) for part in _wrapped(f"Without {name}: {words}", width))
    yield []


def _bounds(view: View, width: int) -> Iterator[Line]:
    rigging, pooled = view.rigging, view.is_pooled
    for side in SIDES:
        names = rigging.binding(side, pooled)
        binds = f": {' and '.join(names)} bind" if rigging.configuration.delay_ms else ""
        text = f"{side.name:<6} {rigging.bound_words(side, pooled)}{binds}"
        yield from (text_line(part) for part in _wrapped(text, width, rest=9))
    ratio = rigging.bound_ratio(pooled)
    words = "nothing waits; computing decides" if ratio is None else f"{ratio:.2f}{_bound_words(ratio)}"
    yield text_line(fit(f"{_INDENT}async / sync {words}{_published(rigging)}", width), EMPHASIS)


def _bound_words(ratio: float) -> str:
    return ": a tie, so computing decides" if ratio == 1 else ""


def _published(rigging: Rigging) -> str:
    for preset in PRESETS.values():
        if preset.configuration == rigging.configuration and rigging.client == OURS:
            return f"   ({preset.title}" + (f": {preset.published})" if preset.published else ")")
    return ""


def _verdict(outcome: Outcome) -> str:
    if outcome.failed:
        return outcome.failed
    if outcome.ratio is None:
        return "no round counts" if outcome.done else "measuring"
    words = f"async / sync {_ratio(outcome)}"
    winner = outcome.winner
    if not winner:
        return f"{words} so far"
    return f"{words}: {winner}{' wins' if winner in {'sync', 'async'} else ''}{_few(outcome)}"


def _few(outcome: Outcome) -> str:
    count = len(outcome.ratio.pairs) if outcome.ratio else 0
    return f", since {count} of {outcome.rounds} rounds count" if count < outcome.rounds else ""


def _ratio(outcome: Outcome) -> str:
    ratio = outcome.ratio
    return "" if ratio is None else f"{ratio.median:.2f} [{ratio.least:.2f} to {ratio.most:.2f}]"


def _tried(view: View, width: int) -> Iterator[Line]:
    if not view.tried:
        return
    yield text_line("Tried", EMPHASIS)
    yield _row(_HEADER, width, DIM)
    for outcome in view.tried:
        chosen, bound = outcome.rigging.configuration, outcome.rigging.bound_ratio(view.is_pooled)
        yield _row(
            (
                f"{chosen.workers_sync}/{chosen.workers_async}",
                f"{chosen.sessions}{'/w' if chosen.per_worker else ''}",
                f"{chosen.delay_ms:g} ms",
                str(chosen.clients),
                "ours" if outcome.rigging.client == OURS else outcome.rigging.client,
                "-" if bound is None else f"{bound:.2f}",
                _ratio(outcome) or "-",
                outcome.winner,
            ),
            width,
        )


def _row(cells: Sequence[str], width: int, style: Style | None = None) -> Line:
    padded = (f"{fit(cell, room):<{room}}" for cell, room in zip(cells, _WIDTHS, strict=True))
    return text_line(fit(_INDENT + " ".join(padded).rstrip(), width), style)


def _wrapped(text: str, width: int, rest: int = 4) -> list[str]:
    return textwrap.wrap(
        text, max(width, 20), initial_indent=_INDENT, subsequent_indent=" " * rest, break_on_hyphens=False
    )
