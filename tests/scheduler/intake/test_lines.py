"""Any input becomes seeds and bad lines, each with its number; nothing vanishes, nothing stops the rest."""

from __future__ import annotations

import gzip
import io
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scheduler.intake import Kind, open_source, read_lines, read_urls
from scheduler.intake.ask import IntakeLimits
from schemas.records.job import BadLine, SearchHit, Seed

SITEMAP = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'


class Slow(io.BytesIO):
    """A pipe: gives a few bytes a read."""

    def read(self, size: int | None = -1) -> bytes:
        return super().read(min(7, size) if size and size > 0 else 7)


def read(data: bytes | str, name: str = "", limits: IntakeLimits | None = None) -> tuple[list[Seed], list[BadLine]]:
    stream = io.BytesIO(data.encode() if isinstance(data, str) else data)
    found = list(read_lines(stream, name=name, limits=limits))
    return [one for one in found if isinstance(one, Seed)], [one for one in found if isinstance(one, BadLine)]


def test_a_seed_list_goes_on_after_every_bad_line():
    """The list of bad input that the main job must survive."""
    lines = [
        b"https://a.test/1",
        b"",
        b"   # a comment",
        b"mailto:someone@a.test",
        b"https://a.test/" + b"x" * 100_000,
        b"https://xn--a\xc3\xa4.test/",
        b"https://a.test/\xff\xfe",
        b"https://a.test:99999/",
        b"a.test/no-scheme",
        b"http://",
        b"https://a.test/\x00x",
        b"\thttps://a.test/2  \r",
        b"https://a.test/1#again",
    ]
    seeds, bad = read(b"\n".join(lines))
    assert [(seed.line, seed.normalized_url) for seed in seeds] == [(1, "https://a.test/1"), (12, "https://a.test/2")]
    assert {line.line: line.code for line in bad} == {
        4: "url.scheme-not-supported",
        5: "url.too-long",
        6: "url.host-invalid",
        7: "line.not-utf-8",
        8: "url.port-invalid",
        9: "url.no-scheme",
        10: "url.no-host",
        11: "url.control-character",
    }
    assert all(line.message and len(line.excerpt) <= 200 for line in bad)
    assert bad[3].excerpt == "https://a.test/\\xff\\xfe"


def test_lines_and_duplicates_are_counted():
    lines = read_urls(["https://a.test/", "https://A.test", "mailto:x", "https://a.test/", "https://a.test/?utm_id=1"])
    (bad, seed) = list(lines)
    assert isinstance(bad, BadLine)
    assert isinstance(seed, Seed)
    assert (lines.lines, lines.duplicates) == (5, 3)
    assert seed.requested_url == "https://a.test/"
    assert seed.also == ("https://A.test", "https://a.test/?utm_id=1")


def test_the_first_spelling_is_fetched_and_its_fragment_is_kept():
    seeds, _ = read("https://a.test/x#part\nhttps://a.test/x#other\nhttps://a.test/y\n")
    assert seeds[0].requested_url == "https://a.test/x#part"
    assert seeds[0].normalized_url == "https://a.test/x"
    assert seeds[0].fragment == "part"
    assert seeds[0].also == ("https://a.test/x#other",)
    assert seeds[1].also == ()


def test_a_password_is_neither_a_seed_nor_shown():
    """R022"""
    seeds, bad = read("https://me:secret@a.test/?x=1\nhttps://me:secret@a.test:99999/\n")
    assert seeds[0].requested_url == "https://a.test/?x=1"
    assert seeds[0].userinfo_removed
    assert "secret" not in bad[0].model_dump_json()


def test_search_hits_keep_their_provenance():
    """R004, R017"""
    rows = [
        {"url": "https://a.test/?utm_source=s", "query": "q", "provider": "p", "rank": 1, "title": "T", "snippet": "S"},
        {"url": "https://a.test/", "query": "q2", "provider": "p", "rank": 7, "score": 0.9},
        {"url": "https://b.test/", "title": None},
    ]
    seeds, bad = read("\n".join(map(json.dumps, rows)))
    assert bad == []
    first, second = seeds
    assert first.hits == (
        SearchHit(url="https://a.test/?utm_source=s", query="q", provider="p", rank=1, title="T", snippet="S"),
        SearchHit(url="https://a.test/", query="q2", provider="p", rank=7),
    )
    assert first.also == ("https://a.test/",)
    assert second.hits == ()


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ('{"url": 3}', "hit.no-url"),
        ('{"uri": "https://a.test/"}', "hit.no-url"),
        ("[1]", "hit.no-url"),
        ('{"url": "https://a.test/", "rank": "first"}', "hit.rank"),
        ('{"url": "https://a.test/", "rank": true}', "hit.rank"),
        ('{"url": "https://a.test/", "title": []}', "hit.title"),
        ('{"url": "https://a.test/"', "hit.not-json"),
        ('{"url": "https://a.test/", "url": "https://b.test/"}', "hit.duplicate-name"),
        ('{"url": "https://a.test/", "x": ' + "[" * 3000 + "]" * 3000 + "}", "hit.too-deep"),
        ('{"url": "' + "x" * 600_000 + '"}', "line.too-long"),
        ('{"url": "https://a.test/\\ud800"}', "hit.lone-surrogate"),
    ],
)
def test_a_broken_hit_is_one_bad_line(line: str, code: str):
    seeds, bad = read('{"url": "https://ok.test/"}\n' + line + '\n{"url": "https://ok.test/2"}\n')
    assert [seed.line for seed in seeds] == [1, 3]
    assert [(one.line, one.code) for one in bad] == [(2, code)]


def test_long_texts_of_a_hit_are_cut():
    (seed,), _ = read(json.dumps({"url": "https://a.test/", "snippet": "s" * 10_000}))
    assert len(seed.hits[0].snippet or "") == 4096


def test_a_table_has_its_urls_in_a_column():
    text = (
        'Rank;"URL";Title\r\n1;https://a.test/;"two\nlines; yes"\r\n;https://b.test/\n\n2;;none\nx;https://c.test/;\n'
    )
    seeds, bad = read(text)
    assert [(seed.line, seed.requested_url) for seed in seeds] == [(2, "https://a.test/"), (4, "https://b.test/")]
    assert seeds[0].hits == (SearchHit(url="https://a.test/", rank=1, title="two\nlines; yes"),)
    assert seeds[1].hits == ()
    assert [(one.line, one.code) for one in bad] == [(6, "csv.no-url"), (7, "hit.rank")]


def test_a_table_of_one_column_is_a_table():
    seeds, bad = read("\ufeffurl\nhttps://a.test/\n")
    assert ([seed.line for seed in seeds], bad) == ([2], [])


def test_a_table_without_the_column_says_so():
    _, bad = read("address,title\nhttps://a.test/,x\n", name="list.csv")
    assert [one.code for one in bad] == ["csv.no-url-column"]


def test_a_stray_carriage_return_makes_one_row_bad():
    _, bad = read(b"\r\x00", name="x.csv")
    assert [one.code for one in bad] == ["csv.no-url-column"]
    seeds, bad = read(b"url\nhttps://a.test/\rx\nhttps://b.test/\n")
    assert [seed.requested_url for seed in seeds] == ["https://b.test/"]
    assert [(one.line, one.code) for one in bad] == [(2, "csv.broken")]


def test_a_quote_that_never_closes_costs_what_it_swallows_and_no_more():
    swallowed = "\n".join(f"https://a.test/{number}" for number in range(10_000))
    seeds, bad = read(f'url,title\nhttps://first.test/,x\nhttps://b.test/,"open\n{swallowed}\n')
    assert seeds[0].requested_url == "https://first.test/"
    assert [one.code for one in bad][:1] == ["csv.broken"]
    assert bad[0].line == 3


def test_bytes_that_are_no_utf_8_make_one_row_bad():
    seeds, bad = read(b"url,title\nhttps://a.test/,caf\xe9\nhttps://b.test/,x\n")
    assert [seed.requested_url for seed in seeds] == ["https://b.test/"]
    assert [(one.line, one.code) for one in bad] == [(2, "line.not-utf-8")]


def test_a_sitemap_gives_its_locations():
    text = f"""<?xml version="1.0" encoding="UTF-8"?>
    <urlset {SITEMAP} xmlns:image="http://www.google.com/schemas/sitemap-image/1.1">
      <url><loc> https://a.test/?a=1&amp;b=2 </loc><lastmod>2026-01-01</lastmod>
        <image:image><image:loc>https://a.test/image.png</image:loc></image:image></url>
      <url><loc><![CDATA[https://a.test/2]]></loc></url>
      <url><loc>ftp://a.test/</loc></url>
    </urlset>"""
    seeds, bad = read(text)
    assert [(seed.line, seed.requested_url) for seed in seeds] == [
        (3, "https://a.test/?a=1&b=2"),
        (5, "https://a.test/2"),
    ]
    assert [(one.line, one.code) for one in bad] == [(6, "url.scheme-not-supported")]


def test_a_packed_sitemap_is_unpacked():
    text = f"<urlset {SITEMAP}><url><loc>https://a.test/</loc></url></urlset>"
    seeds, _ = read(gzip.compress(text[:30].encode()) + gzip.compress(text[30:].encode()), name="sitemap.xml.gz")
    assert [seed.requested_url for seed in seeds] == ["https://a.test/"]


def test_a_sitemap_index_names_what_to_fetch():
    text = f"<sitemapindex {SITEMAP}><sitemap><loc>https://a.test/s1.xml</loc></sitemap></sitemapindex>"
    seeds, (bad,) = read(text)
    assert seeds == []
    assert (bad.code, bad.excerpt) == ("sitemap.index", "https://a.test/s1.xml")


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (
            '<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]>'
            f"<urlset {SITEMAP}><url><loc>https://a.test/&b;</loc></url></urlset>",
            "sitemap.doctype",
        ),
        (f"<urlset {SITEMAP}><url><loc>https://a.test/1</loc></url><url>", "sitemap.not-xml"),
        ("<html><body>no</body></html>", "sitemap.other-document"),
        (f"<urlset {SITEMAP}>" + "<x>" * 50, "sitemap.too-deep"),
        (f"<urlset {SITEMAP}><url><loc>" + "x" * 200_000, "sitemap.loc-too-long"),
        (f"<urlset {SITEMAP}><url><loc>/a?b=c:d</loc></url></urlset>", "sitemap.relative-loc"),
        ("<", "sitemap.not-xml"),
    ],
)
def test_a_bad_sitemap_is_one_bad_line(text: str, code: str):
    _, bad = read(text)
    assert [one.code for one in bad] == [code]


def test_what_stood_before_the_fault_of_a_sitemap_is_kept():
    seeds, bad = read(f"<urlset {SITEMAP}><url><loc>https://a.test/1</loc></url><oops")
    assert [seed.requested_url for seed in seeds] == ["https://a.test/1"]
    assert [one.code for one in bad] == ["sitemap.not-xml"]


def test_a_job_file_brings_its_options():
    document = {
        "schema": "citevault/job@1",
        "collection": "news",
        "urls": ["https://a.test/", "mailto:x", "https://a.test/2"],
        "options": {"robots": "ignore"},
    }
    source = open_source(io.BytesIO(json.dumps(document, indent=2).encode()))
    assert source.kind is Kind.JOB_FILE
    assert source.job_file is not None
    assert source.job_file.collection == "news"
    assert source.job_file.options.robots == "ignore"
    seeds, bad = read(json.dumps(document))
    assert [seed.line for seed in seeds] == [1, 3]
    assert [one.line for one in bad] == [2]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ('{"schema": "citevault/job@2", "urls": ["https://a.test/"]}', "document.unknown-version"),
        ('{"schema": "citevault/job@1", "urls": []}', "document.bad-value"),
        ('{"schema": "citevault/job@1", "urls": ["https://a.test/"], "speed": 3}', "document.unknown-field"),
        ('{"schema": "citevault/bundle@1", "id": 3}', "document."),
    ],
)
def test_a_faulty_document_is_one_bad_line_that_names_the_place(text: str, code: str):
    seeds, (bad,) = read(text)
    assert seeds == []
    assert bad.code.startswith(code)


def test_a_document_has_a_size_limit():
    _, (bad,) = read('{"schema": "citevault/job@1", ' + " " * 200_000, limits=IntakeLimits(max_document_bytes=100_000))
    assert bad.code == "document.too-large"


def test_a_packed_bomb_stops_at_the_limit():
    packed = gzip.compress(b"# comment\n" * 1_000_000)
    _, bad = read(packed, limits=IntakeLimits(max_total_bytes=1_000_000))
    assert [one.code for one in bad] == ["input.too-large"]


@pytest.mark.parametrize(("cut", "code"), [(slice(0, -4), "input.gzip-cut-off"), (slice(0, 30), "input.gzip-cut-off")])
def test_a_cut_gzip_file_is_told(cut: slice, code: str):
    _, bad = read(gzip.compress(b"https://a.test/\n" * 1000)[cut])
    assert bad[-1].code == code


def test_a_broken_gzip_file_is_told():
    packed = bytearray(gzip.compress("".join(f"https://a.test/{number}\n" for number in range(50_000)).encode()))
    packed[-6] ^= 1
    seeds, bad = read(bytes(packed))
    assert seeds[0].line == 1, "what could be read is kept"
    assert bad[-1].code == "input.gzip-broken"


@pytest.mark.parametrize(
    ("head", "name", "kind"),
    [
        (b"https://a.test/\n", "", Kind.PLAIN),
        (b"https://a.test/?x,url\n", "", Kind.PLAIN),
        (b"https://a.test/\n", "list.txt", Kind.PLAIN),
        (b"https://a.test/\n", "sitemap.xml", Kind.PLAIN),
        (b"", "x.xml", Kind.SITEMAP),
        (b"title,url\n", "-", Kind.TABLE),
        (b"title\turl\n", "", Kind.TABLE),
        (b'\xef\xbb\xbf"url"\n', "", Kind.TABLE),
        (b"\n  <?xml", "urls.txt", Kind.SITEMAP),
        (b'{"url": "https://a.test/"}\n', "", Kind.HITS),
        (b'{"url": "https://a.test/"}\n{', "x.json", Kind.HITS),
        (b'{\n "urls": []', "", Kind.JOB_FILE),
        (b'{"schema":"citevault/job@1"', "", Kind.JOB_FILE),
        (b'{"schema":"citevault/bundle@1"', "", Kind.BUNDLE),
        (b"", "", Kind.PLAIN),
        (b"%PDF-1.7\n", "urls.txt", Kind.UNKNOWN),
        (b"PK\x03\x04\x14", "urls.csv", Kind.UNKNOWN),
        (gzip.compress(b"WARC/1.1\r\n", mtime=0), "", Kind.UNKNOWN),
        (b"\xff\xfeh\0t\0t\0p\0", "", Kind.UNKNOWN),
        (b'[{"url": "https://a.test/"}]', "x.json", Kind.UNKNOWN),
        (b"\x7fELF\x02\x01\x01\0\0\0\0\0", "", Kind.UNKNOWN),
    ],
)
def test_the_format_is_found_out(head: bytes, name: str, kind: Kind):
    assert open_source(io.BytesIO(head), name=name).kind is kind


def test_what_is_no_list_is_told_as_what_it_looks_like():
    seeds, (bad,) = read(b"%PDF-1.7\nhttps://a.test/\n")
    assert seeds == []
    assert (bad.code, bad.line) == ("input.unknown-format", 1)
    assert "a PDF file" in bad.message
    assert "one URL a line" in bad.message


def test_a_pipe_that_gives_few_bytes_at_a_time_reads_the_same():
    data = "\n".join(f"https://a.test/{number}" for number in range(1000)).encode()
    assert list(read_lines(Slow(data))) == list(read_lines(io.BytesIO(data)))


def test_spellings_without_end_are_kept_up_to_a_limit():
    text = "\n".join(f"https://a.test/#{number}" for number in range(1500))
    (seed,), bad = read(text)
    assert len(seed.also) == 1000
    assert {one.code for one in bad} == {"seed.too-many-spellings"}
    assert len(bad) == 499


@settings(max_examples=300)
@given(st.binary(max_size=400), st.sampled_from(["", "x.csv", "x.jsonl", "x.xml", "x.json"]))
def test_no_input_raises(data: bytes, name: str):
    list(read_lines(io.BytesIO(data), name=name))


@given(
    st.lists(st.text(st.sampled_from('ab,;"{}[]:<>/&#\n\r\t\x85\u2028é'), max_size=12), max_size=12),
    st.sampled_from(["url,rank\n", '{"url": "https://a.test/"}\n', "<urlset>", "", "\x1f\x8b"]),
)
def test_no_input_that_looks_like_a_format_raises(parts: list[str], head: str):
    found = list(read_lines(io.BytesIO((head + "https://a.test/".join(parts)).encode())))
    assert len({seed.normalized_url for seed in found if isinstance(seed, Seed)}) == sum(
        isinstance(one, Seed) for one in found
    )
