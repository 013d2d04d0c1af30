"""A chat-completions endpoint on loopback, for real: it answers what a test says, and keeps what it was asked."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

Reply = tuple[int, dict[str, str], bytes]
Answering = Callable[[dict[str, Any], int], Reply]
"""From the question (claim, before, quote, after) and how many came before it to status, fields and body."""
KEY = "secret-key-of-the-endpoint"


def completion(content: object, *, model: str = "judge-7b", **choice: object) -> bytes:
    """A body as such servers write it."""
    message = {"role": "assistant", "content": content}
    return json.dumps({"model": model, "choices": [{"finish_reason": "stop", "message": message, **choice}]}).encode()


def says(support: str, rationale: str = "The quote has these very words.") -> Reply:
    return 200, {}, completion(json.dumps({"support": support, "rationale": rationale}))


@dataclass
class ModelServer:
    answering: Answering = lambda question, before: says("full")
    url: str = ""
    asked: list[dict[str, Any]] = field(default_factory=list)
    """Bodies of requests."""
    keys: list[str] = field(default_factory=list)

    @property
    def claims(self) -> list[str]:
        return [json.loads(body["messages"][1]["content"])["claim"] for body in self.asked]

    @contextmanager
    def running(self) -> Iterator[ModelServer]:
        owner = self

        class Answer(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                owner.keys.append(self.headers.get("Authorization", ""))
                before = len(owner.asked)
                owner.asked.append({"path": self.path, **body})
                status, fields, data = owner.answering(_question(body["messages"]), before)
                self.send_response(status)
                for name, value in fields.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(data)))
                with suppress(OSError):  # who asked has gone
                    self.end_headers()
                    self.wfile.write(data)

            def log_message(self, format: str, *args: object) -> None:
                """Kept, not printed."""

        server = ThreadingHTTPServer(("127.0.0.1", 0), Answer)
        server.daemon_threads = True
        thread = threading.Thread(target=server.serve_forever, args=(0.02,))
        thread.start()
        self.url = f"http://127.0.0.1:{server.server_port}/v1"
        try:
            yield self
        finally:
            server.shutdown()
            thread.join()
            server.server_close()


def _question(messages: list[dict[str, str]]) -> dict[str, Any]:
    """What a judge is asked, behind its instructions; of one message alone its words, as `prompt`."""
    if len(messages) == 1:
        return {"prompt": messages[0]["content"]}
    question: dict[str, Any] = json.loads(messages[1]["content"])
    return question


@pytest.fixture
def model() -> Iterator[ModelServer]:
    """A model behind a real server."""
    with ModelServer().running() as server:
        yield server
