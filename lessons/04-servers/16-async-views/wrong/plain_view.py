"""Wrong: Quart runs a plain view in a thread, and each thread makes a loop of its own again."""

import asyncio
import os

from quart import Quart, request
from quart.typing import ResponseReturnValue

PART_MS = 300
PORT = int(os.environ.get("PORT", "8000"))

app = Quart("pages")


async def fetch(part: int) -> str:
    """One part of the page, from another service. Leave this function as it is."""
    await asyncio.sleep(PART_MS / 1000)
    return f"part {part}"


async def body() -> dict[str, list[int]]:
    found: dict[str, list[int]] = await request.get_json()
    return found


async def fetch_all(wanted: list[int]) -> list[str]:
    return await asyncio.gather(*(fetch(part) for part in wanted))


@app.post("/page")
def page() -> ResponseReturnValue:
    """The parts that the client asks for, as JSON."""
    wanted = asyncio.run(body())["parts"]
    parts = asyncio.run(fetch_all(wanted))
    return {"parts": parts}


def main() -> None:
    app.run(host="127.0.0.1", port=PORT, use_reloader=False)


if __name__ == "__main__":
    main()
