"""The three identities of a URL as types that cannot be mixed up.

They are strings at run time, so they go into JSON as they are; mypy keeps them apart. Each has one
function that makes it, and no other code calls these constructors on text that it did not get from
such a function or from a record that holds that identity.

- `NormalizedUrl`, made by `schemas.urls.conservative.normalize`: which resource.
- `CitationUrl`, made by `schemas.urls.citation.citation_url`: which number the reader sees. It merges
  more, and is never used to find or name a snapshot.
- `UrlKey`, made by `schemas.urls.surt.url_key`: finds candidates in an index. It merges letter case,
  `www.`, scheme and parameter order, so a look-up by key ends with a comparison of `NormalizedUrl`.
"""

from __future__ import annotations

from typing import NewType

NormalizedUrl = NewType("NormalizedUrl", str)
CitationUrl = NewType("CitationUrl", str)
UrlKey = NewType("UrlKey", str)
