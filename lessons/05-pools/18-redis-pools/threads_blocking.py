"""Twenty orders at the same time share a pool of five connections to Redis: what happens to the sixth?

Predict how many orders fail, and the seconds, before you run it:  python threads_blocking.py
"""

import os
import time
from concurrent.futures import ThreadPoolExecutor

import redis

REDIS_URL = os.environ.get("REDIS_URL", "redis://127.0.0.1:6379/0")
ORDERS = 20
CONNECTIONS = 5
HOLD_S = 0.3
WAIT_S = 20.0
STOCK = 10


def order(n: int, client: redis.Redis) -> int:
    """Sell one piece of product n; return how many are left. A connection is held from WATCH to EXEC."""
    with client.pipeline() as transaction:
        transaction.watch(f"stock:{n}")
        left = int(transaction.get(f"stock:{n}") or STOCK + n) - 1
        time.sleep(HOLD_S)  # stands for work between reading and writing
        transaction.multi()
        transaction.set(f"stock:{n}", left)
        transaction.execute()
    return left


def main() -> None:
    pool = redis.BlockingConnectionPool.from_url(REDIS_URL, max_connections=CONNECTIONS, timeout=WAIT_S)
    with redis.Redis.from_pool(pool) as client, ThreadPoolExecutor(ORDERS) as threads:
        orders = [threads.submit(order, n, client) for n in range(1, ORDERS + 1)]
        outcomes = [one.exception() for one in orders]
    failed = [outcome for outcome in outcomes if isinstance(outcome, Exception)]
    print(f"{ORDERS - len(failed)} orders done, {len(failed)} failed", *failed[:1], sep="; ")


if __name__ == "__main__":
    main()
