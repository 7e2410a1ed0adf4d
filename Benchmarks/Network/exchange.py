"""The signaling of pairs of Chromium and aiortc: serves a page, and passes messages from one end to the other.

    exchange.py ADDRESS PORT PAGE     prints "ready", then each result that an end posts, as a line
"""

import http.server
import queue
import sys

boxes = {"alice": queue.Queue(), "bob": queue.Queue()}


class Exchange(http.server.BaseHTTPRequestHandler):
    # A connection for all messages: another one would cost a round trip each.
    protocol_version = "HTTP/1.1"
    # Or else the body of an answer waits until its head has arrived.
    disable_nagle_algorithm = True

    def answer(self, body=b"", kind="application/json"):
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        name = self.path.removeprefix("/box/")
        if name in boxes:
            self.answer(boxes[name].get())
        else:
            with open(sys.argv[3], "rb") as page:
                self.answer(page.read(), "text/html")

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        name = self.path.removeprefix("/box/")
        if name in boxes:
            boxes[name].put(body)
        else:
            # In one piece: both ends may post at the same time, each on a thread.
            sys.stdout.write(body.decode() + "\n")
            sys.stdout.flush()
        self.answer()

    def log_message(self, *_):
        pass


server = http.server.ThreadingHTTPServer((sys.argv[1], int(sys.argv[2])), Exchange)
print("ready", flush=True)
server.serve_forever()
