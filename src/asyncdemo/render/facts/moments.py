"""A moment in words: what one row was doing, since when, at which line, and what woke it.

And for a run in progress in which nothing happens: what waits for what, and how to stop it.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, replace

from asyncdemo import bounded
from asyncdemo.analysis.diagnose import deadlocks, where_they_wait
from asyncdemo.analysis.waking import Waking
from asyncdemo.model import Lane, Request, Run, Site, SlowStep, State, Wait
from asyncdemo.render.facts.runs import blocking_words
from asyncdemo.render.timeline.grid import STATE_OF, Shade, shade_of
from asyncdemo.render.timeline.layout import Blocked
from asyncdemo.render.timeline.legend import SHADE_WORDS
from asyncdemo.render.words import place
from asyncdemo.safe_text import clean

_ENDS = "Ctrl-C stops it and shows what was recorded."
_BLOCKS = "blocking the loop: "
_NEAR_NS = 1_000_000
"""A call begins a moment after the state that it blocks in."""
_ENDS_NOW = "It was asked to end. A second Ctrl-C ends it immediately."


@dataclass(frozen=True, slots=True)
class Stretch:
    """One state of a row.

    ``words`` has the state and its cause, "waiting: sleep". ``site`` is the line that it waits on, if known.
    """

    start_ns: int
    end_ns: int
    shade: Shade
    words: str
    site: Site | None


def place_at(row: Lane | Request, at_ns: int) -> int:
    """Return the index of the row's state at a time: the first before it opened, the last after its end."""
    return min(max(bisect_right(row.spans.columns[0], at_ns) - 1, 0), max(len(row.spans) - 1, 0))


def stretch_of(run: Run, row: Lane | Request, at: int, blocked: Blocked) -> Stretch:
    """Return the row's state number ``at``. ``blocked`` has the steps that held the loop, by track."""
    span = row.spans[at]
    step = _step_in(row, span.start_ns, span.end_ns, blocked) if span.state is State.RUNNING else None
    if step is not None:
        site = step.called_from or step.site
        words = f"{_BLOCKS}{blocking_words(step)}"
        return Stretch(span.start_ns, span.end_ns, Shade.BLOCKING, words, site)
    shade = shade_of(span.state, span.wait.reason)
    words = SHADE_WORDS[STATE_OF.get(shade, shade)]
    cause = _cause(run, span.wait)
    return Stretch(span.start_ns, span.end_ns, shade, f"{words}: {cause}" if cause else words, span.wait.site)


def stretch_at(run: Run, row: Lane | Request, at_ns: int, blocked: Blocked) -> Stretch:
    """Return the row's state at a time; if that blocks the loop in several calls, the one at that time."""
    stretch = stretch_of(run, row, place_at(row, at_ns), blocked)
    if stretch.shade is not Shade.BLOCKING:
        return stretch
    from_ns, to_ns = max(at_ns - _NEAR_NS, stretch.start_ns), min(at_ns + _NEAR_NS, stretch.end_ns)
    calls = (call for call in run.blocking_calls if call.track == row.track)
    near = [call for call in calls if call.start_ns < to_ns and call.end_ns > from_ns]
    if not near:
        return stretch
    call = max(near, key=lambda call: min(call.end_ns, to_ns) - max(call.start_ns, from_ns))
    return replace(
        stretch,
        start_ns=call.start_ns,
        end_ns=call.end_ns,
        words=f"{_BLOCKS}{blocking_words(call)}",
        site=call.called_from or call.site,
    )


def waking_words(run: Run, waking: Waking | None) -> str:
    if waking is None:
        return "No task or thread woke it: a timer or the outside world did, or what woke it is not known."
    by = clean(run.tracks[waking.track].name)
    return f"Started by {by}." if waking.started else f"Woken by {by}."


def source_line(site: Site) -> str:
    """Return the text of the line, if the file still has it."""
    return clean(bounded.source_line(site.file, site.line).strip())


def _cause(run: Run, wait: Wait) -> str:
    words = clean(wait.reason)
    if wait.resource is not None:
        resource = run.resources[wait.resource]
        made = place(resource.site)
        words = f"{words or resource.kind} {clean(resource.label)}".strip() + (
            f", made at {made}" if made else ""
        )
    return f"{words} {clean(run.tracks[wait.on].name)}".strip() if wait.on is not None else words


def _step_in(row: Lane | Request, start_ns: int, end_ns: int, blocked: Blocked) -> SlowStep | None:
    """Return the step that takes most of that time."""
    steps = [] if row.track is None else blocked.get(row.track, [])
    inside = [step for step in steps if step.start_ns < end_ns and step.end_ns > start_ns]
    return max(inside, key=lambda step: min(step.end_ns, end_ns) - max(step.start_ns, start_ns), default=None)


def explain(still: Run | None, late: bool) -> tuple[list[str], bool]:
    """Return sentences for a run that stands still, and whether they are urgent.

    One is about each waiting line; those about deadlocks come first, with advice.

    Args:
        still: The run so far if nothing happens in it; None if it is making progress.
        late: It was asked to end, and has not.
    """
    sentences: list[str] = []
    urgent = late
    if still is not None:
        stuck = list(deadlocks(still))
        urgent = late or any(stuck)
        sentences += [clean(f"{finding.message} {finding.advice}") for finding in stuck]
        sentences += [*map(clean, where_they_wait(still)), *([] if late else [_ENDS])]
    return [*sentences, *([_ENDS_NOW] if late else [])], urgent
