"""`index` and `rebuild`: one sorted CDXJ file, and a Redis that comes back from the bucket."""

from __future__ import annotations

import asyncio
import json

import pytest
import redis

from scheduler.cli import index as index_command

pytestmark = pytest.mark.real


def test_shards_are_merged_into_sorted_lines(citevault, filled, tmp_path):
    target = tmp_path / "deep" / "all.cdxj"
    said = citevault("index", "-o", str(target))
    assert (said.code, said.stdout) == (0, b"")
    lines = target.read_bytes().splitlines()
    assert lines == sorted(lines)
    assert f"{len(lines)} lines from 2 shards: {target}" in said.err
    urls = [json.loads(line.split(b" ", 2)[2])["url"] for line in lines]
    assert urls.count(filled.web.url("authority", "/status")) == 2
    assert [path.name for path in target.parent.iterdir()] == ["all.cdxj"]


def test_many_shards_are_merged_in_rounds(citevault, tmp_path, monkeypatch):
    whole, rounds = tmp_path / "whole.cdxj", tmp_path / "rounds.cdxj"
    assert citevault("index", "-o", str(whole)).code == 0
    shards = []
    for number, line in enumerate(whole.read_bytes().splitlines(keepends=True)):
        shards.append(tmp_path / f"{number}.cdxj")
        shards[-1].write_bytes(line)
    monkeypatch.setattr(index_command, "MERGED_AT_ONCE", 2)
    assert index_command._merge(shards, rounds, tmp_path) == len(shards)
    assert rounds.read_bytes() == whole.read_bytes()


def test_an_index_goes_to_the_data_directory(fresh, empty):
    assert fresh("index").code == 0
    assert (empty.data_dir / "index.cdxj").read_bytes() == b""


def test_a_lost_redis_comes_back_from_the_bucket(fresh, empty, filled, plane_over):
    async def fill():
        async with plane_over(empty) as plane:
            await plane.job([filled.web.url("authority", "/barrier")])
            for batch in await plane.release():
                await plane.capture(batch)
            await plane.deliver()

    asyncio.run(fill())
    before = fresh("snapshots", "--json").json
    assert len(before) == 1
    with redis.Redis.from_url(empty.redis_url) as client:
        client.flushall()
    lost = fresh("snapshots", "--json")
    assert (lost.code, lost.stdout) == (3, b"")
    said = fresh("rebuild", "--json")
    assert said.code == 0
    assert said.json["epoch"] == 2
    assert said.json["damaged"] == said.json["differences"] == []
    assert all(isinstance(value, int) for name, value in said.json.items() if name not in ("damaged", "differences"))
    assert fresh("snapshots", "--json").json == before
    again = fresh("rebuild")
    assert (again.code, again.stdout) == (0, b"")
    assert "restored under epoch 3" in again.err
    assert "URLs a second; what Redis holds is the same as what the objects say" in again.err
