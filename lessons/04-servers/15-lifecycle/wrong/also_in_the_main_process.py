"""The workers have their pools, and the process that starts them has one more, opened at import.

Breaks: The process that only starts the workers opens none.
Fault: should be made in each worker
"""

app.ctx.redis = aioredis.from_url(REDIS_URL)
