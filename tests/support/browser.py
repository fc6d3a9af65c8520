"""Chromium for tests, driven by its DevTools protocol: real clicks, keys and touches, and screenshots."""

from __future__ import annotations

import base64
import json
import os
import shutil
import subprocess
import time
import urllib.request
from pathlib import Path
from typing import Any

from websockets.sync.client import connect

PROGRAM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
FLAGS = [
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage",
    "--remote-debugging-port=0",
]  # fmt: skip
ARTEFACTS = os.environ.get("HEARTLAB_ARTEFACTS")
"""A folder for screenshots, if they are wanted."""
PATIENCE = float(os.environ.get("HEARTLAB_PATIENCE", "400"))
"""Seconds that the page has for what is waited for: long, because the first hint of all may have to be compiled."""
STAYING = """(() => { const real = setTimeout;
window.setTimeout = (act, wait, ...more) => real(act, [4000, 6000].includes(wait) ? 600000 : wait, ...more); })()"""
"""Notices and reactions do not go by the clock: what a test reads is still there on a busy machine."""
KEYS = {
    "Enter": ("\r", 13), "ArrowRight": ("", 39), "ArrowLeft": ("", 37), "Tab": ("", 9), " ": (" ", 32), "End": ("", 35),
    "Escape": ("", 27),
}  # fmt: skip


HIT = """(async () => {
const find = () => document.querySelector(%s);
const frame = () => new Promise((done) => requestAnimationFrame(done));
const where = () => { const r = find()?.getBoundingClientRect();
  return r && [Math.min(r.width / 2, 12), r.width / 2, r.width - 4].map((x) => [r.left + x, r.top + r.height / 2]); };
find()?.scrollIntoView({ block: 'nearest' });
const before = where();
await frame();
const [n, now] = [find(), where()];
if (!n) return null;
if (String(now) !== String(before)) return ['its own movement'];
const label = n.closest('label');
const isHit = (hit) => n.contains(hit) || (label && label === hit?.closest('label'));
const free = now.find((at) => isHit(document.elementFromPoint(...at)));
return free ?? [document.elementFromPoint(...now[0])?.outerHTML ?? ''];
})()"""
"""Where an element can be clicked; a list of one, if something covers it; null, if it is not there.

A card is tried at its left edge first, since the next one covers its right; but the one before it may be raised under
the pointer and cover that edge.
"""


class PageError(AssertionError):
    """Something on the page went wrong."""


class Browser:
    """One Chromium with one page."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        assert PROGRAM is not None
        self.process = subprocess.Popen(
            [PROGRAM, *FLAGS, f"--user-data-dir={folder}", "about:blank"],
            stderr=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
        )
        port_file = folder / "DevToolsActivePort"
        self._wait_for(lambda: port_file.exists() and "\n" in port_file.read_text(), 600)
        port = port_file.read_text().splitlines()[0]
        request = urllib.request.Request(f"http://127.0.0.1:{port}/json/new?about:blank", method="PUT")
        with urllib.request.urlopen(request) as answer:
            target = json.load(answer)
        self._line = connect(target["webSocketDebuggerUrl"], max_size=None, ping_interval=None)
        self.socket = self._line.__enter__()
        self.number = 0
        self.problems: list[str] = []
        self.requests: list[str] = []
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.command(f"{domain}.enable")
        self.command("Page.addScriptToEvaluateOnNewDocument", source=STAYING)

    def close(self) -> None:
        self._line.__exit__(None, None, None)
        self.process.terminate()
        self.process.wait(600)

    def command(self, method: str, **parameters: Any) -> Any:
        """One command of the DevTools protocol."""
        self.number += 1
        self.socket.send(json.dumps({"id": self.number, "method": method, "params": parameters}))
        while True:
            got = json.loads(self.socket.recv(600))
            if got.get("id") == self.number:
                if "error" in got:
                    raise PageError(f"{method}: {got['error']}")
                return got["result"]
            self._note(got)

    def _note(self, event: dict[str, Any]) -> None:
        if event["method"] == "Runtime.exceptionThrown":
            self.problems.append(json.dumps(event["params"]["exceptionDetails"])[:600])
        elif event["method"] == "Log.entryAdded" and event["params"]["entry"]["level"] == "error":
            self.problems.append(event["params"]["entry"]["text"] + " " + event["params"]["entry"].get("url", ""))
        elif event["method"] == "Network.requestWillBeSent":
            self.requests.append(event["params"]["request"]["url"])

    def evaluate(self, expression: str) -> Any:
        """The value of an expression on the page."""
        got = self.command("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in got:
            raise PageError(f"{expression}: {got['exceptionDetails']}")
        return got["result"].get("value")

    def wait(self, expression: str, seconds: float = PATIENCE) -> Any:
        """Wait until an expression is true."""
        found: list[Any] = []
        try:
            self._wait_for(lambda: found.append(self.evaluate(expression)) or found[-1], seconds)
        except TimeoutError:
            text = self.evaluate("document.body.innerText")
            raise PageError(f"waited in vain for {expression}; problems {self.problems}; page:\n{text}") from None
        return found[-1]

    @staticmethod
    def _wait_for(ready: Any, seconds: float) -> None:
        end = time.monotonic() + seconds
        while not ready():
            if time.monotonic() > end:
                raise TimeoutError
            time.sleep(0.03)

    def goto(self, address: str) -> None:
        self.command("Page.navigate", url="about:blank")
        self.command("Page.navigate", url=address)

    def reload(self) -> None:
        self.command("Page.reload")

    def click(self, selector: str, *, touch: bool = False) -> None:
        """Click an element where it can be seen, once it is there and stands still."""
        where: list[Any] = []

        def reachable() -> bool:
            where[:] = [self.evaluate(HIT % json.dumps(selector))]
            return where[0] is not None and len(where[0]) == 2

        try:
            self._wait_for(reachable, PATIENCE)
        except TimeoutError:
            what = f"{selector} is covered by {where[0][0]}" if where[0] else f"there is no {selector}"
            raise PageError(f"{what}; problems {self.problems}") from None
        x, y = where[0]
        if touch:
            self.command("Input.dispatchTouchEvent", type="touchStart", touchPoints=[{"x": x, "y": y}])
            self.command("Input.dispatchTouchEvent", type="touchEnd", touchPoints=[])
            return
        for kind in ("mousePressed", "mouseReleased"):
            self.command("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def press(self, key: str) -> None:
        """Press a key."""
        text, code = KEYS.get(key, (key, ord(key[0].upper())))
        values = dict(
            key=key, windowsVirtualKeyCode=code, code=f"Key{key.upper()}" if len(key) == 1 and key != " " else key
        )
        self.command("Input.dispatchKeyEvent", type="keyDown", **values, **({"text": text} if text else {}))
        self.command("Input.dispatchKeyEvent", type="keyUp", **values)

    def size(self, width: int, height: int, *, phone: bool = False, dark: bool = False) -> None:
        """The size and colours of the screen."""
        self.command(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=2 if phone else 1,
            mobile=phone,
        )
        self.command("Emulation.setTouchEmulationEnabled", enabled=phone)
        features = [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]
        self.command("Emulation.setEmulatedMedia", features=features)

    def picture(self, name: str, folder: str | Path | None = ARTEFACTS) -> None:
        """Keep a screenshot, if screenshots are wanted."""
        if folder is None:
            return
        data = self.command("Page.captureScreenshot", format="png")["data"]
        Path(folder).mkdir(parents=True, exist_ok=True)
        (Path(folder) / f"{name}.png").write_bytes(base64.b64decode(data))
