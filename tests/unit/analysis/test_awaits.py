"""Whether awaits depend on each other. In the snippets, the lines marked ``#!`` are those that waited."""

from __future__ import annotations

from textwrap import dedent

import pytest
from hypothesis import given
from hypothesis import strategies as st

from asyncdemo.analysis.awaits import independent, unawaited_call

COULD_OVERLAP = {
    "requests of one client": """
        async def main(urls):
            client = Client()
            for url in urls:
                await client.get(url)  #!
    """,
    "one after another": """
        async def main():
            await fetch(1)  #!
            await fetch(2)  #!
    """,
    "a loop": """
        async def main(urls):
            for url in urls:
                await fetch(url)  #!
    """,
    "sleeps in a loop": """
        import asyncio
        async def main():
            for _ in range(10):
                await asyncio.sleep(0.3)  #!
    """,
    "a dict comprehension": """
        async def main(urls):
            return {url: await fetch(url) for url in urls}  #!
    """,
    "a loop over what an await gave that is not in question": """
        async def main():
            for url in await index():
                await fetch(url)  #!
    """,
    "the name of a result is reused for something else": """
        async def main():
            x = await fetch(1)  #!
            print(x)
            x = 2
            await fetch(x)  #!
    """,
    "methods of different objects": """
        async def main(left, right):
            await left.read()  #!
            await right.read()  #!
    """,
    "an object of each round": """
        async def main(connections):
            for connection in connections:
                await connection.execute("select 1")  #!
    """,
    "an except that only reports": """
        async def main(urls):
            for url in urls:
                try:
                    await fetch(url)  #!
                except OSError as error:
                    print(error)
    """,
    "inside an async with that is not in question": """
        async def main():
            async with session() as s:
                await fetch(s, 1)  #!
                await fetch(s, 2)  #!
    """,
    "a result that is only looked at": """
        async def main(urls):
            for url in urls:
                page = await fetch(url)  #!
                if page.ok:
                    print(page)
    """,
    "in a nested function": """
        def outer():
            async def main():
                await fetch(1)  #!
                await fetch(2)  #!
            return main
    """,
    "sleeps between calls that measure": """
        import asyncio, time
        async def main():
            begin = time.perf_counter()
            await asyncio.sleep(1)  #!
            await asyncio.sleep(random())  #!
            print(time.perf_counter() - begin)
    """,
    "a sleep that only lets others run": """
        import asyncio
        async def main(urls):
            for url in urls:
                await fetch(url)  #!
                await asyncio.sleep(0)
    """,
    "a loop inside a semaphore": """
        async def main(gate, urls):
            for url in urls:
                async with gate:
                    await fetch(url)  #!
    """,
    "the same number as an argument": """
        async def main():
            count = 3
            await first(count)  #!
            await second(count)  #!
    """,
    "one method of self": """
        class Shop:
            async def main(self):
                await self.fetch(1)  #!
                await self.fetch(2)  #!
    """,
    "awaits in one try": """
        async def main():
            try:
                await fetch(1)  #!
                await fetch(2)  #!
            finally:
                close()
    """,
}

DEPENDS = {
    "a result is an argument": """
        async def main():
            token = await login()  #!
            await fetch(token)  #!
    """,
    "by way of other names": """
        async def main():
            reply = await login()  #!
            token = reply["token"]
            headers = {"auth": token}
            await fetch(1, headers=headers)  #!
    """,
    "starred targets": """
        async def main():
            first, *rest = await index()  #!
            await fetch(rest)  #!
    """,
    "a walrus": """
        async def main():
            if (page := await fetch(1)):  #!
                print(page)
            await save(page)  #!
    """,
    "a container that was changed": """
        async def main():
            out = []
            out.append(await fetch(1))  #!
            await save(out)  #!
    """,
    "a heap that was changed": """
        from heapq import heappush
        async def main():
            heap = []
            heappush(heap, await fetch(1))  #!
            await save(heap)  #!
    """,
    "an item of a container": """
        async def main():
            found = {}
            found["a"] = await fetch(1)  #!
            await save(found)  #!
    """,
    "an attribute": """
        async def main(session):
            session.token = await login()  #!
            await fetch(session, 1)  #!
    """,
    "a sum": """
        async def main():
            total = 0
            total += await fetch(1)  #!
            await save(total)  #!
    """,
    "around a loop": """
        async def main():
            cursor = None
            for _ in range(10):
                cursor = await fetch(cursor)  #!
    """,
    "a condition": """
        async def main():
            ok = await check()  #!
            if ok:
                await fetch(1)  #!
    """,
    "a condition that ends the loop": """
        async def main(urls):
            for url in urls:
                page = await fetch(url)  #!
                if page.last:
                    break
    """,
    "and": """
        async def main():
            return await check() and await fetch(1)  #!
    """,
    "an assertion": """
        async def main():
            a = await fetch(1)  #!
            assert a.ok
            await fetch(2)  #!
    """,
    "a match": """
        async def main():
            match await fetch(1):  #!
                case {"next": url}:
                    await fetch(url)  #!
    """,
    "a retry": """
        import asyncio
        async def main():
            for _ in range(3):
                try:
                    return await fetch(1)  #!
                except OSError:
                    await asyncio.sleep(1)  #!
    """,
    "a second try elsewhere": """
        async def main():
            try:
                await fetch(1)  #!
            except OSError:
                await fetch(2)  #!
    """,
    "an async with and its body": """
        async def main(url):
            async with connected():  #!
                await fetch(url)  #!
    """,
    "a worker": """
        async def main(queue):
            while True:
                for job in take(queue):
                    await work(job)  #!
    """,
    "an async for": """
        async def main(stream):
            async for item in stream:
                await save(item)  #!
    """,
    "the steps of an async for": """
        async def main(stream):
            async for item in stream:  #!
                print(item)
    """,
    "an async comprehension": """
        async def main(stream):
            return [await save(item) async for item in stream]  #!
    """,
    "methods of the same object": """
        async def main(reader):
            head = await reader.readline()  #!
            body = await reader.readexactly(10)  #!
    """,
    "methods of the same attribute": """
        class Shop:
            async def main(self, orders):
                for order in orders:
                    await self.db.execute(order)  #!
    """,
    "methods of the same object in wait_for": """
        import asyncio
        async def main(reader):
            await asyncio.wait_for(reader.readline(), 1)  #!
            await asyncio.wait_for(reader.readline(), 1)  #!
    """,
    "contexts of the same object": """
        async def main(pool):
            for _ in range(10):
                async with pool.acquire():  #!
                    pass
    """,
    "tasks that run already": """
        import asyncio
        async def main():
            a = asyncio.create_task(fetch(1))
            b = asyncio.create_task(fetch(2))
            await a  #!
            await b  #!
    """,
    "batches": """
        import asyncio
        async def main(batches):
            for batch in batches:
                await asyncio.gather(*map(fetch, batch))  #!
    """,
    "a generator's next": """
        async def main(stream):
            await anext(stream)  #!
            await anext(stream)  #!
    """,
    "a function made from a result": """
        async def main():
            token = await login()  #!
            def request():
                return token
            await fetch(request)  #!
    """,
    "a lambda made from a result": """
        async def main():
            token = await login()  #!
            await fetch(lambda: token)  #!
    """,
    "a ticker": """
        import asyncio
        async def main():
            for second in range(3):
                print(second)
                await asyncio.sleep(0.1)  #!
    """,
    "a countdown": """
        from asyncio import sleep
        async def main():
            print(2)
            await sleep(1)  #!
            print(1)
            await sleep(1)  #!
            print(0)
    """,
    "work and its cleanup": """
        async def main():
            try:
                await work()  #!
            finally:
                await clean_up()  #!
    """,
    "a loop whose other await may end it": """
        async def main(queue, items):
            for item in items:
                if await queue.get() is None:
                    break
                await process(item)  #!
    """,
    "a loop whose context feeds it": """
        async def main(session, urls):
            for url in urls:
                async with session.get(url) as reply:
                    await read(reply)  #!
    """,
    "one fills what the other empties": """
        async def main():
            out = []
            await fill(out)  #!
            await drain(source=out)  #!
    """,
    "one fills the queue that the other empties": """
        import asyncio
        async def main():
            queue: asyncio.Queue[int] = asyncio.Queue()
            await asyncio.wait_for(fill(queue), 5)  #!
            await drain(queue)  #!
    """,
    "one fills what another one in the loop empties": """
        async def main(urls):
            out = {}
            for url in urls:
                await fill(out, url)  #!
                await drain(out)
    """,
    "different methods of self": """
        class Client:
            async def main(self):
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
        async def main():
            fetch(1)  #!
            fetch(2)  #!
    """,
    "no lines": """
        async def main():
            await fetch(1)
    """,
}


def verdict(snippet: str) -> bool | None:
    source = dedent(snippet)
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
    "before the drop": ("f", 3, 2, "f()\nf()\n\nf()\n"),
    "all after the drop": ("f", 1, None, "\nf()\nf()\n"),
    "awaited": ("fetch", 2, None, "async def main():\n    await fetch(1)\n"),
    "gathered": ("fetch", 2, None, "async def main():\n    gather(*[fetch(n) for n in range(3)])\n"),
}


@pytest.mark.parametrize(("function", "dropped_at", "line", "source"), UNAWAITED.values(), ids=UNAWAITED)
def test_the_call_that_nobody_awaited(function: str, dropped_at: int, line: int | None, source: str) -> None:
    assert unawaited_call(source, function, dropped_at) == line


@given(
    st.sampled_from([*COULD_OVERLAP.values(), *DEPENDS.values()]).map(dedent),
    st.lists(st.integers(-1, 15), max_size=4),
)
def test_any_lines_of_any_source_get_an_answer(source: str, lines: list[int]) -> None:
    assert independent(source, lines) in (True, False, None)
