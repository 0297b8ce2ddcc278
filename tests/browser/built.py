"""What was built: the pages of the site, and one of every kind of them.

Not for: looking at them (``conftest``).
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

_CHECKOUT: Final = Path(__file__).parents[2]
SITE: Final = _CHECKOUT / "site"
SHOTS: Final = _CHECKOUT / ".cache" / "screenshots"

KINDS: Final = (
    "index.html",
    "404.html",
    "start/hurry.html",
    "start/install.html",
    "lessons/index.html",
    "lessons/two-sleeps.html",
    "lessons/redis-pools.html",
    "lessons/instructors.html",
    "explore/open.html",
    "explore/mistakes/index.html",
    "explore/mistakes/blocks-the-loop.html",
    "measure/index.html",
    "measure/four-frameworks.html",
    "measure/speed.html",
    "teach/index.html",
    "teach/schedules.html",
    "teach/handout.html",
    "reference/commands.html",
    "reference/vocabulary.html",
    "reference/checks.html",
    "reference/json.html",
    "reference/api/index.html",
    "about/index.html",
)
"""One page of every kind."""


def pages() -> list[str]:
    """All of them, within the site. Without a site the first page, so that its test fails and says so."""
    found = sorted(path.relative_to(SITE).as_posix() for path in SITE.rglob("*.html"))
    return found or ["index.html"]
