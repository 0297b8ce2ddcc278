"""What came of a suite: kept as a file, so that one suite can be run anew and the table still be whole."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path

from tests.suites.environment import CACHE
from tests.suites.outcomes import Difference

_FOLDER = CACHE / "results"


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
