"""What the S3 adapter does when the store answers wrongly, late, half or not at all."""

import asyncio
import base64
import hashlib
from collections.abc import Callable
from dataclasses import dataclass, field
from email.utils import formatdate
from pathlib import Path
from typing import Any

import pytest

from workers.adapters.s3.client import S3Location
from workers.adapters.s3.store import S3ObjectStore
from workers.adapters.stores import probe_conditional_put, refuse_if_unsafe
from workers.errors import CorruptError, PermanentError, RetryableError, UnsafeStoreError

pytestmark = [pytest.mark.real, pytest.mark.allow_hosts(["127.0.0.1"])]


@dataclass
class Reply:
    """What the scripted server reads of an answer."""

    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes = b""
    length: int | None = None
    delay: float = 0.0


def sha256_of(body: bytes) -> str:
    return base64.b64encode(hashlib.sha256(body).digest()).decode()


def error(status: int, code: str, **headers: str) -> Reply:
    body = f"<Error><Code>{code}</Code><Message>said the store</Message></Error>".encode()
    return Reply(status, {"Content-Type": "application/xml", **headers}, body)


def stored(body: bytes) -> Reply:
    """A PUT that is confirmed."""
    return Reply(200, {"ETag": '"e"', "x-amz-checksum-sha256": sha256_of(body)})


def in_turn(*replies: Reply) -> Callable[[Any], Reply]:
    """One reply a request; the last goes on for ever."""
    left = list(replies)
    return lambda _request: left.pop(0) if len(left) > 1 else left[0]


def test_a_put_sends_the_digest_and_an_object_below_the_prefix(store_answering: Any, asked: Any) -> None:
    store = store_answering(in_turn(stored(b"hello")))
    asyncio.run(store.put("a/b", b"hello", content_type="text/plain"))
    assert (asked[0].method, asked[0].path, asked[0].body) == ("PUT", "/citevault/archive/a/b", b"hello")
    assert asked[0].headers["x-amz-checksum-sha256"] == sha256_of(b"hello")
    assert asked[0].headers["content-type"] == "text/plain"
    assert "x-amz-trailer" not in asked[0].headers


def test_a_put_without_a_confirmed_digest_is_read_back(store_answering: Any, asked: Any) -> None:
    store = store_answering(in_turn(Reply(200, {"ETag": '"e"'}), Reply(200, {}, b"hello")))
    asyncio.run(store.put("a/b", b"hello"))
    assert [request.method for request in asked] == ["PUT", "GET"]


def test_other_bytes_on_read_back_are_corruption(store_answering: Any) -> None:
    store = store_answering(in_turn(Reply(200, {"ETag": '"e"'}), Reply(200, {}, b"hellO")))
    with pytest.raises(CorruptError, match="stop writing"):
        asyncio.run(store.put("a/b", b"hello"))


def test_a_busy_store_is_tried_again_and_then_told(store_answering: Any, asked: Any) -> None:
    store = store_answering(in_turn(error(503, "SlowDown"), stored(b"x")), attempts=2)
    asyncio.run(store.put("a/b", b"x"))
    assert len(asked) == 2
    busy = store_answering(in_turn(error(503, "SlowDown")))
    with pytest.raises(RetryableError, match="503 SlowDown"):
        asyncio.run(busy.put("a/b", b"x"))


def test_a_create_that_its_own_retry_meets_is_a_success(store_answering: Any) -> None:
    """The first try stores the bytes and its answer is lost; the second gets 412 and reads equal bytes back."""
    store = store_answering(
        in_turn(error(500, "InternalError"), error(412, "PreconditionFailed"), Reply(200, {}, b"mine")), attempts=2
    )
    assert asyncio.run(store.create("a/b", b"mine"))


def test_a_replace_that_its_own_retry_meets_is_a_success(store_answering: Any) -> None:
    store = store_answering(
        in_turn(error(500, "InternalError"), error(412, "PreconditionFailed"), Reply(200, {}, b"mine")), attempts=2
    )
    assert asyncio.run(store.replace("a/b", b"mine", etag='"1"'))


def test_a_replace_that_meets_somebody_elses_equal_bytes_has_lost(store_answering: Any) -> None:
    store = store_answering(in_turn(error(412, "PreconditionFailed"), Reply(200, {}, b"mine")))
    assert not asyncio.run(store.replace("a/b", b"mine", etag='"1"'))


def test_a_conflict_is_tried_again(store_answering: Any, asked: Any) -> None:
    store = store_answering(in_turn(error(409, "ConditionalRequestConflict"), stored(b"x")))
    assert asyncio.run(store.create("a/b", b"x"))
    for_ever = store_answering(in_turn(error(409, "ConditionalRequestConflict")))
    with pytest.raises(RetryableError, match="another write"):
        asyncio.run(for_ever.create("a/b", b"x"))


def test_a_wrong_clock_is_told_with_its_difference(store_answering: Any) -> None:
    store = store_answering(in_turn(error(403, "RequestTimeTooSkewed", Date="Sun, 06 Nov 1994 08:49:37 GMT")))
    with pytest.raises(RetryableError, match=r"clock is \d+ s ahead of S3's.*NTP"):
        asyncio.run(store.put("a/b", b"x"))


def test_a_wrong_clock_is_told_also_where_the_answer_can_have_no_body(store_answering: Any) -> None:
    store = store_answering(in_turn(Reply(403, {"Date": "Sun, 06 Nov 1994 08:49:37 GMT"})))
    with pytest.raises(RetryableError, match=r"clock is \d+ s ahead of S3's.*NTP"):
        asyncio.run(store.info("a/b"))
    refused = store_answering(in_turn(Reply(403, {"Date": formatdate(usegmt=True)})))
    with pytest.raises(PermanentError, match="refuses these credentials"):
        asyncio.run(refused.info("a/b"))


@pytest.mark.parametrize(
    ("status", "code", "words"),
    [
        (403, "AccessDenied", "AWS_ACCESS_KEY_ID"),
        (403, "SignatureDoesNotMatch", "AWS_SECRET_ACCESS_KEY"),
        (404, "NoSuchBucket", "CITEVAULT_S3_BUCKET"),
        (400, "EntityTooLarge", "400 EntityTooLarge: "),
    ],
)
def test_what_will_fail_again_is_permanent_and_says_what_to_do(
    store_answering: Any, status: int, code: str, words: str
) -> None:
    store = store_answering(in_turn(error(status, code)))
    with pytest.raises(PermanentError, match=words) as refused:
        asyncio.run(store.put("a/b", b"x"))
    assert refused.value.where == "s3://citevault/archive/a/b"


def test_a_missing_bucket_is_not_a_missing_object(store_answering: Any) -> None:
    store = store_answering(in_turn(error(404, "NoSuchBucket")))
    with pytest.raises(PermanentError, match="bucket does not exist"):
        asyncio.run(store.get("a/b"))


def test_a_body_that_breaks_off_is_read_again(store_answering: Any, asked: Any) -> None:
    store = store_answering(in_turn(Reply(200, {}, b"hel", length=5), Reply(200, {}, b"hello")))
    assert asyncio.run(store.get("a/b")) == b"hello"
    broken = store_answering(in_turn(Reply(200, {}, b"hel", length=5)))
    with pytest.raises(RetryableError, match="broke off"):
        asyncio.run(broken.get("a/b"))
    assert len(asked) == 2 + 3


def test_a_store_that_ignores_ranges_is_refused(store_answering: Any) -> None:
    store = store_answering(in_turn(Reply(200, {}, b"the whole object")))
    with pytest.raises(PermanentError, match="ranges"):
        asyncio.run(store.get_range("a/b", 4, 5))


def test_a_store_that_does_not_answer_in_time_is_retryable(store_answering: Any) -> None:
    store = store_answering(in_turn(Reply(delay=20)), seconds=0.3)
    with pytest.raises(RetryableError, match="in time"):
        asyncio.run(store.info("a/b"))


def test_a_missing_s3_says_what_to_start() -> None:
    store = S3ObjectStore(S3Location("http://127.0.0.1:1", "citevault", access_key="k", secret_key="s", attempts=1))
    try:
        with pytest.raises(RetryableError, match="citevault up"):
            asyncio.run(store.get("a/b"))
    finally:
        store.close()


def test_a_store_that_lets_the_second_create_win_is_refused(store_answering: Any) -> None:
    kept = b""

    def careless(request: Any) -> Reply:
        nonlocal kept
        if request.method == "PUT":
            kept = request.body
            return stored(kept)
        return Reply(200, {"ETag": '"e"'}, kept)

    with pytest.raises(UnsafeStoreError, match="If-None-Match"):
        asyncio.run(probe_conditional_put(store_answering(careless)))


def test_a_store_that_ignores_if_match_is_refused(store_answering: Any) -> None:
    kept = b""

    def half_careful(request: Any) -> Reply:
        nonlocal kept
        if request.method != "PUT":
            return Reply(200, {"ETag": '"e"'}, kept)
        if kept and "if-none-match" in request.headers:
            return error(412, "PreconditionFailed")
        kept = request.body
        return stored(kept)

    with pytest.raises(UnsafeStoreError, match="If-Match"):
        asyncio.run(probe_conditional_put(store_answering(half_careful)))


def test_a_start_ends_at_an_unsafe_store_and_waits_for_one_that_is_away(
    store_answering: Any, caplog: pytest.LogCaptureFixture
) -> None:
    kept = b""

    def careless(request: Any) -> Reply:
        nonlocal kept
        kept = request.body or kept
        return stored(kept) if request.method == "PUT" else Reply(200, {"ETag": '"e"'}, kept)

    with pytest.raises(UnsafeStoreError):
        asyncio.run(refuse_if_unsafe(store_answering(careless)))
    asyncio.run(refuse_if_unsafe(store_answering(lambda request: error(403, "SignatureDoesNotMatch"))))
    assert "the store could not be tried" in caplog.text


def multipart_server(*, echo: bool, fail_part: int = 0) -> Callable[[Any], Reply]:
    parts: dict[int, bytes] = {}

    def answer(request: Any) -> Reply:
        if request.method == "POST" and "uploads" in request.path:
            return Reply(body=b"<InitiateMultipartUploadResult><UploadId>u1</UploadId></InitiateMultipartUploadResult>")
        if request.method == "PUT":
            number = int(request.path.partition("partNumber=")[2].partition("&")[0])
            if number == fail_part:
                return error(400, "EntityTooSmall")
            parts[number] = request.body
            confirmed = {"x-amz-checksum-sha256": sha256_of(request.body)} if echo else {}
            return Reply(200, {"ETag": f'"{number}"', **confirmed})
        whole = b"".join(parts[number] for number in sorted(parts))
        if request.method == "POST":
            return Reply(body=b"<CompleteMultipartUploadResult><ETag>e</ETag></CompleteMultipartUploadResult>")
        if request.method == "HEAD":
            return Reply(200, {"ETag": '"e"'}, length=len(whole))
        return Reply(200, {}, whole) if request.method == "GET" else Reply(204)

    return answer


def test_parts_without_a_composite_checksum_are_read_back(store_answering: Any, asked: Any, tmp_path: Path) -> None:
    source = tmp_path / "large"
    source.write_bytes(bytes(20 * 1024 * 1024))
    store = store_answering(multipart_server(echo=True), multipart_bytes=1024)
    asyncio.run(store.put("a/b", source))
    assert [request.method for request in asked] == ["POST", "PUT", "PUT", "POST", "HEAD", "GET"]
    assert len(asked[1].body) == 16 * 1024 * 1024


def test_an_upload_that_fails_is_aborted(store_answering: Any, asked: Any, tmp_path: Path) -> None:
    source = tmp_path / "large"
    source.write_bytes(bytes(20 * 1024 * 1024))
    store = store_answering(multipart_server(echo=True, fail_part=2), multipart_bytes=1024)
    with pytest.raises(PermanentError, match="EntityTooSmall"):
        asyncio.run(store.put("a/b", source))
    assert [request.method for request in asked] == ["POST", "PUT", "PUT", "DELETE"]
