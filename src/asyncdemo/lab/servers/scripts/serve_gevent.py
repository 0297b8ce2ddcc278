"""gevent's WSGI server; everything that waits is patched before the app is imported."""

from gevent import monkey

monkey.patch_all()

from gevent.pywsgi import WSGIServer  # noqa: E402  (after patching)
from starting import asked, fork, listening, load  # noqa: E402

if __name__ == "__main__":
    options = asked()
    shared = listening(options.port, options.backlog)
    fork(options.workers)
    WSGIServer(shared, load(options.target), log=None).serve_forever()
