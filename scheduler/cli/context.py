"""What a command is given: settings, the open archive, and a place to print to."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

import click

from workers import config
from workers.config import Settings
from workers.errors import PermanentError

if TYPE_CHECKING:
    from workers.bootstrap import Archive

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Context:
    """The global options."""

    data_dir: str | None = None
    debug: bool = False

    def settings(self) -> Settings:
        """As configured; nothing is started. ConfigError where a value is wrong."""
        return config.load({"data_dir": self.data_dir} if self.data_dir else None)

    def with_archive(self, work: Callable[[Archive], Awaitable[T]], *, new: bool = True) -> T:
        """Run `work` over the configured stores, or over the local stack, which is started where it does not run.
        Without `new` there must be a data directory: who asks what became of something means no empty archive."""
        from workers.bootstrap import open_archive

        configured = self.settings()
        if not new and configured.uses_local_stack and not configured.data_dir.is_dir():
            raise PermanentError(
                "there is no data directory, so nothing is archived here",
                where=str(configured.data_dir),
                next_step="go to the folder in which the archive was started, or name its data directory with "
                "--data-dir or CITEVAULT_DATA_DIR; `citevault archive` begins a new one",
            )
        if configured.uses_local_stack:
            from scheduler.stack.control import local_settings

            configured = local_settings(configured)
        settings = configured

        async def within() -> T:
            async with open_archive(settings) as archive:
                return await work(archive)

        return asyncio.run(within())


pass_context = click.make_pass_decorator(Context)
