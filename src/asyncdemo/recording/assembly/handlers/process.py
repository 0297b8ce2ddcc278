"""The traced process itself: its start, its end, and notes about the recording."""

from __future__ import annotations

from asyncdemo.capture import wire
from asyncdemo.model import Clock, Delay
from asyncdemo.recording.assembly.state import AssemblyState, MessageHandlers


def hello(state: AssemblyState, message: wire.Hello) -> None:
    """Do nothing: its token was checked when the process connected."""


def refused(state: AssemblyState, message: wire.Refused) -> None:
    state.refused = message.message


def invalid(state: AssemblyState, message: wire.Invalid) -> None:
    state.invalid = message.message


def ready(state: AssemblyState, message: wire.Ready) -> None:
    state.ledger.python, state.ledger.knobs = message.python, message.knobs
    state.ledger.clock = Clock(message.clock)
    state.ready = True


def process(state: AssemblyState, message: wire.Process) -> None:
    state.process.name = message.name


def code(state: AssemblyState, message: wire.Code) -> None:
    state.code = message._asdict()


def start(state: AssemblyState, message: wire.Start) -> None:
    state.start_ns = state.ledger.now_ns = state.live_feed.origin_ns = message.at_ns


def finish(state: AssemblyState, message: wire.Finish) -> None:
    state.process.finished = True
    state.ledger.come_to(state.process, message.at_ns)


def forked(state: AssemblyState, _: wire.Forked) -> None:
    state.process.forks += 1


def cut(state: AssemblyState, message: wire.Cut) -> None:
    """Note that it stopped sending because too much was not read. It has sent everything until then."""
    state.ledger.come_to(state.process, message.at_ns)
    since_s = (message.at_ns - state.live_feed.origin_ns) / 1e9
    state.stop(state.process.number, f"after {since_s:.2f} s: nobody took what was recorded")


def note(state: AssemblyState, message: wire.Note) -> None:
    number = state.process.number
    state.ledger.notes.append(f"{state.name_of(number)}: {message.text}" if number else message.text)


def hook_failed(state: AssemblyState, message: wire.HookFailed) -> None:
    hook, why, at_ns, switched_off = message
    what = f"`{hook}` was not observed" if switched_off else f"not everything in `{hook}` was recorded"
    text = (
        f"From {max(at_ns - state.start_ns, 0) / 1e9:.2f} s on {what}, because the "
        f"tracer's hook there failed ({why}). The script was not affected, and all else was recorded."
    )
    note(state, wire.Note(text))


def clock(state: AssemblyState, message: wire.Clock) -> None:
    kind = Clock(message.kind)
    if state.ledger.clock is not kind:
        state.ledger.notes.append(f"Time is real, not virtual, because {message.why}.")
    state.ledger.clock = kind


def result(state: AssemblyState, message: wire.Result) -> None:
    state.ledger.result = message.literal


def delay(state: AssemblyState, message: wire.Delay) -> None:
    state.ledger.delays.append(Delay(*message))


HANDLERS: MessageHandlers = {
    wire.Hello: hello,
    wire.Refused: refused,
    wire.Invalid: invalid,
    wire.Ready: ready,
    wire.Process: process,
    wire.Code: code,
    wire.Start: start,
    wire.Finish: finish,
    wire.Forked: forked,
    wire.Cut: cut,
    wire.Note: note,
    wire.HookFailed: hook_failed,
    wire.Clock: clock,
    wire.Delay: delay,
    wire.Result: result,
}
