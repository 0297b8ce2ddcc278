"""Run a script in a child process under the tracer and return its ``Run``.

This starts the child, reads its events, enforces the limits, and ends the whole process group whatever
happens. ``assembly`` interprets the events; the listener draws them."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import sysconfig
import time
from collections.abc import Mapping

from asyncdemo.capture import wire
from asyncdemo.errors import MissingError, ScriptError, UsageError
from asyncdemo.model import Run, RunOutcome
from asyncdemo.recording.assembly import Assembly, Listener, RequestMatcher
from asyncdemo.recording.captured_output import CapturedOutput
from asyncdemo.recording.child import Child, ChildConnection, SpareChildren
from asyncdemo.recording.conclusion import SYNTAX_ERROR, build_run
from asyncdemo.recording.connections import EventConnections
from asyncdemo.recording.limits import RunLimits
from asyncdemo.recording.options import Call, Options, Stdout, Target, child_options
from asyncdemo.recording.polling import readable
from asyncdemo.recording.processes import MemoryMeter
from asyncdemo.recording.standstill_watch import StandstillWatch
from asyncdemo.recording.terminals import Settings, in_foreground, terminal_size

__all__ = [
    "SYNTAX_ERROR",
    "Call",
    "Child",
    "Listener",
    "Options",
    "Recording",
    "RequestMatcher",
    "SpareChildren",
    "Stdout",
    "Target",
    "record",
]

_START_TIMEOUT_S = 60.0
_SETTLE_S = 1.5
"""After a process that the script started has connected: time for the script to learn of it."""
_LINGER_S = 0.5
"""How long after its end what the script left running counts as about to end by itself."""
_POLL_S = 0.02
_MAX_EMPTY_POLLS = 25
"""After the child has ended, this many polls in a row without new data mean that no more will come.

Polls, not seconds: on a busy machine, it may be us who are late.
"""
_NOTEWORTHY_NS = 100_000_000
"""If a recording ends this much earlier than its script, a note says so."""


def record(target: Target, options: Options, listener: Listener | None = None) -> Run:
    """Run a target to its end (or a limit) and return the recording.

    Raises:
        UsageError: If a file is missing, or a knob or lane is unknown.
        ScriptError: If it is neither a file nor a folder.
    """
    with Recording(target, options, listener) as recording:
        recording.start()
        recording.go()
        while recording.poll(0.2):
            pass
        return recording.result()


def _need_gil() -> None:
    """Refuse free-threaded Python: the tracer was never tried on threads that run at the same time."""
    if sysconfig.get_config_var("Py_GIL_DISABLED") and os.environ.get("PYTHON_GIL") != "1":
        raise MissingError("asyncdemo can't record without the GIL. Turn it on: export PYTHON_GIL=1")


class Recording:
    """One traced child process."""

    def __init__(
        self,
        target: Target,
        options: Options,
        listener: Listener | None = None,
        child: Child | None = None,
        settings: Settings | None = None,
    ) -> None:
        """Take ownership of ``child``, started ahead with the options' stdin and stdout, if given.

        ``settings`` of the terminal are restored at the end; by default, the current ones.
        """
        _need_gil()
        self._target = target
        self._options = options
        self._assembly = Assembly(
            named=bool(options.lanes or (target.call is not None and target.call.lanes)),
            threshold_ns=int(options.threshold_s * 1e9),
            listener=listener,
            serves=options.serves,
        )
        self._script = self._assembly.script
        self.requests = self._assembly.requests
        """Receives the load client's side of the requests."""
        self._child = child
        self._connections = EventConnections(self._assembly)
        self._limits = RunLimits(options)
        self._watch = StandstillWatch(self._assembly, self._connections)
        self._settings = Settings(options.descriptors) if settings is None else settings
        self._output = CapturedOutput(listener)
        self._terminal_size = terminal_size()
        self._stopped: RunOutcome | None = None
        self._killed = False
        self._signal_at: float | None = None
        self._last_joined_at = 0.0
        self._cut_off_before: set[int] = set()
        self._ended_at: float | None = None
        self._ended_ns = 0
        self._empty_polls = 0
        self._leftovers_ended = False
        """The processes that the script left running have been ended."""
        self._abandoned = False
        """Don't wait for events that are still in transit."""
        self._to_pass_on: list[int] = []
        """Signals that the script gets once it's known who is stuck."""
        self._meter: MemoryMeter | None = None

    def __enter__(self) -> Recording:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # -- life -----------------------------------------------------------------------------------

    def start(self) -> None:
        """Start the child; return once it has compiled the script and waits for ``go``.

        Raises UsageError if the child refuses to run the script, and the errors of ``record`` for its file.
        """
        _check(self._target.script)
        if self._child is None:
            self._child = Child(self._options.stdout, self._options.stdin, self._options.flags)
        if self._options.memory:
            self._meter = MemoryMeter(self._child.process.pid, self._child.process_tree)
        self._output.open(self._child.take_outputs())
        self._output.resize(self._terminal_size)
        if self._child.connection is not None:
            self._begin(self._child, self._child.connection)
        limit = time.monotonic() + _START_TIMEOUT_S
        while not self._script.ready and self.poll(0.2):
            if time.monotonic() > limit:
                self._stop(
                    RunOutcome.TIMEOUT, f"The script was not ready to run after {_START_TIMEOUT_S:.0f} s."
                )
        if self._script.refused is not None:
            raise UsageError(self._script.refused)

    def go(self) -> None:
        """Let the script run; its time limit starts here."""
        if self._script.ready and self._child is not None:
            self._exclude_tracer(self._child.process.pid)
            self._sample_memory()
            self._connections.send(wire.frame(wire.GO, b""))
            self._watch.begin()
        self.restart_time_limit()

    def restart_time_limit(self) -> None:
        self._limits.restart_time()

    @property
    def compiled(self) -> bool:
        """Whether the child has compiled the script."""
        return self._script.ready

    @property
    def exit_code(self) -> int | None:
        """The script's exit code; None while it runs."""
        return None if self._child is None else self._child.process.poll()

    @property
    def accepting(self) -> frozenset[int]:
        """The processes that have accepted a connection so far; 0 is the script's own."""
        return frozenset(self._assembly.requests.accepting)

    @property
    def knobs(self) -> Mapping[str, int | float | str | bool]:
        """The constants of the script with their values in this run, once it is compiled."""
        return self._script.knobs

    def pids(self) -> set[int]:
        """Return the pids of the child and of everything it has started, if still running."""
        if self._child is None or self._child.process.poll() is not None:
            return set()
        self._child.process_tree.refresh()
        return {self._child.process.pid, *self._child.process_tree.pids}

    def poll(self, timeout_s: float) -> bool:
        """Handle what has arrived, waiting at most this long; return False once the run is over."""
        if self._child is None:
            return False
        self._receive(0 if self._connections.behind else timeout_s)
        self._connections.process_received()
        now = time.monotonic()
        if self._ended_at is None:
            if self._script.finished:
                self._child.process_tree.refresh()  # the last moment at which its children can be identified
            if self._child.process.poll() is not None:
                self._ended_at = now
                self._ended_ns = self._ended_ns or time.perf_counter_ns()
        if self._ended_at is not None:
            more = self._may_receive_more()
            if not more and self._leaves_alone:
                self._note_left_running(self._child, self._ended_at)
            return more
        if self._meter is not None and not self._meter.wait_s:
            self._sample_memory()
        self._follow_resize()
        self._enforce_limits(now)
        return True

    def _may_receive_more(self) -> bool:
        """Return whether more of what the script sent before it ended may arrive."""
        if self._abandoned or not (self._connections or self._output):
            return False
        assert self._child is not None and self._ended_at is not None
        if time.monotonic() - self._ended_at > _LINGER_S and self._leaves_alone:
            if 0 not in self._connections.processes:
                return False  # the rest is from what it left running
        elif time.monotonic() - self._ended_at > _LINGER_S and not self._leftovers_ended:
            self._leftovers_ended = True
            self._child.process_tree.end()
            self._empty_polls = 0
        return self._connections.behind or self._empty_polls < _MAX_EMPTY_POLLS

    def _exclude_tracer(self, pid: int) -> None:
        if self._meter is not None:
            self._meter.leave_out_tracer(pid)

    def _sample_memory(self) -> None:
        sample = None if self._meter is None else self._meter.sample()
        if sample is not None:
            self._script.memory.append(sample)

    def _follow_resize(self) -> None:
        """Tell the script of a new size of our terminal: the system tells only those in our session."""
        size = terminal_size()
        if size != self._terminal_size and self._watch.has_begun:
            self._terminal_size = size
            self._output.resize(size)
            self.send_signal(signal.SIGWINCH)

    def send_signal(self, number: int) -> None:
        """Send a signal to the script and to the processes in its group, if it runs.

        From SIGSTOP to SIGCONT, no time passes for the limits.
        """
        if self._child is None or self._child.process.poll() is not None:
            return
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._child.process.pid, number)
        if number == signal.SIGSTOP:
            self._limits.pause(time.monotonic())
        elif number == signal.SIGCONT:
            self._watch.leave_out(self._limits.resume(time.monotonic()))

    def pass_on(self, number: int) -> None:
        """Send a signal that we got to the processes that would have got it without us.

        A terminal sends it to a group of processes, ``kill`` to one. A confined script ends with all of its
        processes, so all get it.
        """
        keys = signal.SIGINT, signal.SIGQUIT
        from_terminal = number == signal.SIGHUP or (number in keys and in_foreground())
        if from_terminal or self._options.confined or self._child is None:
            self.send_signal(number)
        else:
            self._child.process.send_signal(number)

    def interrupt(self, number: int = signal.SIGINT) -> None:
        """Handle Ctrl-C, or another signal that asks us to end: pass it on to the script.

        If the script is confined, it's killed after a grace period or at the next signal; otherwise at a
        Ctrl-C after the first signal.
        """
        self._stopped = self._stopped or RunOutcome.INTERRUPTED
        if self._ended_at is not None:
            self._abandoned = True
        elif self._limits.is_ending and (self._options.confined or number == signal.SIGINT):
            if self._to_pass_on:
                self._assembly.standstill.fill_in()
            self.add_note("Killed: it was still running when it was interrupted again.")
            self._kill()
        elif self._child is None or self._child.process.poll() is not None:
            return
        elif not self._watch.has_begun:  # no part of the script is running that could clean up
            self._stop(RunOutcome.INTERRUPTED, "Stopped before the script started.")
        else:
            self._limits.let_end()
            self._to_pass_on.append(number)
            self._pass_on_once_stuck_is_known(time.monotonic())

    def _pass_on_once_stuck_is_known(self, now: float) -> None:
        """Pass signals on once it is known who is stuck: when the script ends, it releases what it holds."""
        if not (self._to_pass_on and self._watch.stuck_is_known(now) and self._child is not None):
            return
        self._limits.let_end_by_itself(now)
        while self._to_pass_on:
            self.pass_on(self._to_pass_on.pop(0))

    @property
    def stands_still(self) -> bool:
        """Whether nothing has happened for a while and it is known who waits for what (see ``result``)."""
        return self._watch.stands_still

    @property
    def idle_ns(self) -> int:
        return self._watch.idle_ns

    def end(self, grace_s: float) -> None:
        """Ask the script to end, as Ctrl-C at a terminal does; the outcome is not "interrupted".

        Only its main process is asked, which must end the processes that it started. If it still runs
        after ``grace_s``, it is killed, and a note says so. If it has just started processes, it is asked
        a little later: Sanic hangs if asked before it has heard from its workers.
        """
        if self._limits.is_ending or self._child is None or self._child.process.poll() is not None:
            return
        self._signal_at = max(time.monotonic(), self._last_joined_at + _SETTLE_S)
        note = f"Killed: it was still running {grace_s:g} s after it was asked to end."
        self._limits.let_end(self._signal_at + grace_s, note)
        self._cut_off_before = self._unfinished() - self._connections.processes
        self._signal_if_due(time.monotonic())

    def _signal_if_due(self, now: float) -> None:
        if self._signal_at is None or now < self._signal_at or self._child is None:
            return
        self._signal_at = None
        self._child.process.send_signal(signal.SIGINT)

    def add_note(self, text: str) -> None:
        """Add a sentence that readers of the run need to know."""
        self._script.add_note(text)

    @property
    def _leaves_alone(self) -> bool:
        """Whether what the script started may outlive it: it has ended by itself."""
        return not self._options.confined and self._ended_at is not None and self._stopped is None

    def close(self) -> None:
        """End the child and what it started, and release all resources. May be called twice."""
        if self._child is not None:
            if self._leaves_alone:
                self._child.release()
                self._output.hand_over()
            else:
                self._child.close()
            self._settings.restore()
        self._connections.close()
        self._output.close()

    def result(self) -> Run:
        """Return the run as far as it was recorded."""
        if self._ended_at is not None and self._stopped is None:
            self._watch.forget_answer()
        exit_code = None if self._child is None or self._killed else self._child.process.poll()
        if self._stopped is not None:
            outcome = self._stopped
        elif exit_code == 0:
            outcome = RunOutcome.OK
        else:
            outcome = RunOutcome.FAILED
        self._note_how_it_ended(exit_code)
        return build_run(self._assembly, self._target, self._options, outcome, exit_code)

    def _note_how_it_ended(self, exit_code: int | None) -> None:
        if self._stopped is None and exit_code is not None and exit_code < 0:
            with contextlib.suppress(ValueError):
                self.add_note(f"The script was ended by signal {signal.Signals(-exit_code).name}.")
        if not self._script.ready or not self._watch.has_begun:
            return
        cut_off = self._unfinished()
        if self._stopped is not None or exit_code is None:
            missing_ns = self._missing_ns() if 0 in cut_off else 0
            if missing_ns > (0 if self._abandoned else _NOTEWORTHY_NS):
                self.add_note(f"The recording ends {missing_ns / 1e9:.2f} s before the script did.")
            elif self._abandoned and 0 in cut_off:  # by how much is unknown: its clock may be virtual
                self.add_note("The recording ends before the script did.")
            return
        if self._limits.is_ending:  # how the script ends its processes is up to it
            cut_off &= {0, *self._cut_off_before}
        for process in sorted(cut_off):
            if process in self._script.stopped:
                continue
            missing_ns = 0 if process else self._missing_ns()
            much = f" (up to {missing_ns / 1e9:.2f} s)" if missing_ns > _NOTEWORTHY_NS else ""
            # Which of these it was cannot be determined: in each case, nothing more arrives.
            self._script.add_incomplete(
                f"{self._script.processes[process].title} ended without notice: it was killed, called "
                f"os._exit(), or closed the tracer's connection. Its last events may be missing{much}."
            )

    def _note_left_running(self, child: Child, ended_at: float) -> None:
        """Note how many processes it left, except for helpers that end by themselves in a moment."""
        while count := len(child.process_tree.survivors()):
            if time.monotonic() > ended_at + _LINGER_S:
                self.add_note(f"It left {count} process{'es' if count > 1 else ''} running.")
                return
            time.sleep(_POLL_S)

    def _missing_ns(self) -> int:
        """Return how long before its end the script's own process reported nothing; 0 if unknown."""
        received_ns = self._script.received_until_ns
        return max(self._ended_ns - received_ns, 0) if received_ns and self._ended_ns else 0

    def _unfinished(self) -> set[int]:
        return {number for number, process in self._script.processes.items() if not process.finished}

    # -- parts ----------------------------------------------------------------------------------

    def _begin(self, child: Child, connection: ChildConnection) -> None:
        """Tell the child what to run."""
        self._connections.open(connection.socket, connection.frames)
        environment = dict(self._options.environment)
        if self._options.follow:
            environment[wire.ENV] = child.expect_subprocesses()
        self._send_options({"environment": environment})

    def _receive(self, timeout_s: float) -> None:
        assert self._child is not None
        handshake_sockets = self._child.handshake_sockets
        sources: list[int | socket.socket] = [*self._output, *self._connections, *handshake_sockets]
        if self._meter is not None:
            timeout_s = min(timeout_s, self._meter.wait_s)
        if not sources:
            time.sleep(min(timeout_s, _POLL_S))
            return
        ended = self._ended_at is not None
        ready = readable(sources, min(timeout_s, _POLL_S) if ended else timeout_s)
        self._empty_polls = self._empty_polls + 1 if ended and timeout_s and not ready else 0
        for source in ready:
            if isinstance(source, int):
                self._output.read(source)
            elif source not in handshake_sockets:
                self._connections.read(source)
        if not set(handshake_sockets).isdisjoint(ready):
            self._admit(self._child)

    def _admit(self, child: Child) -> None:
        """Accept the connection of the child, or of a process that the script has started."""
        if child.connection is None:
            connection = child.connect(0)
            if connection is not None:
                self._begin(child, connection)
            return
        joining = child.admit()
        if joining is None:
            return
        self._exclude_tracer(joining.pid)
        self._last_joined_at = time.monotonic()
        number = len(self._script.processes)
        self._script.add_process(number)
        self._connections.open(joining.socket, joining.frames, number)
        self._send_options({"process": number, "code": self._script.code}, number)

    def _send_options(self, more: dict[str, object], process: int = 0) -> None:
        """Send a process the options of the child, and ``more``."""
        options = {**child_options(self._target, self._options), **more}
        self._connections.send(wire.json_frame(wire.OPTIONS, options), process)

    # -- limits ---------------------------------------------------------------------------------

    def _enforce_limits(self, now: float) -> None:
        assert self._child is not None
        self._signal_if_due(now)
        self._pass_on_once_stuck_is_known(now)
        if note := self._limits.overdue_note(now):
            self.add_note(note)
            self._kill()
        if self._stopped is None and self._limits.is_out_of_time(now):
            if self._watch.stuck_is_known(now):
                self._stop(RunOutcome.TIMEOUT, self._limits.time_note)
        elif self._stopped is None:
            self._watch.look(now)
        if self._stopped is None and (note := self._limits.excess_note(now, self._child.process_tree)):
            self._stop(RunOutcome.FAILED, note)

    def _stop(self, outcome: RunOutcome, note: str) -> None:
        self._stopped = outcome
        self._script.add_note(note)
        self._kill()

    def _kill(self) -> None:
        assert self._child is not None
        self._killed = True
        self._ended_ns = self._ended_ns or time.perf_counter_ns()
        self._child.process_tree.end()


def _check(script: str | None) -> None:
    if script is None or script == "-":
        return
    if not os.path.exists(script):
        raise UsageError(f"There is no file {script}.")
    if not os.path.isfile(script) and not os.path.isdir(script):
        raise ScriptError(f"{script} is neither a file nor a folder.")  # reading it could take forever
