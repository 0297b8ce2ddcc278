"""Facts about runs, in words, for every view: which there are is in ``runs`` and ``servers``."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Fact:
    """A fact. ``warns`` means that readers should look at it first."""

    label: str
    value: str
    warns: bool = False
