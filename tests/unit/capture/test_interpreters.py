"""Other interpreters of a process (Python 3.14 and newer) do what they did; threads wait for them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.plain_and_traced import alike, has

pytestmark = pytest.mark.skipif(not has("concurrent.interpreters"), reason="this Python has no such module")

SCRIPT = """
import asyncio, sys
from concurrent import interpreters
from concurrent.futures import InterpreterPoolExecutor

def brew(n):
    import time
    time.sleep(0.05)
    return n

def broken(n):
    raise ValueError(n)

async def main():
    loop = asyncio.get_running_loop()
    with InterpreterPoolExecutor(2) as pool:
        print(await asyncio.gather(*(loop.run_in_executor(pool, brew, n) for n in range(4))))
        try:
            await loop.run_in_executor(pool, broken, 1)
        except ValueError as error:
            print(repr(error))

if __name__ == "__main__":
    asyncio.run(main())
    one = interpreters.create()
    one.exec("print(sorted(vars(__import__('__main__'))))")
    print(brew(1), one.call(brew, 2))
    one.close()
"""


@pytest.mark.parametrize("lanes", [[], ["brew", "broken"]], ids=["threads", "lanes"])
@pytest.mark.parametrize("virtual", [False, True], ids=["real", "virtual"])
def test_it_does_what_it_does_without(lanes: list[str], virtual: bool, tmp_path: Path) -> None:
    _, run = alike(tmp_path, SCRIPT, lanes=lanes, virtual=virtual)
    if lanes:  # what was sent there is none: only the call in this interpreter is
        assert [lane.name for lane in run.lanes] == ["brew(1)"]
        return
    reasons = {lane.name: {span.wait.reason for span in lane.spans} for lane in run.lanes}
    assert "interpreter" in reasons["InterpreterPoolExecutor-0_0"]
    assert "interpreter" in reasons["MainThread"]
