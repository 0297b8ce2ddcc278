"""How a recording ends: the run from what was recorded, and notes about what happened to the script."""

from __future__ import annotations

from dataclasses import replace

from asyncdemo.model import Run, RunOutcome
from asyncdemo.recording.assembly import Assembly
from asyncdemo.recording.options import Options, Target

SYNTAX_ERROR = "has a syntax error"
"""In the note of a run whose script is not valid Python."""
_NO_TEXT = ("null bytes", "codec can't decode", "Non-UTF-8 code", "unknown encoding", "encoding problem")
"""Parts of the messages, in some version of Python, about a file whose bytes are not source text."""


def build_run(
    assembly: Assembly, target: Target, options: Options, outcome: RunOutcome, exit_code: int | None
) -> Run:
    if assembly.script.invalid is not None:
        reason = assembly.script.invalid
        is_text = not any(sign in reason for sign in _NO_TEXT)
        fault = SYNTAX_ERROR if is_text else "is not a Python script"
        assembly.script.add_note(f"{target.title} {fault}: {reason}.")
    run = assembly.run(
        name=options.name or target.name,
        script=target.title,
        argv=target.args,
        outcome=outcome,
        exit_code=exit_code,
    )
    if options.lanes and not run.lanes and outcome is RunOutcome.OK:
        names = " or ".join(options.lanes)
        where = "" if options.follow else " in the script's own process; other processes are not recorded"
        return replace(run, notes=(*run.notes, f"No call of {names} was recorded{where}."))
    return run


def time_limit_note(timeout_s: float) -> str:
    return f"Stopped at its time limit of {timeout_s:g} s."
