"""What an experiment is prepared with."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from asyncdemo.lab.harness.environments import Progress, ignore_progress


@dataclass(frozen=True, slots=True)
class ExperimentContext:
    """What an experiment is prepared with. ``apps`` is the folder of its apps.

    ``on_progress`` gets the progress of making an environment. ``say`` gets descriptions of what is set up.
    """

    apps: Path
    on_progress: Callable[[Progress], None] = ignore_progress
    say: Callable[[str], None] = lambda _: None
