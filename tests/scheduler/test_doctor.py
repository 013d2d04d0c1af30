"""The doctor: words for people, and never a traceback, whatever is missing."""

import asyncio
import dataclasses
import resource
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from scheduler import doctor
from scheduler.doctor import Check, diagnose, worst_exit
from scheduler.stack.running import RunningStores
from workers.adapters.s3.store import S3ObjectStore
from workers.adapters.stores import open_store
from workers.config import Settings
from workers.flows.compiled import Uncompiled

pytestmark = [pytest.mark.real, pytest.mark.allow_hosts(["127.0.0.1"])]


@pytest.fixture
def healthy(tmp_path: Path, redis_url: str, seaweed: RunningStores) -> Settings:
    return seaweed.reached_by(
        Settings(data_dir=tmp_path, redis_url=redis_url, contact="https://example.org/bot", s3_attempts=1)
    )


def by_name(checks: list[Check]) -> dict[str, Check]:
    return {check.name: check for check in checks}


def test_a_healthy_installation_is_told_so(healthy: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "LEAST_FREE_BYTES", 1)
    monkeypatch.setattr(doctor, "uncompiled", lambda: None)
    checks = diagnose(healthy)
    assert [check for check in checks if not check.ok] == []
    seen = by_name(checks)
    assert seen["redis version"].message.startswith("Valkey 9")
    assert "noeviction" in seen["redis memory"].message
    assert "honoured" in seen["conditional put"].message
    assert worst_exit(checks) == 0


def test_with_nothing_running_each_check_says_what_to_do(tmp_path: Path) -> None:
    checks = diagnose(Settings(data_dir=tmp_path / "absent"))
    seen = by_name(checks)
    assert seen["redis"] == Check("redis", False, "the local stack does not run", "start it with `citevault up`")
    assert not seen["s3"].ok
    assert "CITEVAULT_CONTACT" in seen["contact"].next_step
    assert all(check.message for check in checks)
    assert all(check.next_step for check in checks if not check.ok)
    assert worst_exit(checks) == 3


def test_fingerprints_without_compiled_code_are_a_note_with_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "uncompiled", Uncompiled)
    found = doctor.compiled_fingerprints()
    assert worst_exit([found]) == 0, "everything works, only more slowly"
    assert "slowly" in found.message
    assert "python -m workers.native" in found.next_step


def test_stores_that_do_not_answer_are_told_without_a_traceback(tmp_path: Path) -> None:
    settings = Settings(
        data_dir=tmp_path,
        redis_url="redis://127.0.0.1:1/0",
        s3_endpoint="http://127.0.0.1:1",
        aws_access_key_id="k",
        aws_secret_access_key="s",
        s3_attempts=1,
    )
    seen = by_name(diagnose(settings))
    assert "no connection to Redis" in seen["redis"].message
    assert "no connection to S3" in seen["s3"].message
    assert "could not be compared" in seen["clock"].message


def test_wrong_credentials_and_a_missing_bucket_are_told_apart(healthy: Settings) -> None:
    wrong = dataclasses.replace(healthy, aws_secret_access_key="wrong")
    refused = asyncio.run(doctor.store_checks(wrong))
    assert "refuses these credentials" in refused[0].message
    absent = asyncio.run(doctor.store_checks(dataclasses.replace(healthy, s3_bucket="another")))
    assert [check.ok for check in absent] == [False]
    assert "CITEVAULT_S3_BUCKET" in absent[0].next_step


def test_uploads_that_nobody_aborts_are_told(object_store: S3ObjectStore) -> None:
    """The scheduler should have, an hour ago at the latest."""

    async def scenario() -> None:
        now = datetime.now(UTC)
        await object_store.uploads.begin("warc/2026/11/29/a.warc.gz")
        assert (await doctor.unfinished_uploads(object_store.uploads, now + timedelta(hours=24.5))).ok
        told = await doctor.unfinished_uploads(object_store.uploads, now + timedelta(hours=26))
        assert not told.ok
        assert "1 that nobody will finish" in told.message
        assert "warc/2026/11/29/a.warc.gz" in told.message
        assert "scheduler" in told.next_step

    asyncio.run(scenario())


def test_uploads_that_cannot_be_listed_are_not_called_none(healthy: Settings) -> None:
    store = open_store(dataclasses.replace(healthy, s3_bucket="another"))
    try:
        told = asyncio.run(doctor.unfinished_uploads(store.uploads, datetime.now(UTC)))
    finally:
        store.close()
    assert not told.ok
    assert "could not be listed" in told.message


def test_an_evicting_redis_is_a_danger(healthy: Settings, redis_url: str) -> None:
    import redis

    with redis.Redis.from_url(redis_url) as client:
        client.config_set("maxmemory-policy", "allkeys-lru")
        try:
            checks = asyncio.run(doctor.redis_checks(healthy))
        finally:
            client.config_set("maxmemory-policy", "noeviction")
    assert by_name(checks)["redis memory"].next_step == "set maxmemory-policy to noeviction"


def test_a_directory_store_is_checked_too(tmp_path: Path) -> None:
    settings = Settings(data_dir=tmp_path, s3_endpoint=(tmp_path / "store").as_uri())
    assert [check.ok for check in asyncio.run(doctor.store_checks(settings))] == [True, True, True]
    assert doctor.clock(settings).ok


def test_secrets_that_others_can_read_are_told(tmp_path: Path) -> None:
    keys = tmp_path / "keys"
    keys.mkdir(mode=0o755)
    keys.chmod(0o755)
    assert doctor.data_directory(tmp_path).next_step == f"chmod 700 {keys}"
    key = keys / "signing.pem"
    key.write_text("")
    key.chmod(0o644)
    assert not doctor.signing_key(key).ok
    key.chmod(0o600)
    keys.chmod(0o700)
    assert doctor.signing_key(key).ok
    assert doctor.data_directory(tmp_path).ok


def test_a_data_directory_that_is_a_file_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    assert "no folder" in doctor.data_directory(tmp_path / "file").message
    assert "no folder" in doctor.data_directory(tmp_path / "file" / "below").message


def test_a_full_disk_and_few_files_are_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "LEAST_FREE_BYTES", 1 << 60)
    assert "make room" in doctor.disk_space(tmp_path, tmp_path / "absent").next_step
    monkeypatch.setattr(resource, "getrlimit", lambda _which: (256, 4096))
    assert doctor.open_files().message == "at most 256"


def test_a_spool_that_workers_cannot_write_is_told(tmp_path: Path) -> None:
    settings = Settings(data_dir=tmp_path, spool_dir=tmp_path / "spool", metrics_dir=tmp_path / "metrics")
    assert doctor.spool_room(settings).ok, "the first start makes it"
    (tmp_path / "run").mkdir()
    missing = doctor.spool_room(settings)
    assert not missing.ok
    assert missing.message.endswith(f"begins no batch: No such file or directory; at {settings.spool_dir}")
    assert f"make the folder {settings.spool_dir}" in missing.next_step
    settings.spool_dir.write_text("a file in its place")
    assert "move away the file" in doctor.spool_room(settings).next_step
    settings.spool_dir.unlink()
    settings.spool_dir.mkdir()
    assert doctor.spool_room(settings).ok
    assert list(settings.spool_dir.iterdir()) == []


def test_misspelt_variables_are_told_with_the_nearest_name() -> None:
    check = doctor.variables({"CITEVAULT_CONTCT": "x"})
    assert "CITEVAULT_CONTCT (CITEVAULT_CONTACT?)" in check.message
    assert not check.ok
