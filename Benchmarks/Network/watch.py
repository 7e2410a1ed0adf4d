"""What a program shows and plays at a place, by its sinks: prints the time, the kind and the level of each frame and each audio buffer.

The sinks send them to these ports; the level is the brightness, or the loudest sample, 0 to 255.
"""

import array
import select
import socket
import time

PORTS = {"video": 5001, "audio": 5002}

sockets = {}
for kind, port in PORTS.items():
    receiver = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    receiver.bind(("127.0.0.1", port))
    sockets[receiver] = kind
print("ready", flush=True)
while True:
    for receiver in select.select(list(sockets), [], [])[0]:
        data, now, kind = receiver.recv(65536), time.monotonic(), sockets[receiver]
        level = max(data) if kind == "video" else max(map(abs, array.array("h", data[: len(data) & ~1])), default=0) // 129
        print(f"{now:.4f} {kind} {level}", flush=True)
