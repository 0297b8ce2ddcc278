"""Files of a server under load: requests, connections and memory in each of the formats."""

from __future__ import annotations

import csv
import io
import json
import re
from collections import Counter
from dataclasses import replace
from typing import Any
from xml.etree import ElementTree

from hypothesis import given
from rich.cells import cell_len

from asyncdemo.model import Run
from asyncdemo.render.export import Export, render_bytes
from asyncdemo.render.facts.runs import account_for
from asyncdemo.render.html.element_data import RunData, chart_data
from asyncdemo.render.html.page import render_html
from asyncdemo.render.perfetto import render_perfetto
from asyncdemo.render.svg.picture import render_svg
from asyncdemo.render.terminal.report import report_lines
from asyncdemo.render.terminal.slides import timeline
from asyncdemo.render.terminal.theme import ASCII, UNICODE
from asyncdemo.render.text.csv_table import COLUMNS, render_csv
from asyncdemo.render.text.json_result import variant_result
from asyncdemo.render.timeline.chart import charts
from asyncdemo.render.timeline.grid import Shade
from asyncdemo.render.timeline.legend import SHADE_WORDS
from tests.support.runs import Story, ns
from tests.support.screens import text_of
from tests.support.server_runs import one_at_a_time, pooled, threaded
from tests.support.strategies import runs

SVG = "{http://www.w3.org/2000/svg}"


def shapes(text: str) -> Counter[str]:
    """How many shapes there are of each class."""
    root = ElementTree.fromstring(text)
    return Counter(one.get("class") or "" for one in root.iter() if one.tag in (f"{SVG}rect", f"{SVG}path"))


def words(text: str) -> list[str]:
    root = ElementTree.fromstring(text)
    return ["".join(one.itertext()) for one in root.iter(f"{SVG}text")]


class TestSvg:
    def test_a_request_has_a_row_with_what_it_waits_for(self) -> None:
        text = render_svg([one_at_a_time(5)])
        assert [word for word in words(text) if word.startswith("POST ")] == [
            f"POST /upload {number}" for number in range(1, 6)
        ]
        assert shapes(text)["accept"] == 4 + 1  # and one in the legend
        tips = [one.text for one in ElementTree.fromstring(text).iter(f"{SVG}title")]
        assert "POST /upload 5: queued, accept, 0 s to 404 ms" in tips

    def test_textures_are_there_for_what_occurs_only(self) -> None:
        def patterns(run: Run) -> set[str]:
            return set(re.findall(r'<pattern id="asyncdemo-(\w+)"', render_svg([run])))

        assert patterns(one_at_a_time(5)) == {"waiting", "accept", "response"}
        causes = {"accept", "response", "redis", "s3", "sql", "pool", "opening"}
        assert patterns(pooled(8)) - {"ready", "waiting"} == causes

    def test_a_pool_has_a_row_for_each_connection_and_names_who_held_it(self) -> None:
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


class TestHtml:
    def data(self, run: Run) -> RunData:
        scale_ns, drawn = charts([run])
        (data,) = chart_data(account_for([run]), scale_ns, drawn)["runs"]
        return data

    def test_the_player_knows_pools_and_memory(self) -> None:
        played = self.data(pooled(10, connections=2))
        (pool,) = played["pools"]
        assert pool["title"] == "redis pool"
        assert [row["label"] for row in pool["rows"]] == ["redis 1", "redis 2"]
        assert max(level for _, level in pool["queued"]) == 8
        assert [curve["label"] for curve in played["memory"]] == ["resident", "virtual"]

    def test_states_are_told_by_their_place(self) -> None:
        last = self.data(one_at_a_time(3))["rows"][-1]
        told = [SHADE_WORDS[Shade(shade)] for _, _, shade, *_ in last["bars"]]
        assert told == ["not accepted yet", "running", "waiting", "at its response"]

    def test_bands_leave_out_states_that_do_not_occur(self) -> None:
        played = self.data(threaded(100))
        longest = max(len(amounts) for row in played["rows"] for _, _, amounts in row["bands"])
        assert longest == Shade.RESPONSE + 1

    def test_connections_are_in_the_table_too(self) -> None:
        assert "<td>redis pool: redis 1</td>" in render_html([pooled(5)])


class TestPerfetto:
    def events(self, run: Run) -> list[dict[str, Any]]:
        events: list[dict[str, Any]] = json.loads(render_perfetto([run]))["traceEvents"]
        return events

    def processes(self, run: Run) -> dict[int, str]:
        return {e["pid"]: e["args"]["name"] for e in self.events(run) if e["name"] == "process_name"}

    def test_requests_are_asynchronous_slices_with_their_states_inside(self) -> None:
        events = [event for event in self.events(one_at_a_time(3)) if event["ph"] in "be"]
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
        events = json.loads(render_perfetto([threaded(5), threaded(5)]))["traceEvents"]
        outer = [event for event in events if event["ph"] == "b" and event["name"].startswith("POST")]
        assert len({event["id"] for event in outer}) == len(outer) == 12

    def test_worker_processes_are_processes(self) -> None:
        run = threaded(4)
        workers = tuple(replace(track, process=track.index % 3) for track in run.tracks)
        events = self.events(replace(run, tracks=workers))
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
        slices = [e for e in self.events(run) if e["ph"] == "X" and e["pid"] == pool]
        assert {event["tid"] for event in slices} == {1, 2}
        names = [event["name"] for event in slices if event["tid"] == 1]
        assert names[:2] == ["opening: GET /films/7/ 1", "held: GET /films/7/ 1"]
        assert "held: GET /films/7/ 3" in names

    def test_memory_and_threads_are_counters(self) -> None:
        events = [event for event in self.events(pooled(10)) if event["ph"] == "C"]
        resident = [event["args"] for event in events if event["name"] == "resident memory (MB)"]
        assert resident == [{"resident memory (MB)": value} for value in (41.0, 41.0, 43.0)]
        assert {"virtual memory (MB)", "threads"} <= {event["name"] for event in events}
        assert all(event.get("ts", 0) >= 0 for event in self.events(pooled(10)))


class TestCsv:
    def rows(self, run: Run) -> list[dict[str, str]]:
        return list(csv.DictReader(io.StringIO(render_csv([run]))))

    def test_requests_connections_and_memory_are_told_apart(self) -> None:
        run = pooled(10, connections=2)
        rows = self.rows(run)
        kinds = Counter(row["kind"] for row in rows)
        assert kinds.keys() == {"request", "connection", "memory"}
        assert kinds["request"] == sum(len(request.spans) for request in run.requests)
        assert kinds["memory"] == len(run.memory)
        assert tuple(rows[0]) == COLUMNS

    def test_a_request_that_nobody_handled_has_no_track(self) -> None:
        story = Story()
        story.request("GET / 1").queues_for("accept", 5).fails("refused")
        (row,) = self.rows(story.run())
        assert (row["kind"], row["track"], row["state"], row["reason"]) == ("request", "", "queued", "accept")
        assert row["end_ns"] == str(ns(5))


@given(runs())
def test_any_run_can_be_shown_in_every_way(run: Run) -> None:
    """All in one test, since making the runs takes most of the time."""
    assert all(render_bytes([run], to) for to in Export)
    result = variant_result(run)
    assert json.loads(json.dumps(result, allow_nan=False)) == result
    lines = text_of(list(report_lines([run], ASCII, 60, rows=5)))
    assert max(map(cell_len, lines), default=0) <= 60
    timeline(run, [run], UNICODE, 80, 24)
