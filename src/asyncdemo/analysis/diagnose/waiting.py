"""Phrases for who waits, for what, and at which line; used in findings, in checks and while it runs."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from asyncdemo.analysis.diagnose.finding import location, plural
from asyncdemo.analysis.reasons import find_reason
from asyncdemo.model import Holding, Resource, ResourceKind, Run, Site, State, Stuck, TrackKind

_MOST_NAMES = 3
_MOST_TARGETS = 4
_HELD = frozenset({"lock", "semaphore", "connection pool"})


class Phrases:
    def __init__(self, run: Run) -> None:
        self._run = run
        self._twins: dict[tuple[ResourceKind, Site | None, str], list[int]] = {}
        """Resources that were created on the same line with the same name."""
        for resource in run.resources:
            self._twins.setdefault((resource.kind, resource.site, resource.label), []).append(resource.index)
        self._stuck = {one.track: one for one in run.stuck if one.track is not None}

    def who(self, track: int) -> str:
        known = self._stuck.get(track)
        if known is not None:
            return self._name(known.name, known.function)
        one = self._run.tracks[track]
        return self._name(one.name, one.function)

    def _name(self, name: str, function: str) -> str:
        function = function.rpartition("<locals>.")[2]
        if not name:
            return function or "a thread"
        redundant = not function or function.startswith("<") or f"({function})" in name
        return name if redundant else f"{name} ({function})"

    def names(self, together: Sequence[Stuck]) -> str:
        return join_names([self._name(one.name, one.function) for one in together])

    def what(self, index: int) -> str:
        """Describe a resource: "lock `left`", "lock no. 3 made at phil.py:4"."""
        resource = self._run.resources[index]
        noun = f"{resource.name} pool".strip() if resource.kind is ResourceKind.POOL else str(resource.kind)
        twins = self._twins[resource.kind, resource.site, resource.label]
        number = f" no. {twins.index(index) + 1}" if len(twins) > 1 else ""
        if resource.label:
            return f"{noun} `{resource.label}`{number}"
        made = f" made at {location(resource.site)}" if resource.site else ""
        return f"{noun}{number}{made}" if made else f"a {noun}"

    def holds(self, held: Sequence[Holding]) -> str:
        """Say what is held: "holds lock `left` (taken at bank.py:12)"."""
        parts = []
        for index in dict.fromkeys(holding.resource for holding in held):
            places = dict.fromkeys(location(one.site) for one in held if one.resource == index and one.site)
            count = sum(one.resource == index for one in held)
            taken = f" (taken at {' and '.join(places)})" if places else ""
            parts.append(f"{self._units(self._run.resources[index], count)}{taken}")
        return "holds " + " and ".join(parts)

    def _units(self, resource: Resource, count: int) -> str:
        what = self.what(resource.index)
        if resource.kind is ResourceKind.LOCK or resource.limit is None:
            return what
        unit = "connection" if resource.kind is ResourceKind.POOL else "slot"
        if resource.limit == 1:
            return f"the only {unit} of {what}"
        return f"{count} of the {plural(resource.limit, unit)} of {what}"

    def where(self, one: Stuck, again: Collection[int] = ()) -> str:
        """Say what it waits for: "waits for lock `right` at bank.py:14"; it already holds ``again``."""
        at = f" at {location(one.site)}" if one.site is not None else ""
        if one.state is State.READY:
            return "has not started" if one.site is None else f"is ready to continue{at}"
        if one.state is State.RUNNING:
            if not one.reason:
                return f"runs{at}"
            return f"blocks its event loop{at}: it {self._waits(one, again)}"
        limit = ""
        if one.at_most_s is not None and one.reason != "sleep":
            limit = f" (at most {one.at_most_s:g} s{'' if self._is_thread(one) else ' more'})"
        return f"{self._waits(one, again)}{limit}{at}"

    def _is_thread(self, one: Stuck) -> bool:
        return one.track is not None and self._run.tracks[one.track].kind is TrackKind.THREAD

    def _waits(self, one: Stuck, again: Collection[int]) -> str:
        known = find_reason(one.reason)
        if one.on and known.for_others:
            names = [self.who(track) for track in one.on]
            return known.for_others.format(join_names(names, _MOST_TARGETS))
        if not one.reason:
            return "waits"
        if one.resource is not None and one.resource in again and one.reason in _HELD:
            is_lock = self._run.resources[one.resource].kind is ResourceKind.LOCK
            return "waits for the same lock" if is_lock else "waits for another one"
        if one.resource is None:
            what = known.unnamed
        else:
            what = self.what(one.resource)
            if one.reason == "semaphore":
                what = f"a slot of {what}"
        text = known.waits.format(what) or f"waits ({one.reason})"
        if one.unfinished is not None:
            text += f" ({plural(one.unfinished, 'item')} without `task_done()`)"
        return text


def pluralized(words: str) -> str:
    """Put words into the plural: "wait for ...", "each hold ..."; names between backticks stay."""
    parts = words.split("`")
    parts[::2] = [_VERB.sub(lambda verb: _PLURAL[verb[0]], part) for part in parts[::2]]
    return "`".join(parts)


_PLURAL = {
    "awaits": "await",
    "blocks its": "block their",
    "has": "have",
    "holds": "each hold",
    "is": "are",
    "it waits": "they wait",
    "runs": "run",
    "sleeps": "sleep",
    "waits": "wait",
}
_VERB = re.compile(r"\b(" + "|".join(sorted(_PLURAL, key=len, reverse=True)) + r")\b")


def join_names(names: Sequence[str], most: int = _MOST_NAMES) -> str:
    """Return "a, b and c" or "a, b, c and 7 more"."""
    shown = list(names[:most]) if len(names) > most + 1 else list(names)
    if len(names) > len(shown):
        shown.append(f"{len(names) - len(shown):,} more")
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"
