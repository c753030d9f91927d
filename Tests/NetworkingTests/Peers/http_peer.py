"""An HTTP server of Python's standard library; prints its port, serves until its input ends: http_peer.py [CERT KEY].

/echo sends method, headers and body back as JSON; /status/CODE; /big/BYTES; /slow/BYTES/SECONDS (a pause in the body);
/never (no answer); /stream/COUNT (chunks with pauses); /endless; /redirect/COUNT; /to?URL; /half (ends in the body)."""

import http.server
import json
import socketserver
import ssl
import sys
import threading
import time
import urllib.parse


class Peer(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def answer(self, status, body=b"", **headers):
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def chunk(self, data):
        self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))
        self.wfile.flush()

    def do_any(self):
        parts = self.path.split("?")[0].split("/")[1:]
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        if parts[0] == "echo":
            text = {"method": self.command, "path": self.path, "headers": list(self.headers.items()), "body": body.hex()}
            self.answer(200, json.dumps(text).encode(), Note="seen")
        elif parts[0] == "status":
            self.answer(int(parts[1]), b"" if parts[1] == "204" else b"because")
        elif parts[0] == "big":
            self.answer(200, bytes(int(parts[1])))
        elif parts[0] == "slow":
            self.send_response(200)
            self.send_header("Content-Length", parts[1])
            self.end_headers()
            self.wfile.write(b"a")
            self.wfile.flush()
            time.sleep(float(parts[2]))
            self.wfile.write(bytes(int(parts[1]) - 1))
        elif parts[0] == "never":
            time.sleep(20)
        elif parts[0] in ("stream", "endless"):
            self.send_response(200)
            self.send_header("Transfer-Encoding", "chunked")
            self.end_headers()
            for index in range(int(parts[1]) if parts[0] == "stream" else 1_000_000_000):
                self.chunk(b"data: %d\n\n" % index)
                time.sleep(0.01)
            self.chunk(b"")
        elif parts[0] == "redirect":
            left = int(parts[1])
            self.answer(302 if left else 200, b"", **({"Location": f"/redirect/{left - 1}"} if left else {}))
        elif parts[0] == "to":
            self.answer(302, b"", Location=urllib.parse.unquote(self.path.split("?")[1]))
        elif parts[0] == "half":
            self.send_response(200)
            self.send_header("Content-Length", "1000")
            self.end_headers()
            self.wfile.write(bytes(10))
            self.wfile.flush()
            self.close_connection = True
        else:
            self.answer(404)

    do_GET = do_HEAD = do_POST = do_PUT = do_PATCH = do_DELETE = do_OPTIONS = do_any

    def handle(self):
        try:
            super().handle()
        except OSError:
            pass


class Server(socketserver.ThreadingMixIn, http.server.HTTPServer):
    daemon_threads = True
    request_queue_size = 256

    def handle_error(self, *_):
        pass


server = Server(("127.0.0.1", 0), Peer)
if len(sys.argv) > 1:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(sys.argv[1], sys.argv[2])
    server.socket = context.wrap_socket(server.socket, server_side=True)
threading.Thread(target=server.serve_forever, daemon=True).start()
print("port", server.server_address[1], flush=True)
sys.stdin.read()
