"""Field lines: bytes beyond ASCII, folds, control characters, and very many or very long ones."""

from __future__ import annotations

from deploy.hostile.case import Case, sends

FIELDS = (
    Case(
        name="duplicate Set-Cookie with mixed case",
        answer=sends(b"HTTP/1.1 200 OK\r\nSet-Cookie: a=1\r\nSET-cookie: b=2\r\nContent-Length: 5\r\n\r\nhello"),
        outcome="captured",
        content=b"hello",
    ),
    Case(
        name="Latin-1 bytes in a header",
        answer=sends(b"HTTP/1.1 200 OK\r\nX-Name: caf\xe9\r\nContent-Length: 5\r\n\r\nhello"),
        outcome="captured",
        content=b"hello",
    ),
    Case(
        name="UTF-8 bytes in a header",
        answer=sends(b"HTTP/1.1 200 OK\r\nX-Name: caf\xc3\xa9\r\nContent-Length: 5\r\n\r\nhello"),
        outcome="captured",
        content=b"hello",
    ),
    Case(
        name="cookie with a name beyond ASCII",
        answer=sends(b"HTTP/1.1 200 OK\r\nSet-Cookie: \xb3\xd2\xda=1\r\nContent-Length: 5\r\n\r\nhello"),
        outcome="captured",
        content=b"hello",
    ),
    Case(
        name="HTTP/1.0 with LF only",
        answer=sends(b"HTTP/1.0 200 OK\nServer: router\n\nhello"),
        outcome="captured",
        framing="close",
        ends="close",
        notes=("lf-only",),
        content=b"hello",
    ),
    Case(
        name="router that mixes CRLF and LF",
        answer=sends(b"HTTP/1.0 200 OK\r\nServer: router\nContent-Length: 5\r\n\nhello"),
        outcome="captured",
        ends="close",
        notes=("lf-only",),
        content=b"hello",
    ),
    Case(
        name="line without a colon",
        answer=sends(b"HTTP/1.1 200 OK\r\nthis is no header\r\nContent-Length: 5\r\n\r\nhello"),
        outcome="captured",
        notes=("line-without-colon",),
        content=b"hello",
    ),
    Case(
        name="space before the colon",
        answer=sends(b"HTTP/1.1 200 OK\r\nContent-Length : 5\r\n\r\nhello"),
        outcome="captured",
        notes=("space-before-colon",),
        content=b"hello",
    ),
    Case(
        name="Content-Encoding with a space before the colon",
        answer=sends(b"HTTP/1.1 200 OK\r\nContent-Encoding : gzip\r\nContent-Length: 5\r\n\r\nhello"),
        outcome="captured",
        notes=("space-before-colon",),
        content=b"hello",
    ),
    Case(
        name="folded line",
        answer=sends(b"HTTP/1.1 200 OK\r\nX-Long: one\r\n two\r\n\tthree\r\nContent-Length: 5\r\n\r\nhello"),
        outcome="captured",
        notes=("folded-line",),
        content=b"hello",
    ),
    Case(
        name="NUL in a header",
        answer=sends(b"HTTP/1.1 200 OK\r\nX-Nul: a\x00b\r\nContent-Length: 5\r\n\r\nhello"),
        outcome="captured",
        notes=("nul",),
        content=b"hello",
    ),
    Case(
        name="bare CR in a header",
        answer=sends(b"HTTP/1.1 200 OK\r\nX-Cr: a\rb\r\nContent-Length: 5\r\n\r\nhello"),
        outcome="captured",
        notes=("bare-cr",),
        content=b"hello",
    ),
    Case(
        name="header of 10 kB",
        answer=sends(b"HTTP/1.1 200 OK\r\nX-Long: ", b"x" * 10000, b"\r\nContent-Length: 5\r\n\r\nhello"),
        outcome="captured",
        content=b"hello",
    ),
    Case(
        name="header of 100 kB",
        answer=sends(b"HTTP/1.1 200 OK\r\nX-Long: ", b"x" * 100000, b"\r\nContent-Length: 5\r\n\r\nhello"),
        outcome="captured",
        content=b"hello",
    ),
    Case(
        name="2,000 headers",
        answer=sends(b"HTTP/1.1 200 OK\r\n", b"X-Many: value\r\n" * 2000, b"Content-Length: 5\r\n\r\nhello"),
        outcome="captured",
        content=b"hello",
    ),
    Case(
        name="header name beyond ASCII",
        answer=sends(b"HTTP/1.1 200 OK\r\nX-Caf\xe9: 1\r\nContent-Length: 5\r\n\r\nhello"),
        outcome="captured",
        content=b"hello",
    ),
    Case(
        name="header without a name",
        answer=sends(b"HTTP/1.1 200 OK\r\n: nobody\r\nContent-Length: 5\r\n\r\nhello"),
        outcome="captured",
        notes=("line-without-colon",),
        content=b"hello",
    ),
    Case(
        name="header name with a blank in it",
        answer=sends(b"HTTP/1.1 200 OK\r\nX Odd: 1\r\nContent-Length: 5\r\n\r\nhello"),
        outcome="captured",
        content=b"hello",
    ),
    Case(
        name="folded line right after the status line",
        answer=sends(b"HTTP/1.1 200 OK\r\n folded: 1\r\nContent-Length: 5\r\n\r\nhello"),
        outcome="captured",
        notes=("folded-line",),
        content=b"hello",
    ),
    Case(
        name="line of blanks within the head",
        answer=sends(b"HTTP/1.1 200 OK\r\nA: b\r\n \t\r\nContent-Length: 5\r\n\r\nhello"),
        outcome="captured",
        content=b"hello",
    ),
    Case(
        name="control characters in a value",
        answer=sends(b"HTTP/1.1 200 OK\r\nX-Bell: a\x07\x1b[31m\x7f\r\nContent-Length: 5\r\n\r\nhello"),
        outcome="captured",
        content=b"hello",
    ),
    Case(
        name="empty value",
        answer=sends(b"HTTP/1.1 200 OK\r\nX-Empty:\r\nContent-Length: 5\r\n\r\nhello"),
        outcome="captured",
        content=b"hello",
    ),
    Case(
        name="Location twice and different",
        answer=sends(b"HTTP/1.1 200 OK\r\nLocation: /a\r\nLocation: /b\r\nContent-Length: 5\r\n\r\nhello"),
        outcome="captured",
        content=b"hello",
    ),
    Case(
        name="Content-Type three times",
        answer=sends(
            b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Type: text/plain; charset=x\r\n"
            b"Content-Type: \r\nContent-Length: 5\r\n\r\nhello"
        ),
        outcome="captured",
        content=b"hello",
    ),
    Case(
        name="1,000 cookies",
        answer=sends(b"HTTP/1.1 200 OK\r\n", b"Set-Cookie: n=v; Path=/\r\n" * 1000, b"Content-Length: 5\r\n\r\nhello"),
        outcome="captured",
        content=b"hello",
    ),
    Case(
        name="20,000 headers",
        answer=sends(b"HTTP/1.1 200 OK\r\n", b"X-Many: value\r\n" * 20000, b"Content-Length: 5\r\n\r\nhello"),
        outcome="captured",
        content=b"hello",
    ),
    Case(
        name="cookie of 300 kB",
        answer=sends(b"HTTP/1.1 200 OK\r\nSet-Cookie: a=", b"c" * 300000, b"\r\nContent-Length: 5\r\n\r\nhello"),
        outcome="captured",
        content=b"hello",
    ),
    Case(
        name="X-Archive-Orig- sent by the server",
        answer=sends(
            b"HTTP/1.1 200 OK\r\nX-Archive-Orig-Transfer-Encoding: chunked\r\n"
            b"Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n"
        ),
        outcome="captured",
        framing="chunked",
        content=b"hello",
    ),
    Case(
        name="disposition with a name beyond ASCII",
        answer=sends(
            b'HTTP/1.1 200 OK\r\nContent-Disposition: attachment; filename="\xd0\xb0.html"\r\n'
            b"Content-Length: 5\r\n\r\nhello"
        ),
        outcome="captured",
        content=b"hello",
    ),
    Case(
        name="WARC header in the head",
        answer=sends(b"HTTP/1.1 200 OK\r\nWARC-Type: warcinfo\r\nWARC/1.1: x\r\nContent-Length: 5\r\n\r\nhello"),
        outcome="captured",
        content=b"hello",
    ),
)
