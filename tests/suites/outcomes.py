"""How the tests of a suite ended, by its JUnit report, and which did not end alike under the tracer."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

MISSING = "did not run"


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
