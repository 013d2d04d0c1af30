"""A password in a URL gets into no seed and no bad line, however the URL is spelled or misspelled (R022)."""

from __future__ import annotations

import io
import json
from itertools import product

import pytest

from scheduler.intake import read_lines
from scheduler.intake.ask import bad_line
from schemas.records.job import BadLine, Seed

PASSWORD = "S3CRET"
SCHEMES = (
    "http://", "https://", "http:", "http:/", "http:\\\\", "HTTP://", " http://", "http:///", "ftp://", "file://",
    "//", "", "mailto:", "javascript:", "view-source:http://", "x:http://",
)  # fmt: skip
USERINFO = (
    f"user:{PASSWORD}@", f"{PASSWORD}@", f"user:a@{PASSWORD}@", f"user:{PASSWORD}/x@", f"user:{PASSWORD}?x@",
    f"user:{PASSWORD}#x@", f":{PASSWORD}@", f"u ser:{PASSWORD}@", f"user:{PASSWORD}\\@", f"user:%20{PASSWORD}@",
)  # fmt: skip
HOSTS = ("h.test/", "h:99999/", "", "[::1/", "h:x/p", "ex ample/", "h.test:80/a?b#c", "0x100000000/", "xn--/")
SPELLED = ["".join(parts) for parts in product(SCHEMES, USERINFO, HOSTS)]


def as_lines(urls):
    return "\n".join(urls)


def as_csv(urls):
    return "url,rank,title\n{}".format("\n".join(f'"{url}",1,t' for url in urls))


def as_hits(urls):
    return "\n".join(json.dumps({"url": url, "rank": 1, "title": "t"}) for url in urls)


@pytest.mark.parametrize("written", [as_lines, as_csv, as_hits])
def test_no_spelling_carries_a_password_into_a_job(written):
    found = list(read_lines(io.BytesIO(written(SPELLED).encode())))
    assert {type(each) for each in found} == {Seed, BadLine}
    assert [each for each in found if PASSWORD in each.model_dump_json()] == []
    assert any(each.userinfo_removed for each in found if isinstance(each, Seed))


@pytest.mark.parametrize(
    ("line", "excerpt"),
    [
        ("http://u:p@h:99999/", "http://…@h:99999/"),
        ('{"url": "http://u:p@h/", "rank": "x"}', '{"url": "http://…@h/", "rank": "x"}'),
        ("u:p@h, me@example.org", "u:…@example.org"),
        ("me@example.org;you@example.org", "…@example.org;…@example.org"),
        ("http://h/ no address", "http://h/ no address"),
        ("http://u:" + "p" * 1000 + "@h:99999/", "http://…@h:99999/"),
    ],
)
def test_the_excerpt_of_a_bad_line_leaves_out_what_could_be_a_password(line, excerpt):
    assert bad_line(1, "x", "y", line).excerpt == excerpt
