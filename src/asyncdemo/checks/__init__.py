"""A vocabulary for what a program must do at the same time, one after another, or never.

``Seen`` is one recorded run, ``Calls`` the calls of one of its functions. Each method is a sentence that
holds or raises ``CheckFailed``, which says what should be, what was seen, and which stretch of the run
shows it. Sentences are about order, overlap, counts and limits, so they hold on a slow machine too.

Not for: running programs (``course.judging``, ``observe``) or drawing the evidence (``render.evidence``).
"""

from asyncdemo.checks.answers import Answer
from asyncdemo.checks.calls import Calls
from asyncdemo.checks.failure import CheckFailed, Evidence, Missed
from asyncdemo.checks.pools import Pools
from asyncdemo.checks.requests import Requests
from asyncdemo.checks.seen import Seen
from asyncdemo.model import Lane, Outcome

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
