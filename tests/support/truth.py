"""Scripts whose schedule is known by construction, recorded, and what their lanes did in plain words."""

from __future__ import annotations

import json
import re
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from asyncdemo.model import Lane, Run, State
from asyncdemo.recording.output_buffer import OutputBuffer
from asyncdemo.recording.runner import Options, Recording, Stdout, Target

NOTHING_SHORTER_MS = 0.002
"""In virtual time, each look at the clock costs 1 microsecond; nothing below that is reported."""


@dataclass
class Recorded:
    """A run, and the marks that the script itself printed: ``MARK name perf_counter_ns``."""

    run: Run
    marks: dict[str, int]
    stdout: str

    def lane(self, name: str) -> Lane:
        matching = [lane for lane in self.run.lanes if lane.name == name or lane.name.endswith(" " + name)]
        assert len(matching) == 1, f"{name}: {[lane.name for lane in self.run.lanes]}"
        return matching[0]

    def story(self, name: str) -> list[str]:
        """The lane's spans in words, times in ms since the first lane opened."""
        first_ns = min(lane.start_ns for lane in self.run.lanes)
        spans = []
        for span in self.lane(name).spans:
            start_ms, end_ms = (span.start_ns - first_ns) / 1e6, (span.end_ns - first_ns) / 1e6
            if end_ms - start_ms > NOTHING_SHORTER_MS:
                reason = f" ({span.wait.reason})" if span.wait.reason else ""
                spans.append(f"{start_ms:.0f}-{end_ms:.0f} {span.state.name.lower()}{reason}")
        return spans

    def at(self, name: str, instant: int | str) -> str:
        """What the lane was doing at a moment: "running", "waiting (sleep)", ... or "absent"."""
        at_ns = self.marks[instant] if isinstance(instant, str) else instant
        lane = self.lane(name)
        for span in lane.spans:
            if span.start_ns <= at_ns < span.end_ns:
                reason = f" ({span.wait.reason})" if span.wait.reason else ""
                return span.state.name.lower() + reason
        return "absent"

    def between(self, first: str, second: str) -> int:
        """The moment half way between two marks."""
        return (self.marks[first] + self.marks[second]) // 2

    def order_of(self, name: str) -> list[str]:
        """The reasons and states in which the lane was not running, in order, repeated ones once."""
        reasons: list[str] = []
        for span in self.lane(name).spans:
            if span.state in (State.WAITING, State.QUEUED):
                words = f"{span.state.name.lower()} ({span.wait.reason})"
                if not reasons or reasons[-1] != words:
                    reasons.append(words)
        return reasons


PRELUDE = """
import time as _time
_clock = _time.perf_counter_ns
def mark(name):
    print("MARK", name, _clock(), flush=True)
"""


def recorded(
    folder: Path, source: str, *, lanes: Sequence[str] = (), virtual: bool = False, args: Sequence[str] = ()
) -> Recorded:
    """Record a script given as text; it may call ``mark(name)``."""
    script = folder / "script.py"
    script.write_text(textwrap.dedent(source) if virtual else PRELUDE + textwrap.dedent(source))
    output = OutputBuffer()
    options = Options(lanes=tuple(lanes), virtual=virtual, timeout_s=60, stdout=Stdout.CAPTURE)
    with Recording(Target(str(script), args=tuple(args)), options, output) as recording:
        recording.start()
        recording.go()
        while recording.poll(0.2):
            pass
        run = recording.result()
    assert run.outcome == "ok", (run.outcome, run.notes, output.text)
    marks = {name: int(at) for name, at in re.findall(r"MARK (\S+) (\d+)", output.stdout)}
    return Recorded(run, marks, output.stdout)


def printed(recording: Recorded) -> Any:
    """The last line of the script's output, as JSON."""
    return json.loads(recording.stdout.splitlines()[-1])
