"""A small `make namespaces`: three hosts in networks of their own, of which one is cut off for two leases, twice."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from deploy.chaos import network, report
from deploy.chaos.partition import CUTS, Given, run
from workers.errors import PermanentError


def permitted() -> bool:
    """Whether this machine lets us make networks."""
    if not sys.platform.startswith("linux"):
        return False
    try:
        with network.networked(("a",)):
            return True
    except PermanentError:
        return False


@pytest.mark.real
@pytest.mark.allow_hosts(["127.0.0.0/8", "10.203.0.0/24", "10.205.0.0/16"])
@pytest.mark.drill
@pytest.mark.timeout(600)
@pytest.mark.skipif(not permitted(), reason="network namespaces are not permitted here")
def test_a_host_that_was_cut_off_is_fenced_and_comes_back_by_itself() -> None:
    wanted = Given(urls=200, hosts=20, lease_seconds=6.0, cut_seconds=12.0)
    with tempfile.TemporaryDirectory(prefix="cv-hosts-", ignore_cleanup_errors=True) as folder:
        result = run(wanted, Path(folder) / "run", lambda _line: None)
    assert result.findings == [], report.of_partition(result)
    assert result.extras == 0, "nothing was forgotten, so nothing is captured twice"
    assert len(result.absences) == len(CUTS)
    assert all(each.held and each.refused == each.taken_over == each.held for each in result.absences)
    assert all(each.back_seconds is None or each.back_seconds < 30 for each in result.absences)
    assert result.fenced


@pytest.mark.skipif(not sys.platform.startswith("linux") or os.getuid() != 0, reason="must be root to lose its rights")
def test_where_networks_are_not_permitted_the_command_says_so(repository: Path, tmp_path: Path) -> None:
    command = ("setpriv", "--bounding-set=-all", "--inh-caps=-all")
    code = "import sys; from deploy.chaos.__main__ import main; sys.exit(main(sys.argv[1:]))"
    told = subprocess.run(
        [*command, sys.executable, "-c", code, "namespaces", "--folder", str(tmp_path)],
        cwd=repository,
        env={**os.environ, "PYTHONPATH": str(repository)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert told.returncode == 3, told.stderr
    assert "network namespaces" in told.stderr
    assert "CAP_SYS_ADMIN" in told.stderr
