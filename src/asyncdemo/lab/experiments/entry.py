"""An experiment as it is listed: known without importing what it needs, and prepared when it is asked for.

Not for: the list itself (``registry``).
"""

from __future__ import annotations

import pkgutil
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

    lessons: from which one comes here. minutes: about how long each extent takes.
    opener: ``module:function``; given the surroundings, it is a context manager that gives the
    ``Experiment``, and stops what it started.
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
        own = f"{__package__}.{self.name.replace('-', '_')}:prepared"
        with pkgutil.resolve_name(self.opener or own)(surroundings) as experiment:
            yield experiment
