"""What is to be recorded, and how: the script and everything that can be asked for.

Not for: doing it (``runner``).
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from enum import Enum
from pathlib import Path


class Stdout(Enum):
    """Where the script's output goes."""

    INHERIT = "inherit"
    TO_STDERR = "to stderr"
    CAPTURE = "capture"
    """To the listener, as text."""


@dataclass(frozen=True)
class Call:
    """A function of a module, imported for it, and what it is called with.

    function: its qualified name. arguments: a tuple, as a Python literal. lanes: module -> functions
    of it whose calls are the rows. path: where the child looks for modules.
    """

    module: str
    function: str
    arguments: str = "()"
    lanes: Mapping[str, Sequence[str]] = field(default_factory=dict)
    path: tuple[str, ...] = ()


@dataclass(frozen=True)
class Target:
    """A script file, a module as for ``python -m``, or a function of the file; and arguments.

    script: also a folder or zip file with a ``__main__``, a ``.pyc``, or ``-`` for standard input.
    """

    script: str | None
    module: str | None = None
    args: tuple[str, ...] = ()
    call: Call | None = None

    @property
    def title(self) -> str:
        return "<stdin>" if self.script == "-" else self.module or self.script or ""

    @property
    def name(self) -> str:
        """What a recording of it is called."""
        return "stdin" if self.script == "-" else self.module or Path(self.script or "").stem


@dataclass(frozen=True)
class Options:
    """How to run a target.

    lanes: functions whose calls are the rows. knobs: constants to set, as typed. virtual: let time
    jump instead of waiting. memory_bytes: resident size at which the child is stopped; None: half of
    the machine's, of all its processes together. processes: how many it may have started that still
    run. threshold_s: from when on a step counts as blocking. results: record what the calls of
    the lanes return, where these are plain values. stdin: the script may read ours, else nothing.
    environment: variables that are set for the script, in addition to ours. serves: it is a server: when
    it accepted and handled which request is recorded, and listeners see requests. follow: processes that
    it starts with multiprocessing's *spawn* are recorded too, with the same lanes and knobs; time is real
    then, as they have no other in common. memory: sample what it and all that it starts have in memory.
    flags: of the Python that runs the script, as on its command line. delays: under the virtual clock time
    passes before callbacks of asyncio's loops: a seed from which delays are drawn, or (number of the
    callback, ns) of each. forks: the process loads the script, and runs it by forks of itself.
    """

    name: str = ""
    lanes: tuple[str, ...] = ()
    knobs: Mapping[str, str] = field(default_factory=dict)
    virtual: bool = False
    timeout_s: float | None = None
    memory_bytes: int | None = None
    processes: int = 500
    threshold_s: float = 0.05
    results: bool = False
    stdin: bool = True
    stdout: Stdout = Stdout.INHERIT
    environment: Mapping[str, str] = field(default_factory=dict)
    serves: bool = False
    follow: bool = False
    memory: bool = False
    flags: tuple[str, ...] = ()
    delays: int | tuple[tuple[int, int], ...] | None = None
    forks: bool = False

    @property
    def descriptors(self) -> tuple[int, ...]:
        """Of stdin, stdout and stderr, those of ours that the script gets."""
        return ((0,) if self.stdin else ()) + (() if self.stdout is Stdout.CAPTURE else (1, 2))


def child_options(target: Target, options: Options) -> dict[str, object]:
    """What the traced process has to know before it can compile the script."""
    call = target.call
    return {
        "script": target.script,
        "call": None if call is None else {"file": target.script, **asdict(call)},
        "module": target.module,
        "args": target.args,
        "lanes": options.lanes,
        "results": options.results,
        "knobs": dict(options.knobs),
        "virtual": options.virtual and not options.follow,
        "follow": options.follow,
        "threshold_s": options.threshold_s,
        "serves": options.serves,
        "sums_tasks": not (options.serves or options.lanes or (call is not None and call.lanes)),
        "delays": options.delays,
        "forks": options.forks,
        "unset": [] if "MALLOC_TRIM_THRESHOLD_" in os.environ else ["MALLOC_TRIM_THRESHOLD_"],
    }


_TAKE_VALUE = "WX"
_OF_PATHS = {"-E", "-I", "-P", "-s"}
"""What a package manager writes into the first line of a command, for that command's own imports."""
_NOT_FOR_SCRIPTS = "ix"
"""Ours would prompt as well; the first line that is skipped would be our own."""


def interpreter_flags(orig_argv: Sequence[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """(options that the Python with this command line was given, those among them that cannot be passed on)

    ``python -X dev -m asyncdemo ...``: (("-X", "dev"), ()).
    """
    flags: list[str] = []
    refused: list[str] = []
    words = iter(orig_argv[1:])
    for word in words:
        if word.startswith("--check-hash-based-pycs"):
            flags += [word] if "=" in word else [word, next(words, "")]
            continue
        if word in ("-", "--") or not word.startswith("-"):
            return tuple(flag for flag in flags if flag not in _OF_PATHS), tuple(refused)
        for at, letter in enumerate(word[1:], 1):
            if letter in "cm":
                return tuple(flags), tuple(refused)
            if letter in _TAKE_VALUE:
                flags += [f"-{letter}", word[at + 1 :] or next(words, "")]
                break
            (refused if letter in _NOT_FOR_SCRIPTS else flags).append(f"-{letter}")
    return tuple(flags), tuple(refused)
