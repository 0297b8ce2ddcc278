"""The results of many schedules of one script: in words, and as the JSON object ``asyncdemo.schedules/1``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from asyncdemo.analysis.schedules import (
    Difference,
    Ending,
    Exploration,
    Group,
    Moment,
    delays_of,
    first_difference,
    token_of,
)
from asyncdemo.model import Run, RunOutcome
from asyncdemo.render.text.json_result import variant_result
from asyncdemo.render.timeline.layout import open_ns
from asyncdemo.render.words import RUN_OUTCOME_WORDS, count, duration, fit
from asyncdemo.safe_text import clean

FORMAT = "asyncdemo.schedules/1"
_WIDEST = 60
_GROUPS = 8
_FEW_DELAYS = 4
"""With more, the token is a seed, which is shorter."""


def conclusion(name: str, exploration: Exploration) -> str:
    """Return the first sentence."""
    if not exploration.groups:
        return f"{name} did not finish in any schedule."
    number = count(exploration.tried, "schedule")
    differing = exploration.tried - exploration.groups[0].count
    if not differing:
        return f"{name} had the same outcome in {'all ' if exploration.tried > 1 else ''}{number}."
    return f"{name} had a different outcome in {differing} of {number}."


def group_lines(exploration: Exploration) -> Iterator[str]:
    """Yield a line for each outcome: how often, the result, and the schedule that repeats it."""
    groups = exploration.groups
    width = len(str(max((group.count for group in groups), default=0)))
    endings = _distinct([group.example.ending for group in groups])
    for place, (group, words) in enumerate(zip(groups[:_GROUPS], endings, strict=False)):
        how = "without a delay" if not place else f"--schedule {group_token(group)}"
        yield f"{group.count:>{width}}  {words}  ({how})"
    if len(groups) > _GROUPS:
        rest = sum(group.count for group in groups[_GROUPS:])
        yield f"{rest:>{width}}  in {len(groups) - _GROUPS} other ways"


def group_token(group: Group) -> str:
    """Return the schedule of its example, as a string."""
    delays = delays_of(group.example.run)
    return token_of(delays if len(delays) <= _FEW_DELAYS else group.example.delays)


def _distinct(endings: Sequence[Ending]) -> list[str]:
    """Return what distinguishes each: the printed lines that are not in all of them."""
    common = set.intersection(*(set(ending.lines) for ending in endings)) if len(endings) > 1 else set()
    return [fit(clean(_words(ending, common)), _WIDEST, "...") for ending in endings]


def _words(ending: Ending, common: set[str]) -> str:
    parts = [] if ending.outcome is RunOutcome.OK else [RUN_OUTCOME_WORDS[ending.outcome]]
    parts += [ending.error] * bool(ending.error)
    parts += [kind.replace("-", " ") for kind in ending.findings]
    parts += [f"gives {ending.result}"] * (ending.result is not None)
    printed = [line for line in ending.lines if line not in common]
    parts += [f"prints {', '.join(map(repr, printed))}"] * bool(printed)
    return "; ".join(parts) or RUN_OUTCOME_WORDS[ending.outcome]


def delay_words(run: Run) -> str:
    """Return when time passes in this schedule, in a sentence."""
    zero_ns = open_ns(run)
    delays = [
        f"{duration(delay.length_ns)} at {duration(max(delay.at_ns - zero_ns, 0))}"
        for delay in run.delays[:_FEW_DELAYS]
    ]
    more = len(run.delays) - _FEW_DELAYS
    rest = f", and {count(more, 'more delay')}" if more > 0 else ""
    return f"The loop is late by {', '.join(delays)}{rest}." if delays else "Nothing is late."


def difference_words(difference: Difference | None) -> str:
    """Return where the two runs diverge, in a sentence."""
    if difference is None:
        return "Both do everything in the same order; only the times differ."
    if len(difference.first) == 1 or len(difference.second) == 1:
        (moment,) = difference.first or difference.second
        where = "without a delay" if difference.first else "with it"
        return f"The first difference: {_moment(moment)} only {where}."
    without, late = (
        f"{_moment(first)}, then {_moment(then)}" for first, then in (difference.first, difference.second)
    )
    return f"The first difference: without a delay {without}; with it {late}."


def _moment(moment: Moment) -> str:
    return f"{clean(moment.what)} ({duration(moment.at_ns)})"


def schedules_result(script: str, exploration: Exploration) -> dict[str, Any]:
    """Return the object that ``--json`` prints."""
    differing = exploration.differing
    base = exploration.groups[0].example.run if exploration.groups else None
    difference = first_difference(base, differing[0].example.run) if base is not None and differing else None
    return {
        "format": FORMAT,
        "script": script,
        "asked": exploration.asked,
        "tried": exploration.tried,
        "unexplored": exploration.unexplored,
        "interrupted": exploration.interrupted,
        "groups": [_group(group) for group in exploration.groups],
        "difference": None if difference is None else {
            "without": [_moment_data(moment) for moment in difference.first],
            "with": [_moment_data(moment) for moment in difference.second],
        },
        "runs": [variant_result(group.example.run) for group in (*exploration.groups[:1], *differing[:1])],
    }  # fmt: skip


def _moment_data(moment: Moment) -> dict[str, Any]:
    return {"what": moment.what, "at_s": round(moment.at_ns / 1e9, 6)}


def _group(group: Group) -> dict[str, Any]:
    ending = group.example.ending
    return {
        "count": group.count,
        "schedule": group_token(group),
        "outcome": str(ending.outcome),
        "exit_code": ending.exit_code,
        "error": ending.error,
        "lines": list(ending.lines),
        "findings": [str(kind) for kind in ending.findings],
    }
