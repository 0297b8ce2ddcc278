"""Runs of many lanes that do this and that, as a seed has it: for what is too large to be written by hand.

For tests only.
"""

from __future__ import annotations

import random

from asyncdemo import store
from asyncdemo.model import Run
from tests.support.runs import Story, at_line


def text_of(run: Run) -> str:
    """Its file."""
    return "".join(f"{line}\n" for line in store.dumps(run))


def crowd(seed: int, lanes: int, spans: int) -> Run:
    """A run of many lanes that do this and that, and block, and queue for connections."""
    chance, story = random.Random(seed), Story()
    pool = story.pool(chance.randint(1, 9), made=at_line(5), name="redis")
    for number in range(lanes):
        teller = story.task(f"brew({number})", at=round(chance.uniform(0, 900), 3))
        for _ in range(chance.randint(0, spans)):
            ms = round(chance.expovariate(1 / 20), 6)
            doing = chance.randrange(6)
            if doing == 0:
                teller.blocks(50 + ms, at=at_line(9, "brew"), called_from=at_line(30))
            elif doing == 1:
                teller.queues(pool, ms)
            elif doing == 2:
                teller.is_ready(ms)
            elif doing == 3:
                teller.runs(ms / 100)
            else:
                teller.waits(ms, chance.choice(["sleep", "sql", "redis", "s3"]))
        teller.returns() if chance.random() < 0.8 else teller.raises("ValueError: cold")
    return story.run()
