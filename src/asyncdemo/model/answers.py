"""What a server answered to one request, as its client got it."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["Answer"]


class Answer(NamedTuple):
    """What a server answered to one request.

    method, path: of the request. status: None without a whole response. content_type: of the answer.
    body: as far as it was kept.
    """

    method: str
    path: str
    status: int | None
    content_type: str
    body: bytes
