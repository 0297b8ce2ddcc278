"""What a result means: which differences nobody has given a reason for; and the table of the page."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from benchmarks.table import markdown_table

from tests.suites.catalog import Allowed, Suite, reason_for
from tests.suites.outcomes import Difference, Result

_HEAD = ["suite", "version", "Python", "tests", "fail anyway", "differ", "unsteady", "CPU", "memory (MiB)"]


def unexplained(result: Result, allowed: Sequence[Allowed]) -> list[Difference]:
    """The differences that are the tracer's, as far as anybody has said."""
    return [
        difference
        for difference in result.differences
        if not difference.is_unsteady and reason_for(allowed, result.suite, difference.test) is None
    ]


def needless(result: Result, allowed: Sequence[Allowed]) -> list[Allowed]:
    """The entries for this suite that no test needs any more."""
    tests = [difference.test for difference in result.differences]
    return [
        entry
        for entry in allowed
        if entry.suite == result.suite and not any(entry.covers(result.suite, test) for test in tests)
    ]


def tables(suites: Sequence[Suite], results: Sequence[Result], allowed: Sequence[Allowed]) -> str:
    """All suites that have a result, what they leave out, and the reason for each difference. As Markdown."""
    order = {suite.name: suite for suite in suites}
    known = sorted(
        (result for result in results if result.suite in order),
        key=lambda result: ([*order].index(result.suite), int(result.python.split(".")[1])),
    )
    texts = [markdown_table(_HEAD, [_cells(order[result.suite], result) for result in known])]
    ran = {result.suite for result in known}
    left_out = [
        f"- {suite.name}: {suite.leaves_out}" for suite in suites if suite.name in ran and suite.leaves_out
    ]
    if left_out:
        texts.append("Not run:\n\n" + "\n".join(left_out))
    reasons = _reasons(known, allowed)
    if reasons:
        texts.append("What differs, and why:\n\n" + "\n".join(reasons))
    return "\n\n".join(texts)


def _cells(suite: Suite, result: Result) -> list[str]:
    unsteady = sum(difference.is_unsteady for difference in result.differences)
    return [
        suite.name,
        suite.version or "its own",
        result.python,
        f"{result.tests:,}",
        str(result.failed),
        str(len(result.differences) - unsteady),
        str(unsteady),
        f"{result.traced_cpu_s / result.cpu_s:.2f} ×",
        f"{result.kib >> 10} → {result.traced_kib >> 10}",
    ]


def _reasons(results: Sequence[Result], allowed: Sequence[Allowed]) -> list[str]:
    """A line for each reason, with how many tests have it."""
    found = Counter(
        (result.suite, reason_for(allowed, result.suite, difference.test))
        for result in results
        for difference in result.differences
        if not difference.is_unsteady
    )
    return [
        f"- {suite} ({count}): {reason or '**not known yet**'}" for (suite, reason), count in found.items()
    ]
