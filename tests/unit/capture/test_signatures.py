"""Whatever the tracer hooks or replaces is called as without it: each script runs plain and traced, byte for byte.

With keywords, defaults and wrong arguments: the same result, or the same exception with the same message.
"""

# ruff: noqa: E501 - the scripts print much in few lines

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

from tests.support.plain_and_traced import PYTHON, plain, traced

_SRC = Path(__file__).parents[3] / "src"

# Prints what the tracer hooks and replaces: the module, and the name in it.
_HOOKED = """\
import json, sys
sys.path.insert(0, sys.argv[1])
import asyncio, types
from asyncdemo.capture import instrument
from asyncdemo.capture.lens import Lens
from asyncdemo.capture.recorder import Origins
found = set()
def name(owner):
    return (owner.__name__, "") if isinstance(owner, types.ModuleType) else (owner.__module__, owner.__qualname__ + ".")
rewrite, set_ = instrument.Patches.rewrite, instrument.Patches.set
def rewriting(self, module, qualname, hook, transform):
    done = rewrite(self, module, qualname, hook, transform)
    if done:
        found.add((module.__name__, qualname))
    return done
def setting(self, owner, attribute, value):
    module, prefix = name(owner)
    if callable(getattr(owner, attribute, None)):
        found.add((module, prefix + attribute))
    set_(self, owner, attribute, value)
instrument.Patches.rewrite, instrument.Patches.set = rewriting, setting
lens = Lens(Origins(()), False, 10**9, print)
lens.install()
lens.stop()
json.dump(sorted(found), sys.stdout)
"""

_CALLED_WRONG = """\
import importlib, inspect, json, sys, warnings
import asyncio.base_events, asyncio.runners, concurrent.futures.thread, multiprocessing.process, queue, ssl, subprocess
def said(call):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            result = call()
        except BaseException as error:
            return type(error).__name__, str(error), [str(one.message) for one in caught]
    return "returned", type(result).__name__, [str(one.message) for one in caught]
for module, qualname in json.loads(sys.argv[1]):
    function = importlib.import_module(module)
    for part in qualname.split("."):
        function = getattr(function, part)
    print(module, qualname)
    print(" ", said(lambda: str(inspect.signature(function))), getattr(function, "__text_signature__", None))
    print(" ", [getattr(function, name, None) for name in ("__name__", "__qualname__", "__module__", "__defaults__", "__kwdefaults__")])
    print(" ", [test(function) for test in (callable, inspect.isbuiltin, inspect.isroutine, inspect.isclass, inspect.iscoroutinefunction, inspect.isgeneratorfunction)])
    print(" ", str(function.__doc__)[:200])
    calls = {
        "twelve": lambda: function(*[object()] * 12),
        "keyword": lambda: function(nonesuch=1),
        "keyword after one": lambda: function(object(), nonesuch=1),
        "keyword after none": lambda: function(None, nonesuch=1),
    }
    if qualname not in ("fork", "forkpty", "_exit", "input"):
        calls["nothing"] = lambda: function()
    for how, call in calls.items():
        outcome = said(call)
        if inspect.iscoroutinefunction(function) and outcome[0] == "returned":
            continue
        print("   ", how, outcome)
"""


def test_every_hooked_function_is_called_wrongly_as_without_the_tracer(tmp_path: Path) -> None:
    found = subprocess.run(
        [PYTHON, "-c", _HOOKED, os.fspath(_SRC)], capture_output=True, check=True, text=True
    ).stdout
    assert len(json.loads(found)) > 60
    (tmp_path / "script.py").write_text(_CALLED_WRONG, encoding="utf-8")
    seen, _ = traced("script.py", found, folder=tmp_path)
    assert seen == plain("script.py", found, folder=tmp_path)
    assert seen.exit_code == 0, seen.stderr
