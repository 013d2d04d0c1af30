"""The seed list that is handed in, and the summary at the end."""

from __future__ import annotations

from collections.abc import Sequence

from deploy.demo.answers import Archived, ManifestRow
from deploy.demo.commands import Commands
from deploy.demo.folder import DemoFolder
from deploy.demo.server import SampleWeb
from deploy.demo.sites import SEEDS
from deploy.demo.telling import Telling
from schemas.records.bundle import Bundle
from schemas.records.cluster import Cluster
from schemas.records.finding import Report, Severity


def seed_list(web: SampleWeb) -> str:
    """One URL a line, with a remark, a blank line, and a line that is no page: such lists are met in life."""
    lines = ["# What a report on the Velmar barrier would cite", ""]
    lines += [web.url(site, path) for site, path in SEEDS]
    lines.append("mailto:press@velmar.example")
    return "\n".join(lines) + "\n"


def summary(
    tell: Telling,
    folder: DemoFolder,
    run: Commands,
    first: Archived,
    second: Archived,
    cluster: Cluster,
    manifests: Sequence[ManifestRow],
    bundle: Bundle,
    report: Report,
    refused: Report,
) -> None:
    """What there is now, and what to do with it."""
    copies = len({member.source_id for member in cluster.members})
    looked = ", ".join(f"{count} {what}" for what, count in sorted(report.checked.items()))
    errors = sum(finding.severity is Severity.ERROR for finding in refused.findings)
    tell.table(
        "Summary",
        (
            ("first job", f"{first.job_id}: {_outcomes(first)}"),
            ("second job", f"{second.job_id}: {_outcomes(second)}"),
            ("near-duplicates", f"{copies} sites with one story: one group in the bundle"),
            ("log", f"{manifests[-1].tree_size} leaves in {len(manifests)} signed manifests"),
            (
                "bundle",
                f"{len(bundle.claims)} claims, {len(bundle.evidence)} quotes: accepted (exit {report.exit_code})",
            ),
            ("looked at", looked),
            ("broken copy", f"refused (exit {refused.exit_code}, {errors} errors)"),
        ),
    )
    archive = f"{run.typed('citevault')} --data-dir {run.shorter(str(folder.path))}"
    validate = f"{run.typed('citevault-validate')} bundle"
    trust = f"--trust {run.shorter(str(folder.publisher_key))}"
    author = f"--trust-author {run.shorter(str(folder.author_key.with_suffix('.pub.pem')))}"
    tell.commands(
        "What to do next",
        (
            ("start it again, with pages to look at", f"{archive} up --detach"),
            ("what is archived", f"{archive} snapshots"),
            ("check the bundle yourself", f"{validate} {run.shorter(str(folder.bundle))} --deep {trust} {author}"),
            ("see the broken copy refused", f"{validate} {run.shorter(str(folder.broken))} {trust} {author}"),
            (
                "build a first draft; edit it and build it again",
                f"{archive} bundle build {run.shorter(str(folder.first_draft))} "
                f"-o {run.shorter(str(folder.path / 'first-bundle'))}",
            ),
            (
                "archive pages of your own",
                f"export CITEVAULT_CONTACT=you@example.org; {run.typed('citevault')} archive --wait https://example.org/",
            ),
            ("stop", f"{archive} down"),
        ),
    )


def _outcomes(job: Archived) -> str:
    return ", ".join(f"{count} {name}" for name, count in sorted(job.ended.outcomes.items()))
