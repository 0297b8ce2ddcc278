"""The record of an experiment: what it holds comes back; one that contradicts itself is refused."""

from __future__ import annotations

import gzip
import json
import math
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from asyncdemo.errors import LabFileError
from asyncdemo.lab.results import comparison, flags, ratio, record, setup, trial
from asyncdemo.lab.results.flags import RULES
from asyncdemo.lab.results.ratio import Ratio, Reproduction, coverage, verdict
from asyncdemo.lab.results.record import dump_record, load_record, parse_record
from asyncdemo.lab.results.trial import TrialOutcome
from tests.support.lab_records import a_record, a_trial

ROOT = Path(__file__).resolve().parents[4]


def changed(where: str, value: object) -> str:
    """The record as JSON, with another value at the place: ``trials.0.round``; with None it is gone."""
    values: Any = json.loads(dump_record(a_record()))
    *path, last = [int(part) if part.isdigit() else part for part in where.split(".")]
    at = values
    for part in path:
        at = at[part]
    if value is None:
        del at[last]
    else:
        at[last] = value
    return json.dumps(values)


def test_a_record_comes_back_from_its_json() -> None:
    assert parse_record(dump_record(a_record())) == a_record()


@pytest.mark.parametrize(
    ("where", "value", "words"),
    [
        ("trials.3.round", "1", "\"trials[3].round\" should be an integer, not '1'"),
        ("trials.3.load.wall_s", True, '"trials[3].load.wall_s" should be a number, not True'),
        ("trials.0.colour", "red", '"trials[0].colour" is not known; it may be one of round, place'),
        ("environment.cores", None, '"environment.cores" is missing'),
        (
            "comparisons.0.verdict",
            "perhaps",
            'verdict" should be one of reproduced, direction only',
        ),
        ("arms", {}, '"arms" should be a list, not {}'),
        ("environment", [], '"environment" should be an object, not []'),
        ("arms.1.twin_of", "nobody", "'nobody' is not one of the arms: flask, flask-again"),
        ("trials.0.setting", "open", "round 1: 'open' is not one of the settings: closed"),
        ("trials.1.round", 1, "two trials are of flask under closed in round 1"),
        ("trials.0.round", 8, "a trial is of round 8, and there are 7"),
        ("trials.0.load.throughput_per_s", 1.0, "Sanic / Flask: its pairs are not the ratios of the trials"),
        ("comparisons.0.measured.median", 9.9, "of these pairs the median is 5.1"),
        ("comparisons.0.verdict", "refused", "refused if, and only if, nothing is measured"),
        ("comparisons.0.verdict", None, "a verdict if, and only if, something is published"),
        ("comparisons.3.flags", [], "nothing is measured, and no flag says why"),
        ("trials.0.load", None, "a trial of flask has a load if, and only if, it was measured"),
        ("settings.0.clients", None, "the setting closed is a closed loop without clients"),
        ("format", "asyncdemo.lab/2", "A newer asyncdemo reads it"),
        ("format", "asyncdemo.run/1", "It is not a record"),
    ],
)
def test_what_is_wrong_is_named_with_its_place(where: str, value: object, words: str) -> None:
    with pytest.raises(LabFileError) as caught:
        parse_record(changed(where, value), "made-up.json")
    assert str(caught.value).startswith("made-up.json")
    assert words in str(caught.value)


def test_record_that_unpacks_to_too_much_is_refused(tmp_path: Path) -> None:
    (tmp_path / "bomb.json.gz").write_bytes(gzip.compress(b" " * (record.MOST_BYTES + 1), 1))
    with pytest.raises(LabFileError, match="cannot be read: Larger than 32 MB"):
        load_record(tmp_path / "bomb.json.gz")


def test_record_that_is_nested_too_deeply_is_refused() -> None:
    with pytest.raises(LabFileError, match="nested too deeply"):
        parse_record("[" * 200_000)


def test_number_that_no_float_holds_is_named() -> None:
    with pytest.raises(LabFileError, match=r"throughput_per_s\" should be a number"):
        parse_record(changed("trials.0.load.throughput_per_s", 10**400))


@pytest.mark.parametrize("data", [b"\x1f\x8b\x08\x00cut", gzip.compress(b"{}", mtime=0)[:-9], b"\xff"])
def test_damaged_record_is_refused(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "x.json.gz").write_bytes(data)
    with pytest.raises(LabFileError, match="cannot be read"):
        load_record(tmp_path / "x.json.gz")


def test_a_file_is_called_after_its_record(tmp_path: Path) -> None:
    (tmp_path / "four-frameworks.json").write_text(dump_record(a_record()), encoding="utf-8")
    assert load_record(tmp_path / "four-frameworks.json") == a_record()
    (tmp_path / "other.json").write_text(dump_record(a_record()), encoding="utf-8")
    with pytest.raises(LabFileError, match="name the file after it"):
        load_record(tmp_path / "other.json")
    with pytest.raises(LabFileError, match="cannot be read"):
        load_record(tmp_path / "none.json")


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("load.throughput_per_s", 500.0),
        ("load.latency_ms.99", 600.0),
        ("load.latency_ms.99.9", None),
        ("server.most.resident_bytes", 40_000_000.0),
        ("server.before.resident_bytes", None),
        ("counted.db_sessions", None),
    ],
)
def test_a_figure_of_a_trial_has_a_path(path: str, value: float | None) -> None:
    assert a_trial("flask", 1, 500.0).figure(path) == value


@pytest.mark.parametrize("path", ["load.speed", "load", "load.engine", "counts"])
def test_a_path_that_leads_to_no_figure_is_an_error(path: str) -> None:
    with pytest.raises(ValueError, match=r"no figure"):
        a_trial("flask", 1, 500.0).figure(path)


# --- ratios ---------------------------------------------------------------------------------------


def test_interval_spans_seven_rounds_and_drops_extremes_of_many() -> None:
    assert [round(coverage(rounds), 3) for rounds in (1, 3, 5, 7)] == [0.0, 0.75, 0.938, 0.984]
    seven, many = Ratio.of(range(1, 8)), Ratio.of(range(1, 21))
    assert (seven.least, seven.most) == (1, 7)
    assert (many.least, many.most) == (6, 15) and many.coverage >= 0.95


@given(st.lists(st.floats(0.01, 100), min_size=1, max_size=40))
def test_interval_holds_the_median_and_inverts_with_the_ratio(pairs: list[float]) -> None:
    made, turned = Ratio.of(pairs), Ratio.of([1 / pair for pair in pairs])
    assert min(pairs) <= made.least <= made.median <= made.most <= max(pairs)
    assert math.isclose(made.least * turned.most, 1)
    assert made.coverage == turned.coverage


@pytest.mark.parametrize(
    ("published", "pairs", "expected"),
    [
        (2.0, [1.9, 2.0, 2.1], Reproduction.REPRODUCED),
        (2.0, [1.2, 1.3, 1.4], Reproduction.DIRECTION_ONLY),
        (2.0, [0.9, 1.9, 2.1], Reproduction.UNDECIDED),
        (1.1, [0.82, 1.13, 1.32], Reproduction.UNDECIDED),
        (2.0, [0.9, 1.1, 1.9], Reproduction.NOT_REPRODUCED),
        (2.0, [0.5, 0.6, 0.7], Reproduction.NOT_REPRODUCED),
        (0.5, [0.45, 0.5, 0.55], Reproduction.REPRODUCED),
        (1.0, [0.9, 1.0, 1.1], Reproduction.REPRODUCED),
        (1.0, [1.01, 1.02, 1.03], Reproduction.REPRODUCED),
        (1.0, [0.5, 1.0, 1.5], Reproduction.UNDECIDED),
        (1.0, [1.1, 1.2, 1.24], Reproduction.NOT_REPRODUCED),
    ],
)
def test_the_verdict_follows_from_the_interval(
    published: float, pairs: list[float], expected: Reproduction
) -> None:
    assert verdict(published, Ratio.of(pairs)) is expected
    assert verdict(published, None) is Reproduction.REFUSED


# --- the reference --------------------------------------------------------------------------------


REFERENCE = (ROOT / "docs" / "reference" / "record-format.md").read_text(encoding="utf-8")
WITHOUT = {flags.Rule, comparison.Figure}
"""They are in no record."""


def shapes() -> list[type]:
    modules = (comparison, setup, flags, ratio, record, trial)
    kinds = [kind for module in modules for kind in vars(module).values() if isinstance(kind, type)]
    own = {module.__name__ for module in modules}
    return [kind for kind in kinds if is_dataclass(kind) and kind.__module__ in own and kind not in WITHOUT]


def test_the_reference_has_every_field_and_no_other() -> None:
    parts = dict(part.partition("\n")[::2] for part in REFERENCE.split("\n## ")[1:])
    for kind in shapes():
        title = next(title for title in parts if title.startswith(f"`{kind.__name__}`"))
        table = parts[title].partition("| kind |")[0]
        listed = [line.split("|")[1].strip(" `") for line in table.splitlines() if line.startswith("| `")]
        assert listed == [field.name for field in fields(kind)], kind.__name__


def test_reference_has_every_flags_rule_and_every_lists_words() -> None:
    for kind, rule in RULES.items():
        assert f"| `{kind.value}` | {rule.when} | {rule.withdraws.value} |" in REFERENCE
    lists = (Reproduction, TrialOutcome, setup.Model, setup.Extent, setup.Loop, comparison.Better)
    assert {word for words in lists for word in words if f"`{word.value}`" not in REFERENCE} == set()
