"""A new module in ``capture/libraries/`` is all that it takes to observe the pools of another library."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import asyncdemo

SOURCE = Path(asyncdemo.__file__).parent

LIBRARY = """
import asyncio

class Connection:
    pass

class Pool:
    def __init__(self, most):
        self.most = most
        self.free = asyncio.Queue()
        for _ in range(most):
            self.free.put_nowait(self.connect())

    def connect(self):
        return Connection()

    async def acquire(self):
        return await self.free.get()

    def release(self, connection):
        self.free.put_nowait(connection)
"""

MODULE = """
from asyncdemo.capture.instrument import observing, on_entry_with_all
from asyncdemo.capture.libraries.library import POOL, Library, Package
from asyncdemo.capture.libraries.pool_registry import Asking, Opening, PoolKind

KIND = PoolKind("parrot", "parrots", size="`most`", giving_back="`pool.release(connection)`")

def made(pools, pool, most):
    pools.made(pool, KIND, most)

def released(pools, pool, connection):
    pools.returned(connection)

LIBRARY = Library(
    packages={"parrot": Package({"Pool.acquire": POOL}, service="parrots")},
    hooks={
        "parrot": (
            ("Pool.__init__", on_entry_with_all, made),
            ("Pool.connect", observing, Opening),
            ("Pool.acquire", observing, Asking),
            ("Pool.release", on_entry_with_all, released),
        )
    },
    title="parrot",
    pools=KIND,
)
"""

SCRIPT = """
import asyncio
import parrot

async def talk(pool):
    connection = await pool.acquire()
    await asyncio.sleep(0.1)
    pool.release(connection)

async def main():
    pool = parrot.Pool(1)
    await asyncio.gather(talk(pool), talk(pool))

asyncio.run(main())
"""


def test_pool_of_a_new_module_is_in_the_report(tmp_path: Path) -> None:
    source = tmp_path / "source"
    libraries = source / "asyncdemo" / "capture" / "libraries"
    _with_links(source / "asyncdemo", SOURCE)
    _with_links(libraries.parent, SOURCE / "capture")
    _with_links(libraries, SOURCE / "capture" / "libraries")
    (libraries / "parrot.py").write_text(MODULE)
    installed = tmp_path / "site-packages" / "parrot"
    installed.mkdir(parents=True)
    (installed / "__init__.py").write_text(LIBRARY)
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    environment = os.environ | {"PYTHONPATH": f"{source}{os.pathsep}{installed.parent}", "COLUMNS": "400"}
    done = subprocess.run(
        [sys.executable, "-m", "asyncdemo", "trace", "--plain", "--virtual", "--details", script],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "parrot, limit 1" in done.stdout
    assert "The parrot pool made at script.py:11 in main() was too small for its callers" in done.stdout
    assert "raise `most`" in done.stdout


def _with_links(folder: Path, to: Path) -> None:
    """Make a folder of links to what is in another one, in place of any link to that."""
    folder.unlink(missing_ok=True)
    folder.mkdir(parents=True)
    for path in to.iterdir():
        (folder / path.name).symlink_to(path)
