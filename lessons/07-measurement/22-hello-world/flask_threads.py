"""Fifty clients ask Flask for a line of text, again and again: how long does each of them wait?

Predict the rank of its median wait before you run it:  asyncdemo run hello-world --variant flask
"""

import logging
import os

from flask import Flask

PORT = int(os.environ.get("PORT", "8000"))

app = Flask("hello")


@app.get("/")
def hello() -> str:
    """This is all the work there is."""
    return "Hello, world!"


def main() -> None:
    logging.getLogger("werkzeug").setLevel(logging.ERROR)  # no line for each request
    app.run(host="127.0.0.1", port=PORT, threaded=True)


if __name__ == "__main__":
    main()
