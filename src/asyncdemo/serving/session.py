"""One run of a script with its services and load; a server is loaded until all requests are answered.

It has the interface of a ``runner.Recording``, and never waits longer than the caller allows. A server runs
in its own process, with a free port in PORT. It is ready once it accepts connections, and is asked to end, as
by Ctrl-C, when the last request has been answered. The caller owns its services.
"""

from __future__ import annotations

import signal
import time
from dataclasses import replace
from enum import Enum, auto
from typing import Final, Self

from asyncdemo.errors import ServiceError
from asyncdemo.model import Answer, Run, RunOutcome
from asyncdemo.recording.runner import Child, Listener, Options, Recording, Target
from asyncdemo.recording.terminals import Settings
from asyncdemo.serving.ports import HOST, free_port, listening
from asyncdemo.serving.readiness import Readiness, Sight, Workers
from asyncdemo.serving.run_context import RunContext
from asyncdemo.serving.stderr_tail import StderrTail
from asyncdemo.serving.traffic import Traffic

_STEP_S: Final = 0.01
"""The longest wait for the server's events, so that the client's are read, too."""
_READY_S: Final = 30.0
_GRACE_S: Final = 5.0
"""How long a server has to end by itself."""
_DYING_S: Final = 0.5
_CLIENT_FINISHES_S: Final = 2.0
"""How long the client has to report what it has."""
_SERVICES_S: Final = 0.25
"""How often to check that the services are alive."""
_AS_ASKED: Final = (0, 130, -2, 3)
"""Exit codes after SIGINT: handled by the program, by Python, or as a shell reports it. 3 is what Quart from
0.23 on returns to the process that reloads it.
"""


def open_recording(
    target: Target,
    options: Options,
    listener: Listener | None = None,
    *,
    child: Child | None = None,
    run_context: RunContext | None = None,
) -> Recording | Session:
    if run_context:
        return Session(target, options, run_context, listener, child)
    return Recording(target, options, listener, child)


class _Stage(Enum):
    SCRIPT = auto()
    """Not a server: it runs until it ends by itself."""
    STARTING = auto()
    LOADING = auto()
    ENDING = auto()
    OVER = auto()


class Session:
    """One traced process, with its services and its load."""

    def __init__(
        self,
        target: Target,
        options: Options,
        run_context: RunContext,
        listener: Listener | None = None,
        child: Child | None = None,
    ) -> None:
        """``child`` is as in ``Recording``."""
        self._target = target
        self._options = options
        self._run_context = run_context
        self._stderr_tail = StderrTail(listener)
        self._child = child
        # Taken now, because a live picture may have changed them temporarily when the script starts.
        self._settings = Settings(options.descriptors)
        self._stage = _Stage.STARTING if run_context.plan else _Stage.SCRIPT
        self._recording: Recording | None = None
        self._readiness: Readiness | None = None
        self._workers: Workers | None = None
        self._traffic: Traffic | None = None
        self._port = 0
        self._since_s = self._all_sent_s = 0.0
        self._client_deadline_s: float | None = None
        self._look_at_services_s = 0.0
        self._notes: list[str] = []
        self._retried = False
        self._failed = False
        self._gone = False
        """Whether the server ended unasked."""
        self._asked = False
        self._interrupted = False
        self._result: Run | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # -- lifecycle ------------------------------------------------------------------------------

    def start(self) -> None:
        """Reset the services, and start the script, which is compiled and then waits for ``go``.

        If a service has died meanwhile, the script is not started, and the run says so.
        """
        try:
            if self._run_context.services is not None:
                self._run_context.services.reset()
        except ServiceError as error:
            self._notes.append(f"Not run: {error}")
            self._failed, self._stage = True, _Stage.OVER
            self._recording = Recording(
                self._target, self._options, self._stderr_tail, settings=self._settings
            )
            return
        self._start_script()

    def go(self) -> None:
        """Let the script run. A server's time limit restarts when it is ready."""
        assert self._recording is not None, "start comes first"
        self._since_s = time.monotonic()
        if self._stage is not _Stage.OVER:
            self._recording.go()

    def poll(self, timeout_s: float) -> bool:
        """Handle what has happened, waiting at most this long. Return False once all is over."""
        if self._recording is None or self._stage is _Stage.OVER:
            return False
        if self._traffic is not None:
            self._traffic.receive()
        runs = self._recording.poll(timeout_s if self._stage is _Stage.SCRIPT else min(timeout_s, _STEP_S))
        self._look_at_services()
        if self._stage is _Stage.STARTING:
            self._await_server(self._recording, runs)
        elif self._stage is _Stage.LOADING:
            self._load_server(self._recording, runs)
        elif not runs and not self._client_may_report():
            self._stage = _Stage.OVER
        return self._stage is not _Stage.OVER

    def interrupt(self, number: int = signal.SIGINT) -> None:
        """Handle Ctrl-C: stop sending, then end the server; the second time, end it immediately."""
        first, self._interrupted = not self._interrupted, True
        if first and self._stage is _Stage.LOADING:
            self._ask_client_to_finish()
        elif self._recording is not None and not (first and self._asked):
            self._recording.interrupt(number)

    def send_signal(self, number: int) -> None:
        """As in ``Recording``."""
        if self._recording is not None:
            self._recording.send_signal(number)

    def pass_on(self, number: int) -> None:
        """As in ``Recording``."""
        if self._recording is not None:
            self._recording.pass_on(number)

    @property
    def stands_still(self) -> bool:
        """As in ``Recording``."""
        return self._recording is not None and self._recording.stands_still

    @property
    def idle_ns(self) -> int:
        return 0 if self._recording is None else self._recording.idle_ns

    def close(self) -> None:
        """Stop everything that this session started. May be called twice."""
        if self._traffic is not None:
            self._traffic.client.close()
        if self._readiness is not None:
            self._readiness.close()
        if self._workers is not None:
            self._workers.close()
            self._workers = None
        if self._recording is not None:
            self._recording.close()
        if self._child is not None:
            self._child.close()

    def result(self) -> Run:
        """Return the run as recorded so far."""
        if self._stage is not _Stage.OVER:
            return self._summed_up()
        if self._result is None:
            self._result = self._summed_up()
        return self._result

    def _summed_up(self) -> Run:
        assert self._recording is not None, "start comes first"
        self._look_at_services(now=True)
        run = self._recording.result()
        outcome = run.outcome
        if self._asked and outcome is RunOutcome.FAILED and self._ended_as_asked(run.exit_code):
            outcome = RunOutcome.OK
        ended = run.exit_code is not None and outcome in (RunOutcome.OK, RunOutcome.FAILED)
        gone = self._gone and ended
        if gone or (self._failed and outcome is RunOutcome.OK):
            outcome = RunOutcome.FAILED
        badly = gone or (self._asked and ended and not self._failed and outcome is RunOutcome.FAILED)
        notes = [*([self._last_words(run.exit_code)] if badly else []), *self._notes, *run.notes]
        knobs = {**run.knobs, **self._run_context.knobs}
        return replace(run, outcome=outcome, notes=tuple(dict.fromkeys(notes)), knobs=knobs)

    @property
    def answers(self) -> list[Answer]:
        """One for each request, in order, if the plan keeps them."""
        return [] if self._traffic is None else self._traffic.answers

    # -- the server -----------------------------------------------------------------------------

    def _start_script(self) -> None:
        run_context = self._run_context
        environment = dict(self._options.environment)
        if run_context.services is not None:
            environment.update(run_context.services.environment)
        if run_context.plan is not None:
            self._port = free_port()
            environment["PORT"] = str(self._port)
        serves = run_context.plan is not None
        options = replace(self._options, environment=environment, serves=serves, follow=serves)
        child, self._child = self._child, None
        recording = self._recording = Recording(
            self._target, options, self._stderr_tail, child, self._settings
        )
        self._readiness = Readiness(self._port, recording.pids)
        recording.start()

    def _await_server(self, recording: Recording, runs: bool) -> None:
        assert self._readiness is not None
        if self._interrupted:
            self._stage = _Stage.ENDING
            return
        sight = self._readiness.look() if runs else Sight.NOTHING
        if runs and (self._workers is not None or sight is Sight.READY):
            self._await_workers(recording)
        elif sight is Sight.TAKEN:
            self._try_another_port(recording)
        elif not runs and recording.compiled and not self._workers and listening(self._port, ()).somebody:
            self._try_another_port(recording)  # it ended because another program got its port
        elif not runs:
            self._gone = recording.compiled
            self._stage = _Stage.ENDING
        elif sight is Sight.ELSEWHERE:
            self._fail(
                recording,
                f"The server listens on port {self._readiness.other_port}, not on the port in the "
                "environment "
                f'variable PORT ({self._port}). Write port=int(os.environ["PORT"]).',
            )
        elif time.monotonic() - self._since_s > _READY_S:
            self._fail(
                recording, f"The server accepted no connections on port {self._port} within {_READY_S:.0f} s."
            )

    def _await_workers(self, recording: Recording) -> None:
        """The load is for all workers, but a server accepts connections as soon as the first is ready."""
        if self._workers is None:
            wanted = self._run_context.workers
            number = recording.knobs.get(wanted, 0) if isinstance(wanted, str) else wanted
            self._workers = Workers(self._port, int(number))
        if self._workers.are_at_work(recording.accepting):
            self._workers.close()
            plan = self._run_context.plan
            assert plan is not None
            recording.restart_time_limit()
            self._since_s = time.monotonic()
            self._traffic = Traffic(replace(plan, host=HOST, port=self._port), recording.requests)
            self._stage = _Stage.LOADING

    def _try_another_port(self, recording: Recording) -> None:
        """Retry once: another program got the port before the server could bind it."""
        if self._retried:
            self._fail(recording, f"Another program took port {self._port} before the server could.")
            return
        self._retried = True
        self.close()
        self._start_script()
        self.go()

    def _load_server(self, recording: Recording, runs: bool) -> None:
        traffic, limit_s = self._traffic, self._options.timeout_s
        assert traffic is not None
        timed_out = limit_s is not None and time.monotonic() - self._since_s >= limit_s
        if not runs:
            self._gone = not self._interrupted and not timed_out
            self._ask_client_to_finish()
            self._stage = _Stage.ENDING
        elif self._interrupted:
            if not self._client_may_report():
                recording.interrupt()
                self._stage = _Stage.ENDING
        elif timed_out:
            traffic.cut_off = True  # the recording notes what has not ended, and then stops the server
        elif traffic.client.finished:
            if traffic.client.failure is not None:
                self._fail(recording, f"Not everything was sent: {traffic.client.failure}.")
                return
            # A server that ends by itself drops its connections before its process is gone.
            self._all_sent_s = self._all_sent_s or time.monotonic()
            if traffic.answered == traffic.sent or time.monotonic() - self._all_sent_s > _DYING_S:
                self._ask_to_end(recording)

    def _ask_to_end(self, recording: Recording) -> None:
        self._asked = True
        recording.restart_time_limit()
        recording.end(_GRACE_S)
        self._stage = _Stage.ENDING

    def _fail(self, recording: Recording, why: str) -> None:
        self._failed = True
        self._notes.append(why)
        self._ask_to_end(recording)

    def _ended_as_asked(self, exit_code: int | None) -> bool:
        if exit_code in _AS_ASKED:
            return True
        # Sanic's main process shares its workers' states over one connection. The signal may come while it
        # waits for a reply there; its handler also sends a request, and gets that reply. Then its shutdown
        # fails.
        return exit_code == 1 and self._stderr_tail.failed_in("sanic")

    def _last_words(self, exit_code: int | None) -> str:
        traffic = self._traffic
        if self._asked:
            how = f"When asked to end, the server ended with exit code {exit_code}."
        elif traffic is None:
            how = f"The server ended by itself, with exit code {exit_code}, before it accepted connections."
        else:
            how = (
                f"The server ended by itself, with exit code {exit_code}, after {traffic.answered} of "
                f"{traffic.sent} requests were answered."
            )
        words = self._stderr_tail.last_words()
        return how + (f" Its last output: {words}" if words else "")

    # -- the load and the services --------------------------------------------------------------

    def _ask_client_to_finish(self) -> None:
        """Ask the client to report what it has, soon."""
        if self._traffic is not None and self._client_deadline_s is None:
            self._client_deadline_s = time.monotonic() + _CLIENT_FINISHES_S
            self._traffic.client.interrupt()

    def _client_may_report(self) -> bool:
        """Return whether the client may still have something to report."""
        if self._traffic is None or self._traffic.client.finished:
            return False
        return self._client_deadline_s is None or time.monotonic() < self._client_deadline_s

    def _look_at_services(self, *, now: bool = False) -> None:
        services = self._run_context.services
        if services is None or (not now and time.monotonic() < self._look_at_services_s):
            return
        self._look_at_services_s = time.monotonic() + _SERVICES_S
        died = services.died()
        if died is not None and died not in self._notes:
            self._notes.append(died)
