"""Metrics made up for tests of what is said about them."""

from __future__ import annotations

from dataclasses import replace

from asyncdemo.analysis.metrics import Metrics, measure
from tests.support.runs import Story


def metrics(wall_s: float = 1.0, peak: int = 1) -> Metrics:
    """Metrics of a run in which one lane slept, with these two figures instead of its own."""
    story = Story()
    story.task("lane").sleeps(100).returns()
    return replace(measure(story.run()), wall_ns=round(wall_s * 1e9), peak=peak)
