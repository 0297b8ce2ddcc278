"""Small SQLite files that several processes change at the same time, and that survive a kill."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from time import monotonic
from typing import Final

from asyncdemo.errors import WorkspaceError

_APPLICATION_ID: Final = 0x6173796E  # "asyn": SQLite keeps it in the file's header
_VERSION: Final = 1
_BUSY_S: Final = 3.0
"""How long to wait for another process to finish writing."""
_ATTEMPT_S: Final = 0.01
"""How long SQLite waits by itself: later it looks ten times a second, and others always come first."""
_gave_up: Final[set[Path]] = set()
"""Files that stayed locked for that long: a command that needs one several times waits only once."""
_LONGEST: Final = 1_000_000
"""The largest row or statement, in bytes."""
_PATIENCE: Final = 200, 100_000
"""How often SQLite may report progress, and after how many of its instructions: less than a second."""
_NOT_ALLOWED: Final = {"SQLITE_CANTOPEN", "SQLITE_PERM"}
_DAMAGED: Final = {"SQLITE_NOTADB", "SQLITE_CORRUPT", "SQLITE_ERROR", "SQLITE_TOOBIG", "SQLITE_INTERRUPT"}
"""The file's contents are not ours. Any other error is about the system."""
_MOVE_IT: Final = "Move it elsewhere, and asyncdemo goes on without it."


@contextmanager
def reading(file: Path) -> Iterator[sqlite3.Connection | None]:
    """Yield a consistent view of the file. None if it's missing or empty, or opening it is not permitted.

    Raises WorkspaceError if the file is not ours.
    """
    with _explain_errors(file), ExitStack() as stack:
        connection = None
        if os.path.isfile(file):  # Path.is_file raises an error without permission
            try:
                connection = stack.enter_context(closing(_open(file, "BEGIN")))
            except sqlite3.Error as error:
                if _name(error) not in _NOT_ALLOWED:
                    raise
        yield None if connection is None or _is_new(connection, file) else connection


@contextmanager
def writing(file: Path, tables: str) -> Iterator[sqlite3.Connection]:
    """Yield a connection with a write lock. Afterwards, all the changes are on disk, or none.

    ``tables`` has the statements that create the tables of a new file. Raises WorkspaceError.
    """
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise WorkspaceError(f"{file.parent}: {error.strerror or error}.") from None
    with _explain_errors(file), closing(_open(file, "BEGIN IMMEDIATE")) as connection:
        if _is_new(connection, file):
            for statement in (
                *filter(str.strip, tables.split(";")),
                f"PRAGMA application_id = {_APPLICATION_ID}",
                f"PRAGMA user_version = {_VERSION}",
            ):
                connection.execute(statement)
        yield connection
        connection.execute("COMMIT")


def _open(file: Path, begin: str) -> sqlite3.Connection:
    give_up_s = monotonic() + (0.0 if file in _gave_up else _BUSY_S)
    connection = sqlite3.connect(file, timeout=_ATTEMPT_S, isolation_level=None)
    left = iter(range(_PATIENCE[0]))
    try:
        # Somebody else may have made the file: a query must end, and call no function that it names.
        connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _LONGEST)
        connection.set_progress_handler(lambda: next(left, None) is None, _PATIENCE[1])
        connection.execute("PRAGMA trusted_schema = OFF")
        while True:
            try:
                connection.execute(begin)
                connection.execute("PRAGMA application_id")  # reads the file, which BEGIN alone does not
                break
            except sqlite3.OperationalError as error:
                if _name(error) != "SQLITE_BUSY":
                    raise
                if monotonic() >= give_up_s:
                    _gave_up.add(file)
                    raise
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
        connection.execute(f"PRAGMA busy_timeout = {round(_BUSY_S * 1000)}")  # COMMIT waits for readers
    except BaseException:
        connection.close()
        raise
    _gave_up.discard(file)
    return connection


def _is_new(connection: sqlite3.Connection, file: Path) -> bool:
    """Return whether the file has no tables yet. Raises WorkspaceError if its tables are not ours."""
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    (tables,) = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    if not (application or version or tables):
        return True
    made = (
        "SELECT count(*) FROM sqlite_master WHERE type IN ('view', 'trigger') OR sql LIKE '%VIRTUAL TABLE%'"
    )
    if application != _APPLICATION_ID or connection.execute(made).fetchone() != (0,):
        raise WorkspaceError(f"{file}: was not made by asyncdemo. {_MOVE_IT}")
    if version > _VERSION:
        raise WorkspaceError(
            f"{file}: was written by a newer asyncdemo. Nothing was changed. Upgrade asyncdemo."
        )
    return False


@contextmanager
def _explain_errors(file: Path) -> Iterator[None]:
    try:
        yield
    except sqlite3.Error as error:
        words = "another program is using it" if _name(error) == "SQLITE_BUSY" else str(error)
        advice = f" {_MOVE_IT}" if _name(error) in _DAMAGED else ""
        raise WorkspaceError(f"{file}: {words}.{advice}") from None


def _name(error: sqlite3.Error) -> str:
    """Return the name without the extended code: SQLITE_IOERR for SQLITE_IOERR_WRITE."""
    return "_".join(getattr(error, "sqlite_errorname", "").split("_")[:2])
