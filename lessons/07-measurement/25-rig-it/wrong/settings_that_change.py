"""The servers do not run with the settings that are handed in.

Breaks: Change nothing except the settings.
Fault: Leave main as it is
"""


def main() -> None:
    for wins in (sync_wins(), async_wins()):
        for _ in range(ROUNDS):
            sync_server(12, wins["delay_ms"], wins["clients"])
            asyncio.run(async_server(wins["sessions"], wins["delay_ms"], wins["clients"]))
