"""The experiments of the lab, in the order in which the course uses them.

Listing them imports nothing that they need: that happens when one is prepared.
Not here: what each measures (see the other modules here), how (see ``protocol``), or its apps, which are in
the folder of its lesson.
"""

from __future__ import annotations

import pkgutil
import tomllib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Final

from asyncdemo.lab.harness.environments import Progress, ignore_progress
from asyncdemo.lab.results.setup import Extent
from asyncdemo.model.fields import read

if TYPE_CHECKING:  # the list is also read where the lab is not installed
    from asyncdemo.lab.harness.protocol.description import Experiment

__all__ = ["EXPERIMENTS", "Entry", "ExperimentContext", "find_experiment"]


@dataclass(frozen=True, slots=True)
class ExperimentContext:
    """What an experiment is prepared with. ``apps`` is the folder of its apps.

    ``on_progress`` gets the progress of making an environment. ``say`` gets descriptions of what is set up.
    """

    apps: Path
    on_progress: Callable[[Progress], None] = ignore_progress
    say: Callable[[str], None] = lambda _: None


@dataclass(frozen=True, slots=True)
class Entry:
    """An entry of ``index.toml``. ``name`` is that of its record, and of its article's page.

    ``home`` is the lesson whose folder has its apps. ``lessons`` lead to this experiment. ``minutes`` is
    roughly how long each extent takes.
    ``opener`` is the ``module:function`` of a context manager that takes the context, yields the
    ``Experiment``, and stops what it started. The default is ``prepared`` in the module of the same name; if
    there is no such module, the TOML file of that name is enough.
    """

    name: str
    title: str
    home: str
    lessons: tuple[str, ...]
    minutes: Mapping[Extent, int | float]
    needs: tuple[str, ...] = ()
    """Optional system programs; the record notes their absence."""
    opener: str = ""

    @contextmanager
    def prepared(self, context: ExperimentContext) -> Iterator[Experiment]:
        """Raises MissingError if it cannot run here at all, and ServiceError."""
        own = f"{__package__}.{self.name.replace('-', '_')}"
        if not self.opener and find_spec(own) is None:
            from asyncdemo.lab.experiments.definition import load_experiment

            yield load_experiment(self.name, context)
            return
        with pkgutil.resolve_name(self.opener or f"{own}:prepared")(context) as experiment:
            yield experiment


_INDEX: Final = tomllib.loads(Path(__file__).with_name("index.toml").read_text(encoding="utf-8"))
EXPERIMENTS: Final = tuple(
    read(Entry, {"name": name, **entry}, f"index.toml: {name}", strict=True) for name, entry in _INDEX.items()
)


def find_experiment(name: str) -> Entry | None:
    """``name`` is an experiment's, or the id of a lesson that leads to one."""
    led = {lesson: entry for entry in EXPERIMENTS for lesson in entry.lessons}
    return {**led, **{entry.name: entry for entry in EXPERIMENTS}}.get(name)
