"""A web server with correct and faulty answers, on a free port of this machine. Prints its port.

usage: server.py
"""

import gzip
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

CARS = [
    {"car_id": 40211, "plate": "HH-GD 4021", "position": {"speed": "72.5", "time": "1772440877"}, "online": "yes",
     "status": "driving", "drivers": "Anna"},
    {"car_id": "40212", "license_plate": "HH-GD 4022", "position": {"speed": "fast"}, "online": 0, "status": "towed",
     "drivers": ["Bob", "Cem"], "colour": "red"},
    {"car_id": "40390", "plate": None, "online": 1},
    "no car",
]


def answer(cars):
    return json.dumps({"code": 0, "body": {"data": cars}}).encode()


LONG = [{"car_id": f"L{number}", "plate": f"LONG {number:05}", "position": {"speed": 5}} for number in range(20000)]


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        body = answer(LONG if self.path == "/long" else CARS)
        if self.path in ("/cars", "/long"):
            self.reply(200, body)
        elif self.path == "/compressed":
            self.reply(200, gzip.compress(body), encoding="gzip")
        elif self.path == "/broken":
            self.reply(200, body[: len(body) // 2])
        elif self.path == "/twice":
            self.reply(200, b'{"body": {"data": [{"car_id": "1", "car_id": "2"}]}}')
        elif self.path == "/away":
            # Sends half of the announced bytes.
            self.reply(200, body[: len(body) // 2], announced=len(body))
            self.close_connection = True
        elif self.path == "/slow":
            self.reply(200, body[:10], announced=len(body))
            STOPPED.wait()
        else:
            self.reply(404, b"not here")

    def reply(self, status, body, announced=None, encoding=None):
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        if encoding:
            self.send_header("Content-Encoding", encoding)
        self.send_header("Content-Length", str(announced or len(body)))
        self.end_headers()
        self.wfile.write(body)
        self.wfile.flush()

    def log_message(self, *arguments):
        pass


STOPPED = threading.Event()
server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
server.daemon_threads = True
print(server.server_address[1], flush=True)
server.serve_forever()
