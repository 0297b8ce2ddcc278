"""<async-timeline> in a browser: played, stepped, covered, narrow, dark, on paper, without a script."""

from __future__ import annotations

import gzip
import re
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from asyncdemo.model import Run
from asyncdemo.render.facts.runs import account_for
from asyncdemo.render.html.page import render_html, script_js
from asyncdemo.render.timeline.chart import charts
from asyncdemo.render.timeline.grid import Shade
from asyncdemo.render.words import duration
from tests.browser.conftest import OpenPage
from tests.support.runs import Story, at_line, ns
from tests.support.server_runs import pooled, threaded

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Locator, Page

pytestmark = pytest.mark.browser

Opened = Callable[..., "Page"]

WIDTHS = (320, 360, 768, 1280)


def steps(number: int) -> Run:
    story = Story()
    task = story.task("busy")
    for _ in range(number // 2):
        task.runs(1).sleeps(20)
    task.returns()
    return story.run(name="steps")


def slow_and_fast() -> list[Run]:
    slow, fast = Story(), Story()
    slow.task("brew(0)").blocks(100, at=at_line(12, "brew")).sleeps(100).returns()
    fast.task("</script>").sleeps(50).runs(10).raises("no")
    return [slow.run(name="slow"), fast.run(name="fast")]


@pytest.fixture
def opened(tmp_path: Path, browser: Browser) -> Iterator[Opened]:
    """A page of these runs as ``export --to html`` writes it, opened from its file."""
    pages = OpenPage(browser, tmp_path.as_uri() + "/")

    def show(runs: Sequence[Run] = (), *, body: str = "", covered: bool = False, **how: Any) -> Page:
        page = render_html(runs or slow_and_fast()).replace("<body>", f"<body {body}>")
        if covered:
            page = page.replace("<async-timeline>", "<async-timeline covered>")
        (tmp_path / "page.html").write_text(page, encoding="utf-8")
        return pages("page.html", **how)

    yield show
    pages.close()
    assert not pages.complaints


def element(page: Page) -> Locator:
    return page.locator("async-timeline")


def value(page: Page, expression: str) -> Any:
    """Of an expression about the element, which is ``it``."""
    return element(page).evaluate(f"it => {expression}")


def button(page: Page, name: str) -> Locator:
    return page.get_by_role("button", name=name, exact=True)


def clock(page: Page) -> str:
    return page.locator("async-timeline output").inner_text()


class TestPlaying:
    def test_at_first_all_is_there(self, opened: Opened) -> None:
        page = opened()
        assert value(page, "it.said") == "slow: over: 1 returned. fast: over: 1 raised."
        assert clock(page) == "200 ms"
        assert page.locator("async-timeline .legend li").all_inner_texts() == [
            "running",
            "waiting",
            "blocking the loop",
            "✗ raised",
        ]

    def test_keys_and_buttons_move_it(self, opened: Opened) -> None:
        page = opened()
        page.get_by_label("Time", exact=True).focus()
        page.keyboard.press("Home")
        assert value(page, "it.said") == (
            "slow: brew(0) blocks the loop (sleep at app.py:12 in brew). fast: 1 waiting."
        )
        page.keyboard.press("ArrowRight")
        assert value(page, "it.time") == ns(50)
        assert "fast: </script> is now running." in value(page, "it.said")
        page.keyboard.press("ArrowRight")
        assert value(page, "it.time") == ns(60)
        page.keyboard.press("ArrowLeft")
        assert value(page, "it.time") == ns(50)
        page.keyboard.press("End")
        assert value(page, "it.time") == ns(200)
        for name, time in (("Start", 0), ("Next event", 50), ("Next event", 60), ("Previous event", 50)):
            button(page, name).click()
            assert clock(page) == f"{time} ms"

    def test_the_space_bar_plays_and_halts(self, opened: Opened) -> None:
        page = opened()
        page.get_by_label("Time", exact=True).focus()
        page.keyboard.press("Space")
        button(page, "Pause").wait_for()
        assert page.locator("async-timeline .now").first.get_attribute("aria-live") == "off"
        page.keyboard.press("Space")
        button(page, "Play").wait_for()
        assert 0 <= value(page, "it.time") < ns(200)
        assert page.locator("async-timeline .now").first.get_attribute("aria-live") == "polite"

    def test_it_plays_to_the_end_and_again(self, opened: Opened) -> None:
        page = opened()
        page.get_by_label("Speed").select_option("real time")
        # All that its button says, since a busy machine may look too late to see it play.
        value(
            page,
            "{ it.said_by_button = [];"
            "  new MutationObserver(() => it.said_by_button.push(it.play.textContent))"
            ".observe(it.play, { childList: true }); }",
        )
        button(page, "Play").click()
        page.wait_for_function("document.querySelector('async-timeline').said_by_button.at(-1) === 'Play'")
        assert value(page, "it.said_by_button") == ["Pause", "Play"]
        assert value(page, "it.time") == ns(200)

    def test_a_click_in_the_picture_goes_there(self, opened: Opened) -> None:
        page = opened()
        box = page.locator("async-timeline .plot").first.bounding_box()
        assert box
        # The plot begins with the line of the cursor, and ends with a margin.
        width = value(page, "it.place.width")
        page.mouse.click(box["x"] + 2 + width / 4, box["y"] + 5)
        assert value(page, "it.time") == pytest.approx(ns(50), rel=0.02)
        assert page.evaluate("document.activeElement.localName") == "async-timeline"

    def test_the_veil_hides_what_comes(self, opened: Opened) -> None:
        page = opened()
        value(page, "it.seek(it.end / 2)")
        veil = page.locator("async-timeline .veil").first.bounding_box()
        plot = page.locator("async-timeline .plot").first.bounding_box()
        assert veil
        assert plot
        assert veil["x"] - plot["x"] == pytest.approx(value(page, "it.place.width") / 2, abs=2)

    def test_it_tells_what_a_server_does(self, opened: Opened) -> None:
        page = opened([pooled(20, connections=5)])
        assert value(page, "it.said") == "pooled: over: 20 answered."
        value(page, "it.seek(it.end / 2)")
        assert re.fullmatch(
            r"pooled: (GET /films/7/ \d+ running; )?(\d+ waiting for \w+; )+\d+ queued for a connection"
            r"; redis pool: 5 held, \d+ queued; resident 43\.0 MB, virtual 325 MB\.",
            value(page, "it.said"),
        )

    def test_who_wants_no_motion_gets_steps(self, opened: Opened) -> None:
        page = opened(still=True)
        button(page, "Next step").click()
        assert value(page, "it.time") == ns(50)
        button(page, "Next step").click()
        assert value(page, "it.time") == ns(60)

    def test_its_controls_stay_in_sight_while_it_is_used_in_one_row(self, opened: Opened) -> None:
        page = opened([threaded(50), threaded(50)], width=320, height=600)
        play = page.locator("async-timeline .main")
        assert not in_sight(play)  # over, and below the picture
        value(page, "it.seek(it.end / 2)")
        assert in_sight(play)
        bar = page.locator("async-timeline .bar").bounding_box()
        assert bar
        assert bar["height"] < 60


def in_sight(what: Locator) -> bool:
    return bool(what.evaluate("it => it.getBoundingClientRect().bottom <= innerHeight"))


class TestStepping:
    def test_each_step_can_be_seen(self, opened: Opened) -> None:
        page = opened([steps(1_200)])
        times = value(page, "it.steps")
        seen_ns = value(page, "it.end / it.place.width")
        assert 10 < len(times) < 700
        assert all(after - before >= 2 * seen_ns for before, after in pairwise(times[1:]))
        assert times[0] == 0
        assert times[-1] == value(page, "it.end")

    def test_it_says_who_gave_a_connection_back_and_who_took_it(self, opened: Opened) -> None:
        page = opened([pooled(20, connections=5)])
        said = []
        for time in value(page, "it.steps"):
            value(page, f"it.seek({time})")
            said.append(value(page, "it.said"))
        assert "pooled: GET /films/7/ 1 gave a connection back; GET /films/7/ 6 took it" in " ".join(said)
        assert said[-1] == "pooled: over: 20 answered."


class TestShowing:
    def test_one_chooses_which_runs_to_see(self, opened: Opened) -> None:
        page = opened()
        assert page.locator("async-timeline .run:visible").count() == 2
        page.get_by_role("checkbox", name="slow").uncheck()
        assert page.locator("async-timeline .run:visible").count() == 1
        # The scale stays that of all, and one is always left.
        assert value(page, "it.end") == ns(200)
        page.get_by_role("checkbox", name="fast").click()
        assert page.get_by_role("checkbox", name="fast").is_checked()

    def test_the_same_is_there_as_a_table(self, opened: Opened) -> None:
        page = opened()
        assert page.locator("async-timeline td").count() == 0
        page.get_by_text("The same as a table").click()
        page.locator("async-timeline td").first.wait_for()
        rows = [row.inner_text().split("\t") for row in page.locator("async-timeline tbody tr").all()]
        assert rows == [
            ["brew(0)", "0 s", "100 ms", "blocking", "sleep at app.py:12 in brew"],
            ["brew(0)", "100 ms", "200 ms", "waiting", "sleep"],
            ["</script>", "0 s", "50 ms", "waiting", "sleep"],
            ["</script>", "50 ms", "60 ms", "running", ""],
        ]

    def test_a_long_table_says_what_it_leaves_out(self, opened: Opened) -> None:
        page = opened([steps(1_200), steps(1_200)])
        page.get_by_text("The same as a table").click()
        page.get_by_text("The first 2,000 rows").wait_for()
        assert page.locator("async-timeline tbody tr").count() == 2_000

    @pytest.mark.parametrize("width", WIDTHS)
    def test_it_fits_any_width_with_letters_of_one_size(self, opened: Opened, width: int) -> None:
        page = opened([pooled(50, connections=5)], width=width)
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        letters = page.locator("async-timeline .picture text").first
        assert letters.evaluate("text => getComputedStyle(text).fontSize") in ("10px", "12px")
        for one in page.locator("async-timeline button:visible, async-timeline select").all():
            box = one.bounding_box()
            assert box
            assert min(box["width"], box["height"]) >= 40

    def test_it_is_redrawn_for_another_width(self, opened: Opened) -> None:
        page = opened(width=1280)
        page.set_viewport_size({"width": 400, "height": 800})
        page.wait_for_function("document.querySelector('async-timeline').wide < 400")
        assert page.locator("async-timeline .picture svg").first.evaluate("it => it.clientWidth") < 400

    def test_a_run_of_many_rows_shows_twelve_of_all_kinds(self, opened: Opened) -> None:
        page = opened([threaded(50)])
        labels = page.locator("async-timeline .picture g > text").all_text_contents()
        assert len(labels) == page.locator("async-timeline .picture g").count() == 12
        assert [label for label in labels if "✗" in label]

    def test_a_folded_row_in_which_none_is_at_work_has_a_line(self, opened: Opened) -> None:
        page = opened()
        not_accepted = [0] * Shade.ACCEPT + [20]
        row = {
            "label": "9-28",
            "size": 20,
            "ended": "",
            "bars": [],
            "bands": [[ns(10), ns(10.1), not_accepted]],
        }
        element(page).evaluate(
            "(it, row) => it.load({ ...it.data, runs: [{ ...it.data.runs[0], rows: [row] }] })", row
        )
        drawn = page.locator("async-timeline .picture g > path").get_attribute("d")
        start, high, end = re.findall(r"M([\d.]+) [\d.]+v-([\d.]+)H([\d.]+)", str(drawn))[0]
        assert high == "1"
        assert float(end) - float(start) >= 0.9
        assert page.locator("async-timeline .legend li").all_inner_texts() == [
            "not accepted by the server yet"
        ]

    def test_with_all_rows_only_labels_are_left_out(self, opened: Opened) -> None:
        runs = [threaded(50), threaded(50), threaded(50)]
        page = opened(runs)
        rows = sum(len(run.rows) for run in runs)
        page.get_by_label(f"all {rows} rows").check()
        assert page.locator("async-timeline .picture g").count() == rows
        assert 0 < page.locator("async-timeline .picture g > text").count() < rows

    @pytest.mark.parametrize(
        ("scheme", "body", "is_dark"),
        [
            ("light", "", False),
            ("dark", "", True),
            ("light", 'data-md-color-scheme="slate"', True),
            ("dark", 'data-md-color-scheme="default"', False),
        ],
    )
    @pytest.mark.parametrize("js", [True, False])
    def test_it_is_light_and_dark_as_its_page_is(
        self, opened: Opened, scheme: str, body: str, is_dark: bool, js: bool
    ) -> None:
        page = opened(scheme=scheme, body=body, js=js)
        letters = page.locator("async-timeline text:visible").first
        colour = letters.evaluate("text => getComputedStyle(text).fill")
        assert colour == ("rgb(230, 237, 243)" if is_dark else "rgb(31, 35, 40)")

    @pytest.mark.parametrize("scheme", ["light", "dark"])
    def test_nothing_is_wrong_for_who_cannot_see(
        self, opened: Opened, scheme: str, violations: Callable[[Page], list[str]]
    ) -> None:
        page = opened([pooled(20, connections=5), threaded(30)], scheme=scheme)
        page.get_by_text("The same as a table").click()
        page.locator("async-timeline td").first.wait_for()
        assert violations(page) == []
        name = page.get_by_role("img").first.get_attribute("aria-label") or ""
        assert name.startswith("Timeline of pooled: 20 requests, from left to right")


class TestCovered:
    def test_nothing_shows_before_it_is_asked_for(self, opened: Opened) -> None:
        page = opened(covered=True)
        assert page.get_by_role("img").count() == 0
        assert "slow, fast" in page.locator("async-timeline .cover").inner_text()

    def test_its_button_uncovers_and_plays(self, opened: Opened) -> None:
        page = opened(covered=True)
        value(page, "it.addEventListener('revealed', () => { it.fired = true; })")
        button(page, "Show it").click()
        button(page, "Pause").wait_for()
        assert value(page, "[it.fired, it.covered, it.secret]") == [True, False, True]
        assert page.locator("async-timeline .live .figures").first.is_hidden()
        page.keyboard.press("End")
        assert page.locator("async-timeline .live .figures").first.is_visible()

    def test_it_starts_when_half_of_it_is_in_sight(self, opened: Opened) -> None:
        page = opened(covered=True)
        value(page, "it.style.marginTop = '3000px'")
        value(page, "{ it.addEventListener('seen', () => { it.fired = true; }); it.reveal({ play: true }); }")
        page.wait_for_timeout(300)
        assert value(page, "[it.time, it.frame, it.fired]") == [0, 0, None]
        element(page).scroll_into_view_if_needed()
        button(page, "Pause").wait_for()
        page.keyboard.press("End")
        page.wait_for_function("document.querySelector('async-timeline').fired")

    def test_who_wants_no_motion_sees_all_at_once(self, opened: Opened) -> None:
        page = opened(covered=True, still=True)
        button(page, "Show it").click()
        assert page.locator("async-timeline .live .figures").first.is_visible()
        assert value(page, "it.time") == ns(200)

    def test_without_a_script_nothing_is_covered(self, opened: Opened) -> None:
        page = opened(covered=True, js=False)
        assert page.locator(".timeline-still svg").count() == 3
        assert page.locator(".timeline-still").is_visible()

    def test_paper_has_it_uncovered_and_without_buttons(self, opened: Opened) -> None:
        page = opened(covered=True)
        page.emulate_media(media="print", color_scheme="dark")
        assert page.locator(".timeline-still svg").first.is_visible()
        assert button(page, "Show it").is_hidden()
        letters = page.locator(".timeline-still text").first
        assert letters.evaluate("text => getComputedStyle(text).fill") == "rgb(31, 35, 40)"


class TestData:
    def test_what_stands_in_the_page_is_the_data_again(self, opened: Opened) -> None:
        """But for times, which are rounded to less than anybody can see."""
        runs = [pooled(30, connections=5), threaded(400)]
        page = opened(runs)
        drawn = charts(account_for(runs))
        within_ns = value(page, "it.end") / 20_000
        for seen, meant in zip(value(page, "it.data.runs"), drawn, strict=True):
            for is_row, was in zip(seen["rows"], meant.rows, strict=True):
                assert is_row["label"] == was.label
                assert [bar[2:] for bar in is_row["bars"]] == [list(bar[2:]) for bar in was.bars]
                for is_bar, was_bar in zip(is_row["bars"], was.bars, strict=True):
                    assert is_bar[:2] == pytest.approx(was_bar[:2], abs=within_ns)
            assert [curve["label"] for curve in seen["memory"]] == [curve.label for curve in meant.curves]
            assert [len(pool["queued"]) for pool in seen["pools"]] == [
                len(pool.queued) for pool in meant.pools
            ]

    def test_a_run_without_rows_says_so(self, opened: Opened) -> None:
        page = opened([Story().run(name="empty")])
        assert "nothing was recorded" in page.locator("async-timeline .picture").inner_text()

    def test_times_are_formatted_as_in_python(self, opened: Opened) -> None:
        page = opened()
        times = [0, 5_000, 500_000, 12_000_000, 1_234_000_000, 75_500_000_000, 3_000_000_000_000]
        texts = page.locator("async-timeline").evaluate(
            """(it, times) => {
                const row = { ...it.data.runs[0].rows[0], bars: times.map(time => [time, time, 0, '']) };
                it.load({ ...it.data, runs: [{ ...it.data.runs[0], rows: [row] }] });
                it.shadowRoot.querySelector('details').open = true;
                const from = () => [...it.shadowRoot.querySelectorAll('tbody td:nth-child(2)')];
                return new Promise(done => setTimeout(() => done(from().map(cell => cell.innerText))));
            }""",
            times,
        )
        assert texts == list(map(duration, times))


def test_seeking_redraws_nothing(opened: Opened) -> None:
    page = opened([steps(1_800)])
    value(page, "it.drawn = it.shadowRoot.querySelector('.picture svg').firstChild")
    value(page, "it.seek(it.end / 3)")
    assert value(page, "it.drawn === it.shadowRoot.querySelector('.picture svg').firstChild")


def test_the_script_is_small() -> None:
    assert len(gzip.compress(script_js().encode())) < 13_000


def test_zooming_keeps_the_playhead_and_stepping_turns_pages(opened: Opened) -> None:
    page = opened([steps(40)])

    def playhead() -> float:
        box = element(page).locator(".veil").bounding_box()
        assert box
        return box["x"]

    element(page).evaluate("it => it.seek(it.end / 2)")
    before = playhead()
    button(page, "Zoom in").click()
    assert value(page, "it.place.scale") == value(page, "it.end") / 4
    assert playhead() == pytest.approx(before, abs=2)
    for _ in range(12):
        button(page, "Next event").click()
    now = value(page, "it.time")
    assert now > value(page, "it.end") * 0.63  # past what was in sight
    assert value(page, "it.place.from") < now < value(page, "it.place.from + it.place.scale")
    page.keyboard.press("0")
    assert value(page, "it.place.from") == 0
    assert button(page, "Zoom out").is_disabled()
