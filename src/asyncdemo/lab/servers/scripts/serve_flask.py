"""Flask's development server, without its access log. ``app.run`` warns that it is not for production."""

from starting import HOST, asked, load
from werkzeug.serving import BaseWSGIServer, WSGIRequestHandler


class WithoutLog(WSGIRequestHandler):
    def log_request(self, code: int | str = "-", size: int | str = "-") -> None:
        """Do nothing: a line for each request takes a good part of its time."""


if __name__ == "__main__":
    options = asked()
    BaseWSGIServer.request_queue_size = options.backlog
    app = load(options.target)
    app.run(HOST, options.port, debug=False, threaded=options.threaded, request_handler=WithoutLog)
