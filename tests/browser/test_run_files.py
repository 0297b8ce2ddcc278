"""The script that opens run files makes of them what Python makes, and refuses what Python refuses.

It is looked at by itself, on an empty page. Not for: the page around it (``test_open_run``).
"""

from __future__ import annotations

import base64
import gzip
import json
import random
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from asyncdemo import store
from asyncdemo.analysis.metrics import measure
from asyncdemo.errors import RunFileError
from asyncdemo.model import Outcome, Run, SummedTasks
from asyncdemo.render.facts.runs import account_for
from asyncdemo.render.html.element_data import chart_data
from asyncdemo.render.html.open_run import open_run_js
from asyncdemo.render.timeline.chart import BARS, ROWS, charts
from asyncdemo.render.words import clean, duration, size
from tests.browser.built import SITE
from tests.support.crowds import crowd, text_of
from tests.support.runs import Story
from tests.support.strategies import runs

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.browser

MADE = """async ([files, packed]) => {
    const runs = [];
    for (const file of files) {
        const bytes = packed ? Uint8Array.from(atob(file), char => char.charCodeAt(0)) : file;
        try {
            runs.push(await asyncdemo.readRun(new Blob([bytes]), 'brew.jsonl'));
        } catch (error) {
            return { error: error.message, name: error.constructor.name };
        }
    }
    return { data: await asyncdemo.chartData(runs), figures: runs.map(asyncdemo.figures) };
}"""


ENDINGS = """async files => {
    const endings = [];
    for (const file of files) {
        try {
            await asyncdemo.chartData([await asyncdemo.readRun(new Blob([file]), 'brew.jsonl')]);
            endings.push('read');
        } catch (error) {
            endings.push(error.constructor.name);
        }
    }
    return endings;
}"""


class Engine:
    """The script on an empty page."""

    def __init__(self, page: Page) -> None:
        self._page = page

    def made_of(self, *files: str) -> dict[str, Any]:
        found: dict[str, Any] = self._page.evaluate(MADE, [files, False])
        return found

    def made_of_bytes(self, *files: bytes) -> dict[str, Any]:
        found: dict[str, Any] = self._page.evaluate(
            MADE, [[base64.b64encode(file).decode() for file in files], True]
        )
        return found

    def endings_of(self, files: Sequence[str]) -> list[str]:
        """Of each file by itself: "read", or what kind of error there was."""
        found: list[str] = self._page.evaluate(ENDINGS, files)
        return found

    def words(self, name: str, values: Sequence[object]) -> list[str]:
        found: list[str] = self._page.evaluate(
            "([name, values]) => values.map(asyncdemo.words[name])", [name, values]
        )
        return found


@pytest.fixture(scope="module")
def engine(browser: Browser) -> Iterator[Engine]:
    page = browser.new_page()
    page.add_script_tag(content=open_run_js())
    yield Engine(page)
    page.close()


def told_by_python(told: Sequence[Run]) -> dict[str, Any]:
    """The data without the figures that need Python, and what the page says in words."""
    accounts = account_for(told)
    scale_ns, drawn = charts(told)
    data = json.loads(json.dumps(chart_data(accounts, scale_ns, drawn)))
    for run in data["runs"]:
        del run["figures"]
    opened = [None if account.run.requests else account.metrics.open for account in accounts]
    # who waited for what when a run was stopped is not told by the page, which says so
    notes = [[note for note in one.notes if not note.startswith("When it was stopped")] for one in accounts]
    return {"data": data, "notes": notes, "open": opened}


def told_by(made: dict[str, Any]) -> dict[str, Any]:
    """The same of what the script made."""
    assert "error" not in made, made
    data = made["data"]
    for run in data["runs"]:
        assert run.pop("figures").startswith("time " if run["noun"] == "lane" else "all in ")
    is_server = [run["noun"] == "request" for run in data["runs"]]
    opened = [
        None if server else told["open"] for server, told in zip(is_server, made["figures"], strict=True)
    ]
    return {"data": data, "notes": [told["notes"] for told in made["figures"]], "open": opened}


def assert_same(engine: Engine, *told: Run) -> dict[str, Any]:
    """Asserts and gives the data."""
    wanted = told_by_python(told)
    assert told_by(engine.made_of(*map(text_of, told))) == wanted
    data: dict[str, Any] = wanted["data"]
    return data


TIMES = (
    "start_ns",
    "end_ns",
    "closed",
    "opened_ns",
    "ready_ns",
    "closed_ns",
    "made_ns",
    "sent_ns",
    "handled_ns",
)


def later(run: Run, by_ns: int) -> str:
    """The file of a run on a clock that began so much earlier."""
    lines = []
    for line in store.dumps(run):
        record = json.loads(line)
        for name in record:
            if name in TIMES and record[name] is not None:
                record[name] += by_ns
            if name in ("starts", "times") and record[name]:
                record[name][0] += by_ns
        lines.append(json.dumps(record) + "\n")
    return "".join(lines)


class TestSameAsPython:
    @settings(max_examples=150, suppress_health_check=[HealthCheck.too_slow])
    @given(told=st.lists(runs(), min_size=1, max_size=3))
    def test_any_story(self, engine: Engine, told: list[Run]) -> None:
        assert_same(engine, *told)

    @pytest.mark.parametrize("seed", range(6))
    def test_many_lanes_fold(self, engine: Engine, seed: int) -> None:
        run = crowd(seed, lanes=ROWS + 1 + 97 * seed, spans=12)
        assert assert_same(engine, run)["runs"][0]["folded"] > 0

    @pytest.mark.parametrize("seed", range(4))
    def test_many_spans_become_cells(self, engine: Engine, seed: int) -> None:
        run = crowd(seed, lanes=20, spans=400)
        assert sum(len(row.spans) for row in run.rows) > BARS
        assert_same(engine, run)

    @pytest.mark.parametrize("seed", range(4))
    def test_pools(self, engine: Engine, seed: int) -> None:
        run = crowd(seed, lanes=30, spans=20, connections=(8, 30, 40, 500)[seed], pools=(1, 1, 3, 6)[seed])
        pools = assert_same(engine, run)["runs"][0]["pools"]
        assert len(pools) == (1, 1, 3, 1)[seed]
        assert any(pool["folded"] for pool in pools) is (seed in (1, 3))

    def test_a_connection_is_held_by_the_call_that_goes_on(self, engine: Engine) -> None:
        story = Story()
        pool = story.pool(2, name="redis")
        handler = story.task("handler").enters("outer(1)")
        for number in range(3):
            handler.enters(f"inner({number})").sleeps(3).leaves()
        handler.sleeps(20).leaves().sleeps(9).returns()
        helper = story.task("helper", at=5, parent=handler).sleeps(30).returns()
        story.connection(pool, 1, 2, [(handler, 4, 5), (handler, 12, 14), (helper, 15, 17)])
        ((connection,),) = (pool["rows"] for pool in assert_same(engine, story.run())["runs"][0]["pools"])
        held = [who for _, _, _, who in connection["bars"] if who]
        assert held == ["inner(1)", "outer(1)", "outer(1)"]

    def test_runs_of_different_lengths_share_a_scale(self, engine: Engine) -> None:
        short = Story()
        short.task("main").sleeps(3).returns()
        data = assert_same(engine, crowd(1, lanes=70, spans=9), short.run(), crowd(2, lanes=5, spans=3))
        assert data["scale_ns"] == max(run["length_ns"] for run in data["runs"])

    @pytest.mark.parametrize("by_ns", [2**53 - 700_000_000, 2**53 + 1, 2**62 + 12_345_678_901])
    def test_a_clock_that_javascript_cannot_count(self, engine: Engine, by_ns: int) -> None:
        run = crowd(3, lanes=40, spans=6, connections=5)
        assert told_by(engine.made_of(later(run, by_ns))) == told_by_python([run])

    def test_recordings_of_the_lessons(self, engine: Engine) -> None:
        files = sorted((SITE / "lessons/runs").glob("*.jsonl.gz"))
        assert files, "There is no site to look at: make docs"
        for file in files:
            made = engine.made_of_bytes(file.read_bytes())
            assert told_by(made) == told_by_python([store.load(file)]), file.name

    @given(st.lists(st.integers(-(10**13), 10**13), max_size=50))
    def test_durations_and_sizes(self, engine: Engine, numbers: list[int]) -> None:
        assert engine.words("duration", numbers) == list(map(duration, numbers))
        assert engine.words("size", numbers) == list(map(size, numbers))

    @pytest.mark.parametrize("step", [125, 250, 500, 125_000, 250_000, 500_000, 125_000_000, 250_000_000])
    def test_what_lies_between_two_roundings(self, engine: Engine, step: int) -> None:
        numbers = [step * number for number in range(80)]
        assert engine.words("duration", numbers) == list(map(duration, numbers))
        assert engine.words("size", numbers) == list(map(size, numbers))

    def test_text_that_could_hide(self, engine: Engine) -> None:
        texts = ["a\nb\t\r\x00", "\u202eevil", "caf\u00e9 \u2615 \U0001f600", "\u2028", "\ue000", "\x7f\x85"]
        assert engine.words("clean", texts) == list(map(clean, texts))


JUNK = ("null", '"x"', "-1", "[]", "[[]]", "{}", "1.5", "1e400", "[-1,0]", "12345678901234567890")


def read_by_python(text: str) -> Run | str:
    """The run, or why there is none."""
    try:
        return store.loads(text.encode().splitlines(keepends=True), "brew.jsonl")
    except RunFileError as error:
        return str(error)


class TestFilesThatAreNotWhole:
    """What Python reads, the page reads; what Python refuses in words, the page refuses in the same words."""

    def agree(self, engine: Engine, text: str) -> None:
        made = engine.made_of(text)
        read = read_by_python(text)
        if isinstance(read, str):
            assert made == {"error": read, "name": "RunFileError"}
        else:
            assert told_by(made) == told_by_python([read])

    def test_cut_off_anywhere(self, engine: Engine) -> None:
        text = text_of(crowd(5, lanes=3, spans=3, connections=2))
        for length in range(0, len(text), 61):
            self.agree(engine, text[:length])

    def test_without_one_of_its_lines(self, engine: Engine) -> None:
        lines = text_of(crowd(6, lanes=4, spans=3, connections=2)).splitlines(keepends=True)
        for left_out in range(1, len(lines)):
            self.agree(engine, "".join(lines[:left_out] + lines[left_out + 1 :]))

    def test_lines_in_another_order(self, engine: Engine) -> None:
        header, *lines = text_of(crowd(7, lanes=4, spans=3, connections=2)).splitlines(keepends=True)
        random.Random(7).shuffle(lines)
        self.agree(engine, header + "".join(lines))

    def test_types_and_fields_of_later_versions(self, engine: Engine) -> None:
        header, *lines = text_of(crowd(8, lanes=2, spans=3)).splitlines(keepends=True)
        records = [{**json.loads(line), "new": [1]} for line in lines]
        records[-1]["records"] += 1
        more = [json.dumps(record) + "\n" for record in ({"type": "novelty", "index": "x"}, *records)]
        self.agree(engine, header + "".join(more))

    def test_tasks_that_are_only_summed_up_count(self, engine: Engine) -> None:
        story = Story()
        story.task("main").sleeps(100).returns()
        many = SummedTasks("brew", Outcome.RETURNED, (1, 2, 3), (20, 120_000_000, 4), 9, 5, 0, 10, 3, 8)
        run = replace(story.run(), summed=(many,))
        (figures,) = engine.made_of(text_of(run))["figures"]
        metrics = measure(run)
        assert (figures["rows"], figures["open"]) == (metrics.lanes, metrics.open) == (4, 4)
        assert figures["length_ns"] == metrics.wall_ns == 120_000_000

    def test_packed_and_cut_off(self, engine: Engine) -> None:
        packed = gzip.compress(text_of(crowd(9, lanes=40, spans=9)).encode())
        made = engine.made_of_bytes(packed[: len(packed) // 2])
        assert "The file ends early" in made["figures"][0]["notes"][-1]
        assert made["data"]["runs"][0]["rows"]

    def test_any_field_may_be_anything(self, engine: Engine) -> None:
        """It is read, or refused in words: nothing else."""
        lines = text_of(crowd(10, lanes=2, spans=4, connections=1)).splitlines()
        for junk in JUNK:
            spoilt = []
            for at, line in enumerate(lines):
                for name in json.loads(line):
                    record = json.dumps({**json.loads(line), name: "JUNK"}).replace('"JUNK"', junk)
                    spoilt.append("\n".join([*lines[:at], record, *lines[at + 1 :]]) + "\n")
            assert set(engine.endings_of(spoilt)) <= {"read", "RunFileError"}, junk
