"""Firefox, driven by its own protocol (Marionette): lengths and JSON over a socket, so that nothing need be installed beside it."""

import json
import shutil
import socket
import subprocess
import time
from contextlib import contextmanager, suppress
from pathlib import Path

KEYS = {"ArrowRight": "\ue014", "ArrowUp": "\ue013", "ArrowDown": "\ue015", "Enter": "\ue007", "Space": " "}
PROBLEMS = """
    const told = Services.console.getMessageArray()
      .filter((one) => one instanceof Ci.nsIScriptError && !(one.flags & Ci.nsIScriptError.warningFlag))
      .filter((one) => one.sourceName.startsWith(arguments[0])).map(String);
    Services.console.reset();
    return told;
"""


def free_port() -> int:
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        return listening.getsockname()[1]


class Firefox:
    """A browser with one tab. What it refuses is raised as a RuntimeError with its words."""

    def __init__(self, port: int, seconds: float = 60) -> None:
        until = time.monotonic() + seconds
        while True:
            try:
                self.socket = socket.create_connection(("127.0.0.1", port), timeout=seconds)
                break
            except OSError:
                if time.monotonic() > until:
                    raise
                time.sleep(0.2)
        self.stream = self.socket.makefile("rb")
        self.number = 0
        self.read()  # it says hello
        self.send("WebDriver:NewSession", {"timeouts": {"script": 60_000, "pageLoad": 60_000}})

    def read(self):
        length = b""
        while not length.endswith(b":"):
            length += self.stream.read(1) or self.gone()
        return json.loads(self.stream.read(int(length[:-1])))

    def gone(self):
        raise RuntimeError("Firefox has gone away")

    def send(self, command: str, values: dict | None = None):
        self.number += 1
        message = json.dumps([0, self.number, command, values or {}]).encode()
        self.socket.sendall(b"%d:%s" % (len(message), message))
        _, _, error, result = self.read()
        if error:
            raise RuntimeError(f"{command}: {error['message']}")
        return result.get("value", result) if isinstance(result, dict) else result

    def go(self, url: str) -> None:
        self.send("WebDriver:Navigate", {"url": url})

    def evaluate(self, script: str, *values):
        return self.send("WebDriver:ExecuteScript", {"script": script, "args": list(values)})

    def wait_for(self, script: str, *values, seconds: float = 30):
        """What the script returns, once it is true."""
        until = time.monotonic() + seconds
        while not (value := self.evaluate(script, *values)):
            assert time.monotonic() < until, f"never came true in Firefox: {script}"
            time.sleep(0.1)
        return value

    def press(self, *keys: str) -> None:
        """Keys by name, or text to type."""
        typed = [letter for key in keys for letter in (KEYS.get(key) or key)]
        steps = [{"type": way, "value": letter} for letter in typed for way in ("keyDown", "keyUp")]
        self.send(
            "WebDriver:PerformActions", {"actions": [{"type": "key", "id": "keyboard", "actions": steps}]}
        )

    def problems(self, origin: str) -> list[str]:
        """What the console tells of errors in the origin's pages and scripts, since it was last asked."""
        self.send("Marionette:SetContext", {"value": "chrome"})
        try:
            return self.evaluate(PROBLEMS, origin)
        finally:
            self.send("Marionette:SetContext", {"value": "content"})


@contextmanager
def opened(profile: Path):
    """A Firefox without a window while the context lasts; a RuntimeError says why there is none."""
    program = shutil.which("firefox-esr") or shutil.which("firefox")
    if not program:
        raise RuntimeError("no Firefox to look at pages with (Debian: apt install firefox-esr)")
    port = free_port()
    (profile / "user.js").write_text(
        f'user_pref("marionette.port", {port});\n'
        'user_pref("browser.shell.checkDefaultBrowser", false);\n'
        'user_pref("datareporting.policy.dataSubmissionEnabled", false);\n',
        encoding="utf-8",
    )
    command = [
        program,
        "--headless",
        "--marionette",
        "--remote-allow-system-access",
        "--no-remote",
        "--profile",
        profile,
    ]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        try:
            browser = Firefox(port)
        except (OSError, RuntimeError) as error:
            raise RuntimeError(f"{program} does not answer to Marionette: {error}") from None
        yield browser
    finally:
        with suppress(Exception):
            browser.send("Marionette:Quit", {"flags": ["eForceQuit"]})
            process.wait(10)
        process.kill()
        process.wait()
