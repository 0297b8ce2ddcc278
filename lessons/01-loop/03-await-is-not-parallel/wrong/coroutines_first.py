"""All calls come first, but a call starts nothing; the awaits run one after another.

Breaks: All parts start loading at the same time, and the page is done as soon as its slowest part
is.
Fault: parts should be open at one moment
"""


async def main() -> list[str]:
    """Load the page; return its parts in order."""
    token = await sign_in()
    coroutines = [load(part, token) for part in range(1, PARTS + 1)]
    return [await coroutine for coroutine in coroutines]
