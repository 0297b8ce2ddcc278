"""An experiment as the list has it: enough to name it, and to prepare it once it is wanted."""

from __future__ import annotations

import pkgutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING

from asyncdemo.errors import UsageError
from asyncdemo.lab.experiments.context import ExperimentContext
from asyncdemo.lab.results.setup import Extent

if TYPE_CHECKING:  # the list is also read where the lab is not installed
    from asyncdemo.lab.harness.protocol.description import Experiment
    from asyncdemo.lab.results.record import Record


@dataclass(frozen=True, slots=True)
class Entry:
    """An entry of ``index.toml``. ``name`` is that of its record, and of its article's page.

    ``home`` is the lesson whose folder has its apps. ``lessons`` lead to this experiment. ``minutes`` is
    roughly how long each extent takes.
    ``opener`` is the ``module:function`` of a context manager that takes the context, yields the
    ``Experiment``, and stops what it started. The default is ``prepared`` in the module of the same name; if
    there is no such module, the TOML file of that name is enough.
    ``knobs`` is the ``module:class`` of the ``Entry`` that measures it under settings of the user's own.
    """

    name: str
    title: str
    home: str
    lessons: tuple[str, ...]
    minutes: Mapping[Extent, int | float]
    needs: tuple[str, ...] = ()
    """Optional system programs; the record notes their absence."""
    opener: str = ""
    knobs: str = ""

    @property
    def arguments(self) -> tuple[str, ...]:
        """The arguments of ``asyncdemo lab`` that stand for it."""
        return (self.name,)

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

    def with_settings(self, settings: Sequence[str]) -> Entry:
        """Return the entry that measures it under ``settings``, each ``KNOB=VALUE`` as typed.

        Raises UsageError if one is wrong, or if this experiment has no knobs.
        """
        if not self.knobs:
            raise UsageError(
                f"{self.name} has no knobs to set. An experiment with knobs: asyncdemo lab twenty-one-pairs"
            )
        made: Entry = pkgutil.resolve_name(self.knobs).of(self, settings)
        return made

    def bounds(self) -> Sequence[str]:
        """Return what is known before anything is started: a heading and lines, or nothing."""
        return ()

    def costs(self, record: Record) -> Sequence[str]:  # noqa: ARG002 (for those with knobs)
        """Return what only the measurement could tell about these bounds: a heading and lines, or nothing."""
        return ()
