"""What to record, and how: the script and all options."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from enum import Enum
from pathlib import Path


class Stdout(Enum):
    """Where the script's output goes."""

    INHERIT = "inherit"
    TO_STDERR = "to stderr"
    CAPTURE = "capture"
    """Sent to the listener, as text."""


@dataclass(frozen=True)
class Call:
    """A call of a function in a module, which is imported for it.

    ``function`` is a qualified name, ``arguments`` a tuple as a Python literal, ``lanes`` module -> those of
    its functions whose calls are the rows; ``path`` is where the child looks for modules.
    """

    module: str
    function: str
    arguments: str = "()"
    lanes: Mapping[str, Sequence[str]] = field(default_factory=dict)
    path: tuple[str, ...] = ()


@dataclass(frozen=True)
class Target:
    """A script file, a module as for ``python -m``, or a function of the file; and arguments.

    ``script`` can also be a folder or zip file with a ``__main__``, a ``.pyc``, or ``-`` for standard input.
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
        return "stdin" if self.script == "-" else self.module or Path(self.script or "").stem


@dataclass(frozen=True)
class Options:
    """How to run a target.

    Attributes:
        lanes: Functions whose calls are the rows.
        knobs: Constants to set, as typed.
        virtual: Let time jump instead of waiting.
        memory_bytes: Limit to the resident size of all its processes together, if it's confined; None: half
            of the machine's.
        processes: How many processes that it started may be running, if it's confined.
        threshold_s: A step that takes longer counts as blocking.
        results: Record what the calls of the lanes return, if these are plain values.
        stdin: The script may read ours; otherwise it has nothing to read.
        environment: Variables to set for the script, in addition to ours.
        serves: It is a server: record when it accepted and handled which request; listeners see requests.
        follow: Also record processes that it starts with multiprocessing's *spawn*, with the same lanes and
            knobs. Time is then real, the only time that they have in common.
        folder: Where it runs, if not in our current folder. Then ``script`` must be absolute.
        memory: Sample the memory of the script and everything it starts.
        flags: Command-line options of the Python that runs the script.
        delays: Time that passes before callbacks of asyncio's loops under the virtual clock: a seed to draw
            delays from, or (number of the callback, ns) for each.
        forks: The process loads the script, and runs it in forks of itself.
        confined: Limit its memory, its processes and its time to end after Ctrl-C, and end what it leaves
            running. False: none of this, for a user's own script.
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
    folder: str | None = None
    memory: bool = False
    flags: tuple[str, ...] = ()
    delays: int | tuple[tuple[int, int], ...] | None = None
    forks: bool = False
    confined: bool = True

    @property
    def descriptors(self) -> tuple[int, ...]:
        """Those of our stdin, stdout and stderr that the script gets."""
        return ((0,) if self.stdin else ()) + (() if self.stdout is Stdout.CAPTURE else (1, 2))


def start_only() -> dict[str, str]:
    """Return variables that the traced process starts with, unless they are set, and the script must not see.

    glibc returns freed memory so eagerly that asyncio's 256 KiB receive buffer gets slow. Python turns its
    UTF-8 mode on in the locale C, which it has replaced for us, and so for the process.
    """
    variables = {"MALLOC_TRIM_THRESHOLD_": str(1 << 28)}
    if sys.flags.utf8_mode:
        variables["PYTHONUTF8"] = "1"
    return variables


def child_options(target: Target, options: Options) -> dict[str, object]:
    """Return what the traced process must know before it can compile the script."""
    call = target.call
    return {
        "script": target.script,
        "call": None if call is None else {"file": target.script, **asdict(call)},
        "module": target.module,
        "args": target.args,
        "folder": options.folder,
        "lanes": options.lanes,
        "results": options.results,
        "knobs": dict(options.knobs),
        "virtual": options.virtual and not options.follow,
        "follow": options.follow,
        "threshold_s": options.threshold_s,
        "serves": options.serves,
        "delays": options.delays,
        "forks": options.forks,
        "unset": [name for name in start_only() if name not in os.environ],
    }


_TAKE_VALUE = "WX"
_OF_PATHS = {"-E", "-I", "-P", "-s"}
"""Package managers write these into the first line of a command, for that command's own imports."""
_NOT_FOR_SCRIPTS = "ix"
"""With -i our process would prompt, too; -x would skip the first line of our own code."""


def interpreter_flags(orig_argv: Sequence[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return (options that a Python's command line has, those of them that cannot be passed on).

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
