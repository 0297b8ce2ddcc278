"""The calls of one function in a run, with every sentence about them."""

from __future__ import annotations

from asyncdemo.testing.checks.order import Order
from asyncdemo.testing.checks.overlaps import Overlaps


class Calls(Overlaps, Order):
    """The calls of one function. Made by ``Seen.calls``.

    A method is a sentence: it returns the calls, so that sentences can be chained, or raises ``CheckFailed``.
    A sentence about all of them fails if there are none.

    Attributes:
        function (str): The function that was called.
    """
