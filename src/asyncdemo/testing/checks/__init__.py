"""A vocabulary for what a program must do at the same time, one after another, or never.

``Seen`` is one recorded run, ``Calls`` the calls of one of its functions. Each method is a sentence that
holds or raises ``CheckFailed``, which says what should be, what was seen, and which part of the run shows it.
Sentences are about order, overlap, counts and limits, so they hold on a slow machine, too.
"""

from asyncdemo.model import Answer, Evidence, Lane, Outcome
from asyncdemo.testing.checks.calls import Calls
from asyncdemo.testing.checks.observation import CheckFailed, Missed
from asyncdemo.testing.checks.pools import Pools
from asyncdemo.testing.checks.requests import Requests
from asyncdemo.testing.checks.seen import Seen

__all__ = [
    "Answer",
    "Calls",
    "CheckFailed",
    "Evidence",
    "Lane",
    "Missed",
    "Outcome",
    "Pools",
    "Requests",
    "Seen",
]
