"""The engine's pool may open a connection for each client.

Breaks: over as many connections.
Breaks: Leave it as it is: its pool has CONNECTIONS connections.
Fault: those of the engine's pool;
"""

engine = create_async_engine(  # Leave it as it is: its pool has CONNECTIONS connections.
    "postgresql+asyncpg://", async_creator=connect, pool_size=CONNECTIONS, max_overflow=50, pool_timeout=10
)
