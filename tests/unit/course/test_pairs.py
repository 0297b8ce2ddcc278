"""Variants may differ only where the manifest says so."""

from __future__ import annotations

from asyncdemo.course.content.pairs import differences as found

SYNC = "import time\n\n\ndef wait() -> None:\n    time.sleep(1)\n"
AWAITED = "import asyncio\n\n\nasync def wait() -> None:\n    await asyncio.sleep(1)\n"

DIFFERS = {
    "sync": ["import time", "def wait() -> None:", "time.sleep(1)"],
    "awaited": ["import asyncio", "async def wait() -> None:", "await asyncio.sleep(1)"],
}


def differences(sources: dict[str, str], differing: dict[str, list[str]]) -> list[str]:
    return [difference.message for difference in found(sources, differing)]


def test_declared_differences_are_fine() -> None:
    assert differences({"sync": SYNC, "awaited": AWAITED}, DIFFERS) == []


def test_any_other_difference_is_named() -> None:
    (problem,) = differences({"sync": SYNC, "awaited": AWAITED.replace("\n\n\n", "\n\n\n# so\n")}, DIFFERS)
    assert "'# so'" in problem


def test_lines_too_many_at_the_end_are_a_difference() -> None:
    (problem,) = differences({"sync": SYNC, "awaited": AWAITED + "wait()\n"}, DIFFERS)
    assert "sync has no line where awaited has 'wait()'" in problem


def test_a_declared_line_that_is_gone_is_a_difference() -> None:
    problems = differences({"sync": SYNC.replace("time.sleep(1)", "pass"), "awaited": AWAITED}, DIFFERS)
    assert any("'time.sleep(1)' is declared to differ" in problem for problem in problems)


def test_a_declared_line_stands_for_one_line_only() -> None:
    problems = differences({"sync": SYNC + "    time.sleep(1)\n", "awaited": AWAITED}, DIFFERS)
    assert problems


def test_a_difference_knows_its_variant_and_line() -> None:
    (difference,) = found({"sync": SYNC, "awaited": AWAITED + "wait()\n"}, DIFFERS)
    assert (difference.variant, difference.line) == ("awaited", 6)
