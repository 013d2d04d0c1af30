"""`python -m deploy.chaos.host NAME ADDRESS PART …`: one host of several, with some of the stack's parts.

Parts, their settings and their supervisor are the product's. `stores` stands for Valkey and SeaweedFS, which listen on
the host's address; the rest are programs by their names. Runs until SIGTERM; `run/ready` in the data directory says
that all answer.
"""

from __future__ import annotations

import socket
import sys
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from deploy.chaos.saying import say_on_stderr
from scheduler.stack.part import Part
from scheduler.stack.ports import StackPorts
from scheduler.stack.preparation import PREPARE
from scheduler.stack.programs import STORES, program_parts
from scheduler.stack.state import StackPaths
from scheduler.stack.stores import Credentials, seaweed, valkey
from scheduler.stack.supervisor import Supervisor
from workers import config
from workers.config import Settings, process_environment

STORES_WORD = "stores"
PORTS = StackPorts(redis=12_100, s3=12_200, master=12_210, volume=12_220, filer=12_230, admin=12_240, web=0, memento=0)
"""In a network of its own, so nobody else has them."""


@dataclass(frozen=True, slots=True)
class Addresses:
    """Where the stores of a host can be reached, given its address."""

    host: str

    @property
    def s3(self) -> str:
        return f"http://{self.host}:{PORTS.s3}"

    def redis(self, password: str) -> str:
        return f"redis://:{password}@{self.host}:{PORTS.redis}/0"


def ready_file(data_dir: Path) -> Path:
    """Is there once all parts of a host have answered."""
    return StackPaths(data_dir).run / "ready"


def main(name: str, address: str, parts: Collection[str]) -> int:
    """Run these parts until told to stop."""
    socket.sethostname(name)
    settings = config.load()
    paths = StackPaths(settings.data_dir)
    paths.make()
    stores = _stores(settings, address) if STORES_WORD in parts else []
    programs = [part for part in program_parts(settings) if part.name in parts]
    supervisor = Supervisor([*stores, *programs], say_on_stderr)
    with supervisor.signals():
        if stores:
            supervisor.start(STORES)
        for step in PREPARE:
            step(settings)
        supervisor.start()
        ready_file(settings.data_dir).touch()
        supervisor.run()
        supervisor.stop()
    return 0


def _stores(settings: Settings, address: str) -> list[Part]:
    password = urlsplit(settings.redis_url).password or ""
    credentials = Credentials(password, settings.aws_access_key_id, settings.aws_secret_access_key)
    env = process_environment(settings)
    return [
        valkey(settings.data_dir, PORTS.redis, credentials, env=env, host=address),
        seaweed(settings.data_dir, PORTS, credentials, bucket=settings.s3_bucket, env=env, host=address),
    ]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2], sys.argv[3:]))
