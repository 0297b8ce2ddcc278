"""``python -m tests.suites``: runs suites plain and under the tracer, says what differs, writes the table.

Exit code 1 if a test differs without a reason in differences.toml, if a reason there is no longer needed, or
if not all of a traced run was traced: a hook of the tracer failed, say.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import psutil
from benchmarks.headlines import suites_sentence
from benchmarks.machine import describe
from benchmarks.table import machine_lines, with_table

from tests.suites.catalog import Allowed, Suite, load_allowed, load_suites
from tests.suites.environment import ROOT, Place, has_own_tests, prepare, version_of
from tests.suites.outcomes import (
    Difference,
    Result,
    compare,
    faults,
    load_results,
    read_junit,
    save_result,
)
from tests.suites.table import needless, tables, unexplained

_RESULTS = ROOT / "benchmarks" / "RESULTS.md"
_PAGE = ROOT / "docs" / "measure" / "speed.md"
_MEASURE = Path(__file__).parent / "measure.py"
_RUNNERS = Path(__file__).parent / "runners"
_OPTIONS = {
    "pytest": (
        *("--rootdir=.", "-o", "addopts=", "-o", "junit_family=xunit1", "-p", "no:cacheprovider"),
        "--junit-xml",
    ),
    "test": ("--junit-xml",),
    "unittests": (),
}
"""Module -> what it is given, besides the suite's own arguments. The name of the report comes after it."""
_RAN = {"pytest": (0, 1), "test": (0, 2), "unittests": (0, 1)}
"""Module -> its exit codes when tests ran, whether or not all passed."""
_REPETITIONS = 3
"""Of a suite with a difference: a busy machine makes some, too."""


def main() -> int:
    options = parser().parse_args()
    suites, allowed = load_suites(), load_allowed()
    unknown = {*options.only} - {suite.name for suite in suites}
    if unknown:
        parser().error(f"no such suite: {', '.join(sorted(unknown))}")
    pythons = {version_of(python): python.absolute() for python in options.python}
    wrong = 0
    for suite in [suite for suite in suites if not options.only or suite.name in options.only]:
        versions = suite.pythons(pythons)
        if not versions:
            print(f"{suite.name}: needs Python {suite.python}, which was not found")
        for python in [pythons[version] for version in versions]:
            if suite.is_pythons_own and not has_own_tests(python):
                print(f"{suite.name}: {python} comes without CPython's own tests")
                continue
            try:
                result = run_suite(suite, python)
            except (RuntimeError, ValueError, subprocess.CalledProcessError) as error:
                print(f"{suite.name}: {error}")
                wrong += 1
                continue
            save_result(result)
            wrong += _tell(result, allowed)
    if options.write:
        found = f"{machine_lines(describe())}\n\n{tables(suites, load_results(), allowed)}"
        results = with_table(_RESULTS.read_text(encoding="utf-8"), found, "suites")
        _RESULTS.write_text(results, encoding="utf-8")
        page = with_table(_PAGE.read_text(encoding="utf-8"), suites_sentence(results), "suites")
        _PAGE.write_text(page, encoding="utf-8")
    return min(wrong, 1)


def parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(prog="python -m tests.suites", description=__doc__)
    made.add_argument("only", nargs="*", metavar="SUITE", help="not the others")
    made.add_argument(
        "--python",
        type=Path,
        action="append",
        metavar="PYTHON",
        required=True,
        help="the first runs all suites; of each version the last runs CPython's own",
    )
    made.add_argument("--write", action="store_true", help="write the tables, from these and kept results")
    return made


def run_suite(suite: Suite, python: Path) -> Result:
    place, version = prepare(suite, python), version_of(python)
    outcomes: dict[str, list[dict[str, str]]] = {"plain": [], "traced": []}
    figures: dict[str, list[dict[str, Any]]] = {"plain": [], "traced": []}
    differences: list[Difference] = []
    for repetition in range(_REPETITIONS):
        for how, ends in outcomes.items():
            print(f"{suite.name}, Python {version}: {how} ...", file=sys.stderr, flush=True)
            tests, used = _run(suite, place, how, f"{how}-{repetition}")
            ends.append(tests)
            figures[how].append(used)
        differences = compare(outcomes["plain"], outcomes["traced"])
        if all(difference.is_unsteady for difference in differences):
            break
    notes = [used["notes"] for used in figures["traced"]]
    plain, traced = (min(figures[how], key=lambda used: used["cpu_s"]) for how in figures)
    return Result(
        suite.name,
        version,
        tests=len(outcomes["plain"][0]) - 1,  # the exit code
        failed=sum(end in ("failed", "error") for end in outcomes["plain"][0].values()),
        differences=(*differences, *faults(notes)),
        cpu_s=plain["cpu_s"],
        traced_cpu_s=traced["cpu_s"],
        kib=plain["kib"],
        traced_kib=traced["kib"],
        recorder_kib=traced["recorder_kib"],
        notes=tuple(dict.fromkeys(note for run in notes for note in run)),
    )


def _run(suite: Suite, place: Place, how: str, name: str) -> tuple[dict[str, str], dict[str, Any]]:
    """How its tests ended, with the exit code as one more, and what it used."""
    junit, report, log = (place.folder.parent / f"{name}.{kind}" for kind in ("xml", "json", "log"))
    junit.unlink(missing_ok=True)
    module, *args = suite.args
    packages = Path(psutil.__file__).parents[1]  # psutil's compiled part works in all versions of Python
    measure: list[str | Path] = [place.python, _MEASURE, how, str(suite.limit_s), report, packages]
    command = [*measure, module, *_OPTIONS[module], junit, *args]
    environment = {**os.environ, **suite.environment}
    if (_RUNNERS / f"{module}.py").exists():
        environment["PYTHONPATH"] = os.fspath(_RUNNERS)
    with log.open("wb") as output:
        subprocess.run(
            command,
            cwd=place.folder,
            env=environment,
            check=True,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
        )
    figures = json.loads(report.read_text(encoding="utf-8"))
    if how == "plain" and figures["exit_code"] not in _RAN[module]:
        raise RuntimeError(f"the tests of {suite.name} do not run without the tracer, either: see {log}")
    # A process that was killed has written none.
    tests = read_junit(junit) if junit.exists() else {}
    return {**tests, "the exit code": str(figures["exit_code"])}, figures


def _tell(result: Result, allowed: Sequence[Allowed]) -> int:
    """How many differences have no reason, and reasons no difference."""
    print(f"{result.suite}, Python {result.python}: {result.tests} tests, {result.failed} fail plain already")
    print(f"  CPU {result.cpu_s:.1f} s -> {result.traced_cpu_s:.1f} s; MiB {result.kib >> 10} -> ", end="")
    print(f"{result.traced_kib >> 10}; the recorder's {result.recorder_kib >> 10}")
    for note in result.notes:
        print(f"  note: {note}")
    without, beyond = unexplained(result, allowed), needless(result, allowed)
    for difference in result.differences:
        kind = "unsteady" if difference.is_unsteady else "DIFFERS" if difference in without else "as allowed"
        print(f"  {kind}: {difference.test}: {'/'.join(difference.plain)} -> {'/'.join(difference.traced)}")
    for entry in beyond:
        print(f"  differences.toml has an entry that is no longer needed: {entry.test}")
    sys.stdout.flush()
    return len(without) + len(beyond)


if __name__ == "__main__":
    sys.exit(main())
