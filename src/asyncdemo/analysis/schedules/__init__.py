"""What runs of one script in different schedules have in common, and where they differ. Pure functions.

Not here: making the runs (see ``serving.schedules``), describing them (``render.text.schedules``).
"""

from __future__ import annotations

from asyncdemo.analysis.schedules.difference import Difference, Moment, first_difference
from asyncdemo.analysis.schedules.exploration import Attempt, Ending, Exploration, Group, ending_of
from asyncdemo.analysis.schedules.token import Delays, delays_of, parse_token, token_of

__all__ = [
    "Attempt",
    "Delays",
    "Difference",
    "Ending",
    "Exploration",
    "Group",
    "Moment",
    "delays_of",
    "ending_of",
    "first_difference",
    "parse_token",
    "token_of",
]
