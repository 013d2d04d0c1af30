"""Session ids that SURT keys leave out: ASP.NET's in the path, four kinds in the query.

Input is lower-case and escaped. Of several ids of one kind the last one goes, as in the indexers.
"""

from __future__ import annotations

import re
from typing import Final

_PATH_SESSIONS: Final = (
    re.compile(rb"/(?=(\((?:[a-z]\([0-9a-z]{24}\))+\)/))"),
    re.compile(rb"/(?=(\([0-9a-z]{24}\)/))"),
)
_QUERY_SESSIONS: Final = (
    (b"jsessionid=", re.compile(rb"jsessionid=[0-9a-z]{32}(?:&|\Z)")),
    (b"phpsessid=", re.compile(rb"phpsessid=[0-9a-z]{32}(?:&|\Z)")),
    (b"sid=", re.compile(rb"sid=[0-9a-z]{32}(?:&|\Z)")),
    (b"aspsessionid", re.compile(rb"aspsessionid[a-z]{8}=[a-z]{24}(?:&|\Z)")),
)
_TOKEN: Final = b"cftoken="


def without_path_session(path: bytes) -> bytes:
    """`/(s(24 letters))/page.aspx` and `/(24 letters)/page.aspx` without the id, where an `.aspx` page follows."""
    for session in _PATH_SESSIONS:
        for found in reversed(list(session.finditer(path))):
            after = path[found.end(1) :]
            if after.partition(b"?")[0].find(b".aspx", 1) > 0:
                path = path[: found.start(1)] + after
                break
    return path


def without_query_session(query: bytes) -> bytes:
    """The query without `jsessionid`, `phpsessid`, `sid`, `aspsessionid…` and the pair `cfid`, `cftoken`."""
    for name, session in _QUERY_SESSIONS:
        start = query.rfind(name)
        while start >= 0:
            if found := session.match(query, start):
                query = query[:start] + query[found.end() :]
                break
            start = query.rfind(name, 0, start + len(name) - 1)
    return _without_cold_fusion(query)


def _without_cold_fusion(query: bytes) -> bytes:
    """`cfid=X` directly before `cftoken=Y`; what stands before `cfid=` in the same piece is kept."""
    pieces = query.split(b"&")
    for index in range(len(pieces) - 2, -1, -1):
        start = pieces[index].rfind(b"cfid=", 0, -1)  # something must follow the equals sign
        follower = pieces[index + 1]
        if start >= 0 and follower.startswith(_TOKEN) and len(follower) > len(_TOKEN):
            return b"&".join((*pieces[:index], pieces[index][:start])) + b"&".join(pieces[index + 2 :])
    return query
