"""Whatever a server sends is in the archive, recoverable byte for byte, and marked for what it is (R042, X14)."""

from __future__ import annotations

from typing import Any

from deploy.hostile.checking import what_is_wrong


def test_nothing_that_a_hostile_server_sends_is_lost_and_each_case_is_told_for_what_it_is(visited: Any) -> None:
    wrong = {case.name: what_is_wrong(case, visited.urls[case.name], visited.run) for case in visited.cases}
    assert {name: found for name, found in wrong.items() if found} == {}
