"""A session for each client, but one client after the other.

Breaks: Fix it: CONNECTIONS clients are served at the same time,
Fault: clients should be served at the same time
"""

from sqlalchemy.exc import IntegrityError


async def serve() -> list[str]:
    answers = []
    for client in range(1, CLIENTS + 1):
        try:
            await accept(client)
            answers.append("stored")
        except IntegrityError:
            answers.append("refused")
    return answers
