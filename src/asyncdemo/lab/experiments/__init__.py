"""The experiments of the lab: which there are, in the order in which the course comes to them.

They are known without importing what one needs: that is prepared when it is asked for.
Not for: what any of them measures (the modules beside this one), how (``protocol``), or its apps, which lie
in the folder of its lesson.
"""

from __future__ import annotations

import pkgutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Final

from asyncdemo.lab.harness.environments import Progress, tell_nobody
from asyncdemo.lab.results.setup import Extent

if TYPE_CHECKING:  # the list of experiments is read where nothing of the lab is installed
    from asyncdemo.lab.harness.protocol.description import Experiment

__all__ = ["EXPERIMENTS", "Entry", "Surroundings", "find_experiment"]


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What an experiment is prepared with. apps: the folder of its apps.

    tell: is told of an environment being made. say: what is being set up, in words, before anything runs.
    """

    apps: Path
    tell: Callable[[Progress], None] = tell_nobody
    say: Callable[[str], None] = lambda _: None


@dataclass(frozen=True, slots=True)
class Entry:
    """name: of its record, and of the page of its article. home: the lesson whose folder has its apps.

    lessons: from which one comes here. minutes: about how long each extent takes.
    opener: ``module:function``; given the surroundings, it is a context manager that gives the
    ``Experiment``, and stops what it started. Without one it is ``prepared`` of the module of the same name;
    where there is none, the file of that name says all.
    """

    name: str
    title: str
    home: str
    lessons: tuple[str, ...]
    minutes: Mapping[Extent, float]
    needs: tuple[str, ...] = ()
    """Programs of the system that it is better with; without them it says so."""
    opener: str = ""

    @contextmanager
    def prepared(self, surroundings: Surroundings) -> Iterator[Experiment]:
        """Raises MissingError if it cannot run here at all, and ServiceError."""
        own = f"{__package__}.{self.name.replace('-', '_')}"
        if not self.opener and find_spec(own) is None:
            from asyncdemo.lab.experiments.definition import load_definition

            yield load_definition(self.name).experiment(surroundings)
            return
        with pkgutil.resolve_name(self.opener or f"{own}:prepared")(surroundings) as experiment:
            yield experiment


def _minutes(quick: float, default: float, full: float) -> Mapping[Extent, float]:
    return {Extent.QUICK: quick, Extent.DEFAULT: default, Extent.FULL: full}


EXPERIMENTS: Final = (
    Entry(
        "flask-and-sanic",
        "Flask and Sanic",
        "flask-vs-sanic",
        ("flask-vs-sanic", "cpu-route", "memory"),
        _minutes(1, 7, 15),
    ),
    Entry(
        "flask-and-quart",
        "Flask and Quart",
        "psycopg2-to-asyncpg",
        ("psycopg2-to-asyncpg", "flask-to-quart", "async-views"),
        _minutes(1.5, 8, 15),
    ),
    Entry("four-frameworks", "Four frameworks", "hello-world", ("hello-world",), _minutes(1, 10, 32)),
    Entry("constant-rate", "Constant rate", "open-loop", ("open-loop",), _minutes(1, 9, 22)),
    Entry("ten-thousand", "Ten thousand connections", "open-loop", (), _minutes(1, 4, 23)),
    Entry("greenlets", "Greenlets and their driver", "greenlets", ("greenlets",), _minutes(1.5, 3, 8)),
    Entry(
        "twenty-one-pairs",
        "Twenty-one pairs",
        "rig-it",
        ("rig-it", "choose"),
        _minutes(1, 25, 58),
        ("pgbouncer", "nginx"),
    ),
)


def find_experiment(name: str) -> Entry | None:
    """name: of an experiment, or the id of a lesson that leads to one."""
    named = {entry.name: entry for entry in EXPERIMENTS}
    led = {lesson: entry for entry in EXPERIMENTS for lesson in entry.lessons}
    return named.get(name) or led.get(name)
