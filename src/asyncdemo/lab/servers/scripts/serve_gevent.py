"""gevent's WSGI server; everything that waits is patched before the app is imported."""

from gevent import monkey

monkey.patch_all()

from gevent.pywsgi import WSGIServer  # noqa: E402  (after patching)
from starting import forked, load  # noqa: E402

if __name__ == "__main__":
    options, shared = forked()
    WSGIServer(shared, load(options.target), log=None).serve_forever()
