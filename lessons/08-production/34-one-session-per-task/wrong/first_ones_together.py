"""As many clients together as there are connections, and then one after the other.

Breaks: Fix it: CONNECTIONS clients are served at the same time,
Fault: as long as there are that many
"""


async def serve() -> list[str]:
    first = (accept(client) for client in range(1, CONNECTIONS + 1))
    errors: list[BaseException | None] = await asyncio.gather(*first, return_exceptions=True)
    for client in range(CONNECTIONS + 1, CLIENTS + 1):
        errors += await asyncio.gather(accept(client), return_exceptions=True)
    return ["refused" if error else "stored" for error in errors]
