"""A lock lets one image through.

Breaks: that many while requests wait.
Fault: 3 sends should be at work at the same time; there was never more than 1
"""

gate = asyncio.Lock()
