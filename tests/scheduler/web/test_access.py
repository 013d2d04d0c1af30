"""Who is let in, and what browsers are told."""

from __future__ import annotations

import base64

import pytest
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse
from starlette.routing import Route
from starlette.testclient import TestClient

from scheduler.web.access import Access, holds_token, is_loopback, names_loopback, require_tokens
from workers.errors import PermanentError


async def _inside(request):
    return PlainTextResponse("inside")


def client(*tokens, host="127.0.0.1:8080"):
    paths = ("/", "/healthz", "/metrics", "/api/v1/jobs", "/static/live.js")
    app = Starlette(routes=[Route(path, _inside) for path in paths])
    app.add_middleware(Access, tokens=tokens)
    return TestClient(app, base_url=f"http://{host}")


@pytest.mark.parametrize(
    ("host", "expected"),
    [
        (["127.0.0.1:8080"], True),
        (["127.0.0.1"], True),
        (["127.1.2.3:1"], True),
        (["localhost:8080"], True),
        (["LOCALHOST"], True),
        (["[::1]:8080"], True),
        (["[::1]"], True),
        (["::1"], False),
        (["rebound.example:8080"], False),
        (["127.0.0.1.rebound.example"], False),
        (["localhost.rebound.example:8080"], False),
        (["localhost@rebound.example"], False),
        (["0.0.0.0:8080"], False),
        (["192.0.2.1:8080"], False),
        ([""], False),
        ([], False),
        (["127.0.0.1", "rebound.example"], False),
    ],
)
def test_without_tokens_only_loopback_names_are_answered(host, expected):
    assert names_loopback(host) is expected


def basic(credentials):
    return "Basic " + base64.b64encode(credentials.encode()).decode()


@pytest.mark.parametrize(
    ("authorization", "expected"),
    [
        (["Bearer secret"], True),
        (["bearer secret"], True),
        (["Bearer other"], True),
        ([basic("anyone:secret")], True),
        ([basic(":secret")], True),
        (["Bearer secre"], False),
        (["Bearer secret1"], False),
        (["Bearer "], False),
        (["secret"], False),
        ([basic("secret")], False),
        ([basic("secret:")], False),
        (["Basic !!!"], False),
        (["Digest secret"], False),
        (["Bearer secret", "Bearer secret"], False),
        ([], False),
    ],
)
def test_a_token_comes_as_bearer_or_as_the_password_of_basic(authorization, expected):
    assert holds_token(authorization, (b"secret", b"other")) is expected


def test_a_rebound_name_is_turned_away_with_a_problem():
    answer = client(host="rebound.example").get("/")
    assert answer.status_code == 421
    assert answer.headers["content-type"] == "application/problem+json"
    assert "inside" not in answer.text


@pytest.mark.parametrize("path", ["/", "/metrics", "/api/v1/jobs", "/static/live.js"])
def test_with_tokens_nothing_but_health_is_open(path):
    guarded = client("secret", host="archive.example")
    refused = guarded.get(path)
    assert refused.status_code == 401
    assert refused.headers["www-authenticate"].startswith("Bearer")
    assert guarded.get(path, headers={"Authorization": "Bearer secret"}).text == "inside"
    assert guarded.get("/healthz").text == "inside"


def test_every_answer_forbids_what_pages_of_ours_do_not_need():
    for answer in (client().get("/"), client(host="rebound.example").get("/"), client("secret").get("/")):
        policy = answer.headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["referrer-policy"] == "no-referrer"


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.1", "archive.example"])
def test_listening_beyond_loopback_without_a_token_is_refused(host):
    with pytest.raises(PermanentError, match="without a token"):
        require_tokens(host, ())
    require_tokens(host, ("secret",))


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "::1"])
def test_loopback_needs_no_token(host):
    assert is_loopback(host)
    require_tokens(host, ())
