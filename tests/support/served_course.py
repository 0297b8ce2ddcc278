"""A small course of servers, to run, and to break what a manifest or a rule is about."""

from __future__ import annotations

from pathlib import Path

LESSON = "01-shop/01-shop"

COURSE = """\
title = "Servers"

[[modules]]
number = 1
title = "Shop"
folder = "01-shop"
lessons = ["shop"]
"""

MANIFEST = """\
id = "shop"
title = "A shop"
question = "What waits?"
point = "One at a time is slow."
minutes = 10
packages = ["flask", "sanic"]
lanes = ["sell"]

[load]
clients = "CLIENTS"
requests = "REQUESTS"
timeout_s = 20

[load.knobs]
CLIENTS = 4
REQUESTS = 8

[[load.sends]]
method = "POST"
path = "/sell/3/"
times = 3
json = { what = "tea" }

[[load.sends]]
path = "/stock"

[[variants]]
name = "in-turn"
title = "Flask, one after another"
file = "in_turn.py"

[[variants]]
name = "at-once"
title = "Sanic, all at the same time"
file = "at_once.py"

[knobs]
CLIENTS = { unit = "clients", low = 1, high = 100, meaning = "how many buy at the same time" }
REQUESTS = { unit = "requests", low = 1, high = 1000, meaning = "how much is bought in all" }
PACKS_S = { unit = "s", low = 0.001, high = 1, meaning = "how long packing takes" }

[[predictions]]
kind = "number"
question = "in-turn: to how many of {CLIENTS} clients is sold at the same time?"
variant = "in-turn"
metric = "peak(sell)"
why = "One at a time."

[claims]
"a peak of 1" = "in-turn.peak == 1"
"All 8 requests are answered" = "at-once.answered == REQUESTS"
"6 of them at the counter" = "at-once.answered(/sell/3/) == 6"
"12 with `REQUESTS` set to that" = "at-once.requests == 12 with REQUESTS=12"

[exercise]
task = "Sell to all at the same time."
lanes = ["sell"]
timeout_s = 20
runs = [{}, { CLIENTS = 3, PACKS_S = 0.25 }]

[exercise.load]
clients = "CLIENTS"
requests = "CLIENTS"

[exercise.load.knobs]
CLIENTS = 5

[[exercise.load.sends]]
method = "POST"
path = "/sell/3/"
"""

README = """\
# A shop

## The question

To how many does the shop sell at the same time, if packing takes `PACKS_S`?

## What you saw

`in-turn` had a peak of 1. All 8 requests are answered, 6 of them at the counter, `/sell/3/`.
4 clients (`CLIENTS`) sent them.

## Change it

- `asyncdemo run shop --set CLIENTS=2 --set REQUESTS=12`: 12 with `REQUESTS` set to that.
"""

IN_TURN = '''\
"""A shop with one counter: to how many is sold at the same time?

Predict how many are sold to at the same time:  asyncdemo run shop --variant in-turn
"""

import os
import time

from flask import Flask
from flask.typing import ResponseReturnValue

PORT = int(os.environ.get("PORT", "8000"))
PACKS_S = 0.03
app = Flask("shop")


@app.post("/sell/<int:n>/")
def sell(n: int) -> ResponseReturnValue:
    time.sleep(PACKS_S)
    return {"sold": n}


@app.get("/stock")
def stock() -> ResponseReturnValue:
    return {"left": 7}


if __name__ == "__main__":
    app.run(host="127.0.0.1", port=PORT, threaded=False)
'''

AT_ONCE = '''\
"""A shop with one counter: to how many is sold at the same time?

Predict how many are sold to at the same time:  asyncdemo run shop --variant at-once
"""

import asyncio
import os

from sanic import HTTPResponse, Request, Sanic, json

PORT = int(os.environ.get("PORT", "8000"))
PACKS_S = 0.03
app = Sanic("shop")


@app.post("/sell/<n:int>/")
async def sell(request: Request, n: int) -> HTTPResponse:
    await asyncio.sleep(PACKS_S)
    return json({"sold": n})


@app.get("/stock")
async def stock(request: Request) -> HTTPResponse:
    return json({"left": 7})


if __name__ == "__main__":
    app.run(host="127.0.0.1", port=PORT, single_process=True, access_log=False)
'''

EXERCISE = '''\
"""Sell to all at the same time.

Check it with:  asyncdemo check shop
"""

import os
import time

from flask import Flask
from flask.typing import ResponseReturnValue

PORT = int(os.environ.get("PORT", "8000"))
PACKS_S = 0.2
app = Flask("shop")


@app.post("/sell/<int:n>/")
def sell(n: int) -> ResponseReturnValue:
    {body}
    return {{"sold": n}}


def main() -> None:
    """Serve until Ctrl-C."""
    {main}


if __name__ == "__main__":
    main()
'''
RUN = 'app.run(host="127.0.0.1", port=PORT, threaded={})'
SLEEP = "time.sleep(PACKS_S)"
GIVEN = EXERCISE.format(
    body=SLEEP, main="# TODO: nobody should wait for somebody else\n    " + RUN.format(False)
)
SOLVED = EXERCISE.format(body=SLEEP, main=RUN.format(True))
SELL = '''\
"""{words}

Fault: {fault}
"""

import sys


@app.post("/sell/<int:n>/")
def sell(n: int) -> ResponseReturnValue:
    {body}
    return {{"sold": n}}
'''
IN_TURN_ONLY = f'''\
"""One after another.

Fault: never more than 1
"""


def main() -> None:
    {RUN.format(False)}
'''
WRONG = {
    "dead": SELL.format(
        words="It ends.",
        fault="no more tea",
        body='print("no more tea", file=sys.stderr, flush=True)\n    os._exit(4)',
    ),
    "refuses": SELL.format(
        words="It refuses.",
        fault="status 200",
        body=SLEEP + "\n    if n:\n        raise LookupError(n)",
    ),
    "in_turn": IN_TURN_ONLY,
}

CHECK = '''\
"""What the shop must do, in sentences."""

from asyncdemo.testing.checks import Seen


def check(seen: Seen) -> None:
    clients = int(seen.knobs["CLIENTS"])
    seen.requests("/sell/3/").all_answered(clients).all_answer({"sold": 3})
    seen.calls("sell").happen(clients).peak_is(clients)
    assert [answer.path for answer in seen.answers] == ["/sell/3/"] * clients
'''

SERVICE = '''\
"""How often was it asked for tea?

Predict the count:  python {name}.py
"""

import os

import redis

REDIS_URL = os.environ.get("REDIS_URL", "redis://127.0.0.1:6379/0")
ASKED = 3


def ask(client: redis.Redis) -> int:
    return int(str(client.incr("tea")))


def main() -> None:
    with redis.Redis.from_url(REDIS_URL) as client:
        for _ in range(ASKED):
            print("asked", ask(client))


if __name__ == "__main__":
    main()
'''
"""A variant, or an exercise, that is no server and uses Redis."""


def write_served_course(folder: Path) -> Path:
    """The course in the folder; returns that of its lesson."""
    lesson = folder / LESSON
    (lesson / "wrong").mkdir(parents=True)
    (folder / "course.toml").write_text(COURSE)
    texts = {
        "lesson.toml": MANIFEST,
        "README.md": README,
        "in_turn.py": IN_TURN,
        "at_once.py": AT_ONCE,
        "exercise.py": GIVEN,
        "solution.py": SOLVED,
        "check.py": CHECK,
        **{f"wrong/{name}.py": text for name, text in WRONG.items()},
    }
    for name, text in texts.items():
        (lesson / name).write_text(text)
    return lesson
