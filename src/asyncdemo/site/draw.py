"""The fence ``draw``: a bar for each program, which readers drag to the length that they expect.

Not here: the behaviour of the bars (see ``docs/assets/draw.js``), or other questions (see ``predict``).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape

from asyncdemo.analysis.metrics import measure
from asyncdemo.course.content.lesson import Lesson
from asyncdemo.model import Run
from asyncdemo.site.fence import formatter, settings
from asyncdemo.site.timelines import recorded_lesson


@formatter
def fence(source: str) -> str:
    """Settings: ``lesson: ID``."""
    return draw_html(*recorded_lesson(settings(source, {"lesson"})["lesson"]))


def draw_html(lesson: Lesson, runs: Sequence[Run]) -> str:
    """Return the form. ``runs``: one of each variant; the longest fills two thirds of the scale."""
    seconds = {run.name: measure(run).wall_ns / 1e9 for run in runs}
    scale_s = round(1.5 * max(seconds.values()), 1)
    titles = {variant.name: variant.title for variant in lesson.variants}
    rows = "".join("".join(_row(name, titles[name], took, scale_s)) for name, took in seconds.items())
    return (
        f'<form class="draw" method="dialog" autocomplete="off" data-scale="{scale_s}" data-search-exclude>'
        f'{rows}<p class="draw-ask"><button type="submit" class="md-button md-button--primary">'
        'Play the recording</button></p><p class="draw-status" role="status"></p></form>'
    )


def _row(name: str, title: str, took_s: float, scale_s: float) -> Iterator[str]:
    yield f'<div class="draw-row" data-took="{took_s:.3f}" data-name="{escape(name)}">'
    yield f"<label><code>{escape(name)}</code> {escape(title)}"
    yield f'<input type="range" min="0" max="{scale_s}" step="0.1" value="0"></label>'
    yield '<output class="draw-drawn"></output><div class="draw-track"><div class="draw-bar"></div></div>'
    yield f'<span class="draw-took">{took_s:.2f} s</span></div>'
