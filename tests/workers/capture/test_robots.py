"""robots.txt by RFC 9309: groups, marks, line ends, sizes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.urls.error import UrlError
from workers.capture.robots import MAX_ROBOTS_BYTES, parse_robots, robots_url

SITE = "https://site.test"


def allows(text, path="/x", agent="citevault"):
    return parse_robots(text if isinstance(text, bytes) else text.encode(), agent).allows(SITE + path)


@given(st.text(st.characters(min_codepoint=0x21, max_codepoint=0x7E, exclude_characters="#"), max_size=12))
def test_without_a_rule_the_matcher_would_allow_what_is_allowed_without_it(path):
    rules = parse_robots(b"User-agent: *\nCrawl-delay: 2\n", "citevault")
    assert rules.lines == ()
    assert rules.allows(f"{SITE}/{path}")
    assert rules.matcher.can_fetch(f"http://host/{path}", "*")


@given(
    st.lists(st.tuples(st.sampled_from(["Allow", "Disallow"]), st.text("/ab.=~%*$?-_", max_size=6)), max_size=4),
    st.text("/ab.=~%*$?-_", max_size=8),
)
def test_what_is_allowed_at_a_glance_the_matcher_allows(rules, path):
    text = "User-agent: *\n" + "\n".join(f"{kind}: {value}" for kind, value in rules)
    quick, asks = parse_robots(text.encode(), "citevault"), parse_robots(text.encode(), "citevault")
    object.__setattr__(asks, "starts", ("",))
    assert quick.allows(f"{SITE}/{path}") == asks.allows(f"{SITE}/{path}")


def test_a_byte_order_mark_does_not_hide_the_first_rule():
    """Complaint 63."""
    for mark, encoding in ((b"\xef\xbb\xbf", "utf-8"), (b"\xfe\xff", "utf-16-be"), (b"\xff\xfe", "utf-16-le")):
        assert not allows(mark + "User-agent: *\nDisallow: /".encode(encoding))


@pytest.mark.parametrize("named", ["citevault", "Citevault", "CITEVAULT/2.0", "citevault bot", "citevault\t"])
def test_a_group_binds_us_if_its_token_is_ours(named):
    assert not allows(f"User-agent: {named}\nDisallow: /\n\nUser-agent: *\nAllow: /")


@pytest.mark.parametrize("named", ["c", "cite", "citevaultbot", "citevault-news", "notcitevault", "cite vault", ""])
def test_a_group_whose_token_only_resembles_ours_does_not_bind_us(named):
    assert allows(f"User-agent: {named}\nDisallow: /")


@pytest.mark.parametrize("character", ["\x0b", "\x0c", "\x1c", "\x85", "\u2028", "\u2029"])
def test_only_cr_and_lf_end_a_line_so_a_comment_cannot_smuggle_a_rule(character):
    assert not allows(f"User-agent: *\nDisallow: /x # see{character}Allow: /x")
    assert allows(f"# intro{character}User-agent: *\n# more{character}Disallow: /")


@pytest.mark.parametrize("end", ["\n", "\r", "\r\n"])
def test_each_line_end_ends_a_line(end):
    assert not allows(end.join(["User-agent: *", "Disallow: /x"]))


def test_our_own_group_takes_the_place_of_the_one_for_everybody():
    assert allows("User-agent: *\nDisallow: /\n\nUser-agent: citevault\nDisallow:")
    assert allows("User-agent: *\nDisallow: /\n\nUser-agent: citevault")


def test_groups_of_one_token_are_merged_and_the_longest_match_decides():
    text = "User-agent: citevault\nDisallow: /x\n\nUser-agent: other\nDisallow: /\n\nUser-agent: citevault\nAllow: /x/y"
    assert not allows(text, "/x/z")
    assert allows(text, "/x/y/z")
    assert allows("User-agent: *\nDisallow: /x\nAllow: /x", "/x")


def test_a_line_of_another_kind_does_not_end_a_group():
    """RFC 9309, 2.2.4."""
    assert not allows("User-agent: citevault\nSitemap: https://site.test/s.xml\nUser-agent: other\nDisallow: /x")
    assert not allows("User-agent: citevault\nCrawl-delay: 5\nUser-agent: other\nDisallow: /x")


@pytest.mark.parametrize("word", ["Disallow", "Dissallow", "dissalow", "Disalow", "diasllow", "disallaw", "DISALLOW "])
def test_a_misspelt_disallow_is_honoured(word):
    assert not allows(f"User-agent: *\n{word}: /x")


def test_a_missing_colon_and_tags_at_the_end_of_a_line_are_forgiven():
    assert not allows("user-agent citevault\ndisallow /x")
    assert not allows("User-agent: *<BR>\nDisallow: /x <br/></p>")


@pytest.mark.parametrize(
    ("rule", "path", "allowed"),
    [
        ("/a*b", "/axxb/c", False),
        ("/a$", "/a", False),
        ("/a$", "/ab", True),
        ("/*.php$", "/x.php", False),
        ("/*.php$", "/x.php?y", True),
        ("/caf%C3%A9", "/café", False),
        ("/café", "/caf%c3%a9", False),
        ("/a%2Fb", "/a/b", True),
        ("/a b", "/a%20b", False),
        ("/?q", "/?q=1", False),
        ("/secret", "/x/../secret", False),
        ("/secret", "/secrets", False),
        ("/Secret", "/secret", True),
        ("", "/x", True),
    ],
)
def test_a_rule_matches_path_and_query(rule, path, allowed):
    assert allows(f"User-agent: *\nDisallow: {rule}", path) is allowed


def test_the_file_itself_may_always_be_fetched():
    assert allows("User-agent: *\nDisallow: /", "/robots.txt")


def test_what_lies_beyond_500_kib_is_not_read_and_a_line_cut_there_is_no_rule():
    filler = b"User-agent: *\n" + b"#" * (MAX_ROBOTS_BYTES - 30) + b"\nAllow: /x/public/files\nDisallow: /x"
    assert len(filler) > MAX_ROBOTS_BYTES
    assert allows(filler)
    assert allows(b"User-agent: *\nDisallow: /\n" + b"x" * MAX_ROBOTS_BYTES, "/") is False


@pytest.mark.parametrize(
    ("value", "delay"),
    [("5", 5.0), ("0.5", 0.5), ("x", None), ("-1", None), ("1e9", None), ("nan", None), ("9" * 99, None)],
)
def test_a_crawl_delay_is_a_plain_number_of_our_group(value, delay):
    assert parse_robots(f"User-agent: *\nCrawl-delay: {value}\nDisallow: /x".encode(), "citevault").crawl_delay == delay


def test_a_crawl_delay_of_another_group_is_not_ours():
    text = b"User-agent: citevault\nDisallow: /x\n\nUser-agent: *\nCrawl-delay: 9"
    assert parse_robots(text, "citevault").crawl_delay is None


@pytest.mark.parametrize("junk", [b"", b"\x00\xff\xfe\x80", b"<!DOCTYPE html><html>", b":\n::\n#", b"\xff" * 1000])
def test_junk_holds_no_rules(junk):
    rules = parse_robots(junk, "citevault")
    assert (rules.group, rules.allows(SITE + "/")) == ("none", True)


def test_rules_stand_per_scheme_host_and_port():
    assert robots_url("http://Example.com/a?b#c") == "http://example.com/robots.txt"
    assert robots_url("https://example.com:443/") == "https://example.com/robots.txt"
    assert robots_url("https://u:p@example.com:8443/") == "https://example.com:8443/robots.txt"
    assert robots_url("http://[::1]:8080/x") == "http://[::1]:8080/robots.txt"
    assert isinstance(robots_url("mailto:a@b"), UrlError)


def test_a_url_that_cannot_be_fetched_is_not_allowed():
    assert not parse_robots(b"", "citevault").allows("mailto:a@b")
