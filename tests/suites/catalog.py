"""What ``suites.toml`` and ``differences.toml`` say: which suites there are, what may differ, and why."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

_HERE = Path(__file__).parent


@dataclass(frozen=True)
class Suite:
    """One suite.

    version: of the source distribution, whose tests are run, and of the package that is installed; empty for
    what Python brings itself. sha256: of the source distribution. install: what the tests need,
    in the versions of constraints.txt. hide: folders of the source that would be imported instead of the
    installed package. args: of ``python -m``, which may be one of ``runners/``, too. environment: variables
    that are set. python: the oldest that has what is tried, such as "3.12". leaves_out: what is not run, and
    why. limit_s: of each run.
    """

    name: str
    version: str = ""
    sha256: str = ""
    install: tuple[str, ...] = ()
    hide: tuple[str, ...] = ()
    args: tuple[str, ...] = ("pytest", "tests")
    environment: Mapping[str, str] = field(default_factory=dict)
    python: str = ""
    leaves_out: str = ""
    limit_s: float = 300.0

    def pythons(self, versions: Iterable[str]) -> list[str]:
        """Return those that run it: all for CPython's own tests, else the first that is new enough."""
        found = [version for version in versions if _numbers(version) >= _numbers(self.python)]
        return found if self.is_pythons_own else found[:1]

    @property
    def is_pythons_own(self) -> bool:
        return not self.version


@dataclass(frozen=True)
class Allowed:
    """A test that may end otherwise under the tracer. test: its name; or, with a ``*``, its beginning."""

    suite: str
    test: str
    reason: str

    def covers(self, suite: str, test: str) -> bool:
        beginning, is_beginning, _ = self.test.partition("*")
        return self.suite == suite and (test.startswith(beginning) if is_beginning else test == self.test)


def load_suites(path: Path = _HERE / "suites.toml") -> list[Suite]:
    return [Suite(**_tuples(entry)) for entry in tomllib.loads(path.read_text(encoding="utf-8"))["suite"]]


def load_allowed(path: Path = _HERE / "differences.toml") -> list[Allowed]:
    entries = tomllib.loads(path.read_text(encoding="utf-8")).get("difference", [])
    return [Allowed(**_tuples(entry)) for entry in entries]


def reason_for(allowed: Sequence[Allowed], suite: str, test: str) -> str | None:
    """Why a test may differ; None if nothing says so."""
    return next((entry.reason for entry in allowed if entry.covers(suite, test)), None)


def _numbers(version: str) -> list[int]:
    return [int(number) for number in version.split(".") if number]


def _tuples(entry: dict[str, Any]) -> dict[str, Any]:
    return {name: tuple(value) if isinstance(value, list) else value for name, value in entry.items()}
