"""first closes its generator, but nobody closes the one inside it.

Breaks: Fix it: when first returns, its connection is back.
Fault: its connection should be back; first(2) returned, and connection 2 came back 0.30 s later, in
another task
"""


async def amounts(question: int) -> AsyncGenerator[int]:
    async for row in rows(question):
        yield int(row)
