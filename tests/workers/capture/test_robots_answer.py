"""What the answer to robots.txt means for a site (RFC 9309, 2.3.1)."""

from __future__ import annotations

import gzip
import zlib

import pytest

from schemas.records.outcome import Outcome
from workers.capture.robots_answer import AllowAll, Rules, Unreachable, robots_decision, robots_refusal
from workers.exchange import Exchange

FORBIDS = b"User-agent: *\nDisallow: /x"
URL = "https://example.com/x"


def failed(outcome):
    return Exchange(
        url="https://example.com/robots.txt", started_at="2026-11-29T12:00:00Z", outcome=outcome, failure="no"
    )


@pytest.mark.parametrize("status", [200, 201, 204, 206, 299])
def test_a_file_that_is_there_decides(status, answered):
    decision = robots_decision(answered(status, body=FORBIDS), "citevault")
    assert isinstance(decision, Rules)
    assert robots_refusal(decision, URL) is Outcome.ROBOTS_DENIED
    assert robots_refusal(decision, "https://example.com/y") is None


@pytest.mark.parametrize("status", [400, 401, 403, 404, 410, 451, 499])
def test_a_file_that_is_not_there_allows_everything(status, answered):
    decision = robots_decision(answered(status, body=FORBIDS), "citevault")
    assert isinstance(decision, AllowAll)
    assert robots_refusal(decision, URL) is None


@pytest.mark.parametrize("status", [429, 500, 502, 503, 504, 599, 600, 999, 0, 100, 304, None])
def test_a_file_that_cannot_be_had_now_forbids_everything_for_now(status, answered):
    decision = robots_decision(answered(status, body=FORBIDS), "citevault")
    assert isinstance(decision, Unreachable)
    assert robots_refusal(decision, "https://example.com/y") is Outcome.ROBOTS_UNREACHABLE


@pytest.mark.parametrize(
    "outcome",
    [
        Outcome.DNS_FAILED,
        Outcome.CONNECT_FAILED,
        Outcome.TLS_FAILED,
        Outcome.TIMEOUT,
        Outcome.EMPTY_REPLY,
        Outcome.GUARD_DENIED,
    ],
)
def test_no_answer_forbids_everything_for_now(outcome):
    assert isinstance(robots_decision(failed(outcome), "citevault"), Unreachable)
    assert isinstance(robots_decision(None, "citevault"), Unreachable)


def test_more_redirects_than_are_followed_count_as_no_file(answered):
    assert isinstance(robots_decision(answered(301, [(b"Location", b"/r")]), "citevault"), AllowAll)


def test_a_file_cut_off_may_lack_the_rule_that_forbids(answered):
    assert isinstance(robots_decision(answered(200, body=FORBIDS, truncated="disconnect"), "citevault"), Unreachable)
    long = FORBIDS + b"\n" + b"#" * 600_000
    assert isinstance(robots_decision(answered(200, body=long, truncated="length"), "citevault"), Rules)


@pytest.mark.parametrize(
    ("coding", "body"),
    [
        (b"gzip", gzip.compress(FORBIDS, mtime=0)),
        (b"X-GZIP", gzip.compress(FORBIDS, mtime=0)),
        (b"deflate", zlib.compress(FORBIDS)),
        (b"deflate", zlib.compress(FORBIDS)[2:-4]),
        (b"gzip", FORBIDS),
        (b"identity", FORBIDS),
        (b"", FORBIDS),
    ],
)
def test_a_compressed_file_is_read_and_a_false_label_is_forgiven(coding, body, answered):
    decision = robots_decision(answered(200, [(b"Content-Encoding", coding)], body), "citevault")
    assert robots_refusal(decision, URL) is Outcome.ROBOTS_DENIED


@pytest.mark.parametrize(
    ("coding", "body"),
    [(b"br", b"x"), (b"gzip, gzip", b"x"), (b"gzip", gzip.compress(FORBIDS * 50, mtime=0)[:-20])],
)
def test_a_file_that_cannot_be_decoded_forbids_everything_for_now(coding, body, answered):
    assert isinstance(robots_decision(answered(200, [(b"Content-Encoding", coding)], body), "citevault"), Unreachable)


def test_a_decompression_bomb_costs_no_more_than_the_limit(answered):
    bomb = gzip.compress(b"#" * 50_000_000)
    assert isinstance(robots_decision(answered(200, [(b"Content-Encoding", b"gzip")], bomb), "citevault"), Rules)
