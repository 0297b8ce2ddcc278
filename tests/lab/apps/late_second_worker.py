"""ASGI, and of the workers that import it only the first gets through, until there is a file named ``go``."""

import os
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from asgi import app as hello

FOLDER = Path(os.environ["LAB_FOLDER"])

try:
    (FOLDER / "first").touch(exist_ok=False)
except FileExistsError:
    while not (FOLDER / "go").exists():
        time.sleep(0.01)


async def app(
    scope: dict[str, Any],
    receive: Callable[[], Awaitable[dict[str, Any]]],
    send: Callable[[dict[str, Any]], Awaitable[None]],
) -> None:
    await hello(scope, receive, send)
