"""The published reports are what the records say, as the reports are drawn now."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from asyncdemo.lab.experiments import EXPERIMENTS
from asyncdemo.site.reports import write_reports

RECORDS = Path(__file__).resolve().parents[3] / "docs" / "measure" / "records"


@pytest.mark.parametrize("name", [entry.name for entry in EXPERIMENTS])
def test_every_experiment_has_a_record_and_the_report_that_belongs_to_it(name: str, tmp_path: Path) -> None:
    shutil.copy(RECORDS / f"{name}.json", tmp_path)
    write_reports(tmp_path)
    kept, made = ((folder / f"{name}.html").read_text(encoding="utf-8") for folder in (RECORDS, tmp_path))
    assert kept == made, "`make docs` writes it anew"
