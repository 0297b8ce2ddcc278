"""Runs of many lanes that do this and that, as a seed has it: for what is too large to be told by hand.

For tests only.
"""

from __future__ import annotations

import random

from asyncdemo import store
from asyncdemo.model import Run
from tests.support.runs import Story, at_line

__all__ = ["crowd", "text_of"]


def text_of(run: Run) -> str:
    """Its file."""
    return "".join(f"{line}\n" for line in store.dumps(run))


def crowd(seed: int, lanes: int, spans: int, connections: int = 0, pools: int = 1) -> Run:
    """A run of many lanes that do this and that, and block, and queue for connections."""
    chance, story = random.Random(seed), Story()
    made = [story.pool(chance.randint(1, 9), made=at_line(5), name="redis") for _ in range(pools)]
    tellers = []
    for number in range(lanes):
        teller = story.task(f"brew({number})", at=round(chance.uniform(0, 900), 3))
        tellers.append(teller)
        for _ in range(chance.randint(0, spans)):
            ms = round(chance.expovariate(1 / 20), 6)
            doing = chance.randrange(6)
            if doing == 0:
                teller.blocks(50 + ms, at=at_line(9, "brew"), called_from=at_line(30))
            elif doing == 1:
                teller.queues(chance.choice(made), ms)
            elif doing == 2:
                teller.is_ready(ms)
            elif doing == 3:
                teller.runs(ms / 100)
            else:
                teller.waits(ms, chance.choice(["sleep", "sql", "redis", "s3"]))
        teller.returns() if chance.random() < 0.8 else teller.raises("ValueError: cold")
    for _ in range(connections):
        opened, uses = round(chance.uniform(0, 900), 3), []
        at = ready = opened + chance.random()
        for _ in range(chance.randint(0, 8)):
            start = at + chance.choice([0, chance.expovariate(0.1)])
            at = start + chance.expovariate(0.05)
            uses.append((chance.choice(tellers), start, at))
        closed = at + 1 if chance.random() < 0.3 else None
        story.connection(chance.choice(made), opened, ready, uses, closed, by=chance.choice(tellers))
    for at_ms in range(0, 1500, 100):
        story.has_memory(at_ms, 40 + chance.random() * at_ms, 900 + at_ms)
    return story.run()
