"""The pool has as many workers as the machine has processors, whatever WORKERS says.

Breaks: with WORKERS workers,
Fault: The pool should have as many workers as WORKERS says
"""

if __name__ == "__main__":
    with ProcessPoolExecutor(mp_context=get_context("spawn")) as pool:
        print(asyncio.run(main(pool)))
