"""The published figures as data: their exact texts, their values, and what is said of a wrong file."""

from __future__ import annotations

from pathlib import Path

import pytest

from asyncdemo.errors import LabFileError
from asyncdemo.lab.results.published import audit_article, load_article

SMALL = """
name = "Small"
claim = "A claim."
headlines = ["Something."]
lessons = []
[setting]
versions = "1"
machine = "a machine"
tool = "a tool"
[[tables]]
key = "results"
title = "Results"
names = 1
columns = [{ key = "who", title = "Who" }, { key = "latency", title = "Latency", unit = "ms" }]
rows = [["Flask", "1.5s"]]
[[audits]]
check = "same-figure"
table = "results"
inputs = { first = "latency", second = 1500 }
"""


def small(tmp_path: Path, old: str = "", new: str = "") -> Path:
    assert old in SMALL
    (tmp_path / "small.toml").write_text(SMALL.replace(old, new) if old else SMALL, encoding="utf-8")
    return tmp_path


def test_figure_has_its_text_and_its_value_in_the_columns_unit() -> None:
    table = load_article("constant-rate").table("results")
    assert table.row_names == ("Flask · 2000/s", "Sanic · 2000/s", "Flask · 4000/s", "Sanic · 4000/s")
    longest = [table.figure(row, "latency_max") for row in table.rows]
    assert [figure.text for figure in longest] == ["10.44s", "668.16ms", "22.66s", "1.28s"]
    assert [figure.value for figure in longest] == [10440.0, 668.16, 22660.0, 1280.0]
    threads = load_article("four-frameworks").find("results.thread_avg@Tornado")
    assert threads.value == 880.0
    words = load_article("twenty-one-pairs").find("settings.sessions@Original")
    assert (words.text, words.value) == ("4 per worker", None)


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('claim = "A claim."', "", 'small.toml: "claim" is missing'),
        ('claim = "A claim."', "claim = 1", 'small.toml: "claim" should be text, not 1'),
        ('"1.5s"', '"1.5MB"', "small.toml: \"tables[0]\": 1.5MB is in MB, and the unit of latency is 'ms'"),
        ('unit = "ms"', 'unit = "/s"', "1.5s is a time"),
        ('["Flask", "1.5s"]', '["Flask"]', "the row 'Flask' has 1 cells for 2 columns"),
        ("names = 1", "names = 2", "names is 2, of 2 columns"),
        ('table = "results"', 'table = "others"', "about a table 'others'"),
        ("[setting]", "[setting", "small.toml: "),
    ],
)
def test_what_is_wrong_is_named_with_file_and_field(tmp_path: Path, old: str, new: str, words: str) -> None:
    with pytest.raises(LabFileError) as caught:
        load_article("small", small(tmp_path, old, new))
    assert words in str(caught.value)


@pytest.mark.parametrize(
    ("inputs", "words"),
    [
        ('{ first = "speed", second = 1 }', "audit same-figure of Flask: 'speed'"),
        ('{ first = "results.latency@Sanic", second = 1 }', "'Sanic'"),
        ("{ first = 1 }", "missing 1 required positional argument"),
    ],
)
def test_an_audit_that_cannot_be_made_is_named(tmp_path: Path, inputs: str, words: str) -> None:
    article = load_article("small", small(tmp_path, '{ first = "latency", second = 1500 }', inputs))
    with pytest.raises(LabFileError) as caught:
        audit_article(article)
    assert words in str(caught.value)
