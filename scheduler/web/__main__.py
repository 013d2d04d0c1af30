"""`python -m scheduler.web --host 127.0.0.1 --port 8080`: the web process.

Exit 2: the settings are wrong. Exit 3: the address cannot be listened on.
"""

from __future__ import annotations

import argparse
import logging
import socket
import sys

import uvicorn

from scheduler.stack.ports import WEB_PREFERRED, first_free
from scheduler.web.access import require_tokens
from scheduler.web.application import create_app
from workers import config
from workers.config import Settings
from workers.errors import CitevaultError, PermanentError, RetryableError

BACKLOG = 512
MOST_CONNECTIONS = 512  # more are told 503 at once, which is better than a loop that answers nobody
STOP_SECONDS = 3


def main(arguments: list[str] | None = None) -> int:
    """Serve until told to stop."""
    parser = argparse.ArgumentParser(prog="python -m scheduler.web", description=__doc__)
    parser.add_argument("--host", help="address to listen on (CITEVAULT_WEB_HOST)")
    parser.add_argument("--port", help="port to listen on, 0: 8080 or the next free one (CITEVAULT_WEB_PORT)")
    given = parser.parse_args(arguments)
    try:
        settings = _settings(given.host, given.port)
        listener = listen(settings.web_host, settings.web_port)
    except CitevaultError as error:
        sys.stderr.write(f"{error}\n")
        return 3 if isinstance(error, RetryableError) else 2
    logging.basicConfig(level=settings.log_level, format="%(asctime)s %(levelname)s %(name)s %(message)s")
    with listener:
        serve(settings, listener)
    return 0


def serve(settings: Settings, listener: socket.socket) -> None:
    """Run the server on an open socket until SIGTERM or SIGINT."""
    server = uvicorn.Server(
        uvicorn.Config(
            create_app(settings),
            log_config=None,
            access_log=False,
            server_header=False,
            proxy_headers=False,  # who asked is never taken from a header
            limit_concurrency=MOST_CONNECTIONS,
            timeout_graceful_shutdown=STOP_SECONDS,
            ws="none",
        )
    )
    name = f"[{settings.web_host}]" if ":" in settings.web_host else settings.web_host
    sys.stderr.write(f"citevault web: http://{name}:{listener.getsockname()[1]}/\n")
    server.run(sockets=[listener])


def listen(host: str, port: int) -> socket.socket:
    """A listening socket. RetryableError where the address is taken or not ours."""
    try:
        if port == 0:
            port = first_free(WEB_PREFERRED)
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        return socket.create_server((host, port), family=family, backlog=BACKLOG)
    except OSError as refused:
        raise RetryableError(
            f"cannot listen there: {refused.strerror or refused}",
            where=f"{host} port {port}",
            next_step="choose another address or port (CITEVAULT_WEB_HOST, CITEVAULT_WEB_PORT)",
        ) from refused


def _settings(host: str | None, port: str | None) -> Settings:
    named = {"web_host": host or "", "web_port": port or ""}
    settings = config.load({name: value for name, value in named.items() if value})
    require_tokens(settings.web_host, settings.api_tokens)
    if settings.uses_local_stack:
        raise PermanentError(
            "no Redis or no S3 is set",
            where="CITEVAULT_REDIS_URL, CITEVAULT_S3_ENDPOINT",
            next_step="set both, or run `citevault up`, which starts this process by itself",
        )
    return settings


if __name__ == "__main__":
    sys.exit(main())
