"""Coroutines and tasks that were awaited too late, one after another, or never."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence

from asyncdemo.analysis import metrics
from asyncdemo.analysis.diagnose.finding import Finding, at, detector, duration, finding, own, plural
from asyncdemo.analysis.metrics.ideal import was_cut_off
from asyncdemo.analysis.metrics.steps import in_a_hub
from asyncdemo.model import NO_WAIT, AwaitSequence, Outcome, Run, Site, State, Track, TrackKind, Wait

_WORDS = (
    "task",
    "coroutine",
    "Await the task before the program ends, or create it in an `asyncio.TaskGroup`, which awaits it. If it "
    "should run forever, cancel it at the end and then await it.",
)
_WORDS_IN_HUB = (
    "greenlet",
    "greenlet",
    "Join it before the program ends (`gevent.joinall(...)`, `Pool.join()`). If it should run "
    "forever, kill it.",
)
"""(noun for such a task, noun for the main one, advice)"""
_ADVICE_FOR_GATHER = (
    "`asyncio.gather` raises the first error and leaves the others running. An `asyncio.TaskGroup` "
    "cancels them and waits for them; `return_exceptions=True` lets them finish."
)
_AWAITS_SEVERAL = frozenset({"gather", "taskgroup", "tasks"})
_WORTH_IT_NS = 20_000_000
"""Two waits of 10 ms: less is not worth changing the code."""


@detector("sequential-awaits", "waits came one after another although none depends on another")
def sequential_awaits(run: Run) -> Iterator[Finding]:
    side_by_side = _run_side_by_side(run.tracks)
    groups: defaultdict[tuple[Site, ...], list[AwaitSequence]] = defaultdict(list)
    for sequence in run.await_sequences:
        if (
            sequence.independent
            and sequence.count >= 2
            and sequence.waited_ns >= _WORTH_IT_NS
            and run.tracks[sequence.track].function not in side_by_side
        ):
            groups[sequence.sites].append(sequence)
    for sites, sequences in sorted(groups.items(), key=lambda item: -sum(s.waited_ns for s in item[1])):
        longest = max(sequences, key=lambda sequence: sequence.waited_ns)
        first = sites[0] if sites else None
        lines = ", ".join(str(site.line) for site in sites[1:])
        also = f" (and line{'s' * (len(sites) > 2)} {lines})" if lines else ""
        others = len(sequences) - 1
        yield finding(
            f"{longest.count:,} awaits{at(first)}{also} ran one after another and took "
            f"{duration(longest.waited_ns)}. If none depends on another, they could overlap and take only as "
            f"long as the longest one, {duration(longest.longest_ns)}"
            + (f". {plural(others, 'other call')} did the same." if others else "."),
            "Start them together: `group.create_task(...)` in an `async with asyncio.TaskGroup() as group:`, "
            "or `await asyncio.gather(...)`.",
            first,
        )


@detector("never-awaited", "a coroutine was called, but never awaited", about_correctness=True)
def never_awaited(run: Run) -> Iterator[Finding]:
    for (function, site), times in Counter((one.function, one.site) for one in run.unawaited).items():
        name = _name(function)
        how_often = "" if times == 1 else f" {times:,} times"
        yield finding(
            f"{name}() was called{how_often} but never awaited{at(site)}: nothing in it ran.",
            _advice_for_unawaited(name, site),
            site,
        )


def _advice_for_unawaited(name: str, site: Site | None) -> str:
    if site is None:
        return (
            f"Await every call of {name}(). Threads, executors, `call_later` and done callbacks await "
            "nothing: give them an ordinary function, which may start a task."
        )
    if site.function != "<module>":
        return (
            f"Write `await {name}(...)`. To run it in the background, start it with "
            "`asyncio.create_task(...)`, keep the task, and await it later."
        )
    if name == "main":
        return "Write `asyncio.run(main())`: `await` works only in a coroutine function."
    return f"Write `await {name}(...)` in a coroutine function, and start that with `asyncio.run(main())`."


@detector("left-pending", "a task was not done when the program's main coroutine was", about_correctness=True)
def left_pending(run: Run) -> Iterator[Finding]:
    """Find tasks that were not done when the main coroutine was, unless the run was cut off.

    Tasks that another task was awaiting when it ended don't count, unless ``gather`` abandoned them.
    """
    if was_cut_off(run):
        return
    groups: defaultdict[tuple[str, Site | None, bool], list[Track]] = defaultdict(list)
    first = first_tasks(run.tracks)
    one_each, several = _waiters(run.tracks)
    for track in metrics.left_pending(run):
        waiter = one_each.get(track.index) or (None if track.parent is None else several.get(track.parent))
        if track.index in first or (waiter is not None and not _abandoned_by_gather(waiter)):
            continue
        groups[track.function, track.created_at, waiter is not None].append(track)
    for (function, created_at, let_go), tracks in groups.items():
        name = f"{_name(function)}()" if function else tracks[0].name
        made = at(created_at).replace(" at ", " made at ", 1)
        were = "was" if len(tracks) == 1 else "were"
        task, main, advice = _WORDS_IN_HUB if in_a_hub(run, tracks[0].index) else _WORDS
        if let_go:
            advice = _ADVICE_FOR_GATHER
        yield Finding(
            f"{plural(len(tracks), task)} of {name}{made} {were} not done when the main {main} was.",
            advice,
            created_at or tracks[0].site,
            own(created_at),
        )


def _waiters(tracks: Sequence[Track]) -> tuple[dict[int, Track], dict[int, Track]]:
    """Return (task -> its waiter, task -> itself if it awaited several), for waiters that did not return."""
    one_each: dict[int, Track] = {}
    several: dict[int, Track] = {}
    for track in tracks:
        if track.kind is TrackKind.TASK and track.outcome is not Outcome.RETURNED:
            wait = _last_wait(track)
            if wait.on is not None:
                one_each[wait.on] = track
            if wait.reason in _AWAITS_SEVERAL:
                several[track.index] = track
    return one_each, several


def _last_wait(track: Track) -> Wait:
    return next((span.wait for span in reversed(track.spans[-4:]) if span.state is State.WAITING), NO_WAIT)


def _abandoned_by_gather(waiter: Track) -> bool:
    """Return whether ``gather`` passed on the first error to the waiter and abandoned the other tasks."""
    return waiter.outcome is Outcome.RAISED and _last_wait(waiter).reason == "gather"


def _name(function: str) -> str:
    return function.rpartition("<locals>.")[2] or function


def first_tasks(tracks: Sequence[Track]) -> set[int]:
    """Return the tasks that no task created, while their thread had no other: the main coroutines."""
    open_until: dict[int | None, int] = {}
    first: set[int] = set()
    for track in sorted(tracks, key=lambda track: (track.start_ns, track.index)):
        if track.kind is TrackKind.TASK:
            if track.parent is None and track.start_ns >= open_until.get(track.thread, 0):
                first.add(track.index)
            open_until[track.thread] = max(track.end_ns, open_until.get(track.thread, 0))
    return first


def _run_side_by_side(tracks: Sequence[Track]) -> set[str]:
    """Return the functions that two tasks ran at the same time: workers that already overlap."""
    open_until: dict[str, int] = {}
    found: set[str] = set()
    for track in sorted(tracks, key=lambda track: track.start_ns):
        if track.kind is TrackKind.TASK:
            if track.start_ns < open_until.get(track.function, track.start_ns):
                found.add(track.function)
            open_until[track.function] = max(track.end_ns, open_until.get(track.function, 0))
    return found
