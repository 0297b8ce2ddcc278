"""Times, counts and places as a learner reads them in a check's sentences."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import PurePath

from asyncdemo.model import Resource, ResourceKind, Site, State, Stuck


def at(time_ns: int, zero_ns: int) -> str:
    """Format a time of the run: "0.15 s", counted from when the first lane opened."""
    return f"{(time_ns - zero_ns) / 1e9:.2f} s"


def length(duration_ns: int) -> str:
    """Format as "150 ms" or "2.00 s"."""
    return f"{duration_ns / 1e6:.0f} ms" if duration_ns < 1_000_000_000 else f"{duration_ns / 1e9:.2f} s"


def count(number: int, plural: str) -> str:
    """Format as "1 upload", "50 uploads", "1 call of upload", "1 query" or "no calls of upload"."""
    if number == 1:
        first, space, rest = plural.partition(" ")
        return f"1 {singular(first)}{space}{rest}"
    return f"{number or 'no'} {plural}"


def too_few_workers(resources: Iterable[Resource], wanted: int) -> str:
    """Return "the pool has 6 workers" if calls queued for fewer than ``wanted``; else ""."""
    for resource in resources:
        workers = resource.limit
        if resource.kind is ResourceKind.EXECUTOR and resource.queue and workers and workers < wanted:
            return f"the pool has {count(workers, 'workers')}"
    return ""


def singular(noun: str) -> str:
    """Return the singular of a regular noun; a unit like "s" stays as it is."""
    if len(noun) <= len("ms"):
        return noun
    return f"{noun[:-3]}y" if noun.endswith("ies") else noun.removesuffix("s")


def upper(text: str) -> str:
    """Capitalise the start of a sentence."""
    return text[:1].upper() + text[1:]


def was(number: int) -> str:
    return "was" if number == 1 else "were"


def place(site: Site) -> str:
    """Format as "exercise.py:31"."""
    return f"{PurePath(site.file).name}:{site.line}"


def join_names(names: Sequence[str], most: int = 3) -> str:
    """Join as "a, b and c" or "a, b, c and 7 more"."""
    shown = list(names[:most]) if len(names) > most + 1 else list(names)
    if len(names) > len(shown):
        shown.append(f"{len(names) - len(shown)} more")
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"


def who_hangs(stuck: Sequence[Stuck]) -> str:
    """Return one sentence for each place: what waits there, and at which line. "" if nothing does."""
    groups: dict[tuple[Site | None, str, str, State], list[str]] = {}
    for one in stuck:
        groups.setdefault((one.site, one.source, one.function, one.state), []).append(one.name)
    return " ".join(
        f"{function or 'A thread'} ({join_names(names)}) "
        f"{_does(state, site)}{f' ({source})' if source else ''}."
        for (site, source, function, state), names in groups.items()
    )


def _does(state: State, site: Site | None) -> str:
    if site is None:
        return "has not started"
    words = {State.RUNNING: "runs at", State.READY: "is ready to continue at"}
    return f"{words.get(state, 'waits at')} {place(site)}"
