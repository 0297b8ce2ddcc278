"""The app is edited: one of the two asks for less.

Breaks: Change nothing except the settings.
Fault: ms in a query in the synchronous server
"""


def sync_query(delay_ms: int) -> None:
    time.sleep(delay_ms / 1000 / 2)
