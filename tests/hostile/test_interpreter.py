"""Scripts that change Python itself under the tracer: clocks, builtins, modules, tracing, limits, folders."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.hostile.traced import trace

pytestmark = pytest.mark.slow

AFTER = """
async def after(n): await asyncio.sleep(0.02)
async def main(): await asyncio.gather(after(1), after(2))
asyncio.run(main())
"""

CHANGES = {
    "clocks": "import time\ntime.time = time.perf_counter = time.process_time = lambda: 0.0\n"
    "time.perf_counter_ns = time.time_ns = time.thread_time_ns = lambda: 0",
    "sleep": "import time\ntime.sleep = lambda s: None\ntime.sleep(10**6)",
    "open": "import builtins, io, os\ndef no(*a, **k): raise OSError('no')\nbuiltins.open = io.open = no",
    "json": "import json\njson.dumps = json.loads = None",
    "json removed": "import sys, json\nfor name in list(sys.modules):\n"
    "    if name.startswith('json'): del sys.modules[name]",
    "socket": "import socket\ndef no(*a, **k): raise RuntimeError('no network here')\n"
    "for name in ('sendall', 'recv_into', 'connect', 'gettimeout'): setattr(socket.socket, name, no)",
    "threading": "import threading\nthreading.Lock = threading._allocate_lock",
    # not os.getpid, which asyncio itself calls for a loop from Python 3.12 on
    "os": "import os\nos.kill = os._exit = os.path.realpath = None",
    "struct and array": "import struct, array\nstruct.Struct = struct.pack = array.array = None",
    "print": "import builtins\nbuiltins.print = None",
    "gc off": "import gc\ngc.disable()\ngc.set_threshold(0)\ngc.freeze()",
    "gc at every step": "import gc\ngc.set_threshold(1)\ngc.set_debug(0)",
    "settrace": "import sys, threading\ndef trace(frame, event, arg): return trace\n"
    "sys.settrace(trace)\nthreading.settrace(trace)",
    "setprofile": "import sys\nsys.setprofile(lambda frame, event, arg: None)",
    "a low recursion limit": "import sys\nsys.setrecursionlimit(120)",
    "switch interval": "import sys\nsys.setswitchinterval(1e-6)",
    "warnings as errors": "import warnings\nwarnings.simplefilter('error')",
    "excepthook": "import sys\nsys.excepthook = lambda *error: None",
    "meta_path": "import sys\nsys.meta_path.clear()",
    "sys.path": "import sys\nsys.path.clear()",
    "sys.modules": "import sys\nsys.modules.pop('asyncdemo', None)\n"
    "[sys.modules.pop(n) for n in list(sys.modules) if n.startswith('asyncdemo')]",
    "environment": "import os\nos.environ.clear()",
    "asyncio debug": "import os\nos.environ['PYTHONASYNCIODEBUG'] = '1'",
    "resource limits": "import resource\nresource.setrlimit(resource.RLIMIT_NOFILE, (16, 16))",
    "no core": "import resource\nresource.setrlimit(resource.RLIMIT_CORE, (0, 0))",
    "locale": "import locale\nlocale.setlocale(locale.LC_ALL, 'C')",
    "audit hook": "import sys\nsys.addaudithook(lambda event, args: None)",
    "__main__": "import sys, types\nsys.modules['__main__'] = types.ModuleType('__main__')",
    "its own globals": "del __builtins__, __name__, __file__",
    "another folder": "import os, tempfile\nfolder = tempfile.mkdtemp()\nos.chdir(folder)\nos.rmdir(folder)",
    "a thread per signal": "import signal\nsignal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())",
    "nice": "import os\nos.nice(5)",
    "umask": "import os\nos.umask(0o777)",
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_the_tracer_goes_on_observing(tmp_path: Path, change: str) -> None:
    traced = trace(tmp_path, f"import asyncio\n{change}\n{AFTER}")
    assert traced.code == 0, traced.err[-2000:]
    assert {"Task-1 main", "Task-2 after", "Task-3 after"} <= set(traced.lanes)
    assert traced.recorded.notes == ()
