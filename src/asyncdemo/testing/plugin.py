"""For pytest: ``asyncdemo_run`` and ``asyncdemo_schedules``, and the timeline of a failed sentence.

Loaded in every pytest session if asyncdemo is installed, so it imports nothing until it is used.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from asyncdemo.analysis.schedules import Exploration
    from asyncdemo.testing.checks import Evidence
    from asyncdemo.testing.observe import Observed

__all__ = ["asyncdemo_run", "asyncdemo_schedules", "pytest_runtest_makereport"]

_WIDTH = 100


@pytest.fixture
def asyncdemo_run() -> Callable[..., Observed]:
    """Call a function in its own process under the tracer and return what was seen.

    ``seen = asyncdemo_run(main, lanes=[fetch])``; then ``seen.calls("fetch").peak_is(5)``. See
    ``asyncdemo.testing.observe.observe`` for the parameters, ``asyncdemo.testing.checks`` for the sentences.
    """
    from asyncdemo.testing.observe import observe

    return observe


@pytest.fixture
def asyncdemo_schedules() -> Callable[..., Exploration | Observed]:
    """Call a function in many schedules, and fail with the smallest that has a different result.

    ``asyncdemo_schedules(main, schedules=50)``. See ``asyncdemo.testing.schedules.observe_schedules``.
    """
    from asyncdemo.testing.schedules import observe_schedules

    return observe_schedules


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    call: pytest.CallInfo[None],
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    evidence = None if call.excinfo is None else _evidence(call.excinfo.value)
    if evidence is not None:
        report.sections.append(("asyncdemo timeline", _drawn(evidence)))
    return report


def _evidence(error: BaseException) -> Evidence | None:
    if type(error).__module__ != "asyncdemo.testing.checks.observation":
        return None
    found: Any = getattr(error, "evidence", None)
    return found  # type: ignore[no-any-return]


def _drawn(evidence: Evidence) -> str:
    """Omit colours, because the report may go to a file."""
    from asyncdemo.render.terminal.evidence import evidence_lines
    from asyncdemo.render.terminal.theme import UNICODE

    lines = evidence_lines(evidence, UNICODE, _WIDTH)
    return "\n".join("".join(segment.text for segment in line).rstrip() for line in lines)
