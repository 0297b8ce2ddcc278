"""SVG, HTML, Perfetto and CSV: well-formed, self-contained, complete, and safe with any name."""

from __future__ import annotations

import csv
import gzip
import io
import json
import re
from collections.abc import Callable
from dataclasses import replace
from functools import cache, partial
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from asyncdemo.errors import UsageError
from asyncdemo.model import Run, Wake, Wakes
from asyncdemo.render.export import Export, export, render_bytes
from asyncdemo.render.html.element import script_js
from asyncdemo.render.html.page import render_html
from asyncdemo.render.perfetto import render_perfetto
from asyncdemo.render.svg.chart import frame_for
from asyncdemo.render.svg.picture import render_svg
from asyncdemo.render.terminal.theme import COLOURS
from asyncdemo.render.text.csv_table import COLUMNS, render_csv
from asyncdemo.render.timeline.chart import charts
from asyncdemo.render.timeline.grid import Shade
from tests.support.runs import APP, Story, at_line, ns

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
    [gate],
    [gate, partial(crowd, 100)],
    [nasty],
    [empty],
    [no_length],
    [],
)


@pytest.fixture
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


class TestSvg:
    @pytest.mark.parametrize("runs", EVERY, indirect=True)
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
        scale_ns, drawn = charts([gate()])
        frame = frame_for(scale_ns, drawn, "", tips=True)
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

    def test_a_folded_row_is_columns_in_a_plain_colour_and_never_in_a_texture(self) -> None:
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
            group for group in root.iter(f"{SVG}g") if re.match(r"[\d,]+-", group.findtext(f"{SVG}text", ""))
        ]
        assert rows
        for row in rows:
            (path,) = row.iter(f"{SVG}path")
            assert path.get("fill") == COLOURS[Shade.WAITING]
            heights = [int(high) for high in re.findall(r"v-(\d+)", path.get("d", ""))]
            assert heights[0] < heights[-1]  # half of them queue at first


class TestCharts:
    def test_few_bars_are_exact(self) -> None:
        _, (chart,) = charts([gate()])
        assert [(bar.start_ns, bar.end_ns) for bar in chart.rows[1].bars] == [
            (0, ns(60)),
            (ns(60), ns(160)),
            (ns(160), ns(210)),
        ]

    def test_a_bar_names_the_line_where_the_row_is_or_went_on_from(self) -> None:
        story = Story()
        task = story.task("brew").runs(1).waits(10, "sleep", at=at_line(7)).runs(1)
        task.waits(10, "lock", at=at_line(3, file="/lib/other.py")).blocks(100, at=at_line(9)).returns()
        _, (chart,) = charts([replace(story.run(), script=APP)])
        assert [bar.line for bar in chart.rows[0].bars] == [0, 7, 7, 0, 9]

    def test_many_bars_are_cut_into_cells_in_order(self) -> None:
        story = Story()
        task = story.task("busy")
        for _ in range(3_000):
            task.runs(0.1).sleeps(0.9)
        scale, (chart,) = charts([story.run()])
        (row,) = chart.rows
        assert 0 < len(row.bars) <= 480
        assert all(one.end_ns <= other.start_ns for one, other in zip(row.bars, row.bars[1:], strict=False))
        assert row.bars[-1].end_ns <= scale

    def test_bands_count_all_lanes(self) -> None:
        _, (chart,) = charts([crowd(1_000)])
        assert sum(row.size for row in chart.rows) == 1_000
        most = max(sum(band.counts) for row in chart.rows for band in row.bands)
        assert most == pytest.approx(20)


class TestHtml:
    @pytest.mark.parametrize("runs", EVERY, indirect=True)
    def test_it_is_one_page_that_needs_nothing_else(self, runs: list[Run]) -> None:
        page = Page(render_html(runs))
        assert page.open == []
        assert len(page.scripts) == 2
        assert page.scripts[1] == script_js()
        assert not [
            value for _, attributes in page.attributes for key, value in attributes.items() if key == "src"
        ]

    def test_names_cannot_break_out(self) -> None:
        text = render_html([nasty()])
        assert "<script>alert" not in text
        assert "<!--" not in text
        rows = Page(text).data["runs"][0]["rows"]
        assert rows[0]["label"] == NASTY[0]

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
    def events(self, *runs: Run) -> list[dict[str, Any]]:
        events: list[dict[str, Any]] = json.loads(render_perfetto(runs))["traceEvents"]
        return events

    @pytest.mark.parametrize("runs", EVERY, indirect=True)
    def test_events_have_what_the_format_asks_for(self, runs: list[Run]) -> None:
        events = self.events(*runs)
        needed = {
            "M": {"name", "pid", "tid", "args"},
            "X": {"name", "cat", "pid", "tid", "ts", "dur", "args"},
            "s": {"name", "cat", "id", "pid", "tid", "ts"},
            "f": {"name", "cat", "id", "pid", "tid", "ts", "bp"},
            "C": {"name", "pid", "ts", "args"},
        }
        assert all(needed[event["ph"]] <= event.keys() for event in events)
        times = [event.get("ts", -1) for event in events]
        assert times == sorted(times)

    def test_runs_are_aligned_where_their_lanes_open_and_no_time_is_negative(self) -> None:
        early, late = Story(), Story()
        early.task("main").sleeps(10).enters("call").sleeps(5).leaves().returns()
        late.task("main").sleeps(2).enters("call").sleeps(5).leaves().returns()
        slices = [event for event in self.events(early.run(), late.run()) if event["ph"] == "X"]
        starts = {event["pid"]: event["ts"] for event in reversed(slices)}
        assert starts == {1: 0, 2: 10_000, 3: 8_000, 4: 10_000}

    def test_every_track_is_a_thread_with_a_name_and_a_place(self) -> None:
        events = self.events(gate(), crowd(5))
        named = {(e["pid"], e["tid"]): e["args"]["name"] for e in events if e["name"] == "thread_name"}
        sorts = {
            (e["pid"], e["tid"]): e["args"]["sort_index"] for e in events if e["name"] == "thread_sort_index"
        }
        assert [named[1, tid] for tid in (1, 2, 3)] == ["first", "second", "third"]
        assert [sorts[1, tid] for tid in (1, 2, 3)] == [0, 1, 2]
        assert {(e["pid"], e["tid"]) for e in events if e["ph"] == "X"} == named.keys()

    def test_slices_say_why(self) -> None:
        slices = [event for event in self.events(gate()) if event["ph"] == "X"]
        first = next(event for event in slices if event["tid"] == 1)
        assert (first["name"], first["ts"], first["dur"]) == ("blocking", 0, 60_000)
        assert first["args"] == {"in": "sleep", "line": "/home/ada/app.py:7 in hold"}
        queued = next(event for event in slices if event["name"] == "queued: semaphore")
        assert queued["args"] == {"reason": "semaphore", "resource": "semaphore 0 (app.py:4)"}

    def test_arrows_go_between_threads_and_slices_that_exist(self) -> None:
        events = self.events(gate())
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
        for event in self.events(gate()):
            if event["ph"] == "C":
                (value,) = event["args"].values()
                counted.setdefault(event["name"], []).append((event["ts"], value))
        assert counted["semaphore 0 (app.py:4): held"] == [(0, 1), (210_000, 0)]  # handed on at 160 ms
        assert counted["semaphore 0 (app.py:4): queued"] == [(60_000, 1), (160_000, 0)]
        assert counted["queue 1: length"] == [(0, 1), (50_000, 2), (90_000, 0)]

    def test_rows_by_function_are_a_process_of_their_own(self) -> None:
        story = Story()
        story.task("main").enters("brew(0)").sleeps(10).leaves().returns()
        events = self.events(story.run(name="named"))
        names = [event["args"]["name"] for event in events if event["name"] == "process_name"]
        assert names == ["named", "named: lanes"]


class TestCsv:
    def rows(self, *runs: Run) -> list[dict[str, str]]:
        return list(csv.DictReader(io.StringIO(render_csv(runs), newline="")))

    def test_every_span_is_a_row(self) -> None:
        rows = self.rows(gate())
        assert len(rows) == sum(len(lane.spans) for lane in gate().lanes)
        assert tuple(rows[0]) == COLUMNS
        assert rows[0] == {
            "run": "gate",
            "lane": "0",
            "name": "first",
            "track": "0",
            "start_ns": "0",
            "end_ns": str(ns(60)),
            "state": "blocking",
            "reason": "sleep",
            "resource": "",
            "line": "/home/ada/app.py:7 in hold",
            "kind": "lane",
            **dict.fromkeys(("held_by", "resident_bytes", "virtual_bytes", "threads", "woken_by"), ""),
        }

    def test_a_wait_has_who_ended_it(self) -> None:
        story = Story()
        story.task("waker").runs(10).returns()
        story.task("woken").waits(10, "event").runs(1).returns()
        run = replace(story.run(), wakes=Wakes([Wake(ns(10), waker=0, woken=1)]))
        ends = {(row["name"], row["state"]): row["woken_by"] for row in self.rows(run)}
        assert ends == {("waker", "running"): "", ("woken", "waiting"): "waker", ("woken", "running"): ""}

    def test_names_are_quoted(self) -> None:
        assert [row["name"] for row in self.rows(nasty())] == NASTY


class TestExport:
    @pytest.mark.parametrize("to", list(Export))
    def test_every_format_is_written(self, to: Export, tmp_path: Path) -> None:
        path = tmp_path / "out"
        assert export([gate()], to, path) == path
        assert path.read_bytes() == render_bytes([gate()], to)
        assert [file.name for file in tmp_path.iterdir()] == ["out"]

    def test_a_path_in_gz_is_compressed_the_same_each_time(self, tmp_path: Path) -> None:
        one = export([gate()], "perfetto", tmp_path / "one.json.gz").read_bytes()
        assert gzip.decompress(one) == render_perfetto([gate()])
        assert export([gate()], "perfetto", tmp_path / "two.json.gz").read_bytes() == one

    def test_a_large_trace_is_compressed_and_named_so(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("asyncdemo.render.export._LARGE", len(render_perfetto([crowd(100)])) - 1)
        path = export([crowd(100)], "perfetto", tmp_path / "big.json")
        assert path.name == "big.json.gz"
        assert json.loads(gzip.decompress(path.read_bytes()))["displayTimeUnit"] == "ms"

    def test_an_unknown_format_is_wrong_use(self, tmp_path: Path) -> None:
        with pytest.raises(UsageError, match="svg, html, perfetto, csv"):
            export([gate()], "png", tmp_path / "x")

    def test_a_file_that_cannot_be_written_is_said(self, tmp_path: Path) -> None:
        with pytest.raises(UsageError, match="cannot write"):
            export([gate()], "svg", tmp_path / "missing" / "x.svg")

    def test_the_old_file_stays_if_the_new_one_fails(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        path = tmp_path / "x.svg"
        path.write_text("old")

        def fails(*_: object) -> None:
            raise OSError(28, "No space left on device")

        monkeypatch.setattr("os.replace", fails)
        with pytest.raises(UsageError, match="No space left"):
            export([gate()], "svg", path)
        assert [(file.name, file.read_text()) for file in tmp_path.iterdir()] == [("x.svg", "old")]


def test_the_svg_explains_the_marks_that_occur_and_no_others() -> None:
    assert ">✗ raised</text>" in render_svg([gate()])
    assert "cancelled" not in render_svg([gate()])
    assert "✗" not in render_svg([no_length()])
