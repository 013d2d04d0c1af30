"""`Ledger` on Redis: one hash a segment, one sorted set a stage, one a job. All of it can be rebuilt from objects.

About 450 bytes a segment, which is some 2 bytes a URL in bulk.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final, get_args

from schemas.records.job import Lane
from workers.adapters.redis.guard import Argument, Guard, Script
from workers.adapters.redis.replies import text_list, text_map
from workers.frontier import names
from workers.frontier.scripts import guarded
from workers.ports import SegmentEntry, Stage

STAGES: Final[tuple[Stage, ...]] = get_args(Stage)
"""In the order in which a segment passes them."""
ERROR_CHARACTERS: Final = 2000
_STAGE_KEYS: Final = [names.stage(stage) for stage in STAGES]


@dataclass(frozen=True)
class RedisLedger:
    """The port `Ledger`."""

    guard: Guard

    async def advance(self, entry: SegmentEntry) -> None:
        """Put a segment at a stage. Empty keys of the entry leave what an earlier stage wrote."""
        args: list[Argument] = [entry.segment_id, STAGES.index(entry.stage) + 1, entry.since_ms, int(entry.follows)]
        args += ["job_id", entry.job_id, "lane", entry.lane.value, "receipt_key", entry.receipt_key]
        args += ["snapshots_key", entry.snapshots_key, "prints_key", entry.prints_key]
        args += ["clusters_key", entry.clusters_key]
        keys = [names.segment(entry.segment_id), names.job_segments(entry.job_id), names.unread(entry.job_id)]
        keys += [names.FAILING, names.PARKED, *_STAGE_KEYS]
        await self._advance(keys, args)

    async def at(self, stage: Stage, *, limit: int = 1000) -> list[SegmentEntry]:
        """Segments at a stage, longest there first; parked ones are left out."""
        (reply,) = await self.guard.read(lambda pipe: pipe.zrange(names.stage(stage), 0, limit - 1), "ledger at")
        # Between the two reads a segment may have moved on; then it is no longer at this stage.
        return [entry for entry in await self._entries(text_list(reply)) if entry.stage == stage and not entry.parked]

    async def of_job(self, job_id: str) -> list[SegmentEntry]:
        """All segments of a job, in order of their ids."""
        (reply,) = await self.guard.read(lambda pipe: pipe.zrange(names.job_segments(job_id), 0, -1), "ledger of job")
        return await self._entries(text_list(reply))

    async def touch(self, segment_id: str, *, now_ms: int) -> None:
        """Its message was sent again."""
        await self._note(segment_id, "sent", now_ms)

    async def fail(self, segment_id: str, error: str, *, own: bool, now_ms: int) -> None:
        """A worker told an error."""
        await self._note(segment_id, "own" if own else "other", now_ms, error)

    async def failing(self, *, limit: int = 1000) -> list[SegmentEntry]:
        """Those whose worker told an error, longest ago first."""
        (reply,) = await self.guard.read(lambda pipe: pipe.zrange(names.FAILING, 0, limit - 1), "ledger failing")
        return [entry for entry in await self._entries(text_list(reply)) if entry.failed and not entry.parked]

    async def park(self, segment_id: str, *, error: str, now_ms: int) -> None:
        """Its message will not be sent again until it has moved on by itself, or is resumed."""
        await self._note(segment_id, "park", now_ms, error)

    async def resume(self, segment_id: str) -> None:
        """Its message will be sent again, and soon: it counts as having waited since 1970."""
        await self._note(segment_id, "resume", 0)

    async def parked(self, *, limit: int = 1000) -> list[SegmentEntry]:
        """Parked segments of all jobs."""
        (reply,) = await self.guard.read(lambda pipe: pipe.zrange(names.PARKED, 0, limit - 1), "ledger parked")
        return [entry for entry in await self._entries(text_list(reply)) if entry.parked]

    async def depths(self) -> dict[Stage, int]:
        """How many segments are at each stage, parked ones left out."""
        replies = await self.guard.read(lambda pipe: [pipe.zcard(key) for key in _STAGE_KEYS], "ledger depths")
        return {stage: count for stage, count in zip(STAGES, replies, strict=True) if isinstance(count, int)}

    async def _entries(self, segment_ids: Sequence[str]) -> list[SegmentEntry]:
        replies = await self.guard.read(
            lambda pipe: [pipe.hgetall(names.segment(segment_id)) for segment_id in segment_ids], "ledger entries"
        )
        pairs = zip(segment_ids, map(text_map, replies), strict=True)
        return [_entry(segment_id, fields) for segment_id, fields in pairs if fields]

    async def _note(self, segment_id: str, what: str, now_ms: int, error: str = "") -> None:
        (job_id,) = await self.guard.read(lambda pipe: pipe.hget(names.segment(segment_id), "job_id"), "ledger job")
        if isinstance(job_id, bytes):
            keys = [names.segment(segment_id), names.unread(job_id.decode()), names.FAILING, names.PARKED, *_STAGE_KEYS]
            await self._touch(keys, [segment_id, now_ms, what, error[:ERROR_CHARACTERS]])

    @cached_property
    def _advance(self) -> Script:
        return self.guard.script(guarded("workers.adapters.redis", "advance"), "ledger advance")

    @cached_property
    def _touch(self) -> Script:
        return self.guard.script(guarded("workers.adapters.redis", "touch"), "ledger touch")


def _entry(segment_id: str, fields: dict[str, str]) -> SegmentEntry:
    return SegmentEntry(
        segment_id=segment_id,
        job_id=fields["job_id"],
        lane=Lane(fields["lane"]),
        stage=STAGES[int(fields["stage_number"]) - 1],
        receipt_key=fields["receipt_key"],
        snapshots_key=fields.get("snapshots_key", ""),
        prints_key=fields.get("prints_key", ""),
        clusters_key=fields.get("clusters_key", ""),
        since_ms=int(fields["since_ms"]),
        tries=int(fields["tries"]),
        follows=fields.get("follows") == "1",
        failures=int(fields.get("failures", 0)),
        put_off=int(fields.get("put_off", 0)),
        error=fields.get("error", ""),
        failed="failed" in fields,
        parked="parked" in fields,
    )
