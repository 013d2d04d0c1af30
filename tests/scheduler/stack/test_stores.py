"""The embedded stores answer with the flags that were tried, and are gone with the block that started them."""

import re
import subprocess
import sys
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

import pytest
import redis

from scheduler.stack.running import RunningStores, running_parts
from scheduler.stack.state import holder
from scheduler.stack.stores import bucket_probe, grpc_socket


def test_valkey_never_evicts_and_writes_an_append_only_file(redis_url: str) -> None:
    with redis.Redis.from_url(redis_url, decode_responses=True) as client:
        config = client.config_get("maxmemory-policy", "appendonly")
    assert config == {"maxmemory-policy": "noeviction", "appendonly": "yes"}


def test_seaweed_has_its_bucket_and_refuses_anonymous_reading(seaweed: RunningStores) -> None:
    request = urllib.request.Request(f"{seaweed.s3_endpoint}/{seaweed.bucket}", method="HEAD")
    with pytest.raises(urllib.error.HTTPError) as refused:
        urllib.request.urlopen(request, timeout=5)
    refused.value.close()
    assert refused.value.code == 403


def test_the_probe_tells_a_bucket_that_is_missing(seaweed: RunningStores) -> None:
    port = int(seaweed.s3_endpoint.rpartition(":")[2])
    assert bucket_probe(port, seaweed.bucket, seaweed.credentials)() is None
    assert bucket_probe(port, "another", seaweed.credentials)() == "bucket another: HTTP 404"


@pytest.mark.real
def test_seaweed_leaves_no_socket_in_the_temporary_folder(tmp_path: Path) -> None:
    with running_parts(tmp_path, {"s3"}) as stores:
        s3_socket = grpc_socket("s3", int(stores.s3_endpoint.rpartition(":")[2]))
        named = re.findall(r"-(\w+)\.port=(\d+)", " ".join(_command_of(holder(tmp_path / "run" / "s3.lock"))))
        sockets = {grpc_socket(name, int(port)) for name, port in named}
        assert s3_socket in sockets
        assert s3_socket.exists()
    assert not {path for path in sockets if path.exists()}


def _command_of(pid: int | None) -> list[str]:
    return Path(f"/proc/{pid}/cmdline").read_text().split("\0")


@pytest.mark.real
def test_stores_die_with_a_test_run_that_is_killed(short_dir: Path, is_alive: Any, eventually: Any) -> None:
    code = (
        "import sys, time; from pathlib import Path; from scheduler.stack.running import running_parts\n"
        "with running_parts(Path(sys.argv[1])): print('up', flush=True); time.sleep(600)"
    )
    root = Path(__file__).resolve().parents[3]
    command = [sys.executable, "-c", code, str(short_dir)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=root) as run:
        assert run.stdout is not None
        assert run.stdout.readline() == "up\n"
        pids = [holder(short_dir / "run" / f"{name}.lock") for name in ("redis", "s3")]
        assert None not in pids
        run.kill()
    eventually(lambda: not any(is_alive(pid) for pid in pids), "both are gone")
