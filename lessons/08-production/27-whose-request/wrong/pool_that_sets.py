"""A pool that sets the variables before each call, and leaves them in the thread.

Breaks: Nothing of a request stays in a thread:
Fault: What is set in a thread of a pool stays there
"""

from collections.abc import Callable
from concurrent.futures import Future
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


class ContextPool(ThreadPoolExecutor):
    """A call to it finds the variables as they were when it was submitted."""

    def submit(self, function: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        its_id, its_customer = request_id.get(), customer.get()

        def call() -> T:
            request_id.set(its_id)
            customer.set(its_customer)
            return function(*args, **kwargs)

        return super().submit(call)


pool = ContextPool(THREADS)


async def in_pool(picture: int) -> int:
    """Have a thread of the pool shrink the picture."""
    return await asyncio.get_running_loop().run_in_executor(pool, shrink, picture)
