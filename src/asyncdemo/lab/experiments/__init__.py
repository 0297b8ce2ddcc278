"""The experiments of the lab: which there are, in the order in which the course comes to them.

They are known without importing what one needs: that is prepared when it is asked for.
Not for: what any of them measures (the modules beside this one), how (``protocol``), or its apps, which lie
in the folder of its lesson.
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

from asyncdemo.errors import LabFileError
from asyncdemo.lab.harness.environments import Progress, tell_nobody
from asyncdemo.lab.results.setup import Extent
from asyncdemo.model.fields import read

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
    """As ``index.toml`` has it. name: of its record, and of the page of its article.

    home: the lesson whose folder has its apps. lessons: from which one comes here. minutes: about how long
    each extent takes.
    opener: ``module:function``; given the surroundings, it is a context manager that gives the
    ``Experiment``, and stops what it started. Without one it is ``prepared`` of the module of the same name;
    where there is none, the file of that name says all.
    """

    name: str
    title: str
    home: str
    lessons: tuple[str, ...]
    minutes: Mapping[Extent, int | float]
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


def _load_entries() -> tuple[Entry, ...]:
    """Raises LabFileError."""
    path = Path(__file__).with_name("index.toml")
    try:
        entries = tomllib.loads(path.read_text(encoding="utf-8")).items()
        return tuple(read(Entry, {"name": name, **entry}, name, strict=True) for name, entry in entries)
    except (OSError, ValueError) as error:
        raise LabFileError(f"{path.name}: {error}") from error


EXPERIMENTS: Final = _load_entries()


def find_experiment(name: str) -> Entry | None:
    """name: of an experiment, or the id of a lesson that leads to one."""
    named = {entry.name: entry for entry in EXPERIMENTS}
    led = {lesson: entry for entry in EXPERIMENTS for lesson in entry.lessons}
    return named.get(name) or led.get(name)
