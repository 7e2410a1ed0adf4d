"""A TCP flow that takes what it gets: `flow.py receive ADDRESS PORT`, then `flow.py send ADDRESS PORT`.

The receiver answers each line of its input with the number of bytes that arrived since the last one.
"""

import socket
import sys
import threading


def receive(address):
    server = socket.create_server(address)
    print("ready", flush=True)
    connection, _ = server.accept()
    arrived = 0

    def read():
        nonlocal arrived
        while data := connection.recv(1 << 16):
            arrived += len(data)

    threading.Thread(target=read, daemon=True).start()
    told = 0
    for _ in sys.stdin:
        now = arrived
        print(now - told, flush=True)
        told = now


def send(address):
    with socket.socket() as connection:
        # What most hosts use.
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, b"cubic")
        connection.connect(address)
        while True:
            connection.sendall(bytes(1 << 16))


{"receive": receive, "send": send}[sys.argv[1]]((sys.argv[2], int(sys.argv[3])))
