"""Whom sites are to write to, where a command and the stack that runs already do not say the same."""

from __future__ import annotations

from pathlib import Path

import pytest

from scheduler import doctor
from scheduler.contacts import disagreement
from workers.config import Settings

OURS, OTHER = "https://example.org/bot?a=1&b=2", "ops@example.org"


@pytest.mark.parametrize("workers", [OURS, None])
def test_nothing_is_said_where_the_contact_is_the_same_or_not_known(workers: str | None) -> None:
    assert disagreement(OURS, workers) is None
    assert disagreement("", workers and "") is None


@pytest.mark.parametrize(
    ("ours", "workers", "what", "steps"),
    [
        (
            OURS,
            "",
            "started without CITEVAULT_CONTACT",
            f"citevault down; export CITEVAULT_CONTACT='{OURS}'; citevault up --detach",
        ),
        (
            OURS,
            OTHER,
            f"started with CITEVAULT_CONTACT={OTHER}",
            f"or go on with the other: export CITEVAULT_CONTACT={OTHER}",
        ),
        ("", OTHER, f"started with {OTHER}", f"export CITEVAULT_CONTACT={OTHER}"),
    ],
    ids=["none", "another", "ours is none"],
)
def test_a_contact_that_the_running_workers_do_not_have_is_told_with_what_to_type(
    ours: str, workers: str, what: str, steps: str, tmp_path: Path
) -> None:
    refused = disagreement(ours, workers)
    assert refused is not None
    assert what in refused.what
    assert steps in refused.next_step
    check = doctor.contact(Settings(data_dir=tmp_path, contact=ours), workers)
    assert (check.ok, check.message, check.next_step) == (False, refused.what, refused.next_step)


def test_a_user_agent_alone_is_no_contact(tmp_path: Path) -> None:
    """The guard asks for the contact, whatever the user agent says."""
    assert not doctor.contact(Settings(data_dir=tmp_path, user_agent="Ours/1 (+https://example.org/)")).ok
    assert "citevault up" in doctor.contact(Settings(data_dir=tmp_path), "").next_step
    assert doctor.contact(Settings(data_dir=tmp_path, contact=OURS), OURS).ok
