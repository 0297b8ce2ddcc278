"""The words for the content of a cell: in a sentence, in one word, in a legend. For glyphs, see ``theme``."""

from __future__ import annotations

from asyncdemo.render.timeline.grid import Shade

HEIGHT_WORDS = "the height says how many of them are at work"
"""For a row of several lanes."""

SHADE_WORDS = {
    Shade.CLOSED: "not open",
    Shade.RUNNING: "running",
    Shade.READY: "ready",
    Shade.WAITING: "waiting",
    Shade.QUEUED: "queued",
    Shade.BLOCKING: "blocking",
    Shade.SQL: "waiting for SQL",
    Shade.REDIS: "waiting for Redis",
    Shade.S3: "waiting for S3",
    Shade.POOL: "queued for a connection",
    Shade.ACCEPT: "not accepted yet",
    Shade.WORKER: "without a worker thread",
    Shade.CLIENT: "not sent yet",
    Shade.RESPONSE: "at its response",
    Shade.OPENING: "opening",
    Shade.IDLE: "idle",
    Shade.HELD: "held",
}
"""The words after a number: "3 running"."""

SHADE_TERMS = SHADE_WORDS | {
    Shade.SQL: "sql",
    Shade.REDIS: "redis",
    Shade.S3: "s3",
    Shade.POOL: "pool",
    Shade.ACCEPT: "accept",
    Shade.WORKER: "thread",
    Shade.CLIENT: "client",
    Shade.RESPONSE: "response",
}
"""One word each, where space is short."""

LEGEND = {
    Shade.RUNNING: ("running", "running"),
    Shade.READY: ("ready", "ready, another has the loop"),
    Shade.WAITING: ("waiting", "waiting"),
    Shade.QUEUED: ("queued", "queued for its turn"),
    Shade.BLOCKING: ("blocking the loop", "blocking the loop"),
}
"""What learners must know to read the picture, in a short and a long form."""

LEGEND_OF_CAUSES = {
    Shade.SQL: ("sql", "waiting for SQL"),
    Shade.REDIS: ("redis", "waiting for Redis"),
    Shade.S3: ("s3", "waiting for S3"),
    Shade.POOL: ("queued for a connection", "queued for a connection of a pool"),
    Shade.CLIENT: ("not sent yet", "not sent by the client yet"),
    Shade.ACCEPT: ("not accepted yet", "not accepted by the server yet"),
    Shade.WORKER: ("no thread yet", "waiting for a worker thread"),
    Shade.RESPONSE: ("response", "handled, the response is under way"),
    Shade.OPENING: ("connection opening", "connection opening"),
    Shade.IDLE: ("idle", "connection idle"),
    Shade.HELD: ("held", "connection held"),
}
"""The same for what only some pictures have, shown only if it occurs."""
