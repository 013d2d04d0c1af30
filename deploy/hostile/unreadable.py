"""The one short list of answers whose payload no reader finds in the record. What they hold is not lost: it comes
back byte for byte by the metadata record beside it."""

from __future__ import annotations

from types import MappingProxyType

_NO_HEAD = "no status line (HTTP/0.9, or no HTTP at all), and readers take the first lines for a head"
_BLANK = "blank lines before the status line, and readers take them for the end of the head"

UNREADABLE = MappingProxyType(
    {
        "HTTP/0.9": _NO_HEAD,
        "five bytes before the status line": _NO_HEAD,
        "100 with a body of its own": _NO_HEAD,
        "banner of an FTP server": _NO_HEAD,
        "banner of an SSH server": _NO_HEAD,
        "answer of a SIP server": _NO_HEAD,
        "TLS alert on a plain port": _NO_HEAD,
        "HTTP/2 frames": _NO_HEAD,
        "leading CRLF": _BLANK,
        "blank lines only": _BLANK,
        "endless blank lines": _BLANK,
    }
)
"""Name of the case, and the reason."""
