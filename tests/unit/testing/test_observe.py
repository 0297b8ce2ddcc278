"""Functions of one's own under the tracer: as ``observe`` runs them, and as pytest shows what failed."""

from __future__ import annotations

import inspect
import os
import re
import subprocess
import sys
import textwrap
from collections import defaultdict
from pathlib import Path

import pytest

from asyncdemo.errors import UsageError
from asyncdemo.model import Clock
from asyncdemo.testing.checks import Calls, CheckFailed, Seen
from asyncdemo.testing.checks.pools import Pools
from asyncdemo.testing.checks.requests import Requests
from asyncdemo.testing.observe import observe
from tests.support import observed
from tests.support.fetching import fetch
from tests.support.observed import (
    at_once,
    fails,
    in_another_process,
    infinite,
    one_by_one,
    waits_for_ever,
)

pytest_plugins = ["pytester"]


def test_calls_of_functions_of_any_module_are_lanes() -> None:
    seen = observe(at_once, 3, lanes=[fetch])
    seen.calls("fetch").happen(3).all_overlap().peak_is(3).return_values([1, 2, 3])
    assert seen.result == [1, 2, 3]
    assert seen.run.clock is Clock.VIRTUAL


def test_without_lanes_tasks_are_named_by_their_function() -> None:
    observe(at_once, 3).calls("fetch").happen(3).peak_is(3)


def test_lanes_of_the_same_module_can_be_named_and_are_judged() -> None:
    seen = observe(one_by_one, 3, lanes=["one_by_one", fetch])
    seen.calls("fetch").end_within(seen.calls("one_by_one"))
    seen.calls("one_by_one").return_values([[1, 2, 3]])
    with pytest.raises(CheckFailed, match="never more than 1"):
        seen.calls("fetch").peak_is(3)


def test_it_runs_in_a_process_of_its_own_that_sees_no_patches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(observed, "CHANGED", True)
    process, changed = observe(in_another_process).result
    assert process != os.getpid()
    assert changed is False


def test_error_is_reported_with_its_traceback() -> None:
    with pytest.raises(CheckFailed, match="LookupError: no such cup") as failed:
        observe(fails)
    assert "in fails" in "".join(failed.value.__notes__)
    assert observe(fails, ends_well=False).run.exit_code == 1


def test_a_deadlock_says_who_waits() -> None:
    with pytest.raises(CheckFailed, match=r"waits_for_ever .* waits at observed.py:\d+ \(await asyncio"):
        observe(waits_for_ever)


def test_what_another_process_could_not_import_is_refused() -> None:
    def local() -> None: ...

    with pytest.raises(UsageError, match="Move it to the top"):
        observe(local)
    with pytest.raises(UsageError, match="not a function"):
        observe(print, "x")
    with pytest.raises(UsageError, match="not all plain values"):
        observe(at_once, object())


def test_a_lane_that_is_not_there_is_named() -> None:
    with pytest.raises((UsageError, CheckFailed), match="There is no function nowhere"):
        observe(at_once, 1, lanes=["nowhere"])


SUITE = """
    import asyncio

    async def pour(n: int) -> int:
        await asyncio.sleep(0.1)
        return n

    async def main() -> list[int]:
        return [await pour(n) for n in range(4)]

    def test_it(asyncdemo_run):
        seen = asyncdemo_run(main, lanes=[pour])
        assert seen.result == [0, 1, 2, 3]
        seen.calls("pour").{sentence}
    """


def suite(pytester: pytest.Pytester, sentence: str) -> pytest.RunResult:
    source = textwrap.dedent(SUITE).replace("{sentence}", sentence)
    pytester.makepyfile(source)
    return pytester.runpytest_subprocess("-p", "asyncdemo.testing.plugin", "-p", "no:cacheprovider")


def test_failed_sentence_shows_its_timeline_and_the_tests_line(pytester: pytest.Pytester) -> None:
    result = suite(pytester, "peak_is(4)")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        [
            '>       seen.calls("pour").peak_is(4)',
            "E*4 calls of pour should be at work at the same time; there was never more than 1.",
            "*asyncdemo timeline*",
            "pour(0)*",
            "pour(3)*",
        ]
    )
    result.stdout.no_fnmatch_line("*calls.py:*")


UPLOADS = """
    import asyncio

    async def upload(n: int, gate: asyncio.Semaphore) -> int:
        async with {gate}:
            await asyncio.sleep(0.1)
        return n
    """


@pytest.mark.parametrize(("gate", "holds"), [("gate", True), ("asyncio.Semaphore(5)", False)])
def test_example_of_the_docs_passes_and_fails_as_it_says(
    pytester: pytest.Pytester, gate: str, holds: bool
) -> None:
    page = (Path(__file__).parents[3] / "docs" / "reference" / "checks.md").read_text(encoding="utf-8")
    example, output = page.split("```python\n")[1].split("```")[0], page.split("```text\n")[1].split("```")[0]
    package = pytester.mkpydir("shop")
    source = textwrap.dedent(UPLOADS).replace("{gate}", gate)
    (package / "uploads.py").write_text(source, encoding="utf-8")
    pytester.makepyfile(example)
    result = pytester.runpytest_subprocess("-p", "asyncdemo.testing.plugin", "-p", "no:cacheprovider")
    result.assert_outcomes(passed=int(holds), failed=int(not holds))
    if not holds:
        result.stdout.fnmatch_lines([f"E*{output.strip()}"])


@pytest.mark.parametrize("kind", [Calls, Pools, Requests, Seen])
def test_every_sentence_is_on_the_page(kind: type) -> None:
    page = (Path(__file__).parents[3] / "docs" / "reference" / "checks.md").read_text(encoding="utf-8")
    rows = defaultdict(list)  # pools have some sentences of the run, with other parameters
    for name, parameters in re.findall(r"^\| `(\w+)\((.*?)\)` \|", page, re.MULTILINE):
        rows[name].append([one.strip().lstrip("*").partition("=")[0] for one in parameters.split(",") if one])
    members = inspect.getmembers(kind, callable)
    sentences = {name: one for name, one in members if not name.startswith("_")}
    assert sentences.keys() <= rows.keys()
    for name, sentence in sentences.items():
        public = [one for one in inspect.signature(sentence).parameters if one != "self"]
        assert public in rows[name]


SCRIPT = """
import asyncio
from asyncdemo.testing.observe import observe

print("imported as", __name__)

async def pour(n: int) -> int:
    await asyncio.sleep(0.1)
    return n

async def main() -> list[int]:
    return list(await asyncio.gather(pour(1), pour(2)))

if __name__ == "__main__":
    seen = observe(main, lanes=[pour])
    seen.calls("pour").all_overlap()
    print(seen.result, seen.stdout.strip())
"""


def test_a_script_can_observe_its_own_functions(tmp_path: Path) -> None:
    script = tmp_path / "pouring.py"
    script.write_text(SCRIPT, encoding="utf-8")
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.splitlines() == ["imported as __main__", "[1, 2] imported as pouring"]


def test_what_is_no_number_is_no_plain_value() -> None:
    assert observe(infinite).result is None
