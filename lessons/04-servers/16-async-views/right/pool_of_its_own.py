"""Right: a pool of threads for all signatures, and helpers that are called by the view."""

import asyncio
import os
import random
import time
from concurrent.futures import ThreadPoolExecutor

from quart import Quart, jsonify, request
from quart.typing import ResponseReturnValue

PART_MS = 300
SIGN_MS = 80
SEED = 0
PORT = int(os.environ.get("PORT", "8000"))

app = Quart("pages")
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


pool = ThreadPoolExecutor(4)


async def fetch_all(wanted: list[int]) -> list[str]:
    tasks = [asyncio.create_task(fetch(part)) for part in wanted]
    return [await task for task in tasks]


@app.route("/page", methods=["POST"])
async def page() -> ResponseReturnValue:
    body = await request.json
    parts = await fetch_all(body["parts"])
    loop = asyncio.get_running_loop()
    signature = await loop.run_in_executor(pool, sign, parts)
    return jsonify(parts=parts, signature=signature)


def main() -> None:
    app.run(host="127.0.0.1", port=PORT, use_reloader=False)


if __name__ == "__main__":
    main()
