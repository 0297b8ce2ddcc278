"""Experiments as TOML: what a row stands for, and that a mistake is named with its place."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import pytest

from asyncdemo.errors import LabFileError
from asyncdemo.lab.experiments import ExperimentContext, definition
from asyncdemo.lab.experiments.definition import load_experiment
from asyncdemo.lab.harness.protocol.description import Experiment
from asyncdemo.lab.results.laws import backlog_s, bound_per_s, littles_latency_ms
from asyncdemo.lab.results.published import load_article
from tests.support.lab_experiments import described

FOLDER = Path(definition.__file__).parent
HEAD = """
title = "Made up"
lesson = "tea"
article = "four-frameworks"
sizes.quick = { rounds = 1 }
names = { sanic = "Sanic" }
contestants = []
settings = []
"""
ROW = '[[rows]]\nfigure = "throughput"\narm = "sanic"\nbase = "flask"\nsetting = "closed"\n'


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(definition, "_FOLDER", tmp_path)
    return tmp_path


def made_of(folder: Path, text: str) -> Experiment:
    (folder / "made-up.toml").write_text(HEAD + text, encoding="utf-8")
    return load_experiment("made-up", ExperimentContext(folder))


def test_lists_stand_for_a_row_each_and_the_first_varies_slowest(folder: Path) -> None:
    text = '[[rows]]\nfigure = "throughput"\nbase = ["a", "b"]\narm = ["b", "sanic"]\nsetting = "closed"'
    rows = made_of(folder, text).rows
    assert [(row.base, row.arm) for row in rows] == [("a", "b"), ("a", "sanic"), ("b", "sanic")]
    assert [row.name for row in rows] == ["b and a", "Sanic and a", "Sanic and b"], "none about itself"


def test_inner_rows_take_from_the_outer_what_they_leave_out(folder: Path) -> None:
    outer = f'{ROW}name = "{{setting}}: {{figure}}"\npublished.own = "results.p50@Sanic"\n'
    inner = (
        '[[rows.rows]]\nfigure = "50"\npublished.base = "results.p50@Flask"\npublished.words = "{own} ms"\n'
    )
    (row,) = made_of(folder, outer + inner).rows
    assert (row.name, row.figure.key) == ("closed: median latency", "load.latency_ms.50")
    assert row.published is not None and row.published.words == "38.91 ms"
    assert row.published.ratio == pytest.approx(38.91 / 96.45)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (f"{ROW}colour = 1", r'made-up\.toml: "rows\[0\]\.colour" is not known'),
        ('[[rows]]\nfigure = "50"\narm = "a"\nbase = "b"', r'made-up\.toml: "rows\[0\]\.setting" is missing'),
        (
            f'{ROW}published = {{ own = "results.p50@Sanic", base = "results.nosuch@Flask", words = "" }}',
            "nosuch",
        ),
        (f'{ROW}name = "{{colour}}"', "colour"),
        (ROW.replace("throughput", "weight"), "weight"),
        ("rows = [", "made-up"),
    ],
)
def test_a_mistake_is_named(folder: Path, text: str, words: str) -> None:
    with pytest.raises(LabFileError, match=words):
        made_of(folder, text)


def test_arithmetic_in_the_files_is_that_of_the_laws() -> None:
    named = {row.name: row for row in described("constant-rate").rows}
    table = load_article("constant-rate").table("results")
    for rate in ("2000", "4000"):
        cells = table.row(f"Flask · {rate}/s")
        longest_ms, served_per_s, run_s = (
            table.figure(cells, key).value or 0.0 for key in ("latency_max", "requests_per_s", "run")
        )
        row = named[f"{int(rate):,} a second: Flask's longest wait, × the formula's"]
        assert row.published is not None
        said_s = backlog_s(float(rate), served_per_s, run_s)
        assert row.published.ratio == pytest.approx(longest_ms / 1000 / said_s)
    results = load_article("four-frameworks")
    flask_ms = littles_latency_ms(200, results.find("results.requests_per_s@Flask").value or 0.0)
    for row in described("four-frameworks").rows:
        if row.figure.key == "load.latency_ms.mean":
            own = results.find(f"results.requests_per_s@{row.arm.title()}").value or 0.0
            own_ms = littles_latency_ms(200, own)
            assert row.published is not None
            assert f"{own_ms:.0f} / {flask_ms:.0f} ms: {own_ms / flask_ms:.2f}" in row.published.words
    text = (FOLDER / "flask-and-sanic.toml").read_text(encoding="utf-8")
    calculated = tomllib.loads(text)["answers"]["calc"]["json"]
    assert calculated == {"result": sum(number * number for number in range(1_000_000))}
    at_once, alone = bound_per_s(150, clients=50, slots=5), bound_per_s(150, clients=50, slots=5, workers=1)
    bounds = {json.dumps(row.bound.ratio) for row in described("flask-and-sanic").rows if row.bound}
    assert at_once / alone == pytest.approx(5) and bounds == {"5.0", "0.2", "1.0"}
