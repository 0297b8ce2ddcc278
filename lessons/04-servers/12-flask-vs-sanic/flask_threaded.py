"""Fifty clients upload to Flask, with a thread for each request: how long until all have their answer?

Predict the seconds and the peak before you run it:  asyncdemo run flask-vs-sanic --variant threaded
"""

import os
import random
import threading
import time

from flask import Flask
from flask.typing import ResponseReturnValue

CONNECTIONS = 5
FASTEST_MS = 100
SLOWEST_MS = 200
SEED = 0
PORT = int(os.environ.get("PORT", "8000"))

app = Flask("uploads")
gate = threading.Semaphore(CONNECTIONS)
draw = random.Random(SEED)


@app.post("/upload")
def upload() -> ResponseReturnValue:
    """Send the image on to the store, through one of the connections that the gate gives out."""
    takes_s = draw.randint(FASTEST_MS, SLOWEST_MS) / 1000
    with gate:
        time.sleep(takes_s)
    return {"success": True}


def main() -> None:
    app.run(host="127.0.0.1", port=PORT, threaded=True)


if __name__ == "__main__":
    main()
