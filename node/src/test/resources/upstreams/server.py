"""A server of one kind with the resources of PathsToUpstreamsTest: server.py KIND. Prints its port."""

import sys

LIMITED = "limited"
OPEN = "open"


def plain(path):
    if path == "/api/login" or path.startswith(("/api/orders/", "/vault/")):
        return LIMITED
    parts = path.split("/")
    keys = len(parts) == 5 and parts[1:3] == ["admin", "users"] and parts[4] == "keys"
    files = len(parts) == 3 and parts[1] == "files" and parts[2] != "me"
    return LIMITED if keys or files else OPEN


def stdlib():
    from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
    from urllib.parse import unquote, urlparse

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        wbufsize = -1  # head and body in one packet

        def do_GET(self):
            body = plain(unquote(urlparse(self.path).path)).encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *rest):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    print("port", server.server_port, flush=True)
    server.serve_forever()


def flask():
    import logging

    from flask import Flask
    from werkzeug.serving import make_server

    app = Flask("paths")
    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    for i, rule in enumerate(
        ["/api/login", "/api/orders/<path:rest>", "/vault/<path:rest>", "/admin/users/<user>/keys", "/files/<name>"]
    ):
        app.add_url_rule(rule, str(i), lambda **names: LIMITED)
    app.add_url_rule("/files/me", "me", lambda: OPEN)
    app.register_error_handler(404, lambda error: OPEN)
    server = make_server("127.0.0.1", 0, app, threaded=True)
    print("port", server.port, flush=True)
    server.serve_forever()


def starlette():
    import socket

    import uvicorn
    from starlette.applications import Starlette
    from starlette.responses import PlainTextResponse
    from starlette.routing import Route

    async def limited(request):
        return PlainTextResponse(LIMITED)

    async def me(request):
        return PlainTextResponse(OPEN)

    async def other(request, error):
        return PlainTextResponse(OPEN)

    paths = ["/api/login", "/api/orders/{rest:path}", "/vault/{rest:path}", "/admin/users/{user}/keys", "/files/{name}"]
    routes = [Route("/files/me", me)] + [Route(path, limited) for path in paths]
    app = Starlette(routes=routes, exception_handlers={404: other})
    sock = socket.socket()
    sock.bind(("127.0.0.1", 0))
    print("port", sock.getsockname()[1], flush=True)
    uvicorn.Server(uvicorn.Config(app, log_level="error")).run(sockets=[sock])


{"stdlib": stdlib, "flask": flask, "starlette": starlette}[sys.argv[1]]()
