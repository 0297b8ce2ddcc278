"""The report as one page: whole by itself, and the same as on the docs site."""

from __future__ import annotations

import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest

from asyncdemo.lab.render.page import measure_css, render_page, report_html
from asyncdemo.lab.render.tables import table
from asyncdemo.lab.results.flags import Flag, FlagKind
from tests.support.lab_records import a_comparison, a_record
from tests.support.open_loops import with_open_loop

ROOT = Path(__file__).resolve().parents[4]
VOID = {"br", "meta"}


class Nesting(HTMLParser):
    """That every element ends where it should."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: list[str] = []

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.seen.append(tag)
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: object) -> None:
        self.seen.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


@pytest.fixture(scope="module")
def page() -> str:
    return render_page(replace(with_open_loop({"sanic": [[3] * 2000]}), interrupted=True))


def test_it_asks_for_nothing_and_needs_no_script(page: str) -> None:
    assert not re.search(r"https?:|//\w|url\((?!#)|@import|\b(?:src|href)=", page)
    parser = Nesting()
    parser.feed(page)
    assert parser.open == [] and not {"script", "link"} & {*parser.seen}


def test_it_shows_rows_bars_spectra_and_the_machine_unfolded(page: str) -> None:
    for part in (
        "It was ended early: the finished rounds count.",
        "<h1>Four frameworks, made up</h1>",
        "5.16× [5.10, 5.19]",
        'class="bars-mark bars-published"',
        'class="bars-interval"',
        "1,000 per s: latency at each percentile",
        "A processor that nobody makes",
        "Today you would use Granian.",
    ):
        assert part in page
    assert page.count("<details") == page.count(" open><summary>") == 4
    assert " open><summary>" not in report_html(a_record())


def test_it_has_dark_colours_for_those_who_prefer_them(page: str) -> None:
    style = re.findall(r"<style>(.*?)</style>", page, re.DOTALL)[0]
    dark = style[style.rindex("@media screen and (prefers-color-scheme: dark)") :]
    assert "--measure-ours: #56b4e9" in dark
    assert "slate" not in style
    assert style.count("{") == style.count("}")
    assert "@media print" in style


def test_what_a_record_says_is_no_markup() -> None:
    record = a_record()
    arms = tuple(replace(arm, title="<b>", commands={"*": "<i>"}) for arm in record.arms)
    page = render_page(replace(record, title="<script>", arms=arms, notes=("<img>",), command="<u>"))
    assert not re.search(r"<(?:script|img|i|u)>", page)
    assert "&lt;script&gt;" in page


def test_the_docs_site_takes_its_style_from_here(page: str) -> None:
    link = '<link rel="stylesheet" href="../lessons/assets/measure.css">'
    pages = [file.read_text(encoding="utf-8") for file in (ROOT / "docs" / "measure").glob("*.md")]
    assert all(
        link in page for page in pages if re.search(r"^```(?:report|published|bars)$", page, re.MULTILINE)
    )
    rule = re.search(r"^\.[\w-]+ \{[^}]*\}", measure_css(), re.MULTILINE)
    assert rule is not None
    assert rule[0] in page


def test_what_is_said_of_all_rows_stands_below_them_once() -> None:
    flag = Flag(FlagKind.NO_RANKING, "The interval holds 1.", "Measure more rounds.")
    rows = tuple(a_comparison(arm, 3.0, flags=(flag,)) for arm in ("sanic", "tornado"))
    text = report_html(replace(a_record(), comparisons=rows))
    assert text.count("Measure more rounds.") == 1
    assert "All rows: Python 3.11, where it was 2.7" in text
    alone = report_html(replace(a_record(), comparisons=rows[:1]))
    assert "All rows" not in alone
    assert alone.count("Measure more rounds.") == 1


def test_table_of_many_rows_has_only_figures_and_words_below() -> None:
    flag = Flag(FlagKind.NO_RANKING, "The interval holds 1.", "Measure more rounds.")
    row = a_comparison("sanic", 14.2, flags=(flag,))
    rows = tuple(replace(row, name=f"Sanic {number} / Flask") for number in range(12))
    text = report_html(replace(a_record(), comparisons=rows))
    assert text.count("Measure more rounds.") == 1
    assert text.count("what the waiting allows") == 2, "once as the bound, once in the legend"
    assert text.count("9,800 and 1,900 /s") == 12
    assert "<b>all:</b> Python 3.11, where it was 2.7" in text


def test_a_column_without_anything_is_left_out_but_not_the_name() -> None:
    rows = [("", "", "1.0"), ("", "", "")]
    html = table(["row", "published", "ours"], rows, "a table", words=True)
    assert re.findall(r'<th scope="col">(.*?)</th>', html) == ["row", "ours"]
    assert re.findall(r"<td.*?>(.*?)</td>", html) == ["1.0", ""]
    assert re.findall(r'data-label="(.*?)"', html) == ["ours", "ours"]
