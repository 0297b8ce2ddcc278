"""What a server answered to one request, as its client got it."""

from __future__ import annotations

from typing import NamedTuple


class Answer(NamedTuple):
    """What a server answered to one request.

    Attributes:
        method: The method of the request.
        path: Its path, with the query.
        status: The status code, or None without a whole response.
        content_type: The Content-Type of the answer.
        body: The body, as far as it was kept.
    """

    method: str
    path: str
    status: int | None
    content_type: str
    body: bytes
