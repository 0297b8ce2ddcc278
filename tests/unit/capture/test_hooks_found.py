"""Every function that capture hooks into is there, on this Python and in these versions of the libraries.

A hook that finds nothing to hook is no error for the script, only what it would have reported is missing. So what
a Python has moved or renamed is found out here. Not for: what a hook tells.
"""

# ruff: noqa: E501 - a script prints much in few lines

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from types import CodeType
from typing import Any

import pytest

import asyncdemo.capture
from asyncdemo.capture import libraries
from asyncdemo.capture.loops.wait_reasons import _BY_CODE, _LIMITED
from tests.support.plain_and_traced import PYTHON, alike

CAPTURE = Path(asyncdemo.capture.__file__).parent
_PACKAGES = {
    name: package for known in libraries.known().values() for name, package in known.packages.items()
}

# Puts itself under observation as a process that a script starts, then loads every module that is hooked when
# it is loaded. A second time with a virtual clock.
_EVERYTHING = """\
import importlib, json, os, socket, sys, types

from asyncdemo.capture import instrument, parent
from asyncdemo.capture.script import launch
from asyncdemo.capture.tracer import Tracer, _Finder
from asyncdemo.capture.recorder import Origins

calls, absent, hooked = [], [], set()
find, rewrite, set_ = instrument._find_function, instrument.Patches.rewrite, instrument.Patches.set

def names(code):
    found = {name for name in code.co_names if name.startswith("__asyncdemo_")}
    return found.union(*(names(inner) for inner in code.co_consts if isinstance(inner, types.CodeType)))

def called():
    frame = sys._getframe(2)
    calls.append([frame.f_code.co_filename, frame.f_lineno])

def checked_rewrite(self, module, qualname, hook, transform):
    called()
    function = find(module, qualname)
    before = names(function.__code__) if function else set()
    done = rewrite(self, module, qualname, hook, transform)
    if not done or names(function.__code__) == before:
        absent.append([module.__name__, qualname])
    else:
        hooked.add((module.__name__, qualname))
    return done

def checked_set(self, owner, name, value):
    called()
    if not hasattr(owner, name):
        absent.append([getattr(owner, "__module__", owner.__name__), name])
    elif isinstance(owner, types.ModuleType):
        hooked.add((owner.__name__, name))
    else:
        hooked.add((owner.__module__, f"{owner.__qualname__}.{name}"))
    set_(self, owner, name, value)

instrument.Patches.rewrite, instrument.Patches.set = checked_rewrite, checked_set
ours, theirs = socket.socketpair()
options = {
    "process": 1, "code": {"roots": [], "path": __file__}, "threshold_s": 0.05, "serves": True, "call": None,
    "lanes": [], "knobs": {}, "results": False,
}
parent.connect = lambda: ours
parent.receive = lambda connection, reader, kind: json.dumps(options)
parent.begin = lambda tracer, connection: None
first = launch._observe()
at_once = sorted(hooked)
without = []
for name in [name for finder in sys.meta_path if isinstance(finder, _Finder) for name in finder._wanted]:
    try:
        importlib.import_module(name)
    except ModuleNotFoundError as error:
        without.append(name)
first.stop()
Tracer(Origins(()), True, 1, print).install()
not_followed = next(finder for finder in sys.meta_path if isinstance(finder, _Finder))
not_followed._wanted["multiprocessing.process"](importlib.import_module("multiprocessing.process"))
sys.stdout.write(json.dumps({"calls": calls, "absent": absent, "without": without, "hooked": at_once}))
sys.stdout.flush()
os.kill(os.getpid(), 9)  # its own ending is hooked
"""


Hooked = dict[str, set[Any]]
"""What hooks, and what is hooked.

calls: the (file, line)s of capture that hook. absent: (module, function). without: modules that are not
installed. hooked: the (module, name)s that are hooked before the script imports anything.
"""


@pytest.fixture(scope="module")
def hooked(tmp_path_factory: pytest.TempPathFactory) -> Hooked:
    script = tmp_path_factory.mktemp("hooks") / "everything.py"
    script.write_text(_EVERYTHING)
    environment = {"PYTHONPATH": str(CAPTURE.parents[1]), "PATH": ""}
    run = subprocess.run(
        [PYTHON, "-W", "ignore", script], env=environment, capture_output=True, text=True, check=False
    )
    assert run.stdout, run.stderr
    return {
        kind: {tuple(one) if isinstance(one, list) else one for one in found}
        for kind, found in json.loads(run.stdout).items()
    }


_ABSENT = {
    # places of our own
    ("asyncio.base_events", "_asyncdemo"),
    ("uvloop", "_asyncdemo"),
    # One function hooks two modules of a kind: what only the other one has. An HTTPSConnection inherits.
    ("redis.asyncio.connection", "BlockingConnectionPool.disconnect"),
    ("redis.asyncio.connection", "BlockingConnectionPool.make_connection"),
    ("redis.connection", "AbstractConnection._close"),
    ("urllib3.connection", "HTTPSConnection.close"),
}
"""What is not there, and need not be."""
_IN_OTHER_PYTHONS = (
    "patches.set(threading, 'Lock', StandIn("  # a type since 3.13
    if sys.version_info >= (3, 13)
    else "patches.set(threading, 'Lock', lock_type)",
    *(
        ()
        if sys.version_info >= (3, 14)
        else ("patches.rewrite(module, 'create'", "patches.rewrite(module, f'Interpreter.")
    ),
)
"""Hooks of what this one does not have, or has as something else."""
_OPTIONAL = {"starlette.applications"} | (
    {"concurrent.interpreters"} if sys.version_info < (3, 14) else set()
)
"""In the extra ``lab``, and from Python 3.14 on."""


def test_each_hook_finds_its_function(hooked: Hooked) -> None:
    assert hooked["absent"] == {(module, name) for module, name in _ABSENT if module not in hooked["without"]}


@pytest.mark.skipif(sys.executable != PYTHON, reason="the libraries are those of the tests' own Python")
def test_what_is_looked_at_above_is_every_hook(hooked: Hooked) -> None:
    assert hooked["without"] <= _OPTIONAL
    assert _hooking_lines() == hooked["calls"]


@pytest.mark.parametrize("package", ["asyncio", *_PACKAGES])
def test_each_coroutine_that_tells_what_is_waited_for_is_there(package: str) -> None:
    found = find_spec(package)
    if found is None or found.origin is None:
        assert package == "httpcore", "in no extra"
        return
    names = _functions(Path(found.origin).parent)
    if package == "asyncio":
        assert {*_BY_CODE, *_LIMITED, "wait_for"} - names == _ONLY_IN_OTHERS
    else:
        assert set(_PACKAGES[package].reasons) - names == set()


_ONLY_IN_OTHERS = {
    "as_completed.<locals>._wait_for_one"
    if sys.version_info >= (3, 13)
    else "_AsCompletedIterator._wait_for_one",
    *(() if sys.version_info >= (3, 14) else ("TaskGroup._aexit",)),
}
"""Of asyncio: what another Python has."""


def _functions(folder: Path) -> set[str]:
    """The qualified names of all functions in a package."""
    found, pending = set(), [compile(path.read_bytes(), path, "exec") for path in folder.rglob("*.py")]
    while pending:
        code = pending.pop()
        found.add(code.co_qualname)
        pending += [inner for inner in code.co_consts if isinstance(inner, CodeType)]
    return found


def _hooking_lines() -> set[tuple[str, int]]:
    """Where capture calls ``patches.rewrite`` and ``patches.set``."""
    return {
        (str(path), node.lineno)
        for path in CAPTURE.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Call)
        and re.fullmatch(r"(.*patches\.)?rewrite|.*patches\.set", ast.unparse(node.func))
        and not ast.unparse(node).startswith(_IN_OTHER_PYTHONS)
    }


# -- called wrongly ---------------------------------------------------------------------------------

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


_REWRITTEN = ("BaseEventLoop.call_soon", "BaseEventLoop.create_task")
"""For speed: the same for who calls them as meant, and other words for who does not."""


def test_every_hooked_function_rejects_wrong_calls_as_untraced(hooked: Hooked, tmp_path: Path) -> None:
    """Whatever is hooked or replaced: the same exception with the same message, byte for byte."""
    wanted = sorted(one for one in hooked["hooked"] if one[1] not in _REWRITTEN)
    assert len(wanted) > 60
    seen, _ = alike(tmp_path, _CALLED_WRONG, json.dumps(wanted))
    assert seen.exit_code == 0, seen.stderr
