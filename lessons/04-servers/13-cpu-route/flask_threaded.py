"""Among many uploads, some requests compute: what do they do to the uploads, in threads?

Predict the slowest upload before you run it:  asyncdemo run cpu-route --variant threaded
"""

import os
import random
import time

from flask import Flask
from flask.typing import ResponseReturnValue

FASTEST_MS = 100
SLOWEST_MS = 200
SQUARES = 1_000_000
SEED = 0
PORT = int(os.environ.get("PORT", "8000"))

app = Flask("uploads")
draw = random.Random(SEED)


def sum_of_squares(n: int) -> int:
    return sum([i**2 for i in range(n)])


@app.post("/upload")
def upload() -> ResponseReturnValue:
    """Send the image on to the store."""
    time.sleep(draw.randint(FASTEST_MS, SLOWEST_MS) / 1000)
    return {"success": True}


@app.get("/calc")
def calc() -> ResponseReturnValue:
    return {"result": sum_of_squares(SQUARES)}


def main() -> None:
    app.run(host="127.0.0.1", port=PORT, threaded=True)


if __name__ == "__main__":
    main()
