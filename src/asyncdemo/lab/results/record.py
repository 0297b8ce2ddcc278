"""The record of a finished experiment, ``asyncdemo.lab/1``: what ran, every trial, and the comparisons.

Plain data that validates itself: references must exist, and ratios must be those of the trials. Reading its
file is strict: an unknown or missing field, or one of the wrong type, is an error that names it.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from asyncdemo.bounded import read_unpacked
from asyncdemo.errors import LabFileError
from asyncdemo.lab.results.comparison import Comparison
from asyncdemo.lab.results.flags import Flag
from asyncdemo.lab.results.ratio import Reproduction, verdict
from asyncdemo.lab.results.setup import Arm, Calibration, Environment, Extent, Setting, Verification
from asyncdemo.lab.results.trial import Trial, figures
from asyncdemo.model.fields import FieldError, read, write

FORMAT: Final = "asyncdemo.lab/1"
MOST_BYTES: Final = 32_000_000
"""Unpacked. Ours have at most 3 MB."""


@dataclass(frozen=True, slots=True)
class Record:
    """``name`` is that of its file, and of the article's page or of an experiment without an article."""

    format: str
    name: str
    title: str
    asyncdemo: str
    command: str
    started: str
    ended: str
    extent: Extent
    rounds: int
    order_seed: int
    environment: Environment
    arms: tuple[Arm, ...]
    settings: tuple[Setting, ...]
    trials: tuple[Trial, ...]
    comparisons: tuple[Comparison, ...]
    verifications: tuple[Verification, ...] = ()
    calibrations: tuple[Calibration, ...] = ()
    article: str = ""
    lesson: str = ""
    interrupted: bool = False
    flags: tuple[Flag, ...] = ()
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        arms, settings = _names("arms", self.arms), _names("settings", self.settings)
        for arm in self.arms:
            _known("arms", arm.twin_of, arms | {""}, arm.name)
            for setting in arm.commands:
                _known("settings", setting, settings | {"*"}, arm.name)
        for verification in self.verifications:
            _known("arms", verification.arm, arms, verification.what)
            _known("settings", verification.setting, settings | {""}, verification.what)
        self._check_trials(arms, settings)
        for comparison in self.comparisons:
            for arm_name in (comparison.arm, comparison.base):
                _known("arms", arm_name, arms, comparison.name)
            for setting in (comparison.setting, comparison.base_setting or comparison.setting):
                _known("settings", setting, settings, comparison.name)
            self._check_pairs(comparison)

    def arm(self, name: str) -> Arm:
        return next(arm for arm in self.arms if arm.name == name)

    def setting(self, name: str) -> Setting:
        return next(setting for setting in self.settings if setting.name == name)

    def pairs(self, comparison: Comparison) -> tuple[float, ...]:
        """Return its ratio for each round that has both figures and no flag that withdraws one.

        In a search, the last step that has the figure counts.
        """
        figure, setting = comparison.figure, comparison.setting
        arm = figures(self.trials, comparison.arm, setting, figure)
        if comparison.base_value is not None:
            return tuple(arm[place] / comparison.base_value for place in sorted(arm))
        base = figures(self.trials, comparison.base, comparison.base_setting or setting, figure)
        return tuple(arm[place] / base[place] for place in sorted(arm.keys() & base.keys()))

    def _check_trials(self, arms: frozenset[str], settings: frozenset[str]) -> None:
        seen = set()
        for trial in self.trials:
            where = f"round {trial.round}"
            _known("arms", trial.arm, arms, where)
            _known("settings", trial.setting, settings, where)
            if not 1 <= trial.round <= self.rounds:
                raise ValueError(f"a trial is of round {trial.round}, and there are {self.rounds}")
            key = (trial.round, trial.arm, trial.setting, trial.step)
            if key in seen:
                raise ValueError(f"two trials are of {trial.arm} under {trial.setting} in {where}")
            seen.add(key)

    def _check_pairs(self, comparison: Comparison) -> None:
        if comparison.measured is None:
            return
        pairs, given = self.pairs(comparison), comparison.measured.pairs
        if len(pairs) != len(given) or not all(
            math.isclose(own, other, rel_tol=1e-6) for own, other in zip(pairs, given, strict=True)
        ):
            raise ValueError(f"{comparison.name}: its pairs are not the ratios of the trials")


def _names(what: str, items: Iterable[Arm | Setting]) -> frozenset[str]:
    names = [item.name for item in items]
    for name in names:
        if names.count(name) > 1:
            raise ValueError(f"two of the {what} are called {name!r}")
    return frozenset(names)


def _known(what: str, name: str, names: frozenset[str], where: str) -> None:
    if name not in names:
        raise ValueError(f"{where}: {name!r} is not one of the {what}: {', '.join(sorted(names - {''}))}")


def load_record(path: Path) -> Record:
    """``path`` is ``NAME.json``, or ``NAME.json.gz`` as in the repository. Raises LabFileError."""
    try:
        text = read_unpacked(path, MOST_BYTES).decode()
    except OSError as error:
        raise LabFileError(f"{path.name} cannot be read: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise LabFileError(f"{path.name} cannot be read: {error}") from error
    record = parse_record(text, path.name)
    if record.name != path.name.removesuffix(".gz").removesuffix(".json"):
        raise LabFileError(f"{path.name} holds a record of the name {record.name!r}; name the file after it")
    return record


def parse_record(text: str, where: str = "record") -> Record:
    """``where`` is its name in messages. Raises LabFileError."""
    try:
        values = json.loads(text)
    except RecursionError:
        raise LabFileError(f"{where} is not a record: it is nested too deeply") from None
    except ValueError as error:
        raise LabFileError(f"{where} is not JSON: {error}") from error
    found = values.get("format") if isinstance(values, dict) else None
    if found != FORMAT:
        fix = (
            "A newer asyncdemo reads it."
            if str(found).startswith("asyncdemo.lab/")
            else "It is not a record."
        )
        raise LabFileError(f"{where} has the format {found!r}, and this asyncdemo reads {FORMAT}. {fix}")
    try:
        record = read(Record, values, strict=True)
    except FieldError as error:
        raise LabFileError(f"{where}: {error}") from error
    return replace(record, comparisons=tuple(map(_judged_today, record.comparisons)))


def _judged_today(row: Comparison) -> Comparison:
    """Update older records, which say "not reproduced" where the verdict is now "undecided"."""
    if row.verdict is not Reproduction.NOT_REPRODUCED or row.published is None or row.published.ratio is None:
        return row
    return replace(row, verdict=verdict(row.published.ratio, row.measured))


def dump_record(record: Record) -> str:
    """Return JSON with a line for each field of a trial, so that records can be diffed."""
    return json.dumps(write(record), indent=1, ensure_ascii=False, allow_nan=False) + "\n"
