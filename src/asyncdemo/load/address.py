"""Of an URL: where to connect, and what to ask for there.

Not for: finding the address of a host (``limits``).
"""

from __future__ import annotations

from urllib.parse import urlsplit

from asyncdemo.errors import UsageError


def read_url(text: str) -> tuple[str, int, str]:
    """Host, port, and path with its query. Raises UsageError if this client cannot load it."""
    try:
        url = urlsplit(text)
        port = 80 if url.port is None else url.port
    except ValueError as error:
        raise UsageError(f"load: {text!r} is no URL: {error}") from error
    if url.scheme != "http" or not url.hostname:
        raise UsageError(f"load: {text!r} is no URL that this client knows; it must begin with http://")
    return url.hostname, port, (url.path or "/") + (f"?{url.query}" if url.query else "")
