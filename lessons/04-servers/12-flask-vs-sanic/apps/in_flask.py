"""The article's two routes in Flask: an upload that waits behind a gate, and one that computes.

The lab serves it twice with Flask's own server: one request at a time, and with a thread for each.
"""

import os
import random
import threading
import time

from flask import Flask
from flask.typing import ResponseReturnValue

CONNECTIONS = int(os.environ.get("LAB_GATE", "5"))
FASTEST_MS = int(os.environ.get("LAB_FASTEST_MS", "100"))
SLOWEST_MS = int(os.environ.get("LAB_SLOWEST_MS", "200"))
SEED = int(os.environ.get("LAB_SEED", "0"))
NUMBERS = int(os.environ.get("LAB_NUMBERS", "1000000"))

app = Flask("uploads")
gate = threading.Semaphore(CONNECTIONS)
draw = random.Random(SEED)


@app.post("/upload")
def upload() -> ResponseReturnValue:
    """Send an image on to a store: that is a wait, with one of the connections that the gate lends."""
    takes_s = draw.randint(FASTEST_MS, SLOWEST_MS) / 1000
    with gate:
        time.sleep(takes_s)
    return {"success": True}


@app.get("/calc")
def calc() -> ResponseReturnValue:
    """No wait at all: the squares of a million numbers, added up."""
    return {"result": sum([i * i for i in range(NUMBERS)])}


if __name__ == "__main__":
    app.run(port=8000)
