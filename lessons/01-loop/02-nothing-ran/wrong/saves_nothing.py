"""save has been edited and no longer waits for the database.

Breaks: Leave this function as it is.
Fault: Leave left_over and save as they are
"""


async def save(order: int) -> int:
    """Write the order to the database; return the receipt's number. Leave this function as it is."""
    return 1000 + order
