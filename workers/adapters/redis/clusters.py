"""`ClusterState` on Redis, behind the epoch check. All of it follows from the objects of the cluster log.

Per text some 500 bytes and 130 for each further snapshot of it; per confirmed edge some 700, since verdicts are
kept whole. A state that is not loaded (a new archive, a lost Redis, a rebuild) refuses to be read.
"""

from __future__ import annotations

import secrets
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from redis.asyncio.client import Pipeline

from schemas.records.cluster import ClusterMember, EdgeVerdict
from workers.adapters.redis.cluster_change import Before, Commands, commands_of
from workers.adapters.redis.cluster_keys import ClusterKeys
from workers.adapters.redis.guard import Argument, Guard, Reply, Script
from workers.adapters.redis.replies import maybe_byte_list, number, text_map
from workers.adapters.redis.translate import REBUILD, script_errors
from workers.errors import RetryableError
from workers.frontier.scripts import guarded
from workers.ports import ClusterChange, ClusterMembers, ClusterPosition, Neighbourhood

READ_BATCH = 1000


@dataclass(frozen=True)
class RedisClusters:
    """The port `ClusterState` for one parameter id."""

    guard: Guard
    params: str

    # --- writing, under the lock ---

    async def hold(self, seconds: float) -> str | None:
        token = secrets.token_hex(16)
        return token if await self._locking("take", token, seconds) else None

    async def keep(self, token: str, seconds: float) -> bool:
        return await self._locking("keep", token, seconds)

    async def release(self, token: str) -> None:
        await self._locking("release", token, 0)

    async def intend(self, token: str, clusters_key: str) -> bool:
        commands = Commands()
        commands.set_fields(self._keys.meta, {"pending": clusters_key})
        return await self._write(token, "", commands)

    async def apply(self, token: str, change: ClusterChange) -> bool:
        before = await self._before(change)
        answer = await self._answer(token, str(before.sequence), commands_of(change, before, self._keys))
        # With the lock held, it is an earlier try of this call that has gone on, whose answer was lost.
        return answer == b"OK" or (answer == b"MOVED" and await self.is_applied(change.name))

    async def clear(self, token: str) -> bool:
        unload = Commands()
        unload.add("HDEL", self._keys.meta, ["loaded"])
        if not await self._write(token, "", unload):
            return False
        found: list[str] = []
        with script_errors("clear the cluster state"):
            async for key in self.guard.client.scan_iter(match=self._keys.prefix + "*", count=READ_BATCH):
                found.append(key.decode())
        for start in range(0, len(found), READ_BATCH):
            commands = Commands()
            for key in found[start : start + READ_BATCH]:
                commands.add("UNLINK", key)
            if not await self._write(token, "", commands):
                return False
        start_over = Commands()
        start_over.set_fields(self._keys.meta, {"sequence": "0", "births": "0", "pending": ""})
        return await self._write(token, "", start_over)

    async def loaded(self, token: str) -> bool:
        commands = Commands()
        commands.set_fields(self._keys.meta, {"loaded": "1"})
        return await self._write(token, "", commands)

    # --- reading for the next decision; also while the state is being loaded ---

    async def position(self) -> ClusterPosition | None:
        meta, unsettled = await self.guard.read(
            lambda pipe: (pipe.hgetall(self._keys.meta), pipe.smembers(self._keys.unsettled)), "cluster position"
        )
        fields = text_map(meta)
        if "loaded" not in fields:
            return None
        return ClusterPosition(int(fields["sequence"]), fields["pending"], frozenset(_texts(unsettled)))

    async def is_applied(self, name: str) -> bool:
        (reply,) = await self._read(lambda pipe: pipe.sismember(self._keys.applied, name))
        return bool(reply)

    async def witnesses(self, texts: Sequence[str]) -> Mapping[str, str]:
        return await self._fields(self._keys.witness, texts)

    async def taken(self, cluster_ids: Sequence[str]) -> frozenset[str]:
        standing = await self._fields(self._keys.clusters, cluster_ids)
        return frozenset([*standing, *await self._fields(self._keys.alias, cluster_ids)])

    async def neighbourhood(self, texts: Iterable[str]) -> Neighbourhood:
        found: set[str] = set()
        frontier = set(texts)
        cluster_ids: dict[str, str] = {}
        edges: dict[tuple[str, str], int] = {}
        seen_clusters: set[str] = set()
        witnesses: dict[str, str] = {}
        while frontier:
            found |= frontier
            shown = await self.witnesses(sorted(frontier))
            witnesses |= shown
            level = sorted(shown)  # a text that nothing has shown yet has no edges, and most are such
            cluster_ids |= await self._fields(self._keys.cluster_of, level)
            near = await self._each(level, lambda pipe, text: pipe.hgetall(self._keys.near(text)))
            reached: set[str] = set()
            for text, reply in zip(level, near, strict=True):
                for other, overlap in text_map(reply).items():
                    edges[min(text, other), max(text, other)] = int(overlap)
                    reached.add(other)
            clusters = sorted({cluster_ids[text] for text in level if text in cluster_ids} - seen_clusters)
            seen_clusters.update(clusters)
            for reply in await self._each(clusters, lambda pipe, cluster: pipe.smembers(self._keys.texts(cluster))):
                reached.update(_texts(reply))
            frontier = reached - found
        standing = await self._fields(self._keys.clusters, sorted(seen_clusters))
        return Neighbourhood(
            witnesses=witnesses,
            cluster_ids=cluster_ids,
            edges=edges,
            clusters={cluster: _born(value) for cluster, value in standing.items()},
        )

    # --- reading for everybody else ---

    async def cluster_of(self, text_sha256: str) -> str | None:
        (found,) = await self._read_loaded(lambda pipe: pipe.hget(self._keys.cluster_of, text_sha256))
        return found.decode() if isinstance(found, bytes) else None

    async def clusters_of_source(self, source_id: str) -> frozenset[str]:
        (reply,) = await self._read_loaded(lambda pipe: pipe.smembers(self._keys.source(source_id)))
        return frozenset((await self._fields(self._keys.cluster_of, sorted(_texts(reply)))).values())

    async def resolve(self, cluster_id: str) -> str | None:
        stands, alias = await self._read_loaded(
            lambda pipe: (pipe.hexists(self._keys.clusters, cluster_id), pipe.hget(self._keys.alias, cluster_id))
        )
        if stands:
            return cluster_id
        return alias.decode() if isinstance(alias, bytes) else None

    async def members(self, cluster_id: str) -> ClusterMembers | None:
        own_id = await self.resolve(cluster_id)
        if own_id is None:
            return None
        standing, texts, aliases = await self._read(
            lambda pipe: (
                pipe.hget(self._keys.clusters, own_id),
                pipe.smembers(self._keys.texts(own_id)),
                pipe.smembers(self._keys.aliases(own_id)),
            )
        )
        if not isinstance(standing, bytes):
            return None  # merged away between the two reads; its new id answers
        listed = sorted(_texts(texts))
        snapshots = await self._each(listed, lambda pipe, text: pipe.smembers(self._keys.snapshots(text)))
        members = [member for text, reply in zip(listed, snapshots, strict=True) for member in _members(text, reply)]
        return ClusterMembers(
            id=own_id,
            leader_text_sha256=_born(standing.decode())[1],
            members=tuple(sorted(members, key=lambda member: member.snapshot_id)),
            aliases=tuple(sorted(_texts(aliases))),
        )

    async def edges(self, cluster_id: str) -> list[EdgeVerdict]:
        own_id = await self.resolve(cluster_id)
        if own_id is None:
            return []
        (reply,) = await self._read(lambda pipe: pipe.smembers(self._keys.texts(own_id)))
        texts = sorted(_texts(reply))
        verdicts = await self._each(texts, lambda pipe, text: pipe.hgetall(self._keys.verdicts(text)))
        within = set(texts)
        return [
            EdgeVerdict.model_validate_json(verdict)
            for fields in map(text_map, verdicts)
            for other, verdict in sorted(fields.items())
            if other in within
        ]

    async def snapshots_of_text(self, text_sha256: str) -> list[ClusterMember]:
        (reply,) = await self._read_loaded(lambda pipe: pipe.smembers(self._keys.snapshots(text_sha256)))
        return sorted(_members(text_sha256, reply), key=lambda member: member.snapshot_id)

    async def all(self) -> AsyncIterator[str]:
        await self._read_loaded(lambda pipe: None)
        with script_errors("list clusters"):
            async for name, _ in self.guard.client.hscan_iter(self._keys.clusters, count=READ_BATCH):
                yield name.decode()

    # --- within ---

    @property
    def _keys(self) -> ClusterKeys:
        return ClusterKeys(self.params)

    @cached_property
    def _lock_script(self) -> Script:
        return self.guard.script(guarded("workers.adapters.redis", "cluster_lock"), "lock the cluster state")

    @cached_property
    def _write_script(self) -> Script:
        return self.guard.script(guarded("workers.adapters.redis", "cluster_write"), "write the cluster state")

    async def _locking(self, verb: str, token: str, seconds: float) -> bool:
        return bool(number(await self._lock_script([self._keys.lock], [verb, token, round(seconds * 1000)])))

    async def _write(self, token: str, sequence: str, commands: Commands) -> bool:
        return await self._answer(token, sequence, commands) == b"OK"

    async def _answer(self, token: str, sequence: str, commands: Commands) -> Reply:
        fixed = [self._keys.lock, self._keys.meta]
        first = len(fixed) + 2  # Lua counts from 1, and the epoch's key comes before ours
        args: list[Argument] = [token, sequence]
        for verb, place, *rest in commands.commands:
            args += (verb, first + int(place), len(rest), *rest)
        return await self._write_script([*fixed, *commands.keys], args)

    async def _before(self, change: ClusterChange) -> Before:
        (meta,) = await self._read(lambda pipe: pipe.hgetall(self._keys.meta))
        fields = text_map(meta)
        if "sequence" not in fields:
            raise _not_loaded()
        named = sorted({decision.cluster_id for decision in change.decisions})
        gone = sorted({decision.other for decision in change.decisions if decision.kind == "merge" and decision.other})
        aliases = await self._each(gone, lambda pipe, cluster: pipe.smembers(self._keys.aliases(cluster)))
        standing = await self._fields(self._keys.clusters, named)
        return Before(
            sequence=int(fields["sequence"]),
            births=int(fields["births"]),
            witnesses=await self.witnesses(sorted({member.text_sha256 for member in change.members})),
            clusters={cluster: _born(value)[0] for cluster, value in standing.items()},
            aliases={cluster: frozenset(_texts(reply)) for cluster, reply in zip(gone, aliases, strict=True)},
        )

    async def _read(self, fill: Callable[[Pipeline], object]) -> list[Reply]:
        return await self.guard.read(fill, "read the cluster state")

    async def _read_loaded(self, fill: Callable[[Pipeline], object]) -> list[Reply]:
        loaded, *replies = await self._read(lambda pipe: (pipe.hexists(self._keys.meta, "loaded"), fill(pipe)))
        if not loaded:
            raise _not_loaded()
        return replies

    async def _each(self, items: Sequence[str], fill: Callable[[Pipeline, str], object]) -> list[Reply]:
        replies: list[Reply] = []
        for start in range(0, len(items), READ_BATCH):
            batch = items[start : start + READ_BATCH]
            replies += await self._read(lambda pipe, batch=batch: [fill(pipe, item) for item in batch])  # type: ignore[misc]
        return replies

    async def _fields(self, key: str, names: Sequence[str]) -> dict[str, str]:
        """Fields of a hash; absent ones are left out."""
        found: dict[str, str] = {}
        for start in range(0, len(names), READ_BATCH):
            batch = list(names[start : start + READ_BATCH])
            (reply,) = await self._read(lambda pipe, batch=batch: pipe.hmget(key, batch))  # type: ignore[misc]
            pairs = zip(batch, maybe_byte_list(reply), strict=True)
            found |= {name: value.decode() for name, value in pairs if value is not None}
        return found


def _texts(reply: Reply) -> set[str]:
    if not isinstance(reply, set | list):
        raise TypeError(f"expected a set, got {type(reply).__name__}")
    return {item.decode() for item in reply}


def _members(text: str, reply: Reply) -> list[ClusterMember]:
    pairs = (entry.split(" ") for entry in _texts(reply))
    return [ClusterMember(snapshot_id=snapshot, source_id=source, text_sha256=text) for snapshot, source in pairs]


def _born(value: str) -> tuple[int, str]:
    births, leader = value.split(" ")
    return int(births), leader


def _not_loaded() -> RetryableError:
    return RetryableError("the cluster state is not loaded", where="clusters", next_step=REBUILD)
