"""Whether awaits depend on each other. In the snippets, the lines marked ``#!`` are those that waited."""

from __future__ import annotations

from textwrap import dedent, indent

import pytest
from hypothesis import given
from hypothesis import strategies as st

from asyncdemo.analysis.awaits import assigned_names, function_at, independent, unawaited_call

COULD_OVERLAP = {
    "requests of one client": """
        client = Client()
        for url in urls:
            await client.get(url)  #!
    """,
    "one after another": """
        await fetch(1)  #!
        await fetch(2)  #!
    """,
    "a loop": """
        for url in urls:
            await fetch(url)  #!
    """,
    "a dict comprehension": "return {url: await fetch(url) for url in urls}  #!",
    "a loop over what an await gave that is not in question": """
        for url in await index():
            await fetch(url)  #!
    """,
    "methods of different objects": """
        await left.read()  #!
        await right.read()  #!
    """,
    "an object of each round": """
        for connection in connections:
            await connection.execute("select 1")  #!
    """,
    "an except that only reports": """
        for url in urls:
            try:
                await fetch(url)  #!
            except OSError as error:
                print(error)
    """,
    "inside an async with that is not in question": """
        async with session() as s:
            await fetch(s, 1)  #!
            await fetch(s, 2)  #!
    """,
    "a result that is only looked at": """
        for url in urls:
            page = await fetch(url)  #!
            if page.ok:
                print(page)
    """,
    "a name that each round rebinds": """
        for n in range(10):
            job = make(n)
            reply = await send(job)  #!
            report(job, reply)
    """,
    "sleeps between calls that measure": """
        begin = time.perf_counter()
        await asyncio.sleep(1)  #!
        await asyncio.sleep(random())  #!
        print(time.perf_counter() - begin)
    """,
    "a sleep that only lets others run": """
        for url in urls:
            await fetch(url)  #!
            await asyncio.sleep(0)
    """,
    "a loop inside a semaphore": """
        for url in urls:
            async with gate:
                await fetch(url)  #!
    """,
    "the same number as an argument": """
        count = 3
        await first(count)  #!
        await second(count)  #!
    """,
    "awaits in one try": """
        try:
            await fetch(1)  #!
            await fetch(2)  #!
        finally:
            close()
    """,
}

DEPENDS = {
    "a result is an argument": """
        token = await login()  #!
        await fetch(token)  #!
    """,
    "by way of other names": """
        reply = await login()  #!
        token = reply["token"]
        headers = {"auth": token}
        await fetch(1, headers=headers)  #!
    """,
    "a walrus": """
        if (page := await fetch(1)):  #!
            print(page)
        await save(page)  #!
    """,
    "a container that was changed": """
        out = []
        out.append(await fetch(1))  #!
        await save(out)  #!
    """,
    "a heap that was changed": """
        heap = []
        heapq.heappush(heap, await fetch(1))  #!
        await save(heap)  #!
    """,
    "a heap that a loop fills": """
        heap = [1]
        for _ in range(10):
            heapq.heappush(heap, await fetch(heap))  #!
    """,
    "a name that only some rounds rebind": """
        job = None
        for n in range(10):
            if n % 2:
                job = make(n)
            reply = await send(job)  #!
            report(job, reply)
    """,
    "an item of a container": """
        found = {}
        found["a"] = await fetch(1)  #!
        await save(found)  #!
    """,
    "an attribute": """
        session.token = await login()  #!
        await fetch(session, 1)  #!
    """,
    "around a loop": """
        cursor = None
        for _ in range(10):
            cursor = await fetch(cursor)  #!
    """,
    "a condition that ends the loop": """
        for url in urls:
            page = await fetch(url)  #!
            if page.last:
                break
    """,
    "and": "return await check() and await fetch(1)  #!",
    "an assertion": """
        a = await fetch(1)  #!
        assert a.ok
        await fetch(2)  #!
    """,
    "a match": """
        match await fetch(1):  #!
            case {"next": url}:
                await fetch(url)  #!
    """,
    "a retry": """
        for _ in range(3):
            try:
                return await fetch(1)  #!
            except OSError:
                await asyncio.sleep(1)  #!
    """,
    "an async with and its body": """
        async with connected():  #!
            await fetch(url)  #!
    """,
    "a worker": """
        while True:
            for job in take(queue):
                await work(job)  #!
    """,
    "an async for": """
        async for item in stream:
            await save(item)  #!
    """,
    "the steps of an async for": """
        async for item in stream:  #!
            print(item)
    """,
    "methods of the same attribute": """
        for order in orders:
            await self.db.execute(order)  #!
    """,
    "methods of the same object in wait_for": """
        await asyncio.wait_for(reader.readline(), 1)  #!
        await asyncio.wait_for(reader.readline(), 1)  #!
    """,
    "tasks that run already": """
        a = asyncio.create_task(fetch(1))
        b = asyncio.create_task(fetch(2))
        await a  #!
        await b  #!
    """,
    "batches": """
        for batch in batches:
            await asyncio.gather(*map(fetch, batch))  #!
    """,
    "a function made from a result": """
        token = await login()  #!
        def request():
            return token
        await fetch(request)  #!
    """,
    "a ticker": """
        for second in range(3):
            print(second)
            await asyncio.sleep(0.1)  #!
    """,
    "work and its cleanup": """
        try:
            await work()  #!
        finally:
            await clean_up()  #!
    """,
    "a loop whose other await may end it": """
        for item in items:
            if await queue.get() is None:
                break
            await process(item)  #!
    """,
    "a loop whose context feeds it": """
        for url in urls:
            async with session.get(url) as reply:
                await read(reply)  #!
    """,
    "one fills the queue that the other empties": """
        queue: asyncio.Queue[int] = asyncio.Queue()
        await asyncio.wait_for(fill(queue), 5)  #!
        await drain(queue)  #!
    """,
    "one fills what another one in the loop empties": """
        out = {}
        for url in urls:
            await fill(out, url)  #!
            await drain(out)
    """,
    "different methods of self": """
        await self.connect()  #!
        await self.query()  #!
    """,
}

CANNOT_TELL = {
    "not Python": """
        async def main(:
            await fetch(1)  #!
    """,
    "no await there": """
        fetch(1)  #!
        fetch(2)  #!
    """,
    "no lines": "await fetch(1)",
}


def source_of(snippet: str) -> str:
    body = indent(dedent(snippet).strip("\n"), "    ")
    return f"import asyncio, heapq, time\n\nasync def main(self):\n{body}\n"


def verdict(snippet: str) -> bool | None:
    source = source_of(snippet)
    marked = [number for number, line in enumerate(source.splitlines(), 1) if line.endswith("#!")]
    return independent(source, marked)


@pytest.mark.parametrize("snippet", COULD_OVERLAP.values(), ids=COULD_OVERLAP)
def test_could_overlap(snippet: str) -> None:
    assert verdict(snippet) is True


@pytest.mark.parametrize("snippet", DEPENDS.values(), ids=DEPENDS)
def test_depends(snippet: str) -> None:
    assert verdict(snippet) is False


@pytest.mark.parametrize("snippet", CANNOT_TELL.values(), ids=CANNOT_TELL)
def test_cannot_tell(snippet: str) -> None:
    assert verdict(snippet) is None


def test_a_line_in_the_middle_of_a_call_is_that_call() -> None:
    source = "async def main():\n    await fetch(\n        1,\n    )\n    await fetch(2)\n"
    assert independent(source, [3, 5]) is True


def test_null_bytes_and_deep_nesting_are_not_read() -> None:
    assert independent("\0", [1]) is None
    assert independent("async def main():\n  " + "(" * 5000, [1]) is None


UNAWAITED = {
    "among awaited ones": ("fetch", 4, 2, "async def main():\n    fetch(1)\n    await fetch(2)\n"),
    "on the line of the drop": ("f", 2, 2, "f()\nf()\n\nf()\n"),
    "over several lines": ("f", 3, 2, "f()\nf(\n  1,\n)\n"),
    "in a condition": ("f", 1, 1, "if f():\n    pass\nf()\n"),
    "in a block whose header drops it": ("f", 2, None, "while f():\n    pass\nf()\n"),
    "only passed on": ("f", None, 1, "loop.call_later(1, f)\n"),
    "awaited": ("fetch", 2, None, "async def main():\n    await fetch(1)\n"),
    "gathered": ("fetch", 2, None, "async def main():\n    gather(*[fetch(n) for n in range(3)])\n"),
    "run": ("main", 2, None, "async def main(): pass\nasyncio.run(main())\n"),
    # the coroutine may come from a line that is right:
    "a list for gather": ("f", None, None, "jobs = [f()]\nawait gather(*jobs)\nloop.call_later(1, f)\n"),
    "a callback beside a bare call": ("f", None, None, "loop.call_soon(f)\nif never: f()\n"),
    "a thread beside a variable": ("f", None, None, "c = f()\nThread(target=f).start()\nawait c\n"),
    "two callbacks": ("f", None, None, "task.add_done_callback(f)\nloop.call_soon(f)\n"),
    "executor": ("f", None, None, "pool.map(f, [1])\nc = f()\n"),
    "a function that returns it": ("f", 4, None, "def g():\n    return f()\nc = f()\ng()\n"),
    "to_thread beside a list": ("f", 3, None, "jobs = [f()]\ncall = partial(to_thread, f)\nawait call()\n"),
    "called by a variable": ("f", 3, None, "for g in (f,):\n    f(1)\n    g()\n"),
}


@pytest.mark.parametrize(("function", "dropped_at", "line", "source"), UNAWAITED.values(), ids=UNAWAITED)
def test_line_is_blamed_only_for_its_own_call(
    function: str, dropped_at: int | None, line: int | None, source: str
) -> None:
    assert unawaited_call(source, function, dropped_at) == line


@given(
    st.sampled_from([*COULD_OVERLAP.values(), *DEPENDS.values()]).map(source_of),
    st.lists(st.integers(-1, 15), max_size=4),
)
def test_any_lines_of_any_source_get_an_answer(source: str, lines: list[int]) -> None:
    assert independent(source, lines) in (True, False, None)


@pytest.mark.parametrize(
    "source",
    ["a" + ".b" * 3000 + " = Lock()\n", "x = f" + "()" * 30_000 + "\n", "x = 1\n" * 500_000, "(" * 5000],
    ids=["target", "calls", "length", "brackets"],
)
def test_too_deep_or_long_source_leaves_it_open(source: str) -> None:
    assert (independent(source, [1, 2]), unawaited_call(source, "g", 1)) == (None, None)
    assert (assigned_names(source), function_at(source, 1)) == ({}, "<module>")


def test_loops_in_loops_are_not_followed_for_ever() -> None:
    lines = ["async def f():", "    await a()", "    await b()"]
    lines += [f"{'    ' * depth}for x{depth} in y:" for depth in range(1, 20)]
    lines += ["    " * 20 + "z = x1 + x2"]
    assert independent("\n".join(lines), [2, 3]) is None
