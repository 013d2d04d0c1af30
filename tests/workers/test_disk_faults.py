"""The advice is that of the error: room helps nobody whose folder is gone."""

from __future__ import annotations

import errno
import os

import pytest

from workers.disk_faults import unkept


@pytest.mark.parametrize(
    ("number", "advice"),
    [
        (errno.ENOENT, "make the folder /spool"),
        (errno.ENOTDIR, "move away the file"),
        (errno.EROFS, "mount /spool for writing"),
        (errno.EACCES, "let the user that runs the workers write to /spool"),
        (errno.EDQUOT, "raise its quota"),
        (errno.ENOSPC, "make room where /spool is"),
        (errno.EFBIG, "ulimit -f"),
        (errno.EMFILE, "ulimit -n"),
        (errno.EIO, "dmesg"),
        (errno.EXDEV, "dmesg"),
    ],
)
def test_each_error_is_told_with_its_own_next_step(number, advice):
    told = unkept(OSError(number, os.strerror(number)), "keep what was captured", "/spool", where="/spool/1-ab/b")
    assert told.what == f"this machine cannot keep what was captured: {os.strerror(number)}"
    assert told.where == "/spool/1-ab/b"
    assert advice in told.next_step
    assert "CITEVAULT_SPOOL_DIR" in told.next_step
    assert ("make room" in told.next_step) == (number == errno.ENOSPC)
