"""The script of the page that opens run files in a browser, with the tables that it shares with Python.

The script is plain files that are put one after the other: what they draw of a run is what ``chart``
makes of it, number for number.

Not for: the timeline element (``element.script_js``), the page around it (the docs).
"""

from __future__ import annotations

import json
from importlib.resources import files

from asyncdemo.model import State
from asyncdemo.render.facts.runs import reason_words
from asyncdemo.render.timeline import chart, pools
from asyncdemo.render.timeline.grid import CAUSES, FULL, SHADES
from asyncdemo.render.timeline.layout import LEAST_SCALE_NS
from asyncdemo.render.words import RUN_OUTCOME_WORDS

__all__ = ["open_run_js"]

_PARTS = (
    "run_fields.js",
    "run_file.js",
    "run_lines.js",
    "run_words.js",
    "run_cells.js",
    "run_pools.js",
    "run_chart.js",
    "open_run.js",
)
_REASONS = ("", "gil")
"""Of a step that held the loop: those that have words of their own."""


def open_run_js() -> str:
    """A classic script, for a page that has the form to choose files with."""
    parts = [files("asyncdemo.render.html").joinpath(name).read_text(encoding="utf-8") for name in _PARTS]
    tables = f"const TABLES = {json.dumps(_tables())};\nconst {{ shades: SHADE, limits: LIMITS }} = TABLES;"
    return "\n".join(["(() => {", "'use strict';", tables, *parts, "})();", ""])


def _tables() -> dict[str, object]:
    return {
        "shades": {shade.name: int(shade) for shade in SHADES},
        "causes": [
            [(reason, int(shade)) for (of, reason), shade in CAUSES.items() if of == state] for state in State
        ],
        "outcomes": {str(outcome): words for outcome, words in RUN_OUTCOME_WORDS.items()},
        "reasons": {reason: reason_words(reason) for reason in _REASONS},
        "limits": {
            "columns": chart.COLUMNS,
            "rows": chart.ROWS,
            "bars": chart.BARS,
            "pools": chart.MOST_POOLS,
            "pool_rows": chart.POOL_ROWS,
            "pool_bars": chart.POOL_BARS,
            "apart": pools.MOST_APART,
            "nested": pools.NESTED,
            "full": FULL,
            "scale_ns": LEAST_SCALE_NS,
        },
    }
