"""The short way to a seed's line gives what the record gives."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from scheduler.intake.lines import read_urls
from scheduler.intake.seed_lines import is_plain, plain_line, seed_line
from schemas.records.job import Seed

paths = st.text(st.characters(min_codepoint=0x21, max_codepoint=0x7E, exclude_characters='"\\'))


@given(st.integers(0, 2**53 - 1), paths)
def test_a_plain_line_is_the_line_of_its_record(line: int, path: str):
    url = f"https://a.test/{path}"
    assert is_plain(url)
    seed = Seed(line=line, requested_url=url, normalized_url=url)
    assert plain_line(line, url).encode() == seed_line(seed)


URLS = st.sampled_from(
    ["https://a.test/", "https://a.test/#x", "https://A.test", 'https://a.test/"', 'https://a.test/"#x', "mailto:x"]
)


@given(st.lists(URLS, max_size=12))
def test_seeds_are_those_that_remembering_everything_would_give(urls: list[str]):
    identity = {"https://a.test/#x": "https://a.test/", "https://A.test": "https://a.test/"}
    identity['https://a.test/"#x'] = 'https://a.test/"'
    spellings: dict[str, list[str]] = {}
    for url in urls:
        if url != "mailto:x":
            spellings.setdefault(identity.get(url, url), []).append(url)
    lines = read_urls(urls)
    seeds = [one for one in lines if isinstance(one, Seed)]
    assert [seed.normalized_url for seed in seeds] == list(spellings)
    for seed, asked in zip(seeds, spellings.values(), strict=True):
        assert (seed.requested_url, *seed.also) == tuple(dict.fromkeys(asked))
    assert lines.duplicates == sum(map(len, spellings.values())) - len(spellings)
