"""How the tests of a suite ended, by its JUnit report, and which did not end alike under the tracer.

A result is kept as a file, so that one suite can be run again and the table still be whole.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from xml.etree import ElementTree

from tests.suites.environment import CACHE

MISSING = "did not run"
_FOLDER = CACHE / "results"


@dataclass(frozen=True)
class Difference:
    """How a test ended, in every repetition: plain, traced."""

    test: str
    plain: tuple[str, ...]
    traced: tuple[str, ...]

    @property
    def is_unsteady(self) -> bool:
        """At least once it ended alike: it depends on more than on the tracer, such as a busy machine."""
        return bool({*self.plain} & {*self.traced})


def read_junit(path: Path) -> dict[str, str]:
    """Test -> how it ended; of a test that stands there more than once (its teardown, too), all of it."""
    ends = defaultdict(set)
    for case in ElementTree.parse(path).iter("testcase"):
        name = ".".join(filter(None, [case.get("classname"), case.get("name")]))
        ends[_without_addresses(name)].add(_end(case))
    return {name: " and ".join(sorted(found - {"passed"})) or "passed" for name, found in ends.items()}


def compare(plain: Sequence[Mapping[str, str]], traced: Sequence[Mapping[str, str]]) -> list[Difference]:
    """The tests that did not end alike in all repetitions of both."""
    names = sorted({name for run in (*plain, *traced) for name in run})
    found = [Difference(name, _ends(plain, name), _ends(traced, name)) for name in names]
    return [difference for difference in found if len({*difference.plain, *difference.traced}) > 1]


def _ends(runs: Iterable[Mapping[str, str]], name: str) -> tuple[str, ...]:
    return tuple(run.get(name, MISSING) for run in runs)


def _end(case: ElementTree.Element) -> str:
    for child in case:
        if child.tag == "skipped":
            return "failed as expected" if child.get("type") == "pytest.xfail" else "skipped"
        if child.tag in ("failure", "error"):
            return {"failure": "failed", "error": "error"}[child.tag]
    return "passed"


def _without_addresses(name: str) -> str:
    """Names of parameters may hold what differs from run to run."""
    return re.sub(r"0x[0-9a-f]{6,}", "0x", name)


_HARMLESS = (
    r"was forked (once|[\d,]+ times): forks are not recorded\.$",
    r"^The script started processes with multiprocessing, which are not recorded\.$",
    r"^The script started itself again in another process",
)
"""Whatever else a note says is a fault until it stands here: a new note is looked at immediately."""


def faults(runs: Iterable[Iterable[str]]) -> list[Difference]:
    """The notes that say that not all was traced: that the tests ended alike proves nothing then.

    A hook that fails is switched off, and the tests pass without it. A recording may end before the script
    does, which then goes on without the tracer. runs: the notes of each traced run of a suite. One that any
    of them has is there, steady or not.
    """
    notes = [
        {
            re.sub(r"\d+\.\d\d s\b", "... s", note)  # times differ from run to run
            for note in run
            if not any(re.search(harmless, note) for harmless in _HARMLESS)
        }
        for run in runs
    ]
    return [
        Difference(
            f"note: {text}", (MISSING,), tuple("noted" if text in run else "not noted" for run in notes)
        )
        for text in sorted(set().union(*notes))
    ]


@dataclass(frozen=True)
class Result:
    """python: the version, as "3.11". tests: that ran or were skipped, plain. failed: plain already.

    cpu: times that of the plain run, of the process and all that it started. kib, traced_kib: the most
    memory of any of them. differences: of tests; a note that not all was traced is one, too. notes: of the
    recordings.
    """

    suite: str
    python: str
    tests: int
    failed: int
    differences: tuple[Difference, ...]
    cpu_s: float
    traced_cpu_s: float
    kib: int
    traced_kib: int
    recorder_kib: int
    notes: tuple[str, ...]


def save_result(result: Result, folder: Path = _FOLDER) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{result.suite}-{result.python}.json"
    path.write_text(json.dumps(asdict(result), indent=1), encoding="utf-8")


def load_results(folder: Path = _FOLDER) -> list[Result]:
    found = []
    for path in sorted(folder.glob("*.json")):
        fields = json.loads(path.read_text(encoding="utf-8"))
        differences = tuple(
            Difference(each["test"], tuple(each["plain"]), tuple(each["traced"]))
            for each in fields.pop("differences")
        )
        found.append(Result(differences=differences, notes=tuple(fields.pop("notes")), **fields))
    return found
