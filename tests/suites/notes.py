"""Which notes say that not all of a traced run was traced: that its tests ended alike proves nothing then.

A hook that fails is switched off, and the tests pass without it. A recording may end before the script does,
which then goes on without the tracer. Not for: notes of how a long run is shown, nor of other processes,
which were never to be traced.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from tests.suites.outcomes import MISSING, Difference

_HARMLESS = (
    r"was forked (once|[\d,]+ times): what goes on in a fork is not observed\.$",
    r"^The script started processes with multiprocessing, which are not observed\.$",
    r"^The script started itself again in another process",
    r"^Up to \S+ s the states of a lane are summed up",
    r"^Who woke whom is kept from",
    r"^The first [\d,]+ tasks that ended are drawn",
    r"^[\d,]+ of their steps came too late to be counted\.$",
)
"""Whatever else a note says is a fault until it stands here: a new note is looked at immediately."""
_SECONDS = r"\d+\.\d\d s\b"


def faults(runs: Iterable[Iterable[str]]) -> list[Difference]:
    """runs: the notes of each traced run of a suite. One that any of them has is there, steady or not."""
    notes = [{_alike(note) for note in run if not _is_harmless(note)} for run in runs]
    return [
        Difference(
            f"note: {text}", (MISSING,), tuple("noted" if text in run else "not noted" for run in notes)
        )
        for text in sorted(set().union(*notes))
    ]


def _is_harmless(note: str) -> bool:
    return any(re.search(harmless, note) for harmless in _HARMLESS)


def _alike(note: str) -> str:
    """Without the times, which differ from run to run."""
    return re.sub(_SECONDS, "... s", note)
