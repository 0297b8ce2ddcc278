"""Beginners' mistakes with asyncio: what a raw error means, and what was meant instead.

A table matches the error that ended the script; some mistakes show in a run without an error. Each was made
by somebody who tried an exercise for the first time (``tests/unit/course/test_first_mistakes.py`` has all).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from asyncdemo.analysis.diagnose.finding import Finding, at, detector, finding, plural
from asyncdemo.analysis.metrics import left_pending
from asyncdemo.model import Run, Site, State, TrackKind, Uncaught

_ACQUIRES: Final = re.compile(r"\b(Lock|Semaphore|Condition)\.acquire$")
_FindingText = tuple[str, str, Site | None]
"""(message, advice, the line it is about)"""
_SCOPED: Final = "TaskGroup|Timeout|Lock|Semaphore|BoundedSemaphore|Condition|timeout"


@dataclass(frozen=True, slots=True)
class _Mistake:
    """``error``, ``pattern`` and ``raised_in`` match the error's type, text, and the function that raised it.

    In ``message`` and ``advice``, ``{0}`` is what the pattern's first group matches.
    """

    pattern: str
    message: str
    advice: str
    error: str = "TypeError"
    raised_in: str = ""


_TABLE: Final = (
    _Mistake(
        r"object NoneType can't be used in 'await'|'NoneType' object can't be awaited",
        "What follows this `await` has already run, and returned None: it isn't a coroutine.",
        "`time.sleep()` and other ordinary functions can't be awaited. Write `await asyncio.sleep(...)`, or "
        "for a function that blocks `await asyncio.to_thread(function, ...)`.",
    ),
    _Mistake(
        r"(?:object )?'?(list|tuple|set|generator|dict)'?(?: object)? can't be (?:used in 'await'|awaited)",
        "A {0} can't be awaited, even if it's full of tasks or coroutines.",
        "Await everything in it: `await asyncio.gather(*tasks)`.",
    ),
    _Mistake(
        r"(?:object )?'?(\w+)'?(?: object)? can't be (?:used in 'await'|awaited)",
        "What follows this `await` is already a result (of type {0}).",
        "Leave out this `await`: only calls of coroutine functions, tasks and futures are awaited.",
    ),
    _Mistake(
        r"'(\w+)' object is not callable",
        "A thread was given something to call that isn't a function (type {0}). The function was called too "
        "early, on the event loop, and its result was passed to the thread.",
        "Pass the function and its arguments: `asyncio.to_thread(f, x)`, not `asyncio.to_thread(f(x))`.",
        raised_in=r"(_WorkItem|WorkerContext)\.run",
    ),
    _Mistake(
        r"(?:a coroutine was expected|coroutine is required.*), got <function (?:.*\.)?(\w+) at",
        "A coroutine is needed here, and `{0}` without parentheses is the function itself.",
        "Call it: `{0}(...)`.",
        error="(TypeError|ValueError)",
    ),
    _Mistake(
        r"a coroutine was expected, got <async_generator object (?:.*\.)?(\w+) at",
        "There's a `yield` in `{0}`, so it's an asynchronous generator and can't be run like a coroutine.",
        "Collect the results in a list and return that, or loop over it with `async for`.",
        error="(TypeError|ValueError)",
    ),
    _Mistake(
        r"a coroutine was expected, got <(?:\w+ )*(_GatheringFuture|Future|Task)\b",
        "A coroutine is needed here, and this is a future or task.",
        "Await it in a coroutine function (`async def main(): ...`), and run that: `asyncio.run(main())`.",
        error="(TypeError|ValueError)",
    ),
    _Mistake(
        r"a coroutine was expected, got (.+)",
        "A coroutine is needed here, and this is already a result: {0}.",
        "Pass the call itself, without `await`, and make sure that the function is an `async def`.",
        error="(TypeError|ValueError)",
    ),
    _Mistake(
        r"Passing coroutines is forbidden",
        "`asyncio.wait` takes tasks, and was given coroutines.",
        "Write `await asyncio.gather(*coroutines)`, which also keeps their order, or create tasks first.",
    ),
    _Mistake(
        rf"'(?:[\w.]+\.)?({_SCOPED})' object does not support the context manager protocol",
        "This `{0}` of asyncio is entered with `async with`, not with `with`.",
        "Write `async with`.",
    ),
    _Mistake(
        r"'(?:_thread\.|threading\.)?(lock|RLock|_RLock|Semaphore|Condition)' object does not support the "
        "asynchronous context",
        "This {0} is from `threading`: it makes threads wait, and would stop the whole event loop.",
        "For tasks there are `asyncio.Lock()` and `asyncio.Semaphore(n)`, with `async with`.",
    ),
    _Mistake(
        r"'(?:\w+\.)*(\w+)' object does not support the asynchronous context manager protocol",
        "{0} isn't an asynchronous context manager.",
        "Write `with` instead of `async with`; if a call returned it, check whether the call needs an "
        "`await`.",
    ),
    _Mistake(
        r"asyncio\.run\(\) cannot be called from|event loop is already running|another loop is running",
        "An event loop is already running: this is called from a coroutine.",
        "In an `async def`, write `await` instead of `asyncio.run()` or `run_until_complete()`.",
        error="RuntimeError",
    ),
    _Mistake(
        r"no (?:running|current) event loop",
        "Nothing runs an event loop here: this line isn't in a coroutine, or it's in another thread.",
        "Do this in an `async def` that is reached from `asyncio.run(main())`.",
        error="RuntimeError",
    ),
    _Mistake(
        r"is bound to a different event loop|attached to a different loop",
        "This was created for one event loop and is used in another: each `asyncio.run()` has its own.",
        "Call `asyncio.run()` once, and create locks, queues and tasks inside it.",
        error="RuntimeError",
    ),
    _Mistake(
        r"Result is not (?:set|ready)",
        "The task was asked for its result before it was done.",
        "Await it first: `await task` gives the result. After the block of an `async with "
        "asyncio.TaskGroup()`, all its tasks are done.",
        error="InvalidStateError",
    ),
    _Mistake(
        r"TaskGroup .* has not been entered",
        "The task group was created, but never entered, so it can't take tasks.",
        "Write `async with asyncio.TaskGroup() as group:`, and create the tasks inside.",
        error="RuntimeError",
    ),
    _Mistake(
        r"unhashable type: '(list|set|dict)'",
        "`gather` takes the coroutines one by one, and was given a {0} of them.",
        "Unpack it: `await asyncio.gather(*coroutines)`.",
        raised_in="gather$",
    ),
    _Mistake(
        r"coroutine or an awaitable is required|Task got bad yield",
        "What was passed can't be awaited: a list, a generator, a function, or a result.",
        "`gather` takes coroutines one by one: `asyncio.gather(*coroutines)`. A function must be called: "
        "`f()`.",
        error="(TypeError|RuntimeError)",
    ),
    _Mistake(
        r"not supported between instances of '(coroutine|Task)' and '(?:int|float)'",
        "The time limit is a {0} here: the arguments are the wrong way round.",
        "`asyncio.wait_for(coroutine, seconds)`: first what to wait for, then how long.",
        raised_in="wait_for$",
    ),
    _Mistake(
        r"cannot reuse already awaited coroutine",
        "A coroutine runs once, and this one has been awaited before.",
        "Call its function again for each run, or create one task from it, which can be awaited many times.",
        error="RuntimeError",
    ),
    _Mistake(
        r"'async for' requires an object with __aiter__ method, got (\w+)",
        "A {0} isn't asynchronous, so `async for` can't loop over it.",
        "Write `for`, with `await` inside the loop.",
    ),
    _Mistake(
        r"'async_generator' object is not iterable",
        "An asynchronous generator can't be looped over with `for`.",
        "Write `async for`.",
    ),
    _Mistake(
        r"['\"](?:_asyncio\.)?(coroutine|Task|Future|_GatheringFuture)['\"]",
        "This is a {0}, not its result.",
        "Put an `await` before it: a call of a coroutine function gives only a coroutine.",
        error="(TypeError|AttributeError)",
    ),
    _Mistake(
        r"('await'|'async with'|'async for'|asynchronous comprehension) outside (?:of |an )*(async|function)",
        "{0} can only be used in a function that begins with `async def`.",
        "Write `async def`, and `await` that function where it's called; at the top of a file "
        "`asyncio.run(main())` starts the first one.",
        error="SyntaxError",
    ),
    _Mistake(
        "",
        "A debugger ended the program: `breakpoint()` opens one, and in a check nobody can type into it.",
        "Take out `breakpoint()`, or debug the file itself: `python FILE`.",
        error=r"(bdb\.)?BdbQuit",
    ),
)


@detector(
    "mistaken-call",
    "the program failed or hung at a call that can't work with asyncio",
)
def mistakes(run: Run) -> Iterator[Finding]:
    """Find what the author probably did not intend: from the final error, and from locks."""
    from_errors = [text for error in _errors(run) for text in _of_error(run, error)]
    for message, advice, site in (*from_errors, *_thread_locks(run)):
        yield finding(message, advice, site)


def _errors(run: Run) -> Iterator[Uncaught]:
    yield from run.uncaught
    for note in run.notes if not run.tracks else ():
        if "SyntaxError: " in note:  # it never started
            yield Uncaught("SyntaxError", note.partition("SyntaxError: ")[2], False, False, "", None)


def _of_error(run: Run, error: Uncaught) -> Iterator[_FindingText]:
    for one in _TABLE:
        match = re.search(one.pattern, error.text)
        if match and re.fullmatch(one.error, error.error) and re.search(one.raised_in, error.raised_in):
            what = match[1] if match.groups() else ""
            yield one.message.format(what), one.advice.format(what), error.site
            return
    dropped = [lost for lost in run.unawaited if _ACQUIRES.search(lost.function)]
    pending = left_pending(run)
    if error.error in ("RuntimeError", "ValueError") and dropped:
        called = f"{dropped[0].function}() was called{at(dropped[0].site)}"
        advice = "`async with lock:` acquires it, and gives it back however the block ends."
        yield f"{called}, but not awaited, so nothing was acquired.", advice, error.site
    elif error.error == "CancelledError" and pending:
        message = (
            f"The main coroutine finished while {plural(len(pending), 'task')} were still running. They "
            "were cancelled, along with everything that waits for them."
        )
        advice = "If it returned or dropped an `asyncio.gather(...)`: write `await asyncio.gather(...)`."
        yield message, advice, error.site
    elif error.in_group and error.own:
        message = f"A TaskGroup raises an `ExceptionGroup`, even if there's only one {error.error} in it."
        yield message, f"`except* {error.error}:` catches it; `except {error.error}:` doesn't.", error.site


def _thread_locks(run: Run) -> Iterator[_FindingText]:
    """A task waits for a ``threading`` lock that another task of its thread holds: neither can continue."""
    for one in run.stuck:
        if one.track is None or one.resource is None or (one.state, one.reason) != (State.RUNNING, "lock"):
            continue
        waiting = run.tracks[one.track]
        holders = [run.tracks[held.track] for held in run.holdings if held.resource == one.resource]
        if any(other.kind is TrackKind.TASK and other.thread == waiting.thread for other in holders):
            message = (
                "A `threading.Lock` is held across an `await`, and another task of the same event loop waits "
                f"for it{at(one.site)}. So the loop is blocked, and the task with the lock can't continue."
            )
            yield message, "For tasks there is `asyncio.Lock()`, with `async with lock:`.", one.site
            return
