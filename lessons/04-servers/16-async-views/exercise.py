"""The views of this Flask app are async, and yet it makes one page at a time. Move it to Quart.

All requests are under way at once, on one event loop; the parts of a page still overlap, and all answers stay
the same. What Flask gives at once, Quart lets you await.

Run it alone with:  python exercise.py
"""

import asyncio
import os

from flask import Flask, request  # TODO: the same names are in quart
from flask.typing import ResponseReturnValue

PART_MS = 300
PORT = int(os.environ.get("PORT", "8000"))

app = Flask("pages")  # TODO


async def fetch(part: int) -> str:
    """One part of the page, from another service. Leave this function as it is."""
    await asyncio.sleep(PART_MS / 1000)
    return f"part {part}"


@app.post("/page")
async def page() -> ResponseReturnValue:
    """The parts that the client asks for, as JSON."""
    wanted = request.get_json()["parts"]  # TODO: is the body there yet?
    parts = await asyncio.gather(*(fetch(part) for part in wanted))
    return {"parts": parts}


def main() -> None:
    app.run(host="127.0.0.1", port=PORT, threaded=False)  # TODO: Quart has no threads to choose


if __name__ == "__main__":
    main()
