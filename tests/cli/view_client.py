# SPDX-License-Identifier: BSD-3-Clause
"""Reads the page of `pavior run --view` as browsers and as rude clients do (test_view.sh).

    view_client.py CHECK ADDRESS...
"""

import base64
import errno
import http.client
import json
import math
import re
import socket
import sys
import time
from urllib.parse import urlsplit


def ask(address, path="", method="GET"):
    """Status, headers and body of one request."""
    parts = urlsplit(address)
    connection = http.client.HTTPConnection(parts.hostname, parts.port, timeout=30)
    connection.request(method, parts.path + path)
    reply = connection.getresponse()
    return reply.status, reply.headers, reply.read()


def state(address):
    status, _, body = ask(address, "state")
    assert status == 200, status
    return json.loads(body)


def send(address, command):
    assert ask(address, command, "POST")[0] == 204, command


def wait(address, wanted, what):
    """Polls as the page does, a minute at most."""
    for _ in range(600):
        found = state(address)
        if wanted(found):
            return found
        time.sleep(0.1)
    raise AssertionError(f"{what} did not come: {found}")


def picture(address, query, seen=-1):
    """Polls for a picture of another step than `seen`: its step and bytes."""
    for _ in range(600):
        status, headers, body = ask(address, f"picture?{query}&more=1&seen={seen}")
        if status == 200:
            assert body[:8] == b"\x89PNG\r\n\x1a\n" and body[-8:-4] == b"IEND"
            return int(headers["ETag"].strip('"')), body
        assert status == 204, status
        time.sleep(0.1)
    raise AssertionError("no picture came")


def paused(address):
    send(address, "pause")
    return wait(address, lambda s: s["state"] == "paused", "the pause")["step"]


def raw(address, data):
    """The status line of an answer to these bytes."""
    with socket.create_connection(("127.0.0.1", urlsplit(address).port), timeout=30) as s:
        try:  # the server may close before it has read everything
            s.sendall(data)
            s.shutdown(socket.SHUT_WR)
            return s.makefile("rb").readline().decode()
        except OSError as error:
            assert error.errno in (errno.ECONNRESET, errno.ENOTCONN, errno.EPIPE), error
            return ""


def check_unwatched(address):
    """Nothing was drawn or measured before the first request."""
    time.sleep(1)
    first = state(address)
    assert first["pictures"] == 0 and len(first["rows"]) > 1, first
    assert all(row[3] is None for row in first["rows"]), first["rows"]
    picture(address, "field=0&axis=2&at=3")
    wait(address, lambda s: s["pictures"] > 0 and s["rows"][-1][3] is not None, "a picture and a measure")
    time.sleep(2.5)  # then it is forgotten again
    before = state(address)["pictures"]
    time.sleep(1)
    assert state(address)["pictures"] == before


def check_cheap(address):
    """Pictures come so seldom that they and the server take a twenty-fifth, by the page's own account."""
    seen, first, rounds = -1, state(address), 0
    found = first
    while rounds < 200 or found["pictures"] <= first["pictures"] + 1:
        rounds += 1
        status, headers, _ = ask(address, f"picture?field=0&axis=2&at=3&more=0&seen={seen}")
        seen = int(headers["ETag"].strip('"')) if status == 200 else seen
        found = state(address)
        spent, watched = (found[key] - first[key] for key in ("spent", "watched"))
        assert spent <= 0.04 * watched + found["dearest"], found
        time.sleep(0.02)
    assert spent > 0, found


def check_page(address):
    status, headers, body = ask(address)
    assert status == 200 and b"<!doctype html>" in body and headers["Content-Type"].startswith("text/html")
    assert headers["Referrer-Policy"] == "no-referrer" and "default-src 'none'" in headers["Content-Security-Policy"]
    assert ask(address, "nothing")[0] == 404
    assert ask(address, "state", "POST")[0] == 404  # it commands nothing
    assert ask(address, "picture?field=9")[0] == 404


def check_strangers(address):
    token = urlsplit(address).path.strip("/")
    host = address[: -len(token) - 1]
    for wrong in ("", token[:-1], "0" * 32, token.upper() + "x", token + "0", "../" + token):
        status = ask(host, wrong + "/state")[0]
        assert status in (403, 404), (wrong, status)
    assert ask(host, token)[0] == 404
    assert " 405 " in raw(address, f"PUT /{token}/stop HTTP/1.1\r\n\r\n".encode())
    assert " 400 " in raw(address, b"\r\n\r\n")
    assert " 400 " in raw(address, f"GET /{token}/state\r\n\r\n".encode())
    assert " 414 " in raw(address, f"GET /{token}/{'a' * 4000} HTTP/1.1\r\n\r\n".encode())
    assert " 431 " in raw(address, b"GET /" + b"a" * 8192)
    assert raw(address, b"\0" * 9000) == ""
    assert raw(address, b"GET / HTTP") == ""
    other = socket.socket()  # nobody else listens: the port is of 127.0.0.1 alone
    other.settimeout(5)
    assert other.connect_ex(("127.0.0.2", urlsplit(address).port)) != 0


def check_slow(address):
    """More silent clients than there are places; and one that reads no reply."""
    port, path = urlsplit(address).port, urlsplit(address).path
    silent = [socket.create_connection(("127.0.0.1", port)) for _ in range(40)]
    for s in silent[::2]:
        s.sendall(b"GET /")
    deaf = socket.socket()
    deaf.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1024)
    deaf.connect(("127.0.0.1", port))
    deaf.sendall(f"GET {path} HTTP/1.1\r\n\r\n".encode())
    before = state(address)["step"]
    wait(address, lambda s: s["step"] > before, "a further step")
    for s in silent:
        s.close()
    deaf.close()


def check_commands(address):
    step = paused(address)
    time.sleep(0.7)
    assert state(address)["step"] == step
    for _ in range(3):
        send(address, "step")
    wait(address, lambda s: s["step"] == step + 3, "the third step")
    time.sleep(0.7)
    assert state(address)["step"] == step + 3
    assert picture(address, "field=0&axis=0&at=2")[0] == step + 3  # a held run is drawn, too
    send(address, "checkpoint")
    wait(address, lambda s: s["message"] == "run.checkpoint", "the checkpoint")
    send(address, "resume")
    wait(address, lambda s: s["state"] == "running" and s["step"] > step + 3, "a further step")
    send(address, "checkpoint")
    wait(address, lambda s: s["state"] == "running", "the run going on after a checkpoint")


def check_windows(address):
    """Two windows with two slices: each gets its own."""
    for _ in range(3):
        one, first = picture(address, "field=0&axis=2&at=3")
        two, second = picture(address, "field=0&axis=0&at=5")
        assert first != second
        assert picture(address, "field=0&axis=2&at=3", one)[0] > one
        assert picture(address, "field=0&axis=0&at=5", two)[0] > two


def check_stop(address):
    send(address, "stop")


def check_limit(address):
    """A paused run with a time limit ends by itself."""
    try:
        paused(address)
        for _ in range(600):
            state(address)
            time.sleep(0.1)
    except OSError:
        return
    raise AssertionError("the run did not end")


def check_report(path):
    page = open(path).read()
    assert page.startswith("<!doctype html>") and "http:" not in page and "src=\"" not in page
    data = json.loads(re.search(r"<script>const DATA = (.*?);</script>", page, re.S)[1])
    assert data["run"]["status"] == "PAV_OK" and data["run"]["steps"] == data["view"]["step"] == 300
    assert data["view"]["state"] == "done" and data["view"]["name"] == "<b>.pav"
    assert [i["field"] for i in data["view"]["images"]] == ["u", "k"]
    for image in data["view"]["images"]:
        assert base64.b64decode(image["png"], validate=True)[:4] == b"\x89PNG"
    assert data["view"]["columns"] == ["step", "Gpts/s", "residual", "m"]
    last = data["view"]["rows"][-1]
    assert last[0] == 300 and math.isclose(last[3], data["run"]["measures"]["m"], rel_tol=1e-6), last


def check_same(path, picture):
    data = json.loads(re.search(r"<script>const DATA = (.*?);</script>", open(path).read(), re.S)[1])
    assert base64.b64decode(data["view"]["images"][0]["png"]) == open(picture, "rb").read()


if __name__ == "__main__":
    globals()["check_" + sys.argv[1]](*sys.argv[2:])
