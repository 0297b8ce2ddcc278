"""The load is edited: one server gets fewer requests.

Breaks: Change nothing except the settings.
Fault: There should be 36 queries in the synchronous server; there were 18
"""


def sync_server(workers: int, delay_ms: int, clients: int) -> None:
    shared = (iter(range(REQUESTS // 2)), threading.Semaphore(workers), delay_ms)
    threads = [threading.Thread(target=sync_client, args=shared) for _ in range(clients)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
