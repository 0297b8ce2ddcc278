"""The views of this Flask app are coroutines, but it still makes one page at a time. Move it to Quart.

All pages are made at the same time, on one event loop, which is never blocked. The parts of a page still
overlap. Every answer has the parts in the order asked for, each freshly fetched, and the signature of exactly
these parts.

Run it alone with:  python 16-async-views.py
"""

import asyncio
import os
import random
import time

from flask import Flask, request  # TODO: the same names are in quart
from flask.typing import ResponseReturnValue

PART_MS = 300
SIGN_MS = 80
SEED = 0
PORT = int(os.environ.get("PORT", "8000"))

app = Flask("pages")  # TODO
chance = random.Random(SEED)


async def fetch(part: int) -> str:
    """Fetch one part of the page from another service. Leave this function as it is."""
    code = chance.randrange(1_000_000)
    await asyncio.sleep((PART_MS - 40 * part) / 1000)
    return f"part {part} {code:06}"


def sign(parts: list[str]) -> str:
    """Sign a page. This library blocks until another service has answered. Leave this function as it is."""
    code = chance.randrange(1_000_000)
    time.sleep(SIGN_MS / 1000)
    return f"{code:06} for {', '.join(parts)}"


@app.post("/page")
async def page() -> ResponseReturnValue:
    """Return the parts that the client asks for, in that order, and their signature."""
    wanted = request.get_json()["parts"]  # TODO: has the body arrived yet?
    parts = await asyncio.gather(*(fetch(part) for part in wanted))
    return {"parts": parts, "signature": sign(parts)}  # TODO: who waited for this in Flask? And who now?


def main() -> None:
    app.run(host="127.0.0.1", port=PORT, threaded=False)  # TODO: Quart has no threads to choose


if __name__ == "__main__":
    main()
