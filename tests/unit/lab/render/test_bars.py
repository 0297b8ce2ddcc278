"""Bars as HTML: what is drawn where, and that everything that is drawn is also in words."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest
from pymdownx.superfences import SuperFencesException

from asyncdemo.lab.pages.bars import published_bars
from asyncdemo.lab.render.bars import Bar, Bars, Mark, bars_html
from asyncdemo.lab.results.published import load_article
from asyncdemo.site.measure import bars as fence

OURS = Bars(
    title="Requests per second",
    unit="×",
    rows=(
        Bar(
            "Sanic",
            "5.2×",
            "Sanic: 5.2",
            bar=5.2,
            least=5.0,
            most=5.4,
            marks=(Mark("published", 14.2),),
            bound=6.0,
        ),
        Bar("Klein", "0.7×", "Klein: 0.7", bar=0.7, least=0.6, most=0.8),
    ),
    legend=(("ours", "ours"), ("published", "published"), ("interval", "its interval"), ("bound", "bound")),
    origin=1,
    logarithmic=True,
)


def percents(html: str, pattern: str) -> list[float]:
    return [float(found) for found in re.findall(pattern, html)]


def test_it_is_whole_xml_with_a_title_for_each_strip() -> None:
    figure = ElementTree.fromstring(bars_html(OURS).replace(" data-search-exclude", ""))
    titles = [title.text for title in figure.iter("title")]
    assert titles == ["Sanic: 5.2", "Klein: 0.7"]


def test_a_ratio_below_one_goes_to_the_left_of_it() -> None:
    html = bars_html(OURS)
    (one,) = set(percents(html, r'class="bars-origin" x1="([\d.]+)%'))
    rects = re.findall(r'bars-bar" x="([\d.]+)%" width="([\d.]+)%', html)
    (left, wide), (left_of_it, narrow) = [(float(x), float(width)) for x, width in rects]
    assert left == pytest.approx(one)
    assert left_of_it + narrow == pytest.approx(one, abs=0.02)
    assert wide > narrow


def test_mark_interval_and_bound_stand_in_order() -> None:
    html = bars_html(OURS)
    mark = percents(html, r'bars-published" x="([\d.]+)%" y="50%"')[-1]
    (bound,) = percents(html, r'bars-bound" x1="([\d.]+)%" x2="[\d.]+%" y1="1"')
    least, most = re.findall(r'bars-interval"><line x1="([\d.]+)%" x2="([\d.]+)%', html)[0]
    assert float(least) < float(most) < bound < mark


def test_published_figures_are_printed_as_published() -> None:
    html = fence("article: four-frameworks\ntable: results\ncolumn: latency_avg")
    assert re.findall(r'bars-text"[^>]*>([^<]+)', html) == ["103.07ms", "114.38ms", "121.04ms", "40.47ms"]
    assert "bars-theirs" in html


def test_an_axis_without_zero_has_marks_and_no_bars() -> None:
    html = fence("article: constant-rate\ntable: results\ncolumn: p50\nscale: log")
    assert "bars-bar" not in html
    assert html.count('<svg class="bars-mark') == 4


def test_several_columns_are_distinct_marks_with_a_legend() -> None:
    table = load_article("twenty-one-pairs").table("reconfigured")
    chart = published_bars(table, ["mine", "better_async", "better_sync"], "All", logarithmic=True)
    html = bars_html(chart)
    assert [words for _, words in chart.legend] == ["My Benchmark", "Better Async", "Better Sync"]
    flask = html[html.index("Flask · Gunicorn: ") :]
    assert re.findall(r'bars-mark bars-(\w+)" x="[\d.]+%" y="(\d+)%"', flask)[:3] == [
        ("first", "32"),
        ("second", "50"),
        ("third", "68"),
    ]


def test_two_charts_have_patterns_of_their_own() -> None:
    idents = {
        re.findall(
            r'pattern id="([^"]+)"', fence(f"article: four-frameworks\ntable: results\ncolumn: {column}")
        )[0]
        for column in ("requests_per_s", "latency_avg")
    }
    assert len(idents) == 2


def test_nothing_to_draw_and_unknown_names_fail_the_build() -> None:
    with pytest.raises(ValueError, match="nothing to draw"):
        bars_html(Bars("Empty", "", (Bar("Sanic", "", ""),)))
    with pytest.raises(SuperFencesException, match="speed"):
        fence("article: four-frameworks\ntable: results\ncolumn: speed")
