"""One client of S3, configured so that it does what the order of writes relies on (`deploy/decisions`)."""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, TypedDict, cast
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from botocore.loaders import Loader
    from mypy_boto3_s3 import S3Client

MIB = 1024 * 1024


@dataclass(frozen=True, slots=True)
class S3Location:
    """Bucket, prefix and how to reach them. Empty credentials: boto3's own search (environment, files, role)."""

    endpoint: str
    bucket: str
    prefix: str = ""
    region: str = "us-east-1"
    access_key: str = ""
    secret_key: str = field(default="", repr=False)
    session_token: str = field(default="", repr=False)
    connect_seconds: float = 5.0
    read_seconds: float = 60.0
    attempts: int = 4
    connections: int = 16
    multipart_bytes: int = 64 * MIB


class WriteOptions(TypedDict, total=False):
    """What a write says besides its bytes; the names are S3's."""

    ContentType: str
    IfNoneMatch: str
    IfMatch: str


def make_client(location: S3Location) -> S3Client:
    """A client of its own session. Thread-safe; connects with its first request.

    Checksums only where required, since we send SHA-256 ourselves and other stores trip over the CRC trailers that
    are boto3's default. Signatures leave the bytes out, which over plain HTTP would be hashed once more for them: they
    cover the checksum, and a store refuses bytes that do not have it. Path-style addresses: a store on loopback has no
    wildcard DNS.
    """
    import botocore.session
    from botocore.config import Config

    config = Config(
        connect_timeout=location.connect_seconds,
        read_timeout=location.read_seconds,
        retries={"mode": "standard", "total_max_attempts": location.attempts},
        max_pool_connections=location.connections,
        s3={"addressing_style": "path", "payload_signing_enabled": False},
        request_checksum_calculation="when_required",
        response_checksum_validation="when_required",
        tcp_keepalive=True,
        # A proxy of the environment is for the outside; it cannot reach this machine's loopback.
        proxies={} if _is_loopback(location.endpoint) else None,
        user_agent_extra="citevault",
    )
    session = botocore.session.get_session()
    session.register_component("data_loader", _descriptions())
    client = session.create_client(
        "s3",
        endpoint_url=location.endpoint,
        region_name=location.region,
        aws_access_key_id=location.access_key or None,
        aws_secret_access_key=location.secret_key or None,
        aws_session_token=location.session_token or None,
        config=config,
    )
    return cast("S3Client", client)


@cache
def _descriptions() -> Loader:
    """botocore's description of S3, read once a process: it is most of what a client costs to make."""
    from botocore.loaders import create_loader

    return create_loader()


def _is_loopback(endpoint: str) -> bool:
    host = urlsplit(endpoint).hostname or ""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
