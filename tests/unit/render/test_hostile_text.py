"""Runs in which every text does its worst, in every output."""

from __future__ import annotations

import json
from array import array
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass, replace
from enum import Enum
from html.parser import HTMLParser
from typing import Any
from xml.etree import ElementTree

import pytest
from rich.segment import Segment

from asyncdemo.model import Outcome, Run, RunOutcome, State, Uncaught
from asyncdemo.render.export import Export, render_bytes
from asyncdemo.render.html.page import render_html
from asyncdemo.render.svg.picture import render_svg
from asyncdemo.render.terminal.evidence import evidence_lines, evidence_text
from asyncdemo.render.terminal.live import picture_lines
from asyncdemo.render.terminal.panel import LivePanel
from asyncdemo.render.terminal.report import report_lines
from asyncdemo.render.terminal.theme import UNICODE
from asyncdemo.render.text.json_result import script_result
from asyncdemo.render.text.plain import render_plain
from asyncdemo.safe_text import json_text
from asyncdemo.testing.checks import Evidence
from tests.support.runs import at_line, ns
from tests.support.server_runs import pooled, threaded

BAD = "=\x1b]0;title\x07\x1b[2J\r\n\x00\x9b1m\u202e\u2066\ud800\ufffe<b>&[red]`x`"
LONG = BAD + "y" * 2_000
"""As long as texts are when they have been received or read."""
WIDTH = 100


def hostile(value: Any) -> Any:
    """Replace every text in it, except of enums."""
    if isinstance(value, Enum | array):
        return value
    if isinstance(value, str):
        return LONG
    if is_dataclass(value) and not isinstance(value, type):
        known = {field.name: getattr(value, field.name) for field in fields(value) if field.init}
        return replace(value, **{name: hostile(each) for name, each in known.items()})
    if isinstance(value, tuple):
        items = map(hostile, value)
        return type(value)(*items) if hasattr(value, "_fields") else tuple(items)
    if isinstance(value, Mapping):
        return {hostile(key): hostile(item) for key, item in value.items()}
    return value


def hostile_runs() -> list[Run]:
    runs = [
        replace(
            run,
            outcome=RunOutcome.FAILED,
            notes=("note",),
            uncaught=(Uncaught("ValueError", "words", False, True, "main", at_line(3)),),
        )
        for run in (threaded(6), pooled(6))
    ]
    return [hostile(run) for run in runs]


RUNS = hostile_runs()


def is_safe(text: str, *, lines: bool = True, most: int = 2_000_000) -> bool:
    """Return whether it is one that a terminal, a file and a person can take."""
    return len(text) < most and all(char.isprintable() or (lines and char == "\n") for char in text)


def text_of(lines: list[list[Segment]]) -> str:
    return "\n".join("".join(segment.text for segment in line) for line in lines)


def live() -> str:
    panel = LivePanel(LONG)
    panel.lane_opened(0, LONG, ns(0), State.WAITING)
    panel.lane_changed(0, ns(20), State.QUEUED, LONG)
    panel.lane_opened(1, LONG, ns(0), State.RUNNING)
    panel.loop_blocked(ns(0), ns(90), hostile(at_line(3)), hostile(at_line(4)))
    panel.lane_closed(0, ns(30), Outcome.RAISED)
    panel.output("stdout", f"{LONG}\n{BAD}\n{BAD}")
    panel.stalled(RUNS[0], False, 0)
    panel.clock(ns(100))
    return text_of(picture_lines([panel], UNICODE, WIDTH, 40))


def evidence() -> Evidence:
    run = RUNS[0]
    return Evidence(run, (0, 1), run.lanes[0].start_ns, run.lanes[0].end_ns)


@pytest.mark.parametrize(
    "draw",
    [
        lambda: text_of(list(report_lines(RUNS, UNICODE, WIDTH, details=True))),
        lambda: render_plain(RUNS),
        lambda: render_plain(RUNS, details=True),
        lambda: text_of(list(evidence_lines(evidence(), UNICODE, WIDTH, 10))),
        lambda: "\n".join(evidence_text(evidence())),
        live,
        lambda: render_svg(RUNS),
        lambda: render_html(RUNS),
        lambda: json_text(script_result(RUNS[0].script, RUNS[0])),
    ],
    ids=["report", "plain", "details", "evidence", "evidence text", "live", "svg", "html", "json"],
)
def test_hostile_text_is_safe_in_output(draw: Callable[[], str]) -> None:
    text = draw()
    bad = {char for char in text if not char.isprintable() and char != "\n"}
    assert not bad
    assert len(text) < 3_000_000


def test_no_line_of_a_report_is_too_wide() -> None:
    lines = list(report_lines(RUNS, UNICODE, WIDTH))
    assert max(Segment.get_line_length(line) for line in lines) <= WIDTH


def test_json_of_hostile_text_is_unicode() -> None:
    for run in RUNS:
        text = json_text(script_result(run.script, run))
        json.loads(text)
        assert "\\ud800" not in text.replace("\\\\", "")


def test_exported_files_of_hostile_text_are_valid() -> None:
    ElementTree.fromstring(render_bytes(RUNS, Export.SVG))
    trace = json.loads(render_bytes(RUNS, Export.PERFETTO))
    assert all(is_safe(event.get("name", "")) for event in trace["traceEvents"])
    HTMLParser().feed(render_bytes(RUNS, Export.HTML).decode())
