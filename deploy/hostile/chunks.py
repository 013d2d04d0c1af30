"""Chunked bodies: odd sizes, extensions, trailers, and framing that does not hold."""

from __future__ import annotations

from deploy.hostile.case import Case, sends

CHUNKS = (
    Case(
        name="Chunked with a capital",
        answer=sends(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: Chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n"),
        outcome="captured",
        framing="chunked",
        content=b"hello",
    ),
    Case(
        name="Transfer-Encoding sent twice",
        answer=sends(
            b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n",
            b"5\r\nhello\r\n0\r\n\r\n",
        ),
        outcome="captured",
        framing="chunked",
        content=b"hello",
    ),
    Case(
        name="chunk extensions and trailers",
        answer=sends(
            b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: X-Sum\r\n\r\n",
            b'3;name="v"\r\nwor\r\n0002\r\nld\r\n0;last\r\nX-Sum: 1\r\n\r\n',
        ),
        outcome="captured",
        framing="chunked",
    ),
    Case(
        name="chunk sizes in capitals with leading zeros",
        answer=sends(
            b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0000000A\r\nhellohello\r\n00000000\r\n\r\n"
        ),
        outcome="captured",
        framing="chunked",
        content=b"hellohello",
    ),
    Case(
        name="Transfer-Encoding beside Content-Length",
        answer=sends(
            b"HTTP/1.1 200 OK\r\nContent-Length: 99\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n"
        ),
        outcome="captured",
        framing="chunked",
        notes=("content-length-beside-transfer-encoding",),
        content=b"hello",
    ),
    Case(
        name="bad chunk size",
        answer=sends(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\nxyz\r\nworld\r\n0\r\n\r\n"),
        outcome="malformed",
        framing="malformed",
        ends="close",
        notes=("chunks-broken",),
        content=b"5\r\nhello\r\nxyz\r\nworld\r\n0\r\n\r\n",
    ),
    Case(
        name="chunk lines with LF only",
        answer=sends(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\nhello\n0\n\n"),
        outcome="malformed",
        framing="malformed",
        ends="close",
        notes=("chunks-broken",),
        content=b"5\nhello\n0\n\n",
    ),
    Case(
        name="chunk data longer than its size",
        answer=sends(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nhello\r\n0\r\n\r\n"),
        outcome="malformed",
        framing="malformed",
        ends="close",
        notes=("chunks-broken",),
        content=b"3\r\nhello\r\n0\r\n\r\n",
    ),
    Case(
        name="plain body under a chunked header",
        answer=sends(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n<html>hello</html>"),
        outcome="malformed",
        framing="malformed",
        ends="close",
        notes=("chunks-broken",),
        content=b"<html>hello</html>",
    ),
    Case(
        name="chunked in HTTP/1.0",
        answer=sends(b"HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n"),
        outcome="captured",
        framing="chunked",
        ends="close",
        notes=("transfer-encoding-in-http-1.0",),
        content=b"hello",
    ),
    Case(
        name="gzip beneath chunked",
        answer=sends(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n"),
        outcome="malformed",
        framing="malformed",
        notes=("transfer-encoding-kept",),
        content=b"5\r\nhello\r\n0\r\n\r\n",
    ),
    Case(
        name="chunked empty body",
        answer=sends(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
        outcome="captured",
        framing="chunked",
        content=b"",
    ),
    Case(
        name="chunk size with a blank after it",
        answer=sends(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5 \r\nhello\r\n0\r\n\r\n"),
        outcome="captured",
        framing="chunked",
        content=b"hello",
    ),
    Case(
        name="chunk size with 0x",
        answer=sends(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0x5\r\nhello\r\n0\r\n\r\n"),
        outcome="malformed",
        framing="malformed",
        ends="close",
        notes=("chunks-broken",),
        content=b"0x5\r\nhello\r\n0\r\n\r\n",
    ),
    Case(
        name="negative chunk size",
        answer=sends(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n-5\r\nhello\r\n0\r\n\r\n"),
        outcome="malformed",
        framing="malformed",
        ends="close",
        notes=("chunks-broken",),
        content=b"-5\r\nhello\r\n0\r\n\r\n",
    ),
    Case(
        name="chunk size of sixteen digits",
        answer=sends(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nFFFFFFFFFFFFFFFF\r\nhello"),
        outcome="truncated",
        framing="chunked",
        ends="close",
        truncated="disconnect",
        content=b"hello",
    ),
    Case(
        name="chunk size of forty digits",
        answer=sends(
            b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF\r\nhello"
        ),
        outcome="malformed",
        framing="malformed",
        ends="close",
        notes=("chunks-broken",),
        content=b"FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF\r\nhello",
    ),
    Case(
        name="chunk data without its line end",
        answer=sends(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello0\r\n\r\n"),
        outcome="malformed",
        framing="malformed",
        ends="close",
        notes=("chunks-broken",),
        content=b"5\r\nhello0\r\n\r\n",
    ),
    Case(
        name="chunk extension of 10 kB",
        answer=sends(
            b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5;x=", b"y" * 10000, b"\r\nhello\r\n0\r\n\r\n"
        ),
        outcome="captured",
        framing="chunked",
        content=b"hello",
    ),
    Case(
        name="chunk extension of 100 kB",
        answer=sends(
            b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5;x=", b"y" * 100000, b"\r\nhello\r\n0\r\n\r\n"
        ),
        outcome="malformed",
        framing="malformed",
        ends="close",
        notes=("chunks-broken",),
    ),
    Case(
        name="bare LF in the trailer",
        answer=sends(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\nX: 1\n\n"),
        outcome="captured",
        framing="chunked",
        content=b"hello",
    ),
    Case(
        name="1,000 trailer fields",
        answer=sends(
            b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n",
            b"X-Trailer: value\r\n" * 1000,
            b"\r\n",
        ),
        outcome="captured",
        framing="chunked",
        content=b"hello",
    ),
    Case(
        name="40,000 chunks of one byte",
        answer=sends(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", b"1\r\nx\r\n" * 40000, b"0\r\n\r\n"),
        outcome="captured",
        framing="chunked",
    ),
    Case(
        name="bytes after the last chunk",
        answer=sends(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\nmore"),
        outcome="malformed",
        framing="chunked",
        ends="close",
        notes=("surplus",),
        content=b"hello",
    ),
    Case(
        name="second chunked body after the first",
        answer=sends(
            b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n5\r\nhello\r\n0\r\n\r\n"
        ),
        outcome="malformed",
        framing="chunked",
        ends="close",
        notes=("surplus",),
        content=b"hello",
    ),
    Case(
        name="Transfer-Encoding chunked, chunked",
        answer=sends(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked, chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n"),
        outcome="captured",
        framing="chunked",
        content=b"hello",
    ),
    Case(
        name="Transfer-Encoding chunked, identity",
        answer=sends(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked, identity\r\n\r\n5\r\nhello\r\n0\r\n\r\n"),
        outcome="captured",
        framing="chunked",
        content=b"hello",
    ),
    Case(
        name="Transfer-Encoding in a folded line",
        answer=sends(b"HTTP/1.1 200 OK\r\nTransfer-Encoding:\r\n chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n"),
        outcome="captured",
        framing="chunked",
        notes=("folded-line",),
        content=b"hello",
    ),
    Case(
        name="Transfer-Encoding with a space before the colon",
        answer=sends(b"HTTP/1.1 200 OK\r\nTransfer-Encoding : chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n"),
        outcome="captured",
        framing="chunked",
        notes=("space-before-colon",),
        content=b"hello",
    ),
    Case(
        name="Transfer-Encoding with a parameter",
        answer=sends(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked;q=1\r\n\r\n5\r\nhello\r\n0\r\n\r\n"),
        outcome="captured",
        framing="chunked",
        content=b"hello",
    ),
    Case(
        name="Transfer-Encoding and a broken Content-Length",
        answer=sends(
            b"HTTP/1.1 200 OK\r\nContent-Length: abc\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n"
        ),
        outcome="captured",
        framing="chunked",
        notes=("content-length-beside-transfer-encoding",),
        content=b"hello",
    ),
    Case(
        name="204 that is chunked",
        answer=sends(b"HTTP/1.1 204 No Content\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
        outcome="malformed",
        status=204,
        framing="none",
        ends="close",
        notes=(
            "body-not-allowed",
            "surplus",
        ),
        content=b"",
    ),
    Case(
        name="404 that is chunked and empty",
        answer=sends(b"HTTP/1.1 404 Not Found\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
        outcome="captured",
        status=404,
        framing="chunked",
        content=b"",
    ),
)
