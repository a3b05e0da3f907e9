"""A real browser for tests: Chromium without a window, spoken to through two pipes and nothing else."""

import json
import os
import shutil
import subprocess
import sys
import time

import pytest

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


class Browser:
    """One page at a time; what the page writes to its console, refusals included, is kept in ``said``."""

    def __init__(self, folder):
        self.ours, theirs = os.pipe(), os.pipe()
        read, write = self.ours[0], theirs[1]
        command = [
            CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
            "--remote-debugging-pipe", f"--user-data-dir={folder}",
        ]  # fmt: skip
        # the browser reads from its descriptor 3 and writes to 4: a small start moves ours there, and becomes it
        moves = f"import os, sys; os.dup2({read}, 63); os.dup2({write}, 64); os.dup2(63, 3); os.dup2(64, 4)"
        start = [sys.executable, "-c", f"{moves}; os.execv(sys.argv[1], sys.argv[1:])", *command]
        without_sanitizers = {name: value for name, value in os.environ.items() if name != "LD_PRELOAD"}
        self.process = subprocess.Popen(
            start,
            env=without_sanitizers,  # of make sanitize: the browser does not start with them
            pass_fds=(read, write),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(read)
        os.close(write)
        self.to, self.back = os.fdopen(self.ours[1], "wb"), os.fdopen(theirs[0], "rb")
        self.number, self.session, self.buffer, self.said = 0, None, b"", []
        target = self.ask("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log"):
            self.ask(f"{domain}.enable")

    def ask(self, method, **params):
        self.number += 1
        message = {"id": self.number, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        self.to.write(json.dumps(message).encode() + b"\0")
        self.to.flush()
        while True:
            answer = self._next()
            if answer.get("id") == self.number:
                assert "error" not in answer, answer
                return answer["result"]

    def _next(self):
        while b"\0" not in self.buffer:
            part = os.read(self.back.fileno(), 1 << 16)
            assert part, "the browser ended"
            self.buffer += part
        one, _, self.buffer = self.buffer.partition(b"\0")
        message = json.loads(one)
        if message.get("method") in ("Log.entryAdded", "Runtime.exceptionThrown", "Runtime.consoleAPICalled"):
            self.said.append(json.dumps(message["params"]))
        return message

    def open(self, path, fragment=""):
        self.said.clear()
        self.ask("Page.navigate", url="about:blank")
        self.ask("Page.navigate", url=f"file://{path}{fragment}")
        for _ in range(200):
            if self.run("document.readyState") == "complete" and self.run("location.protocol") == "file:":
                return self
            time.sleep(0.02)
        raise AssertionError("the page was never ready")

    def run(self, code):
        answer = self.ask("Runtime.evaluate", expression=code, returnByValue=True)
        assert "exceptionDetails" not in answer, answer
        return answer["result"].get("value")

    def text(self, selector):
        return self.run(f"document.querySelector({json.dumps(selector)}).innerText")

    def table(self, selector):
        """The rows of a table, each a list of texts."""
        return self.run(
            f"[...document.querySelectorAll({json.dumps(selector + ' tr')})].map("
            "r => [...r.children].map(c => c.childNodes.length ? c.childNodes[0].textContent : ''))"
        )

    def key(self, name, times=1):
        code = {"ArrowLeft": 37, "ArrowRight": 39, "Home": 36, "End": 35, "Tab": 9, " ": 32}[name]
        text = {"text": " "} if name == " " else {}
        for _ in range(times):
            for kind in ("keyDown", "keyUp"):
                self.ask(
                    "Input.dispatchKeyEvent",
                    type=kind, key=name, code="Space" if name == " " else name, windowsVirtualKeyCode=code,
                    **(text if kind == "keyDown" else {}),
                )  # fmt: skip

    def close(self):
        self.to.close()
        self.back.close()
        self.process.terminate()
        self.process.wait(timeout=20)


@pytest.fixture(scope="session")
def browser(tmp_path_factory):
    """A browser, or a skip: the page is for browsers, but not every machine that tests has one."""
    if CHROMIUM is None:
        pytest.skip("there is no Chromium on this machine, so the page's script cannot be run")
    window = Browser(tmp_path_factory.mktemp("browser"))
    yield window
    window.close()
