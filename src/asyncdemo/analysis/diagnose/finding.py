"""Findings, what finds them, and the phrases that all of them share."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial

from asyncdemo.model import Run, Site


@dataclass(frozen=True, slots=True)
class Finding:
    """Something that the author of the program may want to change.

    Attributes:
        message: What was observed, with figures and the place.
        advice: What to do about it.
        site: The line it is about.
        called_from: The nearest line of the user's own code that led there.
        kind: The name of the detector that found it, which fills this in.
    """

    message: str
    advice: str
    site: Site | None
    called_from: Site | None
    kind: str = ""


@dataclass(frozen=True, slots=True)
class Detector:
    """Finds one kind of mistake in a run.

    Attributes:
        kind: The name of what it finds: lower case, with hyphens. It is part of the JSON contract.
        meaning: What it finds, as in "callers queued for the connections of a pool".
        about_correctness: Whether it is about correctness, not about speed.
        find: Yields the findings of a run.
    """

    kind: str
    meaning: str
    about_correctness: bool
    find: Callable[[Run], Iterator[Finding]]

    def __call__(self, run: Run) -> Iterator[Finding]:
        """Yield what this finds in a run."""
        return (replace(found, kind=self.kind) for found in self.find(run))


def detector(
    kind: str, meaning: str, *, about_correctness: bool = False
) -> Callable[[Callable[[Run], Iterator[Finding]]], Detector]:
    """Turn a function that yields the findings of a run into a detector. See ``Detector``."""
    return partial(Detector, kind, meaning, about_correctness)


def finding(message: str, advice: str, site: Site | None) -> Finding:
    """Return one about a line that nothing but itself led to."""
    return Finding(message, advice, site, own(site))


def own(site: Site | None) -> Site | None:
    """Return the site if it is in the user's own code, not in an installed package."""
    return None if site is None or site.installed else site


def duration(ns: int) -> str:
    """Format a duration: "0.12 s", "52 ms"."""
    return f"{ns / 1e9:,.2f} s" if ns >= 100_000_000 else f"{ns / 1e6:.0f} ms"


def plural(number: int, noun: str) -> str:
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def at(site: Site | None, called_from: Site | None = None) -> str:
    """Return " at client.py:30 in get(), called from app.py:12 in main()"; empty if nothing is known."""
    if site is None:
        return "" if called_from is None else at(called_from)
    words = f" at {_place(site)}"
    if called_from is not None and (called_from.file, called_from.line) != (site.file, site.line):
        words += f", called from {_place(called_from)}"
    return words


def location(site: Site) -> str:
    """Return "bank.py:14"."""
    file = re.split(r"[/\\]", site.file)[-1]
    return f"{file}:{site.line}"


def _place(site: Site) -> str:
    function = site.function.rpartition("<locals>.")[2]
    inside = "" if not function or function.startswith("<") else f" in {function}()"
    return f"{location(site)}{inside}"
