"""The benchmarks' own arithmetic and tables; and that all of them run."""

from __future__ import annotations

import json
import runpy
import subprocess
import sys
from pathlib import Path

import pytest
from benchmarks.__main__ import PAGE, RESULTS, SECTIONS
from benchmarks.headlines import headline_table, suites_sentence
from benchmarks.lesson_runs import timed
from benchmarks.summary import Summary, orders, paired_differences, paired_ratios
from benchmarks.table import Bound, Row, Target, markdown_table, row_cells, verdict, with_table
from benchmarks.twins import Twin, twin_rows

from asyncdemo.lab.results.ratio import Ratio

ROOT = Path(__file__).resolve().parents[2]


def percent(figure: float) -> str:
    return f"{figure:.0%}"


def test_a_summary_is_the_median_and_the_range() -> None:
    assert Summary.of([3.0, 1.0, 100.0]) == Summary(median=3.0, least=1.0, most=100.0, rounds=3)


def test_nothing_measured_has_no_summary() -> None:
    with pytest.raises(ValueError, match="nothing was measured"):
        Summary.of([])


def test_pairs_are_of_one_round_each_so_that_a_slow_one_cancels() -> None:
    assert paired_ratios([2.0, 20.0, 2.0], [1.0, 10.0, 1.0]) == [2.0, 2.0, 2.0]
    assert paired_differences([5.0, 9.0], [4.0, 6.0]) == [1.0, 3.0]
    with pytest.raises(ValueError):
        paired_ratios([1.0, 2.0], [1.0])


def test_every_arm_is_in_every_round_in_a_repeatable_mixed_order() -> None:
    rounds = list(orders(["bare", "traced", "profiled"], 20, seed=7))
    assert [sorted(order) for order in rounds] == [["bare", "profiled", "traced"]] * 20
    assert {order[0] for order in rounds} == {"bare", "traced", "profiled"}
    assert rounds == list(orders(["bare", "traced", "profiled"], 20, seed=7))


@pytest.mark.parametrize(
    ("figure", "target", "words"),
    [
        (1.6, Target(1.6), "met"),
        (2.4, Target(1.6), "missed by 50%"),
        (12.0, Target(10, Bound.AT_LEAST), "met"),
        (8.0, Target(10, Bound.AT_LEAST), "missed by 20%"),
        (0.91, Target(1.0, Bound.NEAR), "met"),
        (1.2, Target(1.0, Bound.NEAR), "missed by 20%"),
        (8.0, None, ""),
    ],
)
def test_a_verdict_says_by_how_much(figure: float, target: Target | None, words: str) -> None:
    assert verdict(figure, target) == words


def test_a_row_shows_median_range_rounds_target_and_verdict() -> None:
    row = Row("load", Summary.of([0.1, 0.2, 0.4]), percent, Target(0.3))
    assert row_cells(row) == ["load", "20%", "10% .. 40%", "3", "at most 30%", "met"]
    assert row_cells(Row("load", Summary.of([0.2]), percent)) == ["load", "20%", "", "1", "", ""]


def test_the_columns_of_a_table_are_even() -> None:
    lines = markdown_table(["what", "x"], [["a long name", "1"], ["b", "22"]]).splitlines()
    assert len({len(line) for line in lines}) == 1
    assert lines[1] == "| ----------- | -- |"


def test_only_what_is_between_the_marks_of_the_page_changes() -> None:
    page = "before\n<!-- benchmarks: begin (a note) -->\nold\n<!-- benchmarks: end -->\nafter\n"
    once = with_table(page, "new")
    assert once.startswith("before\n<!-- benchmarks: begin (a note) -->\n")
    assert once.endswith("<!-- benchmarks: end -->\nafter\n")
    assert "new" in once and "old" not in once
    assert with_table(once, "new") == once
    with pytest.raises(ValueError, match="no marks"):
        with_table("before and after", "new")


def test_headlines_are_those_of_the_full_tables() -> None:
    results, page = RESULTS.read_text(encoding="utf-8"), PAGE.read_text(encoding="utf-8")
    assert with_table(page, headline_table(results), "headlines") == page
    assert with_table(page, suites_sentence(results), "suites") == page


def test_headline_without_its_row_is_an_error() -> None:
    with pytest.raises(ValueError, match="no row that begins with"):
        headline_table("| what | median |\n")


def test_each_section_of_the_results_has_its_own_marks() -> None:
    page = RESULTS.read_text(encoding="utf-8")
    for section, parts in SECTIONS.items():
        written = with_table(page, "| of this section |", section)
        assert parts and "| of this section |" in written
        for other in SECTIONS:
            if other != section:
                assert with_table(written, "| x |", other).count("| of this section |") == 1


def a_twin(number: int, *pairs: float) -> Twin:
    return Twin(number, "hello world", Ratio.of(pairs) if pairs else None, "" if pairs else "foreign-cpu")


def test_twins_are_counted_and_one_without_an_interval_misses_1() -> None:
    twins = [a_twin(1, 0.99, 1.0, 1.03), a_twin(2, 1.01, 1.02, 1.03), a_twin(3), a_twin(4, 0.9, 1.0, 1.1)]
    held, width = twin_rows(twins)
    assert row_cells(held)[1] == "2 of 4"
    assert width.summary.median == pytest.approx(0.02) and width.summary.rounds == 3
    assert "does not hold 1" in twins[1].words and twins[2].words == "no interval: foreign-cpu"


def test_a_timed_script_does_the_same_and_tells_how_long(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    script, report = tmp_path / "script.py", tmp_path / "report.json"
    source = 'GREETING = "hello"\n\nif __name__ == "__main__":\n    print(GREETING)\n'
    script.write_text(timed(source, report), encoding="utf-8")
    runpy.run_path(str(script), run_name="__main__")
    assert capsys.readouterr().out == "hello\n"
    assert json.loads(report.read_text(encoding="utf-8"))["wall_s"] > 0
    with pytest.raises(ValueError, match="__main__"):
        timed("print(1)\n", report)


@pytest.mark.release
def test_quick_benchmarks_run_and_write_nothing() -> None:
    before = [file.read_text(encoding="utf-8") for file in (RESULTS, PAGE)]
    ended = subprocess.run(
        [sys.executable, "-m", "benchmarks", "--quick"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=400,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    for words in ("a step of a task", "asyncdemo --help", "the verdict", "VizTracer", "a server that stalls"):
        assert words in ended.stdout
    assert [file.read_text(encoding="utf-8") for file in (RESULTS, PAGE)] == before
