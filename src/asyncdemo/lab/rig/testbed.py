"""The rig's servers under its knobs, measured briefly and in turns.

Both servers run at the same time, each behind its own nginx, but only one gets load. Whatever a changed knob
doesn't affect keeps running.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

from asyncdemo.errors import AsyncdemoError
from asyncdemo.lab.harness import PortKept
from asyncdemo.lab.harness.engines import OURS
from asyncdemo.lab.harness.machine import find
from asyncdemo.lab.harness.protocol.bench import Bench, RunningContestant, Window
from asyncdemo.lab.harness.protocol.description import Condition, Size
from asyncdemo.lab.results.flags import Flag, FlagKind
from asyncdemo.lab.results.ratio import Ratio
from asyncdemo.lab.results.rigging import SIDES, Outcome, Rigging, Side
from asyncdemo.lab.stack.pairs import PAIRS, condition, contestant
from asyncdemo.lab.stack.programs import nginx, port_to_keep, scratch
from asyncdemo.lab.stack.start import Stack, open_stack

ROUNDS: Final = 7
_SHORTEST_S, _LONGEST_S = 1.0, 5.0
_WARM_S: Final = 0.5
_ANSWERS: Final = 4
"""A window is long enough for this many answers to each client, if they take as long as the bound says."""

Say = Callable[[str], None]


@dataclass
class _Kept:
    """A running server. ``key`` is what it was started with; a different key needs a new server."""

    key: str
    running: RunningContestant
    parts: ExitStack


@dataclass
class Testbed:
    """Both sides' servers. ``stacks`` share a database and a pooler; each has its own port and proxy."""

    stacks: Mapping[str, Stack]
    apps: Path
    bench: Bench
    _kept: dict[str, _Kept] = field(default_factory=dict)
    _limit: int = 0

    @property
    def missing(self) -> Mapping[str, str]:
        return self._stack.missing

    @property
    def _stack(self) -> Stack:
        return self.stacks[SIDES[0].name]

    def measure(
        self, rigging: Rigging, say: Say, tell: Callable[[Outcome], None], interrupted: Callable[[], bool]
    ) -> Outcome:
        """Measure in rounds, and ``tell`` each result so far. Raises Interrupted when asked to end."""
        bench = replace(self.bench, own_pids=self._pids, interrupted=interrupted)
        windows: dict[str, list[Window]] = {side.name: [] for side in SIDES}
        outcome = Outcome(rigging, ROUNDS, {})
        try:
            for side in SIDES:
                bench.check_interrupted()
                self._serve(side, rigging, say)
            for side in SIDES:
                say(f"warming up {side.title}")
                self._window(bench, replace(rigging, client=OURS), side, _WARM_S)
            for number in range(1, ROUNDS + 1):
                for side in SIDES if number % 2 else SIDES[::-1]:
                    say(f"round {number} of {ROUNDS}: {side.name}")
                    windows[side.name].append(self._window(bench, rigging, side, _window_s(rigging)))
                outcome = _outcome(rigging, windows)
                tell(outcome)
        except AsyncdemoError as error:
            kept = self._stop_all()  # the next measurement starts afresh, whatever went wrong
            return Outcome(rigging, ROUNDS, {}, failed=" ".join([str(error), *kept]))
        return outcome

    def close(self) -> None:
        """Stop the servers but not the database. Finally raises PortKept if a port is still held."""
        if kept := self._stop_all():
            raise PortKept(" ".join(kept))

    def _stop_all(self) -> list[str]:
        """Return a sentence for each server whose port is still held."""
        kept = []
        while self._kept:
            try:
                self._kept.popitem()[1].parts.close()
            except PortKept as error:
                kept.append(str(error))
        return kept

    def _serve(self, side: Side, rigging: Rigging, say: Say) -> None:
        """Start the side's server, or restart it if its knobs have changed, and check its answers."""
        chosen = rigging.configuration
        workers = chosen.workers(side.is_sync)
        key = f"{workers} workers, {chosen.delay_ms:g} ms"
        kept = self._kept.get(side.name)
        if kept is not None and kept.key == key and not kept.running.started.died():
            return
        if kept is not None:
            del self._kept[side.name]
            kept.parts.close()
        say(f"starting {workers} worker{'s' * (workers != 1)} of {side.title}")
        one, asked = (
            contestant(self.stacks[side.name], PAIRS[side.pair], self.apps),
            self._condition(side, rigging),
        )
        with ExitStack() as parts:
            running = parts.enter_context(self.bench.started(one, asked, asked.setting))
            self._limit = chosen.sessions_of(side.is_sync)
            for item in running.look():
                if not item.held:
                    raise AsyncdemoError(f"{side.title}, {item.what}: {item.seen}")
            self._kept[side.name] = _Kept(key, running, parts.pop_all())

    def _window(self, bench: Bench, rigging: Rigging, side: Side, window_s: float) -> Window:
        if (sessions := rigging.configuration.sessions_of(side.is_sync)) != self._limit:
            self._stack.limit_sessions(sessions)
            self._limit = sessions
        asked = self._condition(side, rigging)
        setting = asked.described(Size(window_s=window_s))
        running = replace(self._kept[side.name].running, bench=bench, condition=asked, setting=setting)
        return running.window(running.plan(), rigging.client)

    def _condition(self, side: Side, rigging: Rigging) -> Condition:
        return condition(self.stacks[side.name], "rig", "the rig", rigging.configuration, in_full=False)

    def _pids(self) -> tuple[int, ...]:
        servers = [pid for kept in self._kept.values() for pid in kept.running.started.pids()]
        proxies = [pid for stack in self.stacks.values() if stack.proxy for pid in stack.proxy.pids()]
        return (*self._stack.pids(), *proxies, *servers)


def _outcome(rigging: Rigging, windows: Mapping[str, Sequence[Window]]) -> Outcome:
    """``windows`` has those of each side, one for each round so far."""
    pairs = [
        other.load.throughput_per_s / sync.load.throughput_per_s
        for sync, other in zip(windows["sync"], windows["async"], strict=True)
        if not (sync.doubts or other.doubts) and other.load.throughput_per_s and sync.load.throughput_per_s
    ]
    cpu_ms: dict[str, float] = {}
    refused: dict[FlagKind, tuple[Flag, list[str]]] = {}
    for name, own in windows.items():
        computed = [
            one.server.cpu_s / one.load.answered * 1000 for one in own if one.server and one.load.answered
        ]
        if computed:
            cpu_ms[name] = statistics.median(computed)
        for flag in (flag for one in own for flag in one.doubts):
            worst, names = refused.setdefault(flag.kind, (flag, []))
            worst = max(worst, flag, key=lambda one: one.value or 0.0)
            refused[flag.kind] = worst, names if name in names else [*names, name]
    return Outcome(
        rigging,
        ROUNDS,
        {name: statistics.median(one.load.throughput_per_s for one in own) for name, own in windows.items()},
        Ratio.of(pairs) if pairs else None,
        {kind: f"{' and '.join(names)}: {worst.words}" for kind, (worst, names) in refused.items()},
        done=len(windows["sync"]),
        cpu_ms=cpu_ms,
    )


@contextmanager
def open_testbed(apps: Path, say: Say, bench: Bench | None = None) -> Iterator[Testbed]:
    """``apps`` is the folder of lesson 25. Raises MissingError and ServiceError."""
    with ExitStack() as parts:
        stack = parts.enter_context(open_stack(say))
        port = server_port = port_to_keep()
        proxy = None
        if stack.proxy is not None and (program := find("nginx")):
            port = port_to_keep()
            folder = parts.enter_context(scratch())
            proxy = parts.enter_context(nginx(program, folder, port, server_port))
        second = replace(stack, port=port, server_port=server_port, proxy=proxy)
        testbed = Testbed({"sync": stack, "async": second}, apps, bench or Bench())
        parts.callback(testbed.close)
        yield testbed


def _window_s(rigging: Rigging) -> float:
    """Return a time that is long enough for several answers to each client of the slower side."""
    bounds = [bound for side in SIDES if (bound := rigging.configuration.bound_per_s(side.is_sync))]
    answer_s = rigging.configuration.clients / min(bounds) if bounds else 0.0
    return min(max(_SHORTEST_S, _ANSWERS * answer_s), _LONGEST_S)
