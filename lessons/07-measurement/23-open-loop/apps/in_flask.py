"""Hello world as text, in Flask.

Served by the server that Flask brings along, a thread for each connection: ``app.run()``. Since Flask 1.0
that is what it does unasked; the Flask of 2018's article, 0.12, answered one request at a time.
``/later`` waits before it answers, as one does for news: each who waits holds a connection, and a thread.
"""

import os
import time

from flask import Flask, Response

DELAY_S = float(os.environ.get("LAB_DELAY_MS", "1000")) / 1000

app = Flask(__name__)


@app.get("/")
def hello() -> Response:
    return Response("Hello, world!", mimetype="text/plain")


@app.get("/later")
def later() -> Response:
    time.sleep(DELAY_S)
    return Response("Hello, later!", mimetype="text/plain")


if __name__ == "__main__":
    app.run(port=8000)
