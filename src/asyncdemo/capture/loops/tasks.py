"""Observes tasks as tracks: when they are created, first stepped, waiting long, and done.

A task is known from the moment its first step is scheduled. Only asyncio's own methods are called on it: a
subclass may return anything, and is not complete yet when its first step is scheduled.
"""

from __future__ import annotations

import sys
import weakref
from _thread import get_ident  # gevent replaces that of the module
from collections.abc import Callable
from types import AsyncGeneratorType, CodeType, CoroutineType, FrameType, GeneratorType
from typing import Any

from asyncdemo.capture import wire
from asyncdemo.capture.guard import CAPTURE_DIR, Guard
from asyncdemo.capture.loops.handles import TASK_TYPES, TaskState, stepped_task
from asyncdemo.capture.loops.state import Loops, LoopState
from asyncdemo.capture.loops.suspended import chain, code_of, frame_of, is_compiled
from asyncdemo.capture.loops.wait_reasons import Reasons

LONG_WAIT_NS = 10_000_000
"""After a wait longer than this, the place that awaited is recorded."""
_UNSAFE_CALL = (
    "A call in another thread, or in a signal handler, ended a task's wait without waking the event loop, "
    "which noticed {:.2f} s later. asyncio isn't thread-safe: use `loop.call_soon_threadsafe(...)`."
)

_TASKS_WITH_WAITS = 5
"""Of the tasks that run the same function, this many have their long waits reported."""

_MOST_FUNCTIONS = 10_000
"""Functions whose sites are cached: a program has fewer, unless it compiles code."""

_ref, _getframe = weakref.ref, sys._getframe  # the script may replace them


class _Function:
    """What all tasks that run the same function have in common."""

    __slots__ = ("code", "is_stdlib", "site", "tasks")

    def __init__(self, code: CodeType | None, site: int | None, is_stdlib: bool) -> None:
        self.code = code  # kept, because ids are reused
        self.site = site
        self.is_stdlib = is_stdlib
        self.tasks = 0


class Tasks:
    def __init__(self, reasons: Reasons, loops: Loops, guard: Guard) -> None:
        self.recorder = loops.recorder
        self.reasons = reasons
        self.loops = loops
        self._on_destroyed = guard.call("task destroyed", self._destroyed)
        self.states: dict[int, TaskState] = {}
        """id(task) -> its state, for tasks that are not done."""
        self._functions: dict[int, _Function] = {}
        """id(code) -> the function."""
        self._eager_tasks_noted = self._unsafe_call_noted = False
        self._serials: dict[int, tuple[weakref.ref[Any], int]] = {}

    # -- made -----------------------------------------------------------------------------------

    def scheduled(self, callback: Any, loop_state: LoopState, waker: int, ready_ns: int) -> TaskState | None:
        """Return the task whose step the callback is, ready since ``ready_ns``; None if it is no task's.

        A task not seen before was created just now, or was created without the loop and began meanwhile
        (``asyncio.Task(..., eager_start=True)``): then what it did before is not known.
        """
        task = stepped_task(callback)
        if task is None:
            return None
        state = self.states.get(id(task))
        if state is None:
            making = loop_state.making
            if making is None:
                methods, track = _methods_of(type(task)), self.recorder.next_track()
                coroutine = None if methods is None else methods.get_coro(task)
                state = self.adopt(task, coroutine, _getframe(1), loop_state, waker, ready_ns, track)
                if state is not None and type(coroutine) is CoroutineType and coroutine.cr_suspended:
                    self._note_eager_tasks(coroutine)
            else:
                state = making.adopt(task)
                waker = making.parent if waker == making.track else waker
            if state is None:
                return None
        state.waker = waker
        state.ready_ns = ready_ns
        return state

    def _note_eager_tasks(self, coroutine: Any) -> None:
        if not self._eager_tasks_noted:
            self._eager_tasks_noted = True
            note = (
                "Eager tasks that the loop's `create_task` did not create are recorded only from their first "
                f"suspension on ({_name(coroutine)})."
            )
            self.recorder.define(wire.Note(note))

    def adopt(
        self,
        task: Any,
        coroutine: Any,
        creator: FrameType | None,
        loop_state: LoopState,
        parent: int,
        at_ns: int,
        track: int,
    ) -> TaskState | None:
        """Give a task its track. Return None if it cannot be observed. The frame ``creator`` made it."""
        methods = _methods_of(type(task))
        if methods is None:
            return None
        try:
            state = TaskState(task, self._on_destroyed)
        except TypeError:  # takes no weak reference
            return None
        recorder = self.recorder
        if type(coroutine) is CoroutineType:
            function = self._functions.get(id(coroutine.cr_code)) or self._function(coroutine)
            name = str(coroutine.__qualname__)
        else:
            function, name = self._function(coroutine), _name(coroutine)
        state.key, state.methods, state.track = id(task), methods, track
        state.end_ns = state.ready_ns = at_ns
        state.waker = parent
        state.name = str(methods.get_name(task))
        state.reports_waits = function.tasks < _TASKS_WITH_WAITS
        function.tasks += 1
        thread = loop_state.thread
        if thread is None:
            here = recorder.threads.get(get_ident())  # where the loop will run, if it does not yet
            thread = None if here is None else here.track
        own = function.is_stdlib and self._made_by_itself(creator)
        gap = recorder.gap
        if own:
            gap.own.add(track)
        announce = gap.hold if gap.is_open and not own else self._announce
        announce(
            track,
            state.name,
            name,
            function.site,
            recorder.maker_site(creator),
            parent if parent >= 0 else None,
            at_ns,
            thread,
            own,
        )
        self.states[state.key] = state
        recorder.tasks[state.key] = track
        return state

    def _announce(self, *task: Any) -> None:
        # A garbage collection walks a tuple of plain values only once.
        self.recorder.define(wire.Task(*task))

    def _function(self, coroutine: Any) -> _Function:
        code = coroutine.cr_code if type(coroutine) is CoroutineType else code_of(coroutine)
        known = self._functions.get(id(code))
        if known is None:
            if len(self._functions) > _MOST_FUNCTIONS:
                self._functions.clear()
            recorder = self.recorder
            site = None if code is None else recorder.code_site(code)
            # uvloop's are compiled
            is_stdlib = type(coroutine) is not CoroutineType or recorder.origins.is_stdlib(
                coroutine.cr_code.co_filename
            )
            known = self._functions[id(code)] = _Function(code, site, is_stdlib)
        return known

    def _made_by_itself(self, frame: FrameType | None) -> bool:
        """Whether a task of the standard library's was also created by it, for its own use."""
        while frame is not None and self.recorder.origins.is_stdlib(frame.f_code.co_filename):
            code = frame.f_code
            ours = code.co_filename.startswith(CAPTURE_DIR)
            if not ours and code.co_name not in _TASK_MAKERS and code.co_qualname != "Task.__init__":
                return True
            frame = frame.f_back
        return frame is None

    # -- over -----------------------------------------------------------------------------------

    def _destroyed(self, state: weakref.ref[Any]) -> None:
        assert isinstance(state, TaskState)
        if self.states.get(state.key) is state:
            del self.states[state.key]
            self.recorder.tasks.pop(state.key, None)
            self.recorder.define(wire.Destroyed(state.track, self.recorder.now()))

    def finish(self, task: Any, state: TaskState, at_ns: int) -> None:
        """Record a task's end. Reads private attributes: ``exception()`` would count as looking at it."""
        self.recorder.tasks.pop(state.key, None)
        self.states.pop(state.key, None)
        cancelled = state.methods.cancelled(task)
        exception = None if cancelled else getattr(task, "_exception", None)
        recorder, name = self.recorder, state.methods.get_name(task)
        outcome = "cancelled" if cancelled else "returned" if exception is None else "raised"
        error = None if exception is None else type(exception).__name__
        gap = recorder.gap
        if not gap.is_open:
            gap.own.discard(state.track)
        elif gap.count_end(state.track, outcome, error):
            return
        if exception is None and name == state.name:
            recorder.record((wire.ENDED, state.track, at_ns, cancelled, 0, 0))
            return
        if type(exception) is SystemExit and type(exception.code) is int:
            error = f"SystemExit: {exception.code}"
        recorder.define(wire.End(state.track, at_ns, outcome, error, None, str(name)))

    def record_eager_step(
        self, task: Any, state: TaskState, coroutine: Any, start_ns: int, parent: int
    ) -> None:
        """Record the first step of a task if it ran while the task was created, which was just now."""
        future = getattr(task, "_fut_waiter", None)
        is_done = future is None and state.methods.done(task)
        yielded = not is_done and type(coroutine) is CoroutineType and coroutine.cr_suspended
        if future is None and not is_done and not yielded:
            return
        end = self.recorder.now()
        wait = wire.WAIT_DONE if is_done else wire.WAIT_YIELD
        if future is not None:
            wait = self.reasons.classify(coroutine, future)
        if is_done:
            self.finish(task, state, end)
        self.recorder.record_step((state.track, start_ns, start_ns, end, wait, parent))
        state.end_ns = end
        if not is_done and future is None:
            state.ready_ns = end

    def record_long_wait(self, state: TaskState, end_ns: int, loop_state: LoopState) -> int:
        """Record the calls of the user's code in which the task was suspended during a long wait.

        Only for the first few tasks that run a function: if many do, they are concurrent already. Returns the
        end of the wait: if something ended it while the loop slept on, that is when the loop woke.
        """
        asleep_ns = max(loop_state.slept_ns, loop_state.runs_ns)
        if state.waker == wire.BY_LOOP and asleep_ns < end_ns < loop_state.woke_ns:
            late_ns = loop_state.woke_ns - end_ns
            if late_ns > LONG_WAIT_NS and not self._unsafe_call_noted:
                self._unsafe_call_noted = True
                self.recorder.define(wire.Note(_UNSAFE_CALL.format(late_ns / 1e9)))
            end_ns = loop_state.woke_ns
        if not state.reports_waits:
            return end_ns
        recorder = self.recorder
        places: list[tuple[int, int | None]] = []
        for awaitable in chain(state.methods.get_coro(state())):
            frame = frame_of(awaitable)
            # an async generator resumes when it is asked to: its awaits are sequential by nature
            own = (
                frame is not None
                and type(awaitable) is not AsyncGeneratorType
                and recorder.origins.is_user(frame.f_code.co_filename)
            )
            places.append((self._serial(awaitable), recorder.frame_site(frame) if own else None))
        if any(site is not None for _, site in places):
            recorder.define(wire.Pause(state.track, state.end_ns, end_ns, places))
        return end_ns

    def _serial(self, awaitable: Any) -> int:
        """A number for this very object, because ids are reused."""
        key = id(awaitable)
        known = self._serials.get(key)
        if known is not None and known[0]() is awaitable:
            return known[1]
        serial = self.recorder.next_serial()
        self._serials[key] = _ref(awaitable, lambda _: self._serials.pop(key, None)), serial
        return serial


class Making:
    """A task that ``create_task`` is creating, and whose first step may run meanwhile."""

    __slots__ = ("_at_ns", "_coroutine", "_creator", "_loop_state", "_outer", "_tasks", "parent", "track")

    def __init__(self, tasks: Tasks, loop_state: LoopState, coroutine: Any, creator: FrameType) -> None:
        """``creator`` is the frame that calls ``create_task``."""
        self._tasks = tasks
        self._loop_state = loop_state
        self._coroutine = coroutine
        self._creator = creator
        self._at_ns = tasks.recorder.now()
        self._outer = loop_state.making
        self.parent = loop_state.current
        self.track = tasks.recorder.next_track()
        loop_state.making, loop_state.current = self, self.track

    def adopt(self, task: Any) -> TaskState | None:
        """Adopt this task, or another one that its first step or a factory makes without ``create_task``."""
        methods = _methods_of(type(task))
        coroutine = None if methods is None else methods.get_coro(task)
        track = self.track if coroutine is self._coroutine else self._tasks.recorder.next_track()
        return self._adopt(task, coroutine, track)

    def _adopt(self, task: Any, coroutine: Any, track: int) -> TaskState | None:
        return self._tasks.adopt(
            task, coroutine, self._creator, self._loop_state, self.parent, self._at_ns, track
        )

    def leave(self) -> None:
        """The task was created, or could not be."""
        self._loop_state.making, self._loop_state.current = self._outer, self.parent

    def done(self, task: Any) -> None:
        """Record the first step, which ran if the task waits, is done or has yielded.

        Does not call the task's ``get_coro``: Python 3.12.1 crashes if it was eager and is done.
        """
        state = self._tasks.states.get(id(task))
        if state is None:
            state = self._adopt(task, self._coroutine, self.track)
        if state is not None and state.track == self.track:
            self._tasks.record_eager_step(task, state, self._coroutine, self._at_ns, self.parent)


def observing_creation(
    original: Callable[..., Any],
    has_factory: Callable[[Any], bool],
    tasks: Tasks,
    failed: Callable[[Exception], bool],
) -> Callable[..., Any]:
    """Return ``create_task`` for a loop's class, which reports tasks that may begin while they are created.

    All others are found when their first step is scheduled.
    """

    def create_task(self: Any, coro: Any, **options: Any) -> Any:
        if not has_factory(self) and not options.get("eager_start"):
            return original(self, coro, **options)
        making = None
        try:
            making = Making(tasks, tasks.loops.state_of(self), coro, _getframe(1))
        except Exception as error:
            if not failed(error):
                raise
        if making is None:
            return original(self, coro, **options)
        try:
            task = original(self, coro, **options)
        finally:
            making.leave()
        try:
            making.done(task)
        except Exception as error:
            if not failed(error):
                raise
        return task

    return create_task


def _methods_of(kind: Any) -> Any:
    """The class whose methods are called on a task; None if only its step methods have a task's names."""
    for known in TASK_TYPES:
        if kind is known or issubclass(kind, known):
            return known
    return kind if all(hasattr(kind, name) for name in _METHODS) else None


_METHODS = ("cancelled", "done", "get_coro", "get_name")


def _name(coroutine: Any) -> str:
    kind = type(coroutine)
    known = kind in _COROUTINES or is_compiled(kind)
    return str(coroutine.__qualname__) if known else kind.__name__


_COROUTINES = frozenset({CoroutineType, GeneratorType, AsyncGeneratorType})


_TASK_MAKERS = frozenset(
    {
        "_call_soon",
        "_ensure_future",
        "as_completed",
        "call_soon",
        "create_task",
        "ensure_future",
        "gather",
        "run",
        "run_until_complete",
        "wait",
    }
)
"""Functions that create tasks, and those that they call."""
