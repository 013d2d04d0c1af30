"""The stores that every contract of the object store is held to."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from workers.adapters.directory import DirectoryObjectStore
from workers.adapters.s3.store import S3ObjectStore
from workers.adapters.stores import ClosableStore


@pytest.fixture(params=["s3", "directory"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[ClosableStore]:
    """SeaweedFS, then a local directory; on its own prefix, empty."""
    if request.param == "s3":
        yield request.getfixturevalue("object_store")
        return
    directory = DirectoryObjectStore(tmp_path / "store")
    yield directory
    directory.close()


@pytest.fixture
def new_store(store: ClosableStore, tmp_path: Path) -> Iterator[Callable[[], ClosableStore]]:
    """The same store, as another process opens it."""
    opened: list[ClosableStore] = []

    def make() -> ClosableStore:
        again: ClosableStore
        if isinstance(store, S3ObjectStore):
            again = S3ObjectStore(store.location)
        else:
            again = DirectoryObjectStore(tmp_path / "store")
        opened.append(again)
        return again

    yield make
    for each in opened:
        each.close()
