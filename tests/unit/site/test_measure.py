"""The pages about measurements: what their fences show, with our records."""

from __future__ import annotations

import gzip
import re
from dataclasses import replace
from html import unescape
from pathlib import Path

import pytest
from pymdownx.superfences import SuperFencesException

from asyncdemo.lab.experiments import EXPERIMENTS
from asyncdemo.lab.pages import records as kept_records
from asyncdemo.lab.render.page import report_html
from asyncdemo.lab.render.report_text import verdicts
from asyncdemo.lab.results.flags import RULES
from asyncdemo.lab.results.published import ARTICLES, load_article
from asyncdemo.lab.results.record import dump_record, load_record
from asyncdemo.site.measure import published, report
from tests.support.lab_records import a_record

ROOT = Path(__file__).resolve().parents[3]
PAGES = ROOT / "docs" / "measure"


def words(html: str) -> str:
    return unescape(re.sub(r"<[^>]+>", " ", html))


@pytest.fixture
def records(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(kept_records, "RECORDS", tmp_path)
    return tmp_path


def kept(folder: Path, name: str = "four-frameworks", article: str = "four-frameworks") -> None:
    text = dump_record(a_record(name, article))
    (folder / f"{name}.json.gz").write_bytes(gzip.compress(text.encode()))


# --- what is published ----------------------------------------------------------------------------


@pytest.mark.parametrize("key", ARTICLES)
def test_every_figure_of_every_table_is_shown(key: str) -> None:
    for table in load_article(key).tables:
        shown = published(f"article: {key}\nshow: table\ntable: {table.key}")
        cells = re.findall(r"<t[hd][^>]*>([^<]*)</t[hd]>", shown)
        for row in table.rows:
            assert set(row[table.names :]) <= {unescape(cell) for cell in cells}


def test_the_row_that_cannot_be_stands_first_with_its_arithmetic() -> None:
    shown = words(published("article: four-frameworks\nshow: audit"))
    first = shown.index("200 connections / 346 per s must be 578 ms; 103 ms is reported")
    assert shown.index("cannot be") > first
    assert first < shown.index("200 connections / 1,744 per s")


def test_many_findings_that_say_the_same_are_folded() -> None:
    shown = published("article: twenty-one-pairs\nshow: audit")
    assert "<summary>All 21: agrees</summary>" in shown
    assert shown.count("<details") == 1


def test_the_setting_has_the_exact_commands() -> None:
    shown = published("article: constant-rate\nshow: setting")
    assert "<code>wrk -t4 -c100 -d30s -R2000 -L --timeout 5 http://192.168.11.11:8000</code>" in shown
    assert "its title is not in the text that is kept" in shown


@pytest.mark.parametrize(
    "source",
    [
        "article: six-frameworks\nshow: audit",
        "article: four-frameworks\nshow: everything",
        "article: four-frameworks\nshow: table\ntable: other",
        "article four-frameworks",
    ],
)
def test_a_fence_that_makes_no_sense_fails_the_build(source: str) -> None:
    with pytest.raises(SuperFencesException):
        published(source)


# --- ours -----------------------------------------------------------------------------------------


def test_page_can_begin_with_the_verdict_and_have_the_rest_below(records: Path) -> None:
    kept(records)
    verdict, rest, whole = (
        report(f"name: four-frameworks{show}") for show in ("\nshow: verdict", "\nshow: rest", "")
    )
    for part in ('<p class="measured-verdicts">', '<figure class="bars"'):
        assert verdict.count(part) == 1
        assert rest.count(part) == whole.count(part) - 1
    assert "<details" not in verdict
    assert rest.count("<details") == whole.count("<details")


@pytest.mark.parametrize(
    "content",
    [gzip.compress(b"{}", mtime=0), b"{}", gzip.compress(b"{}" * 99, mtime=0)[:-9]],
    ids=["no record", "not packed", "cut off"],
)
def test_a_record_that_cannot_be_read_fails_the_build(records: Path, content: bytes) -> None:
    (records / "four-frameworks.json.gz").write_bytes(content)
    with pytest.raises(SuperFencesException, match=r"four-frameworks\.json"):
        report("name: four-frameworks")


def test_a_report_has_machine_method_and_flags() -> None:
    shown = words(report_html(a_record()))
    for part in (
        "Another program ran in round 3.",
        "The interval holds 1. So nothing is ranked. Measure more rounds.",
        "of 7 rounds, which holds the median with 98.4%",
        "closed loop, 200 clients, 10 s, warmed up for 3 s, a connection for each request",
        "Flask / Flask, 200 connections: 0.99× [0.99, 1.01]",
        "A processor that nobody makes, 2 cores",
        "not measured: Python 3.6 only",
        "today: Granian",
        "Nobody has measured this.",
    ):
        assert part in shown
    assert shown.index("Japronto / Flask") > 0


def test_with_the_report_there_is_the_record_itself(records: Path) -> None:
    kept(records)
    assert '<a href="records/four-frameworks.json" download>' in report("name: four-frameworks")


def test_a_record_with_nothing_published_has_no_verdict() -> None:
    record = a_record()
    assert (
        verdicts(replace(record, comparisons=record.comparisons[-1:]))
        == "Nothing is published to compare with."
    )


def test_overview_has_a_card_per_article_with_verdict_and_links(records: Path) -> None:
    for key in ARTICLES:
        kept(records, key)
    kept(records, "ten-thousand", "")
    shown = published("show: overview")
    assert shown.count("published-card-title") == words(shown).count("1 direction only") == len(ARTICLES)
    assert "Ten thousand connections: the record" in re.sub(r"\s+", " ", words(shown))
    for key in ARTICLES:
        assert all(f"lessons/{name}.html" in shown for name in load_article(key).lessons)
    kept_records.prepare()
    assert (records / "ten-thousand.json").read_text() == dump_record(a_record("ten-thousand", ""))


@pytest.mark.parametrize("name", [entry.name for entry in EXPERIMENTS])
def test_every_experiment_has_a_record(name: str) -> None:
    load_record(PAGES / "records" / f"{name}.json.gz")


# --- the texts ------------------------------------------------------------------------------------


def page(name: str) -> str:
    """Without what is there for the search."""
    text = (PAGES / f"{name}.md").read_text(encoding="utf-8")
    return re.sub(r"\A---\n.*?\n---\n+", "", text, flags=re.DOTALL)


@pytest.mark.parametrize("key", ARTICLES)
def test_a_page_shows_all_there_is(key: str) -> None:
    text = page(key)
    article = load_article(key)
    assert text.startswith(f"# {article.name}\n")
    for show in ("setting", "headlines", "audit", "lessons"):
        assert f"```published\narticle: {key}\nshow: {show}\n```" in text
    for table in article.tables:
        assert f"article: {key}\nshow: table\ntable: {table.key}\n" in text
    first, last = (text.index(f"```report\nname: {key}\nshow: {show}\n```") for show in ("verdict", "rest"))
    assert first < text.index("\n## ") < last


@pytest.mark.parametrize("key", ARTICLES)
def test_a_page_names_no_figure_that_the_article_has_not(key: str) -> None:
    text = re.sub(r"```.*?```", "", page(key), flags=re.DOTALL)
    source = (ROOT / "src" / "asyncdemo" / "lab" / "results" / "published" / f"{key}.toml").read_text(
        encoding="utf-8"
    )
    ports_and_versions = {"5000", "8000", "1.0"}
    figures = set(re.findall(r"\d+\.\d+|\d{1,3}(?:,\d{3})+|\d{3,}", text)) - ports_and_versions
    assert {figure for figure in figures if figure.replace(",", "") not in source.replace(",", "")} == set()


def test_the_method_names_every_rule_as_it_is() -> None:
    text = (PAGES / "method.md").read_text(encoding="utf-8")
    for rule in RULES.values():
        assert f"| {rule.when[0].upper()}{rule.when[1:]}. | {rule.withdraws.value} |" in text


def test_no_made_up_record_is_published() -> None:
    paths = list((PAGES / "records").glob("*.json.gz"))
    assert paths
    for path in paths:
        assert b"made up" not in gzip.decompress(path.read_bytes())
