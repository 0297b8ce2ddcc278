"""The list of experiments, in the order in which the course comes to them.

Not for: what any of them measures (the modules beside this one).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from asyncdemo.lab.experiments.entry import Entry
from asyncdemo.lab.results.setup import Extent

__all__ = ["EXPERIMENTS", "find_experiment"]


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
