"""How a process of ours begins: its settings or exit 2, its log, and exit 3 where the store lets two writers win."""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable

from workers import config
from workers.config import Settings
from workers.errors import CitevaultError, UnsafeStoreError

DONE, WRONG_SETTINGS, UNSAFE_STORE = 0, 2, 3


def run_process(work: Callable[[Settings], None]) -> int:
    """The exit code, after a sentence on stderr where it is not 0."""
    try:
        settings = config.load()
    except CitevaultError as error:
        sys.stderr.write(f"{error}\n")
        return WRONG_SETTINGS
    logging.basicConfig(level=settings.log_level, format="%(asctime)s %(levelname)s %(name)s %(message)s")
    try:
        work(settings)
    except UnsafeStoreError as error:
        sys.stderr.write(f"{error}\n")
        return UNSAFE_STORE
    return DONE
