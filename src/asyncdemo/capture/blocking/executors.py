"""Observes executors: pools of workers as resources, and the work items that queue for them."""

from __future__ import annotations

import asyncio.futures
import concurrent.futures
import concurrent.futures.thread
import weakref
from typing import Any

from asyncdemo.capture import wire
from asyncdemo.capture.blocking.limits import Limits
from asyncdemo.capture.blocking.waits import Labelled, Waits
from asyncdemo.capture.guard import caller_of_hooked
from asyncdemo.capture.instrument import Patches, around, at_end, on_entry_with_all, on_return
from asyncdemo.capture.loops.state import Loops
from asyncdemo.capture.loops.wait_reasons import Reasons
from asyncdemo.capture.recorder import Recorder


class Executors:
    def __init__(
        self, recorder: Recorder, reasons: Reasons, loops: Loops, limits: Limits, waits: Waits
    ) -> None:
        self._recorder = recorder
        self._reasons = reasons
        self._loops = loops
        self._limits = limits
        self._waits = waits
        self._items: dict[int, tuple[int, weakref.ref[Any]]] = {}
        """id(concurrent future) -> its item."""
        self._awaited: dict[int, int] = {}
        """item -> id of the asyncio future it completes."""

    def install(self, patches: Patches) -> None:
        futures = concurrent.futures
        patches.rewrite(futures.thread, "ThreadPoolExecutor.__init__", self._pool_made, at_end)
        patches.rewrite(futures.thread, "_WorkItem.__init__", self._queued, at_end)
        patches.rewrite(futures.thread, "_WorkItem.run", lambda item: _ItemRun(self, item.future), around)
        patches.rewrite(futures._base, "Future.result", self._result, around)
        patches.rewrite(futures._base, "Future.exception", self._result, around)
        patches.rewrite(asyncio.futures, "_chain_future", self._chained, on_entry_with_all)

    def install_process_pool(self, patches: Patches, module: Any) -> None:
        patches.rewrite(module, "ProcessPoolExecutor.__init__", self._pool_made, at_end)
        patches.rewrite(module, "ProcessPoolExecutor.submit", self._submitted, on_return)

    def _pool_made(self, pool: Any) -> None:
        self._limits.add(pool, "executor", pool._max_workers, caller_of_hooked())

    def _add(self, future: Any, pool: Any) -> int:
        recorder = self._recorder
        item = recorder.next_item()
        key = id(future)
        self._items[key] = item, weakref.ref(future, lambda _: self._items.pop(key, None))
        resource = self._limits.resource_of(pool)
        if resource is not None:
            recorder.record(
                (wire.ITEM_QUEUED, item, recorder.now(), resource, self._loops.current_track(), 0)
            )
        return item

    def _queued(self, work_item: Any) -> None:
        submit = caller_of_hooked()
        self._add(work_item.future, None if submit is None else submit.f_locals.get("self"))

    def _submitted(self, pool: Any, future: Any) -> Any:
        """A process pool starts an item when a worker is free; the run's parent infers when that was."""
        item = self._add(future, pool)
        future.add_done_callback(lambda _: self.done(item))
        return future

    def item_of(self, future: Any) -> int | None:
        known = self._items.get(id(future))
        return None if known is None or known[1]() is not future else known[0]

    def done(self, item: int) -> None:
        recorder = self._recorder
        recorder.record((wire.ITEM_DONE, item, recorder.now(), 0, 0, 0))
        self._reasons.items.pop(self._awaited.pop(item, -1), None)

    def _chained(self, source: Any, destination: Any) -> None:
        item = self.item_of(source)
        if item is not None:
            self._awaited[item] = id(destination)
            self._reasons.items[id(destination)] = item
            if source.done():
                self._reasons.items.pop(self._awaited.pop(item, -1), None)

    def _result(self, future: Any) -> Labelled:
        item = self.item_of(future)
        if item is None:
            return self._waits.labelled("future")
        return self._waits.labelled("thread", item=item)


class _ItemRun:
    __slots__ = ("_executors", "_item", "_thread_state")

    def __init__(self, executors: Executors, future: Any) -> None:
        self._executors = executors
        self._item = executors.item_of(future)
        self._thread_state = executors._waits.thread_state()

    def __enter__(self) -> None:
        recorder = self._executors._recorder
        at_ns = recorder.now()
        recorder.record((wire.THREAD_RUNS, self._thread_state.track, at_ns, 0, 0, 0))
        if self._item is not None:
            recorder.record((wire.ITEM_STARTED, self._item, at_ns, self._thread_state.track, 0, 0))

    def __exit__(self, *exc_info: object) -> None:
        recorder = self._executors._recorder
        if self._item is not None:
            self._executors.done(self._item)
        idle = recorder.wait("idle")
        recorder.record((wire.THREAD_WAITS, self._thread_state.track, recorder.now(), idle, 0, 0))
