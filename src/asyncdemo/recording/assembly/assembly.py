"""A run under construction, from the events received so far. It can be turned into a ``Run`` at any time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import UnionType
from typing import Any, get_args

from asyncdemo.capture import wire
from asyncdemo.model import Run, RunOutcome
from asyncdemo.recording.assembly.holdups import Holdups
from asyncdemo.recording.assembly.live_feed import Listener, LiveFeed, NoFeed
from asyncdemo.recording.assembly.records import Outline
from asyncdemo.recording.assembly.requests import RequestMatcher
from asyncdemo.recording.assembly.resources import Resources
from asyncdemo.recording.assembly.script import Script
from asyncdemo.recording.assembly.standstill import Standstill
from asyncdemo.recording.assembly.track_snapshot import TrackSnapshot
from asyncdemo.recording.assembly.tracks import Tracks


class Assembly:
    """Gives each event to the part that it changes, and makes the run of what the parts know.

    To add a message, add a NamedTuple to ``capture.wire`` and to the union there of the part that it changes,
    and a case to that part; mypy finds one that has none.
    """

    def __init__(
        self, *, named: bool, threshold_ns: int, listener: Listener | None = None, serves: bool = False
    ) -> None:
        """``serves``: the script is a server; its requests are reported here, too, and listeners see them."""
        self._threshold_ns = threshold_ns
        live_feed = NoFeed() if listener is None else LiveFeed(listener, named, serves)
        self.script = Script(live_feed)
        self.requests = RequestMatcher(self.script, live_feed)
        """Receives what the load client reports."""
        self._tracks = Tracks(self.script, live_feed, named=named)
        self._resources = Resources(self._tracks)
        self._holdups = Holdups(self._tracks, live_feed)
        self.standstill = Standstill(self._tracks, self._resources, self._holdups)
        parts: dict[UnionType | type, Callable[[Any], None]] = {
            wire.ScriptMessage: self.script.handle,
            wire.RequestMessage: self.requests.handle,
            wire.TrackMessage: self._tracks.handle,
            wire.ResourceMessage: self._resources.handle,
            wire.HoldupMessage: self._holdups.handle,
            wire.Stuck: self.standstill.handle,
        }
        self._handlers = {
            kind: handle for union, handle in parts.items() for kind in get_args(union) or [union]
        }
        self._on_numbers: dict[int, Callable[[int, int, int, int, int], None]] = {
            wire.THREAD_WAITS: self._tracks.on_thread_waits,
            wire.THREAD_RUNS: self._tracks.on_thread_runs,
            wire.OFF_CPU: self._tracks.on_off_cpu,
            wire.ENDED: self._tracks.on_ended,
            wire.GAP: self._tracks.on_gap,
            wire.UNSEEN: self._tracks.on_unseen,
            wire.TAKEN: self._resources.on_taken,
            wire.GIVEN_BACK: self._resources.on_given_back,
            wire.LEVEL: self._resources.on_level,
            wire.ITEM_QUEUED: self._resources.on_item_queued,
            wire.ITEM_STARTED: self._resources.on_item_started,
            wire.ITEM_DONE: self._resources.on_item_done,
            wire.CALLED: self._holdups.on_called,
            wire.STUCK: self.standstill.on_stuck,
            wire.NOW: self.script.on_now,
        }
        """By the first of the six numbers; called with the others."""
        self.events = 0
        """How much has happened: it stays the same while nothing does."""

    def feed(self, kind: bytes, payload: bytes, process: int = 0) -> None:
        """Process one frame from a process. Raise ValueError if it is invalid."""
        self.script.process = self.script.processes[process]
        try:
            if kind == wire.NUMBERS:
                self.events += self._tracks.take_numbers(wire.events(payload), self._on_numbers)
            elif kind == wire.MESSAGES:
                for message in wire.messages(payload):
                    self._handlers[type(message)](message)
        except (ValueError, KeyError, IndexError, TypeError, AttributeError, OverflowError) as error:
            raise ValueError(f"invalid event: {error!r}") from error

    def run(
        self, *, name: str, script: str, argv: Sequence[str], outcome: RunOutcome, exit_code: int | None
    ) -> Run:
        known = self._tracks
        outline = Outline(known.places(), self._resources.places(), known.ends())
        items = self._resources.started_items()
        tracks = TrackSnapshot(known, outline, items, self._holdups.begun(), self._threshold_ns)
        stuck = self.standstill.stuck(outline)
        return Run(
            name=name,
            script=script,
            argv=tuple(argv),
            python=self.script.python,
            clock=self.script.clock,
            outcome=outcome,
            exit_code=exit_code,
            threshold_ns=self._threshold_ns,
            tracks=tracks.tracks,
            lanes=tracks.lanes(),
            named=known.named,
            knobs=dict(self.script.knobs),
            resources=self._resources.snapshot(outline, items, labelled=bool(stuck)),
            wakes=tracks.wakes(),
            slow_steps=self._holdups.slow_steps(outline, tracks.tracks),
            blocking_calls=self._holdups.blocking_calls(outline),
            await_sequences=tracks.await_sequences(),
            unawaited=tracks.unawaited(),
            uncaught=tuple(known.uncaught),
            left_pending=tracks.left_pending(),
            stuck=stuck,
            holdings=self.standstill.holdings(outline),
            idle=bool(stuck) and self.standstill.idle,
            alarms=bool(stuck) and self.standstill.alarms,
            result=self.script.result,
            notes=tuple(self.script.notes()),
            requests=self.requests.snapshot(outline, tracks),
            memory=tuple(self.script.memory_while_it_ran()),
            processes=len(self.script.processes),
            gaps=known.gaps(),
            complete_from_ns=known.window.complete_from_ns,
            counted=known.window.counted(),
            incomplete=self.script.incomplete,
            delays=tuple(self.script.delays),
        )
