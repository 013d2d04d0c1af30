"""Stored records give back the wire bytes (`README.md, Tests`, properties)."""

import gc
import warnings
from collections.abc import Callable, Iterator, Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workers.archive.exchange_records import ExchangeRecords
from workers.archive.gzip_member import compress, compress_pieces
from workers.archive.message import chunked_wire
from workers.archive.parsing import WarcRecord
from workers.archive.reading import read_member
from workers.archive.record import Record
from workers.archive.stored_http import split_http
from workers.archive.wire_notes import BadNotes, WireNotes, read_notes, rebuild_wire
from workers.capture.message import split_wire, wire_bytes
from workers.exchange import Chunk, Exchange, Spool

pytestmark = pytest.mark.filterwarnings("ignore:Unclosed file:ResourceWarning")

LINES = st.builds(
    lambda zeros, size, blank, extension: (zeros + f"{size:X}" + blank + extension).encode("latin-1"),
    st.sampled_from(["", "0", "000"]),
    st.integers(0, 40),
    st.sampled_from(["", " "]),
    st.sampled_from(["", ";ext", ';name="v%\xff"', "; a=b"]),
)
HEADS = st.sampled_from(
    [
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nX-Archive-Orig-Transfer-Encoding: chunked\r\ntransfer-encoding : Chunked\r\nA: b\r\n\r\n",
        b"HTTP/1.1 404 Art\xedculo\nTransfer-Encoding: chunked\n\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nSet-Cookie: \xb3=1\r\n\r\n",
        b'HTTP/1.1 304 Not Modified\r\nETag: "x"\r\n\r\n',
        b"\r\nHTTP/1.1 200 OK\r\n\r\n",
        b"ICY 200 OK\r\n\r\n",
        b"HTTP/1.1 200 OK\r\n",
        b"",
    ]
)
BODIES = st.one_of(
    st.binary(max_size=60),
    st.lists(st.tuples(LINES, st.binary(max_size=40)), max_size=5).map(
        lambda parts: (
            b"".join(
                line
                + b"\r\n"
                + data[: int(line.split(b";")[0], 16)].ljust(int(line.split(b";")[0], 16), b".")
                + b"\r\n"
                for line, data in parts
            )
            + b"0\r\nTrailer: \x00\xff\r\n\r\n"
        )
    ),
)
WIRES = st.builds(
    lambda interim, head, body, surplus: b"".join(interim) + head + body + surplus,
    st.lists(st.sampled_from([b"HTTP/1.1 103 Early Hints\r\nLink: <a>\r\n\r\n", b"HTTP/1.1 100 \r\n\r\n"]), max_size=2),
    HEADS,
    BODIES,
    st.sampled_from([b"", b"surplus\xff\r\n"]),
)


@pytest.fixture(autouse=True)
def _leftovers() -> Iterator[None]:
    """The scanner leaves spools to the collector; what they warn of belongs to this test and no other."""
    yield
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)
        gc.collect()


def read_back(record: Record) -> WarcRecord:
    data = record.data()
    member = compress(data) if data is not None else b"".join(compress_pieces(record.pieces()))
    read = read_member(member)
    assert isinstance(read, WarcRecord)
    return read


def rebuilt(records: ExchangeRecords, payload: Spool | None = None) -> bytes:
    """The wire, from nothing but the stored records (and for a revisit the original's payload)."""
    assert records.response is not None
    stored = read_back(records.response)
    notes: WireNotes | BadNotes = WireNotes()
    opened = [stored.block]
    if records.metadata is not None:
        metadata = read_back(records.metadata)
        opened.append(metadata.block)
        fields = metadata.fields()
        assert fields is not None
        notes = read_notes(fields)
    assert isinstance(notes, WireNotes)
    http = split_http(stored.block, notes.head_bytes)
    content = payload or Spool(http.payload())
    wire = rebuild_wire(http.head, content, notes)
    assert not isinstance(wire, BadNotes)
    out = b"".join(wire)
    for spool in (*opened, content):
        spool.close()
    return out


@settings(max_examples=400, deadline=None)
@given(wire=WIRES, keep=st.booleans(), closed=st.booleans())
def test_stored_records_give_back_the_wire_bytes(
    wire: bytes,
    keep: bool,
    closed: bool,
    make_exchange: Callable[..., Exchange],
    to_records: Callable[..., ExchangeRecords],
) -> None:
    received = Spool(wire)
    response = split_wire(received, closed=closed)
    assert b"".join(wire_bytes(response)) == wire
    exchange = make_exchange(
        response.head,
        response.content.read(),
        framing=response.framing,
        status=response.status,
        interim=response.interim,
        chunks=response.chunks,
        trailer=response.trailer,
        surplus=response.surplus,
    )
    assert rebuilt(to_records(exchange, framing="keep" if keep else "strip")) == wire
    received.close()
    response.content.close()


def test_a_revisit_gives_back_the_wire_with_the_payload_of_its_original(
    make_exchange: Callable[..., Exchange], to_records: Callable[..., ExchangeRecords], found: Callable[..., object]
) -> None:
    exchange = make_exchange(
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
        b"hello",
        framing="chunked",
        chunks=(Chunk(b"2", 2), Chunk(b"003;x", 3), Chunk(b"0", 0)),
        trailer=b"\r\n",
    )
    assert exchange.response is not None
    records = to_records(exchange, found(content_sha256=exchange.response.content.sha256))
    assert records.response is not None
    assert records.response.type == "revisit"
    assert rebuilt(records, Spool(b"hello")) == (
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhe\r\n003;x\r\nllo\r\n0\r\n\r\n"
    )


def test_a_304_gives_back_its_own_head_from_the_metadata_record(
    make_exchange: Callable[..., Exchange], to_records: Callable[..., ExchangeRecords], found: Callable[..., object]
) -> None:
    head = b'HTTP/1.1 304 Not Modified\r\nETag: "abc123"\r\n\r\n'
    exchange = make_exchange(head, b"", framing="none", status=304)
    records = to_records(exchange, found(content_sha256="0" * 64))
    assert records.response is not None
    assert records.response.block.size == 0
    assert rebuilt(records) == head


def test_equal_chunk_lines_are_written_as_one_run(
    make_exchange: Callable[..., Exchange], to_records: Callable[..., ExchangeRecords]
) -> None:
    content = b"0123456789abcdef" * 100_000
    chunks = (*[Chunk(b"1000", 4096)] * 390, Chunk(b"a00", 2560), Chunk(b"0", 0))
    exchange = make_exchange(
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
        content,
        framing="chunked",
        chunks=chunks,
        trailer=b"\r\n",
    )
    records = to_records(exchange)
    assert records.metadata is not None
    metadata = read_back(records.metadata)
    assert [value for name, value in metadata.fields() or () if name == "http-chunk"] == [
        "390 4096 1000",
        "1 2560 a00",
        "1 0 0",
    ]
    assert exchange.response is not None
    wire = exchange.response.head + b"".join(chunked_wire(exchange.response.content, chunks, b"\r\n"))
    metadata.block.close()
    assert rebuilt(records) == wire


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ([("http-interim", "a b")], "http-interim"),
        ([("http-chunk", "1 2")], "http-chunk"),
        ([("http-chunk", "-1 2 2")], "http-chunk"),
        ([("http-chunk", "99999999 2 2")], "http-chunk"),
        ([("http-chunk", "1 2 %zz")], "http-chunk"),
        ([("http-head-bytes", "007")], "http-head-bytes"),
        ([("http-head-bytes", "1"), ("http-head-bytes", "2")], "http-head-bytes"),
        ([("http-surplus", "a"), ("http-surplus", "b")], "http-surplus"),
        ([("http-marked-line", "x")], "http-marked-line"),
    ],
)
def test_notes_of_another_form_are_named(fields: Sequence[tuple[str, str]], field: str) -> None:
    notes = read_notes(fields)
    assert isinstance(notes, BadNotes)
    assert notes.field == field


def test_a_mark_that_is_not_there_is_named() -> None:
    empty = Spool()
    assert isinstance(rebuild_wire(b"HTTP/1.1 200 OK\r\n\r\n", empty, WireNotes(marked_lines=(0,))), BadNotes)
    empty.close()


@given(st.lists(st.tuples(st.text(max_size=20), st.text(max_size=20)), max_size=4))
def test_reading_notes_never_raises(fields: Sequence[tuple[str, str]]) -> None:
    assert isinstance(read_notes(fields), WireNotes | BadNotes)
