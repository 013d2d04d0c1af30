"""What a page names is found as a browser would find it; what a browser does not fetch is not."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.records.requisite import RequisiteKind as Kind
from workers.capture.requisites import found as bounds
from workers.capture.requisites.html import find_in_html

PAGE = "https://news.example/a/page?x=1"

NAMED = {
    "an image": ('<img src="p.png">', "p.png", Kind.IMAGE, "img/@src"),
    "an image in capitals": ("<IMG SRC=p.png>", "p.png", Kind.IMAGE, "img/@src"),
    "blanks around it": ('<img src=" \n p.png\t">', "p.png", Kind.IMAGE, "img/@src"),
    "references in an address": ('<img src="p?a=1&amp;b=2">', "p?a=1&b=2", Kind.IMAGE, "img/@src"),
    "a source set": ('<img srcset="p.png 2x">', "p.png", Kind.IMAGE, "img/@srcset"),
    "a picture": ("<picture><source srcset=p.avif></picture>", "p.avif", Kind.IMAGE, "source/@srcset"),
    "an input that is an image": ("<input type=IMAGE src=b.gif>", "b.gif", Kind.IMAGE, "input/@src"),
    "a background": ("<body background=bg.gif>", "bg.gif", Kind.IMAGE, "body/@background"),
    "a cell's background": ("<table><td background=c.gif>", "c.gif", Kind.IMAGE, "td/@background"),
    "a video": ("<video src=v.mp4>", "v.mp4", Kind.MEDIA, "video/@src"),
    "its poster": ("<video poster=v.jpg>", "v.jpg", Kind.IMAGE, "video/@poster"),
    "a source of sound": ("<audio><source src=a.ogg></audio>", "a.ogg", Kind.MEDIA, "source/@src"),
    "a text track": ("<video><track src=t.vtt></video>", "t.vtt", Kind.OTHER, "track/@src"),
    "a style sheet": ('<link rel="StyleSheet" href=s.css>', "s.css", Kind.STYLE, "link/@href"),
    "an alternate sheet": (
        '<link rel="alternate stylesheet" href=s.css>', "s.css", Kind.STYLE, "link/@href",
    ),
    "an icon": ('<link rel="shortcut icon" href=/i.ico>', "https://news.example/i.ico", Kind.ICON, "link/@href"),
    "a touch icon": ('<link rel="apple-touch-icon" href=t.png>', "t.png", Kind.ICON, "link/@href"),
    "a preloaded font": ("<link rel=preload as=font href=f.woff2>", "f.woff2", Kind.FONT, "link/@href"),
    "a preloaded source set": (
        '<link rel=preload as=image imagesrcset="p.png 1x">', "p.png", Kind.IMAGE, "link/@imagesrcset",
    ),
    "a manifest": ("<link rel=manifest href=m.json>", "m.json", Kind.OTHER, "link/@href"),
    "a script": ("<script src=s.js></script>", "s.js", Kind.SCRIPT, "script/@src"),
    "a frame": ("<iframe src=f.html></iframe>", "f.html", Kind.FRAME, "iframe/@src"),
    "an old frame": ("<frameset><frame src=f.html></frameset>", "f.html", Kind.FRAME, "frame/@src"),
    "an object": ("<object data=o.svg></object>", "o.svg", Kind.FRAME, "object/@data"),
    "an embedded document": ("<embed src=e.pdf>", "e.pdf", Kind.FRAME, "embed/@src"),
    "a drawing's image": ("<svg><image xlink:href=d.png /></svg>", "d.png", Kind.IMAGE, "image/@xlink:href"),
    "a drawing's part elsewhere": ("<svg><use href=sprite.svg#a></svg>", "sprite.svg", Kind.IMAGE, "use/@href"),
    "a style element": ("<style>p{background:url(b.png)}</style>", "b.png", Kind.IMAGE, "style/url()"),
    "a style attribute": ("<p style='background:url(\"b.png\")'>", "b.png", Kind.IMAGE, "p/@style/url()"),
    "what is seen without scripts": ("<noscript><img src=n.png></noscript>", "n.png", Kind.IMAGE, "img/@src"),
    "a shadow tree": (
        "<template shadowrootmode=open><img src=s.png></template>", "s.png", Kind.IMAGE, "img/@src",
    ),
    "a document within an attribute": (
        "<iframe srcdoc='<img src=&quot;in.png&quot;>'></iframe>", "in.png", Kind.IMAGE, "img/@src",
    ),
    "another host": ("<img src=//cdn.example/p.png>", "https://cdn.example/p.png", Kind.IMAGE, "img/@src"),
    "a letter beyond ASCII": ("<img src=ü.png>", "%C3%BC.png", Kind.IMAGE, "img/@src"),
    "credentials": ("<img src=https://u:p@cdn.example/p>", "https://cdn.example/p", Kind.IMAGE, "img/@src"),
}  # fmt: skip


@pytest.mark.parametrize("name", NAMED)
def test_what_a_page_needs_is_found(name: str) -> None:
    html, url, kind, place = NAMED[name]
    (only,) = find_in_html(html, PAGE).found
    assert (only.url.removeprefix("https://news.example/a/"), only.kind, only.place) == (url, kind, place)


@pytest.mark.parametrize(
    "html",
    [
        "<a href=page.html>",
        "<img src='data:image/png;base64,AAAA'>",
        "<img src=' DATA:image/png,x'>",
        "<iframe src=javascript:alert(1)></iframe>",
        "<iframe src=about:blank></iframe>",
        "<video src=blob:https://news.example/1></video>",
        "<img src=''><img src=' '><img>",
        "<img src='?x=1'>",
        "<svg><use href='#symbol'></svg>",
        "<img src='http://'><img src='https://[bad/'><img src='ftp://h.example/p.png'>",
        "<!-- <img src=p.png> -->",
        "<script>document.write('<img src=p.png>')</script>",
        "<textarea><img src=p.png></textarea><title><img src=p.png></title>",
        "<template><img src=p.png></template>",
        "<input src=p.png>",
        "<link rel=prefetch href=next.html><link rel=canonical href=c.html><link href=s.css>",
        "<style>/* url(p.png) */ p::after{content:'url(p.png)'}</style>",
        "<iframe srcdoc='<iframe src=deep.html></iframe>'></iframe>",
        "",
        " ",
        "\ud800",
    ],
)
def test_what_a_browser_would_not_fetch_is_left_alone(html: str) -> None:
    findings = find_in_html(html, PAGE)
    assert findings.found == ()
    assert findings.complete


def test_the_first_base_counts_wherever_it_stands() -> None:
    html = "<img src=p.png><base target=_blank href=/first/><base href=/other/><img src=q.png>"
    assert [f.url for f in find_in_html(html, PAGE).found] == [
        "https://news.example/first/p.png",
        "https://news.example/first/q.png",
    ]


@pytest.mark.parametrize("base", ["data:text/html,x", "javascript:0", "http://", "  "])
def test_a_base_that_is_no_address_counts_for_nothing(base: str) -> None:
    (only,) = find_in_html(f"<base href='{base}'><img src=p.png>", PAGE).found
    assert only.url == "https://news.example/a/p.png"


def test_each_address_counts_once_as_what_it_was_first() -> None:
    html = "<link rel=preload as=style href=s.css><link rel=stylesheet href=./s.css><img src=p.png><img src=p.png#top>"
    assert [(f.url.rpartition("/")[2], f.kind) for f in find_in_html(html, PAGE).found] == [
        ("s.css", Kind.STYLE),
        ("p.png", Kind.IMAGE),
    ]


def test_frames_count_one_level_deep() -> None:
    html = "<iframe src=inner.html></iframe><object data=o></object><img src=p.png>"
    assert [f.kind for f in find_in_html(html, PAGE, frames=False).found] == [Kind.IMAGE]


HOSTILE = {
    "nested without end": "<div>" * 300_000,
    "end tags without beginning under a deep tree": "<div>" * 5_000 + "</span>" * 200_000,
    "a style attribute of 10 MB": '<p style="' + "a" * 10_000_000 + '">',
    "a reference of 10 MB": '<img src="' + "a" * 10_000_000 + '">',
    "inline data of 5 MB": '<img src="data:image/png;base64,' + "A" * 5_000_000 + '">',
    "a source set of brackets": '<img srcset="' + "(" * 1_000_000 + '">',
    "a source set of commas": '<img srcset="' + "," * 1_000_000 + '">',
    "a source set without end": '<img srcset="' + "a 1x," * 200_000 + '">',
    "brackets in a style element": "<style>" + "({[" * 300_000 + "</style>",
    "attributes": "<p " + " ".join(f"a{n}=1" for n in range(100_000)) + ">",
    "many references": "".join(f"<img src={n}>" for n in range(50_000)),
    "a comment without end": "<!--" * 500_000,
}  # fmt: skip


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_page_costs_little_and_finds_no_more_than_the_bound(name: str) -> None:
    started = time.process_time()
    findings = find_in_html("<img src=first.png>" + HOSTILE[name], PAGE)
    assert time.process_time() - started < 10
    assert 1 <= len(findings.found) <= bounds.MAX_FOUND
    assert findings.found[0].url == "https://news.example/a/first.png"


def test_what_was_passed_over_is_told() -> None:
    assert not find_in_html(HOSTILE["many references"], PAGE).complete
    assert not find_in_html(HOSTILE["a reference of 10 MB"], PAGE).complete
    assert find_in_html(HOSTILE["inline data of 5 MB"], PAGE).complete


def test_what_follows_a_deep_tree_is_found() -> None:
    html = "<div>" * 20_000 + "<p>" + "text " * 4_000 + "<img src=late.png>"
    assert [f.url for f in find_in_html(html, PAGE).found] == ["https://news.example/a/late.png"]


@given(st.text(alphabet=st.sampled_from("<>/='\" \t\nimgsrcsetylbadivfp&;#()-!{}@\\,:x"), max_size=200))
def test_no_page_is_refused_and_all_that_is_found_can_be_fetched(html: str) -> None:
    for found in find_in_html(html, PAGE).found:
        assert found.url.startswith(("http://", "https://"))
        assert found.url.isascii()
        assert " " not in found.url
        assert "#" not in found.url
