"""The servers of a lab: signaling, and coturn for STUN and TURN. They run at the place `server`."""

import functools
import os
import subprocess
import tempfile
import time

from lab import SERVER

WORD = "lab:word"


def start_signaling(lab, program, address=SERVER):
    """Starts the program's signaling server; returns its URL."""
    host = f"[{address}]" if ":" in address else address
    server = lab.start(
        "server", program, "serve", "--listen", f"{host}:8080", stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    if not server.stdout.readline():
        raise SystemExit("the signaling server did not start")
    return f"ws://{host}:8080"


def start_turn(lab, address=SERVER):
    """Starts a server for STUN and TURN over UDP, TCP and TLS at an address."""
    certificate = certificate_folder()
    server = lab.start(
        "server", "turnserver", "-n", "-m", "1", "--no-cli", "--no-dtls", "--no-multicast-peers", "--lt-cred-mech", "--user", WORD,
        "--realm", "lab", "--listening-ip", address, "--relay-ip", address, "--cert", f"{certificate}/certificate.pem",
        "--pkey", f"{certificate}/key.pem", "--log-file", "stdout", "--pidfile", "/dev/null", "--db", f"{certificate}/database",
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    host = f"[{address}]" if ":" in address else address
    deadline = time.monotonic() + 20
    while not all(f"{host}:{port}" in lab.inside("server", "ss", "-Hltn") for port in (3478, 5349)):
        if time.monotonic() > deadline or server.poll() is not None:
            raise SystemExit("the TURN server did not start")
        time.sleep(0.02)
    return server


def ice_url(kind, address=SERVER):
    """What `--ice-server` takes for `stun`, `udp`, `tcp` or `tls`, the ways to a TURN server."""
    host = f"[{address}]" if ":" in address else address
    return {
        "stun": f"stun:{host}:3478",
        "udp": f"turn:{WORD}@{host}:3478",
        "tcp": f"turn:{WORD}@{host}:3478?transport=tcp",
        "tls": f"turns:{WORD}@{host}:5349",
    }[kind]


def ice_options(kinds, address=SERVER):
    """The options of the program for these servers."""
    options = [option for kind in kinds for option in ("--ice-server", ice_url(kind, address))]
    return options + (["--trust-roots", os.path.join(certificate_folder(), "certificate.pem")] if "tls" in kinds else [])


@functools.cache
def kept_folder():
    return tempfile.TemporaryDirectory()


@functools.cache
def certificate_folder():
    """A folder with a certificate for the TURN server's addresses, and its key."""
    folder = kept_folder().name
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
            "-keyout", f"{folder}/key.pem", "-out", f"{folder}/certificate.pem", "-subj", "/CN=lab",
            "-addext", "subjectAltName=IP:10.77.0.1,IP:10.77.0.2,IP:fd77::1"],
        check=True, capture_output=True)
    return folder
