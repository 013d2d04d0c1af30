"""Names of objects say what made them, so that what is derived anew never meets the old."""

from __future__ import annotations

from schemas import keys

SEGMENT = "20261129T100000Z-01ARZ3NDEKTSV4RRFFQ69G5FAV"
EXTRACTOR, OTHER = "trafilatura@2.3.1+0123abcd", "trafilatura@2.4.0+4567cdef"
PARAMS = "minhash-w5-p128-affine32-s1-sha1-32"


def test_r057_texts_prints_and_clusters_of_another_extractor_lie_elsewhere():
    made = [
        (keys.snapshots(each, SEGMENT), keys.prints(PARAMS, each, SEGMENT), keys.clusters(PARAMS, each, SEGMENT))
        for each in (EXTRACTOR, OTHER)
    ]
    assert not set(made[0]) & set(made[1])
    assert [keys.extractor_of(key) for key in made[0]] == [EXTRACTOR] * 3


def test_no_extractor_is_read_out_of_a_key_that_has_none():
    for key in (f"prints/{PARAMS}/2026/11/29/{SEGMENT}.jsonl.gz", keys.warc(SEGMENT, "a1"), "text", ""):
        assert keys.extractor_of(key) == ""
