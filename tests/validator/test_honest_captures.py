"""What servers really send, and what the law takes away: no such capture is refused (`--deep`)."""

import gzip
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from schemas.findings import FindingKind as K

SHORT_PROFILE = b"http://netpreserve.org/warc/1.1/server-not-modified"
LONG_PROFILE = b"http://netpreserve.org/warc/1.1/revisit/server-not-modified"
METADATA = b"http-status: 200\r\n"


@pytest.fixture
def check(
    make_bundle: Callable[..., Path], validate: Callable[..., Any], key_files: dict[str, str]
) -> Callable[..., tuple[list[str], int]]:
    """Build a bundle with edits and check it deeply: codes and exit."""

    def run(**edits: Callable[[Any], object]) -> tuple[list[str], int]:
        outcome = validate("bundle", str(make_bundle(edits)), "--deep", "--trust", key_files["both"])
        return outcome.codes, outcome.exit_code

    return run


@pytest.mark.parametrize("name", ["a", "e"])
@pytest.mark.parametrize("tail", [b"\0", b"\n<!-- served in 3 ms -->", b"\0" * 70_000])
def test_bytes_after_the_end_of_a_coded_page_do_no_harm(check: Any, name: str, tail: bytes) -> None:
    assert check(pages=lambda world: setattr(world.page(name), "tail", tail)) == ([], 0)


@pytest.mark.parametrize(
    ("charset", "sentence"),
    [
        ("gb18030", "阀门在四十毫秒内关闭。"),
        ("shift_jis", "弁は四十ミリ秒で閉まる。"),
        ("euc-kr", "밸브는 사십 밀리초 안에 닫힌다."),
        ("big5", "閥門在四十毫秒內關閉。"),
        ("windows-1255", "השסתום נסגר."),
        ("iso-8859-7", "Η βαλβίδα κλείνει."),
        ("utf-16le", "Клапан закрывается — 弁."),
    ],
)
def test_a_quote_of_a_page_in_another_charset_is_found(check: Any, charset: str, sentence: str) -> None:
    def edit(world: Any) -> None:
        page = world.page("b")
        page.charset, page.sentences = charset, ["One.", sentence, "Three."]

    assert check(pages=edit) == ([], 0)


def rewrite(record: Any, old: bytes, new: bytes) -> None:
    plain = gzip.decompress(record.data)
    assert old in plain
    record.data = gzip.compress(plain.replace(old, new), mtime=0)


def test_the_profile_of_the_standards_annex_is_read(check: Any) -> None:
    def edit(world: Any) -> None:
        rewrite(next(r for r in world.records["d"] if r.type == "revisit"), LONG_PROFILE, SHORT_PROFILE)

    assert check(records=edit) == ([], 0)


def test_another_profile_is_not_read(check: Any) -> None:
    def edit(world: Any) -> None:
        rewrite(next(r for r in world.records["d"] if r.type == "revisit"), LONG_PROFILE, SHORT_PROFILE + b"-at-all")

    assert check(records=edit) == ([K.WARC_RECORD_DIFFERS.code], 1)


def add_metadata(block: bytes = METADATA) -> Callable[[Any], None]:
    """Give page b a metadata record."""

    def edit(world: Any) -> None:
        import hashlib

        request = world.records["b"][0]
        record_id = world.page("b").uuid("metadata")
        digest = hashlib.sha256(block).hexdigest()
        data = warc_member(record_id, block, f"WARC-Block-Digest: sha256:{digest}\r\n")
        world.records["b"].append(type(request)(record_id, "metadata", "metadata", digest, data))

    return edit


def warc_member(record_id: str, block: bytes, fields: str) -> bytes:
    head = f"WARC/1.1\r\nWARC-Type: metadata\r\nWARC-Record-ID: <{record_id}>\r\n{fields}"
    head += f"WARC-Date: 2026-09-01T00:00:00Z\r\nContent-Length: {len(block)}\r\n\r\n"
    return gzip.compress(head.encode() + block + b"\r\n\r\n", mtime=0)


def name_metadata(world: Any) -> None:
    world.snapshots["b"]["records"]["metadata"] = world.page("b").uuid("metadata")


def entomb(world: Any, *, own_id: bool) -> None:
    """Put a tombstone in the place of the metadata record."""
    add_metadata()(world)
    record = world.records["b"][-1]
    other = record.id if own_id else f"{record.id[:-1]}{'1' if record.id[-1] == '0' else '0'}"
    record.data = warc_member(other, b"Tombstone: by order\r\n", f"WARC-Refers-To: <{record.id}>\r\n")


def test_a_metadata_record_is_read(check: Any) -> None:
    assert check(records=add_metadata(), snapshots=name_metadata) == ([], 0)


def test_a_metadata_record_that_begins_like_a_tombstone_is_the_record_that_the_leaf_binds(check: Any) -> None:
    assert check(records=add_metadata(b"tombstone: of a king\r\n"), snapshots=name_metadata) == ([], 0)


@pytest.mark.parametrize("own_id", [True, False])
def test_a_tombstone_in_the_place_of_a_metadata_record_is_told_as_one(check: Any, own_id: bool) -> None:
    found = check(records=lambda world: entomb(world, own_id=own_id), snapshots=name_metadata)
    assert found == ([K.WARC_TAKEN_DOWN.code], 3)


@pytest.mark.parametrize("own_id", [True, False])
def test_also_of_a_metadata_record_that_no_leaf_binds(check: Any, own_id: bool) -> None:
    def unbind(world: Any) -> None:
        bound = world.leaves["b"]["records"]
        bound.remove(next(record for record in bound if record["role"] == "metadata"))

    found = check(records=lambda world: entomb(world, own_id=own_id), leaves=unbind)
    assert found == ([K.WARC_TAKEN_DOWN.code], 3)


def test_a_changed_metadata_record_is_no_tombstone(check: Any) -> None:
    def edit(world: Any) -> None:
        add_metadata()(world)
        rewrite(world.records["b"][-1], b"http-status: 200", b"http-status: 404")

    assert check(records=edit, snapshots=name_metadata) == ([K.WARC_BLOCK_DIGEST.code], 1)


def test_where_the_end_of_the_head_went_with_the_metadata_record_nothing_is_called_broken(check: Any) -> None:
    """`http-head-bytes` alone told where the head ends: without it the payload cannot be found, which is no change."""

    def split_elsewhere(world: Any) -> None:
        snapshot, page = world.snapshots["b"], world.page("b")
        import hashlib

        name_metadata(world)
        digest = hashlib.sha256(page.body[1:]).hexdigest()
        snapshot |= {"content_sha256": digest, "raw_sha256": digest, "repr_sha256": digest, "decoded_sha256": digest}
        snapshot["content_bytes"] -= 1

    def edit(world: Any) -> None:
        entomb(world, own_id=True)
        response = next(r for r in world.records["b"] if r.role == "response")
        plain = gzip.decompress(response.data)
        lines = [line for line in plain.split(b"\r\n") if not line.startswith(b"WARC-Payload-Digest")]
        response.data = gzip.compress(b"\r\n".join(lines), mtime=0)

    codes, exit_code = check(records=edit, snapshots=split_elsewhere)
    assert (codes, exit_code) == ([K.PAYLOAD_UNDECODABLE.code, K.WARC_TAKEN_DOWN.code], 3)
