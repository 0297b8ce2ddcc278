"""Start, watch and end a server program as a child process, on a free port."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice

from asyncdemo.errors import ServiceError
from asyncdemo.services.accounts import Account, credentials

_ATTEMPTS = 3
"""Each with another port: another program may take one between finding it free and the server binding it."""
_ANSWERS_S = 30.0
_ASK_AGAIN_S = 0.005
_GRACE_S = 5.0
"""After each of the signals that ask it to end."""


class ServiceProgram:
    """A server program. Its output goes to our stderr."""

    def __init__(
        self,
        command: Sequence[str | os.PathLike[str]],
        *,
        endings: Sequence[signal.Signals],
        environment: Mapping[str, str] | None = None,
        folder: str | os.PathLike[str] | None = None,
        account: Account | None = None,
    ) -> None:
        """Start it. ``endings`` are signals that ask it to end, the gentlest first; ``folder`` is its working
        directory, since the account might not reach ours.
        """
        self._endings = endings
        self._ending = False
        self.process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=sys.stderr.fileno(),
            env=environment,
            cwd=folder,
            **credentials(account),
        )

    @property
    def running(self) -> bool:
        return self.process.poll() is None

    def watch(self, lost: Callable[[str], None]) -> None:
        """If the program ends without being asked to, call ``lost`` with how it ended, in another thread."""

        def wait() -> None:
            code = self.process.wait()
            if not self._ending:
                lost(ending_words(code))

        threading.Thread(target=wait, name="watch", daemon=True).start()

    def end(self) -> None:
        """End the program and wait for it. May be called twice."""
        self._ending = True
        for ending in self._endings:
            if not self.running:
                return
            self.process.send_signal(ending)
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.process.wait(_GRACE_S)
        self.process.kill()
        self.process.wait()


def start_on_free_port(
    launch: Callable[[int], ServiceProgram], answers: Callable[[ServiceProgram, int], bool]
) -> tuple[ServiceProgram, int]:
    """Start a program and return it, with its port, once it answers.

    ``launch`` starts it on a port; ``answers`` says whether it is that program that answers there.
    Raises ServiceError if it ends on every port that was tried, or takes too long.
    """
    words = ""
    for port in islice(free_ports(), _ATTEMPTS):
        program = launch(port)
        try:
            end_s = time.monotonic() + _ANSWERS_S
            while program.running:
                if answers(program, port):
                    return program, port
                if time.monotonic() > end_s:
                    raise ServiceError(f"did not answer within {_ANSWERS_S:.0f} s")
                time.sleep(_ASK_AGAIN_S)
        except BaseException:
            program.end()
            raise
        words = ending_words(program.process.returncode)
    raise ServiceError(f"{words} before it answered")


def free_ports() -> Iterator[int]:
    """Yield loopback ports; each was free a moment ago."""
    while True:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = int(probe.getsockname()[1])
        yield port


def ending_words(code: int) -> str:
    if code >= 0:
        return f"ended with exit code {code}"
    with contextlib.suppress(ValueError):  # a signal without a name
        return f"was ended by {signal.Signals(-code).name}"
    return f"was ended by signal {-code}"
