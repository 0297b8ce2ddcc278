"""psycopg2 that lets meinheld's other greenlets run while it waits; psycogreen has this for gevent only."""

from typing import Any

from meinheld import server  # type: ignore[import-not-found]  # it has its own environment
from psycopg2 import OperationalError, extensions


def wait(connection: Any) -> None:
    """psycopg2 calls it whenever it would wait."""
    while True:
        match connection.poll():
            case extensions.POLL_OK:
                return
            case extensions.POLL_READ:
                server.trampoline(connection.fileno(), read=True)
            case extensions.POLL_WRITE:
                server.trampoline(connection.fileno(), write=True)
            case state:
                raise OperationalError(f"poll() gave {state}")


def patch_psycopg() -> None:
    extensions.set_wait_callback(wait)
