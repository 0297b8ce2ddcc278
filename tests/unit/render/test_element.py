"""The markup of <async-timeline>: still pictures that share a page, data that is packed small, the script."""

from __future__ import annotations

import gzip
import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from hypothesis import given

from asyncdemo.model import Run, Wake, Wakes
from asyncdemo.render.facts.runs import account_for
from asyncdemo.render.html.packing import packed, unit_ns
from asyncdemo.render.html.page import element_html, report_html, script_js
from asyncdemo.render.timeline.chart import charts
from asyncdemo.render.timeline.grid import Shade
from tests.support.runs import Story, ns
from tests.support.server_runs import pooled, threaded
from tests.support.strategies import runs

SVG = "{http://www.w3.org/2000/svg}"


def named(name: str) -> Run:
    story = Story()
    story.task(name).waits(10, name).runs(1).raises(name)
    return story.run(name=name, notes=(name,))


def element(*of: Run, ident: str = "asyncdemo") -> str:
    return element_html(charts(account_for(of)), ident)


def stills(markup: str) -> list[ElementTree.Element]:
    return [ElementTree.fromstring(one) for one in re.findall(r"<svg.*?</svg>", markup, re.DOTALL)]


def data(*of: Run) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(json.dumps(packed(charts(account_for(of)))))
    return found


class TestStills:
    def test_there_is_one_for_each_run_and_one_of_the_legend(self) -> None:
        names = [one.findtext(f"{SVG}title") for one in stills(element(pooled(5), threaded(5)))]
        assert names == ["Timeline of pooled", "Timeline of threaded", "Legend"]

    def test_the_ids_of_two_elements_do_not_meet(self) -> None:
        page = element(pooled(5), ident="one") + element(pooled(5), ident="two")
        ids = re.findall(r'\bid="([^"]*)"', page)
        assert len(ids) == len(set(ids))
        assert set(re.findall(r"url\(#([^)]*)\)", page)) <= set(ids)
        assert set(" ".join(re.findall(r'aria-labelledby="([^"]*)"', page)).split()) <= set(ids)

    def test_the_legend_has_only_what_occurs(self) -> None:
        story = Story()
        story.task("a").sleeps(10).runs(1).returns()
        words = [text.text for text in stills(element(story.run()))[-1].iter(f"{SVG}text")]
        assert words == ["running", "waiting"]

    def test_bars_of_one_shade_are_one_line_of_a_row(self) -> None:
        story = Story()
        task = story.task("a")
        for _ in range(50):
            task.sleeps(9).runs(1)
        task.returns()
        (row,) = (
            group for group in stills(element(story.run()))[0].iter(f"{SVG}g") if group.get("transform")
        )
        assert [path.get("class") for path in row.iter(f"{SVG}path")] == ["waiting", "running"]

    @pytest.mark.parametrize("name", ["</script><b>", "<!--", "\"&'", "\ud800\x00"])
    def test_no_name_breaks_out(self, name: str) -> None:
        markup = element(named(name)) + report_html(account_for([named(name)]))
        assert "<b>" not in markup
        assert "<!--" not in markup
        assert markup.count("</script>") == 1
        assert stills(markup)

    def test_fifty_rows_in_three_runs_take_little(self) -> None:
        """What SITE.md asks of a lesson page leaves about 12 kB for a timeline."""
        page = element(threaded(50), threaded(50), threaded(50))
        assert len(gzip.compress(page.encode())) < 12_000


class TestPacking:
    def test_times_are_counted_in_a_round_unit_finer_than_a_screen(self) -> None:
        assert [unit_ns(scale) for scale in (1, 20_000, 100_000, 7_500_000_000)] == [1, 1, 5, 200_000]

    def test_bar_has_a_length_and_a_kind(self) -> None:
        story = Story()
        story.task("a", at=5).sleeps(10).runs(2).returns()
        story.task("b").sleeps(20).returns()
        seen = data(story.run())
        unit = seen["unit_ns"]
        kinds = [[Shade.WAITING, "sleep", 0], [Shade.RUNNING, "", 0]]
        assert seen["kinds"] == kinds
        assert seen["runs"][0]["rows"][0] == {
            "label": "a",
            "bars": [ns(5) // unit, -1, ns(10) // unit, 0, ns(2) // unit, 1],
        }

    def test_a_wake_is_how_much_later_and_from_row_to_row(self) -> None:
        story = Story()
        story.task("giver").sleeps(300).runs(10).sleeps(90).returns()
        story.task("taker").waits(300, "event").runs(50).waits(50, "event").runs(1).returns()
        story.task("alone").sleeps(200).runs(1).returns()
        run = story.run(wakes=Wakes([Wake(ns(300), 0, 1), Wake(ns(400), 0, 1)]))
        unit = data(run)["unit_ns"]
        assert data(run)["runs"][0]["wakes"] == [ns(300) // unit, 0, 1, ns(100) // unit, 0, 1]

    def test_bands_that_are_the_same_are_one(self) -> None:
        story = Story()
        for number in range(200):
            story.task(f"t{number}").sleeps(100).returns()
        rows = data(story.run())["runs"][0]["rows"]
        assert {len(row["bands"]) for row in rows if row.get("size", 1) > 1} == {2}

    @given(runs())
    def test_no_time_is_lost(self, run: Run) -> None:
        (chart,), seen = charts(account_for([run])), data(run)
        for was, row in zip(chart.rows, seen["runs"][0]["rows"], strict=True):
            assert all(length >= 0 for length in row.get("bars", [])[::2])
            last = max((bar.end_ns for bar in was.bars), default=0)
            assert sum(row.get("bars", [])[::2]) == round(last / seen["unit_ns"])


class TestScript:
    def test_it_asks_nobody(self) -> None:
        script = script_js().replace("http://www.w3.org/", "")  # namespaces
        assert not re.search(r"https?:|fetch\(|XMLHttpRequest|import\(", script)

    def test_it_is_a_script(self, tmp_path: Path) -> None:
        node = shutil.which("node")
        if node is None:
            pytest.skip("no Node on this machine")
        path = tmp_path / "script.js"
        path.write_text(script_js(), encoding="utf-8")
        subprocess.run([node, "--check", str(path)], check=True, timeout=60)
