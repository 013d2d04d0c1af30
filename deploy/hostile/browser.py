"""Opens each case in a real headless Chromium and writes down what it makes of it.

Driven over the DevTools protocol, on a profile of its own that is thrown away. A browser is what an archiver is
measured against: what it shows must be in the archive.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import shutil
import subprocess
import tempfile
from collections.abc import AsyncIterator, Collection, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import aiohttp

PROGRAMS = ("chromium", "chromium-browser", "google-chrome")
OPTIONS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",  # no case leads into the world
    "--remote-debugging-port=0",
)
START_SECONDS = 30.0
PATIENCE_SECONDS = 6.0
"""How long a page is watched; longer than the archive's own patience in these cases for all but a steady stream."""
QUIET_SECONDS = 0.7
"""After the document was loaded or failed: what may still be told."""
TABS = 3
_GONE = ("net::ERR_ABORTED",)
_TOO_MANY = "net::ERR_TOO_MANY_REDIRECTS"
_OWN_PAGE = "net::ERR_HTTP_RESPONSE_CODE_FAILURE"


class NoBrowserError(Exception):
    """There is no Chromium here, or it does not start."""


@dataclass(slots=True)
class Sight:
    """What a tab has seen of one document."""

    status: int | None = None
    redirects: int = 0
    received: int = 0
    """Bytes of the body, content codings removed."""
    error: str = ""
    finished: bool = False
    downloads: bool = False

    def told(self) -> str:
        """In a few words."""
        if self.downloads:
            return f"offers {self.status} as a download"
        if self.status is None:
            return f"shows an error: {self.error}" if self.error else "waits"
        shown = f"shows {self.status}, {_size(self.received)}"
        after = f" after {self.redirects} redirect{'s' * (self.redirects > 1)}" if self.redirects else ""
        if self.error == _OWN_PAGE:
            return f"shows an error page of its own for {self.status}{after}"
        if self.error in _GONE:
            return f"takes {self.status} and stays where it was"
        if self.error == _TOO_MANY:
            return f"gives up{after}: {self.error}"
        if self.error:
            return f"{shown}{after}, then fails: {self.error}" if self.received else f"shows an error: {self.error}"
        return f"{shown}{after}" if self.finished else f"{shown}{after}, and still waits"


@dataclass(slots=True)
class _Tab:
    """One open document."""

    sight: Sight = field(default_factory=Sight)
    request: str = ""
    over: asyncio.Event = field(default_factory=asyncio.Event)


def find_browser() -> str:
    """The program's path."""
    found = next((path for path in map(shutil.which, PROGRAMS) if path), None)
    if found is None:
        raise NoBrowserError("Chromium is missing: install the Debian package chromium")
    return found


def browser_version(program: str) -> str:
    """Such as `Chromium 156.0.8078.108`."""
    done = subprocess.run([program, "--version"], capture_output=True, text=True, timeout=60, check=True)  # noqa: S603
    return " ".join(done.stdout.split()[:2])


async def look_at_all(urls: Mapping[str, str], *, alone: Collection[str]) -> dict[str, str]:
    """What the browser makes of each address, by the case's name. `alone`: cases that get a browser of their own,
    since they flood it, and it does not recover (seen with 1xx heads without an end)."""
    program = find_browser()
    seen: dict[str, str] = {}
    async with _browser(program) as browser:
        slots = asyncio.Semaphore(TABS)

        async def look(name: str, url: str) -> None:
            async with slots:
                seen[name] = (await browser.look_at(url)).told()

        await asyncio.gather(*(look(name, url) for name, url in urls.items() if name not in alone))
    for name in alone:
        async with _browser(program) as browser:
            seen[name] = (await browser.look_at(urls[name])).told()
    return seen


class _Browser:
    """A connection to the running program."""

    def __init__(self, socket: aiohttp.ClientWebSocketResponse) -> None:
        self._socket = socket
        self._numbers = itertools.count(1)
        self._answers: dict[int, asyncio.Future[dict[str, Any]]] = {}
        self._tabs: dict[str, _Tab] = {}

    async def look_at(self, url: str) -> Sight:
        """Open the address in a tab of its own, and watch until the document is there, fails, or patience ends."""
        target = (await self._call("Target.createTarget", {"url": "about:blank"}))["targetId"]
        session = (await self._call("Target.attachToTarget", {"targetId": target, "flatten": True}))["sessionId"]
        tab = self._tabs[session] = _Tab()
        try:
            await self._call("Network.enable", {}, session)
            await self._call("Page.enable", {}, session)
            await self._send("Page.navigate", {"url": url}, session)
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(tab.over.wait(), PATIENCE_SECONDS)
                await asyncio.sleep(QUIET_SECONDS)
        finally:
            del self._tabs[session]
            await self._send("Target.closeTarget", {"targetId": target})
        return tab.sight

    async def listen(self) -> None:
        """Hand on what comes, until the connection ends."""
        async for message in self._socket:
            if message.type is not aiohttp.WSMsgType.TEXT:
                continue
            told: dict[str, Any] = message.json()
            waiting = self._answers.pop(told.get("id", 0), None)
            if waiting is not None and not waiting.done():
                waiting.set_result(told.get("result", {}))
            tab = self._tabs.get(told.get("sessionId", ""))
            if tab is not None and "method" in told:
                _note(tab, told["method"], told.get("params", {}))

    async def _call(self, method: str, params: dict[str, Any], session: str = "") -> dict[str, Any]:
        return await asyncio.wait_for(await self._send(method, params, session), START_SECONDS)

    async def _send(self, method: str, params: dict[str, Any], session: str = "") -> asyncio.Future[dict[str, Any]]:
        number = next(self._numbers)
        answer: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()
        self._answers[number] = answer
        message: dict[str, Any] = {"id": number, "method": method, "params": params}
        await self._socket.send_json(message | ({"sessionId": session} if session else {}))
        return answer


def _note(tab: _Tab, event: str, told: dict[str, Any]) -> None:
    """One event of the protocol; only those of the document itself count."""
    sight = tab.sight
    if event == "Network.requestWillBeSent" and told.get("type") == "Document":
        tab.request = tab.request or told["requestId"]
        if told["requestId"] == tab.request and "redirectResponse" in told:
            sight.redirects += 1
            sight.status = told["redirectResponse"]["status"]
    if event == "Page.downloadWillBegin":
        sight.downloads = True
        tab.over.set()
    if told.get("requestId") != tab.request:
        return
    match event:
        case "Network.responseReceived":
            sight.status = told["response"]["status"]
        case "Network.dataReceived":
            sight.received += told["dataLength"]
        case "Network.loadingFinished":
            sight.finished = True
            tab.over.set()
        case "Network.loadingFailed":
            sight.error = told["errorText"]
            tab.over.set()
        case _:
            pass


@asynccontextmanager
async def _browser(program: str) -> AsyncIterator[_Browser]:
    with tempfile.TemporaryDirectory(prefix="hostile-browser-", ignore_cleanup_errors=True) as profile:
        child = await asyncio.create_subprocess_exec(
            program,
            *OPTIONS,
            f"--user-data-dir={profile}",
            "about:blank",
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.DEVNULL,
        )
        try:
            address = await _address(Path(profile) / "DevToolsActivePort", child)
            async with aiohttp.ClientSession() as client, client.ws_connect(address, max_msg_size=0) as socket:
                browser = _Browser(socket)
                listening = asyncio.create_task(browser.listen())
                try:
                    yield browser
                finally:
                    listening.cancel()
        finally:
            if child.returncode is None:
                child.terminate()
            await child.wait()


async def _address(port_file: Path, child: asyncio.subprocess.Process) -> str:
    """Where the DevTools answer, once the program has written it down."""
    for _ in range(int(START_SECONDS / 0.1)):
        if child.returncode is not None:
            raise NoBrowserError(f"Chromium ended at once, with {child.returncode}")
        lines = await asyncio.to_thread(_lines, port_file)
        if len(lines) == 2:
            return f"ws://127.0.0.1:{lines[0]}{lines[1]}"
        await asyncio.sleep(0.1)
    raise NoBrowserError(f"Chromium does not answer within {START_SECONDS:g} s")


def _lines(file: Path) -> list[str]:
    return file.read_text().split() if file.exists() else []


def _size(received: int) -> str:
    """Exact where it is small; what a browser had of an endless body differs from run to run."""
    return f"{received} bytes" if received < 1_000_000 else "more than 1 MB"
