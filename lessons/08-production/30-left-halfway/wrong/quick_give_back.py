"""What is given back in no time needs no wait.

Breaks: Leave this function as it is.
Fault: Leave give_back as the exercise has it
"""


async def give_back(connection: int) -> None:
    """End the query, and put its connection into the pool. Leave this function as it is."""
    pool.put_nowait(connection)
