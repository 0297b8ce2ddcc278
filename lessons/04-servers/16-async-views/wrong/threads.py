"""Wrong: a thread for each request, and in each thread an event loop for one view."""

import asyncio
import os

from flask import Flask, request
from flask.typing import ResponseReturnValue

PART_MS = 300
PORT = int(os.environ.get("PORT", "8000"))

app = Flask("pages")


async def fetch(part: int) -> str:
    """One part of the page, from another service. Leave this function as it is."""
    await asyncio.sleep(PART_MS / 1000)
    return f"part {part}"


@app.post("/page")
async def page() -> ResponseReturnValue:
    """The parts that the client asks for, as JSON."""
    wanted = request.get_json()["parts"]
    parts = await asyncio.gather(*(fetch(part) for part in wanted))
    return {"parts": parts}


def main() -> None:
    app.run(host="127.0.0.1", port=PORT, threaded=True)


if __name__ == "__main__":
    main()
