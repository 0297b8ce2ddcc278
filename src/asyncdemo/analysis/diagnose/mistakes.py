"""Beginners' mistakes with asyncio: what a raw error means, and what was meant instead.

A table matches the error that ended the script; some mistakes show in a run without an error. Each was made
by somebody who tried an exercise for the first time (``tests/unit/course/test_first_mistakes.py`` has all).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from asyncdemo.analysis.diagnose.awaiting import first_tasks
from asyncdemo.analysis.diagnose.finding import Finding, at, detector, finding, plural
from asyncdemo.analysis.metrics import left_pending
from asyncdemo.model import Outcome, Run, Site, State, TrackKind, Uncaught

_ACQUIRES: Final = re.compile(r"\b(Lock|Semaphore|Condition)\.acquire$")
_FindingText = tuple[str, str, Site | None]
"""(message, advice, the line it is about)"""
_UNFINISHED: Final = r"(?:_asyncio\.)?(coroutine|Task|Future|_GatheringFuture)"
_NOT_ITS_RESULT: Final = "This is a {0}, not its result."
_AWAIT_IT: Final = "Put an `await` before it: a call of a coroutine function gives only a coroutine."
_CANNOT_AWAIT: Final = r"object ({0}) can't be used in 'await' expression|'({0})' object can't be awaited"
_PLAIN: Final = "int|float|complex|bool|str|bytes|bytearray|dict|frozenset|range|module|type|ellipsis"
_SCOPED: Final = "TaskGroup|Timeout|Lock|Semaphore|BoundedSemaphore|Condition|timeout"


@dataclass(frozen=True, slots=True)
class _Mistake:
    """``error``, ``pattern`` and ``raised_in`` match the error's type, text, and the function that raised it.

    The pattern is of the whole text, as Python or asyncio writes it. In ``message`` and ``advice``, ``{0}``
    is the first of its groups that matches something.
    """

    pattern: str
    message: str
    advice: str
    error: str = "TypeError"
    raised_in: str = ""


_TABLE: Final = (
    _Mistake(
        r"object NoneType can't be used in 'await' expression|'NoneType' object can't be awaited",
        "What follows this `await` has already run, and returned None: it isn't a coroutine.",
        "`time.sleep()` and other ordinary functions can't be awaited. Write `await asyncio.sleep(...)`, or "
        "for a function that blocks `await asyncio.to_thread(function, ...)`.",
    ),
    _Mistake(
        rf"{_CANNOT_AWAIT.format('list|tuple|set|generator')}",
        "A {0} can't be awaited, even if it's full of tasks or coroutines.",
        "Await everything in it: `await asyncio.gather(*tasks)`.",
    ),
    _Mistake(
        rf"{_CANNOT_AWAIT.format(_PLAIN)}",
        "What follows this `await` is already a result (of type {0}).",
        "Leave out this `await`: only calls of coroutine functions, tasks and futures are awaited.",
    ),
    _Mistake(
        rf"{_CANNOT_AWAIT.format('function|method|builtin_function_or_method')}",
        "What follows this `await` is a {0} itself, not a call of it.",
        "Call it: `await f(...)`.",
    ),
    _Mistake(
        rf"{_CANNOT_AWAIT.format('Future')}",
        "This {0} can't be awaited: one that `executor.submit(...)` returns is for threads.",
        "Write `await asyncio.wrap_future(future)`, or `await loop.run_in_executor(executor, f, x)` in place "
        "of `executor.submit(f, x)`.",
    ),
    _Mistake(
        rf"{_CANNOT_AWAIT.format('async_generator')}",
        "There's a `yield` in this function, so it's an asynchronous generator: its call can't be awaited.",
        "Loop over it with `async for`.",
    ),
    _Mistake(
        rf"{_CANNOT_AWAIT.format('_AsyncGeneratorContextManager')}",
        "This is an asynchronous context manager: it's entered, not awaited.",
        "Write `async with f(...) as value:`.",
    ),
    _Mistake(
        r"'(\w+)' object is not callable",
        "A thread was given something to call that isn't a function (type {0}). The function was called too "
        "early, on the event loop, and its result was passed to the thread.",
        "Pass the function and its arguments: `asyncio.to_thread(f, x)`, not `asyncio.to_thread(f(x))`.",
        raised_in=r"(_WorkItem|WorkerContext)\.run",
    ),
    _Mistake(
        r"(?:a coroutine was expected|coroutine is required.*), got <function (?:.*\.)?(\w+) at .+>",
        "A coroutine is needed here, and `{0}` without parentheses is the function itself.",
        "Call it: `{0}(...)`.",
        error="(TypeError|ValueError)",
    ),
    _Mistake(
        r"a coroutine was expected, got <async_generator object (?:.*\.)?(\w+) at .+>",
        "There's a `yield` in `{0}`, so it's an asynchronous generator and can't be run like a coroutine.",
        "Collect the results in a list and return that, or loop over it with `async for`.",
        error="(TypeError|ValueError)",
    ),
    _Mistake(
        r"a coroutine was expected, got <(?:\w+ )*(_GatheringFuture|Future|Task)\b.*",
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
        r"Passing coroutines is forbidden, use tasks explicitly\.",
        "`asyncio.wait` takes tasks, and was given coroutines.",
        "Write `await asyncio.gather(*coroutines)`, which also keeps their order, or create tasks first.",
    ),
    _Mistake(
        rf"'(?:[\w.]+\.)?({_SCOPED})' object does not support the context manager protocol.*",
        "This `{0}` of asyncio is entered with `async with`, not with `with`.",
        "Write `async with`.",
    ),
    _Mistake(
        r"'(?:_thread\.|threading\.)?(lock|RLock|_RLock|Semaphore|Condition)' object does not support the "
        "asynchronous context manager protocol.*",
        "This {0} is from `threading`: it makes threads wait, and would stop the whole event loop.",
        "For tasks there are `asyncio.Lock()` and `asyncio.Semaphore(n)`, with `async with`.",
    ),
    _Mistake(
        r"'(?:\w+\.)*(\w+)' object does not support the asynchronous context manager protocol.*",
        "{0} isn't an asynchronous context manager.",
        "Write `with` instead of `async with`; if a call returned it, check whether the call needs an "
        "`await`.",
    ),
    _Mistake(
        r"asyncio\.run\(\) cannot be called from a running event loop|This event loop is already running|"
        r"Cannot run the event loop while another loop is running",
        "An event loop is already running: this is called from a coroutine.",
        "In an `async def`, write `await` instead of `asyncio.run()` or `run_until_complete()`.",
        error="RuntimeError",
    ),
    _Mistake(
        r"no running event loop|There is no current event loop in thread .+",
        "Nothing runs an event loop here: this line isn't in a coroutine, or it's in another thread.",
        "Do this in an `async def` that is reached from `asyncio.run(main())`.",
        error="RuntimeError",
    ),
    _Mistake(
        r".+ is bound to a different event loop|.+ attached to a different loop",
        "This was created for one event loop and is used in another: each `asyncio.run()` has its own.",
        "Call `asyncio.run()` once, and create locks, queues and tasks inside it.",
        error="RuntimeError",
    ),
    _Mistake(
        r"Result is not (?:set|ready)\.",
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
        r"(?:cannot use '\w+' as .+ \()?unhashable type: '(list|set|dict)'\)?",
        "`gather` takes the coroutines one by one, and was given a {0} of them.",
        "Unpack it: `await asyncio.gather(*coroutines)`.",
        raised_in="gather$",
    ),
    _Mistake(
        r"An asyncio\.Future, a coroutine or an awaitable is required|Task got bad yield: .+",
        "What was passed can't be awaited: a list, a generator, a function, or a result.",
        "`gather` takes coroutines one by one: `asyncio.gather(*coroutines)`. A function must be called: "
        "`f()`.",
        error="(TypeError|RuntimeError)",
    ),
    _Mistake(
        rf"'.+' not supported between instances of '{_UNFINISHED}' and '(?:int|float)'",
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
        r"module 'asyncio' has no attribute 'coroutine'",
        "`@asyncio.coroutine` was removed in Python 3.11.",
        "Write `async def` instead of the decorator, and `await` instead of `yield from`.",
        error="AttributeError",
    ),
    _Mistake(
        r"'coroutine' object has no attribute '(add_done_callback|cancel|cancelled|done|exception|result)'",
        "A coroutine has no `{0}`: tasks have.",
        "Start it as a task: `task = asyncio.create_task(coroutine)`.",
        error="AttributeError",
    ),
    _Mistake(
        rf"'{_UNFINISHED}' object has no attribute '\w+'",
        _NOT_ITS_RESULT,
        _AWAIT_IT,
        error="AttributeError",
    ),
    _Mistake(
        r"cannot pickle '(coroutine)' object",
        "A {0} can't be copied, or sent to another process.",
        "Await it first and send the result, or send the arguments and call the function there.",
    ),
    _Mistake(
        "|".join(
            form.format(_UNFINISHED)
            for form in (
                r"object of type '{}' has no len\(\)",
                r"can only concatenate \w+ \(not \"{}\"\) to \w+",
                r"'{}' object is not (?:iterable|subscriptable|reversible|an iterator)",
                r"'{}' object does not support .+",
                r"cannot unpack non-iterable {} object",
                r"argument of type '{}' is not (?:iterable|a container or iterable)",
                r"unsupported operand type\(s\) for .+: '{}' and '.+'",
                r"unsupported operand type\(s\) for .+: '.+' and '{}'",
                r"'.+' not supported between instances of '{}' and '.+'",
                r"'.+' not supported between instances of '.+' and '{}'",
                r"(?:int|float)\(\) argument must be .+, not '{}'",
                r"Object of type {} is not JSON serializable",
                r"sequence item \d+: expected str instance, {} found",
                r"unsupported format string passed to {}\.__format__",
            )
        ),
        _NOT_ITS_RESULT,
        _AWAIT_IT,
    ),
    _Mistake(
        r"('await'|'async with'|'async for'|asynchronous comprehension) outside (?:of |an )*"
        r"(?:async|function).*",
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
    for mistake in _TABLE:
        match = re.fullmatch(mistake.pattern, error.text)
        if (
            match
            and re.fullmatch(mistake.error, error.error)
            and re.search(mistake.raised_in, error.raised_in)
        ):
            what = next(filter(None, match.groups()), "")
            yield mistake.message.format(what), mistake.advice.format(what), error.site
            return
    dropped = [lost for lost in run.unawaited if _ACQUIRES.search(lost.function)]
    pending = left_pending(run)
    if error.error in ("RuntimeError", "ValueError") and dropped:
        called = f"{dropped[0].function}() was called{at(dropped[0].site)}"
        advice = "`async with lock:` acquires it, and gives it back however the block ends."
        yield f"{called}, but not awaited, so nothing was acquired.", advice, error.site
    elif error.error == "CancelledError" and _was_main_cancelled(run):
        message = "The main coroutine was cancelled before it was done, so the program ended with this error."
        advice = (
            "If a shutdown cancels `asyncio.all_tasks()`, leave out the main task, or catch "
            "`asyncio.CancelledError` around `asyncio.run(...)`."
        )
        yield message, advice, error.site
    elif error.error == "CancelledError" and pending:
        one = len(pending) == 1
        message = (
            f"The main coroutine finished while {plural(len(pending), 'task')} {'was' if one else 'were'} "
            f"still running. {'It was' if one else 'They were'} cancelled, along with everything that waits "
            f"for {'it' if one else 'them'}."
        )
        advice = "If it returned or dropped an `asyncio.gather(...)`: write `await asyncio.gather(...)`."
        yield message, advice, error.site
    elif error.in_group and error.own:
        message = f"A TaskGroup raises an `ExceptionGroup`, even if there's only one {error.error} in it."
        yield message, f"`except* {error.error}:` catches it; `except {error.error}:` doesn't.", error.site


def _was_main_cancelled(run: Run) -> bool:
    return any(run.tracks[track].outcome is Outcome.CANCELLED for track in first_tasks(run.tracks))


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
