"""Facts about runs, in words: the same for the terminal, plain text and HTML."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from itertools import compress, islice

from asyncdemo.analysis.diagnose import Finding, diagnose, where_they_wait
from asyncdemo.analysis.metrics import LaneTotals, Metrics, ResourceUse, blocking_steps, measure
from asyncdemo.analysis.metrics.pools import pool_use
from asyncdemo.analysis.metrics.requests import served_ns
from asyncdemo.analysis.metrics.states import totals_of
from asyncdemo.model import (
    BlockingCall,
    Clock,
    Lane,
    Outcome,
    Request,
    ResourceKind,
    Run,
    RunOutcome,
    Site,
    SlowStep,
    Track,
)
from asyncdemo.render.facts import Fact
from asyncdemo.render.facts.gaps import gap_sentences
from asyncdemo.render.facts.servers import ending_words, memory_facts, pool_facts, request_facts
from asyncdemo.render.timeline.layout import open_ns
from asyncdemo.render.words import OUTCOME_WORDS, count, duration, join, number, place, ratio, status, title
from asyncdemo.safe_text import clean

_Measured = tuple[Run, Metrics]
_MOST_RESOURCES = 8
_MOST_FUNCTIONS = 4
_OF_CLIENTS = frozenset({"requests", "latency"})
_WORTH_TELLING = 0.1
"""The share of the running time from which unused CPU time is worth a fact."""
_SAME = 1.02
"""Wall times within two percent of each other count as equal."""


@dataclass(frozen=True, slots=True)
class Account:
    """Everything that a view shows about one run.

    ``facts`` has all of them, in the glossary's terms; ``brief`` the most important ones, in everyday words.
    """

    run: Run
    metrics: Metrics
    facts: tuple[Fact, ...]
    brief: tuple[Fact, ...]
    findings: tuple[Finding, ...]
    notes: tuple[str, ...]


def account_for(runs: Sequence[Run], expected: Collection[str] = ()) -> tuple[Account, ...]:
    """Return an account of each run, compared with the others.

    ``expected`` names runs to compare although they did not finish, as the lesson intends. The wall time
    of any other such run shows when it broke off, not how long the work takes.
    """
    measured = [measure(run) for run in runs]
    whole = [run.outcome is RunOutcome.OK or run.name in expected for run in runs]
    others = list(compress(zip(runs, measured, strict=True), whole))
    accounts = []
    for run, own, is_whole in zip(runs, measured, whole, strict=True):
        facts = tuple(_facts(run, own, others if is_whole else []))
        brief = tuple(_brief(run, own, facts))
        accounts.append(Account(run, own, facts, brief, diagnose(run), tuple(_notes(run))))
    return tuple(accounts)


def summary_words(run: Run, own: Metrics) -> str:
    """ "time 3.01 s (at best 302 ms), at most 1 at the same time".

    For a server, also what its clients saw; "" for a run without rows.
    """
    parts = [f"{use.answered:,} of {use.count:,} answered"] if (use := own.requests).count else []
    if use.answered:
        parts.append(f"p99 {duration(use.p99_ns)}")
    if run.lanes:
        best = "" if own.ideal_ns is None else f" (at best {duration(own.ideal_ns)})"
        parts += [f"time {duration(own.wall_ns)}{best}", f"at most {own.peak:,} {at_work(own)}"]
    return ", ".join(parts)


def at_work(own: Metrics) -> str:
    """Return what the peak counts. If nobody queued, all that were open were at work: no new term needed."""
    return "at work" if own.peak < own.open else "at the same time"


def row_words(row: Lane | Request, zero_ns: int) -> str:
    """ "0 s to 300 ms, returned: running 1.0 ms, waiting 299 ms (sleep 299 ms)"."""
    totals = totals_of(row)
    opened, closed = duration(row.start_ns - zero_ns), duration(row.end_ns - zero_ns)
    words = f"{opened} to {closed}, {_ended(row)}"
    states = _states(totals)
    reasons = sorted(totals.reasons.items(), key=lambda reason: -reason[1])
    for_what = ", ".join(f"{clean(reason)} {duration(ns)}" for reason, ns in reasons if reason and ns)
    return words + (f": {states}" if states else "") + (f" ({for_what})" if for_what else "")


def folded_words(rows: Sequence[Lane | Request]) -> str:
    """Summarize many rows: "and 9,960 more lanes: ..."."""
    ends = Counter(map(_ended, rows))
    how = join([f"{n:,} {ended}" for ended, n in ends.items()])
    lengths = [row.end_ns - row.start_ns for row in rows]
    states = _states(*map(totals_of, rows))
    what = "more request" if isinstance(rows[0], Request) else "more lane"
    return (
        f"and {count(len(rows), what)}: {how}; open for {duration(min(lengths))} to "
        f"{duration(max(lengths))} each" + (f"; in total {states}" if states else "")
    )


def _ended(row: Lane | Request) -> str:
    if isinstance(row, Request) and row.outcome is not Outcome.OPEN:
        return ending_words(row)
    return OUTCOME_WORDS[row.outcome]


def blocking_words(step: SlowStep | BlockingCall) -> str:
    """Return what held the loop, and where: "sleep at app.py:12 in pour"."""
    what = reason_words(step.reason)
    where = place(step.site, step.called_from)
    return f"{what} at {where}" if where else what


def peak_words(own: Metrics) -> str:
    """Return the peak in a lesson's words, and of what; for a server, separately for each function."""
    if own.requests.count and len(own.functions) > 1:
        most_called = sorted(own.functions.items(), key=lambda named: -named[1].calls)[:_MOST_FUNCTIONS]
        return "; ".join(
            f"{clean(name)} {use.peak:,} at work at the same time, {use.open:,} open, "
            f"of {count(use.calls, 'call')}"
            for name, use in most_called
        )
    calls = count(own.lanes, "call" if own.requests.count else "lane")
    return f"{own.peak:,} at work at the same time, {own.open:,} open, of {calls}"


def empty_words(run: Run) -> str:
    """Return why there is no picture."""
    if run.named and run.tracks:
        return "no lanes: none of the named functions was called"
    return "no lanes: nothing was recorded"


def reason_words(reason: str) -> str:
    return {"": "computing", "gil": "another thread held the interpreter"}.get(reason, clean(reason))


def finding_words(finding: Finding) -> tuple[str, str]:
    """Return (what was found, what to do about it); the first includes the place."""
    message = clean(finding.message)
    where = place(finding.site, finding.called_from)
    if finding.site is not None and f":{finding.site.line}" not in message:
        message += f" ({where})"
    return message, clean(finding.advice)


def _facts(run: Run, own: Metrics, others: Sequence[_Measured]) -> Iterable[Fact]:
    if not run.rows:  # figures would all be zero, and add nothing to the outcome
        yield from _blocked(run, own)
        yield from memory_facts(own.memory)
        return
    if run.outcome is not RunOutcome.OK:
        yield Fact("outcome", status(run), warns=True)
    yield from request_facts(run, own)
    if run.lanes:
        yield from _work(run, own, others)
    yield from _blocked(run, own)
    yield from _resources(own)
    yield from pool_facts(pool_use(run))
    yield from memory_facts(own.memory)


def _brief(run: Run, own: Metrics, facts: Iterable[Fact]) -> Iterable[Fact]:
    """Yield requests as their clients saw them, time, how many at work, and all warnings."""
    for fact in facts:
        if fact.label in _OF_CLIENTS or (fact.warns and fact.label != "outcome"):  # it's in the heading
            yield fact
        elif fact.label == "wall":
            best = "" if own.ideal_ns is None else f"; at best {duration(own.ideal_ns)}"
            yield Fact("time", fact.value + best)
        elif fact.label in ("peak", "handlers"):
            calls = count(own.lanes, "call" if run.requests else "lane")
            yield Fact("at work", f"at most {own.peak:,} of {calls}")


def _work(run: Run, own: Metrics, others: Sequence[_Measured]) -> Iterable[Fact]:
    """Yield what the lanes did; for a server, they are the calls of its handlers."""
    virtual = " (virtual time)" if run.clock is Clock.VIRTUAL else ""
    yield Fact("wall", duration(own.wall_ns) + virtual)
    yield Fact("ideal", _ideal(run, own))
    compared = _compared(run, own, others)
    if compared:
        yield Fact("compared", compared)
    yield Fact("handlers" if run.requests and run.named else "peak", peak_words(own))
    if not run.requests:
        yield Fact("throughput", f"{number(own.throughput_per_s)} lanes a second")
    states = _states(own)
    if states:
        yield Fact("in total", states)
    worth_ns = max(_WORTH_TELLING * own.running_ns, run.threshold_ns)
    if own.idle.gil_ns > worth_ns:
        waited = duration(own.idle.gil_ns)
        yield Fact("GIL", f"threads may have waited for it for up to {waited} of their running time")
    if own.idle.unobserved_ns > worth_ns:
        unknown = duration(own.idle.unobserved_ns)
        yield Fact(
            "not observed",
            f"at least {unknown} of the running time used no CPU: it was spent in calls that wait outside "
            "Python, or other programs had the CPU",
        )


def _ideal(run: Run, own: Metrics) -> str:
    if not run.is_whole:
        return "not known: not everything was recorded"
    if own.ideal_ns is None:
        return "not known: the run ended before its work was done"
    to_ideal = ratio(own.wall_ns, own.ideal_ns)
    return duration(own.ideal_ns) + (f"; the wall is {to_ideal} that" if to_ideal else "")


def _resources(own: Metrics) -> Iterable[Fact]:
    """Yield the resources that were used; those created by the same line share a fact."""
    made: defaultdict[tuple[ResourceKind, Site | None, int | None], list[ResourceUse]] = defaultdict(list)
    for use in own.resources:
        site, pool = use.resource.site, use.resource.kind is ResourceKind.POOL  # pools have their own facts
        # A library's internal resource gets a fact only if something had to wait for it.
        own_or_met = site is None or not site.installed or use.peak_queued
        if (use.peak_held or use.peak_queued) and own_or_met and not pool:
            made[use.resource.kind, use.resource.site, use.resource.limit].append(use)
    for (kind, site, limit), uses in islice(made.items(), _MOST_RESOURCES):
        limited = "no limit" if limit is None else f"limit {limit:,}"
        where = place(site)
        many = f"{len(uses):,} of them " if len(uses) > 1 else ""
        peak = max(use.peak_held for use in uses)
        held = f"length at most {peak:,}" if kind is ResourceKind.QUEUE else f"{peak:,} held"
        each = " each" if len(uses) > 1 else ""
        queued_ns = sum(use.queued_ns for use in uses)
        yield Fact(
            str(kind),
            f"{limited}{f', {many}made at {where}' if where else ''}: {held}{each}, "
            f"{max(use.peak_queued for use in uses):,} queued at most"
            + (f"; queued {duration(queued_ns)} in total" if queued_ns else ""),
        )
    if len(made) > _MOST_RESOURCES:
        yield Fact("more", f"{len(made) - _MOST_RESOURCES:,} other limits; --json has them all")


def _compared(run: Run, own: Metrics, others: Sequence[_Measured]) -> str:
    parts = []
    for other, metrics in others:
        if other is run or not own.wall_ns or not metrics.wall_ns or not _same_work(run, own, other, metrics):
            continue
        longer, shorter = max(own.wall_ns, metrics.wall_ns), min(own.wall_ns, metrics.wall_ns)
        if longer < _SAME * shorter:
            parts.append(f"about as long as {title(other)}")
        elif own.wall_ns == longer:
            parts.append(f"{ratio(own.wall_ns, metrics.wall_ns)} as long as {title(other)}")
        else:
            parts.append(f"{ratio(metrics.wall_ns, own.wall_ns)} as fast as {title(other)}")
    return join(parts)


def _same_work(run: Run, own: Metrics, other: Run, others: Metrics) -> bool:
    """Return whether the same number of calls returned: skipping work is not being faster."""
    if not (run.named and other.named):
        return True
    return own.outcomes.get(Outcome.RETURNED, 0) == others.outcomes.get(Outcome.RETURNED, 0)


def _blocked(run: Run, own: Metrics) -> Iterable[Fact]:
    steps = blocking_steps(run)
    if not steps:
        if any(track.steps for track in run.tracks):
            yield Fact("loop blocked", f"never for more than {duration(run.threshold_ns)}")
        return
    longest = max(steps, key=lambda step: step.held_ns)
    times = " once" if len(steps) == 1 else f", {len(steps):,} times"
    yield Fact(
        "loop blocked",
        f"for {duration(own.blocked_ns)}{times}; the longest {duration(longest.held_ns)}: "
        f"{blocking_words(longest)}",
        warns=True,
    )


def _notes(run: Run) -> Iterable[str]:
    """Yield the notes; equal ones once, with their number."""
    zero = _origin_ns(run)
    failed = {
        which: track
        for which, track in enumerate(run.tracks)
        if track.error and not _ended_by_shutdown(run, track)
    }
    rows = {
        lane.track: lane.name for lane in run.lanes if lane.track in failed and lane.outcome is Outcome.RAISED
    }
    raised: defaultdict[str, list[int]] = defaultdict(list)
    for which, track in failed.items():
        raised[track.error or ""].append(which)
    for error, (first, *others) in raised.items():
        end_ns = failed[first].end_ns
        when = "" if end_ns < zero else f" after {duration(end_ns - zero)}"
        also = f", and so did {len(others):,} more" if others else ""
        yield f"{clean(rows.get(first, failed[first].name))} raised{when}: {clean(error)}{also}"
    sentences = [
        *run.notes,
        *gap_sentences(run, zero),
        *(f"When it was stopped: {sentence}" for sentence in where_they_wait(run)),
    ]
    for sentence, times in Counter(map(clean, sentences)).items():
        yield sentence + (f" ({times:,} times)" if times > 1 else "")


def _ended_by_shutdown(run: Run, track: Track) -> bool:
    """Return whether the track is the server's own task, ended by its shutdown after the last response."""
    installed = track.site is not None and track.site.installed
    return bool(run.requests) and installed and track.end_ns > served_ns(run)[1]


def _origin_ns(run: Run) -> int:
    """Return the axis's zero; without rows, when the first track began. The clock began long before."""
    return open_ns(run) if run.rows else min((track.start_ns for track in run.tracks), default=0)


def _states(*totals: LaneTotals | Metrics) -> str:
    """ "running 1.0 ms, waiting 299 ms", of all of them together."""
    states = {
        state: sum(getattr(total, f"{state}_ns") for total in totals)
        for state in ("running", "ready", "waiting", "queued", "unknown")
    }
    words = {"unknown": "not recorded"}
    return ", ".join(f"{words.get(state, state)} {duration(ns)}" for state, ns in states.items() if ns)
