"""The size of the gate is written down.

Breaks: that many while requests wait.
Fault: sends should be at work at the same time; there were never more than 3
"""

gate = asyncio.Semaphore(3)
