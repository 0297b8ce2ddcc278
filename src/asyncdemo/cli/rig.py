"""``asyncdemo lab rig-it``: the rig on a terminal, or one measurement of it in words.

Not for: measuring (``lab.rig``), or what it looks like (``render.terminal.rig``).
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Final

import click
from rich.console import Console

from asyncdemo.cli import lab_results
from asyncdemo.cli.console import make_console
from asyncdemo.cli.keys import CLOSED, Keys
from asyncdemo.cli.signals import Signals
from asyncdemo.cli.terminal import can_ask, can_draw, in_foreground
from asyncdemo.errors import EXIT_FAILED, EXIT_INTERRUPTED, EXIT_OK, UsageError
from asyncdemo.lab.harness.installed import find
from asyncdemo.lab.harness.protocol.bench import Bench
from asyncdemo.lab.harness.python_clients import found_python_clients
from asyncdemo.lab.results.rigging import KNOBS, PRESETS, SIDES, Outcome, Rigging, with_settings
from asyncdemo.lab.rig.session import Session
from asyncdemo.lab.rig.testbed import open_testbed
from asyncdemo.render.terminal.draw import Line, Lines
from asyncdemo.render.terminal.rig import View, result_lines, rig_lines

__all__ = ["open_rig", "rig_data"]

FORMAT: Final = "asyncdemo.rig/1"
_QUIT: Final = {"q", "Q", "ctrl-d", CLOSED}
_LOOK_S: Final = 0.2
"""How long at most until something new is drawn."""
_HOME, _CLEAR_LINE, _CLEAR_BELOW = "\x1b[H", "\x1b[K", "\x1b[J"
_HIDE_CURSOR, _SHOW_CURSOR = "\x1b[?25l", "\x1b[?25h"
_PLAIN_WIDTH: Final = 100


def open_rig(apps: Path, settings: Sequence[str] = (), *, plain: bool = False, as_json: bool = False) -> int:
    """apps: the folder of lesson 25. settings: as typed, ``NAME=VALUE``. Returns the exit code.

    On a terminal until one quits, elsewhere one measurement of what is set. Raises UsageError, MissingError.
    """
    bench = _bench()
    clients = tuple(bench.engines)
    rigging = with_settings(Rigging(PRESETS["1"].configuration), settings, clients)
    on_terminal = can_ask() and in_foreground() and can_draw() and not (plain or as_json)
    if not on_terminal and not settings:
        raise UsageError(
            "The rig is moved by keys, on a terminal. Without one, say what to measure: "
            "asyncdemo lab rig-it --set workers=4 --set clients=50"
        )
    with lab_results.measuring_alone():
        if on_terminal:
            return _Rig(apps, rigging, clients, bench).until_quit()
        return _once(apps, rigging, bench, as_json=as_json)


def _bench() -> Bench:
    """With load clients that no experiment has: at their limit they change the ranking."""
    bench = Bench()
    more = {engine.name: engine for engine in found_python_clients()}
    return replace(bench, engines={**bench.engines, **more})


def _once(apps: Path, rigging: Rigging, bench: Bench, *, as_json: bool) -> int:
    say = partial(click.echo, err=True)
    try:
        with open_testbed(apps, say, bench) as testbed:
            outcome = testbed.measure(rigging, say, lambda _: None, lambda: False)
            view = View(
                rigging, now=outcome, is_pooled="pgbouncer" not in testbed.missing, missing=testbed.missing
            )
            _print(view, outcome, as_json=as_json)  # first: whoever keeps a port at the end is an error
    except KeyboardInterrupt:
        click.echo("Interrupted.", err=True)
        return EXIT_INTERRUPTED
    return EXIT_FAILED if outcome.failed else EXIT_OK


def _print(view: View, outcome: Outcome, *, as_json: bool) -> None:
    if as_json:
        click.echo(json.dumps(rig_data(outcome, view.is_pooled)))
        return
    for line in result_lines(view, _PLAIN_WIDTH):
        click.echo("".join(segment.text for segment in line))


def rig_data(outcome: Outcome, is_pooled: bool) -> dict[str, object]:
    """As docs/reference/json.md has it. is_pooled: there is pgbouncer."""
    rigging, ratio = outcome.rigging, outcome.ratio
    return {
        "format": FORMAT,
        "settings": {knob.name: rigging.value(knob) for knob in KNOBS},
        "bounds_per_s": {side.name: rigging.bound_per_s(side, is_pooled) for side in SIDES},
        "bound_ratio": rigging.bound_ratio(is_pooled),
        "measured_per_s": dict(outcome.per_s),
        "ratio": None
        if ratio is None
        else {"median": ratio.median, "least": ratio.least, "most": ratio.most, "pairs": list(ratio.pairs)},
        "rounds": outcome.rounds,
        "winner": outcome.winner,
        "refused": dict(outcome.refused),
        "failed": outcome.failed,
    }


class _Rig:
    """The rig with its keys, until one quits."""

    def __init__(self, apps: Path, rigging: Rigging, clients: Sequence[str], bench: Bench) -> None:
        self._rigging, self._clients = rigging, clients
        self._session = Session(lambda say: open_testbed(apps, say, bench), rigging)
        self._chosen = 0
        self._may_pool = find("pgbouncer") is not None

    def until_quit(self) -> int:
        console = make_console()
        with Signals() as signals:
            with Keys() as keys, _Screen(console) as screen, self._session as session:
                ended = False
                while not (ended or signals.seen or session.is_over):
                    screen.show(self._lines(console))
                    ended = self._press(keys.read(_LOOK_S))
                    if signals.stop:
                        self._stop(signals, keys, screen)
                session.end()
                while not session.is_over:
                    screen.show(self._lines(console, "stopping the servers"))
                    keys.read(_LOOK_S)
            trouble = self._session.state.trouble
            if trouble:
                click.echo(f"asyncdemo: {trouble}", err=True)
        return EXIT_INTERRUPTED if signals.seen else EXIT_FAILED if trouble else EXIT_OK

    def _lines(self, console: Console, doing: str = "") -> list[Line]:
        state = self._session.state
        view = View(
            self._rigging,
            self._chosen,
            doing or state.doing,
            state.now,
            state.tried,
            self._may_pool,
            state.missing,
            state.trouble,
        )
        width, height = console.size
        return rig_lines(view, width - 1, height)

    def _press(self, key: str | None) -> bool:
        """Whether it is the end."""
        before = self._rigging
        if key in _QUIT:
            return True
        if key in {"up", "down", "k", "j", "tab"}:
            self._chosen = (self._chosen + (-1 if key in {"up", "k"} else 1)) % len(KNOBS)
        elif key in {"left", "right", "h", "l", "-", "+"}:
            by = -1 if key in {"left", "h", "-"} else 1
            self._rigging = before.stepped(KNOBS[self._chosen], by, self._clients)
        elif key is not None and key in PRESETS:
            self._rigging = Rigging(PRESETS[key].configuration, before.client)
        if self._rigging != before or key in {" ", "enter"}:
            self._session.want(self._rigging)
        return False

    @staticmethod
    def _stop(signals: Signals, keys: Keys, screen: _Screen) -> None:
        """Whoever has the terminal meanwhile gets it as it was."""
        keys.suspend()
        screen.suspend()
        signals.stop_now()
        screen.resume()
        keys.resume()


class _Screen:
    """Lines in the place of those before. At the end the last ones stay, without the keys."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._shown = ""

    def __enter__(self) -> _Screen:
        self.resume()
        return self

    def __exit__(self, *error: object) -> None:
        self.suspend()

    def show(self, lines: Sequence[Line]) -> None:
        with self._console.capture() as captured:
            self._console.print(Lines(lines), soft_wrap=True, highlight=False)
        text = captured.get().removesuffix("\n").replace("\n", f"{_CLEAR_LINE}\n")
        if text != self._shown:
            self._shown = text
            _write(_HOME + text + _CLEAR_LINE + _CLEAR_BELOW)

    def suspend(self) -> None:
        _write(f"\n{_SHOW_CURSOR}")

    def resume(self) -> None:
        """What stood on the screen before is scrolled up, not lost."""
        self._shown = ""
        _write("\n" * (self._console.size.height - 1) + _HIDE_CURSOR)


def _write(text: str) -> None:
    sys.stdout.write(text)
    sys.stdout.flush()
