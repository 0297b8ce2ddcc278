"""An experiment as it is listed: known without importing what it needs, and prepared when it is asked for.

Not for: the list itself (``registry``).
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from asyncdemo.lab.harness.environments import Progress, tell_nobody
from asyncdemo.lab.results.setup import Extent

if TYPE_CHECKING:  # the list of experiments is read where nothing of the lab is installed
    from asyncdemo.lab.harness.protocol import Experiment

__all__ = ["Entry", "Surroundings"]


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

    lessons: from which one comes here. minutes: about how long each extent takes. module: which has
    ``prepared(surroundings)``, a context manager that gives the ``Experiment``; what it started is stopped
    at its end.
    """

    name: str
    title: str
    home: str
    lessons: tuple[str, ...]
    minutes: Mapping[Extent, float]
    needs: tuple[str, ...] = ()
    """Programs of the system that it is better with; without them it says so."""
    module: str = ""

    @contextmanager
    def prepared(self, surroundings: Surroundings) -> Iterator[Experiment]:
        """Raises MissingError if it cannot run here at all, and ServiceError."""
        module = importlib.import_module(self.module or self._own_module)
        with module.prepared(surroundings) as experiment:
            yield experiment

    @property
    def _own_module(self) -> str:
        return f"{__package__}.{self.name.replace('-', '_')}"
