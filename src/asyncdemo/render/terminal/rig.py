"""The rig as lines: bounds with their arithmetic, what is measured, earlier attempts. Pure.

The same for the screen and for printed text. Not here: the knobs as inputs (see ``tui.rig``).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from rich.style import Style

from asyncdemo.lab.results.flags import FlagKind
from asyncdemo.lab.results.rigging import (
    BEWARE,
    KNOBS,
    OURS,
    PRESETS,
    SIDES,
    Machine,
    Outcome,
    Rigging,
    client_name,
)
from asyncdemo.render.terminal.draw import Line, text_line
from asyncdemo.render.terminal.theme import DIM, EMPHASIS, WARNING
from asyncdemo.render.words import fit
from asyncdemo.render.wrapping import wrap

_INDENT: Final = "  "
_HEADER: Final = ("workers", "sessions", "delay", "clients", "client", "bound", "measured", "winner")
_WIDTHS: Final = (8, 8, 6, 7, 9, 5, 19, 10)
_CLIENT_LIMIT: Final = (
    "The client is at its limit, so it measures itself. Give it less to do, or use another one."
)


def knob_lines(rigging: Rigging, width: int) -> Iterator[Line]:
    for knob in KNOBS:
        value = " ".join(filter(None, (rigging.value(knob), knob.unit)))
        if knob.name == "sessions" and rigging.configuration.per_worker:
            value += " for each worker"
        if not knob.steps and rigging.client in BEWARE:
            value += ", a client that can mislead"
        yield _line(f"{knob.title:<18} {value}", width)


def bound_lines(rigging: Rigging, machine: Machine, width: int) -> Iterator[Line]:
    """Yield the bounds from waiting and from the processors, for each side, and their ratio."""
    yield text_line(fit("The bound: what waiting and the processors allow", width), EMPHASIS)
    for side in SIDES:
        names = rigging.binding(side, machine)
        binds = f": {' and '.join(names)} bind" if names else ""
        known = rigging.bound_per_s(side, machine)
        bound = "not known yet" if known is None else f"{known:,.0f}/s{binds}"
        yield _line(f"{side.name:<6} {bound}", width)
        waiting = rigging.configuration.bound_words(side.is_sync, machine.is_pooled)
        yield _line(f"       waiting: {waiting}", width)
        yield _line(f"       computing: {rigging.computing_words(side, machine)}", width)
    ratio = rigging.bound_ratio(machine)
    words = "computing decides" if ratio is None else f"{ratio:.2f}"
    if ratio == 1 and not machine.cpu_ms:
        words += ": a tie, so computing decides"
    yield _line(f"async / sync {words}{_published(rigging)}", width, EMPHASIS)


def measured_lines(outcome: Outcome, machine: Machine, width: int) -> Iterator[Line]:
    machine = replace(machine, cpu_ms=outcome.cpu_ms)
    for side in SIDES:
        if (per_s := outcome.per_s.get(side.name)) is None:
            continue
        bound = outcome.rigging.bound_per_s(side, machine)
        share = f"   {per_s / bound:.0%} of its bound" if bound else ""
        yield _line(f"{side.name:<6} {per_s:>8,.0f}/s{share}", width)
    yield from _wrapped(_verdict(outcome), width, EMPHASIS)
    for why in outcome.refused.values():
        yield from _wrapped(why, width, WARNING)
    if FlagKind.CLIENT_BUSY in outcome.refused:
        yield from _wrapped(_CLIENT_LIMIT, width)


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
    words, winner, count = f"async / sync {_ratio(outcome)}", outcome.winner, len(outcome.ratio.pairs)
    if not winner:
        return f"{words} so far"
    few = f", since {count} of {outcome.rounds} rounds count" if count < outcome.rounds else ""
    return f"{words}: {winner}{' wins' if winner in {'sync', 'async'} else ''}{few}"


def _ratio(outcome: Outcome) -> str:
    ratio = outcome.ratio
    return "" if ratio is None else f"{ratio.median:.2f} [{ratio.least:.2f} to {ratio.most:.2f}]"


def tried_lines(tried: Sequence[Outcome], machine: Machine, width: int) -> Iterator[Line]:
    yield _row(_HEADER, width, DIM)
    for outcome in tried:
        chosen = outcome.rigging.configuration
        bound = outcome.rigging.bound_ratio(replace(machine, cpu_ms=outcome.cpu_ms))
        yield _row(
            (
                f"{chosen.workers_sync}/{chosen.workers_async}",
                f"{chosen.sessions}{'/w' if chosen.per_worker else ''}",
                f"{chosen.delay_ms:g} ms",
                str(chosen.clients),
                client_name(outcome.rigging.client),
                "-" if bound is None else f"{bound:.2f}",
                _ratio(outcome) or "-",
                outcome.winner,
            ),
            width,
        )


def _row(cells: Sequence[str], width: int, style: Style | None = None) -> Line:
    padded = (f"{fit(cell, room):<{room}}" for cell, room in zip(cells, _WIDTHS, strict=True))
    return _line(" ".join(padded).rstrip(), width, style)


def _line(words: str, width: int, style: Style | None = None) -> Line:
    return text_line(fit(f"{_INDENT}{words}", width), style)


def _wrapped(text: str, width: int, style: Style | None = None) -> Iterator[Line]:
    return (text_line(line, style) for line in wrap(text, width, _INDENT, _INDENT * 2))
