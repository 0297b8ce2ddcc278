"""The words for the content of a cell: in a sentence, in one word, in a legend. For glyphs, see ``theme``."""

from __future__ import annotations

from asyncdemo.render.timeline.grid import Shade

HEIGHT_WORDS = "the height says how many of them are at work"
"""For a row of several lanes."""

_WORDS = {
    Shade.RUNNING: ("running", "running", "running", "running"),
    Shade.READY: ("ready", "ready", "ready", "ready, another has the loop"),
    Shade.WAITING: ("waiting", "waiting", "waiting", "waiting"),
    Shade.QUEUED: ("queued", "queued", "queued", "queued for its turn"),
    Shade.BLOCKING: ("blocking", "blocking", "blocking the loop", "blocking the loop"),
    Shade.SQL: ("waiting for SQL", "sql", "sql", "waiting for SQL"),
    Shade.REDIS: ("waiting for Redis", "redis", "redis", "waiting for Redis"),
    Shade.S3: ("waiting for S3", "s3", "s3", "waiting for S3"),
    Shade.POOL: (
        "queued for a connection",
        "pool",
        "queued for a connection",
        "queued for a connection of a pool",
    ),
    Shade.CLIENT: ("not sent yet", "client", "not sent yet", "not sent by the client yet"),
    Shade.ACCEPT: ("not accepted yet", "accept", "not accepted yet", "not accepted by the server yet"),
    Shade.WORKER: ("without a worker thread", "thread", "no thread yet", "waiting for a worker thread"),
    Shade.RESPONSE: ("at its response", "response", "response", "handled, the response is under way"),
    Shade.UNKNOWN: ("not recorded", "unknown", "not recorded", "not recorded"),
    Shade.OPENING: ("opening", "opening", "connection opening", "connection opening"),
    Shade.IDLE: ("idle", "idle", "idle", "connection idle"),
    Shade.HELD: ("held", "held", "held", "connection held"),
}
"""After a number, as in "3 running"; in one word, where space is short; in a legend, short and long."""

SHADE_WORDS = {shade: words for shade, (words, *_) in _WORDS.items()} | {Shade.CLOSED: "not open"}
SHADE_TERMS = {shade: term for shade, (_, term, *_) in _WORDS.items()}
_LEGEND = {shade: (short, long) for shade, (_, _, short, long) in _WORDS.items()}
LEGEND_OF_CAUSES = {shade: words for shade, words in _LEGEND.items() if shade > Shade.BLOCKING}
"""What only some pictures have, shown only if it occurs."""
LEGEND = {shade: words for shade, words in _LEGEND.items() if shade not in LEGEND_OF_CAUSES}
"""What learners must know to read the picture."""
