"""One visit of the hostile server, over the whole data plane, for all tests here."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Iterator
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from deploy.hostile.case import Case
from deploy.hostile.run import Run, visit_all
from deploy.hostile.serve import all_cases, hostile_process
from schemas.messages import ClusterSegment
from workers.config import Settings
from workers.flows.cluster import cluster_segment
from workers.flows.publish import publish
from workers.ports import ObjectStore


@dataclass(frozen=True)
class Visited:
    """The cases that were served, where, and what the archive holds now."""

    cases: tuple[Case, ...]
    urls: dict[str, str]
    run: Run
    copy: Path
    """Every object of the archive, its signed log included, as a folder."""
    public_key: Path


@pytest.fixture(scope="session")
def llhttp_data(repository: Path) -> Path | None:
    """The conformance data, where it lies; it is no reason to skip where it does not."""
    named = os.environ.get("CITEVAULT_CONFORMANCE_DATA")
    folder = Path(named) if named else repository.parent / "shared" / "data"
    return folder if folder.is_dir() else None


@pytest.fixture(scope="session")
def visited(
    settings_in: Callable[[Path], Settings],
    plane_over: Callable[[Settings], AbstractAsyncContextManager[Any]],
    llhttp_data: Path | None,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Visited]:
    """Every case, captured and extracted."""
    folder = tmp_path_factory.mktemp("hostile")
    settings = settings_in(folder)
    public_key = folder / "public.pem"

    async def visit(urls: list[str]) -> Run:
        async with plane_over(settings) as plane:
            run = await visit_all(plane.archive, plane.epoch, urls)
            for message in plane.inbox.messages:
                if isinstance(message, ClusterSegment):
                    await cluster_segment(message, plane.archive.cluster_ports())
            await publish(await plane.archive.publish_ports())
            public_key.write_text(plane.archive.signer().public_pem(), encoding="ascii")
            await copied(plane.archive.store, folder / "copy")
            return run

    with hostile_process(llhttp_data) as urls:
        run = asyncio.run(visit(list(urls.values())))
        yield Visited(all_cases(llhttp_data), urls, run, folder / "copy", public_key)


async def copied(store: ObjectStore, folder: Path) -> None:
    """Every object of a store as a file."""
    for key in [key async for key in store.list("")]:
        path = folder / key
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(await store.get(key))
