"""All is well, but the exit code says that it failed.

Breaks: with exit code 0.
Fault: Its exit code is 1, and should be 0
"""

if __name__ == "__main__":
    threading.Timer(STOP_AFTER_S + random.uniform(1.3, 2.5), deploy).start()
    asyncio.run(main())
    raise SystemExit(1)
