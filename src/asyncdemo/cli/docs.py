"""``asyncdemo docs``: the docs site in a browser, served by this machine for this machine."""

from __future__ import annotations

import os
import sys
import threading
import webbrowser
from pathlib import Path
from typing import Final

import click

from asyncdemo.cli.built_site import BuiltSiteServer, find_site
from asyncdemo.errors import UsageError

PORT: Final = 8765


@click.command("docs", short_help="The docs site, from this machine.")
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    metavar="N",
    help=f"The port to serve it on; 0 picks a free one. By default {PORT}, or a free one if that is taken.",
)
@click.option("--no-browser", is_flag=True, help="Only serve it and print the address.")
def command(port: int | None, no_browser: bool) -> None:
    """Serve the docs site: every lesson with its recorded timeline. Needs no internet; runs until Ctrl-C.

    It is served to this machine only, and opens in the browser, if there is one.
    """
    with _serve(find_site(), port) as server:
        click.echo(f"The docs site: {server.address}")
        click.echo("Ctrl-C stops it.")
        sys.stdout.flush()
        if not no_browser and _has_screen():
            # In a thread, because some browsers return only when they are closed.
            threading.Thread(target=webbrowser.open, args=(server.address,), daemon=True).start()
        server.serve_forever()


def _serve(folder: Path, port: int | None) -> BuiltSiteServer:
    try:
        return BuiltSiteServer(folder, PORT if port is None else port)
    except OSError as error:
        if port is not None:
            raise UsageError(
                f"Port {port} is not available: {error.strerror}. `asyncdemo docs` picks a free one."
            ) from None
        return BuiltSiteServer(folder, 0)


def _has_screen() -> bool:
    """Return whether a browser window would be visible here. A text browser would be in the way."""
    if not sys.stdout.isatty():
        return False
    if sys.platform == "darwin":
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
