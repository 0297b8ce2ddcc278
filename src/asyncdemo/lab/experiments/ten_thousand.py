"""What ten thousand connections need besides ``ten-thousand.toml``: what a server holds, and a contestant
that is not available.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Final

import psutil

from asyncdemo.lab.experiments.context import ExperimentContext
from asyncdemo.lab.experiments.definition import load_experiment
from asyncdemo.lab.harness import Knobs, Started, Unavailable
from asyncdemo.lab.harness.protocol.description import (
    Check,
    Contestant,
    Count,
    Experiment,
    Scene,
    Seen,
)
from asyncdemo.lab.results.setup import Arm, Model

_OTHER_FILES: Final = 100
_JAPRONTO: Final = Unavailable(
    "Its last release, 0.1.2, is compiled for Python 3.5 and 3.6, and for no later one.",
    "uvicorn or Granian",
)


@contextmanager
def prepared(context: ExperimentContext) -> Iterator[Experiment]:
    held = _Held()
    counts = (
        Count("connections", held.connections),
        Count("bytes_per_connection", held.bytes_per_connection, most=False),
    )
    checks = {"2,000 files": [held.check(2_000)], "10,000 files": [held.check(10_000)]}
    experiment = load_experiment("ten-thousand", context, checks, counts)
    yield replace(experiment, contestants=(*experiment.contestants, _japronto()))


@dataclass
class _Held:
    """What a server holds, beyond what it held when it was ready: seen from outside, by psutil."""

    _before: dict[int, tuple[int, int]] = field(default_factory=dict)
    """Port -> files, bytes."""
    _most: dict[int, tuple[int, int]] = field(default_factory=dict)

    def check(self, planned: int) -> Check:
        """Check that it may open this many files, and note what it has now as the baseline."""
        needed = planned + _OTHER_FILES

        def ready(scene: Scene) -> Seen:
            port = scene.started.port
            self._before[port], self._most[port] = self._now(scene), (0, 0)
            limits = [self._limit(pid) for pid in scene.started.pids()]
            least = min((limit for limit in limits if limit is not None), default=None)
            if least is None:
                return Seen("this system does not say", True)
            return Seen(f"{least:,}", least >= needed)

        return Check("open files allowed", f"at least {needed:,}", ready, always=True)

    def connections(self, scene: Scene) -> float:
        port = scene.started.port
        files, resident = self._now(scene)
        before, most = self._before.get(port, (0, 0)), self._most.get(port, (0, 0))
        more = max(files - before[0], 0), max(resident - before[1], 0)
        self._most[port] = max(most[0], more[0]), max(most[1], more[1])
        return float(more[0])

    def bytes_per_connection(self, scene: Scene) -> float:
        connections, resident = self._most.get(scene.started.port, (0, 0))
        return resident / connections if connections else 0.0

    def _now(self, scene: Scene) -> tuple[int, int]:
        files = resident = 0
        for pid in scene.started.pids():
            with contextlib.suppress(psutil.Error):  # it has ended
                process = psutil.Process(pid)
                files, resident = files + process.num_fds(), resident + process.memory_info().rss
        return files, resident

    @staticmethod
    def _limit(pid: int) -> int | None:
        if not hasattr(psutil, "RLIMIT_NOFILE") or not psutil.pid_exists(pid):
            return None
        soft = int(psutil.Process(pid).rlimit(psutil.RLIMIT_NOFILE)[0])
        return None if soft == psutil.RLIM_INFINITY else soft


@dataclass(frozen=True)
class _Gone:
    """A contestant that the question names, but that is not available."""

    name: str

    def start(self, knobs: Knobs) -> Started:  # noqa: ARG002
        raise _JAPRONTO


def _japronto() -> Contestant:
    title, model = "Japronto", Model.COROUTINES
    why, successor = _JAPRONTO.why, _JAPRONTO.successor
    arm = Arm("japronto", title, model, title, title, unavailable=why, successor=successor)
    return Contestant(arm, _Gone("japronto"))
