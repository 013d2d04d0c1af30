"""Where the demo leaves its data. What an earlier demo left there is replaced; what anybody else left is not."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path

MARKER = ".citevault-demo"


class NotOursError(Exception):
    """The folder holds something that no demo put there."""


@dataclass(frozen=True, slots=True)
class DemoFolder:
    """The data directory of the archive, and the demo's own files in it."""

    path: Path

    @property
    def seeds(self) -> Path:
        return self.path / "seeds.txt"

    @property
    def draft(self) -> Path:
        return self.path / "draft.json"

    @property
    def first_draft(self) -> Path:
        """For a person to build, to change and to build again, when the demo is over."""
        return self.path / "first-draft.json"

    @property
    def careless_draft(self) -> Path:
        return self.path / "careless-draft.json"

    @property
    def bundle(self) -> Path:
        return self.path / "bundle"

    @property
    def broken(self) -> Path:
        return self.path / "broken-bundle"

    @property
    def publisher_key(self) -> Path:
        """The public key that a stranger would have been given."""
        return self.path / "publisher.pub.pem"

    @property
    def author_key(self) -> Path:
        """The private key of who wrote the report."""
        return self.path / "author" / "author.pem"

    def has_earlier_demo(self) -> bool:
        return (self.path / MARKER).is_file()

    def make_fresh(self) -> None:
        """An empty folder with the marker. NotOursError where it holds something else."""
        if self.path.exists() and not self.path.is_dir():
            raise NotOursError(f"{self.path} is a file")
        if self.path.is_dir() and any(self.path.iterdir()):
            if not self.has_earlier_demo():
                raise NotOursError(f"{self.path} is not empty, and no demo made it; give another with --data-dir")
            shutil.rmtree(self.path)
        self.path.mkdir(parents=True, exist_ok=True)
        (self.path / MARKER).write_text("Made by the Citevault demo, which may delete this folder.\n", encoding="utf-8")
