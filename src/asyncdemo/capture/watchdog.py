"""The lens' one own thread: sees which line blocks a loop, and sends the recorded events.

It is started with ``_thread`` so that ``threading.enumerate`` does not show it to the script.
"""

from __future__ import annotations

import _thread
import sys
import time
from collections.abc import Callable
from types import FrameType

from asyncdemo.capture.eventloop import EventLoops, LoopLens
from asyncdemo.capture.recorder import CAPTURE_DIR, Recorder

_clock = time.perf_counter_ns  # the real one, also where the script's is virtual
POLL_S = 0.01
SAMPLE_AFTER_NS = 20_000_000
REPORT_AFTER_NS = 50_000_000
FLUSH_NS = 40_000_000


class Usage:
    """CPU time, and time taken away by the system, of a thread up to a moment."""

    __slots__ = ("at_ns", "cpu_ns", "stolen_ns")

    def __init__(self, at_ns: int, cpu_ns: int | None, stolen_ns: int | None) -> None:
        self.at_ns = at_ns
        self.cpu_ns = cpu_ns
        self.stolen_ns = stolen_ns


class Sample:
    """The lines seen while one step was being run."""

    __slots__ = ("counts", "reported_ns", "started_ns")

    def __init__(self, started_ns: int) -> None:
        self.started_ns = started_ns
        self.counts: dict[tuple[int | None, int | None], int] = {}
        self.reported_ns = 0

    @property
    def places(self) -> tuple[int | None, int | None]:
        """(site, called_from) seen most often."""
        return max(self.counts, key=self.counts.__getitem__, default=(None, None))


class Watchdog:
    def __init__(
        self, recorder: Recorder, sleep: Callable[[float], None], on_lost: Callable[[OSError], None]
    ) -> None:
        """sleep: the real one. on_lost: the parent cannot be reached any more."""
        self._recorder = recorder
        self._lenses: list[LoopLens] = []
        self._sleep = sleep
        self._on_lost = on_lost

    def start(self, loops: EventLoops) -> None:
        self._lenses = loops.lenses
        _thread.start_new_thread(self._run, ())

    def _run(self) -> None:
        recorder, sleep = self._recorder, self._sleep
        flushed = _clock()
        while recorder.active:
            sleep(POLL_S)
            for lens in list(self._lenses):
                self._look(lens)
            if _clock() - flushed > FLUSH_NS:
                flushed = _clock()
                try:
                    recorder.flush()
                except OSError as error:
                    self._on_lost(error)
                    return

    def _look(self, lens: LoopLens) -> None:
        recorder = self._recorder
        started = max(lens.started_ns, 0)
        now = recorder.now()
        if not started or lens.usage_of_step != started:
            lens.usage, lens.usage_of_step = usage_of(lens.native), started
        if not started or now - started < SAMPLE_AFTER_NS:
            return
        sample: Sample | None = lens.sample
        if sample is None or sample.started_ns != started:
            sample = lens.sample = Sample(started)
        frame = sys._current_frames().get(lens.ident)
        if lens.started_ns != started:
            return  # the step ended while we looked
        places = self.places(frame)
        sample.counts[places] = sample.counts.get(places, 0) + 1
        if now - started > REPORT_AFTER_NS and now - sample.reported_ns > REPORT_AFTER_NS:
            sample.reported_ns = now
            recorder.define(["blocked", started, now, *places])

    def places(self, frame: FrameType | None) -> tuple[int | None, int | None]:
        """The innermost line that is not the standard library's, and the nearest of the user's code."""
        recorder = self._recorder
        while frame is not None and frame.f_code.co_filename.startswith(CAPTURE_DIR):
            frame = frame.f_back
        return recorder.frame_site(recorder.caller(frame)), recorder.frame_site(recorder.user_caller(frame))

    def slow_step(self, lens: LoopLens, track: int, start_ns: int, end_ns: int) -> None:
        """Called by the loop's own thread, after a step that took long."""
        sample: Sample | None = lens.sample
        lens.sample = None
        site: int | None = None
        called_from: int | None = None
        cpu_ns: int | None = None
        stolen_ns = 0
        if sample is not None and sample.started_ns == start_ns:
            site, called_from = sample.places
        before = lens.usage
        if before is not None and lens.usage_of_step in (0, start_ns):
            after = usage_of(lens.native)
            if after.cpu_ns is not None and before.cpu_ns is not None:
                unseen_ns = max(0, before.at_ns - start_ns)  # the step was young when first looked at
                cpu_ns = min(after.cpu_ns - before.cpu_ns + unseen_ns, end_ns - start_ns)
            if after.stolen_ns is not None and before.stolen_ns is not None:
                stolen_ns = max(0, min(after.stolen_ns - before.stolen_ns, end_ns - start_ns))
        self._recorder.define(["slow", track, start_ns, end_ns, cpu_ns, stolen_ns, site, called_from])


def usage_of(native: int) -> Usage:
    """What the system says of the thread with this native id; None where it does not say.

    Linux only: ``pthread_getcpuclockid`` would crash for a thread that has just ended.
    """
    at_ns = _clock()
    if sys.platform != "linux":
        return Usage(at_ns, None, None)
    try:
        # the kernel's name for that thread's CPU clock (CPUCLOCK_PERTHREAD_MASK | CPUCLOCK_SCHED)
        cpu_ns = time.clock_gettime_ns(~native << 3 | 6)
    except OSError:
        cpu_ns = None
    try:
        with _open(f"/proc/self/task/{native}/schedstat", "rb", buffering=0) as file:
            stolen_ns = int(file.read().split()[1])  # runnable, while others ran
    except (OSError, IndexError, ValueError):
        stolen_ns = None
    return Usage(at_ns, cpu_ns, stolen_ns)


_open = open  # the script may replace the built-in one
