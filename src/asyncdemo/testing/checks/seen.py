"""One recorded run, and the sentences about it as a whole."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import PurePath
from typing import Final, NoReturn

from asyncdemo.analysis.diagnose import deadlocks, where_they_wait
from asyncdemo.analysis.metrics import left_pending
from asyncdemo.analysis.metrics.requests import path_of
from asyncdemo.analysis.metrics.steps import blocking_steps, in_a_hub
from asyncdemo.model import (
    Answer,
    Clock,
    Evidence,
    Lane,
    Outcome,
    ResourceKind,
    Run,
    RunOutcome,
    SlowStep,
    TrackKind,
)
from asyncdemo.recording.output_buffer import has_gap
from asyncdemo.testing.checks.calls import Calls
from asyncdemo.testing.checks.observation import CheckFailed, Missed, Observation
from asyncdemo.testing.checks.pools import Pools
from asyncdemo.testing.checks.requests import Requests
from asyncdemo.testing.checks.words import join_names, length, place, was, who_hangs

__tracebackhide__ = True
"""pytest shows the line of the test that failed, not ours."""

_DEPRECATED_BY_A_PACKAGE: Final = re.compile(r"\bsite-packages\b.*:\d+: (Pending)?DeprecationWarning: ")
"""A matter between the package and the Python that it runs on."""
_WARNING: Final = re.compile(
    r"Warning: |was never awaited|was never retrieved|was destroyed but it is pending", re.MULTILINE
)
_LONGEST_WARNING: Final = 2_000
"""Characters that are searched, since the time is quadratic."""
_FRAME: Final = re.compile(r'^[ |]*File "(?P<file>[^"\n]+)", line (?P<line>\d+)', re.MULTILINE)
_ERROR: Final = re.compile(r"^[ |]*(?P<error>(?![A-Za-z]*Warning: )[A-Za-z_][\w.]*(: .*)?)$", re.MULTILINE)
"""The last line of a traceback, including one within a group of errors."""


_VIRTUAL_SLACK_S: Final = 0.001
_REAL_SLACK_S: Final = 0.3


class Seen:
    """The observations of one run. Its assertions return nothing, or raise ``CheckFailed``.

    Attributes:
        run (Run): The whole recording.
        stdout (str): What the script wrote to stdout.
        stderr (str): What it wrote to stderr.
        answers (Sequence[Answer]): The answers of a server to all of its requests, in the order of
            ``run.requests``.
        held (list[str]): The sentences that held so far, in order.
    """

    def __init__(
        self,
        run: Run,
        *,
        stdout: str = "",
        stderr: str = "",
        rows: Sequence[str] = (),
        functions: Sequence[str] = (),
        answers: Sequence[Answer] = (),
    ) -> None:
        """Made by ``observe``, and for a check by the course.

        Args:
            run: The whole recording.
            stdout: What the script wrote to stdout.
            stderr: What it wrote to stderr.
            rows: The functions whose lanes show a fault that is not specific to one of them; all by default.
            functions: The functions whose calls were requested.
            answers: The answers of a server to all of its requests.
        """
        self.run = run
        self.answers = answers
        self._functions = functions
        self._rows = rows
        self.stdout = stdout
        self.stderr = stderr
        self._observation = Observation(run)
        self.held = self._observation.held

    @property
    def knobs(self) -> Mapping[str, int | float | str | bool]:
        """The upper-case constants of the script, with their values in this run.

        A missing one fails the check, because the script should still have it.
        """
        return _Knobs(self.run.knobs)

    @property
    def slack_s(self) -> float:
        """How much later than the earliest possible time something may happen.

        Virtual time is exact, but each look at the clock takes a microsecond of it. If a thread or a process
        made the run continue in real time, a busy machine may be slow.
        """
        return _VIRTUAL_SLACK_S if self.run.clock is Clock.VIRTUAL else _REAL_SLACK_S

    def took(self, lane: Lane, seconds: float) -> bool:
        """Return whether a call took this long: no less, and no more, except for the slack."""
        more_s = (lane.end_ns - lane.start_ns) / 1e9 - seconds
        return -_VIRTUAL_SLACK_S <= more_s <= self.slack_s

    def calls(self, function: str, nouns: str | None = None) -> Calls:
        """Return the calls of a function whose lanes were recorded, or the tasks and threads that run it.

        Args:
            function: The name of the function.
            nouns: What to call them in sentences, in the plural: "uploads".

        Raises:
            ValueError: If nothing was recorded of the function, because a sentence about it could not fail,
                or if some are only counted.
        """
        self._refuse_unrecorded(function)
        if any(_is_of(lanes.function, function) for lanes in self.run.counted):
            raise ValueError(f"too many tasks ran {function} to keep each of them: give it as one of `lanes`")
        found = [
            index
            for index, lane in enumerate(self.run.lanes)
            if _is_of(lane.function, function) or (lane.function and _is_of(function, lane.function))
        ]
        return Calls(self._observation, function, nouns or f"calls of {function}", found)

    def requests(self, path: str | None = None, nouns: str | None = None) -> Requests:
        """Return the requests that a server got: all, or those to one path (without a query).

        Args:
            path: The path; None for all.
            nouns: What to call them in sentences, in the plural: "uploads".
        """
        found = [
            index
            for index, request in enumerate(self.run.requests)
            if path is None or path_of(request) == path
        ]
        return Requests(
            self._observation,
            nouns or ("requests" if path is None else f"requests to {path}"),
            found,
            self.answers,
        )

    def pool(self, name: str) -> Pools:
        """Return the connection pools of one kind, by the name that reports call it: "redis", "s3", ...

        There may be none, or one for each call, which the sentences check.
        """
        return Pools(
            self._observation, name, [resource for resource in self.pools.resources if resource.name == name]
        )

    @property
    def pools(self) -> Pools:
        """All connection pools of the run."""
        pools = [resource for resource in self.run.resources if resource.kind is ResourceKind.POOL]
        return Pools(self._observation, "", pools)

    # -- the ending -----------------------------------------------------------------------------

    def ends_well(self) -> None:
        """Assert that the script ended within its limits, with exit code 0, and was recorded completely.

        A sentence about the rest could hold just because what would break it is missing.
        """
        run = self.run
        if run.outcome is RunOutcome.OK:
            self._refuse_incomplete()
            return
        if run.stuck:
            why = (
                "It had not finished at its time limit."
                if run.outcome is RunOutcome.TIMEOUT
                else "No task can ever continue: nothing is left that could wake one."
            )
            cycles = [finding.message for finding in deadlocks(run)]
            details = [*cycles, *where_they_wait(run)] if cycles else [who_hangs(run.stuck)]
            raise CheckFailed(" ".join([why, *details]), self._whole())
        # How a killed script ended is only in the notes: the last line on stderr could be anything.
        was_killed = run.exit_code is None and run.notes and not _ERROR.search(self.stderr)
        if run.outcome is RunOutcome.FAILED and self.stderr.strip() and not was_killed:
            raise CheckFailed(f"The program failed: {self._last_error()}", self._whole())
        code = [f"Its exit code is {run.exit_code}, and should be 0."] if (run.exit_code or 0) > 0 else []
        raise CheckFailed(
            " ".join(["The program did not end as it should.", *code, *run.notes]), self._whole()
        )

    def _refuse_incomplete(self) -> None:
        if self.run.incomplete:
            raise CheckFailed(
                f"The recording is incomplete, so nothing can be said about the run. {self.run.incomplete} "
                "Let the program end by itself."
            )
        main = next((track for track in self.run.tracks if track.kind is TrackKind.THREAD), None)
        if main is not None and main.outcome is Outcome.OPEN and self.run.exit_code is not None:
            # It did not end, but the process says that it did: it became another program.
            words = (
                "The recording ends in the middle of the main thread, so nothing can be said about the run.",
                *self.run.notes,
                "Let the program end by itself.",
            )
            raise CheckFailed(" ".join(words))
        if not self.run.is_whole:
            raise CheckFailed(
                "The program did more than could be recorded, so nothing can be said about the run. Let it "
                "do less: the recording has gaps, or its oldest part is not kept."
            )

    def nothing_left_pending(self) -> None:
        """Assert that no task was still pending when the main task ended."""
        tracks = left_pending(self.run)
        if tracks:
            left = {track.index for track in tracks}
            lanes = [i for i, lane in enumerate(self.run.lanes) if lane.track in left]
            known = [self.run.lanes[index].name for index in lanes]
            who = known or [f"{track.function} ({track.name})" for track in tracks]
            raise CheckFailed(
                f"Every task should be done when main is. {join_names(who)} {was(len(who))} not: nobody "
                f"waited for {'it' if len(who) == 1 else 'them'}.",
                self._observation.evidence(lanes),
            )
        self.held.append("Every task was done when main was.")

    def never_ran(self) -> str:
        """Return a sentence about the first coroutine created but never awaited; "" if there is none."""
        for one in self.run.unawaited:
            line = "" if one.site is None else f" at {place(one.site)}"
            return f"{one.function}() was called{line}, but nobody awaited it, so it never ran."
        return ""

    def no_warnings(self) -> None:
        """Assert that there was no dropped coroutine, pending task, unretrieved error or warning."""
        dropped = self.never_ran()
        if dropped:
            raise CheckFailed(dropped, self._whole())
        self.nothing_left_pending()
        for line in self.stderr.splitlines():
            if _WARNING.search(line) and not _DEPRECATED_BY_A_PACKAGE.search(line[:_LONGEST_WARNING]):
                raise CheckFailed(f"Python should give no warning; it said: {line.strip()}")
        if has_gap(self.stderr):
            raise CheckFailed(
                "Python should give no warning, and one may be in the part of stderr that is left out. "
                "Let the program write less there."
            )
        self.held[-1] = "No warning: every coroutine was awaited, every task was done when main was."

    # -- the event loop -------------------------------------------------------------------------

    def no_step_over(self, milliseconds: float) -> None:
        """Assert that no step held an event loop, or gevent's hub, longer than this.

        Time that the operating system gave to other programs is not counted. For a server, only the time from
        its first request to its last response counts.

        Raises:
            ValueError: If the limit is below the threshold above which the run recorded steps.
        """
        limit_ns = round(milliseconds * 1e6)
        if limit_ns < self.run.threshold_ns:
            raise ValueError(f"steps below {self.run.threshold_ns / 1e6:g} ms were not recorded")
        slow = blocking_steps(self.run, limit_ns)
        if slow:
            worst = max(slow, key=lambda step: step.held_ns)
            held = worst.start_ns, worst.end_ns
            loop = "hub" if in_a_hub(self.run, worst.track) else "event loop"
            raise CheckFailed(
                f"No step may hold the {loop} longer than {length(limit_ns)}. {self._step(worst)}",
                self._observation.evidence(self._lanes_open(*held), held),
            )
        tasks = (track.index for track in self.run.tracks if track.kind is TrackKind.TASK)
        in_hubs = any(in_a_hub(self.run, index) for index in tasks)
        loop = "hub" if in_hubs else "event loop"
        self.held.append(f"No step held the {loop} longer than {length(limit_ns)}.")

    def never_blocked(self) -> None:
        """Assert that no step held an event loop longer than the run's threshold."""
        self.no_step_over(self.run.threshold_ns / 1e6)

    # -- anything else --------------------------------------------------------------------------

    def expect(self, ok: bool, held: str, failed: str, *, at: Calls | None = None) -> None:
        """Assert a sentence of your own.

        Args:
            ok: Whether it holds.
            held: The sentence if it holds; if empty, only a failure is reported.
            failed: The sentence if it does not hold.
            at: The calls that show it; by default, the whole run.
        """
        if not ok:
            raise CheckFailed(failed, self._whole() if at is None else self._observation.evidence(at.indices))
        if held:
            self.held.append(held)

    def too_busy(self, missed: str) -> NoReturn:
        """Fail because a busy machine kept something from being seen. ``judge`` then runs the file again.

        Args:
            missed: A sentence that says what was not seen.
        """
        raise Missed(f"This machine is too busy: {missed} Check again.", self._whole())

    # -- parts ----------------------------------------------------------------------------------

    def _refuse_unrecorded(self, function: str) -> None:
        if self._functions:
            known: Iterable[str] = self._functions
            advice = "name it among the lanes"
        elif self.run.named:
            return  # which functions were requested is unknown
        else:
            known = {lane.function for lane in self.run.lanes}
            advice = "it did not run in its own task or thread; give it as one of `lanes` to see its calls"
        if not any(_is_of(name, function) or _is_of(function, name) for name in known if name):
            raise ValueError(f"nothing is recorded of {function}: {advice}")

    def _step(self, step: SlowStep) -> str:
        who = "A callback" if step.track is None else self._name(step.track)
        where = "" if step.site is None else f" at {place(step.site)}"
        if (
            step.site is not None
            and step.site.function
            and not _is_of(step.site.function, who.partition("(")[0])
        ):
            where += f" in {step.site.function}"
        if step.called_from is not None and step.called_from != step.site:
            where += f", called from {place(step.called_from)}"
        return f"{who} held it for {length(step.held_ns)}{where}."

    def _name(self, track: int) -> str:
        """Return the name of the lane if the track has just one, or else of the track."""
        names = {lane.name for lane in self.run.lanes if lane.track == track}
        seen = self.run.tracks[track]
        return names.pop() if len(names) == 1 else f"{seen.function or seen.name}"

    def _lanes_open(self, start_ns: int, end_ns: int) -> list[int]:
        return [
            index
            for index, lane in enumerate(self.run.lanes)
            if lane.start_ns < end_ns and lane.end_ns > start_ns and self._is_row(lane)
        ]

    def _whole(self) -> Evidence | None:
        return self._observation.evidence(
            index for index, lane in enumerate(self.run.lanes) if self._is_row(lane)
        )

    def _is_row(self, lane: Lane) -> bool:
        return not self._rows or any(_is_of(lane.function, name) for name in self._rows)

    def _last_error(self) -> str:
        """Return the last error in the script's stderr, with the innermost line of the script behind it."""
        errors = list(_ERROR.finditer(self.stderr))
        if not errors:
            return self.stderr.strip().splitlines()[-1].strip()
        script = PurePath(self.run.script).name
        before = [frame for frame in _FRAME.finditer(self.stderr) if frame.end() <= errors[-1].start()]
        lines = [frame["line"] for frame in before if PurePath(frame["file"]).name == script]
        group = "an ExceptionGroup with " if errors[-1][0].startswith(" ") else ""
        return f"{group}{errors[-1]['error']}{f' (line {lines[-1]})' if lines else ''}"


class _Knobs(dict[str, int | float | str | bool]):
    def __missing__(self, name: str) -> NoReturn:
        raise CheckFailed(
            f"{name} should be a constant of the file, with a plain value: the check reads it and sets it."
        )


def _is_of(lane_function: str, function: str) -> bool:
    return lane_function == function or lane_function.endswith("." + function)
