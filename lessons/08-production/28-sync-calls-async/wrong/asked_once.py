"""main asks for each film once only.

Breaks: Leave this function as it is.
Fault: Leave main as the exercise has it
"""


def main() -> list[int | str]:
    """Ask for films, two that fail, the slow one, and some again. Leave this function as it is."""
    films, some = Films(), range(1, FILMS + 1)
    with ThreadPoolExecutor(THREADS) as threads:
        asked = [threads.submit(films.length, n) for n in (*some, UNKNOWN, 10**10, SLOW)]
        results = [repr(error) if (error := one.exception()) else one.result() for one in asked]
        results += results[:FILMS]
    films.close()
    return results
