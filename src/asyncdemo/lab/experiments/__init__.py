"""The experiments of the lab, in the order in which the course uses them.

Listing them imports nothing that they need: that happens when one is prepared. Their apps are in the folders
of their lessons.
"""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Final

from asyncdemo.lab.experiments.context import ExperimentContext
from asyncdemo.lab.experiments.entry import Entry
from asyncdemo.model.fields import read

__all__ = ["EXPERIMENTS", "Entry", "ExperimentContext", "find_experiment"]

_INDEX: Final = tomllib.loads(Path(__file__).with_name("index.toml").read_text(encoding="utf-8"))
EXPERIMENTS: Final = tuple(
    read(Entry, {"name": name, **entry}, f"index.toml: {name}", strict=True) for name, entry in _INDEX.items()
)


def find_experiment(name: str) -> Entry | None:
    """``name`` is an experiment's, or the id of a lesson that leads to one."""
    led = {lesson: entry for entry in EXPERIMENTS for lesson in entry.lessons}
    return {**led, **{entry.name: entry for entry in EXPERIMENTS}}.get(name)
