"""Who decides: the name that goes into a log."""

from __future__ import annotations

import getpass


def user_name() -> str:
    """The user name; empty where this process runs under a number that has none, as in a container."""
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return ""
