"""The first record of a file says under which rules the others came to be (R083)."""

import ipaddress
from dataclasses import fields

from schemas.ids import job_id, ulid_time
from schemas.records.job import JobOptions, Lane, RobotsPolicy, Scope, StoredJob
from workers.archive.octets import read_fields
from workers.capture.limits import FetchLimits
from workers.flows.capture.provenance import warcinfo_of
from workers.flows.capture.settings import CaptureSettings

JOB = job_id("01KB7Q8ZJ4M8V3T0N5R6W9XCDE")


def described(options: JobOptions, **settings: object) -> dict[str, str]:
    job = StoredJob(
        schema="citevault/stored-job@1",
        id=JOB,
        collection="papers",
        lane=Lane.BULK,
        created_at=ulid_time(JOB),
        options=options,
        seed_parts=(),
        lines=0,
        seeds=0,
        duplicates=0,
        bad_lines=0,
    )
    given = {
        "software": "citevault/1",
        "user_agent": "Citevault/1 (+x)",
        "worker": "w",
        **settings,
    }
    record = warcinfo_of(CaptureSettings(**given), job).record("urn:uuid:0", "2026-11-29T12:00:00Z", "a.warc.gz")  # type: ignore[arg-type]
    assert record.block.inline is not None
    return dict(read_fields(record.block.inline) or ())


def test_a_job_that_asks_for_nothing_special_is_described_as_such() -> None:
    found = described(JobOptions(), contact="mailto:a@example.org")
    assert found["operator"] == "mailto:a@example.org"
    assert found["http-header-user-agent"] == "Citevault/1 (+x)"
    assert (found["isPartOf"], found["job"]) == ("papers", JOB)
    assert (found["robots"], found["verify-certificates"], found["networks-opened"]) == ("obey", "yes", "none")
    assert (found["scope"], found["depth"], found["requisites"]) == ("page", "0", "yes")
    assert found["transfer-framing"] == "strip"


def test_what_a_job_loosens_is_said() -> None:
    asked = JobOptions(robots=RobotsPolicy.IGNORE, insecure_tls=True, scope=Scope.HOST, depth=2, requisites=False)
    networks = (ipaddress.ip_network("127.0.0.0/8"), ipaddress.ip_network("fd00::/8"))
    found = described(asked, allowed_networks=networks)
    assert (found["robots"], found["verify-certificates"]) == ("ignore", "no")
    assert found["networks-opened"] == "127.0.0.0/8 fd00::/8"
    assert (found["scope"], found["depth"], found["requisites"]) == ("host", "2", "no")


def test_every_limit_of_a_fetch_is_said() -> None:
    found = described(JobOptions(), limits=FetchLimits(max_body_bytes=5), max_redirects=3)
    assert (found["max-body-bytes"], found["max-head-bytes"], found["max-redirects"]) == ("5", "1048576", "3")
    assert found["settle-seconds"] == "0.25"
    assert {each.name.replace("_", "-") for each in fields(FetchLimits)} <= found.keys()
