# SPDX-License-Identifier: BSD-3-Clause
"""The page of `pavior run --view` in a headless Chromium, over its debugging protocol (test_view.sh).

    view_browser.py BROWSER ADDRESS [NAME]

NAME: pictures of the page in two widths are left as NAME-1280.png and NAME-390.png.
"""

import base64
import json
import os
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request


class Window:
    """A tab: a WebSocket (RFC 6455) that carries JSON."""

    def __init__(self, port, address):
        request = urllib.request.Request(f"http://127.0.0.1:{port}/json/new?{address}", method="PUT")
        tab = json.load(urllib.request.urlopen(request, timeout=60))
        self.name, place = tab["id"], tab["webSocketDebuggerUrl"]
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=60)
        self.file = self.socket.makefile("rb")
        self.number = 0
        key = base64.b64encode(os.urandom(16)).decode()
        self.socket.sendall(
            f"GET {place.split(str(port), 1)[1]} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nUpgrade: websocket\r\n"
            f"Connection: Upgrade\r\nSec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n\r\n".encode()
        )
        while self.file.readline() != b"\r\n":
            pass

    def receive(self):
        data, more = b"", True
        while more:
            first, length = self.file.read(2)
            more, length = not first & 0x80, length & 0x7F
            if length > 125:
                length = int.from_bytes(self.file.read(2 if length == 126 else 8), "big")
            data += self.file.read(length)
        return json.loads(data)

    def call(self, method, **params):
        self.number += 1
        message = {"id": self.number, "method": method, "params": params}
        data = json.dumps(message).encode().ljust(126)  # from 126 bytes on, the length has two bytes; the mask is 0
        self.socket.sendall(b"\x81\xfe" + len(data).to_bytes(2, "big") + bytes(4) + data)
        while (reply := self.receive()).get("id") != self.number:
            pass
        return reply["result"]

    def evaluate(self, text):
        return self.call("Runtime.evaluate", expression=text, returnByValue=True)["result"].get("value")

    def wait(self, text, what):
        for _ in range(2400): # a busy machine shows few pictures: each may cost a twentieth of the time
            value = self.evaluate(text)
            if value:
                return value
            time.sleep(0.1)
        raise AssertionError(f"{what} did not come: {self.evaluate('document.body.innerText')}")


PICTURE = "picture.complete && picture.naturalWidth > 100 ? +picture.dataset.step : 0"
STEP = "state.step"


def check(port, address):
    one, two = Window(port, address), Window(port, address)
    step = one.wait(PICTURE, "a picture")
    one.wait(f"({PICTURE}) > {step}", "another picture")
    one.wait("document.querySelectorAll('#curves svg').length >= 2", "curves of the rate and a measure")

    for width in 1280, 390:
        one.call("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=False)
        assert one.evaluate("document.documentElement.scrollWidth") <= width, width
        if len(sys.argv) > 3:  # to look at
            shot = one.call("Page.captureScreenshot", format="png")["data"]
            open(f"{sys.argv[3]}-{width}.png", "wb").write(base64.b64decode(shot))

    two.wait(PICTURE, "a picture of the second window")
    two.evaluate("$('axis').value = 0; chooseField(); $('at').value = 2")
    two.wait(f"shown.includes('axis=0&at=2') && ({PICTURE})", "another slice in the second window")
    assert "axis=2" in one.evaluate("shown")

    one.evaluate("$('pause').click()")
    two.wait("state.state === 'paused' && $('pause').textContent === 'Go on'", "the pause in the other window")
    paused = two.evaluate(STEP)
    time.sleep(1)
    assert two.evaluate(STEP) == paused
    two.evaluate("$('step').click()")
    one.wait(f"state.step === {paused + 1} && ({PICTURE}) === {paused + 1}", "a step in the first window")
    urllib.request.urlopen(f"http://127.0.0.1:{port}/json/close/{two.name}", timeout=60)
    two.socket.close()
    one.evaluate("$('pause').click()")
    one.wait(f"state.step > {paused + 1}", "a further step")
    one.evaluate("$('stop').click()")
    one.wait("$('status').textContent.includes('does not answer any more') && $('commands').hidden", "the end")
    assert one.evaluate("!$('picture').hidden")


with tempfile.TemporaryDirectory() as profile:
    browser = subprocess.Popen(
        [sys.argv[1], "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--remote-debugging-port=0",
         "--remote-allow-origins=*", "--no-first-run", f"--user-data-dir={profile}", "about:blank"],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        port = os.path.join(profile, "DevToolsActivePort")
        for _ in range(1200):
            if os.path.exists(port) and open(port).read().count("\n"):
                break
            time.sleep(0.1)
        check(int(open(port).readline()), sys.argv[2])
    finally:
        browser.kill()
        browser.wait()
        time.sleep(0.5)
