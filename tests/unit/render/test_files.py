"""SVG, HTML and Perfetto: well-formed, self-contained, complete, and safe with any name.

Of scripts and of servers under load: requests, connections and memory.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from functools import cache, partial
from html.parser import HTMLParser
from typing import Any
from xml.etree import ElementTree

import pytest
from hypothesis import given
from rich.cells import cell_len

from asyncdemo.model import Run, Wake, Wakes
from asyncdemo.render.export import Export, render_bytes
from asyncdemo.render.facts.runs import account_for
from asyncdemo.render.html.page import render_html, script_js
from asyncdemo.render.perfetto import render_perfetto
from asyncdemo.render.svg.picture import frame_for, render_svg
from asyncdemo.render.terminal.report import report_lines
from asyncdemo.render.terminal.slides import timeline
from asyncdemo.render.terminal.theme import ASCII, COLOURS, UNICODE
from asyncdemo.render.text.json_result import variant_result
from asyncdemo.render.timeline.chart import charts
from asyncdemo.render.timeline.grid import Shade
from tests.support.runs import APP, Story, at_line, ns
from tests.support.screens import text_of
from tests.support.server_runs import one_at_a_time, pooled, threaded
from tests.support.strategies import runs as any_run

SVG = "{http://www.w3.org/2000/svg}"
NASTY = [
    "</script><script>alert(1)</script>",
    "<!--",
    "a\x1b[31m\x00",
    "\"&'<b>",
    "]]>",
    "\ud800\ufffe",
    "名前",
]


def gate() -> Run:
    story = Story()
    limit = story.semaphore(1, made=at_line(4))
    line = story.queue(2, levels=((0, 1), (50, 2), (90, 0)))
    story.task("first").takes(limit).blocks(60, at=at_line(7, "hold")).sleeps(100).gives_back(limit).returns()
    story.task("second").is_ready(60).queues(limit, 100).takes(limit).sleeps(50).gives_back(limit).returns()
    story.task("third").queues(line, 90).runs(0.001).raises("ValueError: no")
    return story.run(
        name="gate", wakes=Wakes([Wake(ns(160), 0, 1), Wake(ns(90), 1, 2), Wake(ns(5_000), 0, 1)])
    )


def nasty() -> Run:
    story = Story()
    for name in NASTY:
        story.task(name).waits(10, name).raises(name)
    return story.run(name=NASTY[0], notes=tuple(NASTY))


@cache
def crowd(lanes: int) -> Run:
    story = Story()
    for i in range(lanes):
        story.task(f"t{i}", at=i / 100).sleeps(100).runs(0.01).returns()
    return story.run(name="crowd")


def empty() -> Run:
    return Story().run(name="empty")


def no_length() -> Run:
    story = Story()
    story.task("a").returns()
    return story.run(name="no length")


EVERY: tuple[list[Callable[[], Run]], ...] = (
    [gate, partial(crowd, 100)],
    [nasty],
    [empty],
    [no_length],
    [],
    [partial(pooled, 20), partial(threaded, 100)],
)


@pytest.fixture(params=EVERY)
def runs(request: pytest.FixtureRequest) -> list[Run]:
    """Made where they are used: every process reads this file, and most of them run none of its tests."""
    return [make() for make in request.param]


class Page(HTMLParser):
    """What a browser makes of a page: its tags, and the text of its scripts."""

    VOID = frozenset({"meta", "br"})

    def __init__(self, page: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.attributes: list[tuple[str, dict[str, str | None]]] = []
        self.scripts: list[str] = []
        self.text = ""
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.attributes.append((tag, dict(attrs)))
        if tag not in self.VOID:
            self.open.append(tag)
        if tag == "script":
            self.scripts.append("")

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.attributes.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] == "script":
            self.scripts[-1] += data
        else:
            self.text += data

    @property
    def data(self) -> dict[str, Any]:
        data: dict[str, Any] = json.loads(self.scripts[0])
        return data


def trace(*runs: Run) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(render_perfetto(runs))["traceEvents"]
    return found


def shapes(text: str) -> Counter[str]:
    """How many shapes there are of each class."""
    root = ElementTree.fromstring(text)
    return Counter(one.get("class") or "" for one in root.iter() if one.tag in (f"{SVG}rect", f"{SVG}path"))


def words(text: str) -> list[str]:
    root = ElementTree.fromstring(text)
    return ["".join(one.itertext()) for one in root.iter(f"{SVG}text")]


class TestSvg:
    def test_it_is_xml_that_refers_to_nothing_outside(self, runs: list[Run]) -> None:
        text = render_svg(runs)
        root = ElementTree.fromstring(text)
        assert root.tag == f"{SVG}svg"
        assert not re.search(r"https?://(?!www\.w3\.org/2000/svg)|@import|href", text)
        ids = [element.get("id") for element in root.iter() if element.get("id")]
        assert len(ids) == len(set(ids))
        assert set(re.findall(r"url\(#([^)]*)\)", text)) <= set(ids)

    def test_it_is_described_for_those_who_cannot_see_it(self) -> None:
        root = ElementTree.fromstring(render_svg([gate()]))
        assert root.get("role") == "img"
        assert root.findtext(f"{SVG}title") == "Timeline of gate"
        assert "loop blocked: for 60 ms once" in (root.findtext(f"{SVG}desc") or "")

    def test_every_stretch_is_a_box_where_it_belongs(self) -> None:
        frame = frame_for(charts(account_for([gate()])), "", tips=True)
        boxes = {
            box.findtext(f"{SVG}title"): tuple(map(float, box.get("d", "").removeprefix("M").split(" 0h")))
            for box in ElementTree.fromstring(render_svg([gate()])).iter(f"{SVG}path")
            if box.find(f"{SVG}title") is not None
        }
        words = "first: blocking, sleep at app.py:7 in hold, 0 s to 60 ms"
        assert boxes[words] == pytest.approx((frame.left, frame.x(ns(60)) - frame.left), abs=0.01)
        waiting = boxes["first: waiting, sleep, 60 ms to 160 ms"]
        assert waiting == pytest.approx((frame.x(ns(60)), frame.x(ns(100)) - frame.left), abs=0.01)
        # It ran for a microsecond, and still shows.
        assert boxes["third: running, 90 ms to 90 ms"][1] == 1.5

    def test_many_lanes_are_folded_and_the_picture_stays_small(self) -> None:
        text = render_svg([crowd(1_000)])
        assert "+992 lanes folded, up to 20 to a row" in text
        assert len(text) < 400_000

    def test_folded_row_is_plain_coloured_columns_without_texture(self) -> None:
        story = Story()
        gate = story.semaphore(100)
        for number in range(200):
            task = story.task(f"t{number}")
            if number % 2:
                task.queues(gate, 100).takes(gate).sleeps(100).gives_back(gate).returns()
            else:
                task.takes(gate).sleeps(100).gives_back(gate).sleeps(100).returns()
        root = ElementTree.fromstring(render_svg([story.run()]))
        rows = [
            group for group in root.iter(f"{SVG}g") if re.match(r"t\d+-", group.findtext(f"{SVG}text", ""))
        ]
        assert rows
        for row in rows:
            (path,) = row.iter(f"{SVG}path")
            assert path.get("fill") == COLOURS[Shade.WAITING]
            heights = [int(high) for high in re.findall(r"v-(\d+)", path.get("d", ""))]
            assert heights[0] < heights[-1]  # half of them queue at first

    def test_a_request_has_a_row_with_what_it_waits_for(self) -> None:
        text = render_svg([one_at_a_time(5)])
        assert [word for word in words(text) if word.startswith("POST ")] == [
            f"POST /upload {number}" for number in range(1, 6)
        ]
        assert shapes(text)["accept"] == 4 + 1  # and one in the legend
        tips = [one.text for one in ElementTree.fromstring(text).iter(f"{SVG}title")]
        assert "POST /upload 5: queued, accept, 0 s to 404 ms" in tips

    def test_pool_has_a_row_per_connection_with_its_holders(self) -> None:
        text = render_svg([pooled(10, connections=2)])
        assert "redis poollimit 2, made at app.py:9" in words(text)
        assert {"redis 1", "redis 2"} <= set(words(text))
        assert shapes(text)["held"] == 10 + 1
        assert shapes(text)["line"] == 1
        tips = [one.text or "" for one in ElementTree.fromstring(text).iter(f"{SVG}title")]
        assert any(tip.startswith("redis 1: held, GET /films/7/ 3, ") for tip in tips)
        assert "GET /films/7/ 3" in words(text)[words(text).index("redis 1") :]

    def test_memory_has_two_curves_within_their_axis(self) -> None:
        text = render_svg([pooled(20)])
        assert shapes(text)["curve"] == 2
        at = words(text).index("resident memory41.0 MB at first, 47.0 MB at most")
        assert words(text)[at + 1 : at + 3] == ["47.0 MB", "0"]
        for path in re.findall(r'<path class="curve" d="M([\d.]+) ([\d.]+)(.*?)z"', text):
            ground = float(path[1])
            assert all(ground - 40.1 <= float(y) <= ground for y in re.findall(r"V([\d.]+)", path[2]))

    def test_nothing_is_drawn_below_the_picture(self) -> None:
        for run in (pooled(50, 5), pooled(50, 30), threaded(300)):
            text = render_svg([run])
            height = float(re.findall(r'viewBox="0 0 960 (\d+)"', text)[0])
            assert max(float(y) for y in re.findall(r'<text[^>]* y="([\d.]+)"', text)) < height


class TestCharts:
    def test_few_bars_are_exact(self) -> None:
        (chart,) = charts(account_for([gate()]))
        assert [(bar.start_ns, bar.end_ns) for bar in chart.rows[1].bars] == [
            (0, ns(60)),
            (ns(60), ns(160)),
            (ns(160), ns(210)),
        ]

    def test_a_bar_names_the_line_where_the_row_is_or_went_on_from(self) -> None:
        story = Story()
        task = story.task("brew").runs(1).waits(10, "sleep", at=at_line(7)).runs(1)
        task.waits(10, "lock", at=at_line(3, file="/lib/other.py")).blocks(100, at=at_line(9)).returns()
        (chart,) = charts(account_for([replace(story.run(), script=APP)]))
        assert [bar.line for bar in chart.rows[0].bars] == [0, 7, 7, 0, 9]

    def test_many_bars_are_cut_into_cells_in_order(self) -> None:
        story = Story()
        task = story.task("busy")
        for _ in range(3_000):
            task.runs(0.1).sleeps(0.9)
        (chart,) = charts(account_for([story.run()]))
        (row,) = chart.rows
        assert 0 < len(row.bars) <= 480
        assert all(one.end_ns <= other.start_ns for one, other in zip(row.bars, row.bars[1:], strict=False))
        assert row.bars[-1].end_ns <= chart.length_ns

    def test_bands_count_all_lanes(self) -> None:
        (chart,) = charts(account_for([crowd(1_000)]))
        assert sum(row.size for row in chart.rows) == 1_000
        most = max(sum(band.counts) for row in chart.rows for band in row.bands)
        assert most == pytest.approx(20)


class TestHtml:
    def test_it_is_one_page_that_needs_nothing_else(self, runs: list[Run]) -> None:
        page = Page(render_html(runs))
        assert page.open == []
        assert len(page.scripts) == 2
        assert page.scripts[1] == script_js()
        assert not [
            value for _, attributes in page.attributes for key, value in attributes.items() if key == "src"
        ]

    def test_the_data_is_that_of_the_picture(self) -> None:
        data = Page(render_html([gate(), crowd(100)])).data
        assert [run["name"] for run in data["runs"]] == ["gate", "crowd"]
        length, kind = data["runs"][0]["rows"][0]["bars"][:2]
        assert (length * data["unit_ns"], data["kinds"][kind]) == (
            ns(60),
            [4, "sleep at app.py:7 in hold", 7],
        )
        assert data["scale_ns"] == ns(210)

    def test_the_same_is_there_without_a_script(self) -> None:
        page = Page(render_html([gate()]))
        tags = [tag for tag, _ in page.attributes]
        assert tags.count("svg") == 2  # and the legend
        assert "table" in tags
        for words in ("gate as a table: 7 rows", "sleep at app.py:7 in hold", "limit 1, made at app.py:4"):
            assert words in page.text

    def test_a_long_table_says_what_it_leaves_out(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("asyncdemo.render.html.page._TABLE_ROWS", 2)
        assert "The first 2 of them" in Page(render_html([gate()])).text


class TestPerfetto:
    def test_events_have_what_the_format_asks_for(self, runs: list[Run]) -> None:
        events = trace(*runs)
        needed = {
            "M": {"name", "pid", "tid", "args"},
            "X": {"name", "cat", "pid", "tid", "ts", "dur"},
            "s": {"name", "cat", "id", "pid", "tid", "ts"},
            "f": {"name", "cat", "id", "pid", "tid", "ts", "bp"},
            "C": {"name", "pid", "ts", "args"},
            "b": {"name", "cat", "id", "pid", "tid", "ts", "args"},
            "e": {"name", "cat", "id", "pid", "tid", "ts"},
        }
        assert all(needed[event["ph"]] <= event.keys() for event in events)
        times = [event.get("ts", -1) for event in events]
        assert times == sorted(times)

    def test_runs_are_aligned_at_their_first_lane_without_negatives(self) -> None:
        early, late = Story(), Story()
        early.task("main").sleeps(10).enters("call").sleeps(5).leaves().returns()
        late.task("main").sleeps(2).enters("call").sleeps(5).leaves().returns()
        slices = [event for event in trace(early.run(), late.run()) if event["ph"] == "X"]
        starts = {event["pid"]: event["ts"] for event in reversed(slices)}
        assert starts == {1: 0, 2: 10_000, 3: 8_000, 4: 10_000}

    def test_slices_say_why(self) -> None:
        slices = [event for event in trace(gate()) if event["ph"] == "X"]
        first = next(event for event in slices if event["tid"] == 1)
        assert (first["name"], first["ts"], first["dur"]) == ("blocking", 0, 60_000)
        assert first["args"] == {"in": "sleep", "line": "/home/ada/app.py:7 in hold"}
        queued = next(event for event in slices if event["name"] == "queued: semaphore")
        assert queued["args"] == {"reason": "semaphore", "resource": "semaphore 0 (app.py:4)"}

    def test_arrows_go_between_threads_and_slices_that_exist(self) -> None:
        events = trace(gate())
        slices = [event for event in events if event["ph"] == "X"]
        starts = {event["id"]: event for event in events if event["ph"] == "s"}
        ends = {event["id"]: event for event in events if event["ph"] == "f"}
        assert starts.keys() == ends.keys()
        # The third wake is of a time at which neither track was there.
        assert [(starts[i]["tid"], ends[i]["tid"], ends[i]["ts"]) for i in starts] == [
            (2, 3, 90_000),
            (1, 2, 160_000),
        ]
        for arrow in (*starts.values(), *ends.values()):
            assert any(
                arrow["tid"] == slice_["tid"] and slice_["ts"] <= arrow["ts"] <= slice_["ts"] + slice_["dur"]
                for slice_ in slices
            )

    def test_counters_follow_slots_queues_and_lengths(self) -> None:
        counted: dict[str, list[tuple[float, int]]] = {}
        for event in trace(gate()):
            if event["ph"] == "C":
                (value,) = event["args"].values()
                counted.setdefault(event["name"], []).append((event["ts"], value))
        assert counted["semaphore 0 (app.py:4): held"] == [(0, 1), (210_000, 0)]  # handed on at 160 ms
        assert counted["semaphore 0 (app.py:4): queued"] == [(60_000, 1), (160_000, 0)]
        assert counted["queue 1: length"] == [(0, 1), (50_000, 2), (90_000, 0)]

    def processes(self, run: Run) -> dict[int, str]:
        return {e["pid"]: e["args"]["name"] for e in trace(run) if e["name"] == "process_name"}

    def test_requests_are_asynchronous_slices_with_states_inside(self) -> None:
        events = [event for event in trace(one_at_a_time(3)) if event["ph"] in "be"]
        third = [event for event in events if event["id"] == events[-1]["id"]]
        assert [(event["ph"], event["name"], event["ts"]) for event in third] == [
            ("b", "POST /upload 3", 0),
            ("b", "queued: accept", 0),
            ("e", "queued: accept", 202_000),
            ("b", "running", 202_000),
            ("e", "running", 203_000),
            ("b", "waiting: sleep", 203_000),
            ("e", "waiting: sleep", 302_000),
            ("b", "waiting: response", 302_000),
            ("e", "waiting: response", 303_000),
            ("e", "POST /upload 3", 303_000),
        ]
        assert third[0]["args"] == {"ended": "answered 200"}

    def test_ids_of_requests_and_arrows_are_their_own(self) -> None:
        events = trace(threaded(5), threaded(5))
        outer = [event for event in events if event["ph"] == "b" and event["name"].startswith("POST")]
        assert len({event["id"] for event in outer}) == len(outer) == 12

    def test_worker_processes_are_processes(self) -> None:
        run = threaded(4)
        workers = tuple(replace(track, process=track.index % 3) for track in run.tracks)
        events = trace(replace(run, tracks=workers))
        names = self.processes(replace(run, tracks=workers))
        assert list(names.values()) == [
            "threaded",
            "threaded: worker process 1",
            "threaded: worker process 2",
            "threaded: lanes",
            "threaded: requests",
        ]
        threads = {e["args"]["name"]: names[e["pid"]] for e in events if e["name"] == "thread_name"}
        assert threads["Thread-2"] == "threaded: worker process 1"

    def test_connections_are_threads_of_their_pool(self) -> None:
        run = pooled(10, connections=2)
        pool = next(pid for pid, name in self.processes(run).items() if name == "pooled: redis pool")
        slices = [e for e in trace(run) if e["ph"] == "X" and e["pid"] == pool]
        assert {event["tid"] for event in slices} == {1, 2}
        names = [event["name"] for event in slices if event["tid"] == 1]
        assert names[:2] == ["opening: GET /films/7/ 1", "held: GET /films/7/ 1"]
        assert "held: GET /films/7/ 3" in names

    def test_memory_and_threads_are_counters(self) -> None:
        events = [event for event in trace(pooled(10)) if event["ph"] == "C"]
        resident = [event["args"] for event in events if event["name"] == "resident memory (MB)"]
        assert resident == [{"resident memory (MB)": value} for value in (41.0, 41.0, 43.0)]
        assert {"virtual memory (MB)", "threads"} <= {event["name"] for event in events}
        assert all(event.get("ts", 0) >= 0 for event in trace(pooled(10)))


def test_the_svg_explains_the_marks_that_occur_and_no_others() -> None:
    assert ">✗ raised</text>" in render_svg([gate()])
    assert "cancelled" not in render_svg([gate()])
    assert "✗" not in render_svg([no_length()])


@given(any_run())
def test_any_run_can_be_shown_in_every_way(run: Run) -> None:
    """All in one test, since making the runs takes most of the time."""
    assert all(render_bytes([run], to) for to in Export)
    result = variant_result(run)
    assert json.loads(json.dumps(result, allow_nan=False)) == result
    lines = text_of(list(report_lines([run], ASCII, 60, rows=5)))
    assert max(map(cell_len, lines), default=0) <= 60
    timeline(run, [run], UNICODE, 80, 24)
