"""Coroutines that Cython compiled, as uvloop has: a task that awaits one stays observed."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.plain_and_traced import has, plain, traced

SCRIPT = """\
import asyncio, uvloop

async def main():
    loop = asyncio.get_running_loop()
    server = await loop.create_server(asyncio.Protocol, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    transport, _ = await loop.create_connection(asyncio.Protocol, "127.0.0.1", port)
    transport.close()
    server.close()
    await asyncio.sleep(0)

uvloop.run(main())
"""


@pytest.mark.skipif(not has("uvloop"), reason="no uvloop")
def test_a_wait_inside_a_compiled_coroutine_switches_no_hook_off(tmp_path: Path) -> None:
    (tmp_path / "script.py").write_text(SCRIPT, encoding="utf-8")
    seen, run = traced("script.py", folder=tmp_path)
    assert seen == plain("script.py", folder=tmp_path)
    assert not any("not observed" in note for note in run.notes)
