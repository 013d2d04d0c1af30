"""Uploads in parts where the store answers less than it should, or otherwise."""

import asyncio
import base64
import hashlib
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from workers.errors import CorruptError, RetryableError, UploadLostError
from workers.ports import FilePart, Upload, UploadedPart

pytestmark = [pytest.mark.real, pytest.mark.allow_hosts(["127.0.0.1"])]
DATA = b"records of a segment"
SHA256 = hashlib.sha256(DATA).hexdigest()
CHECKSUM = base64.b64encode(bytes.fromhex(SHA256)).decode()
COMPOSITE = base64.b64encode(hashlib.sha256(bytes.fromhex(SHA256)).digest()).decode() + "-1"
UPLOAD = Upload("warc/a", "u1", datetime(2026, 11, 29, tzinfo=UTC))
TOLD = UploadedPart(1, len(DATA), '"e"', SHA256)
UNTOLD = UploadedPart(1, len(DATA), '"e"', None)


@dataclass
class Reply:
    """What the scripted server reads of an answer."""

    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes = b""
    length: int | None = None
    delay: float = 0.0


def error(status: int, code: str) -> Reply:
    body = f"<Error><Code>{code}</Code><Message>said the store</Message></Error>".encode()
    return Reply(status, {"Content-Type": "application/xml"}, body)


def completing(
    *answers: Reply, composite: str = COMPOSITE, size: int = len(DATA), stored: bytes | None = DATA
) -> Callable[[Any], Reply]:
    """A store that completes, after these answers to the first tries, and then holds this."""
    first = list(answers)

    def answer(request: Any) -> Reply:
        if request.method == "POST":
            checksum = f"<ChecksumSHA256>{composite}</ChecksumSHA256>" if composite else ""
            done = f"<CompleteMultipartUploadResult><ETag>e</ETag>{checksum}</CompleteMultipartUploadResult>"
            return first.pop(0) if first else Reply(body=done.encode())
        if stored is None:
            return Reply(404) if request.method == "HEAD" else error(404, "NoSuchKey")
        return Reply(200, {"ETag": '"e"'}, length=size) if request.method == "HEAD" else Reply(body=stored)

    return answer


def complete(store: Any, part: UploadedPart) -> None:
    asyncio.run(store.uploads.complete(UPLOAD, [part], [SHA256], sha256=SHA256))


def test_what_the_store_confirms_in_full_is_not_read_back(store_answering: Any, asked: Any) -> None:
    complete(store_answering(completing()), TOLD)
    assert [request.method for request in asked] == ["POST", "HEAD"]
    assert f"<ChecksumSHA256>{CHECKSUM}</ChecksumSHA256>".encode() in asked[0].body


@pytest.mark.parametrize(
    ("part", "said"),
    [(UNTOLD, {}), (TOLD, {"composite": ""}), (TOLD, {"composite": "AAAA-1"}), (TOLD, {"size": 3})],
    ids=["a part without checksum", "no composite", "another composite", "another size"],
)
def test_what_it_does_not_confirm_is_read_back(
    part: UploadedPart, said: dict[str, Any], store_answering: Any, asked: Any
) -> None:
    complete(store_answering(completing(**said)), part)
    assert [request.method for request in asked] == ["POST", "HEAD", "GET"]


def test_other_bytes_in_confirmed_parts_are_corruption(store_answering: Any) -> None:
    with pytest.raises(CorruptError, match="stop writing"):
        complete(store_answering(completing(composite="", stored=b"others")), TOLD)


def test_other_bytes_in_parts_that_were_only_listed_are_an_upload_of_something_else(store_answering: Any) -> None:
    """The next try stores the file whole, over it."""
    with pytest.raises(UploadLostError, match="other parts"):
        complete(store_answering(completing(composite="", stored=b"others")), UNTOLD)


@pytest.mark.parametrize("code", ["InvalidPart", "InvalidPartOrder", "BadDigest"])
def test_parts_that_the_store_does_not_have_are_a_lost_upload(code: str, store_answering: Any) -> None:
    with pytest.raises(UploadLostError, match=code):
        complete(store_answering(completing(error(400, code), stored=None)), TOLD)


def test_completing_that_its_own_retry_meets_is_a_success(store_answering: Any) -> None:
    """The first try completes and its answer is lost; the second finds no upload, and the object as it should be."""
    lost = (error(500, "InternalError"), error(404, "NoSuchUpload"))
    complete(store_answering(completing(*lost), attempts=2), TOLD)
    with pytest.raises(UploadLostError, match="gone"):
        complete(store_answering(completing(*lost, stored=None), attempts=2), TOLD)
    with pytest.raises(UploadLostError, match="gone"):
        complete(store_answering(completing(*lost, stored=b"older"), attempts=2), TOLD)


def test_a_busy_store_is_no_lost_upload(store_answering: Any) -> None:
    with pytest.raises(RetryableError, match="503") as busy:
        complete(store_answering(completing(error(503, "SlowDown"))), TOLD)
    assert not isinstance(busy.value, UploadLostError)


def test_a_part_that_the_store_does_not_repeat_counts_as_untold(store_answering: Any, tmp_path: Path) -> None:
    file = tmp_path / "segment"
    file.write_bytes(b"before" + DATA + b"after")
    for headers, sha256 in (({}, None), ({"x-amz-checksum-sha256": CHECKSUM}, SHA256)):
        store = store_answering(lambda request, headers=headers: Reply(200, {"ETag": '"e"', **headers}))
        part = asyncio.run(store.uploads.send(UPLOAD, 1, FilePart(file, 6, len(DATA), SHA256)))
        assert part.sha256 == sha256


def test_long_lists_are_read_to_their_end(store_answering: Any, asked: Any) -> None:
    def answer(request: Any) -> Reply:
        query = parse_qs(urlsplit(request.path).query, keep_blank_values=True)
        if "uploadId" in query:
            first = "part-number-marker" not in query
            part = f"<Part><PartNumber>{1 if first else 2}</PartNumber><ETag>e</ETag><Size>9</Size>"
            part += f"<ChecksumSHA256>{CHECKSUM}</ChecksumSHA256></Part>" if first else "</Part>"
            more = "<IsTruncated>true</IsTruncated><NextPartNumberMarker>1</NextPartNumberMarker>" if first else ""
            return Reply(body=f"<ListPartsResult>{part}{more}</ListPartsResult>".encode())
        first = "key-marker" not in query
        key = f"archive/warc/{'a' if first else 'b'}"
        upload = f"<Upload><Key>{key}</Key><UploadId>u</UploadId><Initiated>2026-11-29T10:00:00Z</Initiated></Upload>"
        more = "<IsTruncated>true</IsTruncated><NextKeyMarker>archive/warc/a</NextKeyMarker>" if first else ""
        return Reply(body=f"<ListMultipartUploadsResult>{upload}{more}</ListMultipartUploadsResult>".encode())

    store = store_answering(answer)

    async def scenario() -> None:
        found = [upload async for upload in store.uploads.begun("warc/")]
        assert [upload.key for upload in found] == ["warc/a", "warc/b"]
        assert found[0].begun_at == datetime(2026, 11, 29, 10, tzinfo=UTC)
        listed = await store.uploads.parts(UPLOAD)
        assert [(part.number, part.sha256) for part in listed] == [(1, SHA256), (2, None)]

    asyncio.run(scenario())
    assert len(asked) == 4


def test_a_list_that_never_moves_on_ends(store_answering: Any) -> None:
    upload = (
        "<Upload><Key>archive/warc/a</Key><UploadId>u</UploadId><Initiated>2026-11-29T10:00:00Z</Initiated></Upload>"
    )
    body = f"<ListMultipartUploadsResult>{upload}<IsTruncated>true</IsTruncated></ListMultipartUploadsResult>".encode()
    store = store_answering(lambda request: Reply(body=body))

    async def scenario() -> int:
        return len([found async for found in store.uploads.begun("warc/")])

    assert asyncio.run(scenario()) <= 2
