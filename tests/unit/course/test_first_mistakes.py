"""What beginners get wrong at first, and the sentence that helps: in `check`, in `trace` and in the screens.

Each of the table was written by somebody who tried an exercise of lessons 1 to 9, and then got from Python
what stands in ``raw``, if it said anything.
"""

# ruff: noqa: E501 - a table

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from textwrap import indent
from typing import NamedTuple

import pytest

from asyncdemo.analysis.diagnose import diagnose, mistakes
from asyncdemo.course.content.exercise import Exercise
from asyncdemo.course.judging.judge import judge
from asyncdemo.model import Run, Uncaught
from asyncdemo.recording.runner import Options, Target, record
from tests.cli.commands import in_process
from tests.support.runs import Story
from tests.support.tables import rows

PROGRAM = '''\
import asyncio
import threading
import time


class RefusedError(Exception):
    """The work is not wanted."""


def label(n):
    return f"parcel {{n}}"


async def load(n):
    await asyncio.sleep(0.1)
    return f"part {{n}}"


{rest}

if __name__ == "__main__":
    {start}
'''
GROUP = "    async with asyncio.TaskGroup() as group:\n"
PARTS = "load(n) for n in range(3)"


class First(NamedTuple):
    """body: of main, or all functions. says: stands in the sentence. raw: stands in what Python said."""

    name: str
    body: str
    says: str
    raw: str = ""
    start: str = "print(asyncio.run(main()))"


def each(locked: str, lock: str) -> str:
    """Three payments under a lock."""
    return (
        f"async def pay(n, lock):\n    {locked}\n        await load(n)\n\n\n"
        f"async def main():\n    lock = {lock}\n    await asyncio.gather(*(pay(n, lock) for n in range(3)))\n"
    )


TABLE = [
    *rows(
        First,
        r"""
a debugger | breakpoint() | Take out `breakpoint()` | BdbQuit
gather that is returned | return asyncio.gather(*(load(n) for n in range(3))) | write `await asyncio.gather(...)` | CancelledError | print(*asyncio.run(main()))
gather of a list | return await asyncio.gather([load(n) for n in range(3)]) | `gather` takes the coroutines one by one | unhashable
gather of a generator | return await asyncio.gather(load(n) for n in range(3)) | asyncio.gather(*coroutines)
await time.sleep | await time.sleep(0.01) | `await asyncio.sleep(...)` | await
await of a list | return await [load(n) for n in range(3)] | `await asyncio.gather(*tasks)` | list
await of a result | return await (await load(1)) | Leave out this `await` | str
to_thread of a call | return await asyncio.to_thread(label(1)) | `asyncio.to_thread(f, x)`, not `asyncio.to_thread(f(x))` | not callable
run_in_executor of a call | return await asyncio.get_running_loop().run_in_executor(None, label(1)) | its result was passed to the thread | not callable
to_thread without await | return asyncio.to_thread(label, 1).upper() | Put an `await` before it
a task for its result | return asyncio.create_task(load(1)) + 'x' | Put an `await` before it
run(main) | pass |  | coroutine | asyncio.run(main)
create_task(f) | asyncio.create_task(load) | `load` without parentheses | function load
create_task(await f()) | asyncio.create_task(await load(1)) | already a result: 'part 1'
run of a future | pass |  |  | asyncio.run(asyncio.gather(main()))
yield in main | yield await load(1) |  |  | asyncio.run(main())
wait of coroutines | await asyncio.wait([load(n) for n in range(3)]) | `asyncio.wait` takes tasks | forbidden
with TaskGroup | with asyncio.TaskGroup() as group:\n    group.create_task(load(1)) | This `TaskGroup` of asyncio is entered with `async with` | context manager
with timeout | with asyncio.timeout(1):\n    await load(1) | This `Timeout` of asyncio
async with a file | async with open(__file__) as file:\n    pass | Write `with` instead
run inside | return asyncio.run(load(1)) | An event loop is already running | asyncio.run()
run_until_complete inside | return asyncio.get_running_loop().run_until_complete(load(1)) | An event loop is already running | already running
a task without a loop | pass | Nothing runs an event loop here |  | asyncio.create_task(main())
result too early | return asyncio.create_task(load(1)).result() | before it was done | not set
result in the group | async with asyncio.TaskGroup() as group:\n    print(group.create_task(load(1)).result()) | before it was done
group not entered | asyncio.TaskGroup().create_task(load(1)) | never entered | not been entered
wait_for turned round | return await asyncio.wait_for(1.0, load(1)) | the wrong way round | <=
awaited twice | one = load(1)\nreturn [await one, await one] | A coroutine runs once | reuse
async for over a range | async for n in range(3):\n    await load(n) | Write `for` | __aiter__
for over an async generator | async def main():\n    return list(parts())\n\n\nasync def parts():\n    yield await load(1) | Write `async for` | not iterable
await in def | def main():\n    return await load(1)\n | begins with `async def` | outside async
await at the top | return await load(1) | begins with `async def` | outside | print(await main())
async with in def | def main():\n    async with x:\n        pass\n | begins with `async def`
""",
    ),
    First(
        "with asyncio.Lock", each("with lock:", "asyncio.Lock()"), "This `Lock` of asyncio", "context manager"
    ),
    First(
        "async with threading.Lock",
        each("async with lock:", "threading.Lock()"),
        "This lock is from `threading`",
    ),
    First(
        "acquire without await",
        each("if not lock.acquire():\n        pass\n    else:", "asyncio.Lock()") + "    lock.release()",
        "not awaited, so nothing was acquired",
        "not acquired",
    ),
    First(
        "two loops",
        each("async with lock:", "asyncio.Lock()") + "\n\nLOCK = asyncio.Lock()\n\n\nasync def both():\n"
        "    await asyncio.gather(pay(1, LOCK), pay(2, LOCK))\n",
        "each `asyncio.run()` has its own",
        "different event loop",
        "asyncio.run(both()); asyncio.run(both())",
    ),
    First(
        "except in place of except*",
        "async def main():\n    try:\n        async with asyncio.TaskGroup() as group:\n"
        "            group.create_task(refuse())\n    except RefusedError:\n        print('refused')\n\n\n"
        "async def refuse():\n    raise RefusedError('no')",
        "`except* RefusedError:` catches it",
        "RefusedError",
    ),
    First("threading.Lock across an await", each("with lock:", "threading.Lock()"), "held across an `await`"),
]
if sys.version_info >= (3, 14):  # there, pdb itself says that it ends the program, and exits
    TABLE = [first for first in TABLE if first.name != "a debugger"]
SOME_PYTHONS = {
    "run(main)": ("`main` without parentheses", "A function must be called"),
    "run of a future": ("this is a future", "Nothing runs an event loop here"),
    "yield in main": ("There's a `yield` in `main`", "can't be awaited"),
}
"""Where Pythons differ in what they say."""


def script_of(first: First, folder: Path) -> Path:
    main = first.body if "def main" in first.body else f"async def main():\n{indent(first.body, '    ')}\n"
    file = folder / "app.py"
    file.write_text(PROGRAM.format(rest=main, start=first.start), encoding="utf-8")
    return file


@pytest.mark.parametrize("first", TABLE, ids=lambda first: first.name)
def test_a_first_mistake_gets_the_sentence_that_helps(tmp_path: Path, first: First) -> None:
    hangs = "across an" in first.name
    options = Options(timeout_s=1.0 if hangs else 30.0)
    run = record(Target(str(script_of(first, tmp_path))), options)
    found = list(mistakes(run))
    assert found, (run.uncaught, run.notes)
    message = f"{found[0].message} {found[0].advice}"
    assert any(words in message for words in SOME_PYTHONS.get(first.name, (first.says,))), message
    assert first.raw in " ".join([*(error.text + error.error for error in run.uncaught), *run.notes])
    assert diagnose(run)[0] == found[0], "it stands above all other findings"


WORDS_OF_3_14 = [
    ("TypeError", "'NoneType' object can't be awaited", "`await asyncio.sleep(...)`"),
    ("TypeError", "'list' object can't be awaited", "A list can't be awaited"),
    ("TypeError", "'str' object can't be awaited", "already a result (of type str)"),
    (
        "TypeError",
        "'asyncio.taskgroups.TaskGroup' object does not support the context manager protocol (missed "
        "__exit__ method) but it supports the asynchronous context manager protocol. Did you mean to use "
        "'async with'?",
        "This `TaskGroup` of asyncio",
    ),
    (
        "TypeError",
        "'_thread.lock' object does not support the asynchronous context manager protocol (missed __aexit__ "
        "method) but it supports the context manager protocol. Did you mean to use 'with'?",
        "This lock is from `threading`",
    ),
    ("TypeError", "cannot use 'list' as a dict key (unhashable type: 'list')", "Unpack it"),
    ("TypeError", "An asyncio.Future, a coroutine or an awaitable is required", "must be called: `f()`"),
]


@pytest.mark.parametrize(("error", "text", "says"), WORDS_OF_3_14, ids=lambda value: str(value)[:30])
def test_other_pythons_say_it_in_other_words(error: str, text: str, says: str) -> None:
    (found,) = mistakes(failed(error, text, "gather" if "dict key" in text else "main"))
    assert found.kind == "mistaken-call"
    assert says in f"{found.message} {found.advice}"


@pytest.mark.parametrize(
    ("error", "text", "raised_in"),
    [
        ("TypeError", "'str' object is not callable", "main"),
        ("TypeError", "unhashable type: 'list'", "main"),
        ("TypeError", "'<=' not supported between instances of 'str' and 'int'", "wait_for"),
        ("KeyError", "brew", "main"),
        ("ValueError", "Result is not set.", "main"),
        ("CancelledError", "", "main"),
    ],
)
def test_an_error_that_is_no_first_mistake_is_left_alone(error: str, text: str, raised_in: str) -> None:
    assert not list(mistakes(failed(error, text, raised_in)))


def failed(error: str, text: str, raised_in: str) -> Run:
    story = Story()
    story.task("main", function="main").runs(10).returns()
    return replace(story.run(), uncaught=(Uncaught(error, text, False, False, raised_in, None),))


def checked(folder: Path, first: First, check: str) -> str:
    """What `check` says of it."""
    script = script_of(first, folder)
    (folder / "check.py").write_text(check, encoding="utf-8")
    exercise = Exercise("tea", folder, "Load.", ("load",), ("load",), True, 5.0, 0.05, ({},), ())
    message = judge(exercise, script).message
    assert message is not None
    return message


def test_check_says_it_before_what_it_saw(tmp_path: Path) -> None:
    first = next(one for one in TABLE if one.name == "await time.sleep")
    message = checked(tmp_path, first, "def check(seen): pass")
    assert message.index("`await asyncio.sleep(...)`") < message.index("The program failed")


def test_check_names_a_limit_that_is_made_for_each_call(tmp_path: Path) -> None:
    first = First("", each("async with asyncio.Lock():", "None"), "")
    message = checked(tmp_path, first, "def check(seen): seen.calls('load').open_is(1)")
    assert message.startswith("A lock was made 3 times at app.py:")
    assert "Make one lock outside the function" in message
    assert "At most 1 call of load may be at work" in message


def test_never_awaited_call_is_reported_first_unless_it_failed(tmp_path: Path) -> None:
    check = "def check(seen): seen.calls('load').happen(1)"
    message = checked(tmp_path, First("", "    load(1)", ""), check)
    assert message.startswith("load() was called at app.py:")
    assert message.endswith("There should be 1 call of load; there were none.")
    message = checked(tmp_path, First("", "    load(1)\n    raise KeyError(1)", ""), check)
    assert message.startswith("The program failed: KeyError: 1")
    assert "And: load() was called" in message


def test_trace_says_it_too(tmp_path: Path) -> None:
    first = next(one for one in TABLE if one.name == "gather of a list")
    done = in_process("trace", "--plain", str(script_of(first, tmp_path)))
    assert first.says in " ".join(done.out.split())
