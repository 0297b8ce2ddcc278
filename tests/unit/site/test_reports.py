"""The published reports are made of the records, which are kept compressed."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from asyncdemo.lab.experiments import EXPERIMENTS
from asyncdemo.lab.results.record import load_record
from asyncdemo.render.lab.page import render_page
from asyncdemo.site.reports import write_reports

RECORDS = Path(__file__).resolve().parents[3] / "docs" / "measure" / "records"


@pytest.mark.parametrize("name", [entry.name for entry in EXPERIMENTS])
def test_every_experiment_has_a_record_from_which_its_files_are_made(name: str, tmp_path: Path) -> None:
    shutil.copy(RECORDS / f"{name}.json.gz", tmp_path)
    write_reports(tmp_path)
    record = load_record(tmp_path / f"{name}.json")
    assert record == load_record(RECORDS / f"{name}.json.gz")
    assert (tmp_path / f"{name}.html").read_text(encoding="utf-8") == render_page(record)
