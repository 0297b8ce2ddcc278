"""A moment of a row in words."""

from __future__ import annotations

from dataclasses import replace

import pytest

from asyncdemo.render.facts.moments import stretch_at
from asyncdemo.render.timeline.layout import blocked_of, open_ns
from tests.support.runs import Story, at_line, ns


@pytest.mark.parametrize(("at_ms", "line", "ends_ms"), [(0, 20, 100), (99, 20, 100), (150, 21, 400)])
def test_step_that_blocks_in_several_calls_names_the_current_one(at_ms: int, line: int, ends_ms: int) -> None:
    story = Story()
    story.task("brew").blocks(100, at=at_line(20)).blocks(300, at=at_line(21)).returns()
    run = story.run()
    first, last = run.slow_steps
    run = replace(run, slow_steps=(replace(last, start_ns=first.start_ns),))
    zero = open_ns(run)
    stretch = stretch_at(run, run.lanes[0], zero + ns(at_ms), blocked_of(run))
    assert f":{line}" in stretch.words
    assert stretch.site is not None and stretch.site.line == line
    assert stretch.end_ns - zero == ns(ends_ms)
