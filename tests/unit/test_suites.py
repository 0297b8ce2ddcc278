"""Running other people's suites: what counts as a difference, what is allowed, and the table."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.suites import measure
from tests.suites.catalog import Allowed, Suite, load_allowed, load_suites, reason_for
from tests.suites.outcomes import (
    MISSING,
    Difference,
    Result,
    compare,
    faults,
    load_results,
    read_junit,
    save_result,
)
from tests.suites.table import needless, tables, unexplained
from tests.support.guards import faulty

JUNIT = """<testsuites><testsuite>
<testcase classname="tests.test_a" name="test_fine"/>
<testcase classname="tests.test_a" name="test_at[&lt;object at 0x7f00aa00bb00&gt;]"/>
<testcase classname="tests.test_a" name="test_wrong"><failure message="no"/></testcase>
<testcase classname="tests.test_a" name="test_left_out"><skipped type="pytest.skip"/></testcase>
<testcase classname="tests.test_a" name="test_known"><skipped type="pytest.xfail"/></testcase>
<testcase classname="tests.test_a" name="test_teardown"/>
<testcase classname="tests.test_a" name="test_teardown"><error message="no"/></testcase>
<testcase name="test.test_b.Case.test_of_unittest" status="run"/>
</testsuite></testsuites>"""

RESULT = Result(
    suite="borrowed",
    python="3.11",
    tests=1200,
    failed=4,
    differences=(),
    cpu_s=2.0,
    traced_cpu_s=3.0,
    kib=20 << 10,
    traced_kib=30 << 10,
    recorder_kib=25 << 10,
    notes=(),
)
DIFFERS = Difference("test_one", ("passed", "passed"), ("failed", "failed"))
UNSTEADY = Difference("test_two", ("passed", "passed"), ("failed", "passed"))


def test_how_tests_ended_is_read_from_the_report(tmp_path: Path) -> None:
    report = tmp_path / "junit.xml"
    report.write_text(JUNIT, encoding="utf-8")
    assert read_junit(report) == {
        "tests.test_a.test_fine": "passed",
        "tests.test_a.test_at[<object at 0x>]": "passed",
        "tests.test_a.test_wrong": "failed",
        "tests.test_a.test_left_out": "skipped",
        "tests.test_a.test_known": "failed as expected",
        "tests.test_a.test_teardown": "error",
        "test.test_b.Case.test_of_unittest": "passed",
    }


def test_different_or_missing_result_is_a_difference() -> None:
    ends = {"test_one": "passed", "test_two": "failed"}
    assert compare([ends, ends], [ends, ends]) == []
    found = compare([{"a": "passed", "b": "passed"}], [{"a": "failed", "c": "passed"}])
    assert found == [
        Difference("a", ("passed",), ("failed",)),
        Difference("b", ("passed",), (MISSING,)),
        Difference("c", (MISSING,), ("passed",)),
    ]
    assert not any(difference.is_unsteady for difference in found)
    (unsteady,) = compare([{"a": "passed"}, {"a": "failed"}], [{"a": "failed"}, {"a": "failed"}])
    assert unsteady.is_unsteady


def test_an_entry_allows_a_test_of_its_suite_only() -> None:
    exact = Allowed("borrowed", "test_one", "it looks at a private name")
    assert reason_for([exact], "borrowed", "test_one") == "it looks at a private name"
    assert reason_for([exact], "other", "test_one") is None
    assert reason_for([exact], "borrowed", "test_one[1]") is None
    assert reason_for([replace(exact, test="test_one*")], "borrowed", "test_one[1]") is not None


def test_difference_and_reason_without_each_other_are_reported() -> None:
    result = replace(RESULT, differences=(DIFFERS, UNSTEADY))
    entry = Allowed("borrowed", "test_one", "it looks at a private name")
    old = replace(entry, test="test_before")
    assert unexplained(result, []) == [DIFFERS]
    assert unexplained(result, [entry]) == []
    assert needless(result, [entry, old, replace(old, suite="other")]) == [old]


def test_the_table_has_each_result_and_why_its_tests_differ(tmp_path: Path) -> None:
    suite = Suite("borrowed", "1.2", "00", leaves_out="its benchmarks")
    result = replace(RESULT, differences=(DIFFERS, UNSTEADY), notes=("a hook was switched off",))
    save_result(result, tmp_path)
    text = tables(
        [suite], load_results(tmp_path), [Allowed("borrowed", "test_one", "It looks at a private name.")]
    )
    cells = [cell.strip() for cell in text.splitlines()[2].strip("|").split("|")]
    assert cells == ["borrowed", "1.2", "3.11", "1,200", "4", "1", "1", "1.50 ×", "20 → 30"]
    assert "- borrowed: its benchmarks" in text
    assert "- borrowed (1): It looks at a private name." in text
    assert "not known yet" in tables([suite], [result], [])


def measured(folder: Path, how: str, environment: Mapping[str, str] = os.environ) -> tuple[bytes, Any]:
    """What ``borrowed.py`` writes, and the report about it."""
    command = [sys.executable, measure.__file__, how, "60", "report.json", "", "borrowed"]
    done = subprocess.run(
        command, cwd=folder, env={**os.environ, **environment}, capture_output=True, check=True
    )
    return done.stdout, json.loads((folder / "report.json").read_text(encoding="utf-8"))


def test_failing_hook_fails_the_suite_despite_equal_results(tmp_path: Path) -> None:
    (tmp_path / "borrowed.py").write_text(
        "import queue; queue.Queue().put(1); print('hello')", encoding="utf-8"
    )
    output, report = measured(tmp_path, "traced", faulty(tmp_path / "site", "queue.Queue.put"))
    assert (output, report["exit_code"]) == (b"hello\n", 0)
    result = replace(RESULT, differences=tuple(faults([report["notes"]])))
    (fault,) = unexplained(result, [])
    assert fault.test.startswith("note: From ... s on, `queue.Queue.put` was not recorded")
    assert not fault.is_unsteady
    assert (
        unexplained(result, [Allowed("borrowed", "note: From ... s on, `queue.Queue.put`*", "It is known.")])
        == []
    )


def test_fault_in_one_repetition_counts_and_a_fork_does_not() -> None:
    stops = "The recording stops after 2.10 s: asyncdemo stopped reading the events."
    (fault,) = faults([[], [stops]])
    assert fault.traced == ("not noted", "noted")
    assert not fault.is_unsteady
    assert len(faults([[stops], [stops.replace("2.10", "3.20")]])) == 1
    assert faults([["The script was forked 1,234 times: forks are not recorded."]]) == []


def test_suite_runs_on_first_python_that_is_new_enough() -> None:
    found = ["3.9", "3.11", "3.12", "3.13"]
    assert Suite("coverage", "1", python="3.12").pythons(found) == ["3.12"]
    assert Suite("janus", "1").pythons(found) == ["3.9"]
    assert Suite("coverage", "1", python="3.14").pythons(found) == []
    assert Suite("asyncio", python="3.11").pythons(found) == ["3.11", "3.12", "3.13"]


def test_the_lists_are_sound() -> None:
    suites, allowed = load_suites(), load_allowed()
    names = [suite.name for suite in suites]
    assert len(names) == len({*names}) > 15
    assert all(len(suite.sha256) == 64 for suite in suites if not suite.is_pythons_own)
    assert {entry.suite for entry in allowed} <= {*names}
    assert all(entry.reason.endswith(".") for entry in allowed)


ENDS = """\
import unittest

class Ends(unittest.TestCase):
    def test_passes(self): pass
    def test_fails(self): self.fail()
    def test_errs(self): raise LookupError
    def test_skips(self): self.skipTest("not today")
    def test_has_a_part_that_fails(self):
        for number in range(2):
            with self.subTest(number=number):
                self.assertEqual(number, 0)
    @unittest.expectedFailure
    def test_is_known(self): self.fail()
    @unittest.expectedFailure
    def test_is_not_known(self): pass

if __name__ == "__main__":
    unittest.main(testRunner=unittest.TextTestRunner)
"""


def test_how_tests_of_a_unittest_runner_ended_is_written_down(tmp_path: Path) -> None:
    (tmp_path / "borrowed.py").write_text(ENDS, encoding="utf-8")
    environment = {**os.environ, "PYTHONPATH": os.fspath(Path(measure.__file__).parent / "runners")}
    command = [sys.executable, "-m", "unittests", "junit.xml", "borrowed"]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, check=False)
    assert done.returncode == 1
    assert read_junit(tmp_path / "junit.xml") == {
        "__main__.Ends.test_passes": "passed",
        "__main__.Ends.test_fails": "failed",
        "__main__.Ends.test_errs": "error",
        "__main__.Ends.test_skips": "skipped",
        "__main__.Ends.test_has_a_part_that_fails": "failed",
        "__main__.Ends.test_is_known": "failed as expected",
        "__main__.Ends.test_is_not_known": "failed",
    }


@pytest.mark.parametrize("how", ["plain", "traced"])
def test_a_module_is_measured(how: str, tmp_path: Path) -> None:
    (tmp_path / "borrowed.py").write_text("import sys; print('hello'); sys.exit(3)", encoding="utf-8")
    output, report = measured(tmp_path, how)
    assert (output, report["exit_code"]) == (b"hello\n", 3)
    assert report["cpu_s"] > 0 and report["kib"] > 0
