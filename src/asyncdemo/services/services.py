"""Several services together: started at the same time, reset together, stopped whatever happens."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Final, Self

from asyncdemo.errors import ServiceError, UsageError
from asyncdemo.services.choice import NAMES, choose
from asyncdemo.services.hosted import Hosted


class Services:
    """A context manager that starts services on entry and stops them on exit.

    If this process is killed, each ends by itself. Once closed, they are not started again.

    Args:
        names: Names of services, such as "redis".
        environ: Where ASYNCDEMO_REDIS_URL and the like are looked up.

    Attributes:
        names (tuple[str, ...]): The services, without duplicates, in the order in which they were given.

    Raises:
        UsageError: If there is no service of a name.
    """

    def __init__(self, names: Sequence[str], environ: Mapping[str, str] = os.environ) -> None:
        if unknown := [name for name in names if name not in NAMES]:
            raise UsageError(f"There is no service {unknown[0]!r}. There are: {', '.join(NAMES)}.")
        self.names: Final = tuple(dict.fromkeys(names))
        self._environ = environ
        self._hosted: dict[str, Hosted] = {}
        self._closed = False

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def environment(self) -> Mapping[str, str]:
        """The variables with the addresses, under their customary names; for the child process only."""
        return {name: value for hosted in self._hosted.values() for name, value in hosted.environment.items()}

    @property
    def words(self) -> Mapping[str, str]:
        """Name of the service -> what it is, with its version."""
        return {name: hosted.words for name, hosted in self._hosted.items()}

    def start(self) -> None:
        """Start all at the same time, unless they already run; return when each answers and is seeded.

        Raises:
            MissingError: If something is missing; it has the command that installs it.
            ServiceError: If one does not start, with its own error message. Then none of them runs.
        """
        if self._hosted and not self._closed:
            return
        choices = [choose(name, self._environ) for name in self.names]
        try:
            for choice in choices:
                if not self._closed:
                    self._hosted[choice.service.name] = Hosted(choice)
            for hosted in list(self._hosted.values()):
                hosted.wait_started()
            if self._closed:
                raise ServiceError("The services were stopped while they were starting.")
        except BaseException:
            self.close()
            raise

    def reset(self) -> None:
        """Return all of them to their freshly seeded state.

        Raises:
            ServiceError: If one cannot be reset, or is gone.
        """
        for hosted in self._hosted.values():
            hosted.ask_reset()
        for hosted in self._hosted.values():
            hosted.wait_reset()

    def died(self) -> str | None:
        """Return a sentence if one of them has ended since it was started."""
        return next((words for hosted in self._hosted.values() if (words := hosted.died())), None)

    def pid(self, name: str) -> int | None:
        """Return the id of the server's first process; None if it is not ours or does not run."""
        hosted = self._hosted.get(name)
        return None if hosted is None or hosted.died() else hosted.server_pid

    def kill(self, name: str) -> None:
        """Kill a server as the system would, without warning: for tests of faults.

        Raises:
            ServiceError: If it does not run.
        """
        if name not in self._hosted:
            raise ServiceError(f"The service {name!r} is not running.")
        self._hosted[name].kill()

    def close(self) -> None:
        """Stop all of them and remove what they wrote. May be called twice, and while they start."""
        self._closed = True
        running = list(self._hosted.values())
        for hosted in running:
            hosted.ask_end()
        for hosted in running:
            hosted.wait_end()
