"""Sanic's server: a single process, or its manager with several workers."""

from starting import HOST, asked, load

options = asked()
app = load(options.target)  # not below: each worker imports this script again, and needs the app
app.config.USE_UVLOOP = options.loop == "uvloop"

if __name__ == "__main__":
    app.run(
        HOST,
        options.port,
        workers=options.workers,
        single_process=options.workers == 1,
        backlog=options.backlog,
        access_log=False,
        motd=False,
    )
