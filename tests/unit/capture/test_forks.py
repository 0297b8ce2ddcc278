"""Processes that a script makes: a fork of the script is noted, another program is not."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.truth import recorded


def test_a_lane_that_also_runs_in_a_forked_process(tmp_path: Path) -> None:
    trace = recorded(
        tmp_path,
        """
        import multiprocessing
        from concurrent.futures import ProcessPoolExecutor
        def work(n):
            return n * n
        def main():
            context = multiprocessing.get_context("fork")
            with ProcessPoolExecutor(2, mp_context=context) as pool:
                print(list(pool.map(work, range(4))))
        if __name__ == "__main__":
            main()
        """,
        lanes=["work"],
    )
    assert "[0, 1, 4, 9]" in trace.stdout
    assert any("No call of work was recorded" in note for note in trace.run.notes)


def test_subprocess_that_uvloop_starts_is_no_fork_of_the_script(tmp_path: Path) -> None:
    pytest.importorskip("uvloop")
    trace = recorded(
        tmp_path,
        """
        import asyncio, uvloop
        async def main():
            process = await asyncio.create_subprocess_exec("true")
            await process.wait()
        uvloop.run(main())
        """,
    )
    assert not trace.run.notes
