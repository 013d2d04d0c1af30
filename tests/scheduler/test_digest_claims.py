"""What servers say of their content's digest, as a person hears of it (R055)."""

from __future__ import annotations

import asyncio

import pytest

from scheduler.digest_claims import MOST_REMARKS, digest_remarks, verdict_in_words
from schemas.records.job import Lane
from schemas.records.snapshot import ServerDigest
from workers.adapters.directory import DirectoryObjectStore
from workers.flows.documents import pack_lines
from workers.ports import SegmentEntry

WRONG = ServerDigest(field="content-digest", algorithm="sha-256", agrees=False, reason=None)
RIGHT = ServerDigest(field="digest", algorithm="md5", agrees=True, reason=None)
UNKNOWN = ServerDigest(field="repr-digest", algorithm=None, agrees=None, reason="broken base64")


@pytest.mark.parametrize(
    ("claim", "words"),
    [(WRONG, "content-digest sha-256: is not that"), (RIGHT, "digest md5: agrees"), (UNKNOWN, "broken base64")],
)
def test_a_claim_is_told_in_words(claim, words):
    assert words in verdict_in_words(claim)


def test_only_what_does_not_hold_is_remarked_on_and_a_thousand_times_at_most(tmp_path, receipt_of, snapshot_lines_of):
    urls = [f"http://{number}/" for number in range(MOST_REMARKS + 100)]
    lines = snapshot_lines_of(receipt_of(urls))
    claims = [(WRONG, RIGHT), (RIGHT,), (UNKNOWN,), *[(WRONG,)] * (len(lines) - 3)]
    claimed = [
        line.model_copy(update={"snapshot": line.snapshot.model_copy(update={"server_digests": made})})
        for line, made in zip(lines, claims, strict=True)
    ]
    entries = [
        SegmentEntry("s-1", "job-1", Lane.BULK, "extracted", "commits/1", snapshots_key=key)
        for key in ("", "text/few", "text/many")
    ]

    async def look():
        store = DirectoryObjectStore(tmp_path)
        await store.put("text/few", pack_lines(claimed[:4]))
        few = await digest_remarks(store, entries[:2])
        await store.put("text/many", pack_lines(claimed))
        return few, await digest_remarks(store, entries)

    few, many = asyncio.run(look())
    assert [remark.requested_url for remark in few] == ["http://0/", "http://3/"]
    assert len(many) == MOST_REMARKS
