"""main does not wait any longer, but nobody stops follow.

Breaks: Fix follow. At the deadline it stops, wherever it is,
Fault: Every task should be done when main is
"""


async def main() -> str:
    """Follow the job until the deadline."""
    following = asyncio.create_task(follow())
    done, _ = await asyncio.wait({following}, timeout=DEADLINE_S)
    return following.result() if done else "given up"
