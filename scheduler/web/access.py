"""Who may ask: everybody on this machine's loopback, or whoever holds a token; and what browsers may do with answers.

Without tokens the process serves loopback names only: a page elsewhere that has its own name resolve to 127.0.0.1
(DNS rebinding) still sends that name as `Host`, and is turned away. With tokens (`CITEVAULT_API_TOKENS`) every
request needs one, as `Authorization: Bearer`, or as the password of Basic, which browsers ask people for (RFC 6750,
RFC 7617). Health is open: it says nothing of what is archived.

A page elsewhere can have a browser send requests here, with what the browser knows of passwords. What changes something
is therefore refused where the browser says that another site asks for it (`Sec-Fetch-Site`, `Origin`).
"""

from __future__ import annotations

import base64
import binascii
import hmac
import ipaddress
from collections.abc import Iterable
from http import HTTPStatus

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from scheduler.web.problems import answer, plain_problem
from workers.errors import PermanentError

SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
OPEN_PATHS = frozenset({"/healthz", "/readyz"})
CHALLENGE = 'Bearer realm="citevault", Basic realm="citevault: any name, the token as password", charset="UTF-8"'
POLICY = (
    "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
BROWSER_RULES = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cache-Control": "no-store",
}


class Access:
    """ASGI middleware around everything that is served."""

    def __init__(self, app: ASGIApp, tokens: Iterable[str]) -> None:
        self._app = app
        self._tokens = tuple(token.encode() for token in tokens)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def send_ruled(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in BROWSER_RULES.items():
                    headers.setdefault(name, value)
            await send(message)

        await self._admitted(scope)(scope, receive, send_ruled)

    def _admitted(self, scope: Scope) -> ASGIApp:
        """The application, or a refusal."""
        headers = Headers(scope=scope)
        if scope["method"] not in SAFE_METHODS and is_cross_site(headers):
            problem = plain_problem(
                HTTPStatus.FORBIDDEN,
                "a page of another site asks for a change here",
                next_step="ask from this server's own pages, or with a program",
            )
            return answer(problem)
        if self._tokens:
            if scope["path"] in OPEN_PATHS or holds_token(headers.getlist("authorization"), self._tokens):
                return self._app
            problem = plain_problem(
                HTTPStatus.UNAUTHORIZED, "this needs a token", next_step="send Authorization: Bearer <token>"
            )
            return answer(problem, {"WWW-Authenticate": CHALLENGE})
        if names_loopback(headers.getlist("host")):
            return self._app
        problem = plain_problem(
            HTTPStatus.MISDIRECTED_REQUEST,
            "this server answers to loopback names only",
            next_step="use http://127.0.0.1, or set CITEVAULT_API_TOKENS and send a token",
        )
        return answer(problem)


def holds_token(authorization: list[str], tokens: Iterable[bytes]) -> bool:
    """Whether the one Authorization header carries one of the tokens. All are compared, each in constant time."""
    if len(authorization) != 1:
        return False
    scheme, _, credentials = authorization[0].partition(" ")
    given = credentials.strip().encode()
    if scheme.lower() == "basic":
        try:
            given = base64.b64decode(given, validate=True).partition(b":")[2]
        except binascii.Error:
            return False
    elif scheme.lower() != "bearer":
        return False
    return sum(hmac.compare_digest(given, token) for token in tokens) > 0


def is_cross_site(headers: Headers) -> bool:
    """Whether a browser says that another site than ours wants this (Fetch Metadata; RFC 6454). A program says
    nothing."""
    if headers.get("sec-fetch-site", "none") not in ("same-origin", "none"):
        return True
    origin = headers.get("origin")
    return origin is not None and origin.partition("://")[2] != headers.get("host")


def names_loopback(host: list[str]) -> bool:
    """Whether the one Host header (RFC 9110, 7.2) names this machine's loopback."""
    if len(host) != 1:
        return False
    name = host[0].rpartition(":")[0] if host[0].rpartition(":")[2].isdecimal() else host[0]
    return is_loopback(name.removeprefix("[").removesuffix("]"))


def is_loopback(host: str) -> bool:
    """`localhost`, or an address of the loopback network. Other names may come to mean another machine."""
    if host.lower() == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def require_tokens(host: str, tokens: Iterable[str]) -> None:
    """PermanentError where others could reach the process without a token."""
    if not is_loopback(host) and not any(tokens):
        raise PermanentError(
            "the web process must not be reachable by others without a token",
            where=f"CITEVAULT_WEB_HOST={host}",
            next_step="set CITEVAULT_API_TOKENS to a long random string, or listen on 127.0.0.1",
        )
