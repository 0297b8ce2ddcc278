"""Guards for tests: of hooks that must not fail, and of a traced process whose hooks are made to fail."""

from __future__ import annotations

import os
from pathlib import Path

from asyncdemo.capture.guard import Guard

_SRC = Path(__file__).parents[2] / "src"

# Python imports it before anything else, in the traced process too.
_SITECUSTOMIZE = """\
import atexit, json, os, sys
sys.path.append({src!r})
from asyncdemo.capture import guard
wanted, where, names = {wanted!r}, {where!r}, {names!r}

class Faulty:
    def __init__(self, context): self.context = context
    def __enter__(self): return fail("enter") or self.context.__enter__()
    def __call__(self, value): return fail("value") or self.context(value)
    def __exit__(self, *exc_info): return self.context.__exit__(*exc_info) or fail("exit")

def fail(here):
    if here == where:
        raise RuntimeError("injected")

context = guard.Guard.context

def numbered(self, name):
    same = sum(known.partition(" #")[0] == name for known in self.names)
    return name + " #" + str(same + 1) if same else name

def with_fault(make):
    def made(self, name, hook, *more):
        if "every hook" in wanted or numbered(self, name) in wanted:
            def faulty(*arguments):
                fail("call")
                given = hook(*arguments)
                return Faulty(given) if make is context else given
            return make(self, name, faulty, *more)
        return make(self, name, hook, *more)
    return made

guard.Guard.call, guard.Guard.value = with_fault(guard.Guard.call), with_fault(guard.Guard.value)
guard.Guard.context = with_fault(context)

# Only now: at their import they take the methods of Guard.
from asyncdemo.capture.blocking import limits, waits
from asyncdemo.capture.loops import state, tasks, wait_reasons
sys.path.remove({src!r})

# What hooks that are no wrappers call: the steps of tasks and of callbacks.
called = {{}}
for module in (limits, state, wait_reasons, tasks, waits):
    for kind in list(vars(module).values()):
        if isinstance(kind, type) and kind.__module__ == module.__name__:
            for name, function in list(vars(kind).items()):
                plumbing = name[:2] == "__" or name == "install" or isinstance(function, type)
                if callable(function) and not plumbing:
                    called[f"{{kind.__name__}}.{{name}}()"] = kind, name, function
def failing(function):
    def faulty(*arguments, **options):
        if sys._getframe(1).f_code.co_name != "__init__":
            fail("call")
        return function(*arguments, **options)
    return faulty

for kind, name, function in [called[each] for each in wanted if each in called]:
    setattr(kind, name, failing(function))

if names:
    made = guard.Guard.__init__
    def keep(self, *arguments):
        made(self, *arguments)
        def write():
            with open(names, "w") as file:
                json.dump(sorted(self.names) + sorted(called), file)
        atexit.register(write)
    guard.Guard.__init__ = keep
"""


def strict_guard() -> Guard:
    """Of hooks that must not fail."""

    def tell(name: str, why: str, _: bool) -> None:
        raise AssertionError(f"the hook in {name} failed: {why}")

    return Guard(tell)


def faulty(folder: Path, *hooks: str, where: str = "call", names: Path | None = None) -> dict[str, str]:
    """The environment in which these hooks of a traced process fail; "every hook": all of them.

    where: when it is called, or its context manager is entered ("enter"), left ("exit") or given a result
    ("value"). names: the file that gets the names of all hooks when the process ends.
    """
    folder.mkdir(exist_ok=True)
    text = _SITECUSTOMIZE.format(
        src=os.fspath(_SRC), wanted=hooks, where=where, names="" if names is None else os.fspath(names)
    )
    Path(folder, "sitecustomize.py").write_text(text, encoding="utf-8")
    return {"PYTHONPATH": os.fspath(folder)}
