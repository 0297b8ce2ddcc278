"""How many held and queued for what, as bars of a window."""

from __future__ import annotations

from asyncdemo.model import Run
from asyncdemo.render.terminal.counts import count_lines, counted
from asyncdemo.render.terminal.theme import UNICODE
from asyncdemo.render.timeline.window import Window
from tests.support.runs import Story, at_line, ns
from tests.support.screens import text_of

LIBRARY = "/venv/lib/python3.13/site-packages/lib/map.py"


def used() -> Run:
    story = Story()
    gate = story.semaphore(limit=2, made=at_line(5))
    inner = story.lock(made=at_line(9, file=LIBRARY))
    for i in range(4):
        teller = story.task(f"t{i}").takes(inner).runs(1).gives_back(inner)
        if i > 1:
            teller.queues(gate, 99)
        teller.takes(gate).sleeps(99 if i < 2 else 100).gives_back(gate).returns()
    return story.run()


def bars(window: Window) -> list[str]:
    return [line[12:] for line in text_of(list(count_lines(counted(used()), window, UNICODE, 12)))]


def test_each_resource_has_its_bars_and_what_a_library_made_for_itself_has_none() -> None:
    drawn = text_of(list(count_lines(counted(used()), Window(0, ns(50), 4), UNICODE, 12)))
    assert drawn == [
        " open █4    ██▄▄",
        "semaphore: limi…",
        " held █2    ████",
        " queued █2  ██  ",
    ]


def test_a_window_has_the_levels_of_its_time() -> None:
    assert bars(Window(ns(120), ns(10), 3))[0] == "▄▄▄"
    assert bars(Window(ns(20), ns(10), 3))[0] == "███"
    assert bars(Window(ns(500), ns(10), 3))[0].strip() == ""
