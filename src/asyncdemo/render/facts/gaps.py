"""What is missing from a run, in words: gaps, and what is only counted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from asyncdemo.model import Run
from asyncdemo.render.words import count, duration, join
from asyncdemo.safe_text import clean

_MOST_FUNCTIONS = 5


def gap_sentences(run: Run, zero_ns: int) -> Iterator[str]:
    """Yield what is missing, and what that means for the figures. Times are since ``zero_ns``."""
    if run.gaps:
        steps = sum(gap.steps for gap in run.gaps)
        length_ns = sum(gap.end_ns - gap.start_ns for gap in run.gaps)
        since_ns, until_ns = run.gaps[0].start_ns, max(gap.end_ns for gap in run.gaps)
        yield (
            f"Between {duration(since_ns - zero_ns)} and {duration(until_ns - zero_ns)}, steps came too fast "
            f"to record all of them: {count(steps, 'step')} missing, in {count(len(run.gaps), 'gap')} of "
            f"{duration(length_ns)} in total."
        )
    if run.complete_from_ns is not None:
        since = duration(run.complete_from_ns - zero_ns)
        yield f"There was too much to keep: the recording is complete from {since} on."
    if run.counted:
        by_function: Counter[str] = Counter()
        for lanes in run.counted:
            by_function[lanes.function] += lanes.count
        most = by_function.most_common(_MOST_FUNCTIONS)
        words = [f"{number:,} of {clean(function)}()" for function, number in most]
        if len(by_function) > len(most):
            words.append(count(by_function.total() - sum(number for _, number in most), "other"))
        yield f"Counted, but not drawn: {count(by_function.total(), 'lane')} ({join(words)})."
    if not run.is_whole:
        yield "The numbers of lanes, steps and failures are exact. Other figures are about what was recorded."
