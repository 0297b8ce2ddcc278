"""Durations, counts and names as a person would say them."""

from __future__ import annotations

import pytest
from rich.cells import cell_len

from asyncdemo.model import Site
from asyncdemo.render.words import (
    count,
    duration,
    fit,
    fit_label,
    folded_label,
    join,
    moment,
    number,
    place,
    ratio,
    size,
    whole,
)


@pytest.mark.parametrize(
    ("ns", "words"),
    [
        (0, "0 s"),
        (900, "<0.01 ms"),
        (999_000, "1.0 ms"),
        (9_990_000, "10 ms"),
        (120_400_000, "120 ms"),
        (999_700_000, "1.00 s"),
        (9_999_000_000, "10.0 s"),
        (99_990_000_000, "100 s"),
        (600_000_000_000, "10 min 00 s"),
        (-120_000_000, "-120 ms"),
    ],
)
def test_durations_have_three_figures_at_most(ns: int, words: str) -> None:
    assert duration(ns) == words


@pytest.mark.parametrize(
    ("step_ns", "marks"),
    [
        (2, ["2 ns", "4 ns", "6 ns"]),
        (500, ["500 ns", "1.0 us", "1.5 us"]),
        (5_000, ["5 us", "10 us", "15 us"]),
        (10_000, ["0.01 ms", "0.02 ms", "0.03 ms"]),
        (500_000_000, ["500 ms", "1.00 s", "1.50 s"]),
    ],
)
def test_marks_of_an_axis(step_ns: int, marks: list[str]) -> None:
    assert [moment(at * step_ns, step_ns) for at in (1, 2, 3)] == marks


@pytest.mark.parametrize("power", range(13))
@pytest.mark.parametrize("first", [1, 2, 5])
def test_no_two_marks_of_an_axis_are_the_same(first: int, power: int) -> None:
    step_ns = first * 10**power
    marks = [moment(at * step_ns, step_ns) for at in range(40)]
    assert len(set(marks)) == len(marks)


@pytest.mark.parametrize(
    ("said", "words"),
    [
        (number(9_980), "9,980"),
        (number(3.31), "3.3"),
        (number(0.25), "0.25"),
        (number(33.12), "33.1"),
        (number(4.0), "4"),
        (count(1, "lane"), "1 lane"),
        (count(0, "lane"), "0 lanes"),
        (count(9_980, "lane"), "9,980 lanes"),
        (ratio(3, 1), "3.00x"),
        (ratio(30, 1), "30.0x"),
        (ratio(1_234, 1), "1,234x"),
        (ratio(1, 0), ""),
        (size(0), "0 B"),
        (size(850_000), "850 kB"),
        (size(1_000_000), "1.0 MB"),
        (size(99_960_000), "100 MB"),
        (size(999_700_000), "1.00 GB"),
        (size(-5_000_000), "-5.0 MB"),
        (whole(0.02), 1),
        (whole(3.0000001), 3),
        (join([]), ""),
        (join(["a", "b"]), "a and b"),
        (join(["a", "b", "c"]), "a, b and c"),
    ],
)
def test_numbers_are_said_in_few_figures(said: str | int, words: str | int) -> None:
    assert said == words


def test_places() -> None:
    site = Site("/x/app.py", 12, "brew")
    assert place(site) == "app.py:12 in brew"
    assert place(site, Site("/x/main.py", 3)) == "app.py:12 in brew, called from main.py:3"
    assert place(site, site) == "app.py:12 in brew"
    assert place(Site("C:\\x\\app.py", 1, "<module>")) == "app.py:1"
    assert place(None) == ""
    assert place(site, full=True) == "/x/app.py:12 in brew"


@pytest.mark.parametrize("width", range(12))
def test_texts_are_cut_by_what_they_take_on_a_screen(width: int) -> None:
    assert cell_len(fit("日本語の名前", width)) <= width
    assert cell_len(fit("日本", width, pad=True)) == width


@pytest.mark.parametrize(
    ("label", "width", "words"),
    [
        ("POST /images 12", 15, "POST /images 12"),
        ("POST /images 12", 12, "POST /im… 12"),
        ("attempt(6-12)", 12, "attem…(6-12)"),
        ("attempt(10)", 9, "atte…(10)"),
        ("GET /日本語のページ 7", 14, "GET /日本語… 7"),
        ("brew(12, 'a long one')", 12, "brew(12…ne')"),
        ("get('https://example.org/pages/7')", 20, "get('https://…es/7')"),
        ("POST /images 12", 5, "POST…"),
    ],
)
def test_what_is_left_out_of_a_label_is_in_its_middle(label: str, width: int, words: str) -> None:
    assert fit_label(label, width) == words
    assert cell_len(fit_label(label, width, pad=True)) == width


@pytest.mark.parametrize(
    ("names", "label"),
    [
        (["save(2)", "save(3)", "save(4)"], "save(2-4)"),
        (["GET /a 9", "GET /a 10"], "GET /a 9-10"),
        (["save(2)", "reply()", "save(4)"], "3 rows"),
        (["save(3)", "save(1)"], "2 x save"),
        (["wait(0.3)", "wait(0.4)"], "2 rows"),
        (["tick()", "tick()"], "2 x tick()"),
        ([f"job-{10**20}", f"job-{10**20 + 1}"], "2 rows"),
        ([], "2 rows"),
    ],
)
def test_a_folded_row_is_named_by_what_it_holds(names: list[str], label: str) -> None:
    assert folded_label(names, max(len(names), 2)) == label
